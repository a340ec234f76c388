// The average stays where the temperature does.
// expected: satisfied
A[] average >= ROOM_MIN && average <= ROOM_MAX

// Soon after the start of a defrost compressor and alarm are off; soon after its end, the heater.
// expected: satisfied
A[] (Defrost.Heating && Defrost.e > TOLERANCE imply CompressorRelay.Open && AlarmRelay.Open) && (Defrost.Dripping && Defrost.e > TOLERANCE imply HeaterRelay.Open)

// A command to the compressor that is taken back is not carried out.
// expected: satisfied
A[] Compressor.Disabled imply not CompressorRelay.Closing

// The compressor runs, and it is too warm all the same.
// expected: satisfied
E<> CompressorRelay.Closed && AlarmRelay.Closed && average > HIGH_LIMIT

// It can be too cold as well.
// expected: satisfied
E<> AlarmRelay.Closed && average < LOW_LIMIT

// The compressor is wanted and has to wait for its time.
// expected: satisfied
E<> Compressor.Hot && Compressor.c < MIN_OFF

// It may also have to run longer than it is wanted.
// expected: satisfied
E<> Compressor.Cold && Compressor.c < MIN_ON

// A defrost comes by itself ...
// expected: satisfied
E<> AutoDefrost.d == INTERVAL && Defrost.Asked

// ... or because somebody wants it.
// expected: satisfied
E<> AutoDefrost.d < INTERVAL && Defrost.Asked

// Not every compressor that is told to start does so: a defrost may come first.
// expected: not satisfied
CompressorRelay.Closing --> CompressorRelay.Closed
