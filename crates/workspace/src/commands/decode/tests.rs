use super::{Decoder, decode};
use crate::process::code_page::CodePage;

#[track_caller]
fn reads(page: &CodePage, bytes: &[u8], text: &str) {
    let whole = decode(Some(page), bytes);
    assert_eq!(String::from_utf8_lossy(&whole), text, "in one piece");
    let mut decoder = Decoder::new(Some(page));
    let mut got = Vec::new();
    let mut take = |piece: &[u8]| got.extend_from_slice(piece);
    for byte in bytes {
        decoder.push(&[*byte], &mut take);
    }
    decoder.finish(&mut take);
    assert_eq!(String::from_utf8_lossy(&got), text, "byte by byte");
}

/// Chinese after a line that is ASCII, on a system with that code page.
#[test]
fn an_ascii_line_does_not_decide_for_the_next() {
    let page = CodePage::numbered(936).unwrap();
    reads(
        &page,
        b"plain\r\n\xd6\xd0\xce\xc4\r\nend",
        "plain\r\n中文\r\nend",
    );
    reads(&page, b"a \xd6\xd0\n", "a 中\n");
}

#[test]
fn each_line_is_taken_for_what_it_is() {
    let page = CodePage::numbered(932).unwrap();
    let bytes = b"\x93\xfa\x96{ \x83\\\n\xe6\x97\xa5\xe6\x9c\xac\n\x93\xfa";
    reads(&page, bytes, "日本 ソ\n日本\n日");
}

#[test]
fn single_bytes_are_looked_up() {
    let upper = ('\u{80}'..='\u{ff}').map(|c| if c == '\u{81}' { 'ü' } else { c });
    let page = CodePage::Single(upper.collect());
    reads(&page, b"f\x81r\n", "für\n");
    let short = CodePage::Single(Vec::new());
    reads(&short, b"f\x81r\n", "f\u{fffd}r\n");
}

#[test]
fn without_a_page_bytes_stay_as_they_are() {
    assert_eq!(decode(None, b"a\xff\n"), b"a\xff\n");
}

#[test]
fn a_line_without_end_is_not_held_for_ever() {
    let page = CodePage::numbered(936).unwrap();
    let mut decoder = Decoder::new(Some(&page));
    let mut n_bytes = 0;
    for _ in 0..100 {
        decoder.push(&[0xd6; 4096], &mut |piece| n_bytes += piece.len());
    }
    assert!(n_bytes > 0);
}
