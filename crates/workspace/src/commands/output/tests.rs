use super::{Capture, clean};

#[track_caller]
fn cleans(from: &str, to: &str) {
    assert_eq!(clean(from.as_bytes()).head, to, "in one piece");
    let mut capture = Capture::new(1 << 20, 0);
    for byte in from.bytes() {
        capture.push(&[byte]);
    }
    assert_eq!(capture.finish().head, to, "byte by byte");
}

#[test]
fn sequences_for_a_terminal_go() {
    cleans("a\x1b[1;31mred\x1b[0m b", "ared b");
    cleans("\x1b]0;title\x07x\x1b]8;;http://a\x1b\\link", "xlink");
    cleans("\x1bPq#0;2\n;0\x1b\\after", "after");
    cleans("\x1b_hidden\x1b\\\x1b^x\x1b\\\x1bXy\x1b\\z", "z");
    cleans("a\x1b(Bb\x1b=c\x1b7d\x1b#8e", "abcde");
    cleans("open \x1b]0;no end\nnext", "open \nnext");
    cleans("\x1b[31\nx\x1b", "\nx");
    cleans("\x1b]0;t\x1b[1mx", "x");
}

#[test]
fn a_line_that_was_written_over_shows_its_last_state() {
    cleans("10%\r50%\r100%\ndone\n", "100%\ndone");
    cleans("a\r\nb\r\n", "a\nb");
    cleans("50%\r\x1b[K", "50%");
    cleans("N\x08Nx", "Nx");
}

#[test]
fn what_would_change_the_show_is_escaped() {
    cleans("a\u{202e}b\u{9b}c\u{2066}", "a\\u{202e}b\\u{9b}c\\u{2066}");
    cleans("é → 日本 👩‍💻\tx", "é → 日本 👩‍💻\tx");
}

#[test]
fn bytes_that_are_no_text_are_counted() {
    let text = clean(b"a\xff\xfeb\xe2\x82");
    assert_eq!(
        (&*text.head, text.n_invalid),
        ("a\u{fffd}\u{fffd}b\u{fffd}", 4)
    );
}

#[test]
fn both_ends_are_kept_and_no_character_is_split() {
    let mut capture = Capture::new(10, 4);
    capture.push("abcéfghijk".as_bytes());
    let text = capture.finish();
    assert_eq!(text.head, "abc");
    assert_eq!(text.cut, Some((4, "hijk".to_owned())));

    let mut capture = Capture::new(10, 4);
    capture.push(b"0123456789");
    assert_eq!(capture.finish().cut, None);
}

#[test]
fn a_line_without_end_takes_bounded_memory() {
    let mut capture = Capture::new(1000, 100);
    for _ in 0..1000 {
        capture.push(&[b'x'; 4096]);
    }
    let text = capture.finish();
    assert_eq!(text.cut.map(|(n, _)| n), Some(4096 * 1000 - 200));
}
