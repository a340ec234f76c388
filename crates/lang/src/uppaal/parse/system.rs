//! The system section: instantiations, the system line, progress measures, Gantt charts.

use crate::diagnostic::Diagnostic;
use crate::uppaal::ast::{Binding, Gantt, Instance, Progress, System, SystemItem, SystemProcess};
use crate::uppaal::lexer::TokenKind;

use super::cursor::{Parsed, Parser};

impl Parser<'_> {
    pub(super) fn system_section(&mut self, system: &mut System) {
        while !self.at_end() {
            let start = self.position();
            if self.system_item(system).is_err() {
                self.skip_system_item();
            }
            if self.position() == start {
                self.bump();
            }
        }
    }

    /// Skips the rest of an item, but never over the system line.
    fn skip_system_item(&mut self) {
        let mut n_open = 0_u32;
        while !self.at_end() {
            match self.peek() {
                TokenKind::LeftBrace => n_open += 1,
                TokenKind::RightBrace => {
                    n_open = n_open.saturating_sub(1);
                    if n_open == 0 {
                        self.bump();
                        self.eat(TokenKind::Semicolon);
                        return;
                    }
                }
                TokenKind::Semicolon if n_open == 0 => {
                    self.bump();
                    return;
                }
                TokenKind::Word if self.word() == "system" && self.is_name_at(1) => return,
                _ => {}
            }
            self.bump();
        }
    }

    fn system_item(&mut self, system: &mut System) -> Parsed<()> {
        match self.word() {
            "system" => return self.system_line(system),
            "progress" => return self.progress(system),
            "gantt" => return self.gantt(system),
            "IO" => return self.skip_io(),
            _ => {}
        }
        let instance = self.is_name_at(0)
            && matches!(self.peek_at(1), TokenKind::Assign | TokenKind::LeftParen);
        if let Some(line) = system.line {
            let error = Diagnostic::error(
                "parse::behind_system_line",
                self.span(),
                format!("expected `progress`, `gantt` or the end, {}", self.found()),
            )
            .also(line, "the system line")
            .help("put declarations and instantiations before the system line");
            self.report(error);
        }
        if instance {
            let instance = self.instance()?;
            system.items.push(SystemItem::Instance(instance));
            return Ok(());
        }
        let without_assign = self.is_name_at(0)
            && self.is_name_at(1)
            && self.peek_at(2) == TokenKind::LeftParen
            && self.peek_behind_parentheses(2) == TokenKind::Semicolon;
        if without_assign {
            let help = format!("write `{} = {}(…);`", self.word(), self.word_at(1));
            self.bump();
            return Err(self.expected_or("`=` before the template", Some(help)));
        }
        let mut declarations = Vec::new();
        let result = self.declaration(&mut declarations);
        system.items.extend(declarations.into_iter().map(SystemItem::Declaration));
        result
    }

    fn instance(&mut self) -> Parsed<Instance> {
        let name = self.name("the name of a process")?;
        let params = if self.peek() == TokenKind::LeftParen {
            self.parenthesised_parameters()?
        } else {
            Vec::new()
        };
        if self.peek() != TokenKind::Assign {
            let help = format!("write `{} = Template(…);`", name.text);
            return Err(self.expected_or("`=` and a template", Some(help)));
        }
        self.bump();
        let template = self.name("the name of a template")?;
        let (arguments, end) = if self.peek() == TokenKind::LeftParen {
            let (arguments, end, _) = self.arguments()?;
            (arguments, end)
        } else {
            let help = format!("write `{} = {}();`", name.text, template.text);
            self.expected_or("`(` and arguments", Some(help));
            (Vec::new(), template.span)
        };
        let span = name.span.to(end);
        self.semicolon("")?;
        Ok(Instance { name, params, template, arguments, span })
    }

    fn system_line(&mut self, system: &mut System) -> Parsed<()> {
        let start = self.bump();
        if let Some(earlier) = system.line {
            let error = Diagnostic::error(
                "parse::second_system_line",
                start,
                "there is a second system line",
            )
            .also(earlier, "the first one")
            .help("list all processes in one line");
            self.report(error);
            self.skip_statement();
            return Ok(());
        }
        system.line = Some(start);
        let mut group = Vec::new();
        let result = loop {
            match self.system_process() {
                Ok(process) => group.push(process),
                Err(failed) => break Err(failed),
            }
            if self.eat(TokenKind::Less) {
                system.processes.push(std::mem::take(&mut group));
            } else if !self.eat(TokenKind::Comma) {
                break Ok(());
            }
        };
        if !group.is_empty() {
            system.processes.push(group);
        }
        result?;
        let end = self.previous();
        let result = self.semicolon("`,` or ");
        system.line = Some(start.to(end));
        result
    }

    fn system_process(&mut self) -> Parsed<SystemProcess> {
        let name = self.name("the name of a template or process")?;
        let arguments = if self.peek() == TokenKind::LeftParen {
            let (arguments, _, _) = self.arguments()?;
            Some(arguments)
        } else {
            None
        };
        Ok(SystemProcess { name, arguments })
    }

    fn progress(&mut self, system: &mut System) -> Parsed<()> {
        self.bump();
        let open = self.expect(TokenKind::LeftBrace, "`{` behind `progress`")?;
        while !matches!(self.peek(), TokenKind::RightBrace | TokenKind::End) {
            let start = self.position();
            match self.progress_measure() {
                Ok(measure) => system.progress.push(measure),
                Err(_) => self.skip_statement(),
            }
            if self.position() == start {
                self.bump();
            }
        }
        self.close(TokenKind::RightBrace, open, "").map(|_| ())
    }

    fn progress_measure(&mut self) -> Parsed<Progress> {
        let first = self.expression()?;
        let (guard, measure) = if self.eat(TokenKind::Colon) {
            (Some(first), self.expression()?)
        } else {
            (None, first)
        };
        self.semicolon("an operator, `:` or ")?;
        Ok(Progress { guard, measure })
    }

    fn gantt(&mut self, system: &mut System) -> Parsed<()> {
        self.bump();
        let open = self.expect(TokenKind::LeftBrace, "`{` behind `gantt`")?;
        while !matches!(self.peek(), TokenKind::RightBrace | TokenKind::End) {
            let start = self.position();
            match self.gantt_line() {
                Ok(line) => system.gantt.push(line),
                Err(_) => self.skip_statement(),
            }
            if self.position() == start {
                self.bump();
            }
        }
        self.close(TokenKind::RightBrace, open, "").map(|_| ())
    }

    fn gantt_line(&mut self) -> Parsed<Gantt> {
        let name = self.name("the name of a line")?;
        let bindings =
            if self.peek() == TokenKind::LeftParen { self.bindings()? } else { Vec::new() };
        self.expect(TokenKind::Colon, "`:` behind the name of the line")?;
        let mut bars = Vec::new();
        loop {
            let repeated = if self.eat_word("for") { self.bindings()? } else { Vec::new() };
            let condition = self.expression()?;
            self.expect(TokenKind::Arrow, "an operator or `->` and a colour")?;
            let colour = self.expression()?;
            bars.push((repeated, condition, colour));
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.semicolon("an operator, `,` or ")?;
        Ok(Gantt { name, bindings, bars })
    }

    /// Reads `(i : T, j : U)`.
    fn bindings(&mut self) -> Parsed<Vec<Binding>> {
        let open = self.expect(TokenKind::LeftParen, "`(`")?;
        let mut bindings = Vec::new();
        loop {
            bindings.push(self.binding()?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.close(TokenKind::RightParen, open, "`,` or ")?;
        Ok(bindings)
    }
}
