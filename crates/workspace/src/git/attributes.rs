//! Finds out whether a repository names filters for its files, which are never run.

/// Says whether a file of attributes gives any path a filter.
pub(super) fn names_filter(content: &[u8]) -> bool {
    content.split(|&byte| byte == b'\n').any(|line| {
        let line = line.trim_ascii();
        let words = match line {
            [] | [b'#', ..] => return false,
            // A pattern in quotes may hold spaces.
            [b'"', rest @ ..] => after_quote(rest),
            _ => line,
        };
        words
            .split(u8::is_ascii_whitespace)
            .skip(1)
            .any(|word| word == b"filter" || word.starts_with(b"filter="))
    })
}

fn after_quote(pattern: &[u8]) -> &[u8] {
    let mut escaped = false;
    for (at, &byte) in pattern.iter().enumerate() {
        match byte {
            b'"' if !escaped => return pattern.get(at..).unwrap_or_default(),
            b'\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    &[]
}

#[cfg(test)]
mod tests {
    use super::names_filter;

    #[test]
    fn a_filter_counts_when_it_is_set() {
        assert!(names_filter(
            b"*.txt text\n*.bin filter=lfs diff=lfs -text\n"
        ));
        assert!(names_filter(b"\"a b\" filter\r\n"));
        assert!(names_filter(b"[attr]big filter=lfs"));
        assert!(!names_filter(
            b"# *.bin filter=lfs\n*.bin -filter !filter\nfilter=x text"
        ));
        assert!(!names_filter(b"\"x filter=lfs\" text"));
    }
}
