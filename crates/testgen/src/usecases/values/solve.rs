//! Whether paths are possible, with which values, and why not.

use std::collections::{BTreeMap, BTreeSet, btree_map::Entry};

use punctual_model::{
    AssociationId, ClassId, IdVec, ObjectId, Value,
    usecases::{Claim, Diagram, Object, Path, Role, Scenario, Slot, UseCases, Why},
};
use punctual_smc::Stream;
use punctual_solver::{Answer, Error, Solver};

use super::{
    Options, assign, check,
    choose::{self, Chosen, Failed},
    contradiction, counts,
    form::{Form, Variable},
    line::Line,
    objects::Counts,
    versions::Stated,
};
use crate::usecases::paths::{self, Event, Possible, Walk, walk};

/// A scenario, and what comes from outside along its path.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The scenario.
    pub scenario: Scenario,
    /// What slots get at a happening of the path, by its number: inputs, and results that effects do not determine.
    pub given: BTreeMap<(u32, Slot), Value>,
}

/// Finds values for paths of a folder of use cases.
pub struct Solving<'a> {
    cases: &'a UseCases,
    solver: Solver,
    options: Options,
    /// How many objects are tried, the fewest first.
    choices: Vec<Counts>,
    /// Associations without limits whose links are chosen, since some constraint would be impossible otherwise.
    free: BTreeSet<AssociationId>,
    /// Choices of objects that were tried, and why there are none; for paths from their begin, and for parts of paths.
    lines: BTreeMap<Key, Result<Line<'a>, String>>,
}

/// Whether paths are taken from their begin, and of which classes there is how often more than one object.
type Key = (bool, Vec<(ClassId, u32)>);

fn key(is_begin: bool, counts: &Counts) -> Key {
    let many = counts.iter().filter(|(_, n)| **n > 1);
    (is_begin, many.map(|(class, n)| (*class, *n)).collect())
}

impl<'a> Solving<'a> {
    /// Solving for paths of these use cases.
    ///
    /// # Errors
    /// If the solver can not be started.
    pub fn new(
        cases: &'a UseCases,
        solver: &Solver,
        options: Options,
    ) -> Result<Solving<'a>, Error> {
        let mut solving = Solving {
            cases,
            solver: solver.clone(),
            choices: counts::choices(cases, options.objects),
            options,
            free: BTreeSet::new(),
            lines: BTreeMap::new(),
        };
        solving.set_free()?;
        Ok(solving)
    }

    /// Finds the associations whose links have to be chosen: with all links, an invariant or a condition that navigates them would be impossible, whatever values there are.
    fn set_free(&mut self) -> Result<(), Error> {
        let cases = self.cases;
        let fewest = Counts::new();
        let is_possible = match self.line(true, &fewest)? {
            Ok(line) => line.answer()? != Answer::Unsat,
            Err(_) => return Ok(()),
        };
        if !is_possible {
            let all = cases.invariants().flat_map(|(id, _)| counts::navigated(cases, id));
            self.free = all.collect();
            self.lines.clear();
        }
        let mut more = BTreeSet::new();
        for (id, sentence) in cases.sentences.enumerate() {
            let own = sentence.constraints.iter().flat_map(|it| counts::navigated(cases, *it));
            let own: BTreeSet<AssociationId> = own.collect();
            let outcomes = match sentence.role {
                Role::Condition | Role::Precondition => &[true, false][..],
                _ => &[true],
            };
            for holds in outcomes.iter().filter(|_| !own.is_empty()) {
                if let Ok(line) = self.line(true, &fewest)?
                    && !line.may_be(id, *holds)?
                {
                    more.extend(own.iter().copied());
                }
            }
        }
        if !more.is_empty() {
            self.free.extend(more);
            self.lines.clear();
        }
        Ok(())
    }

    /// How many questions the solver was asked.
    #[must_use]
    pub fn questions(&self) -> u64 {
        self.lines.values().flatten().map(|it| it.session.questions()).sum()
    }

    /// Whether the links of an association are chosen, though neither of its ends has a limit. Otherwise such an association links all objects that it may.
    #[must_use]
    pub fn is_free(&self, association: AssociationId) -> bool {
        self.free.contains(&association)
    }

    /// The line of a choice of objects.
    fn line(
        &mut self,
        is_begin: bool,
        counts: &Counts,
    ) -> Result<&mut Result<Line<'a>, String>, Error> {
        let Solving { cases, solver, options, free, lines, .. } = self;
        match lines.entry(key(is_begin, counts)) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(place) => {
                let told = (&*solver, options.limits);
                Ok(place.insert(Line::new(cases, counts, free, told, is_begin)?))
            }
        }
    }

    /// Whether a path, or the begin of one, can be taken.
    ///
    /// # Errors
    /// If the solver can not be started.
    ///
    /// # Panics
    /// If the path is none of these use cases.
    pub fn feasible(&mut self, path: &Path) -> Result<Possible, Error> {
        self.feasible_from(path, 0)
    }

    /// Whether a path, or the begin of one, can be taken from a happening on: with any values there that ranges allow. No flow that ends as a whole behind it began before.
    ///
    /// # Errors
    /// If the solver can not be started.
    ///
    /// # Panics
    /// If the path is none of these use cases.
    pub fn feasible_from(&mut self, path: &Path, from: usize) -> Result<Possible, Error> {
        let mut walk = self.walk(path);
        // An invariant may be broken along a path, until it ends.
        let is_begin = from == 0;
        if !is_begin {
            walk.happenings.drain(..from.min(walk.happenings.len()));
            for happening in &mut walk.happenings {
                if let Event::Postconditions { began, .. } = &mut happening.event {
                    *began = began.saturating_sub(from);
                }
            }
        }
        Ok(match self.find(&walk, path, is_begin)? {
            Ok(_) => Possible::Yes,
            Err(Impossible::Contradiction) => Possible::No,
            Err(Impossible::Unknown(reason)) => Possible::Unknown(reason),
        })
    }

    fn walk(&self, path: &Path) -> Walk<'a> {
        walk(self.cases, path).expect("a path of these use cases")
    }

    /// The first choice of objects that can take a path.
    fn find(
        &mut self,
        walk: &Walk<'a>,
        path: &Path,
        is_begin: bool,
    ) -> Result<Result<Counts, Impossible>, Error> {
        let mut reasons = Vec::new();
        let mut is_any = false;
        for counts in self.choices.clone() {
            let line = match self.line(is_begin, &counts)? {
                Ok(line) => line,
                Err(reason) => {
                    reasons.push(reason.clone());
                    continue;
                }
            };
            is_any = true;
            line.go(&walk.happenings);
            let mut answer = line.answer()?;
            if answer == Answer::Sat && walk.has_ended {
                answer = ended(line, path, |line, end| {
                    let is_new = end.iter().any(|it| line.forms.truth(it.form) != Some(true));
                    if is_new { line.session.check() } else { Ok(Answer::Sat) }
                })?;
            }
            match answer {
                Answer::Sat => return Ok(Ok(counts)),
                Answer::Unsat => {}
                Answer::Unknown(reason) => {
                    return Ok(Err(Impossible::Unknown(reason.to_string())));
                }
            }
        }
        match reasons.pop() {
            Some(reason) if !is_any => Ok(Err(Impossible::Unknown(reason))),
            _ => Ok(Err(Impossible::Contradiction)),
        }
    }

    /// The objects that are tried for paths, the fewest first. Links between them are chosen later.
    ///
    /// # Errors
    /// If the solver can not be started.
    pub fn objects(&mut self) -> Result<Vec<IdVec<ObjectId, Object>>, Error> {
        let mut found = Vec::new();
        for counts in self.choices.clone() {
            if let Ok(line) = self.line(true, &counts)? {
                found.push(line.objects.objects.clone());
            }
        }
        Ok(found)
    }

    /// The objects and values that take a path. The scenario has no name yet and says of nothing that it covers it.
    ///
    /// # Errors
    /// If the solver can not be started; inside, why there are none.
    ///
    /// # Panics
    /// See [`Solving::solution`].
    pub fn solve(&mut self, path: &Path) -> Result<Result<Scenario, Why>, Error> {
        Ok(self.solution(path)?.map(|it| it.scenario))
    }

    /// A scenario with all values that come from outside along it.
    ///
    /// # Errors
    /// If the solver can not be started; inside, why there are none.
    ///
    /// # Panics
    /// If the path is none of these use cases, or if a solution does not take it: that is our mistake.
    pub fn solution(&mut self, path: &Path) -> Result<Result<Solution, Why>, Error> {
        let walk = self.walk(path);
        let counts = match self.find(&walk, path, true)? {
            Ok(counts) => counts,
            Err(Impossible::Unknown(reason)) => return Ok(Err(Why::Unknown(reason))),
            Err(Impossible::Contradiction) => {
                let claims = self.contradiction(path)?;
                return Ok(Err(Why::Contradiction { path: path.clone(), claims }));
            }
        };
        let (cases, options) = (self.cases, self.options.clone());
        let stream = Stream::of_run(options.seed, number(path));
        let Ok(line) = self.line(true, &counts)? else {
            return Ok(Err(Why::Unknown("there are no objects".to_owned())));
        };
        line.go(&walk.happenings);
        let solved = ended(line, path, |line, end| Ok(solution(line, end, &options, stream)))?;
        let (diagram, chosen, told) = match solved {
            Ok(solved) => solved,
            Err(Failed::Unknown(reason)) => return Ok(Err(Why::Unknown(reason))),
            Err(Failed::Error(error)) => return Err(error),
        };
        if let Err(wrong) = check::check(cases, &diagram, &chosen, &walk) {
            match wrong {
                check::Wrong::Beyond => {
                    return Ok(Err(Why::Unknown("a number does not fit".to_owned())));
                }
                check::Wrong::Claim(claim) => {
                    // Tests must see it. A user may have a solver that is wrong.
                    debug_assert!(
                        false,
                        "a solution does not satisfy its path: {claim:?} of {path:?}"
                    );
                    let why = "its answer does not satisfy the path that it was asked for";
                    return Ok(Err(Why::Unknown(why.to_owned())));
                }
            }
        }
        let given = chosen.iter().filter_map(|(variable, value)| match variable {
            Variable::Given(event, slot) => Some(((*event, *slot), *value)),
            _ => None,
        });
        let given = given.collect();
        let scenario = Scenario {
            name: String::new(),
            path: path.clone(),
            covers: Vec::new(),
            diagram,
            assignments: told.assignments,
            needs: told.needs,
            sets: told.sets,
            open: line.versions().open.clone(),
        };
        Ok(Ok(Solution { scenario, given }))
    }

    /// What can not hold together on a path, or on the begin of one, that can not be taken: without any of these claims, the others can.
    ///
    /// # Errors
    /// If the solver can not be started.
    pub fn contradiction(&mut self, path: &Path) -> Result<Vec<Claim>, Error> {
        let walk = self.walk(path);
        let end = walk.has_ended.then(|| last(path));
        let choices = self.choices.clone();
        for counts in &choices {
            self.line(true, counts)?;
        }
        let keys: BTreeSet<Key> = choices.iter().map(|it| key(true, it)).collect();
        let lines = self.lines.iter_mut().filter(|(key, _)| keys.contains(*key));
        let mut told: contradiction::Told<'_, 'a> = (lines)
            .filter_map(|(_, line)| line.as_mut().ok())
            .map(|line| {
                let claims = contradiction::tell(line, &walk.happenings, end);
                (line, claims)
            })
            .collect();
        let found = contradiction::smallest(&mut told);
        for (line, _) in told {
            line.translation.pop(&mut line.session);
        }
        found
    }
}

impl paths::Feasible for Solving<'_> {
    fn possible(&mut self, path: &Path, from: usize) -> Possible {
        self.feasible_from(path, from).unwrap_or_else(|it| Possible::Unknown(it.to_string()))
    }
}

impl paths::Values for Solving<'_> {
    fn solve(&mut self, path: &Path) -> Result<Scenario, Why> {
        self.solve(path).unwrap_or_else(|it| Err(Why::Unknown(it.to_string())))
    }

    fn objects(&self) -> u32 {
        self.options.objects
    }

    fn explain(&mut self, begin: &Path) -> Why {
        match self.contradiction(begin) {
            Ok(claims) => Why::Contradiction { path: begin.clone(), claims },
            Err(error) => Why::Unknown(error.to_string()),
        }
    }
}

/// Why a path can not be taken.
enum Impossible {
    Contradiction,
    Unknown(String),
}

/// After how many steps a path is at its end.
fn last(path: &Path) -> u32 {
    u32::try_from(path.steps.len()).unwrap_or(u32::MAX)
}

/// A number for a path, for its own random values.
fn number(path: &Path) -> u64 {
    use punctual_model::Id;
    let mut number: u64 = 0xCBF2_9CE4_8422_2325;
    let mut add = |it: usize| number = (number ^ it as u64).wrapping_mul(0x0100_0000_01B3);
    add(path.use_case.index());
    for step in &path.steps {
        add(step.use_case.index());
        add(step.at.flow.index());
        add(step.at.step.index());
        add(step.outcome as usize);
    }
    number
}

/// Claims that invariants hold after the path of a line, as long as something is done.
fn ended<'a, T>(
    line: &mut Line<'a>,
    path: &Path,
    act: impl FnOnce(&mut Line<'a>, &[Stated]) -> Result<T, Error>,
) -> Result<T, Error> {
    let mut forms = std::mem::take(&mut line.forms);
    let mut versions = line.versions().clone();
    let scene = line.scene(false);
    let end = versions.claim_invariants(&scene, &mut forms, last(path), Some(&line.invariants));
    line.forms = forms;
    line.translation.push(&mut line.session);
    line.state(&end);
    let done = act(line, &end);
    line.translation.pop(&mut line.session);
    done
}

/// Chooses values for the path of a line, and tells what they say.
fn solution(
    line: &mut Line<'_>,
    end: &[Stated],
    options: &Options,
    stream: Stream,
) -> Result<(Diagram, Chosen, assign::Told), Failed> {
    let versions = line.versions().clone();
    let inputs: Vec<Variable> =
        versions.inputs.iter().map(|it| Variable::Given(it.event, it.slot)).collect();
    let mut others = Vec::new();
    for (object, _) in line.objects.objects.enumerate() {
        let slots = line.objects.slots(&line.cases.domain, object);
        others.extend(slots.into_iter().map(Variable::Before));
    }
    let mut forms = std::mem::take(&mut line.forms);
    for slot in versions.changed() {
        let form = versions.slot(&mut forms, slot);
        forms.variables(form, &mut others);
    }
    line.forms = forms;
    let stated: Vec<Stated> = line.stated().chain(end).cloned().collect();
    let claims: Vec<Form> = stated.iter().filter(|it| !it.is_assumed).map(|it| it.form).collect();
    let chosen = choose::choose(line, options, stream, &inputs, &others, &claims)?;
    let is_linked = |number| chosen.get(&Variable::Link(number)) == Some(&Value::Bool(true));
    let diagram = line.objects.diagram(is_linked);
    let mut forms = std::mem::take(&mut line.forms);
    let told = assign::tell(line.cases, &mut forms, &diagram, &versions, &stated, &chosen);
    line.forms = forms;
    let told = told.ok_or_else(|| {
        Failed::Unknown("what the path needs or sets has too many parts".to_owned())
    })?;
    Ok((diagram, chosen, told))
}
