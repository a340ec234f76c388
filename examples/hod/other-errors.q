// Errors come and go for ever.
// expected: satisfied
A[] not deadlock

// When the error is gone, the one is disqualified and the other is not.
// expected: satisfied
E<> CriticalError.PresentQualified && ImmediateError.Absent

// A critical error is never disqualified.
// expected: not satisfied
CriticalError.PresentQualified --> CriticalError.Absent

// Its flag stays set.
// expected: satisfied
A[] CriticalError.PresentQualified imply criticalIsQualified

// One cycle is enough to recognise an error.
// expected: satisfied
A[] ImmediateError.Present imply ImmediateError.x <= CYCLE

// An error is qualified unless it vanishes first.
// expected: satisfied
ImmediateError.Present --> (immediateQualified or Error.Gone)
