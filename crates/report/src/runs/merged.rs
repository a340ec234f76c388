//! What many runs did together: model by model, since only runs of one model can be added up.

use punctual_campaign::store::{Coverage, Run};
use punctual_campaign::summary::{Digest, Steering, Summary};

/// The runs of one model.
pub(super) struct Model<'s> {
    /// The runs, in the order of their numbers.
    pub(super) runs: Vec<&'s Digest>,
    /// What they exercised together, if any of them says so.
    pub(super) coverage: Option<Coverage>,
}

impl Model<'_> {
    /// Its file.
    pub(super) fn name(&self) -> &str {
        self.runs.first().map_or("", |digest| digest.header.model.file.as_str())
    }
}

/// The models of a summary, by name.
pub(super) fn models(summary: &Summary) -> Vec<Model<'_>> {
    let mut models: Vec<Model<'_>> = Vec::new();
    for digest in &summary.runs {
        let is_same = |model: &Model<'_>| {
            model.runs.first().is_some_and(|first| first.header.model == digest.header.model)
        };
        match models.iter().position(is_same) {
            Some(at) => models[at].add(digest),
            None => {
                let mut model = Model { runs: Vec::new(), coverage: None };
                model.add(digest);
                models.push(model);
            }
        }
    }
    for model in &mut models {
        model.runs.sort_by_key(|digest| in_store(&digest.run));
    }
    models.sort_by(|one, other| {
        let key = |model: &Model<'_>| {
            model.runs.first().map(|it| (it.header.model.file.clone(), in_store(&it.run)))
        };
        key(one).cmp(&key(other))
    });
    models
}

/// Where a run stands in its store: those with numbers first.
fn in_store(run: &Run) -> (u64, String) {
    (run.name.parse().unwrap_or(u64::MAX), run.name.clone())
}

impl<'s> Model<'s> {
    fn add(&mut self, digest: &'s Digest) {
        self.runs.push(digest);
        if let Some(coverage) = &digest.coverage {
            match &mut self.coverage {
                Some(all) => all.merge(coverage),
                None => self.coverage = Some(coverage.clone()),
            }
        }
    }
}

/// What steering changed in all runs.
pub(super) fn steering(summary: &Summary) -> Steering {
    let mut all = Steering::default();
    summary.runs.iter().for_each(|digest| all.merge(&digest.steering));
    all
}
