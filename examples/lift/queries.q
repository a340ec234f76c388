// Calls and heartbeats can always come.
// expected: satisfied
A[] not deadlock

// The automata alone do not open the door: scenarios of the use cases do.
// expected: not satisfied
E<> Door.Open

