//! Telling files that are no text by how they begin.

/// Says whether a file is no text: one line of its beginning both holds a NUL and is not UTF-8. Either
/// alone is found in texts.
pub(super) fn is_binary(head: &[u8], is_whole: bool) -> bool {
    if memchr::memchr(0, head).is_none() {
        return false;
    }
    let end = memchr::memrchr(b'\n', head).map_or(0, |at| at + 1);
    let (lines, rest) = head.split_at(end);
    let is_bad =
        |line: &[u8]| memchr::memchr(0, line).is_some() && std::str::from_utf8(line).is_err();
    // The last line may end in the midst of a character, where it goes on.
    let rest_is_bad = if is_whole {
        is_bad(rest)
    } else {
        memchr::memchr(0, rest).is_some() && valid_prefix(rest) == 0
    };
    rest_is_bad || lines.split(|&byte| byte == b'\n').any(is_bad)
}

/// Length of the longest beginning that is UTF-8, giving up at most the three bytes that an unfinished
/// character may have; 0 when that is not enough.
pub(in crate::paged) fn valid_prefix(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Ok(_) => bytes.len(),
        Err(error) if error.valid_up_to() + 3 >= bytes.len() => error.valid_up_to(),
        Err(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::{is_binary, valid_prefix};

    #[test]
    fn both_signs_have_to_be_on_one_line() {
        for (head, is_whole, expected) in [
            (&b"text\n"[..], true, false),
            (b"nul\0only\n", true, false),
            (b"bad\xff only\n", true, false),
            (b"nul\0\nbad\xff\n", true, false),
            (b"\0\xff\n", true, true),
            (b"ok\n\0\xff\nok", true, true),
            (b"\0tail\xe2\x82", true, true),
            (b"\0tail\xe2\x82", false, false),
            (b"\0\xff tail", false, true),
            (b"\xff\0", false, true),
            (b"\0\xff", false, false),
            (b"", true, false),
        ] {
            assert_eq!(is_binary(head, is_whole), expected, "{head:?} {is_whole}");
        }
    }

    #[test]
    fn an_unfinished_character_is_given_up() {
        assert_eq!(valid_prefix("aé".as_bytes()), 3);
        assert_eq!(valid_prefix(b"a\xf0\x9f\x98"), 1);
        assert_eq!(valid_prefix(b"\xe2\x82"), 0);
        assert_eq!(valid_prefix(b"a\xff"), 1);
        assert_eq!(valid_prefix(b"\xffabc"), 0);
    }
}
