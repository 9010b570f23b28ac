use std::io::Read;

use proptest::prelude::{any, prop_assert_eq, proptest};

use super::{
    Encoding, Form, Utf8Stream, body_to_utf8, border_before, cut_around, cut_chars, encode,
    is_binary, lossy,
};

fn utf16(encoding: Encoding, text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode(encoding, text.as_bytes(), &mut bytes);
    bytes
}

#[test]
fn tells_encodings_apart() {
    for (bytes, encoding, bom_len) in [
        (&b""[..], Encoding::Utf8, 0),
        (b"plain", Encoding::Utf8, 0),
        (b"\xef\xbb\xbfx", Encoding::Utf8, 3),
        (b"\xff\xfex\0", Encoding::Utf16Le, 2),
        (b"\xfe\xff\0x", Encoding::Utf16Be, 2),
        (b"\xff\xfe", Encoding::Utf16Le, 2),
        (b"brand\x99", Encoding::Bytes, 0),
        (b"\xef\xbb\xbf\x99", Encoding::Bytes, 3),
        (b"\xc4\xe3\xba\xc3\n", Encoding::Bytes, 0),
    ] {
        assert_eq!(Form::of(bytes), Form { encoding, bom_len }, "{bytes:?}");
    }
}

#[test]
fn a_nul_near_the_start_makes_content_binary() {
    let mut late = vec![b'a'; 8192];
    assert!(!is_binary(&late));
    late.push(0);
    assert!(!is_binary(&late), "only the first 8192 bytes count");
    late.insert(0, 0);
    assert!(is_binary(&late));
    assert!(is_binary(b"a\0b\0\n\0"), "UTF-16 without a mark");
    assert!(!is_binary(b"\xff\xfea\0b\0"));
    assert!(!is_binary(b"\xfe\xff\0a\0b"));
    assert!(!is_binary(b"\xff\xfe\0a\0b"), "two halves are no NUL");
    assert!(is_binary(b"\xff\xfea\0\0\0"), "a NUL character");
    assert!(is_binary(b"\xff\xfe\0\0a\0\0\0"), "UTF-32");
    assert!(!is_binary(b""));
}

#[test]
fn utf16_that_does_not_decode_is_counted_once_a_piece() {
    let body = b"a\0\x00\xd8b\0\x00\xdcc\0\x00\xd8\x07";
    let text = body_to_utf8(Encoding::Utf16Le, body);
    assert_eq!(&*text, b"a\xffb\xffc\xff\xff");
    let shown = lossy(&text);
    assert_eq!(shown.n_invalid, 4);
    assert_eq!(shown.text, "a\u{fffd}b\u{fffd}c\u{fffd}\u{fffd}");
}

#[test]
fn invalid_bytes_are_counted_by_byte() {
    assert_eq!(lossy(b"a\xe2\x82b\xff").n_invalid, 3);
    assert_eq!(lossy("ä\u{fffd}".as_bytes()).n_invalid, 0);
}

#[test]
fn cuts_at_character_borders() {
    assert_eq!(cut_chars("abc", 3), None);
    assert_eq!(cut_chars("äöü", 3), None);
    assert_eq!(cut_chars("äöüx", 3), Some("äöü"));
    assert_eq!(cut_chars("🙂🙂🙂", 2), Some("🙂🙂"));
    assert_eq!(cut_chars("a", 0), Some(""));
}

#[test]
fn cuts_a_long_line_around_the_match() {
    let check = |line: &str, found: &str, max| {
        let at = line.find(found).expect("the match is in the line");
        cut_around(line, at..at + found.len(), max).map(|cut| (cut.text, cut.n_chars))
    };
    let some = |text: &str, n_chars| Some((text.to_owned(), n_chars));
    assert_eq!(check("0123456789", "5", 10), None);
    assert_eq!(check("0123456789", "0", 4), some("0123…", 10));
    assert_eq!(check("0123456789", "9", 4), some("…6789", 10));
    assert_eq!(check("0123456789", "5", 3), some("…456…", 10));
    assert_eq!(check("0123456789", "234567", 3), some("…234…", 10));
    assert_eq!(check("äöü🙂ß€xyz", "🙂", 3), some("…ü🙂ß…", 9));
    assert_eq!(check("ääää", "ää", 4), None);
    assert_eq!(
        cut_around("äää", 9..12, 1).map(|cut| cut.text).as_deref(),
        Some("…ä"),
        "offsets behind the end are the end"
    );
}

proptest! {
    #[test]
    fn utf16_goes_there_and_back_in_pieces_of_any_size(text: String, size in 1usize..9) {
        for encoding in [Encoding::Utf16Le, Encoding::Utf16Be] {
            let bytes = utf16(encoding, &text);
            prop_assert_eq!(&*body_to_utf8(encoding, &bytes), text.as_bytes());
            let mut stream = Utf8Stream::new(Dribble(&bytes, size), encoding);
            let mut read = Vec::new();
            stream.read_to_end(&mut read).expect("memory reads");
            prop_assert_eq!(&read[..], text.as_bytes());
        }
    }

    #[test]
    fn cutting_keeps_the_start_of_the_match_and_the_size(
        line in "[a-cä🙂]{0,40}", at in any::<proptest::sample::Index>(), len in 0usize..9, max in 1usize..12,
    ) {
        let start = border_before(&line, at.index(line.len() + 1));
        let end = border_before(&line, (start + len).min(line.len()));
        let n_chars = line.chars().count();
        match cut_around(&line, start..end, max) {
            None => assert!(n_chars <= max),
            Some(cut) => {
                prop_assert_eq!(cut.n_chars, n_chars);
                let inner = cut.text.trim_matches('…');
                prop_assert_eq!(inner.chars().count(), max);
                assert!(line.contains(inner));
                let found: String = line[start..end].chars().take(max).collect();
                assert!(inner.contains(&found));
            }
        }
    }
}

/// Gives at most so many bytes at a time.
struct Dribble<'a>(&'a [u8], usize);

impl Read for Dribble<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let size = self.1.min(out.len());
        self.0.read(&mut out[..size])
    }
}
