//! What a line is: up to and with any line break that Unicode knows, as the history of this toolset
//! has it. Reading by lines and the line numbers of a search agree on it.

/// The lines of a text, each with its line break.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest
            .char_indices()
            .find(|(_, c)| is_break(*c))
            .map_or(rest.len(), |(at, c)| {
                let end = at + c.len_utf8();
                let is_pair =
                    c == '\r' && rest.get(end..).is_some_and(|rest| rest.starts_with('\n'));
                end + usize::from(is_pair)
            });
        let (line, behind) = rest.split_at(end);
        rest = behind;
        Some(line)
    })
}

/// A line without its line break.
pub(super) fn body(line: &str) -> &str {
    line.strip_suffix("\r\n")
        .or_else(|| line.strip_suffix(is_break))
        .unwrap_or(line)
}

fn is_break(c: char) -> bool {
    matches!(
        c,
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn each_line_has_its_break() {
        let text = "a\nb\r\nc\rd\u{2028}e\u{85}\n";
        let found: Vec<&str> = lines(text).collect();
        assert_eq!(found, ["a\n", "b\r\n", "c\r", "d\u{2028}", "e\u{85}", "\n"]);
        assert_eq!(lines("").count(), 0);
        assert_eq!(lines("x").collect::<Vec<_>>(), ["x"]);
    }
}
