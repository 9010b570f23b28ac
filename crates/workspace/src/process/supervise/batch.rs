//! Batch files on Windows: the words that make the command interpreter run one, and no more.
//!
//! The interpreter reads a line by rules of its own: quotes do not nest, `%` names variables even
//! within quotes, and the end of a line ends everything. What cannot be said to it is refused.

/// Why a batch file cannot be run with its words; a sentence without a subject.
pub(super) type Refusal = &'static str;

/// What may stand without quotes, beside letters and digits.
const PLAIN: &str = r"#$*+-./:?@\_";

/// What follows the interpreter's own path on its command line.
///
/// Variables of the registry that run programs are off, and so is the second kind of variables.
///
/// # Errors
/// When the words hold something that the interpreter takes for more than a word.
pub(super) fn words<'a>(
    script: &str,
    args: impl IntoIterator<Item = &'a str>,
) -> Result<String, Refusal> {
    if script.contains(['"', '%', '\r', '\n']) || script.ends_with('\\') {
        return Err("the path of a batch file must not hold quotes or percent signs");
    }
    let mut line = format!("/e:ON /v:OFF /d /c \"\"{script}\"");
    for arg in args {
        if arg.contains(['\r', '\n', '\0']) {
            return Err("an argument of a batch file must not hold a line break");
        }
        if arg.contains('%') {
            return Err("an argument of a batch file must not hold a percent sign");
        }
        line.push(' ');
        push(&mut line, arg);
    }
    line.push('"');
    Ok(line)
}

fn push(line: &mut String, arg: &str) {
    let is_plain = |c: char| match c.is_ascii() {
        true => c.is_ascii_alphanumeric() || PLAIN.contains(c),
        false => !c.is_control(),
    };
    // Scripts put quotes around their words again, which a backslash at the end would open.
    let is_quoted = arg.is_empty() || arg.ends_with('\\') || !arg.chars().all(is_plain);
    if is_quoted {
        line.push('"');
    }
    let mut n_backslashes = 0;
    for c in arg.chars() {
        if c == '"' {
            // Twice as many backslashes mean themselves, and two quotes one.
            line.extend(std::iter::repeat_n('\\', n_backslashes));
            line.push('"');
        }
        n_backslashes = if c == '\\' { n_backslashes + 1 } else { 0 };
        line.push(c);
    }
    if is_quoted {
        line.extend(std::iter::repeat_n('\\', n_backslashes));
        line.push('"');
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[track_caller]
    fn says(args: &[&str], rest: &str) {
        let line = words(r"C:\a b\npm.cmd", args.iter().copied()).unwrap();
        let expected = format!(r#"/e:ON /v:OFF /d /c ""C:\a b\npm.cmd"{rest}""#);
        assert_eq!(line, expected);
    }

    #[test]
    fn words_reach_a_batch_file_as_they_are() {
        says(&["run", "test:unit"], " run test:unit");
        says(
            &["a b", "", "x&calc", "a|b>c<d^e"],
            r#" "a b" "" "x&calc" "a|b>c<d^e""#,
        );
        says(
            &["é", "a!b", "(x)", "a,b;c=d"],
            r#" é "a!b" "(x)" "a,b;c=d""#,
        );
        says(&[r#"" & calc & ""#], r#" """ & calc & """"#);
        says(&[r"C:\", r#"a\"b"#, r"a\b"], r#" "C:\\" "a\\""b" a\b"#);
    }

    #[test]
    fn what_the_interpreter_would_take_for_more_is_refused() {
        let refusal = |script, arg| words(script, [arg]).unwrap_err();
        assert!(refusal("x.cmd", "a\nb").contains("line break"));
        assert!(refusal("x.cmd", "a\r").contains("line break"));
        assert!(refusal("x.cmd", "%PATH%").contains("percent"));
        assert!(words("x.cmd", ["a", "100%"]).is_err());
        for script in ["a\"b.cmd", "%TEMP%.cmd", "x\\"] {
            assert!(refusal(script, "a").contains("path"), "{script}");
        }
    }
}
