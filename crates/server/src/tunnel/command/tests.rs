use proptest::prelude::{Strategy as _, any, proptest};
use proptest::{collection, prop_assert_eq};

use super::text;

/// Splits by the stated rules, written from them and not from [`text`].
fn words(text: &str) -> Vec<Vec<u8>> {
    #[derive(PartialEq)]
    enum In {
        Plain,
        Single,
        Double,
    }
    let mut words = Vec::new();
    let mut word = Vec::new();
    let mut state = In::Plain;
    let mut bytes = text.trim().bytes();
    while let Some(byte) = bytes.next() {
        match (&state, byte) {
            (In::Plain | In::Double, b'\\') => word.extend(bytes.next()),
            (In::Plain, b'\'') => state = In::Single,
            (In::Plain, b'"') => state = In::Double,
            (In::Single, b'\'') | (In::Double, b'"') => state = In::Plain,
            (In::Plain, b' ' | b'\t' | b'\n' | b'\r') => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
            }
            _ => word.push(byte),
        }
    }
    assert!(state == In::Plain, "a quote is left open");
    if !word.is_empty() {
        words.push(word);
    }
    words
}

#[test]
fn quotes_are_chosen_by_what_a_word_holds() {
    let command = [
        r"C:\Program Files\a.exe",
        "--root",
        "/it's",
        "--x=ä",
        "a\"b",
    ];
    assert_eq!(
        text(&command.map(str::to_owned)).unwrap(),
        r#"'C:\Program Files\a.exe' --root "/it's" '--x=ä' 'a"b'"#
    );
}

#[test]
fn an_empty_word_is_refused() {
    assert!(text(&["a".to_owned(), String::new()]).is_err());
}

proptest! {
    #[test]
    fn the_client_reads_what_was_meant(
        command in collection::vec(any::<String>().prop_filter("empty", |word| !word.is_empty()), 1..6)
    ) {
        // The program comes first, by its absolute path.
        let mut command = command;
        command.insert(0, "/bin/server".to_owned());
        let read = words(&text(&command).unwrap());
        let meant: Vec<Vec<u8>> = command.into_iter().map(String::into_bytes).collect();
        prop_assert_eq!(read, meant);
    }
}
