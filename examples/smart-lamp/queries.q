// Lamp and finger never get stuck.
// expected: satisfied
A[] not deadlock

// A lamp that is off is dark ...
// expected: satisfied
A[] !Lamp.on imply Lamp.now == 0

// ... but it may be dark and on.
// expected: satisfied
E<> Lamp.Rest && Lamp.on && Lamp.now == 0

// It can be as bright as possible.
// expected: satisfied
E<> Lamp.Rest && Lamp.now == MAX

// And be switched off so as to remember that.
// expected: satisfied
E<> Lamp.Rest && !Lamp.on && Lamp.saved == MAX

// Who holds on makes it brighter or darker.
// expected: satisfied
A[] Finger.There && Finger.z > HOLD_MIN + TOLERANCE imply Lamp.Started || Lamp.Dimming || Lamp.Stepped

// Soon after the finger has gone, nothing changes any more.
// expected: satisfied
A[] Finger.Away && Finger.z > TOLERANCE imply Lamp.Rest

// A release may come between a step and its showing.
// expected: satisfied
E<> Lamp.Last
