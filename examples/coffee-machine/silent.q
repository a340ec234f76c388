// Nobody pays, so the machine never leaves its first location.
// expected: satisfied
A[] Machine.Idle

// The same, as reachability.
// expected: not satisfied
E<> Machine.Paid

// Time passes, but no action will ever be possible: that is a deadlock.
// expected: not satisfied
A[] not deadlock
