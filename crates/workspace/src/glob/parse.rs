//! From a pattern to a program of steps.
//!
//! Nothing here recurses, so that no pattern is too deep.

use super::fold_char;

/// One step of a program; those that take a character go on at the next step unless said otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Takes this character.
    Char(char),
    /// Takes any character but `/`.
    Any,
    /// Takes one character of a class, never `/`.
    Class(Class),
    /// Takes any run without `/`.
    Run,
    /// Takes any run.
    RunAll,
    /// Takes any number of whole components, with [`Step::Component`] behind it; goes on behind that.
    Components,
    /// Stands inside a component; at `/` goes back to the step before.
    Component,
    /// Goes on at each of these steps.
    Split(Vec<usize>),
    /// Goes on at this step.
    Jump(usize),
}

/// The characters between brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Class {
    negated: bool,
    folded: bool,
    ranges: Vec<(char, char)>,
}

impl Class {
    /// Says whether the class holds the character; `None` stands for a byte that is not UTF-8.
    pub(super) fn holds(&self, c: Option<char>) -> bool {
        let within = |c: char| {
            self.ranges
                .iter()
                .any(|&(from, to)| (from..=to).contains(&c))
        };
        let found = c.is_some_and(|c| {
            within(c)
                || self.folded && (c.to_uppercase().any(within) || c.to_lowercase().any(within))
        });
        found != self.negated
    }
}

/// The steps in order; the match is complete behind the last.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) steps: Vec<Step>,
}

impl Program {
    /// Compiles a pattern as it stands.
    pub(super) fn exact(pattern: &[char]) -> Self {
        Self::compile(pattern, Folding::Off)
    }

    /// Compiles a pattern for folded names.
    pub(super) fn folded(pattern: &[char]) -> Self {
        Self::compile(pattern, Folding::On)
    }

    fn compile(pattern: &[char], folding: Folding) -> Self {
        let braces = Braces::find(pattern);
        let classes_end = classes_end(pattern);
        let mut steps = Vec::with_capacity(pattern.len());
        let mut open: Vec<Group> = Vec::new();
        let mut at = 0;
        while let Some(&c) = pattern.get(at) {
            let rest = pattern.get(at..).unwrap_or_default();
            at += 1;
            match c {
                '*' => {
                    let n_stars = rest.iter().take_while(|&&c| c == '*').count();
                    at += n_stars - 1;
                    if n_stars == 1 {
                        steps.push(Step::Run);
                    } else if pattern.get(at) == Some(&'/') {
                        at += 1;
                        steps.extend([Step::Components, Step::Component]);
                    } else {
                        steps.push(Step::RunAll);
                    }
                }
                '?' => steps.push(Step::Any),
                '[' => match (at < classes_end).then(|| class(rest, folding)).flatten() {
                    Some((class, len)) => {
                        at += len - 1;
                        steps.push(Step::Class(class));
                    }
                    None => steps.push(Step::Char('[')),
                },
                '{' if braces.is_paired(at - 1) => {
                    open.push(Group {
                        split: steps.len(),
                        starts: vec![steps.len() + 1],
                        jumps: Vec::new(),
                    });
                    // Filled in when the group closes, as the jumps are.
                    steps.push(Step::Split(Vec::new()));
                }
                ',' if !open.is_empty() => {
                    if let Some(group) = open.last_mut() {
                        group.jumps.push(steps.len());
                        group.starts.push(steps.len() + 1);
                    }
                    steps.push(Step::Jump(0));
                }
                '}' if braces.is_paired(at - 1) => {
                    if let Some(group) = open.pop() {
                        group.close(&mut steps);
                    }
                }
                c => match folding {
                    Folding::Off => steps.push(Step::Char(c)),
                    Folding::On => steps.extend(fold_char(c).map(Step::Char)),
                },
            }
        }
        Self { steps }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Folding {
    Off,
    On,
}

/// A group of alternatives whose end is not reached yet.
struct Group {
    split: usize,
    starts: Vec<usize>,
    jumps: Vec<usize>,
}

impl Group {
    fn close(self, steps: &mut [Step]) {
        let end = steps.len();
        for jump in self.jumps {
            if let Some(step) = steps.get_mut(jump) {
                *step = Step::Jump(end);
            }
        }
        if let Some(step) = steps.get_mut(self.split) {
            *step = Step::Split(self.starts);
        }
    }
}

/// Which braces belong together; the others stand for themselves.
struct Braces {
    paired: Vec<bool>,
}

impl Braces {
    fn find(pattern: &[char]) -> Self {
        let mut paired = vec![false; pattern.len()];
        let classes_end = classes_end(pattern);
        let mut open = Vec::new();
        let mut at = 0;
        while let Some(&c) = pattern.get(at) {
            match c {
                '[' if at + 1 < classes_end => {
                    let rest = pattern.get(at..).unwrap_or_default();
                    at += class(rest, Folding::Off).map_or(0, |(_, len)| len - 1);
                }
                '{' => open.push(at),
                '}' => {
                    if let Some(start) = open.pop() {
                        for brace in [start, at] {
                            if let Some(paired) = paired.get_mut(brace) {
                                *paired = true;
                            }
                        }
                    }
                }
                _ => {}
            }
            at += 1;
        }
        Self { paired }
    }

    fn is_paired(&self, at: usize) -> bool {
        self.paired.get(at).copied().unwrap_or(false)
    }
}

/// Behind the last bracket that can close a class, so that many unclosed ones take no time.
fn classes_end(pattern: &[char]) -> usize {
    pattern
        .iter()
        .rposition(|&c| c == ']')
        .map_or(0, |last| last + 1)
}

/// Reads the class that `pattern` begins with and tells its length; `None` when it is not closed.
fn class(pattern: &[char], folding: Folding) -> Option<(Class, usize)> {
    let negated = matches!(pattern.get(1), Some('!' | '^'));
    let start = if negated { 2 } else { 1 };
    // The first character is never the closing bracket.
    let end = start + 1 + pattern.get(start + 1..)?.iter().position(|&c| c == ']')?;
    let mut ranges = Vec::new();
    let mut members = pattern.get(start..end)?;
    loop {
        match *members {
            [from, '-', to, ref rest @ ..] => {
                ranges.push((from, to));
                members = rest;
            }
            [one, ref rest @ ..] => {
                ranges.push((one, one));
                members = rest;
            }
            [] => break,
        }
    }
    let class = Class {
        negated,
        folded: folding == Folding::On,
        ranges,
    };
    Some((class, end + 1))
}
