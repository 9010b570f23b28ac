use rooted::RelPath;

use super::PathFault::{
    Empty, ForbiddenCharacter, ForbiddenSegment, Hidden, NotANote, NotRelative, Reserved,
};
use super::{check_note, common_form, folder, note};

#[test]
fn each_forbidden_form_is_refused() {
    let rows = [
        ("", Empty),
        ("/etc/a.md", NotRelative),
        ("//server/share/a.md", NotRelative),
        ("\\\\server\\share\\a.md", NotRelative),
        ("\\\\?\\C:\\a.md", NotRelative),
        ("C:/a.md", NotRelative),
        ("c:a.md", NotRelative),
        ("C:\\a.md", NotRelative),
        ("a\\b.md", NotRelative),
        ("..", ForbiddenSegment),
        ("../a.md", ForbiddenSegment),
        ("a/../b.md", ForbiddenSegment),
        ("a/..", ForbiddenSegment),
        (".", ForbiddenSegment),
        ("./a.md", ForbiddenSegment),
        ("a//b.md", ForbiddenSegment),
        ("a.md/", ForbiddenSegment),
        ("a.md.", ForbiddenSegment),
        ("a.md ", ForbiddenSegment),
        ("a./b.md", ForbiddenSegment),
        ("a /b.md", ForbiddenSegment),
        (".git/a.md", Hidden),
        (".env", Hidden),
        (".env.md", Hidden),
        (".md", Hidden),
        ("a/.b/c.md", Hidden),
        (".workspace-mcp/a.md", Hidden),
        ("\u{200c}.git/a.md", Hidden),
        ("CON", Reserved),
        ("CON.md", Reserved),
        ("con.tar.md", Reserved),
        ("NUL.md", Reserved),
        ("NUL .md", Reserved),
        ("nul/a.md", Reserved),
        ("PRN.md", Reserved),
        ("aux.md", Reserved),
        ("COM1.md", Reserved),
        ("com0.md", Reserved),
        ("COM².md", Reserved),
        ("LPT9.md", Reserved),
        ("CONIN$.md", Reserved),
        ("conout$.md", Reserved),
        ("ab:c.md", ForbiddenCharacter),
        ("a.md:stream", ForbiddenCharacter),
        ("a.md::$DATA", ForbiddenCharacter),
        ("a<b.md", ForbiddenCharacter),
        ("a>b.md", ForbiddenCharacter),
        ("a\"b.md", ForbiddenCharacter),
        ("a|b.md", ForbiddenCharacter),
        ("a?.md", ForbiddenCharacter),
        ("*.md", ForbiddenCharacter),
        ("a\0.md", ForbiddenCharacter),
        ("a\n.md", ForbiddenCharacter),
        ("a\u{7f}.md", ForbiddenCharacter),
        ("a\u{85}.md", ForbiddenCharacter),
        ("a\u{202e}b.md", ForbiddenCharacter),
        ("a\u{e0041}.md", ForbiddenCharacter),
        ("a", NotANote),
        ("a.txt", NotANote),
        ("tasks.json", NotANote),
        ("md", NotANote),
        ("a.md/b", NotANote),
        ("a.mdx", NotANote),
    ];
    for (input, fault) in rows {
        assert_eq!(note(input), Err(fault), "{input:?}");
    }
}

#[test]
fn ordinary_names_are_taken_as_they_are() {
    for input in [
        "a.md",
        "A.MD",
        "projects/alpha.md",
        " leading space.md",
        "a b/c d.md",
        "com.md",
        "com10.md",
        "console.md",
        "nulls.md",
        "größe.md",
        "日本語.md",
        "👩\u{200d}👩\u{200d}👧.md",
        "a.b.c.md",
        "100%25.md",
        "~.md",
        "-rf.md",
    ] {
        let path = note(input).expect(input);
        assert_eq!(path.as_str(), Some(input));
        assert_eq!(check_note(&path), Ok(()));
    }
}

#[test]
fn a_folder_may_be_the_root_and_end_in_a_slash() {
    for input in ["", ".", "./"] {
        assert_eq!(folder(input), Ok(RelPath::root()));
    }
    assert_eq!(folder("a/b/").expect("fine").as_str(), Some("a/b"));
    for (input, fault) in [
        ("/", NotRelative),
        ("a//", ForbiddenSegment),
        ("..", ForbiddenSegment),
        (".git", Hidden),
        ("nul", Reserved),
    ] {
        assert_eq!(folder(input), Err(fault), "{input:?}");
    }
}

#[test]
fn case_and_unicode_forms_have_one_common_form() {
    for (one, other) in [
        ("Inbox.md", "inbox.MD"),
        ("e\u{301}.md", "É.md"),
        ("straße.md", "STRASSE.md"),
        ("ς.md", "Σ.md"),
        ("\u{212a}.md", "k.md"),
        ("10.30\u{202f}PM.md", "10.30 pm.md"),
    ] {
        assert_eq!(common_form(one), common_form(other));
    }
    assert_ne!(common_form("a.md"), common_form("á.md"));
}
