//! What can not hold together on a path: a set of claims of which none can be left out.
//!
//! Claims are left out one by one, as long as the rest still contradicts itself: ranges first, then invariants, then sentences from the end of the path on. An effect
//! that is left out changes the same slots to any values.

use punctual_model::usecases::{Claim, Claimed};
use punctual_solver::{Answer, Error, Term};

use super::{
    form::{Form, Forms},
    line::Line,
    terms::Types,
    versions::Versions,
};
use crate::usecases::paths::Happening;

/// The claims of a path for one choice of objects, each with a term that turns it on.
pub(super) struct Claims {
    switches: Vec<(Claim, Term)>,
}

/// Tells a line the claims of a path. The line forgets what it knew of paths.
pub(super) fn tell<'a>(
    line: &mut Line<'a>,
    happenings: &[Happening<'a>],
    end: Option<u32>,
) -> Claims {
    line.reset();
    let mut forms = std::mem::take(&mut line.forms);
    let stated = all(line, &mut forms, happenings, end);
    line.forms = forms;
    line.translation.push(&mut line.session);
    let mut switches: Vec<(Claim, Term)> = Vec::new();
    let types = Types { cases: line.cases, objects: &line.objects };
    for (claim, form) in stated {
        let known = switches.iter().find(|(it, _)| *it == claim).map(|(_, switch)| *switch);
        let switch = known.unwrap_or_else(|| {
            let switch = line.session.terms().symbol("", punctual_solver::Sort::Bool);
            switches.push((claim, switch));
            switch
        });
        let term = line.translation.term(&mut line.session, &types, &line.forms, form);
        let implied = line.session.terms().implies(switch, term);
        line.session.assert(implied);
    }
    Claims { switches }
}

/// All that is claimed along a path, effects among it.
fn all<'a>(
    line: &Line<'a>,
    forms: &mut Forms,
    happenings: &[Happening<'a>],
    end: Option<u32>,
) -> Vec<(Claim, Form)> {
    let scene = line.scene(true);
    let mut versions = Versions::default();
    let mut stated = versions.claim_invariants(&scene, forms, 0, None);
    let before = versions.invariants(&scene, forms);
    for (number, happening) in happenings.iter().enumerate() {
        stated.extend(versions.happen(&scene, forms, number as u32, happening));
    }
    if let Some(at) = end {
        stated.extend(versions.claim_invariants(&scene, forms, at, Some(&before)));
    }
    stated.into_iter().map(|it| (it.claim, it.form)).collect()
}

/// The lines on which a path was told, with its claims.
pub(super) type Told<'l, 'a> = Vec<(&'l mut Line<'a>, Claims)>;

/// A smallest set of claims that can not hold together, of those that contradict each other on all lines.
pub(super) fn smallest(told: &mut Told<'_, '_>) -> Result<Vec<Claim>, Error> {
    let mut kept: Vec<Claim> = Vec::new();
    for (_, claims) in told.iter() {
        for (claim, _) in &claims.switches {
            if !kept.contains(claim) {
                kept.push(*claim);
            }
        }
    }
    let mut order = kept.clone();
    order.sort_by_key(|it| (rank(it), std::cmp::Reverse(it.at)));
    for claim in order {
        let rest: Vec<Claim> = kept.iter().copied().filter(|it| *it != claim).collect();
        if contradict(told, &rest)? {
            kept = rest;
        }
    }
    kept.sort_by_key(|it| (it.at, it.what));
    Ok(kept)
}

fn rank(claim: &Claim) -> u8 {
    match claim.what {
        Claimed::Range(_) => 0,
        Claimed::Invariant(_) => 1,
        Claimed::Sentence(_) => 2,
    }
}

/// Whether claims are known to contradict each other on all lines.
fn contradict(told: &mut Told<'_, '_>, claims: &[Claim]) -> Result<bool, Error> {
    for (line, known) in told.iter_mut() {
        let on = known.switches.iter().filter(|(claim, _)| claims.contains(claim));
        let on: Vec<Term> = on.map(|(_, switch)| *switch).collect();
        if line.session.check_assuming(&on)? != Answer::Unsat {
            return Ok(false);
        }
    }
    Ok(true)
}
