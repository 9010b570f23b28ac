//! Runs a program over a path, all ways at once, so that no pattern is slow.

use super::parse::{Program, Step};

/// What a step can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    /// A character; a backslash comes as `/`.
    Char(char),
    /// A byte that is not UTF-8.
    Byte(u8),
    /// The slash behind a folder, with anything or nothing behind it; only as the last one.
    Below,
}

/// A path as symbols.
pub(super) fn symbols(path: &[u8]) -> Vec<Symbol> {
    let mut symbols = Vec::with_capacity(path.len());
    for chunk in path.utf8_chunks() {
        symbols.extend(chunk.valid().chars().map(|c| match c {
            '\\' => Symbol::Char('/'),
            c => Symbol::Char(c),
        }));
        symbols.extend(chunk.invalid().iter().copied().map(Symbol::Byte));
    }
    symbols
}

impl Program {
    /// Says whether the program takes the whole path.
    pub(super) fn matches(&self, path: &[Symbol]) -> bool {
        let mut now = States::new(self.steps.len());
        let mut next = States::new(self.steps.len());
        self.enter(0, &mut now, Reach::Any);
        for &symbol in path {
            let reach = if symbol == Symbol::Below {
                Reach::Everything
            } else {
                Reach::Any
            };
            next.clear();
            for &state in &now.list {
                if let Some(target) = self.target(state, symbol) {
                    self.enter(target, &mut next, reach);
                }
            }
            std::mem::swap(&mut now, &mut next);
            if now.list.is_empty() {
                return false;
            }
        }
        now.holds(self.steps.len())
    }

    /// Where a state goes with a symbol.
    fn target(&self, state: usize, symbol: Symbol) -> Option<usize> {
        let c = match symbol {
            Symbol::Char(c) => Some(c),
            Symbol::Byte(_) => None,
            Symbol::Below => Some('/'),
        };
        let is_slash = c == Some('/');
        match self.steps.get(state)? {
            Step::Char(wanted) => (c == Some(*wanted)).then_some(state + 1),
            Step::Any => (!is_slash).then_some(state + 1),
            Step::Class(class) => (!is_slash && class.holds(c)).then_some(state + 1),
            Step::Run => (!is_slash).then_some(state),
            Step::RunAll => Some(state),
            // A component is never empty.
            Step::Components => (!is_slash).then_some(state + 1),
            Step::Component if is_slash => Some(state - 1),
            Step::Component => Some(state),
            // Left on entering; never waits for a symbol.
            Step::Split(_) | Step::Jump(_) => None,
        }
    }

    /// Adds a state and all that can be reached from it without a symbol.
    fn enter(&self, state: usize, states: &mut States, reach: Reach) {
        let mut todo = vec![state];
        while let Some(state) = todo.pop() {
            if !states.add(state) {
                continue;
            }
            match self.steps.get(state) {
                Some(Step::Run) if reach == Reach::Everything => {}
                Some(Step::Run | Step::RunAll) => todo.push(state + 1),
                Some(Step::Components) => todo.push(state + 2),
                Some(Step::Split(targets)) => todo.extend(targets),
                Some(Step::Jump(target)) => todo.push(*target),
                Some(Step::Char(_) | Step::Any | Step::Class(_) | Step::Component) | None => {}
            }
        }
    }
}

/// What an empty run may stand for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Nothing more.
    Any,
    /// Whatever is beneath a folder, which a run without `/` is not.
    Everything,
}

/// A set of states that remembers the order of entry.
struct States {
    list: Vec<usize>,
    held: Vec<bool>,
}

impl States {
    /// An empty set for a program of `n_steps`.
    fn new(n_steps: usize) -> Self {
        Self {
            list: Vec::new(),
            held: vec![false; n_steps + 1],
        }
    }

    fn clear(&mut self) {
        for state in self.list.drain(..) {
            if let Some(held) = self.held.get_mut(state) {
                *held = false;
            }
        }
    }

    /// Adds a state; says whether it is new.
    fn add(&mut self, state: usize) -> bool {
        match self.held.get_mut(state) {
            Some(held) if !*held => {
                *held = true;
                self.list.push(state);
                true
            }
            Some(_) | None => false,
        }
    }

    fn holds(&self, state: usize) -> bool {
        self.held.get(state).copied().unwrap_or(false)
    }
}
