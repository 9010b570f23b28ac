use proptest::prelude::{Strategy, prop, prop_assert_eq, proptest};

use super::{Cut, Text, scan};
use crate::paged::scan::Pause;
use crate::paged::terms::Terms;

/// The matching lines of a text, in pieces cut at these places, by number and resume offset.
fn in_pieces(
    text: &[u8],
    terms: &[String],
    cuts: &[usize],
    limit: usize,
) -> (Vec<(u64, u64)>, Pause) {
    let finder = Terms::new(None, Some(terms), false).unwrap().finder();
    let mut at = Pause::before(0);
    let mut found = Vec::new();
    let mut ends: Vec<usize> = cuts.iter().map(|cut| cut % (text.len() + 1)).collect();
    ends.push(text.len());
    ends.sort_unstable();
    for end in ends {
        while (at.offset as usize) < end && found.len() < limit {
            let overlap = (finder.longest as u64 - 1).min(at.offset - at.line_start);
            let base = at.offset - overlap;
            let cut = if end == text.len() {
                Cut::AtEnd
            } else {
                Cut::Midway
            };
            let piece = &text[base as usize..end];
            let lines = scan(piece, base, &mut at, &finder, limit - found.len(), cut);
            for line in lines.lines {
                if let Text::Known(told) = &line.text {
                    assert!(terms.iter().any(|term| told.contains(term.as_str())));
                }
                found.push((line.number, line.resume.offset));
            }
        }
    }
    (found, at)
}

/// The same, line by line.
fn plainly(text: &str, terms: &[String]) -> Vec<(u64, u64)> {
    let mut found = Vec::new();
    let mut offset = 0;
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        offset += line.len() as u64;
        if terms.iter().any(|term| line.contains(term.as_str())) {
            found.push((number, offset));
        }
    }
    found
}

fn text() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec!["a", "b", "ab", "aab", "\n", "x"]);
    prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn pieces_make_no_difference(
        text in text(),
        terms in prop::collection::vec(prop::sample::select(vec!["a", "ab", "aab", "bx", "abab"]), 1..4),
        cuts in prop::collection::vec(0_usize..200, 0..6),
    ) {
        let terms: Vec<String> = terms.into_iter().map(str::to_owned).collect();
        let (found, at) = in_pieces(text.as_bytes(), &terms, &cuts, usize::MAX);
        prop_assert_eq!(found, plainly(&text, &terms));
        prop_assert_eq!(at.offset, text.len() as u64);
        let ended = text.matches('\n').count() as u64;
        prop_assert_eq!(at.line, ended + 1);
    }

    #[test]
    fn it_ends_behind_the_last_line_that_is_wanted(text in text(), limit in 1_usize..4) {
        let terms = ["a".to_owned()];
        let (found, at) = in_pieces(text.as_bytes(), &terms, &[], limit);
        let mut all = plainly(&text, &terms);
        if all.len() >= limit {
            all.truncate(limit);
            prop_assert_eq!(at.offset, all.last().unwrap().1);
        }
        prop_assert_eq!(found, all);
    }
}
