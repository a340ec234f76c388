// Both errors can be qualified and gone.
// expected: satisfied
E<> TemperatureError.Leaving and VoltageError.Leaving

// Who is qualified says so.
// expected: satisfied
A[] TemperatureError.Qualified imply tempQualified
