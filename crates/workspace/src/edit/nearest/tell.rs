//! What differs between a line of the file and a line of the text looked for.

use unicode_normalization::UnicodeNormalization;

/// Characters of a line that are quoted, as shown.
const QUOTED_CHARS: usize = 120;
/// Characters of a line that are compared.
const COMPARED_CHARS: usize = 4000;

/// How much of a line of the file a line of the text must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// All of it.
    Whole,
    /// Its end, as for the first of several lines.
    Tail,
    /// Its beginning, as for the last of several lines.
    Head,
    /// Any stretch, as for a single line.
    Within,
}

impl Part {
    /// Says whether the line of the file holds the line of the text in the right way.
    pub(super) fn agrees(self, found: &[u8], old: &[u8]) -> bool {
        match self {
            Self::Whole => found == old,
            Self::Tail => found.ends_with(old),
            Self::Head => found.starts_with(old),
            Self::Within => memchr::memmem::find(found, old).is_some(),
        }
    }
}

/// What differs, to go behind `line 12 differs`.
pub(super) fn differing_line(found: &[u8], old: &[u8], part: Part) -> String {
    let (found_text, old_text) = (as_text(found), as_text(old));
    let differing = Differing::find(&found_text, &old_text, part);
    let what = kind(&found_text, &old_text, part).map_or_else(
        || differing.character(&found_text, &old_text, part),
        |kind| format!(" in {kind}"),
    );
    format!(
        "{what}: the file has `{}`, oldString has `{}`",
        quote(&found_text, differing.in_found),
        quote(&old_text, differing.in_old)
    )
}

/// Stands for the byte 0, and those behind it for the other bytes, where a line is not UTF-8.
///
/// Private characters that no font has; a file that does hold one only gets an odd hint.
const BYTE: u32 = 0x10_ff00;

/// The beginning of a line as text, each byte that is not UTF-8 as a character of its own.
fn as_text(line: &[u8]) -> String {
    let chunks = line.utf8_chunks().flat_map(|chunk| {
        let bytes = chunk.invalid().iter();
        let bytes = bytes.filter_map(|&byte| char::from_u32(BYTE + u32::from(byte)));
        chunk.valid().chars().chain(bytes)
    });
    chunks.take(COMPARED_CHARS).collect()
}

/// The byte that a character of [`as_text`] stands for.
fn byte_of(c: char) -> Option<u8> {
    let byte = u32::from(c).checked_sub(BYTE)?;
    u8::try_from(byte).ok()
}

/// How a person looks a character up.
fn name(c: char) -> String {
    match byte_of(c) {
        Some(byte) => format!("byte 0x{byte:02X}"),
        None => format!("U+{:04X}", u32::from(c)),
    }
}

/// A character in a quotation, with nothing hidden and no space that looks like another.
fn shown(c: char) -> String {
    match byte_of(c) {
        Some(byte) => rooted::show(&[byte]),
        None if c != ' ' && c.is_whitespace() && !c.is_control() => {
            format!("\\u{{{:x}}}", u32::from(c))
        }
        None => rooted::show(c.encode_utf8(&mut [0; 4]).as_bytes()),
    }
}

/// The kind of difference, if it is one that has a name.
fn kind(found: &str, old: &str, part: Part) -> Option<&'static str> {
    let agrees = |found: &str, old: &str| part.agrees(found.as_bytes(), old.as_bytes());
    let start_counts = matches!(part, Part::Whole | Part::Head | Part::Within);
    let end_counts = matches!(part, Part::Whole | Part::Tail | Part::Within);
    if start_counts && agrees(found.trim_start(), old.trim_start()) {
        return Some("indentation");
    }
    if end_counts && agrees(found.trim_end(), old.trim_end()) {
        return Some("spaces at the end");
    }
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    if agrees(&words(found), &words(old)) {
        return Some("spaces");
    }
    let lower = |line: &str| words(&line.to_lowercase());
    if agrees(&lower(found), &lower(old)) {
        return Some("letter case");
    }
    let composed = |line: &str| line.nfc().collect::<String>();
    if agrees(&composed(found), &composed(old)) {
        return Some("the Unicode form of a character");
    }
    None
}

/// Where two lines part, in characters from the start of each.
struct Differing {
    in_found: usize,
    in_old: usize,
}

impl Differing {
    fn find(found: &str, old: &str, part: Part) -> Self {
        match part {
            Part::Whole | Part::Head => {
                let same = n_same(found.chars(), old.chars());
                Self {
                    in_found: same,
                    in_old: same,
                }
            }
            Part::Tail => {
                let same = n_same(found.chars().rev(), old.chars().rev());
                Self {
                    in_found: (found.chars().count() - same).saturating_sub(1),
                    in_old: (old.chars().count() - same).saturating_sub(1),
                }
            }
            Part::Within => Self::find_within(found, old),
        }
    }

    /// The longest beginning of `old` that is in `found` somewhere; a shorter one always is too.
    fn find_within(found: &str, old: &str) -> Self {
        let indent = old.chars().take_while(|c| c.is_whitespace()).count();
        let borders: Vec<usize> = old.char_indices().map(|(at, _)| at).skip(indent).collect();
        let from = borders.first().copied().unwrap_or(0);
        let place = |n_chars: usize| {
            let to = borders.get(n_chars).copied().unwrap_or(old.len());
            found.find(old.get(from..to).unwrap_or_default())
        };
        let (mut there, mut absent) = (0, borders.len() + 1);
        while absent - there > 1 {
            let middle = there + (absent - there) / 2;
            if place(middle).is_some() {
                there = middle;
            } else {
                absent = middle;
            }
        }
        let before = place(there)
            .and_then(|at| found.get(..at))
            .unwrap_or_default();
        Self {
            in_found: before.chars().count() + there,
            in_old: indent + there,
        }
    }

    /// The one character that differs, if it is only one.
    fn character(&self, found: &str, old: &str, part: Part) -> String {
        let mut found_rest = found.chars().skip(self.in_found);
        let mut old_rest = old.chars().skip(self.in_old);
        let (Some(there), Some(asked)) = (found_rest.next(), old_rest.next()) else {
            return String::new();
        };
        let (found_rest, old_rest): (String, String) = (found_rest.collect(), old_rest.collect());
        let only_one = match part {
            Part::Whole => found_rest == old_rest,
            Part::Head | Part::Within => found_rest.starts_with(&old_rest),
            Part::Tail => before(found, self.in_found).ends_with(&before(old, self.in_old)),
        };
        if !only_one {
            return String::new();
        }
        format!(
            " in a character ({} in the file, {} in oldString)",
            name(there),
            name(asked)
        )
    }
}

/// The first characters of a line.
fn before(line: &str, n_chars: usize) -> String {
    line.chars().take(n_chars).collect()
}

fn n_same(a: impl Iterator<Item = char>, b: impl Iterator<Item = char>) -> usize {
    a.zip(b).take_while(|(a, b)| a == b).count()
}

/// Part of a line around the character `at`, in one line and with nothing hidden.
pub(super) fn quote(line: &str, at: usize) -> String {
    let n_chars = line.chars().count();
    // A third of the room goes in front of the difference, and all that the end of the line leaves.
    let first = at
        .saturating_sub(QUOTED_CHARS / 3)
        .min(n_chars.saturating_sub(QUOTED_CHARS));
    let mut quoted = String::new();
    if first > 0 {
        quoted.push('…');
    }
    let mut n_shown = 0;
    for c in line.chars().skip(first) {
        let shown = shown(c);
        n_shown += shown.chars().count();
        if n_shown > QUOTED_CHARS {
            quoted.push('…');
            break;
        }
        quoted.push_str(&shown);
    }
    quoted
}
