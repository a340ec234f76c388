// Trains and controller never get stuck.
// expected: satisfied
A[] not deadlock

// At most one train is in the station.
// expected: satisfied
A[] forall (i : id_t) forall (j : id_t) Train(i).Cross && Train(j).Cross imply i == j

// One train crosses while the three others have been stopped.
// expected: satisfied
E<> Train(1).Cross && Train(2).Stop && Train(3).Stop && Train(4).Stop

// The queue can be full.
// expected: satisfied
E<> Queue.len == N

// Every stop comes while the train can still be stopped.
// expected: satisfied
A[] forall (i : id_t) Control(i).Stopping imply Train(i).Appr && Train(i).x <= STOP_UNTIL

// A train is sent on only when the station is free.
// expected: satisfied
A[] forall (i : id_t) forall (j : id_t) Control(i).Starting imply not Train(j).Cross

// The train ahead may leave before this one has been told to stop; it is then stopped all the same.
// expected: satisfied
E<> Control(1).Stopping && Queue.Ready && Queue.list[0] == 1

// Whoever approaches gets across: first come, first served.
// expected: satisfied
Train(1).Appr --> Train(1).Cross

// Nothing makes a train come.
// expected: not satisfied
Train(1).Safe --> Train(1).Appr
