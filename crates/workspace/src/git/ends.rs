//! How a long difference is shortened: its two ends stay, and no character is broken.

use super::Cut;
use crate::limits;
use crate::process::Ends;

/// Trims a difference, and cuts it in the middle when it is too long.
pub(super) fn cut(ends: Ends) -> (String, Option<Cut>) {
    let half = limits::GIT_DIFF_BYTES / 2;
    let mut head = ends.head;
    let mut tail = Vec::from(ends.tail);
    if ends.n_dropped == 0 {
        head.append(&mut tail);
    } else {
        trim(&mut tail);
    }
    if tail.is_empty() {
        trim(&mut head);
    }
    let total = (head.len() + tail.len()) as u64 + ends.n_dropped;
    if total <= limits::GIT_DIFF_BYTES as u64 {
        return (text(&head), None);
    }
    let end = if tail.is_empty() { &head } else { &tail };
    let end = end.get(border(end, end.len().saturating_sub(half), true)..);
    let end = end.unwrap_or_default();
    let start = head.get(..border(&head, half.min(head.len()), false));
    let start = start.unwrap_or_default();
    let n_bytes = total - (start.len() + end.len()) as u64;
    let tail = text(end);
    (text(start), Some(Cut { n_bytes, tail }))
}

fn trim(bytes: &mut Vec<u8>) {
    while bytes.last() == Some(&b'\n') {
        bytes.pop();
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The place nearest to `at` that is between two characters.
fn border(bytes: &[u8], at: usize, forward: bool) -> usize {
    let is_inside = |at: usize| bytes.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
    let mut border = at;
    for _ in 0..3 {
        if !is_inside(border) {
            return border;
        }
        border = if forward {
            border + 1
        } else {
            border.saturating_sub(1)
        };
    }
    // Four such bytes in a row are no character.
    if is_inside(border) { at } else { border }
}
