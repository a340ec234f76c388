// The machine takes both inputs in every location.
// expected: satisfied
A[] not deadlock

// Weak coffee can be had.
// expected: satisfied
E<> Machine.Weak

// DW = 20 lies within the 10 to 30 of the specification.
// expected: satisfied
A[] Machine.Weak imply Machine.x <= 20

// DS = 40 lies within the 30 to 50 of the specification.
// expected: satisfied
A[] Machine.Strong imply Machine.x <= 40
