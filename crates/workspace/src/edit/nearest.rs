//! Where a text that does not occur nearly occurs, and what differs there.
//!
//! Only ever a hint: nothing here decides about an edit. Looks at a bounded part of the file and of
//! the text, in time proportional to both.

mod similar;
mod tell;

use std::borrow::Cow;
use std::collections::HashMap;

use memchr::memmem;

use self::similar::most_similar;
use self::tell::{Part, differing_line, quote};
use super::line_ends::with_lf;
use super::places::line_of;

/// Bytes of the file that are looked at.
const TEXT_BYTES: usize = 2 * 1024 * 1024;
/// Bytes of the text looked for that are looked at.
const OLD_BYTES: usize = 64 * 1024;
/// Places in the old text that one line of the file may stand for.
const SAME_LINES: usize = 4;
/// Bytes of a line that count when places are weighed, so that one long line does not outweigh all.
const LINE_WEIGHT: usize = 16;

/// One line about the nearest place; `None` when nothing is near.
pub(super) fn nearest(text: &[u8], old: &str) -> Option<String> {
    if text.is_empty() {
        return Some("the file is empty".to_owned());
    }
    let whole_text = text.len() <= TEXT_BYTES;
    let text = with_lf(text.get(..TEXT_BYTES).unwrap_or(text));
    let old = with_lf(old.get(..border(old)).unwrap_or(old).as_bytes());
    known_mistake(&text, &old, whole_text).or_else(|| differing_place(&text, &old, whole_text))
}

/// The character border at which the old text is cut.
fn border(old: &str) -> usize {
    let mut border = old.len().min(OLD_BYTES);
    while !old.is_char_boundary(border) {
        border -= 1;
    }
    border
}

/// The mistakes that have a name: each is proven by finding the text once it is undone.
fn known_mistake(text: &[u8], old: &[u8], whole_text: bool) -> Option<String> {
    let find = |old: &[u8]| Some(line_of(text, memmem::find(text, old)?));
    if let Some(bare) = without_line_numbers(old)
        && let Some(line) = find(&bare)
    {
        return Some(format!(
            "it is at line {line} without the line numbers that read_file puts in front; leave them out of oldString"
        ));
    }
    if let Some(plain) = unescaped(old)
        && let Some(line) = find(&plain)
    {
        return Some(format!(
            "it is at line {line} with real line breaks, tabs or quotes; oldString has a backslash in front of them"
        ));
    }
    if memchr::memchr(b'\r', text).is_some() {
        let cr_as_lf = |bytes: &[u8]| -> Vec<u8> {
            let lf = |&byte: &u8| if byte == b'\r' { b'\n' } else { byte };
            bytes.iter().map(lf).collect()
        };
        let bare = cr_as_lf(text);
        if let Some(at) = memmem::find(&bare, &cr_as_lf(old)) {
            return Some(format!(
                "line {} differs in its line ends: the file has a carriage return alone (\\r)",
                line_of(text, at)
            ));
        }
    }
    let bare = old.strip_suffix(b"\n").unwrap_or(old);
    if whole_text && bare.len() < old.len() && !bare.is_empty() && text.ends_with(bare) {
        return Some(format!(
            "line {} is the last one and has no line end; oldString has one",
            line_of(text, text.len())
        ));
    }
    None
}

/// The text without `12: ` in front of each line; `None` unless each line has it.
fn without_line_numbers(old: &[u8]) -> Option<Vec<u8>> {
    let body = old.strip_suffix(b"\n").unwrap_or(old);
    let mut bare = Vec::with_capacity(old.len());
    for (i, line) in body.split(|&byte| byte == b'\n').enumerate() {
        let n_digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let rest = line.get(n_digits..)?;
        if n_digits == 0 {
            return None;
        }
        let rest = match rest.strip_prefix(b": ") {
            Some(rest) => rest,
            None => rest.strip_prefix(b":").filter(|rest| rest.is_empty())?,
        };
        if i > 0 {
            bare.push(b'\n');
        }
        bare.extend_from_slice(rest);
    }
    (!bare.is_empty()).then_some(bare)
}

/// The text with `\n`, `\t`, `\r`, `\"`, `\'` and `\\` read as an escaping language would; `None` when it has none.
fn unescaped(old: &[u8]) -> Option<Vec<u8>> {
    memchr::memchr(b'\\', old)?;
    let mut plain = Vec::with_capacity(old.len());
    let mut rest = old;
    loop {
        rest = match rest {
            [b'\\', b'r', b'\\', b'n', rest @ ..] | [b'\\', b'n', rest @ ..] => {
                plain.push(b'\n');
                rest
            }
            [b'\\', b't', rest @ ..] => {
                plain.push(b'\t');
                rest
            }
            [b'\\', byte @ (b'"' | b'\'' | b'\\'), rest @ ..] | [byte, rest @ ..] => {
                plain.push(*byte);
                rest
            }
            [] => break,
        };
    }
    (plain != old).then_some(plain)
}

/// The place where most lines agree, or else the line most like the longest one of the old text.
fn differing_place(text: &[u8], old: &[u8], whole_text: bool) -> Option<String> {
    // A last line end begins no further line.
    let body = text.strip_suffix(b"\n").unwrap_or(text);
    let lines: Vec<&[u8]> = body.split(|&byte| byte == b'\n').collect();
    let old_lines: Vec<&[u8]> = old.split(|&byte| byte == b'\n').collect();
    let start = start_of_nearest(&plain_all(&lines), &plain_all(&old_lines))?;
    let last = old_lines.len() - 1;
    for (row, old_line) in old_lines.iter().enumerate() {
        let part = match (row == 0, row == last) {
            (true, true) => Part::Within,
            (true, false) => Part::Tail,
            (false, true) => Part::Head,
            (false, false) => Part::Whole,
        };
        // Behind a last line end the old text asks nothing of the next line.
        if row > 0 && part == Part::Head && old_line.is_empty() {
            continue;
        }
        let line = start + row;
        let from = if row == 0 {
            String::new()
        } else {
            format!("nearest at line {}; ", start + 1)
        };
        match lines.get(line) {
            Some(found) if part.agrees(found, old_line) => {}
            Some(found) => {
                let told = differing_line(found, old_line, part);
                return Some(format!("{from}line {} differs{told}", line + 1));
            }
            None if whole_text => {
                return Some(format!(
                    "{from}the file ends before `{}` of oldString",
                    quote(&String::from_utf8_lossy(old_line), 0)
                ));
            }
            None => return None,
        }
    }
    None
}

/// The line at which the nearest place begins.
fn start_of_nearest(lines: &[Cow<'_, [u8]>], old_lines: &[Cow<'_, [u8]>]) -> Option<usize> {
    best_start(lines, old_lines).or_else(|| {
        let (row, probe) = old_lines
            .iter()
            .enumerate()
            .max_by_key(|(row, line)| (line.trim_ascii().len(), usize::MAX - row))?;
        let like = most_similar(lines, probe)?;
        // With the best line too near the top, the old text would begin before the file.
        Some(like.saturating_sub(row))
    })
}

fn plain_all<'a>(lines: &[&'a [u8]]) -> Vec<Cow<'a, [u8]>> {
    lines.iter().map(|line| plain(line)).collect()
}

/// A line with the characters of typesetting as those of a keyboard, so that a quotation mark of the
/// wrong kind does not hide where a short line is.
fn plain(line: &[u8]) -> Cow<'_, [u8]> {
    if line.is_ascii() {
        return Cow::Borrowed(line);
    }
    let Ok(text) = std::str::from_utf8(line) else {
        return Cow::Borrowed(line);
    };
    let plain = text.chars().map(|c| match c {
        '\u{2018}'..='\u{201b}' | '\u{2032}' => '\'',
        '\u{201c}'..='\u{201f}' | '\u{2033}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        c if c.is_whitespace() => ' ',
        c => c,
    });
    Cow::Owned(plain.collect::<String>().into_bytes())
}

/// The line from which on most of the old text agrees but for white space and case.
fn best_start(lines: &[Cow<'_, [u8]>], old_lines: &[Cow<'_, [u8]>]) -> Option<usize> {
    let mut rows: HashMap<Cow<'_, [u8]>, Vec<usize>> = HashMap::new();
    let mut whole = 0;
    for (row, line) in old_lines.iter().enumerate() {
        let squashed = squash(line);
        if !squashed.is_empty() {
            whole += weight(&squashed);
            let same = rows.entry(squashed).or_default();
            if same.len() < SAME_LINES {
                same.push(row);
            }
        }
    }
    let longest = rows.keys().map(|line| line.len()).max()?;
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for (line, found) in lines.iter().enumerate() {
        // White space aside, it could not be equal.
        if found.trim_ascii().len() > longest.saturating_mul(4) + 64 {
            continue;
        }
        let squashed = squash(found);
        for row in rows.get(&squashed).into_iter().flatten() {
            if let Some(start) = line.checked_sub(*row) {
                *votes.entry(start).or_default() += weight(&squashed);
            }
        }
    }
    let (start, agreed) = votes
        .into_iter()
        .max_by_key(|&(start, agreed)| (agreed, usize::MAX - start))?;
    // Fewer than that are braces and blank lines, which agree everywhere.
    (agreed * 4 >= whole).then_some(start)
}

fn weight(squashed: &[u8]) -> usize {
    squashed.len().min(LINE_WEIGHT)
}

/// A line without white space, in lower case.
fn squash(line: &[u8]) -> Cow<'_, [u8]> {
    let odd = |byte: &u8| byte.is_ascii_whitespace() || byte.is_ascii_uppercase();
    let line = line.trim_ascii();
    if !line.iter().any(odd) {
        return Cow::Borrowed(line);
    }
    let kept = line.iter().filter(|byte| !byte.is_ascii_whitespace());
    Cow::Owned(kept.map(u8::to_ascii_lowercase).collect())
}
