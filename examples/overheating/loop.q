// An error can be qualified and gone.
// expected: satisfied
E<> TemperatureError.NotDetectedQualified

// Who is qualified says so.
// expected: satisfied
A[] TemperatureError.DetectedQualified imply isQualified
