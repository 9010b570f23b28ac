//! One pass over a JavaScript pattern that writes the Rust one as it reads.
//!
//! The grammar is that of ECMAScript's Annex B, as engines read patterns without the `u` flag.

use super::Translated;
use super::class::{CharSet, REPLACEMENT, write_literal};

/// Depth of groups within groups; the engines have a limit of their own slightly above.
const MAX_DEPTH: usize = 200;
/// The largest count a quantifier is taken to mean.
const MAX_COUNT: u32 = 1_000_000;

const TOO_LARGE: &str = "Regular expression too large";
const NOTHING_TO_REPEAT: &str = "Nothing to repeat";
const UNTERMINATED_CLASS: &str = "Unterminated character class";
pub(super) const TRAILING_BACKSLASH: &str = "\\ at end of pattern";

pub(super) type Parsed<T> = Result<T, &'static str>;

/// What was just read, as far as a quantifier behind it is concerned.
pub(super) enum Term {
    /// Something that can be repeated.
    Atom,
    /// A position; repeating it is an error.
    Position,
    /// A look-behind; repeating it is an error of its own.
    LookBehind,
    /// A look-ahead, which may be repeated although that means little.
    LookAhead,
}

/// One member of a bracketed class.
pub(super) enum Member {
    Code(u32),
    Set(CharSet),
}

/// A quantifier: least and most, `None` for no end.
struct Count {
    min: u32,
    max: Option<u32>,
}

#[derive(Clone, Copy)]
struct Mark {
    exact: usize,
    filter: usize,
}

pub(super) struct Translator {
    pub(super) chars: Vec<char>,
    pub(super) at: usize,
    pub(super) ignore_case: bool,
    /// Names of the capturing groups in order; the length is their number.
    pub(super) groups: Vec<Option<String>>,
    pub(super) has_names: bool,
    /// Capturing groups opened so far, and those still open.
    pub(super) n_opened: usize,
    pub(super) open: Vec<usize>,
    depth: usize,
    /// The whole pattern, with capturing groups.
    pub(super) exact: String,
    /// The pattern without look-around, references and captures.
    pub(super) filter: String,
    pub(super) plain: Option<String>,
    pub(super) needs_backtracking: bool,
    pub(super) sees_line_ends: bool,
    pub(super) sees_replacement: bool,
}

impl Translator {
    pub(super) fn new(source: &str, ignore_case: bool) -> Self {
        let mut new = Self {
            chars: source.chars().collect(),
            at: 0,
            ignore_case,
            groups: Vec::new(),
            has_names: false,
            n_opened: 0,
            open: Vec::new(),
            depth: 0,
            exact: String::with_capacity(source.len() * 2),
            filter: String::with_capacity(source.len() * 2),
            plain: Some(String::new()),
            needs_backtracking: false,
            sees_line_ends: false,
            sees_replacement: false,
        };
        new.count_groups();
        new
    }

    pub(super) fn translate(mut self) -> Parsed<Translated> {
        self.disjunction()?;
        if self.peek() == Some(')') {
            return Err("Unmatched ')'");
        }
        Ok(self.finish())
    }

    pub(super) fn literal_text(mut self, text: &str) -> Translated {
        for c in text.chars() {
            self.literal(c);
        }
        self.finish()
    }

    fn finish(self) -> Translated {
        let regex = if self.needs_backtracking {
            self.exact
        } else {
            self.filter.clone()
        };
        Translated {
            regex,
            needs_backtracking: self.needs_backtracking,
            filter: self.filter,
            plain: self.plain,
            sees_line_ends: self.sees_line_ends,
            sees_replacement: self.sees_replacement,
        }
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    pub(super) fn eat(&mut self, wanted: &str) -> bool {
        let found = wanted
            .chars()
            .enumerate()
            .all(|(ahead, c)| self.peek_at(ahead) == Some(c));
        if found {
            self.at += wanted.chars().count();
        }
        found
    }

    /// Finds all capturing groups beforehand: whether `\2` refers back depends on what follows.
    fn count_groups(&mut self) {
        let mut in_class = false;
        while let Some(c) = self.next() {
            match c {
                '\\' => {
                    self.next();
                }
                '[' => in_class = true,
                ']' => in_class = false,
                '(' if !in_class => {
                    if self.peek() != Some('?') {
                        self.groups.push(None);
                    } else if self.peek_at(1) == Some('<')
                        && !matches!(self.peek_at(2), Some('=' | '!'))
                    {
                        self.at += 2;
                        self.has_names = true;
                        let name = self.group_name().ok();
                        self.groups.push(name);
                    }
                }
                _ => {}
            }
        }
        self.at = 0;
    }

    fn disjunction(&mut self) -> Parsed<()> {
        loop {
            match self.peek() {
                None | Some(')') => return Ok(()),
                Some('|') => {
                    self.at += 1;
                    self.both("|");
                }
                Some(_) => self.term()?,
            }
        }
    }

    fn term(&mut self) -> Parsed<()> {
        let start = self.mark();
        let term = self.atom()?;
        let Some(count) = self.quantifier()? else {
            return Ok(());
        };
        match term {
            Term::Position => return Err(NOTHING_TO_REPEAT),
            Term::LookBehind => return Err("Invalid quantifier"),
            Term::Atom => {
                let lazy = if self.eat("?") { "?" } else { "" };
                let text = match (count.min, count.max) {
                    (0, None) => format!("*{lazy}"),
                    (1, None) => format!("+{lazy}"),
                    (0, Some(1)) => format!("?{lazy}"),
                    (min, None) => format!("{{{min},}}{lazy}"),
                    (min, Some(max)) if min == max => format!("{{{min}}}{lazy}"),
                    (min, Some(max)) => format!("{{{min},{max}}}{lazy}"),
                };
                self.both(&text);
            }
            Term::LookAhead => {
                self.eat("?");
                if count.min == 0 {
                    self.exact.insert_str(start.exact, "(?:");
                    self.exact.push_str("|)");
                }
            }
        }
        Ok(())
    }

    fn mark(&self) -> Mark {
        Mark {
            exact: self.exact.len(),
            filter: self.filter.len(),
        }
    }

    fn atom(&mut self) -> Parsed<Term> {
        let Some(c) = self.next() else {
            return Ok(Term::Position);
        };
        match c {
            '^' | '$' => {
                self.sees_line_ends = true;
                self.both(c.encode_utf8(&mut [0; 4]));
                return Ok(Term::Position);
            }
            '\\' => return self.escape(),
            '.' => self.set(CharSet::dot()),
            '[' => self.class()?,
            '(' => return self.group(),
            '*' | '+' | '?' => return Err(NOTHING_TO_REPEAT),
            '{' => {
                self.at -= 1;
                if self.interval().is_some() {
                    return Err(NOTHING_TO_REPEAT);
                }
                self.at += 1;
                self.literal('{');
            }
            c => self.literal(c),
        }
        Ok(Term::Atom)
    }

    fn quantifier(&mut self) -> Parsed<Option<Count>> {
        let (min, max) = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => {
                let Some(count) = self.interval() else {
                    return Ok(None);
                };
                if count.max.is_some_and(|max| max < count.min) {
                    return Err("numbers out of order in {} quantifier");
                }
                return Ok(Some(count));
            }
            _ => return Ok(None),
        };
        self.at += 1;
        Ok(Some(Count { min, max }))
    }

    /// Reads `{n}`, `{n,}` or `{n,m}`; anything else stays unread and is text.
    fn interval(&mut self) -> Option<Count> {
        let start = self.at;
        let count = self.interval_body();
        if count.is_none() {
            self.at = start;
        }
        count
    }

    fn interval_body(&mut self) -> Option<Count> {
        self.eat("{").then_some(())?;
        let min = self.number()?;
        let max = if self.eat(",") {
            if self.peek() == Some('}') {
                None
            } else {
                Some(self.number()?)
            }
        } else {
            Some(min)
        };
        self.eat("}").then_some(Count { min, max })
    }

    pub(super) fn number(&mut self) -> Option<u32> {
        let mut value = None;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            self.at += 1;
            let grown = value.unwrap_or(0_u32).saturating_mul(10) + digit;
            value = Some(grown.min(MAX_COUNT));
        }
        value
    }

    fn group(&mut self) -> Parsed<Term> {
        if self.depth == MAX_DEPTH {
            return Err(TOO_LARGE);
        }
        self.plain = None;
        let start = self.mark();
        let mut captured = None;
        let mut look = None;
        if !self.eat("?") {
            captured = Some(self.open_capture(None)?);
        } else if self.eat(":") {
            self.both("(?:");
        } else if let Some(kind) = ["=", "!", "<=", "<!"]
            .into_iter()
            .find(|kind| self.eat(kind))
        {
            look = Some(kind);
            self.needs_backtracking = true;
            self.exact.push_str("(?");
            self.exact.push_str(kind);
        } else if self.eat("<") {
            let name = self.group_name()?;
            captured = Some(self.open_capture(Some(&name))?);
        } else {
            return Err("Invalid group");
        }
        self.depth += 1;
        self.disjunction()?;
        self.depth -= 1;
        if !self.eat(")") {
            return Err("Unterminated group");
        }
        if let Some(index) = captured {
            self.open.retain(|&open| open != index);
        }
        let Some(kind) = look else {
            self.both(")");
            return Ok(Term::Atom);
        };
        self.exact.push(')');
        self.filter.truncate(start.filter);
        Ok(if kind.starts_with('<') {
            Term::LookBehind
        } else {
            Term::LookAhead
        })
    }

    fn open_capture(&mut self, name: Option<&str>) -> Parsed<usize> {
        let before = self.groups.get(..self.n_opened).unwrap_or_default();
        if name.is_some() && before.iter().any(|group| group.as_deref() == name) {
            return Err("Duplicate capture group name");
        }
        self.n_opened += 1;
        self.open.push(self.n_opened);
        self.exact.push('(');
        self.filter.push_str("(?:");
        Ok(self.n_opened)
    }

    /// Reads a bracketed class behind its opening bracket.
    fn class(&mut self) -> Parsed<()> {
        let negated = self.eat("^");
        let mut set = CharSet::empty();
        loop {
            let first = match self.next() {
                None => return Err(UNTERMINATED_CLASS),
                Some(']') => break,
                Some(c) => self.member(c)?,
            };
            if self.peek() != Some('-') || matches!(self.peek_at(1), None | Some(']')) {
                add_member(&mut set, first);
                continue;
            }
            self.at += 1;
            let second = match self.next() {
                None => return Err(UNTERMINATED_CLASS),
                Some(c) => self.member(c)?,
            };
            match (first, second) {
                (Member::Code(from), Member::Code(to)) if from > to => {
                    return Err("Range out of order in character class");
                }
                (Member::Code(from), Member::Code(to)) => set.add_range(from, to),
                (first, second) => {
                    add_member(&mut set, first);
                    add_member(&mut set, Member::Code(u32::from('-')));
                    add_member(&mut set, second);
                }
            }
        }
        if self.ignore_case {
            set.fold_case();
        }
        if negated {
            set = set.negated();
        }
        self.write_set(set);
        Ok(())
    }

    fn member(&mut self, c: char) -> Parsed<Member> {
        if c == '\\' {
            self.member_escape(true)
        } else {
            Ok(Member::Code(u32::from(c)))
        }
    }

    pub(super) fn code(&mut self, code: u32) {
        match char::from_u32(code) {
            Some(c) => self.literal(c),
            // Half a character: a text of whole characters never holds it.
            None => self.write_set(CharSet::empty()),
        }
    }

    fn literal(&mut self, c: char) {
        let mut set = CharSet::single(c);
        if self.ignore_case {
            set.fold_case();
        }
        if c == '\n' || set.only().is_none() {
            self.write_set(set);
            return;
        }
        self.note(&set);
        if let Some(plain) = &mut self.plain {
            plain.push(c);
        }
        write_literal(&mut self.exact, c);
        write_literal(&mut self.filter, c);
    }

    pub(super) fn set(&mut self, mut set: CharSet) {
        if self.ignore_case {
            set.fold_case();
        }
        self.write_set(set);
    }

    fn write_set(&mut self, set: CharSet) {
        self.plain = None;
        let set = set.without_line_feed();
        self.note(&set);
        set.write(&mut self.exact);
        set.write(&mut self.filter);
    }

    fn note(&mut self, set: &CharSet) {
        self.sees_line_ends |= set.contains('\r');
        self.sees_replacement |= set.contains(REPLACEMENT);
    }

    /// Writes syntax that is the same in both patterns.
    pub(super) fn both(&mut self, text: &str) {
        self.plain = None;
        self.exact.push_str(text);
        self.filter.push_str(text);
    }
}

fn add_member(set: &mut CharSet, member: Member) {
    match member {
        Member::Code(code) => set.add_range(code, code),
        Member::Set(other) => set.add(&other),
    }
}
