use rmcp::model::RequestId;

use super::{Line, Lines, id_of_broken, mend_surrogates};

/// Splits `text` that comes in pieces of `piece` bytes; shows what was split off.
fn split(text: &str, max: usize, piece: usize) -> Vec<String> {
    let mut lines = Lines::new(max);
    let mut seen = Vec::new();
    let show = |lines: &Lines, line: Line| match line {
        Line::Whole(at) => String::from_utf8_lossy(lines.bytes(at)).into_owned(),
        Line::TooLong(id) => format!("too long: {id:?}"),
    };
    for mut bytes in text.as_bytes().chunks(piece) {
        lines.fill(&mut bytes).unwrap();
        while let Some(line) = lines.next_line() {
            seen.push(show(&lines, line));
        }
    }
    if let Some(line) = lines.last_line() {
        seen.push(show(&lines, line));
    }
    seen
}

#[test]
fn lines_are_the_same_however_the_bytes_come() {
    for piece in 1..12 {
        assert_eq!(
            split("one\ntwo\r\n\nlast", 20, piece),
            ["one", "two\r", "", "last"]
        );
        assert_eq!(split("one\n", 3, piece), ["one"]);
    }
}

#[test]
fn a_line_that_is_too_long_is_skipped_with_its_id() {
    let long = r#"{"params":{"id":1,"x":["a","}"]},"id":"seven","jsonrpc":"2.0"}"#;
    for piece in 1..12 {
        assert_eq!(
            split(&format!("before\n{long}\nafter\n"), 10, piece),
            ["before", r#"too long: Some(String("seven"))"#, "after"]
        );
        assert_eq!(
            split(long, 10, piece),
            [r#"too long: Some(String("seven"))"#]
        );
    }
    assert_eq!(split("xxxxxxxxxxxxxxxxx\n", 10, 3), ["too long: None"]);
}

#[test]
fn the_id_of_a_broken_message_is_made_out_when_it_is_whole() {
    let id = |text: &str| id_of_broken(text.as_bytes());
    assert_eq!(
        id(r#"{"jsonrpc":"2.0","id":5,"method":"#),
        Some(RequestId::Number(5))
    );
    assert_eq!(
        id(r#"{"id": "a\"b" , oops"#),
        Some(RequestId::String("a\"b".into()))
    );
    assert_eq!(id(r#"{"jsonrpc":"2.0","id":5"#), None);
    assert_eq!(id(r#"{"id":1.5,"#), None);
    assert_eq!(id(r#"{"id":null,"#), None);
    assert_eq!(id(r#"[{"id":5}]"#), None);
    assert_eq!(id("hello"), None);
}

#[test]
fn half_a_surrogate_pair_becomes_the_replacement_character() {
    let mend = |text: &str| {
        mend_surrogates(text.as_bytes()).map(|bytes| String::from_utf8(bytes).unwrap())
    };
    assert_eq!(mend(r#""\ud83d""#).as_deref(), Some(r#""\ufffd""#));
    assert_eq!(
        mend(r#""\ude00 \ud83dx""#).as_deref(),
        Some(r#""\ufffd \ufffdx""#)
    );
    assert_eq!(mend(r#""\ud83d\ude00""#), None);
    assert_eq!(mend(r#""\\ud83d""#), None);
    assert_eq!(mend(r#""\\\ud83d""#).as_deref(), Some(r#""\\\ufffd""#));
    assert_eq!(mend("plain"), None);
}
