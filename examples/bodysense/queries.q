// Interrupts and messages can always come.
// expected: satisfied
A[] not deadlock

// The automata alone do not say how an error is detected: scenarios of the use cases tell.
// expected: not satisfied
E<> TemperatureError.DetectedNotQualified

