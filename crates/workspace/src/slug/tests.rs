use proptest::prelude::{any, proptest};

use super::Slug;

#[test]
fn titles_become_ids() {
    for (title, id) in [
        ("Add Login", "add-login"),
        ("  --Fix: the _thing_!! ", "fix-the-thing"),
        ("v2.0 / API", "v2-0-api"),
        ("Café Été", "café-été"),
        ("Cafe\u{301} E\u{301}te\u{301}", "café-été"),
        ("ΟΔΟΣ", "οδος"),
        ("İstanbul", "i\u{307}stanbul"),
        ("検索を速くする", "検索を速くする"),
        ("Добавить вход", "добавить-вход"),
        ("हिन्दी खोज", "हिन्दी-खोज"),
        ("می\u{200c}خواهم", "می-خواهم"),
        ("٣ مهام", "٣-مهام"),
        ("\u{301}x\u{202e}y\u{3164}z", "x-y-z"),
        ("❤\u{fe0f} love 1\u{fe0f}\u{20e3}", "love-1"),
        ("Kelvin \u{212a}", "kelvin-k"),
        ("../../etc/passwd", "etc-passwd"),
        ("", "change"),
        (" …—! ", "change"),
    ] {
        assert_eq!(Slug::make(title).as_str(), id, "{title:?}");
    }
}

#[test]
fn ids_are_cut_and_then_numbered() {
    let id = Slug::make(&"ab ".repeat(20));
    assert_eq!(id.as_str(), "ab-ab-ab-ab-ab-ab-ab-ab-ab-ab-ab-ab-ab-a");
    assert_eq!(
        id.numbered(2).as_str(),
        "ab-ab-ab-ab-ab-ab-ab-ab-ab-ab-ab-ab-ab-a-2"
    );
    let dash_at_the_cut = format!("{} x", "a".repeat(39));
    assert_eq!(Slug::make(&dash_at_the_cut).as_str(), "a".repeat(39));
    let wide = "𐐨".repeat(41);
    assert_eq!(Slug::make(&wide).as_str(), "𐐨".repeat(40));
}

#[test]
fn only_ids_are_read() {
    for id in ["a", "add-login-2", "caf-t", "2026", "café", "検索"] {
        assert_eq!(Slug::parse(id).map(|slug| slug.0).as_deref(), Some(id));
    }
    let decomposed = Slug::parse("cafe\u{301}").map(|slug| slug.0);
    assert_eq!(decomposed.as_deref(), Some("café"));
    for text in [
        "",
        ".",
        "..",
        "../x",
        "a/b",
        "a\\b",
        "/etc/passwd",
        "C:x",
        "a.json",
        "a\0b",
        "Add-Login",
        "-a",
        "a-",
        "a--b",
        "a b",
        " a",
        "a\n",
        "a_b",
        "%2e%2e",
        "\u{301}a",
        "a\u{200b}",
        "\u{2024}\u{2024}",
        "\u{ff0e}\u{ff0f}",
    ] {
        assert_eq!(Slug::parse(text), None, "{text:?}");
    }
    assert_eq!(Slug::parse(&"a".repeat(201)), None);
    assert_eq!(Slug::parse(&"\u{1d160}".repeat(20)), None);
}

proptest! {
    #[test]
    fn what_is_made_is_read_again(title in any::<String>(), n in 2_u64..) {
        let id = Slug::make(&title);
        assert!(id.as_str().chars().count() <= 40);
        assert_eq!(Slug::parse(id.as_str()), Some(id.clone()));
        let numbered = id.numbered(n);
        assert_eq!(Slug::parse(numbered.as_str()), Some(numbered));
    }
}
