use proptest::prelude::{ProptestConfig, any, proptest};

use super::{Note, Outline, Part, check_box, code_spans};

fn code_lines(text: &str) -> Vec<u64> {
    let note = Note::new(text.as_bytes());
    let code = note.lines().filter(|line| line.part == Part::Code);
    code.map(|line| line.number).collect()
}

#[test]
fn fenced_code_is_told_from_text() {
    assert_eq!(code_lines("a\n```js\n- [ ] no\n```\nb\n"), [2, 3, 4]);
    assert_eq!(code_lines("~~~\na\n```\n~~~~\nb"), [1, 2, 3, 4]);
    assert_eq!(code_lines("````\n```\n````\nb"), [1, 2, 3]);
    assert_eq!(code_lines("- item\n  ```\n  x\n  ```\nb"), [2, 3, 4]);
    assert_eq!(code_lines("1. ```\nx\n```\nb"), [1, 2, 3]);
    // It ends with the quote that it stands in.
    assert_eq!(code_lines("> ```\n> x\ntext"), [1, 2]);
    assert_eq!(code_lines("``` a`b\nx"), Vec::<u64>::new());
    assert_eq!(code_lines("``\nx"), Vec::<u64>::new());
    // One that is never closed goes on to the end.
    assert_eq!(code_lines("```\nx\r\ny"), [1, 2, 3]);
}

fn headings(text: &str) -> Vec<String> {
    let note = Note::new(text.as_bytes());
    let mut outline = Outline::default();
    for line in note.lines() {
        outline.feed(&line);
    }
    outline.path()
}

#[test]
fn headings_make_a_path() {
    assert_eq!(headings("# A\n## B\n### C\n## D ##\n"), ["A", "D"]);
    assert_eq!(headings("A\n===\ntext\n\nB\n---\n"), ["A", "B"]);
    assert_eq!(
        headings("#no\n####### no\n    # no\n"),
        Vec::<String>::new()
    );
    assert_eq!(headings("# C#\r\n"), ["C#"]);
    assert_eq!(
        headings("```\n# no\n```\n- item\n---\n"),
        Vec::<String>::new()
    );
    assert_eq!(headings("# A\n#\n"), [""]);
}

#[test]
fn check_boxes_are_list_items_with_a_box() {
    for (line, at, done, title) in [
        ("- [ ] a", 3, false, "a"),
        ("* [x] a b ", 3, true, "a b"),
        ("+ [X]\ta", 3, true, "a"),
        ("  12. [ ] a", 7, false, "a"),
        ("1) [ ] a", 4, false, "a"),
        ("> - [ ] a", 5, false, "a"),
        ("\t-   [ ] a", 6, false, "a"),
    ] {
        let found = check_box(line.as_bytes()).expect(line);
        assert_eq!((found.at, found.done), (at, done), "{line}");
        assert_eq!(found.title, title.as_bytes(), "{line}");
    }
    for line in [
        "[ ] a",
        "- [] a",
        "- [  ] a",
        "- [y] a",
        "-[ ] a",
        "- [ ]a",
        "- [ ]",
        "- [ ] ",
        "a - [ ] b",
        "1234567890. [ ] a",
        "1 [ ] a",
    ] {
        assert_eq!(check_box(line.as_bytes()), None, "{line}");
    }
}

#[test]
fn code_spans_end_with_as_many_ticks() {
    assert_eq!(code_spans(b"a `b` c `d`"), [2..5, 8..11]);
    assert_eq!(code_spans(b"``a`b`` `c `"), [0..7, 8..12]);
    assert_eq!(code_spans(b"`a"), Vec::<std::ops::Range<usize>>::new());
    assert_eq!(code_spans(b"```a `b` ``c`` `"), [5..8, 9..14]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_bytes_are_lines_that_join_to_the_same(content in any::<Vec<u8>>()) {
        let note = Note::new(&content);
        let mut last_end = 0;
        for line in note.lines() {
            assert_eq!(line.start, last_end);
            let rest = &content[line.start..];
            assert!(rest.starts_with(line.text));
            last_end = line.start + rest.iter().position(|&byte| byte == b'\n').map_or(rest.len(), |at| at + 1);
            note.is_text(&line);
            if let Some(found) = check_box(line.text) {
                assert!(matches!(line.text[found.at], b' ' | b'x' | b'X'));
            }
        }
        assert_eq!(last_end, content.len());
    }

    #[test]
    fn texts_made_of_marks_are_read_without_a_fault(text in "([-*>`~#=\\[\\] x1.)(|a\n\r\t]|---\n|```\n|- \\[ \\] a\n){0,60}") {
        let note = Note::new(text.as_bytes());
        let mut outline = Outline::default();
        for line in note.lines() {
            outline.feed(&line);
            note.is_text(&line);
            code_spans(line.text);
        }
    }
}
