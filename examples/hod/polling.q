// The loop goes on for ever.
// expected: satisfied
A[] not deadlock

// An error is not qualified before 3400 ms.
// expected: satisfied
A[] Temperature.FirstError && Temperature.y < 3400 imply not isQualified

// An error that stays is qualified by 5100 ms.
// expected: satisfied
A[] (Temperature.FirstError or Temperature.OutOfRange) && Temperature.y > 5100 imply isQualified

// An error that stays away is disqualified by 5100 ms.
// expected: satisfied
A[] Temperature.InRange && Temperature.y > 5100 imply not isQualified

// An error that shows up right at a poll needs 3400 ms.
// expected: satisfied
E<> Temperature.FirstError && TemperatureError.DetectedQualified && Temperature.y == 3400

// An error that shows up right after a poll needs 5100 ms.
// expected: satisfied
E<> Temperature.FirstError && TemperatureError.DetectedNotQualified && Temperature.y == 5100

// The first error stays, so it is qualified.
// expected: satisfied
Temperature.FirstError --> isQualified

// A later one may vanish first.
// expected: not satisfied
Temperature.OutOfRange --> isQualified

// An error that goes and comes back before it was disqualified is still the same one.
// expected: satisfied
E<> isQualified && qc == 1 && Temperature.OutOfRange && Temperature.y < 3400

// The range of 3400 to 5100 ms is nowhere in this model, yet half of the errors are qualified within 4250 ms.
// expected: 0.5
Pr[<=6800](<> TemperatureError.DetectedQualified && Temperature.y <= 4250)

// A quarter of them is within 3825 ms.
// expected: 0.25
Pr[<=6800](<> TemperatureError.DetectedQualified && Temperature.y <= 3825)

// All of them are, in the end.
// expected: 1
Pr[<=6800](<> TemperatureError.DetectedQualified)
