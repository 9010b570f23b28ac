//! Finding the links in a note: `[[wiki]]`, `[text](path.md)` and `[label]: path.md`.

use std::borrow::Cow;

use memchr::{memchr, memmem};

use crate::vault::markdown::{Line, Note, code_spans};

/// Bytes of a target; what is longer is no path.
const TARGET_BYTES: usize = 1024;
/// Brackets within brackets that a target may have, as in CommonMark: so each `](` takes bounded time,
/// and many that never end do too.
const NESTED: usize = 32;
/// Names of files that a wiki link may embed and that are no notes.
const OTHER_FILES: [&str; 24] = [
    "png", "jpg", "jpeg", "gif", "svg", "webp", "bmp", "avif", "pdf", "mp3", "wav", "m4a", "ogg",
    "flac", "3gp", "mp4", "webm", "ogv", "mov", "mkv", "canvas", "base", "csv", "zip",
];

/// A link as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found<'a> {
    /// How it is written.
    pub(super) style: Style,
    /// The target as it is written, without another text to show.
    pub(super) target: Cow<'a, str>,
    /// The path that it names, without place in the note and in plain characters; never empty.
    pub(super) path: Cow<'a, str>,
    /// Its line, from 1.
    pub(super) line: u64,
}

/// How a link is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// `[[name]]`: found by name, wherever it is.
    Wiki,
    /// `[text](path)`: a path, as seen from the note.
    Markdown,
}

impl Found<'_> {
    /// Says whether it is meant to lead to a note for sure, even if there is none.
    pub(super) fn names_a_note(&self) -> bool {
        self.style == Style::Wiki || has_note_ending(&self.path)
    }
}

fn has_note_ending(path: &str) -> bool {
    crate::vault::path::is_note_name(path.as_bytes())
}

/// Calls `each` for every link in the text of a note, in order.
pub(super) fn find(content: &[u8], each: &mut dyn FnMut(Found<'_>)) {
    // Most notes without a link are known by that at once.
    if memchr(b'[', content).is_none() {
        return;
    }
    let note = Note::new(content);
    for line in note.lines() {
        if memchr(b'[', line.text).is_some() && note.is_text(&line) {
            find_in(&line, each);
        }
    }
}

fn find_in(line: &Line<'_>, each: &mut dyn FnMut(Found<'_>)) {
    let text = line.text;
    let code = if memchr(b'`', text).is_some() {
        code_spans(text)
    } else {
        Vec::new()
    };
    let mut give = |style, target: &[u8], at: usize| {
        let behind = code.partition_point(|span| span.end <= at);
        if code.get(behind).is_some_and(|span| span.contains(&at)) {
            return;
        }
        let target = String::from_utf8_lossy(target);
        let path = match style {
            Style::Wiki => wiki_path(&target).map(Cow::Borrowed),
            Style::Markdown => markdown_path(&target),
        };
        if let Some(path) = path {
            let line = line.number;
            let path = path.into_owned();
            each(Found {
                style,
                target: target.clone(),
                path: path.into(),
                line,
            });
        }
    };
    let mut at = 0;
    if let Some((target, behind)) = definition(text) {
        give(Style::Markdown, target, 0);
        at = behind;
    }
    while let Some(found) = text.get(at..).and_then(next_link) {
        let start = at + found;
        let rest = text.get(start..).unwrap_or_default();
        let end = if rest.starts_with(b"[[") {
            wiki(rest).map(|(target, len)| {
                // `[[1]](b.md)` is a link with brackets in its text.
                let is_text = rest.get(len - 1..).is_some_and(|end| inline(end).is_some());
                if !is_text || rest.get(len) != Some(&b'(') {
                    give(Style::Wiki, target, start);
                }
                start + len - 1
            })
        } else {
            inline(rest).map(|(target, len)| {
                give(Style::Markdown, target, start);
                start + len
            })
        };
        at = end.unwrap_or(start + 1);
    }
}

/// Where the next `[[` or `](` begins.
fn next_link(text: &[u8]) -> Option<usize> {
    memchr::memchr2_iter(b'[', b']', text)
        .find(|&at| matches!(text.get(at..at + 2), Some(b"[[" | b"](")))
}

/// The target of a wiki link and the length of the whole.
fn wiki(text: &[u8]) -> Option<(&[u8], usize)> {
    let inner = text.get(2..)?;
    let len = memmem::find(inner.get(..TARGET_BYTES).unwrap_or(inner), b"]]")?;
    let inner = inner.get(..len)?;
    // In a table the bar is escaped.
    let target = inner.split(|&byte| byte == b'|').next().unwrap_or(inner);
    let target = target.strip_suffix(b"\\").unwrap_or(target);
    Some((target.trim_ascii(), len + 4))
}

/// The target of `](target)` or `](<target> "title")` and the length of the whole.
fn inline(text: &[u8]) -> Option<(&[u8], usize)> {
    let inner = text.get(2..)?;
    let blanks = inner.len() - inner.trim_ascii_start().len();
    let (target, len) = destination(inner.get(blanks..)?)?;
    let rest = inner.get(blanks + len..)?;
    // A title longer than that is none, so that each link takes bounded time.
    let rest = rest.get(..TARGET_BYTES).unwrap_or(rest);
    let close = match rest.trim_ascii_start().first()? {
        b')' => memchr(b')', rest)?,
        quote @ (b'"' | b'\'') => {
            let open = memchr(*quote, rest)?;
            let end = open + 1 + memchr(*quote, rest.get(open + 1..)?)?;
            end + memchr(b')', rest.get(end..)?)?
        }
        _ => return None,
    };
    Some((target, 2 + blanks + len + close + 1))
}

/// The target of `[label]: target` and where it ends.
fn definition(text: &[u8]) -> Option<(&[u8], usize)> {
    let start = text.len() - text.trim_ascii_start().len();
    let rest = text.get(start..).filter(|_| start <= 3)?;
    // `[^1]:` is a footnote, and its text is text.
    if !rest.starts_with(b"[") || rest.starts_with(b"[^") {
        return None;
    }
    let close = memchr(b']', rest)?;
    let inner = rest.get(close..)?.strip_prefix(b"]:")?;
    let blanks = inner.len() - inner.trim_ascii_start().len();
    let (target, len) = destination(inner.get(blanks..)?)?;
    Some((target, start + close + 2 + blanks + len))
}

/// A destination at the beginning of a text, and its length.
fn destination(text: &[u8]) -> Option<(&[u8], usize)> {
    if let Some(inner) = text.strip_prefix(b"<") {
        let len = memchr(b'>', inner.get(..TARGET_BYTES).unwrap_or(inner))?;
        return Some((inner.get(..len)?, len + 2));
    }
    let mut depth = 0_usize;
    for (at, byte) in text.iter().enumerate().take(TARGET_BYTES) {
        match byte {
            b'(' if depth == NESTED => return None,
            b'(' => depth += 1,
            b')' if depth == 0 => return Some((text.get(..at)?, at)),
            b')' => depth -= 1,
            b' ' | b'\t' => return Some((text.get(..at)?, at)),
            _ => {}
        }
    }
    (text.len() < TARGET_BYTES).then_some((text, text.len()))
}

/// The path in the target of a wiki link.
fn wiki_path(target: &str) -> Option<&str> {
    let path = target.split(['#', '^']).next().unwrap_or_default().trim();
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_other = OTHER_FILES
        .iter()
        .any(|other| other.eq_ignore_ascii_case(ending));
    (!path.is_empty() && !is_other).then_some(path)
}

/// The path in the target of a Markdown link; `None` for what is no path of a note.
fn markdown_path(target: &str) -> Option<Cow<'static, str>> {
    let path = target.split(['#', '?']).next().unwrap_or_default();
    let scheme = path.split(['/', '#', '?']).next().unwrap_or_default();
    if path.is_empty() || scheme.contains(':') || path.starts_with("//") || path.ends_with('/') {
        return None;
    }
    let path = percent_decoded(path)?;
    let name = path.rsplit('/').next().unwrap_or_default();
    let is_note = has_note_ending(&path) || !name.contains('.');
    is_note.then_some(path.into())
}

/// The text with `%20` and the like made plain; `None` when that is no text.
fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        let digits = behind.get(..2).filter(|_| first == b'%');
        let byte = digits.and_then(|digits| {
            let digits = std::str::from_utf8(digits).ok()?;
            digits
                .bytes()
                .all(|digit| digit.is_ascii_hexdigit())
                .then_some(())?;
            u8::from_str_radix(digits, 16).ok()
        });
        match byte {
            Some(byte) => {
                bytes.push(byte);
                rest = behind.get(2..)?;
            }
            None => {
                bytes.push(first);
                rest = behind;
            }
        }
    }
    String::from_utf8(bytes).ok()
}
