use proptest::prelude::{ProptestConfig, any, proptest};

use super::{About, BLOCK_BYTES, Tag, block, parse};

fn about(text: &str) -> About {
    About::of(text.as_bytes())
}

#[test]
fn title_tags_and_date_are_taken() {
    let found = about(
        "---\ntitle: \"My: note\"\ntags: [home, '#work/big', home]\ndate: 2026-01-31\nother:\n  tags: [no]\n  title: no\n---\n# Heading\n",
    );
    assert_eq!(found.title.as_deref(), Some("My: note"));
    assert_eq!(found.tags, ["home", "work/big"]);
    assert_eq!(found.date.as_deref(), Some("2026-01-31"));
}

#[test]
fn tags_come_in_several_forms() {
    for yaml in ["tags:\n  - a\n  - b c\n", "tags: a, b c", "tag: [a, b c]"] {
        assert_eq!(parse(yaml).expect(yaml).tags, ["a", "b c"], "{yaml}");
    }
    assert_eq!(parse("tags: '#a b'").expect("valid").tags, ["a", "b"]);
    assert_eq!(
        parse("tags: {a: b}\nx: [c]").expect("valid").tags,
        Vec::<String>::new()
    );
    assert_eq!(
        parse("tags:\n  - [no]\n  - ok\n  - ~\n")
            .expect("valid")
            .tags,
        ["ok"]
    );
}

#[test]
fn without_a_title_the_first_heading_is_one() {
    assert_eq!(
        about("---\ndate: x\n---\n\ntext\n## First\n# Second\n")
            .title
            .as_deref(),
        Some("First")
    );
    assert_eq!(about("Under\n=====\n").title.as_deref(), Some("Under"));
    assert_eq!(about("---\ntitle:\n---\n# H\n").title.as_deref(), Some("H"));
    assert_eq!(about("just text\n"), About::default());
    assert_eq!(about(""), About::default());
}

#[test]
fn a_broken_block_is_plain_text() {
    for broken in [
        "---\ntitle: [a\n---\n# H\n",
        "---\n- a\n- b\n---\n# H\n",
        "---\njust text\n---\n# H\n",
        "---\n{\n---\n# H\n",
        "---\n*alias\n---\n# H\n",
        "---\ntitle: a\n# H\n",
        "--- \ntitle: a\n\n----\n# H\n",
    ] {
        let found = about(broken);
        assert_eq!(found.title.as_deref(), Some("H"), "{broken}");
        assert_eq!(found.tags, Vec::<String>::new());
    }
    // A heading within what only looks like one.
    assert_eq!(
        about("---\n# In: [\n---\n# Out\n").title.as_deref(),
        Some("Out")
    );
}

#[test]
fn marks_line_ends_and_closing_dots_are_fine() {
    for text in [
        "\u{feff}---\r\ntitle: a\r\n---\r\n",
        "---\ntitle: a\n...\n",
        "---  \ntitle: a\n---",
        "---\n# only\ntitle: &x a\nother: *x\n---\n",
    ] {
        assert_eq!(about(text).title.as_deref(), Some("a"), "{text:?}");
    }
    assert_eq!(about("---\n---\n# H\n").title.as_deref(), Some("H"));
}

#[test]
fn a_block_that_does_not_end_soon_is_none() {
    let long = format!("---\ntitle: a\nx: \"{}\"\n---\n", "y".repeat(BLOCK_BYTES));
    assert_eq!(block(long.as_bytes()), None);
}

#[test]
fn growing_and_nested_yaml_costs_nothing() {
    let mut bomb = "---\na: &a [x,x,x,x,x,x,x,x,x]\n".to_owned();
    for (name, from) in ["b", "c", "d", "e", "f", "g", "h"]
        .iter()
        .zip(["a", "b", "c", "d", "e", "f", "g"])
    {
        bomb.push_str(&format!(
            "{name}: &{name} [*{from},*{from},*{from},*{from},*{from},*{from},*{from}]\n"
        ));
    }
    bomb.push_str("title: t\n---\n");
    assert_eq!(about(&bomb).title.as_deref(), Some("t"));
    for nested in ["[", "{a: ", "- ", "? "] {
        let deep = format!("---\nx: {}\n---\n# H\n", nested.repeat(8000));
        about(&deep);
    }
}

#[test]
fn tags_are_found_with_and_without_reading() {
    let head = "---\ntags: [Work/Big, \"\\x68ome\", straße]\n---\n";
    for (tag, is_there) in [
        ("work", true),
        ("#WORK/big", true),
        ("wor", false),
        ("home", true),
        ("STRASSE", true),
        ("other", false),
    ] {
        assert_eq!(Tag::new(tag).is_in(head.as_bytes()), is_there, "{tag}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn no_bytes_are_a_fault(content in any::<Vec<u8>>()) {
        let mut note = b"---\n".to_vec();
        note.extend_from_slice(&content);
        note.extend_from_slice(b"\n---\n");
        About::of(&note);
        Tag::new("a").is_in(&note);
    }

    #[test]
    fn no_yaml_is_a_fault(yaml in "([-:\\[\\]{},#&*!|>'\"%@`?a \n\t~]|title: |tags: |- |: |\\.\\.\\.\n){0,80}") {
        let note = format!("---\n{yaml}\n---\n# H\n");
        let found = About::of(note.as_bytes());
        assert!(found.title.is_none_or(|title| !title.contains('\n')));
    }
}
