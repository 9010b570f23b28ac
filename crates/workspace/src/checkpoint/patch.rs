//! The difference between two versions of a file as text, laid out as git does.

use std::fmt::Write as _;
use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput, Token};

use super::id::Id;
use super::tree::Leaf;

/// Lines of context around a change.
const CONTEXT: u32 = 3;
/// Bytes that are searched for a NUL, which makes a file binary.
const SNIFFED: usize = 8000;
/// Bytes of a version beyond which it counts as binary.
const TEXT_BYTES: usize = 16 * 1024 * 1024;
/// Bytes of the line that tells where in the file a change is.
const HEADING: usize = 80;

/// One version of a file.
#[derive(Debug)]
pub(super) struct Side {
    pub(super) leaf: Leaf,
    pub(super) content: Vec<u8>,
}

/// Two versions of a file; one of them may be missing.
#[derive(Debug)]
pub(super) struct Sides {
    pub(super) path: Box<[u8]>,
    pub(super) old: Option<Side>,
    pub(super) new: Option<Side>,
}

impl Sides {
    pub(super) fn is_binary(&self) -> bool {
        [&self.old, &self.new].into_iter().flatten().any(|side| {
            let start = side.content.get(..SNIFFED).unwrap_or(&side.content);
            side.content.len() > TEXT_BYTES || memchr::memchr(0, start).is_some()
        })
    }

    fn lines(&self) -> InternedInput<&[u8]> {
        InternedInput::new(content(&self.old), content(&self.new))
    }

    /// Lines added and removed; `None` for what is no text.
    pub(super) fn count(&self) -> Option<(u64, u64)> {
        if self.is_binary() {
            return None;
        }
        let lines = self.lines();
        let diff = Diff::compute(Algorithm::Myers, &lines);
        Some((diff.count_additions().into(), diff.count_removals().into()))
    }

    /// What a diff says of the file; `None` when that is more than `limit` bytes.
    pub(super) fn section(&self, limit: usize) -> Option<String> {
        let mut text = self.header();
        let same = match (&self.old, &self.new) {
            (Some(old), Some(new)) => old.leaf.id == new.leaf.id,
            (one, other) => [one, other]
                .into_iter()
                .flatten()
                .all(|side| side.content.is_empty()),
        };
        if same {
            return Some(text);
        }
        let side = |side: &Option<Side>, prefix: &str| match side {
            Some(_) => quoted(prefix, &self.path),
            None => "/dev/null".to_owned(),
        };
        let (old, new) = (side(&self.old, "a/"), side(&self.new, "b/"));
        if self.is_binary() {
            let _ = writeln!(text, "Binary files {old} and {new} differ");
            return Some(text);
        }
        // Where a name ends would else be a guess.
        let end = |name: &str| {
            if name.contains(char::is_whitespace) && !name.starts_with('"') {
                "\t"
            } else {
                ""
            }
        };
        let _ = writeln!(text, "--- {old}{}", end(&old));
        let _ = writeln!(text, "+++ {new}{}", end(&new));
        let lines = self.lines();
        let mut diff = Diff::compute(Algorithm::Myers, &lines);
        diff.postprocess_lines(&lines);
        let mut body = Vec::new();
        for hunk in hunks(&diff, &lines) {
            hunk.write(&lines, &mut body);
            if body.len() > limit {
                return None;
            }
        }
        text.push_str(&String::from_utf8_lossy(&body));
        Some(text)
    }

    fn header(&self) -> String {
        let (a, b) = (quoted("a/", &self.path), quoted("b/", &self.path));
        let mut text = format!("diff --git {a} {b}\n");
        let of = |side: &Option<Side>| side.as_ref().map(|side| side.leaf);
        let (old, new) = (of(&self.old), of(&self.new));
        let mut kept = String::new();
        match (old, new) {
            (None, Some(new)) => {
                let _ = writeln!(text, "new file mode {:06o}", new.mode.0);
            }
            (Some(old), None) => {
                let _ = writeln!(text, "deleted file mode {:06o}", old.mode.0);
            }
            (Some(old), Some(new)) if old.mode != new.mode => {
                let _ = writeln!(text, "old mode {:06o}", old.mode.0);
                let _ = writeln!(text, "new mode {:06o}", new.mode.0);
            }
            (Some(old), Some(_)) => kept = format!(" {:06o}", old.mode.0),
            (None, None) => {}
        }
        let short = |leaf: Option<Leaf>| {
            let id = leaf.map_or(Id::NONE, |leaf| leaf.id).to_string();
            id.get(..7).unwrap_or_default().to_owned()
        };
        if old.map(|leaf| leaf.id) != new.map(|leaf| leaf.id) {
            let _ = writeln!(text, "index {}..{}{kept}", short(old), short(new));
        }
        text
    }
}

/// The bytes of a version; none when there is none.
fn content(side: &Option<Side>) -> &[u8] {
    side.as_ref().map_or(&[], |side| &side.content)
}

/// A path behind a prefix, in quotes when it holds what would be misread.
fn quoted(prefix: &str, path: &[u8]) -> String {
    let plain = std::str::from_utf8(path)
        .ok()
        .filter(|text| !text.contains(|c: char| rooted::is_hidden(c) || matches!(c, '"' | '\\')));
    if let Some(text) = plain {
        return format!("{prefix}{text}");
    }
    let mut out = format!("\"{prefix}");
    for chunk in path.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '"' | '\\' => out.extend(['\\', c]),
                '\n' => out.push_str("\\n"),
                '\t' => out.push_str("\\t"),
                '\r' => out.push_str("\\r"),
                c if rooted::is_hidden(c) => {
                    let mut bytes = [0; 4];
                    octal(c.encode_utf8(&mut bytes).as_bytes(), &mut out);
                }
                c => out.push(c),
            }
        }
        octal(chunk.invalid(), &mut out);
    }
    out.push('"');
    out
}

fn octal(bytes: &[u8], out: &mut String) {
    for byte in bytes {
        let _ = write!(out, "\\{byte:03o}");
    }
}

/// Changes close to each other, with the lines around them.
struct Hunk {
    before: Range<u32>,
    after: Range<u32>,
    changes: Vec<imara_diff::Hunk>,
}

fn hunks(diff: &Diff, lines: &InternedInput<&[u8]>) -> Vec<Hunk> {
    let (n_before, n_after) = (length(&lines.before), length(&lines.after));
    let mut hunks: Vec<Hunk> = Vec::new();
    for change in diff.hunks() {
        let end = |at: u32, n: u32| at.saturating_add(CONTEXT).min(n);
        let (before_end, after_end) = (
            end(change.before.end, n_before),
            end(change.after.end, n_after),
        );
        match hunks.last_mut() {
            Some(last) if change.before.start.saturating_sub(CONTEXT) <= last.before.end => {
                last.before.end = before_end;
                last.after.end = after_end;
                last.changes.push(change);
            }
            _ => hunks.push(Hunk {
                before: change.before.start.saturating_sub(CONTEXT)..before_end,
                after: change.after.start.saturating_sub(CONTEXT)..after_end,
                changes: vec![change],
            }),
        }
    }
    hunks
}

fn length(lines: &[Token]) -> u32 {
    u32::try_from(lines.len()).unwrap_or(u32::MAX)
}

impl Hunk {
    fn write(&self, lines: &InternedInput<&[u8]>, out: &mut Vec<u8>) {
        let range = |range: &Range<u32>| match range.end - range.start {
            // An empty range is told by the line before it.
            0 => format!("{},0", range.start),
            1 => format!("{}", range.start + 1),
            n => format!("{},{n}", range.start + 1),
        };
        let head = format!("@@ -{} +{} @@", range(&self.before), range(&self.after));
        out.extend_from_slice(head.as_bytes());
        if let Some(heading) = heading(lines, self.before.start) {
            out.push(b' ');
            out.extend_from_slice(heading);
        }
        out.push(b'\n');
        let mut at = self.before.start;
        for change in &self.changes {
            each(lines, &lines.before, at..change.before.start, b' ', out);
            each(lines, &lines.before, change.before.clone(), b'-', out);
            each(lines, &lines.after, change.after.clone(), b'+', out);
            at = change.before.end;
        }
        each(lines, &lines.before, at..self.before.end, b' ', out);
    }
}

/// Writes lines with a mark before each.
fn each(
    lines: &InternedInput<&[u8]>,
    tokens: &[Token],
    range: Range<u32>,
    mark: u8,
    out: &mut Vec<u8>,
) {
    let tokens = tokens.get(range.start as usize..range.end as usize);
    for token in tokens.unwrap_or_default() {
        let line = lines.interner[*token];
        out.push(mark);
        out.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            out.extend_from_slice(b"\n\\ No newline at end of file\n");
        }
    }
}

/// The nearest line above that looks like the start of a function or section.
fn heading<'a>(lines: &InternedInput<&'a [u8]>, before: u32) -> Option<&'a [u8]> {
    let above = lines.before.get(..before as usize)?;
    let line = above.iter().rev().map(|token| lines.interner[*token]);
    let line = line.into_iter().find(|line| {
        line.first()
            .is_some_and(|&byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$'))
    })?;
    Some(line.get(..HEADING).unwrap_or(line).trim_ascii_end())
}
