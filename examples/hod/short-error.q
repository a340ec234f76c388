// The expected outputs are possible, and leave the error absent.
// expected: satisfied
E<> Test.Completed && TemperatureError.Absent

// Other outputs are possible too, and correct: the error may take longer than 4250 ms.
// expected: satisfied
E<> Test.Unexpected && TemperatureError.Present

// When the first check passes, the location is known.
// expected: satisfied
A[] Test.Checked imply TemperatureError.PresentQualified

// How often the test sees what it expects.
// expected: 0.5
Pr[<=10000](<> Test.Completed)

// How often the first half does; the second half then fails with probability 0.
// expected: 0.5
Pr[<=5000](<> Test.Checked)
