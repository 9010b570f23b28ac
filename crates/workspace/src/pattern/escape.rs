//! What a backslash may begin, and the names of groups.

use std::fmt::Write as _;

use super::class::CharSet;
use super::translate::{Member, Parsed, TRAILING_BACKSLASH, Term, Translator};

const BAD_GROUP_NAME: &str = "Invalid capture group name";
/// `\b` and `\B` of ASCII words, as look-around.
const BOUNDARY: &str = "(?:(?<=[0-9A-Za-z_])(?![0-9A-Za-z_])|(?<![0-9A-Za-z_])(?=[0-9A-Za-z_]))";
const NO_BOUNDARY: &str = "(?:(?<=[0-9A-Za-z_])(?=[0-9A-Za-z_])|(?<![0-9A-Za-z_])(?![0-9A-Za-z_]))";

impl Translator {
    /// Reads what follows a backslash outside a class.
    pub(super) fn escape(&mut self) -> Parsed<Term> {
        let Some(c) = self.peek() else {
            return Err(TRAILING_BACKSLASH);
        };
        match c {
            'b' => {
                self.at += 1;
                self.plain = None;
                // The backtracking engine knows the Unicode word only.
                self.exact.push_str(BOUNDARY);
                self.filter.push_str("(?-u:\\b)");
                return Ok(Term::Position);
            }
            'B' => {
                // On bytes this position also lies inside a character, so only the look-around
                // form of it is exact.
                self.at += 1;
                self.plain = None;
                self.needs_backtracking = true;
                self.exact.push_str(NO_BOUNDARY);
                return Ok(Term::Position);
            }
            '1'..='9' => {
                if let Some(index) = self.reference_number() {
                    self.reference(index);
                    return Ok(Term::Atom);
                }
            }
            'k' if self.has_names => {
                self.at += 1;
                if !self.eat("<") {
                    return Err("Invalid named reference");
                }
                let name = self.group_name()?;
                let place = self
                    .groups
                    .iter()
                    .position(|group| group.as_deref() == Some(&name));
                let index = place.ok_or("Invalid named capture referenced")?;
                self.reference(index + 1);
                return Ok(Term::Atom);
            }
            _ => {}
        }
        match self.member_escape(false)? {
            Member::Code(code) => self.code(code),
            Member::Set(set) => self.set(set),
        }
        Ok(Term::Atom)
    }

    /// Reads the number of a back-reference, if the pattern has that many groups.
    fn reference_number(&mut self) -> Option<usize> {
        let start = self.at;
        let index = self
            .number()
            .and_then(|number| usize::try_from(number).ok());
        let index = index.filter(|&index| index <= self.groups.len());
        if index.is_none() {
            self.at = start;
        }
        index
    }

    fn reference(&mut self, index: usize) {
        self.plain = None;
        // A group that has not been closed yet has caught nothing, and that matches everywhere.
        if index > self.n_opened || self.open.contains(&index) {
            self.both("(?:)");
            return;
        }
        self.needs_backtracking = true;
        self.sees_line_ends = true;
        self.sees_replacement = true;
        let flags = if self.ignore_case { "i" } else { "" };
        // Writing to a string cannot fail.
        let _ = write!(self.exact, "(?:(?({index})(?{flags}:\\{index})|))");
        self.filter.push_str("(?:[^\\n]*?)");
    }

    /// Reads the escapes that stand for a character or a set, inside a class or out of it.
    pub(super) fn member_escape(&mut self, in_class: bool) -> Parsed<Member> {
        let Some(c) = self.next() else {
            return Err(TRAILING_BACKSLASH);
        };
        Ok(Member::Code(match c {
            'd' => return Ok(Member::Set(CharSet::digits())),
            'D' => return Ok(Member::Set(CharSet::digits().negated())),
            'w' => return Ok(Member::Set(CharSet::word())),
            'W' => return Ok(Member::Set(CharSet::word().negated())),
            's' => return Ok(Member::Set(CharSet::space())),
            'S' => return Ok(Member::Set(CharSet::space().negated())),
            'b' if in_class => 0x08,
            'f' => 0x0c,
            'n' => 0x0a,
            'r' => 0x0d,
            't' => 0x09,
            'v' => 0x0b,
            'k' if in_class && self.has_names => return Err("Invalid escape"),
            '0'..='7' => {
                self.at -= 1;
                self.octal()
            }
            'c' => {
                let letter = self.peek().filter(|&c| {
                    c.is_ascii_alphabetic() || (in_class && (c.is_ascii_digit() || c == '_'))
                });
                if let Some(letter) = letter {
                    self.at += 1;
                    u32::from(letter) & 0x1f
                } else {
                    self.at -= 1;
                    u32::from('\\')
                }
            }
            'x' => self.hex(2).unwrap_or(u32::from('x')),
            'u' => self.code_unit().unwrap_or(u32::from('u')),
            c => u32::from(c),
        }))
    }

    /// Reads up to three octal digits with a value below 256.
    fn octal(&mut self) -> u32 {
        let mut value = 0;
        for _ in 0..3 {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(8)) else {
                break;
            };
            if value >= 32 {
                break;
            }
            self.at += 1;
            value = value * 8 + digit;
        }
        value
    }

    fn hex(&mut self, n_digits: usize) -> Option<u32> {
        let digits = self.chars.get(self.at..self.at + n_digits)?;
        let value = digits
            .iter()
            .try_fold(0, |value, c| Some(value * 16 + c.to_digit(16)?))?;
        self.at += n_digits;
        Some(value)
    }

    /// Reads four hexadecimal digits, and the other half behind them if they are only one.
    fn code_unit(&mut self) -> Option<u32> {
        let unit = self.hex(4)?;
        let start = self.at;
        if (0xd800..0xdc00).contains(&unit) && self.eat("\\u") {
            match self.hex(4) {
                Some(low @ 0xdc00..0xe000) => {
                    return Some(0x1_0000 + (unit - 0xd800) * 0x400 + (low - 0xdc00));
                }
                Some(_) | None => self.at = start,
            }
        }
        Some(unit)
    }

    /// Reads a name and its `>`.
    pub(super) fn group_name(&mut self) -> Parsed<String> {
        let mut name = String::new();
        loop {
            let c = match self.next() {
                Some('>') if !name.is_empty() => return Ok(name),
                Some('\\') => {
                    let code = self.eat("u").then(|| self.braced_or_hex()).flatten();
                    code.and_then(char::from_u32)
                }
                other => other,
            };
            let c = c.ok_or(BAD_GROUP_NAME)?;
            let fits = c == '$'
                || c == '_'
                || c.is_alphabetic()
                || (!name.is_empty()
                    && (c.is_alphanumeric() || matches!(c, '\u{200c}' | '\u{200d}')));
            if !fits {
                return Err(BAD_GROUP_NAME);
            }
            name.push(c);
        }
    }

    fn braced_or_hex(&mut self) -> Option<u32> {
        if !self.eat("{") {
            return self.code_unit();
        }
        let mut value = None;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(16)) {
            self.at += 1;
            let grown = value.unwrap_or(0_u32).saturating_mul(16) + digit;
            value = Some(grown.min(0x11_0000));
        }
        self.eat("}").then_some(value)?
    }
}
