// The machine takes both inputs in every location, so this user can always press something.
// expected: satisfied
A[] not deadlock

// Here weak coffee is possible: the user may ask at once.
// expected: satisfied
E<> Machine.Weak

// Strong coffee may take its whole 50.
// expected: satisfied
E<> Machine.Strong && Machine.x == 50

// The deadline of weak coffee holds for every user.
// expected: not satisfied
E<> Machine.Weak && Machine.x > 30

// A user who presses infinitely often while no time passes holds up the cup (a Zeno run).
// expected: not satisfied
Machine.Strong --> Machine.Idle
