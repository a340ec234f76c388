//! The rules of RUCM that keywords and simple words decide, and other warnings that can be turned off.

/// A warning with a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lint {
    /// The name that `[lints] off` has: the number of a rule, or a word.
    pub name: &'static str,
    /// The code of its diagnostics.
    pub code: &'static str,
    /// What the lint asks for.
    pub about: &'static str,
}

impl Lint {
    /// Whether the lint is a rule of RUCM.
    #[must_use]
    pub fn is_rule(&self) -> bool {
        self.name.starts_with('R')
    }
}

macro_rules! lints {
    ($($name:ident $text:literal $code:literal $about:literal;)*) => {
        $(pub(super) const $name: Lint = Lint { name: $text, code: $code, about: $about };)*
        /// All lints, in the order of their numbers.
        pub const LINTS: &[Lint] = &[$($name),*];
    };
}

lints! {
    R1 "R1" "rucm::r1" "the subject of an action is the system or an actor";
    R2 "R2" "rucm::r2" "steps are numbered in sequence";
    R3 "R3" "rucm::r3" "no actor acts on another actor";
    R4 "R4" "rucm::r4" "one action in a sentence";
    R5 "R5" "rucm::r5" "actions are told in present tense";
    R6 "R6" "rucm::r6" "actions are told in active voice";
    R7 "R7" "rucm::r7" "who sends and who receives is named";
    R8 "R8" "rucm::r8" "sentences are declarative";
    R9 "R9" "rucm::r9" "one word for each thing";
    R10 "R10" "rucm::r10" "no modal verbs";
    R11 "R11" "rucm::r11" "no adverbs";
    R12 "R12" "rucm::r12" "one subject and one predicate in a sentence";
    R13 "R13" "rucm::r13" "no negation but `not` and `no`";
    R14 "R14" "rucm::r14" "no pronouns";
    R15 "R15" "rucm::r15" "no participle phrases";
    R16 "R16" "rucm::r16" "the system is called `the system`";
    R17 "R17" "rucm::r17" "`INCLUDE USE CASE name`";
    R18 "R18" "rucm::r18" "`EXTENDED BY USE CASE name`";
    R19 "R19" "rucm::r19" "`RFS` says where an alternative flow begins";
    R20 "R20" "rucm::r20" "`IF … THEN`, `ELSEIF … THEN`, `ELSE`, `ENDIF`, in alternative flows";
    R21 "R21" "rucm::r21" "`action MEANWHILE action`";
    R22 "R22" "rucm::r22" "`VALIDATES THAT condition`, with an alternative flow for the other case";
    R23 "R23" "rucm::r23" "`DO` steps `UNTIL condition`";
    R24 "R24" "rucm::r24" "an alternative flow ends with `ABORT` or `RESUME STEP`";
    R25 "R25" "rucm::r25" "`RESUME STEP number`";
    R26 "R26" "rucm::r26" "each flow has a postcondition";
    R27 "R27" "rucm::r27" "`X SENDS data TO Y`";
    R28 "R28" "rucm::r28" "`X REQUESTS data FROM Y`";
    HEADING "heading" "rucm::heading" "a space between `#` and a heading";
    SECTION "section" "rucm::section" "each section number once";
    IGNORED "ignored" "rucm::ignored" "nothing in a use case is left unread";
    DEPENDENCY "dependency" "rucm::dependency" "the field Dependency names what the steps include and are extended by";
    UNUSED "unused" "ocl::unused" "each key of a constraint is a sentence of a use case";
    AUTOMATON "automaton" "usecases::automaton" "an automaton that waits for scenarios belongs to a class, and its variables are attributes of it";
}
