//! Queries.

use crate::diagnostic::Diagnostic;
use crate::uppaal::ast::{
    BinaryOp, Bound, Comparison, Expr, ExprKind, Extremum, Path, Query, Runs,
};
use crate::uppaal::lexer::TokenKind;

use super::cursor::{Parsed, Parser};

impl Parser<'_> {
    pub(super) fn only_query(&mut self) -> Option<Query> {
        if self.at_end() {
            return None;
        }
        if let Some(what) = self.unsupported_query() {
            return Some(Query::Unsupported(what, self.span().to(self.last_span())));
        }
        let query = self.query();
        if let Some((what, span)) = self.unsupported {
            return Some(Query::Unsupported(what, span));
        }
        let query = query.ok()?;
        self.nothing_more("an operator or the end of the query", None);
        Some(query)
    }

    /// What a query of UPPAAL is that nothing here can answer.
    fn unsupported_query(&self) -> Option<&'static str> {
        let next = self.peek_at(1);
        match self.word() {
            "strategy" if self.is_name_at(1) && self.peek_at(2) == TokenKind::Assign => {
                return Some("a strategy");
            }
            "control" if next == TokenKind::Colon => return Some("control of a game"),
            "control_t" if next == TokenKind::Times => {
                return Some("time-optimal control of a game");
            }
            "minE" | "maxE" if next == TokenKind::LeftParen => {
                return Some("optimisation of an expected value");
            }
            "minPr" | "maxPr" if next == TokenKind::LeftBracket => {
                return Some("optimisation of a probability");
            }
            "saveStrategy" | "loadStrategy" => return Some("a strategy in a file"),
            "sat" if next == TokenKind::Colon => return Some("a live sequence chart"),
            "Pmax" => return Some("the maximal probability `Pmax`"),
            "Pr" if next == TokenKind::LeftParen => return Some("a formula of MITL"),
            "E" if next == TokenKind::Diamond
                && self.word_at(2) == "control"
                && self.peek_at(3) == TokenKind::Colon =>
            {
                return Some("control of a game");
            }
            "A" if next == TokenKind::LeftBracket && self.is_until() => {
                return Some("the path formulas `A[p U q]` and `A[p W q]`");
            }
            _ => {}
        }
        if self.peek() == TokenKind::LeftBrace {
            return Some("control of a game under partial observation");
        }
        let under = |parser: &Self, ahead: usize| {
            parser.word_at(ahead) == "under" && ahead > 0 && parser.is_name_at(ahead + 1)
        };
        self.word_ahead(under).then_some("a check under a strategy")
    }

    /// Whether `A [ … U …` stands here.
    fn is_until(&self) -> bool {
        let mut n_open = 0_u32;
        let mut ahead = 1;
        loop {
            match self.peek_at(ahead) {
                TokenKind::LeftParen | TokenKind::LeftBracket | TokenKind::LeftBrace => n_open += 1,
                TokenKind::RightParen | TokenKind::RightBracket | TokenKind::RightBrace => {
                    n_open = n_open.saturating_sub(1);
                    if n_open == 0 {
                        return false;
                    }
                }
                TokenKind::Word if n_open == 1 && matches!(self.word_at(ahead), "U" | "W") => {
                    return ahead > 2 && self.peek_at(ahead + 1) != TokenKind::RightBracket;
                }
                TokenKind::End => return false,
                _ => {}
            }
            ahead += 1;
        }
    }

    fn query(&mut self) -> Parsed<Query> {
        let word = self.word();
        match (word, self.peek_at(1), self.peek_at(2)) {
            ("E", TokenKind::Diamond, _) => {
                self.bump();
                self.bump();
                self.expression().map(Query::ExistsFinally)
            }
            ("A", TokenKind::Diamond, _) => {
                self.bump();
                self.bump();
                self.expression().map(Query::AlwaysFinally)
            }
            ("E", TokenKind::LeftBracket, TokenKind::RightBracket) => {
                self.bump_path();
                self.expression().map(Query::ExistsGlobally)
            }
            ("A", TokenKind::LeftBracket, TokenKind::RightBracket) => {
                self.bump_path();
                self.expression().map(Query::AlwaysGlobally)
            }
            ("E", TokenKind::LeftBracket, _) => {
                self.bump();
                self.expectation()
            }
            ("sup" | "inf" | "bounds", TokenKind::Colon | TokenKind::LeftBrace, _) => {
                self.extremum()
            }
            ("Pr", TokenKind::LeftBracket, _) => self.probability(),
            ("simulate", ..) => self.simulation(),
            _ => self.leads_to(),
        }
    }

    fn bump_path(&mut self) {
        for _ in 0..3 {
            self.bump();
        }
    }

    fn leads_to(&mut self) -> Parsed<Query> {
        let start = self.span();
        let premise = self.expression()?;
        if self.eat(TokenKind::LeadsTo) {
            let conclusion = self.expression()?;
            return Ok(Query::LeadsTo(premise, conclusion));
        }
        if !self.at_end() {
            let help = self.operator_help();
            return Err(self.expected_or("an operator or `-->`", help));
        }
        let error = Diagnostic::error(
            "parse::not_a_query",
            start.to(self.behind()),
            "this is a condition, not a query",
        )
        .label("expected `-->` and another condition behind it, or a path quantifier before it")
        .help("write `E<> …` if it should be possible, `A[] …` if it should always hold");
        Err(self.report(error))
    }

    fn extremum(&mut self) -> Parsed<Query> {
        let extremum = match self.word() {
            "sup" => Extremum::Sup,
            "inf" => Extremum::Inf,
            _ => Extremum::Bounds,
        };
        let word = self.word();
        self.bump();
        let condition = if self.peek() == TokenKind::LeftBrace {
            let open = self.bump();
            let condition = self.expression()?;
            self.close(TokenKind::RightBrace, open, "an operator or ")?;
            Some(condition)
        } else {
            None
        };
        self.expect(TokenKind::Colon, &format!("`:` and expressions behind `{word}`"))?;
        Ok(Query::Extremum(extremum, condition, self.expressions()?))
    }

    /// Reads `[<= T; N]`.
    fn runs(&mut self) -> Parsed<Runs> {
        let open = self.expect(TokenKind::LeftBracket, "`[` and a bound such as `[<=100]`")?;
        let (bound, limit) = match self.peek() {
            TokenKind::LessEqual => {
                self.bump();
                (Bound::Time, self.expression()?)
            }
            TokenKind::Hash => {
                self.bump();
                self.expect(TokenKind::LessEqual, "`<=` behind `#`")?;
                (Bound::Steps, self.expression()?)
            }
            TokenKind::Less => {
                let help = "write `<=`: the bound itself belongs to the run".to_owned();
                return Err(self.expected_or("a bound such as `<=100`", Some(help)));
            }
            _ => self.cost_bound()?,
        };
        let count = if self.eat(TokenKind::Semicolon) { Some(self.expression()?) } else { None };
        let instead = if count.is_some() { "an operator or " } else { "an operator, `;` or " };
        self.close(TokenKind::RightBracket, open, instead)?;
        Ok(Runs { bound, limit, count })
    }

    fn cost_bound(&mut self) -> Parsed<(Bound, Expr)> {
        let start = self.span();
        let expr = self.expression()?;
        if let ExprKind::Binary(BinaryOp::LessEqual, cost, limit) = expr.kind {
            return Ok((Bound::Cost(*cost), *limit));
        }
        let error = Diagnostic::error(
            "parse::bound",
            start.to(expr.span),
            "expected the bound of the runs, such as `<=100`, `#<=100` or `x<=100`",
        )
        .help("`<=100` bounds time, `#<=100` the number of steps, `x<=100` the clock `x`");
        Err(self.report(error))
    }

    /// Reads `(path)`.
    fn path(&mut self) -> Parsed<Path> {
        let open = self.expect(TokenKind::LeftParen, "`(` and a path formula such as `(<> p)`")?;
        let path = match (self.peek(), self.peek_at(1)) {
            (TokenKind::Diamond, _) => {
                self.bump();
                Path::Finally(self.expression()?)
            }
            (TokenKind::LeftBracket, TokenKind::RightBracket) => {
                self.bump();
                self.bump();
                Path::Globally(self.expression()?)
            }
            _ => {
                let first = self.expression()?;
                if !self.eat_word("U") {
                    let error = Diagnostic::error(
                        "parse::path",
                        first.span,
                        "expected a path formula: `<> p`, `[] p` or `p U q`",
                    )
                    .help("write `<>` before the condition if it should hold at some time");
                    return Err(self.report(error));
                }
                Path::Until(first, self.expression()?)
            }
        };
        self.close(TokenKind::RightParen, open, "an operator or ")?;
        Ok(path)
    }

    fn probability(&mut self) -> Parsed<Query> {
        self.bump();
        let runs = self.runs()?;
        let path = self.path()?;
        let comparison = match self.peek() {
            TokenKind::GreaterEqual => Comparison::AtLeast,
            TokenKind::LessEqual => Comparison::AtMost,
            TokenKind::Question => {
                self.bump();
                return Ok(Query::Probability(runs, path));
            }
            TokenKind::Greater | TokenKind::Less | TokenKind::Equal | TokenKind::NotEqual => {
                let help = "a statistical test can not tell these apart: use `>=` or `<=`";
                return Err(self.expected_or("`>=`, `<=` or the end", Some(help.to_owned())));
            }
            _ => return Ok(Query::Probability(runs, path)),
        };
        self.bump();
        if self.word() == "Pr" && self.peek_at(1) == TokenKind::LeftBracket {
            self.bump();
            let other = (self.runs()?, self.path()?);
            return Ok(Query::Compare((runs, path), comparison, other));
        }
        Ok(Query::Hypothesis(runs, path, comparison, self.expression()?))
    }

    fn expectation(&mut self) -> Parsed<Query> {
        let runs = self.runs()?;
        let what = "`(max: …)` or `(min: …)`";
        let open = self.expect(TokenKind::LeftParen, what)?;
        let maximum = match self.word() {
            "max" => true,
            "min" => false,
            _ => return Err(self.expected("`max:` or `min:`")),
        };
        self.bump();
        self.expect(TokenKind::Colon, "`:` and an expression")?;
        let expr = self.expression()?;
        self.close(TokenKind::RightParen, open, "an operator or ")?;
        Ok(Query::Expectation(runs, maximum, expr))
    }

    fn simulation(&mut self) -> Parsed<Query> {
        self.bump();
        let count = if self.peek() == TokenKind::LeftBracket {
            None
        } else {
            // The number of runs comes first in the old form, and is no array.
            Some(self.primary()?.expr)
        };
        let mut runs = self.runs()?;
        if let Some(count) = count {
            if let Some(second) = &runs.count {
                let error = Diagnostic::error(
                    "parse::two_counts",
                    second.span,
                    "the number of runs is given twice",
                )
                .also(count.span, "here already");
                self.report(error);
            }
            runs.count = Some(count);
        }
        let open = self.expect(TokenKind::LeftBrace, "`{` and the expressions to record")?;
        let mut of = vec![self.expression()?];
        while self.eat(TokenKind::Comma) {
            if self.peek() == TokenKind::RightBrace {
                self.warn(
                    Diagnostic::warning(
                        "parse::trailing_comma",
                        self.previous(),
                        "no expression follows this `,`",
                    )
                    .help("remove it: other tools refuse it"),
                );
                break;
            }
            of.push(self.expression()?);
        }
        self.close(TokenKind::RightBrace, open, "an operator, `,` or ")?;
        let (mut accepted, mut filter) = (None, None);
        if self.eat(TokenKind::Colon) {
            filter = Some(self.expression()?);
            if self.eat(TokenKind::Colon) {
                accepted = filter.replace(self.expression()?);
            }
        }
        Ok(Query::Simulate { runs, of, accepted, filter })
    }
}
