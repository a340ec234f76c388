//! What TChecker 0.8 says: release build, elapsed semantics, local ExtraLU+, two cores.

use crate::ask::Order;

/// A search that is measured.
pub(crate) struct Case {
    pub(crate) model: &'static str,
    pub(crate) parameters: &'static [u32],
    /// Separated by commas; none explores the whole state space.
    pub(crate) labels: &'static str,
    pub(crate) algorithm: &'static str,
    pub(crate) order: Order,
    pub(crate) peer: Figures,
}

/// What a peer found, and what it cost.
pub(crate) struct Figures {
    pub(crate) reachable: bool,
    pub(crate) stored: u64,
    pub(crate) visited: u64,
    pub(crate) transitions: u64,
    pub(crate) cpu_s: f64,
    pub(crate) peak_mb: f64,
}

impl Case {
    /// Its name with its parameters: `fischer 8`.
    pub(crate) fn name(&self) -> String {
        let parameters = self.parameters.iter().map(|parameter| format!(" {parameter}"));
        format!("{}{}", self.model, parameters.collect::<String>())
    }

    const fn with(mut self, labels: &'static str) -> Self {
        self.labels = labels;
        self
    }

    const fn reachable(mut self) -> Self {
        self.peer.reachable = true;
        self
    }

    const fn depth_first(mut self) -> Self {
        self.order = Order::Dfs;
        self
    }

    const fn coarse(mut self) -> Self {
        self.algorithm = "aLU-covreach";
        self
    }
}

/// The whole state space, breadth first: stored, visited, transitions; seconds and megabytes.
const fn case(
    model: &'static str,
    parameters: &'static [u32],
    [stored, visited, transitions]: [u64; 3],
    [cpu_s, peak_mb]: [f64; 2],
) -> Case {
    Case {
        model,
        parameters,
        labels: "",
        algorithm: "covreach",
        order: Order::Bfs,
        peer: Figures { reachable: false, stored, visited, transitions, cpu_s, peak_mb },
    }
}

/// A case that takes no time and little memory.
const fn tiny(model: &'static str, parameters: &'static [u32], counts: [u64; 3]) -> Case {
    case(model, parameters, counts, [0.01, 9.0])
}

/// The cases of the table.
pub(crate) const CASES: [Case; 15] = [
    case("fischer", &[8], [25_080, 40_536, 132_592], [2.0, 28.0]),
    case("fischer", &[9], [81_035, 135_485, 487_458], [8.6, 54.0]),
    case("fischer", &[9], [81_035, 398_685, 1_058_684], [21.7, 54.0]).depth_first(),
    case("fischer", &[10], [260_998, 447_598, 1_758_660], [47.5, 141.0]),
    case("csmacd", &[9], [55_554, 55_554, 127_437], [3.2, 42.0]),
    case("csmacd", &[11], [369_666, 369_666, 827_307], [35.4, 163.0]),
    case("fddi", &[10], [525, 10_219, 14_052], [2.1, 78.0]),
    case("critical-region", &[4, 10], [53_697, 76_130, 436_444], [2.6, 36.0]),
    case("train_gate", &[5], [215_375, 215_375, 608_275], [4.1, 70.0]).with("cross1,cross2"),
    case("dining-philosophers", &[7, 3, 10, 0], [38_179, 38_179, 245_161], [9.4, 43.0]),
    case("corsso", &[3], [61_948, 64_378, 242_418], [2.2, 34.0]),
    case("corsso", &[3], [8_746, 8_746, 33_972], [0.2, 17.0]).coarse(),
    case("parallel-b", &[6], [75_973, 75_973, 664_764], [27.9, 60.0]),
    case("leader-election", &[6, 4], [97_888, 97_888, 287_789], [3.2, 43.0]),
    case("job-shop", &[6, 6, 10, 30, 2], [144_235, 144_235, 387_617], [2.3, 63.0])
        .with("scheduled"),
];

/// Instances that take no time.
pub(crate) const QUICK: [Case; 11] = [
    tiny("fischer", &[4], [220, 268, 552]),
    tiny("fischer", &[4], [220, 268, 552]).with("cs1,cs2"),
    tiny("csmacd", &[3], [70, 70, 147]),
    tiny("fddi", &[3], [56, 82, 105]),
    tiny("critical-region", &[2, 10], [191, 219, 673]),
    tiny("train_gate", &[3], [765, 765, 1_503]).with("cross1,cross2"),
    tiny("dining-philosophers", &[3, 3, 10, 0], [40, 40, 108]),
    tiny("corsso", &[1], [12, 12, 16]),
    tiny("parallel-b", &[3], [79, 79, 336]),
    tiny("leader-election", &[3, 4], [154, 154, 210]),
    tiny("job-shop", &[6, 3, 10, 30, 2], [115, 115, 192]).with("scheduled").reachable(),
];
