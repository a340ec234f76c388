/* expected: satisfied. Nobody gets stuck. */
A[] not deadlock
/* expected: satisfied. The alarm can go off. */
E<> Cook.Called
