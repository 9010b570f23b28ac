//! A command as the tunnel client reads it: one text, split into words by rules like a shell's.
//!
//! Source of the rules: `parseCommandArgv` of the public tunnel client. Blanks separate, a backslash
//! outside quotes or between double quotes takes the next byte as it is, between single quotes
//! everything is as it is, and a word without bytes is lost.

use std::fmt::Write as _;

/// The text of a command.
///
/// # Errors
/// One line when a word is empty, which the client would lose.
pub(super) fn text(words: &[String]) -> Result<String, String> {
    let mut text = String::new();
    for word in words {
        if word.is_empty() {
            return Err("the tunnel client cannot pass on an empty argument".to_owned());
        }
        if !text.is_empty() {
            text.push(' ');
        }
        push(&mut text, word);
    }
    Ok(text)
}

fn push(text: &mut String, word: &str) {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
    if word.chars().all(is_plain) {
        text.push_str(word);
    } else if !word.contains('\'') {
        // A String takes every write.
        let _ = write!(text, "'{word}'");
    } else {
        text.push('"');
        for c in word.chars() {
            if c == '"' || c == '\\' {
                text.push('\\');
            }
            text.push(c);
        }
        text.push('"');
    }
}

#[cfg(test)]
mod tests;
