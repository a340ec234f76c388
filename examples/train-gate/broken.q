// At most one train is in the station: it is not so, a train may be told too late to stop.
// expected: not satisfied
A[] forall (i : id_t) forall (j : id_t) Train(i).Cross && Train(j).Cross imply i == j

// Every stop comes while the train can still be stopped: this is where it goes wrong.
// expected: not satisfied
A[] forall (i : id_t) Control(i).Stopping imply Train(i).Appr && Train(i).x <= STOP_UNTIL

// The controller still wants to stop a train that is in the station already.
// expected: satisfied
E<> Control(1).Stopping && Train(1).Cross

// In the end time stands still: the invariant of Stopping has run out, and nobody listens to stop.
// expected: not satisfied
A[] not deadlock

// The deadline as such is kept; it is the deadline that is wrong.
// expected: satisfied
A[] Control(1).Stopping imply Control(1).x <= STOP_MAX
