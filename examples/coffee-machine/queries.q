// The machine and the nice user never get stuck.
// expected: satisfied
A[] not deadlock

// The nice user can get the machine to make strong coffee.
// expected: satisfied
E<> Machine.Strong

// The nice user asks 60 or more after the coin; after 50 the machine no longer makes weak coffee.
// expected: not satisfied
E<> Machine.Weak

// While the nice user waits, strong coffee is under way.
// expected: satisfied
A[] User.Waiting imply Machine.Strong

// Nobody waits longer than 50 after the request.
// expected: satisfied
A[] User.Waiting imply Machine.x <= 50

// Whoever asked gets a cup.
// expected: satisfied
User.Waiting --> User.Idle

// Nothing makes the nice user ask: he may pay and wait for ever.
// expected: not satisfied
User.Paid --> User.Waiting
