// An error can be qualified and gone.
// expected: satisfied
E<> TemperatureError.AbsentQualified

// Who is qualified says so.
// expected: satisfied
A[] TemperatureError.PresentQualified imply isQualified
