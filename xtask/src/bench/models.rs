//! Models that peers are measured with, in TChecker's format, for any size.
//!
//! They are the classics of timed automata: the parameters and the structure are those that
//! TChecker's figures were measured with, so that stored states and transitions agree exactly.

use std::fmt::Write;

/// A text that is written line by line.
struct Text(String);

impl Text {
    fn new(system: &str) -> Self {
        Self(format!("system:{system}\nevent:tau\n"))
    }

    fn line(&mut self, line: impl std::fmt::Display) {
        let _ = writeln!(self.0, "{line}");
    }

    /// A location with its attributes, such as `initial:` and `invariant:x<=5`.
    fn location(&mut self, process: &str, name: &str, attributes: &[&str]) {
        let _ = writeln!(self.0, "location:{process}:{name}{{{}}}", attributes.join(" : "));
    }

    /// An edge: source, target, event, guard, update.
    fn edge(&mut self, process: &str, [source, target, event, guard, update]: [&str; 5]) {
        let guard = if guard.is_empty() { String::new() } else { format!("provided:{guard}") };
        let update = if update.is_empty() { String::new() } else { format!("do:{update}") };
        let between = if guard.is_empty() || update.is_empty() { "" } else { " : " };
        let _ = writeln!(
            self.0,
            "edge:{process}:{source}:{target}:{event}{{{guard}{between}{update}}}"
        );
    }

    fn sync(&mut self, left: (&str, &str), right: (&str, &str)) {
        let _ = writeln!(self.0, "sync:{}@{}:{}@{}", left.0, left.1, right.0, right.1);
    }
}

/// A model by its name and parameters; none if nothing has this name.
pub(crate) fn generate(name: &str, parameters: &[u32]) -> Option<String> {
    let text = match (name, parameters) {
        ("fischer", &[n]) => fischer(n),
        ("csmacd", &[n]) => csmacd(n),
        ("fddi", &[n]) => fddi(n),
        ("critical-region", &[n, period]) => critical_region(n, period),
        ("train_gate", &[n]) => train_gate(n),
        ("dining-philosophers", &[n, patience, meal, release]) => {
            dining_philosophers(n, patience, meal, release)
        }
        ("corsso", &[n]) => corsso(n),
        ("parallel-b", &[n]) => parallel_b(n),
        ("leader-election", &[n, limit]) => leader_election(n, limit),
        ("job-shop", &[6, n @ 1..=6, 10, deadline, 2]) => {
            job_shop(6, &JOBS_6_6_10_2[..n as usize], deadline)
        }
        _ => return None,
    };
    Some(text.0)
}

/// Fischer's mutual exclusion: who wrote the shared variable last, and waited, goes in.
fn fischer(n: u32) -> Text {
    let mut text = Text::new("fischer");
    text.line(format_args!("int:1:0:{n}:0:id"));
    for i in 1..=n {
        let (p, x) = (&format!("P{i}"), &format!("x{i}"));
        text.line(format_args!("process:{p}\nclock:1:{x}"));
        text.location(p, "idle", &["initial:"]);
        text.location(p, "request", &[&format!("invariant:{x}<=10")]);
        text.location(p, "wait", &[]);
        text.location(p, "critical", &[&format!("labels:cs{i}")]);
        let (reset, mine) = (&format!("{x}=0"), &format!("{x}>10&&id=={i}"));
        text.edge(p, ["idle", "request", "tau", "id==0", reset]);
        text.edge(p, ["request", "wait", "tau", &format!("{x}<=10"), &format!("{x}=0;id={i}")]);
        text.edge(p, ["wait", "request", "tau", "id==0", reset]);
        text.edge(p, ["wait", "critical", "tau", mine, ""]);
        text.edge(p, ["critical", "idle", "tau", "", "id=0"]);
    }
    text
}

/// CSMA/CD: stations on a bus with a propagation delay of 26 and messages of length 808.
fn csmacd(n: u32) -> Text {
    let mut text = Text::new("csmacd");
    for event in ["begin", "busy", "end", "collision"] {
        text.line(format_args!("event:{event}"));
    }
    (1..=n).for_each(|i| text.line(format_args!("event:collision{i}")));
    let past = n + 1;
    text.line(format_args!("process:Bus\nint:1:1:{past}:1:next\nclock:1:y"));
    text.location("Bus", "idle", &["initial:"]);
    text.location("Bus", "active", &[]);
    text.location("Bus", "collision", &["invariant:y<26"]);
    text.location("Bus", "tell", &["committed:"]);
    text.edge("Bus", ["idle", "active", "begin", "", "y=0"]);
    text.edge("Bus", ["active", "collision", "begin", "y<26", "y=0"]);
    text.edge("Bus", ["active", "active", "busy", "y>=26", ""]);
    text.edge("Bus", ["active", "idle", "end", "", "y=0"]);
    text.edge("Bus", ["collision", "tell", "tau", "y<26", "next=1"]);
    text.edge("Bus", ["tell", "idle", "tau", &format!("next=={past}&&y<26"), "y=0;next=1"]);
    for i in 1..=n {
        let (event, turn) = (&format!("collision{i}"), &format!("next=={i}"));
        text.edge("Bus", ["tell", "tell", event, turn, "next=next+1"]);
    }
    for i in 1..=n {
        let (p, x) = (&format!("Station{i}"), &format!("x{i}"));
        let (reset, soon) = (&format!("{x}=0"), &format!("{x}<52"));
        text.line(format_args!("process:{p}\nclock:1:{x}"));
        text.location(p, "wait", &["initial:"]);
        text.location(p, "send", &[&format!("invariant:{x}<=808")]);
        text.location(p, "retry", &[&format!("invariant:{soon}")]);
        text.edge(p, ["wait", "send", "begin", "", reset]);
        text.edge(p, ["wait", "retry", "busy", "", reset]);
        text.edge(p, ["wait", "wait", "collision", "", reset]);
        text.edge(p, ["wait", "retry", "collision", "", reset]);
        text.edge(p, ["send", "wait", "end", &format!("{x}==808"), reset]);
        text.edge(p, ["send", "retry", "collision", &format!("{x}<26"), reset]);
        text.edge(p, ["retry", "send", "begin", soon, reset]);
        text.edge(p, ["retry", "retry", "busy", soon, reset]);
        text.edge(p, ["retry", "retry", "collision", soon, reset]);
        text.sync(("Bus", "begin"), (p, "begin"));
        text.sync(("Bus", "busy"), (p, "busy"));
        text.sync(("Bus", &format!("collision{i}")), (p, "collision"));
        text.sync(("Bus", "end"), (p, "end"));
    }
    text
}

/// FDDI: a token ring where a station may send asynchronously if the token came early. Two clocks
/// of each station take turns in bounding when it must have passed the token on.
fn fddi(n: u32) -> Text {
    const SYNCHRONOUS: u32 = 20;
    let rotation = 50 * n;
    let mut text = Text::new("fddi");
    text.line("event:take\nevent:release");
    (1..=n).for_each(|i| text.line(format_args!("event:take{i}\nevent:release{i}")));
    for i in 1..=n {
        let (p, turn) = (&format!("P{i}"), &format!("turn{i}"));
        text.line(format_args!("process:{p}\nclock:1:{turn}\nclock:1:a{i}\nclock:1:b{i}"));
        let sending = &format!("invariant:{turn}<={SYNCHRONOUS}");
        let sides: [(&str, &str, &[&str]); 2] = [("one", "a", &["initial:"]), ("two", "b", &[])];
        for (side, clock, attributes) in sides {
            let limit = format!("invariant:{clock}{i}<={}", rotation + SYNCHRONOUS);
            text.location(p, &format!("idle_{side}"), attributes);
            text.location(p, &format!("late_{side}"), &[sending]);
            text.location(p, &format!("early_{side}"), &[sending]);
            text.location(p, &format!("asynchronous_{side}"), &[&limit]);
        }
        let (late, early) = (&format!("{turn}>={rotation}"), &format!("{turn}<{rotation}"));
        let sent = &format!("{turn}=={SYNCHRONOUS}");
        for (here, there, other) in [("one", "two", "b"), ("two", "one", "a")] {
            let reset = &format!("{turn}=0;{other}{i}=0");
            let [idle, late_here, early_here, more, next] = [
                ("idle", here),
                ("late", here),
                ("early", here),
                ("asynchronous", here),
                ("idle", there),
            ]
            .map(|(name, side)| format!("{name}_{side}"));
            text.edge(p, [&idle, &late_here, "take", late, reset]);
            text.edge(p, [&idle, &early_here, "take", early, reset]);
            text.edge(p, [&late_here, &next, "release", sent, ""]);
            text.edge(p, [&early_here, &more, "tau", sent, ""]);
            text.edge(p, [&more, &next, "release", "", ""]);
        }
    }
    text.line("process:Ring\nclock:1:t");
    for i in 1..=n {
        let initial: &[&str] =
            if i == 1 { &["initial:", "invariant:t<=0"] } else { &["invariant:t<=0"] };
        text.location("Ring", &format!("to{i}"), initial);
        text.location("Ring", &format!("at{i}"), &[]);
    }
    for i in 1..=n {
        let (to, at, next) = (&format!("to{i}"), &format!("at{i}"), &format!("to{}", i % n + 1));
        text.edge("Ring", [to, at, &format!("take{i}"), "t==0", ""]);
        text.edge("Ring", [at, next, &format!("release{i}"), "", "t=0"]);
    }
    for i in 1..=n {
        let p = &format!("P{i}");
        text.sync((p, "take"), ("Ring", &format!("take{i}")));
        text.sync((p, "release"), ("Ring", &format!("release{i}")));
    }
    text
}

/// Production cells that an arbiter each lets into a critical region while a counter points at it.
fn critical_region(n: u32, period: u32) -> Text {
    let mut text = Text::new("critical_region");
    (1..=n).for_each(|i| text.line(format_args!("event:enter{i}\nevent:exit{i}")));
    text.line(format_args!("int:1:0:{n}:0:id\nprocess:Counter"));
    text.location("Counter", "start", &["initial:"]);
    text.location("Counter", "count", &[]);
    text.edge("Counter", ["start", "count", "tau", "id==0", "id=1"]);
    text.edge("Counter", ["count", "count", "tau", &format!("id<{n}"), "id=id+1"]);
    text.edge("Counter", ["count", "count", "tau", &format!("id=={n}"), "id=1"]);
    for i in 1..=n {
        let p = &format!("Arbiter{i}");
        text.line(format_args!("process:{p}"));
        text.location(p, "asked", &["initial:"]);
        text.location(p, "granted", &[]);
        text.edge(p, ["asked", "granted", &format!("enter{i}"), &format!("id=={i}"), "id=0"]);
        text.edge(p, ["granted", "asked", &format!("exit{i}"), "", &format!("id={i}")]);
    }
    let (short, long) = (period - 1, 2 * period);
    for i in 1..=n {
        let (p, x) = (&format!("Cell{i}"), &format!("x{i}"));
        text.line(format_args!("process:{p}\nclock:1:{x}"));
        text.location(p, "unready", &["initial:"]);
        text.location(p, "test", &[&format!("invariant:{x}<={period}")]);
        text.location(p, "ask", &[]);
        text.location(p, "critical", &[&format!("invariant:{x}<={long}")]);
        text.location(p, "retest", &[&format!("invariant:{x}<={period}")]);
        text.location(p, "safe", &[&format!("labels:safe{i}")]);
        text.location(p, "error", &[&format!("labels:error{i}")]);
        let (reset, in_time) = (&format!("{x}=0"), &format!("{x}<={short}"));
        let over = &format!("{x}>={period}");
        text.edge(p, ["unready", "test", "tau", &format!("{x}<={long}"), reset]);
        text.edge(p, ["test", "unready", "tau", over, reset]);
        text.edge(p, ["test", "ask", "tau", in_time, ""]);
        text.edge(p, ["ask", "critical", &format!("enter{i}"), "", reset]);
        text.edge(p, ["critical", "error", "tau", &format!("{x}>={long}"), ""]);
        text.edge(p, ["critical", "retest", &format!("exit{i}"), in_time, reset]);
        text.edge(p, ["retest", "error", "tau", over, ""]);
        text.edge(p, ["retest", "safe", "tau", in_time, ""]);
    }
    for i in 1..=n {
        for event in ["enter", "exit"] {
            let event = &format!("{event}{i}");
            text.sync((&format!("Arbiter{i}"), event), (&format!("Cell{i}"), event));
        }
    }
    text
}

/// Trains before a bridge with one track, and a gate that keeps them in a ring buffer.
fn train_gate(n: u32) -> Text {
    let mut text = Text::new("train_gate");
    for event in ["go", "approach", "leave", "stop"] {
        text.line(format_args!("event:{event}"));
        (1..=n).for_each(|i| text.line(format_args!("event:{event}{i}")));
    }
    text.line("process:Gate");
    text.line(format_args!(
        "int:{n}:1:{n}:1:queue\nint:1:0:{}:0:head\nint:1:0:{n}:0:length",
        n - 1
    ));
    text.location("Gate", "free", &["initial:"]);
    text.location("Gate", "occupied", &[]);
    text.location("Gate", "halt", &["committed:"]);
    for i in 1..=n {
        let event = |name: &str| format!("{name}{i}");
        let enqueue = &format!("queue[(head+length)%{n}]={i};length=length+1");
        let dequeue = &format!("head=(head+1)%{n};length=length-1");
        let first = &format!("length>0&&queue[head]=={i}");
        let last = &format!("length>0&&queue[(head+length-1)%{n}]=={i}");
        text.edge("Gate", ["free", "occupied", &event("go"), first, ""]);
        text.edge("Gate", ["free", "occupied", &event("approach"), "length==0", enqueue]);
        text.edge("Gate", ["occupied", "halt", &event("approach"), "", enqueue]);
        text.edge("Gate", ["occupied", "free", &event("leave"), first, dequeue]);
        text.edge("Gate", ["halt", "occupied", &event("stop"), last, ""]);
    }
    for i in 1..=n {
        let (p, x) = (&format!("Train{i}"), &format!("x{i}"));
        let reset = &format!("{x}=0");
        text.line(format_args!("process:{p}\nclock:1:{x}"));
        text.location(p, "far", &["initial:"]);
        text.location(p, "near", &[&format!("invariant:{x}<=20")]);
        text.location(p, "halted", &[]);
        text.location(p, "starting", &[&format!("invariant:{x}<=15")]);
        text.location(p, "cross", &[&format!("invariant:{x}<=5"), &format!("labels:cross{i}")]);
        text.edge(p, ["far", "near", "approach", "", reset]);
        text.edge(p, ["near", "cross", "tau", &format!("{x}>=10"), reset]);
        text.edge(p, ["near", "halted", "stop", &format!("{x}<=10"), ""]);
        text.edge(p, ["halted", "starting", "go", "", reset]);
        text.edge(p, ["starting", "cross", "tau", &format!("{x}>=7"), reset]);
        text.edge(p, ["cross", "far", "leave", &format!("{x}>=3"), ""]);
        for event in ["approach", "stop", "go", "leave"] {
            text.sync((p, event), ("Gate", &format!("{event}{i}")));
        }
    }
    text
}

/// Philosophers who give the left fork back when the right one does not come in time.
fn dining_philosophers(n: u32, patience: u32, meal: u32, release: u32) -> Text {
    let mut text = Text::new("dining_philosophers");
    (1..=n).for_each(|i| text.line(format_args!("event:take{i}\nevent:put{i}")));
    let left_of = |i: u32| if i == 1 { n } else { i - 1 };
    for i in 1..=n {
        let (p, x, left) = (&format!("P{i}"), &format!("x{i}"), left_of(i));
        let reset = &format!("{x}=0");
        text.line(format_args!("process:{p}\nclock:1:{x}"));
        text.location(p, "think", &["initial:"]);
        text.location(p, "hold", &[&format!("invariant:{x}<={patience}")]);
        let eating = [&*format!("invariant:{x}<={meal}"), &*format!("labels:eating{i}")];
        text.location(p, "eat", &eating);
        text.location(p, "clear", &[&format!("invariant:{x}<={release}")]);
        let (take, put) = (&format!("take{left}"), &format!("put{left}"));
        let (tired, timely) = (&format!("{x}>={patience}"), &format!("{x}<={patience}"));
        text.edge(p, ["think", "hold", take, "", reset]);
        text.edge(p, ["hold", "think", put, tired, ""]);
        text.edge(p, ["hold", "eat", &format!("take{i}"), timely, reset]);
        text.edge(p, ["eat", "clear", &format!("put{i}"), &format!("{x}>={meal}"), reset]);
        text.edge(p, ["clear", "think", put, "", ""]);
    }
    for i in 1..=n {
        let f = &format!("F{i}");
        text.line(format_args!("process:{f}"));
        text.location(f, "free", &["initial:"]);
        text.location(f, "taken", &[]);
        text.edge(f, ["free", "taken", &format!("take{i}"), "", ""]);
        text.edge(f, ["taken", "free", &format!("put{i}"), "", ""]);
    }
    for i in 1..=n {
        for event in ["take", "put"] {
            for fork in [left_of(i), i] {
                let event = &format!("{event}{fork}");
                text.sync((&format!("P{i}"), event), (&format!("F{fork}"), event));
            }
        }
    }
    text
}

/// CorSSO: users collect authentications, at least 2 time units apart, that are good for 10, until
/// the service that they chose (it asks for one or for two) lets them in.
fn corsso(n: u32) -> Text {
    let mut text = Text::new("corsso");
    for i in 1..=n {
        let p = &format!("P{i}");
        text.line(format_args!("process:{p}\nclock:1:x{i}\nclock:1:y{i}"));
        text.line(format_args!("int:1:0:3:0:got{i}\nint:1:0:3:0:policy{i}"));
        text.location(p, "collect", &["initial:"]);
        text.location(p, "access", &[&format!("labels:access{i}")]);
        let more = &format!("policy{i}>0&&x{i}>2&&got{i}<2");
        text.edge(p, ["collect", "collect", "tau", more, &format!("got{i}=got{i}+1;x{i}=0")]);
        for policy in 1..=2 {
            let choose = &format!("policy{i}={policy};got{i}=0;x{i}=0;y{i}=0");
            let enough = &format!("y{i}<10&&policy{i}=={policy}&&got{i}>={policy}");
            text.edge(p, ["collect", "collect", "tau", &format!("policy{i}==0"), choose]);
            text.edge(p, ["collect", "access", "tau", enough, ""]);
        }
        text.edge(p, ["access", "collect", "tau", "", &format!("policy{i}=0")]);
    }
    text
}

/// Processes that know nothing of each other, with bounds that make their orders matter.
fn parallel_b(n: u32) -> Text {
    let mut text = Text::new("parallel_b");
    for i in 1..=n {
        let (p, x) = (&format!("P{i}"), &format!("x{i}"));
        let (reset, at_least) = (&format!("{x}=0"), &format!("{x}>=1"));
        text.line(format_args!("process:{p}\nclock:1:{x}"));
        text.location(p, "a", &["initial:"]);
        text.location(p, "b", &[]);
        text.location(p, "c", &[&format!("invariant:{x}<=3"), &format!("labels:access{i}")]);
        text.edge(p, ["a", "b", "tau", "", reset]);
        text.edge(p, ["b", "a", "tau", at_least, ""]);
        text.edge(p, ["b", "c", "tau", &format!("{x}<1"), reset]);
        text.edge(p, ["c", "a", "tau", at_least, ""]);
    }
    text
}

/// Leader election in a ring: a candidate that reads its own number is the leader. A stopwatch
/// looks whether that happens within a limit.
fn leader_election(n: u32, limit: u32) -> Text {
    let mut text = Text::new("leader_election");
    for i in 1..=n {
        text.line(format_args!("event:elected{i}\nevent:lock{i}\nevent:unlock{i}"));
        text.line(format_args!("int:1:1:{n}:{i}:in{i}\nint:1:1:{n}:{i}:out{i}"));
    }
    let before = |i: u32| if i == 1 { n } else { i - 1 };
    for i in 1..=n {
        let (p, previous) = (&format!("C{i}"), before(i));
        let (at_once, within) = (&format!("invariant:x{i}<=0"), &format!("invariant:x{i}<=1"));
        text.line(format_args!("process:{p}\nclock:1:x{i}"));
        text.location(p, "judge", &[within]);
        text.location(p, "start", &["initial:", at_once]);
        text.location(p, "leader", &[]);
        text.location(p, "read", &[within]);
        text.location(p, "release", &[within]);
        text.location(p, "ask", &[at_once]);
        text.location(p, "offer", &[]);
        text.location(p, "offered", &[]);
        let reset = &format!("x{i}=0");
        let (lock, unlock) = (&format!("lock{previous}"), &format!("unlock{previous}"));
        let own_lock = &format!("lock{i}");
        text.edge(p, ["judge", "leader", &format!("elected{i}"), &format!("in{i}=={i}"), ""]);
        let pass = &format!("out{i}=in{i}");
        text.edge(p, ["judge", "offer", "tau", &format!("in{i}!={i}"), pass]);
        text.edge(p, ["start", "read", lock, "", reset]);
        text.edge(p, ["start", "offered", own_lock, "", ""]);
        text.edge(p, ["read", "release", "tau", "", &format!("in{i}=out{previous}")]);
        text.edge(p, ["release", "judge", unlock, "", ""]);
        text.edge(p, ["ask", "read", lock, "", reset]);
        text.edge(p, ["offer", "offered", own_lock, "", ""]);
        text.edge(p, ["offered", "ask", &format!("unlock{i}"), "", reset]);
    }
    text.line("process:Stopwatch\nclock:1:z");
    text.location("Stopwatch", "error", &["labels:error"]);
    text.location("Stopwatch", "start", &["initial:"]);
    text.location("Stopwatch", "safe", &[]);
    text.edge("Stopwatch", ["start", "error", "tau", &format!("z>{limit}"), ""]);
    for i in 1..=n {
        let (event, in_time) = (&format!("elected{i}"), &format!("z<={limit}"));
        text.edge("Stopwatch", ["start", "safe", event, in_time, ""]);
    }
    for i in 1..=n {
        let (p, previous) = (&format!("C{i}"), before(i));
        let other = &format!("C{previous}");
        for event in ["lock", "unlock"] {
            let event = &format!("{event}{previous}");
            text.sync((p, event), (other, event));
        }
        text.sync((p, &format!("elected{i}")), ("Stopwatch", &format!("elected{i}")));
    }
    text
}

/// What each job needs, in this order: a machine, and for how long.
type Jobs<'j> = [&'j [(u32, u32)]];

/// The instance with 6 machines, 6 jobs and lengths up to 10 that the figures are about.
const JOBS_6_6_10_2: [&[(u32, u32)]; 6] = [
    &[(1, 5)],
    &[(5, 6)],
    &[(4, 8), (6, 8), (4, 2)],
    &[(4, 2), (6, 7), (2, 9), (5, 10), (5, 9)],
    &[(4, 10), (3, 1), (5, 10), (5, 9), (3, 7)],
    &[(4, 2), (4, 5), (4, 6), (6, 5), (3, 4)],
];

/// Jobs that need machines one after the other; is there a schedule within the deadline?
fn job_shop(machines: u32, jobs: &Jobs<'_>, deadline: u32) -> Text {
    let mut text = Text::new("job_shop");
    text.line("event:count");
    (1..=machines).for_each(|m| text.line(format_args!("event:get{m}\nevent:free{m}")));
    (1..=jobs.len()).for_each(|j| text.line(format_args!("event:done{j}")));
    for m in 1..=machines {
        let p = &format!("M{m}");
        text.line(format_args!("process:{p}"));
        text.location(p, "idle", &["initial:"]);
        text.location(p, "busy", &[]);
        text.edge(p, ["idle", "busy", &format!("get{m}"), "", ""]);
        text.edge(p, ["busy", "idle", &format!("free{m}"), "", ""]);
    }
    for (j, tasks) in (1..).zip(jobs) {
        let (p, x) = (&format!("J{j}"), &format!("x{j}"));
        text.line(format_args!("process:{p}\nclock:1:{x}"));
        for task in 0..tasks.len() {
            let initial: &[&str] = if task == 0 { &["initial:"] } else { &[] };
            text.location(p, &format!("before{task}"), initial);
            text.location(p, &format!("during{task}"), &[]);
        }
        let last = &format!("before{}", tasks.len());
        text.location(p, last, &["committed:"]);
        text.location(p, "done", &[]);
        for (task, (machine, length)) in tasks.iter().enumerate() {
            let during = &format!("during{task}");
            let (get, free) = (&format!("get{machine}"), &format!("free{machine}"));
            text.edge(p, [&format!("before{task}"), during, get, "", &format!("{x}=0")]);
            let after = &format!("before{}", task + 1);
            text.edge(p, [during, after, free, &format!("{x}>={length}"), ""]);
        }
        text.edge(p, [last, "done", &format!("done{j}"), "", ""]);
    }
    let n = jobs.len();
    text.line(format_args!("process:Control\nclock:1:z\nint:1:0:{n}:0:n"));
    text.location("Control", "count", &["initial:"]);
    text.location("Control", "all", &["labels:scheduled"]);
    text.edge("Control", ["count", "count", "count", "", "n=n+1"]);
    let in_time = &format!("n=={}&&z<={deadline}", n - 1);
    text.edge("Control", ["count", "all", "count", in_time, "n=n+1"]);
    for j in 1..=n {
        let p = &format!("J{j}");
        text.sync((p, &format!("done{j}")), ("Control", "count"));
        for m in 1..=machines {
            for event in ["get", "free"] {
                let event = &format!("{event}{m}");
                text.sync((p, event), (&format!("M{m}"), event));
            }
        }
    }
    text
}
