//! Whole searches of small models: what a change of the engine does to all of it together.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use punctual_mc::{Options, check};
use punctual_model::{Network, Property};

/// Fischer's protocol for mutual exclusion, with `n` processes.
fn fischer(n: usize) -> (Network, Property) {
    let model = format!(
        "const int N = {n}; typedef int[1,N] id_t; int[0,N] id = 0;
         process P(const id_t pid) {{
           clock x;
           state idle, req {{ x <= 2 }}, wait, cs;
           init idle;
           trans idle -> req {{ guard id == 0; assign x = 0; }},
                 req -> wait {{ assign x = 0, id = pid; }},
                 wait -> req {{ guard id == 0; assign x = 0; }},
                 wait -> cs {{ guard x > 2 && id == pid; }},
                 cs -> idle {{ assign id = 0; }};
         }}
         system P;"
    );
    let query = "A[] forall (i : id_t) forall (j : id_t) P(i).cs && P(j).cs imply i == j";
    let input = |name, text: &'static str| punctual_lang::Input { name, bytes: text.as_bytes() };
    let model: &'static str = model.leak();
    let reading =
        punctual_lang::read_with_queries(input("fischer.xta", model), Some(input("q", query)));
    let model = reading.model.expect("the model is right");
    let property = model.queries[0].property.clone().expect("the query is right");
    (model.network, property)
}

fn reach(c: &mut Criterion) {
    let mut group = c.benchmark_group("mc/fischer");
    group.sample_size(10);
    for n in [4, 5, 6] {
        let (network, property) = fischer(n);
        group.bench_function(BenchmarkId::from_parameter(n), |b| {
            b.iter(|| check(&network, &property, black_box(&Options::default()), &mut ()));
        });
    }
    group.finish();
}

criterion_group!(benches, reach);
criterion_main!(benches);
