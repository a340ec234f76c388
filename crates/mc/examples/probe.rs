use punctual_mc::*;
use punctual_model::*;
struct W(std::time::Instant);
impl Observer for W {
    fn elapsed(&mut self) -> std::time::Duration {
        self.0.elapsed()
    }
    fn progress(&mut self, _: &punctual_mc::Progress) -> bool {
        true
    }
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let bytes = std::fs::read(&a[1]).unwrap();
    let mut threads = 1;
    let mut order = Order::BreadthFirst;
    let mut labels = vec![];
    let mut q = None;
    let mut ex = Extrapolation::Automatic;
    for x in &a[2..] {
        if let Some(t) = x.strip_prefix("t=") {
            threads = t.parse().unwrap()
        }
        if x == "dfs" {
            order = Order::DepthFirst
        }
        if x == "rdfs" {
            order = Order::RandomDepthFirst { seed: 1 }
        }
        if x == "max" {
            ex = Extrapolation::Maximum
        }
        if let Some(l) = x.strip_prefix("l=") {
            labels = l.split(',').map(str::to_owned).collect()
        }
        if let Some(l) = x.strip_prefix("q=") {
            q = Some(l.to_owned())
        }
    }
    let qt = q.clone().unwrap_or_default();
    let r = punctual_lang::read_with_queries(
        punctual_lang::Input { name: &a[1], bytes: &bytes },
        q.as_ref().map(|_| punctual_lang::Input { name: "q", bytes: qt.as_bytes() }),
    );
    let m = r.model.expect("model");
    let props: Vec<(String, Property)> = if q.is_some() {
        m.queries
            .iter()
            .filter(|q| q.from_query_file)
            .map(|q| (q.text.clone(), q.property.clone().expect("bad query")))
            .collect()
    } else {
        let mut e = if labels.is_empty() { Expr::FALSE } else { Expr::TRUE };
        for l in &labels {
            let mut d = Expr::FALSE;
            for (p, pr) in m.network.processes.enumerate() {
                for (lid, loc) in pr.locations.enumerate() {
                    if loc.labels.contains(l) {
                        d = Expr::Binary(Box::new(Binary {
                            op: BinaryOp::Or,
                            number: Number::Int,
                            size: 1,
                            left: d,
                            right: Expr::InLocation(p, lid),
                        }))
                    }
                }
            }
            e = Expr::Binary(Box::new(Binary {
                op: BinaryOp::And,
                number: Number::Int,
                size: 1,
                left: e,
                right: d,
            }))
        }
        vec![(
            "labels".into(),
            Property::ExistsFinally(StateExpr {
                expr: e,
                number: Number::Int,
                frame: Frame::default(),
            }),
        )]
    };
    for (t, p) in props {
        let o = Options { threads, order, extrapolation: ex, ..Options::default() };
        let t0 = std::time::Instant::now();
        let r = check(&m.network, &p, &o, &mut W(t0));
        match r {
            Ok(r) => println!(
                "{t}: {:?} stored {} explored {} transitions {} {:.3}s {:.1}MB",
                r.answer,
                r.statistics.stored,
                r.statistics.explored,
                r.statistics.transitions,
                t0.elapsed().as_secs_f64(),
                r.statistics.memory_peak as f64 / 1e6
            ),
            Err(e) => println!("{t}: refused {e:?}"),
        }
    }
    let s = std::fs::read_to_string("/proc/self/status").unwrap();
    for l in s.lines() {
        if l.starts_with("VmHWM") {
            println!("{l}")
        }
    }
}
