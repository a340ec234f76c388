//! Figures 13 to 15 as tables, the paper's figures beside ours, and the comparison of rules.

use std::fmt::Write as _;

use super::suites::Rate;
use super::{Found, scenarios::Scenarios};

/// The limits of executions that are shown; the files have all.
const SHOWN: [u64; 10] = [10, 30, 50, 100, 150, 200, 250, 300, 350, 400];

impl Found {
    pub(super) fn tables(&self) -> String {
        let mut out = self.beside_the_paper();
        out.push_str(&self.figures_13_and_14());
        out.push_str(&self.figure_15());
        out.push_str(&self.rules());
        out.push_str(&self.suites());
        out.trim_end().to_owned()
    }

    fn beside_the_paper(&self) -> String {
        let at_100 = self.with_limit(100);
        let last = self.with_limit(400);
        let most = self.paper.iter().find(|(_, it)| {
            it.all_executions().quantile(0.5) > last.all_executions().quantile(0.5) - 0.5
        });
        let plateau = most.map_or(0, |(limit, _)| *limit);
        let enough = self.paper.iter().find(|(_, it)| it.accuracy_at(3) > 0.75);
        let enough = enough.map_or(0, |(limit, _)| *limit);
        let median = at_100.all_executions().quantile(0.5);
        let rows = [
            (
                "first quartile of accuracy, 100 executions",
                "above 0.8",
                format!("{:.3}", at_100.accuracies().quantile(0.25)),
                "",
            ),
            (
                "mean accuracy at a discrepancy of 0.15, 100 executions",
                "above 0.75",
                format!("{:.3}; above 0.75 from {enough} executions on", at_100.accuracy_at(3)),
                "differs",
            ),
            (
                "the same with 30 executions",
                "below 0.3",
                format!("{:.3}", self.with_limit(30).accuracy_at(3)),
                "",
            ),
            (
                "accuracy without discrepancy, 100 executions",
                "trivially 1",
                format!("{:.4} on average", at_100.accuracy_at(0)),
                "differs",
            ),
            ("median of executions, limit 100", "close to 100", format!("{median:.1}"), ""),
            (
                "the median of executions stops growing",
                "above 300",
                format!("from {plateau} on, at {:.0}", last.all_executions().quantile(0.5)),
                "",
            ),
            ("mean accuracy, 100 executions", "–", format!("{:.3}", at_100.accuracy(0)), ""),
            ("mean executions", "–", format!("{:.1}", at_100.executions()), ""),
            (
                "mean executions where the system is right",
                "–",
                format!("{:.1}", at_100.executions_where_right()),
                "",
            ),
        ];
        let mut out = "The rule of the paper, exactly; 420 scenarios.\n\n\
                       | | paper | ours | |\n|---|---|---|---|\n"
            .to_owned();
        for (what, paper, ours, note) in rows {
            let _ = writeln!(out, "| {what} | {paper} | {ours} | {note} |");
        }
        out
    }

    fn figures_13_and_14(&self) -> String {
        let mut out = "\nFigures 13 and 14: accuracy and executions over scenarios, by the limit of executions.\n\n\
            | limit | accuracy: whisker | Q1 | median | Q3 | mean | executions: Q1 | median | Q3 | mean |\n\
            |---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n"
            .to_owned();
        for limit in SHOWN {
            let (accuracies, executions) = boxes(self.with_limit(limit));
            let accuracies = accuracies.map(|it| format!("{it:.3}")).join(" | ");
            let executions = executions.map(|it| format!("{it:.1}")).join(" | ");
            let _ = writeln!(out, "| {limit} | {accuracies} | {executions} |");
        }
        out
    }

    fn figure_15(&self) -> String {
        let mut out =
            "\nFigure 15: mean accuracy by discrepancy and limit of executions.\n\n| discrepancy |"
                .to_owned();
        SHOWN.iter().for_each(|limit| {
            let _ = write!(out, " {limit} |");
        });
        let _ = writeln!(out, "\n|---:|{}", "---:|".repeat(SHOWN.len()));
        for discrepancy in 1..=8 {
            let _ = write!(out, "| {:.2} |", discrepancy as f64 / 20.0);
            for limit in SHOWN {
                let _ = write!(out, " {:.3} |", self.with_limit(limit).accuracy_at(discrepancy));
            }
            out.push('\n');
        }
        out
    }

    fn rules(&self) -> String {
        let mut out = "\nRules beside each other, with at most 100 executions. *Possible*: what no rule can exceed, by \
            dynamic programming and duality, even if it knows the scenarios.\n\n\
            | rule | tolerance | false alarms at most | worst of 999 | accuracy | possible with as many executions \
            | executions | possible with this accuracy | where right | accuracy as the paper counts |\n\
            |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n"
            .to_owned();
        for it in &self.comparisons {
            let _ = writeln!(
                out,
                "| {} | {} | {} | {:.4} | {:.3} | {:.3} | {:.1} | {:.1} | {:.1} | {:.3} |",
                it.rule,
                it.tolerated as f64 / 20.0,
                if it.rule.starts_with("the") { "–".to_owned() } else { it.alpha.to_string() },
                it.worst_alarm,
                it.accuracy,
                it.accuracy_at_most,
                it.executions,
                it.executions_at_least,
                it.where_right,
                it.strict,
            );
        }
        out
    }

    fn suites(&self) -> String {
        let mut out = format!(
            "\n{} simulated suites of 50 cases, rates for the whole suite.\n\n\
             | | asked for | stated, exactly | seen | standard errors between |\n|---|---:|---:|---:|---:|\n",
            self.simulation.suites
        );
        for (name, rate) in [
            ("a right case fails", &self.simulation.alarms),
            ("a deviating case passes", &self.simulation.misses),
        ] {
            let Rate { at_most, stated, seen, error } = rate;
            let errors = (seen - stated) / error;
            let _ = writeln!(out, "| {name} | {at_most} | {stated:.4} | {seen:.4} | {errors:.1} |");
        }
        out
    }

    /// The same with all limits and discrepancies, for programs.
    pub(super) fn files(&self) -> Vec<(&'static str, String)> {
        let mut figure_13 = "limit,whisker,q1,median,q3,mean\n".to_owned();
        let mut figure_14 = "limit,q1,median,q3,mean\n".to_owned();
        let mut figure_15 = "limit,discrepancy,accuracy\n".to_owned();
        for (limit, scenarios) in &self.paper {
            let (accuracies, executions) = boxes(scenarios);
            let line = accuracies.map(|it| format!("{it:.5}")).join(",");
            let _ = writeln!(figure_13, "{limit},{line}");
            let line = executions.map(|it| format!("{it:.3}")).join(",");
            let _ = writeln!(figure_14, "{limit},{line}");
            for discrepancy in 0..=20 {
                let accuracy = scenarios.accuracy_at(discrepancy);
                let discrepancy = discrepancy as f64 / 20.0;
                let _ = writeln!(figure_15, "{limit},{discrepancy:.2},{accuracy:.5}");
            }
        }
        let mut rules = "rule,tolerance,alpha,worst_alarm,accuracy,accuracy_possible,executions,\
                         executions_possible,where_right,strict\n"
            .to_owned();
        for it in &self.comparisons {
            let _ = writeln!(
                rules,
                "\"{}\",{},{},{:.5},{:.5},{:.5},{:.3},{:.3},{:.3},{:.5}",
                it.rule,
                it.tolerated as f64 / 20.0,
                it.alpha,
                it.worst_alarm,
                it.accuracy,
                it.accuracy_at_most,
                it.executions,
                it.executions_at_least,
                it.where_right,
                it.strict,
            );
        }
        vec![
            ("figure-13.csv", figure_13),
            ("figure-14.csv", figure_14),
            ("figure-15.csv", figure_15),
            ("rules.csv", rules),
        ]
    }
}

/// Whisker, quartiles and mean of accuracies; quartiles and mean of executions.
fn boxes(scenarios: &Scenarios) -> ([f64; 5], [f64; 4]) {
    let (accuracies, executions) = (scenarios.accuracies(), scenarios.all_executions());
    let quartiles = [0.25, 0.5, 0.75];
    let [a, b, c] = quartiles.map(|share| accuracies.quantile(share));
    let [d, e, f] = quartiles.map(|share| executions.quantile(share));
    ([accuracies.whisker(), a, b, c, accuracies.mean()], [d, e, f, executions.mean()])
}
