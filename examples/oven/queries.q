// Nobody gets stuck.
// expected: satisfied
A[] not deadlock

// The alarm can go off.
// expected: satisfied
E<> Cook.Called
