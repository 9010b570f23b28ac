//! How what was passed over is told.

use workspace::skipped::Skipped;

/// `skipped: 3 ignored, 12 binary; includeIgnored=true shows them`; `None` when nothing was.
pub(super) fn told(skipped: &Skipped, binary_can_be_shown: bool) -> Option<String> {
    let kinds = [
        (skipped.ignored, "ignored", Some("includeIgnored=true")),
        (
            skipped.binary,
            "binary",
            binary_can_be_shown.then_some("includeBinary=true"),
        ),
        (skipped.unreadable, "unreadable", None),
    ];
    let met = || kinds.iter().filter(|(n, ..)| *n > 0);
    let counts: Vec<String> = met().map(|(n, what, _)| format!("{n} {what}")).collect();
    if counts.is_empty() {
        return None;
    }
    let ways: Vec<&str> = met().filter_map(|(.., way)| *way).collect();
    let ways = match ways.as_slice() {
        [] => String::new(),
        [one] => format!("; {one} shows them"),
        several => format!("; {} show them", several.join(", ")),
    };
    Some(format!("skipped: {}{ways}", counts.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::told;
    use workspace::skipped::Skipped;

    #[test]
    fn names_only_what_applies() {
        let skipped = |ignored, binary, unreadable| Skipped {
            ignored,
            binary,
            unreadable,
        };
        assert_eq!(told(&skipped(0, 0, 0), true), None);
        assert_eq!(
            told(&skipped(3, 12, 1), true).as_deref(),
            Some(
                "skipped: 3 ignored, 12 binary, 1 unreadable; includeIgnored=true, \
                 includeBinary=true show them"
            )
        );
        assert_eq!(
            told(&skipped(3, 12, 0), false).as_deref(),
            Some("skipped: 3 ignored, 12 binary; includeIgnored=true shows them")
        );
        assert_eq!(
            told(&skipped(0, 0, 2), true).as_deref(),
            Some("skipped: 2 unreadable")
        );
    }
}
