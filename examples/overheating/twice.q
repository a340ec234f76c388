// Both errors can be qualified and gone.
// expected: satisfied
E<> TemperatureError.AbsentQualified and VoltageError.AbsentQualified

// Of two errors one may be qualified long before the other.
// expected: satisfied
E<> tempQualified and VoltageError.Present and VoltageError.x > QUALIFY_MIN
