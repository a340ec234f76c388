//! What an execution of a case shows in a system that does what a model does, perhaps a faulty one.
//!
//! Each part of the system has an [`Account`]. Where delays are left to chance, parts are independent and their chances are
//! multiplied. Where a phase is, each part says what it shows in which phases, and all that is shown in a phase is
//! compared with what the case expects and allows.
//!
//! Not here: what a rule says of it (`smc::statistics`).

use punctual_model::PortId;
use punctual_model::testing::suite::{Body, Case, Do};
use punctual_semantics::specification::Specification;
use punctual_semantics::split::Side;
use punctual_smc::exact::{Event, Inexact, Phase, Ratio, follow};

use super::chance::Trouble;
use super::script::{Act, NoScript, Script, positions};

/// How probable each outcome of an execution is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcomes {
    /// It shows all that the case expects before its ending, and nothing that the case does not allow.
    pub outputs: Ratio,
    /// It shows all that the case and its ending expect.
    pub joint: Ratio,
    /// It shows something that the case does not allow.
    pub illegal: Ratio,
}

/// A case whose outcomes are asked for.
#[derive(Clone, Debug)]
pub struct Trial {
    script: Script,
    /// How many checks come before the ending.
    n_before: usize,
}

/// What one part of the system has to do with the outcomes of a case.
#[derive(Clone, PartialEq, Debug)]
pub enum Account {
    /// With these probabilities it shows all that is expected, all that is expected before the ending and is allowed
    /// in it, and only what is allowed.
    Chances([Ratio; 3]),
    /// In these phases it shows this; they are in order and leave nothing out.
    Phases(Vec<Atom>),
}

/// Phases in which a part shows the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Atom {
    /// The first phase, in points of the grid.
    pub from: i64,
    /// The end of the phases.
    pub to: i64,
    /// For each check, what ports of the part show.
    pub shown: Vec<Vec<(PortId, i32)>>,
}

/// How probable each outcome of a case is in a system that does what a specification says. The case has been made for this one or for another
/// one with the same interface.
///
/// # Errors
/// If it can not be computed.
pub fn outcomes(
    specification: &Specification,
    case: &Case,
    phase: Phase,
) -> Result<Outcomes, Trouble> {
    let trial = Trial::new(specification, case)?;
    let mut accounts = Vec::new();
    for (number, _) in specification.side(Side::System) {
        accounts.extend(trial.account(specification, number, phase).map_err(Trouble::Inexact)?);
    }
    Ok(trial.outcomes(&accounts.iter().collect::<Vec<_>>(), phase))
}

impl Trial {
    /// Of a case; its checks say what is expected and allowed.
    ///
    /// # Errors
    /// If the case can not be followed exactly.
    pub fn new(specification: &Specification, case: &Case) -> Result<Trial, Trouble> {
        let Body::Timed(parts) = &case.body else { return Err(Trouble::Steps) };
        let ending = case.chance.as_ref().and_then(|chance| chance.ending.as_ref());
        let before = &parts[..ending.map_or(parts.len(), |ending| ending.from.min(parts.len()))];
        let script = Script::new(specification, parts).map_err(Trouble::NoScript)?;
        if !script.outputs.is_empty() {
            return Err(Trouble::NoScript(NoScript::Outputs));
        }
        Ok(Trial {
            script,
            n_before: before.iter().filter(|part| matches!(part, Do::Check(_))).count(),
        })
    }

    /// The account of a part; none if the case does nothing with it.
    ///
    /// # Errors
    /// If it can not be computed.
    pub fn account(
        &self,
        specification: &Specification,
        number: usize,
        phase: Phase,
    ) -> Result<Option<Account>, Inexact> {
        if phase != Phase::None {
            let atoms = atoms(specification, number, &self.script, phase)?;
            return Ok(atoms.map(Account::Phases));
        }
        let mut chances = Vec::new();
        for n_strict in [usize::MAX, self.n_before, 0] {
            let mut events = self.script.events_strict(specification, number, n_strict);
            if events.is_empty() {
                return Ok(None);
            }
            events.push((self.script.end, Event::Mark));
            let marks = follow(&specification.parts[number].estimator, &events, phase)?;
            let shares = marks.into_iter().next_back().unwrap_or_default();
            chances.push(shares.into_iter().map(|share| share.probability).sum());
        }
        let chances = <[Ratio; 3]>::try_from(chances).map_err(|_| Inexact::Internal)?;
        Ok(Some(Account::Chances(chances)))
    }

    /// The outcomes that follow from the accounts of all parts.
    #[must_use]
    pub fn outcomes(&self, accounts: &[&Account], phase: Phase) -> Outcomes {
        let one = || Ratio::from_integer(1.into());
        let mut chances = [one(), one(), one()];
        let mut phases: Vec<&[Atom]> = Vec::new();
        for account in accounts {
            match account {
                Account::Chances(ours) => {
                    chances.iter_mut().zip(ours).for_each(|(all, ours)| *all *= ours);
                }
                Account::Phases(atoms) => phases.push(atoms),
            }
        }
        if let Phase::OfScript(period) | Phase::OfLoop(period) = phase {
            let mut lengths = [0; 3];
            for (from, to, shown) in together(&phases, period) {
                let said = self.said(&shown);
                for (length, is_so) in lengths.iter_mut().zip(said) {
                    *length += if is_so { to - from } else { 0 };
                }
            }
            chances.iter_mut().zip(lengths).for_each(|(all, length)| {
                *all *= Ratio::new(length.into(), period.into());
            });
        }
        let [joint, outputs, legal] = chances;
        Outcomes { outputs, joint, illegal: one() - legal }
    }

    /// Whether all is as expected, is so before the ending and allowed in it, and is allowed.
    fn said(&self, shown: &[&Atom]) -> [bool; 3] {
        let mut said = [true; 3];
        let reads = self.script.acts.iter().filter_map(|(_, act)| match act {
            Act::Read(combinations) => Some(combinations),
            Act::Input(..) => None,
        });
        for (number, combinations) in reads.enumerate() {
            let shows = |(port, value): &(PortId, i32)| {
                let mut known = shown.iter().flat_map(|atom| &atom.shown[number]);
                known.all(|(it, has)| it != port || has == value)
            };
            let is_it = |values: &Vec<(PortId, i32)>| values.iter().all(shows);
            if !is_it(&combinations[0]) {
                said[0] = false;
                said[1] &= number >= self.n_before;
                said[2] &= combinations[1..].iter().any(is_it);
            }
        }
        said[1] &= said[2];
        said
    }
}

/// What a part shows at each check, by phases; none if the script does nothing with it.
pub(super) fn atoms(
    specification: &Specification,
    number: usize,
    script: &Script,
    phase: Phase,
) -> Result<Option<Vec<Atom>>, Inexact> {
    let (Phase::OfScript(period) | Phase::OfLoop(period)) = phase else { return Ok(None) };
    // Where the part shows ports, they are noted instead of compared.
    let mut events = Vec::new();
    let mut read: Vec<Vec<(PortId, u32)>> = Vec::new();
    let mut marks: Vec<Option<usize>> = Vec::new();
    for (at, act) in &script.acts {
        match act {
            Act::Input(..) => {
                let acts = vec![(*at, act.clone())];
                let one = Script { acts, end: *at, ..Script::default() };
                events.extend(one.events(specification, number));
            }
            Act::Read(combinations) => {
                let place = |value: &(PortId, i32)| {
                    let place = positions(specification, number, std::slice::from_ref(value));
                    Some((value.0, place.first()?.0))
                };
                let ports: Vec<(PortId, u32)> = combinations[0].iter().filter_map(place).collect();
                let n_marks = marks.iter().flatten().count();
                marks.push((!ports.is_empty()).then_some(n_marks));
                if !ports.is_empty() {
                    events.push((*at, Event::Mark));
                }
                read.push(ports);
            }
        }
    }
    if marks.iter().all(Option::is_none) {
        return Ok(None);
    }
    let found = follow(&specification.parts[number].estimator, &events, phase)?;
    let mut cuts: Vec<i64> = found
        .iter()
        .flatten()
        .flat_map(|share| share.phases.iter().flat_map(|(from, to)| [*from, *to]))
        .chain([0, period])
        .collect();
    cuts.sort_unstable();
    cuts.dedup();
    let mut atoms: Vec<Atom> = Vec::new();
    for bounds in cuts.windows(2) {
        let [from, to] = *bounds else { continue };
        let mut shown = Vec::new();
        for (mark, ports) in marks.iter().zip(&read) {
            let Some(mark) = mark else {
                shown.push(Vec::new());
                continue;
            };
            let holds = |(a, b): &(i64, i64)| *a <= from && to <= *b;
            let share = found[*mark].iter().find(|share| share.phases.iter().any(holds));
            let state = &share.ok_or(Inexact::Internal)?.state;
            let values = ports.iter().map(|(port, at)| (*port, state[*at as usize]));
            shown.push(values.collect());
        }
        match atoms.last_mut() {
            Some(last) if last.shown == shown => last.to = to,
            _ => atoms.push(Atom { from, to, shown }),
        }
    }
    Ok(Some(atoms))
}

/// Phases in which no part shows anything else, and what each shows.
pub(super) fn together<'a>(parts: &[&'a [Atom]], period: i64) -> Vec<(i64, i64, Vec<&'a Atom>)> {
    let mut cuts: Vec<i64> =
        parts.iter().flat_map(|atoms| atoms.iter().map(|atom| atom.from)).collect();
    cuts.extend([0, period]);
    cuts.sort_unstable();
    cuts.dedup();
    let mut places = vec![0; parts.len()];
    let mut found = Vec::new();
    for bounds in cuts.windows(2) {
        let [from, to] = *bounds else { continue };
        for (place, atoms) in places.iter_mut().zip(parts) {
            while atoms[*place].to <= from && *place + 1 < atoms.len() {
                *place += 1;
            }
        }
        let shown = places.iter().zip(parts).map(|(place, atoms)| &atoms[*place]);
        found.push((from, to, shown.collect()));
    }
    found
}
