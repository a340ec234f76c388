// HOD and the temperature never get stuck.
// expected: satisfied
A[] not deadlock

// An error can be qualified.
// expected: satisfied
E<> TemperatureError.PresentQualified

// The two qualified locations are those where the flag is set ...
// expected: satisfied
A[] (TemperatureError.PresentQualified or TemperatureError.AbsentQualified) imply isQualified

// ... and the only ones.
// expected: satisfied
A[] isQualified imply (TemperatureError.PresentQualified or TemperatureError.AbsentQualified)

// An error that lasts longer than 5100 ms is qualified by then.
// expected: satisfied
A[] Temperature.Lasting && Temperature.y > QUALIFY_MAX imply isQualified

// A lasting error is qualified sooner or later.
// expected: satisfied
Temperature.Lasting --> isQualified

// A glitch may pass unnoticed.
// expected: not satisfied
Temperature.Glitch --> isQualified

// The first qualification may come within 4250 ms ...
// expected: satisfied
E<> Watch.Fast

// ... or later.
// expected: satisfied
E<> Watch.Slow

// Watch stops at a qualification.
// expected: satisfied
A[] Watch.Fast imply qc >= 1

// The first qualification comes within 4250 ms of its error.
// expected: 0.5
Pr[<=200000](<> Watch.Fast)

// The first qualification takes longer than 4250 ms.
// expected: 0.5
Pr[<=200000](<> Watch.Slow)

// The same as a test of a hypothesis.
// expected: satisfied
Pr[<=200000](<> Watch.Fast) >= 0.4

// A minute of HOD, to look at.
simulate[<=60000; 1] {Temperature.Glitch, 2 * Temperature.Lasting, 3 + isQualified, 5 + qc}
