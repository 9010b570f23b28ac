//! How many values the JSON of a message holds. Each takes many times its bytes once it is read, so
//! a limit on bytes alone bounds no memory.

/// The most values that a message may have.
pub(crate) const VALUES: usize = 1_000_000;

/// Counts what lies between commas, colons and brackets outside of strings: about the values, with
/// the names of members. What is no JSON has some count, too.
pub(crate) fn count(mut message: &[u8]) -> usize {
    let mut n = 1;
    let mut next = |message: &mut &[u8]| -> Option<()> {
        let at = message
            .iter()
            .position(|byte| matches!(byte, b',' | b':' | b'[' | b'{' | b'"'))?;
        let (found, rest) = message.get(at..)?.split_first()?;
        *message = rest;
        if *found == b'"' {
            skip_string(message)
        } else {
            n += 1;
            Some(())
        }
    };
    while next(&mut message).is_some() {}
    n
}

/// Goes behind the end of a string; `None` when it has none.
fn skip_string(message: &mut &[u8]) -> Option<()> {
    loop {
        let at = memchr::memchr2(b'"', b'\\', message)?;
        let is_end = message.get(at) == Some(&b'"');
        // What follows a backslash ends nothing.
        let width = if is_end { 1 } else { 2 };
        *message = message.get(at + width..)?;
        if is_end {
            return Some(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn values_are_counted_and_strings_are_one() {
        for (text, n) in [
            ("", 1),
            ("1", 1),
            ("[]", 2),
            ("[1,2,3]", 4),
            ("[[],[],[]]", 7),
            (r#"{"a":1,"b":{"c":2}}"#, 7),
            (r#"["a,b:[{",",\",\\",","]"#, 4),
            (r#"["never ends, [ "#, 2),
            (r#"["ends in \"#, 2),
        ] {
            assert_eq!(count(text.as_bytes()), n, "{text}");
        }
    }
}
