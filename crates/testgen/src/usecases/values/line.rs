//! Paths of one choice of objects, in a dialogue with a solver that remembers the path that was asked last.
//!
//! A path that has its begin in common with the last one is told only from there on.

use std::collections::BTreeSet;

use punctual_model::{AssociationId, AttributeId, ConstraintId, SentenceId, usecases::UseCases};
use punctual_solver::{Answer, Error, Limits, Session, Solver, Term};

use super::{
    form::{Form, Forms, Variable},
    objects::{Counts, Objects},
    terms::{Translation, Types},
    versions::{Scene, Stated, Versions},
};
use crate::usecases::paths::{Event, Happening};

/// Objects, and a path of theirs.
pub(super) struct Line<'a> {
    pub(super) cases: &'a UseCases,
    pub(super) objects: Objects,
    pub(super) mentioned: BTreeSet<AttributeId>,
    /// The attributes that some sentence gives a value to.
    pub(super) changed: BTreeSet<AttributeId>,
    pub(super) forms: Forms,
    pub(super) session: Session,
    pub(super) translation: Translation,
    /// Whether paths begin where use cases begin, so that invariants hold there.
    is_begin: bool,
    /// What invariants are known to say before the path.
    pub(super) invariants: Vec<(ConstraintId, Form)>,
    /// The begin, then a frame for each happening.
    frames: Vec<Frame<'a>>,
}

/// A point of the path.
struct Frame<'a> {
    /// What happened; nothing at the begin.
    happening: Option<Happening<'a>>,
    versions: Versions<'a>,
    stated: Vec<Stated>,
    /// Whether the path up to here is possible, if that was asked.
    answer: Option<Answer>,
}

impl<'a> Line<'a> {
    /// Objects that have no path yet.
    ///
    /// # Errors
    /// If the solver can not be started; inside, if there can be no such objects: why.
    pub(super) fn new(
        cases: &'a UseCases,
        counts: &Counts,
        free: &BTreeSet<AssociationId>,
        (solver, limits): (&Solver, Limits),
        is_begin: bool,
    ) -> Result<Result<Line<'a>, String>, Error> {
        let objects = match Objects::new(&cases.domain, counts, free) {
            Ok(objects) => objects,
            Err(reason) => return Ok(Err(reason)),
        };
        let mut line = Line {
            cases,
            objects,
            mentioned: super::inputs::mentioned(cases),
            changed: super::inputs::changed(cases),
            forms: Forms::default(),
            session: solver.start(limits)?,
            translation: Translation::default(),
            is_begin,
            invariants: Vec::new(),
            frames: Vec::new(),
        };
        line.multiply();
        if line.session.check()? == Answer::Unsat {
            return Ok(Err("no links satisfy the multiplicities of the domain model".to_owned()));
        }
        line.begin();
        Ok(Ok(line))
    }

    /// Claims what holds before paths.
    fn begin(&mut self) {
        let mut versions = Versions::default();
        let mut stated = Vec::new();
        if self.is_begin {
            let mut forms = std::mem::take(&mut self.forms);
            let scene = self.scene(false);
            stated = versions.claim_invariants(&scene, &mut forms, 0, None);
            self.invariants = versions.invariants(&scene, &mut forms);
            self.forms = forms;
        }
        self.translation.push(&mut self.session);
        let is_new = self.state(&stated);
        let answer = (!is_new).then_some(Answer::Sat);
        self.frames.push(Frame { happening: None, versions, stated, answer });
    }

    /// What versions need to know.
    pub(super) fn scene<'s>(&'s self, is_loose: bool) -> Scene<'a, 's> {
        Scene { cases: self.cases, objects: &self.objects, mentioned: &self.mentioned, is_loose }
    }

    /// Claims that links are as many as they should be.
    fn multiply(&mut self) {
        let types = Types { cases: self.cases, objects: &self.objects };
        for (links, least, most) in self.objects.multiplicities(&self.cases.domain) {
            let mut counted = Vec::new();
            for &number in &links {
                let is_linked = match self.objects.possible[number as usize].is_forced {
                    true => self.session.terms().bool(true),
                    false => {
                        let variable = Variable::Link(number);
                        self.translation.symbol(&mut self.session, &types, variable).term
                    }
                };
                let terms = self.session.terms();
                let (one, zero) = (terms.int(1), terms.int(0));
                counted.push(terms.ite(is_linked, one, zero));
            }
            let terms = self.session.terms();
            let count = terms.sum(punctual_solver::Sort::Int, counted);
            let least = terms.int(least.into());
            let mut claim = terms.le(least, count);
            if let Some(most) = most {
                let most = terms.int(most.into());
                let few = terms.le(count, most);
                claim = terms.and(claim, few);
            }
            self.session.assert(claim);
        }
    }

    /// Claims what is stated. False if that is nothing new.
    pub(super) fn state(&mut self, stated: &[Stated]) -> bool {
        let types = Types { cases: self.cases, objects: &self.objects };
        let mut is_new = false;
        for it in stated.iter().filter(|it| self.forms.truth(it.form) != Some(true)) {
            let term = self.translation.term(&mut self.session, &types, &self.forms, it.form);
            self.session.assert(term);
            is_new = true;
        }
        is_new
    }

    /// What an expression is to the solver.
    pub(super) fn term(&mut self, form: Form) -> Term {
        let types = Types { cases: self.cases, objects: &self.objects };
        self.translation.term(&mut self.session, &types, &self.forms, form)
    }

    /// Goes along a path, or the begin of one.
    pub(super) fn go(&mut self, happenings: &[Happening<'a>]) {
        if self.frames.is_empty() {
            self.begin();
        }
        let same = (self.frames[1..].iter().zip(happenings))
            .take_while(|(frame, happening)| frame.happening.as_ref() == Some(happening))
            .count();
        while self.frames.len() > same + 1 {
            self.frames.pop();
            self.translation.pop(&mut self.session);
        }
        for (number, happening) in happenings.iter().enumerate().skip(same) {
            let last = &self.frames[number];
            let (mut versions, known) = (last.versions.clone(), last.answer.clone());
            let mut forms = std::mem::take(&mut self.forms);
            let scene = self.scene(false);
            let stated = versions.happen(&scene, &mut forms, number as u32, happening);
            self.forms = forms;
            self.translation.push(&mut self.session);
            let is_new = self.state(&stated);
            // What was impossible stays so, and what changes nothing is as possible as before.
            let answer = known.filter(|it| !is_new || *it == Answer::Unsat);
            self.frames.push(Frame {
                happening: Some(happening.clone()),
                versions,
                stated,
                answer,
            });
        }
    }

    /// Whether a sentence can hold, or fail, before any path.
    pub(super) fn may_be(&mut self, sentence: SentenceId, holds: bool) -> Result<bool, Error> {
        self.go(&[]);
        let mut forms = std::mem::take(&mut self.forms);
        let event = Event::Condition { sentences: std::slice::from_ref(&sentence), holds };
        let happening = Happening { at: 0, event };
        let scene = self.scene(false);
        let stated = Versions::default().happen(&scene, &mut forms, 0, &happening);
        self.forms = forms;
        self.translation.push(&mut self.session);
        self.state(&stated);
        let answer = self.session.check();
        self.translation.pop(&mut self.session);
        Ok(answer? != Answer::Unsat)
    }

    /// Forgets the path, and what holds before it.
    pub(super) fn reset(&mut self) {
        while self.frames.pop().is_some() {
            self.translation.pop(&mut self.session);
        }
    }

    /// Whether the path is possible.
    pub(super) fn answer(&mut self) -> Result<Answer, Error> {
        let known = self.frames.last().and_then(|it| it.answer.clone());
        let answer = match known {
            Some(answer) => answer,
            None => self.session.check()?,
        };
        if let Some(frame) = self.frames.last_mut() {
            // What the solver did not know may be known another time.
            frame.answer = Some(answer.clone()).filter(|it| !matches!(it, Answer::Unknown(_)));
        }
        Ok(answer)
    }

    /// What slots hold at the end of the path.
    pub(super) fn versions(&self) -> &Versions<'a> {
        &self.frames[self.frames.len() - 1].versions
    }

    /// What is claimed along the path, in order.
    pub(super) fn stated(&self) -> impl Iterator<Item = &Stated> {
        self.frames.iter().flat_map(|it| &it.stated)
    }
}
