//! Settings: what is read, and what of it git is given.

use super::config::{Entry, parse};
use super::settings::Settings;

fn texts(file: &str) -> Vec<String> {
    let entries = parse(file.as_bytes()).unwrap();
    let show = |entry: &Entry| {
        let subsection = entry.subsection.as_deref().map(String::from_utf8_lossy);
        let value = entry.value.as_deref().map(String::from_utf8_lossy);
        format!("{}|{subsection:?}|{}|{value:?}", entry.section, entry.key)
    };
    entries.iter().map(show).collect()
}

#[test]
fn files_are_read_as_git_reads_them() {
    let file = "\u{feff}# comment\n[Core] FileMode = false ; why\r\n\tbare\n\
                [branch \"a \\\"b\\\\\"]\nmerge = \"refs/heads/x # y\" # z\n\
                [old.Style]\nkey=a \\\n  b\t \\t\"  c \"  \n[e]\nx =\n";
    assert_eq!(
        texts(file),
        [
            "core|None|filemode|Some(\"false\")",
            "core|None|bare|None",
            "branch|Some(\"a \\\"b\\\\\")|merge|Some(\"refs/heads/x # y\")",
            "old|Some(\"style\")|key|Some(\"a   b\\t \\t  c \")",
            "e|None|x|Some(\"\")",
        ]
    );
}

#[test]
fn faults_name_their_line() {
    for (file, line) in [
        ("key = 1", 1),
        ("[a]\n=x", 2),
        ("[a]\nb = \"open\n", 2),
        ("[a]\nb = \\q", 2),
        ("[a \"b]", 1),
        ("[a]\n\n!", 3),
    ] {
        assert_eq!(parse(file.as_bytes()), Err(line), "{file}");
    }
}

#[test]
fn what_is_written_is_read_back() {
    let entry = Entry {
        section: "branch".to_owned(),
        subsection: Some(b"qu\"ote\\d \xff".to_vec()),
        key: "merge".to_owned(),
        value: Some(b" a\"b\\c\nd\te # f ".to_vec()),
    };
    let mut file = Vec::new();
    entry.write(&mut file);
    assert_eq!(parse(&file), Ok(vec![entry]));
}

#[test]
fn only_harmless_settings_pass() {
    let mut settings = Settings::new();
    settings.add_repository(
        parse(
            b"[core]\nfsmonitor = evil\nattributesFile = /x\nexcludesFile = /x\neol = lf\n\
              worktree = /x\nhooksPath = /x\n[filter \"x\"]\nclean = evil\n[diff]\n\
              external = evil\ncontext = 5\n[diff \"x\"]\ncommand = evil\n[include]\npath = /x\n\
              [extensions]\nobjectFormat = sha256\nother = evil\n",
        )
        .unwrap(),
    );
    settings
        .add_personal(parse(b"[core]\nexcludesFile = ~/mine\nattributesFile = here\n").unwrap());
    let file = String::from_utf8(settings.write()).unwrap();
    for word in ["evil", "/x", "here", "worktree"] {
        assert!(!file.contains(word), "{file}");
    }
    for line in [
        "eol = \"lf\"",
        "context = \"5\"",
        "excludesfile = \"~/mine\"",
        "objectformat = \"sha256\"",
    ] {
        assert!(file.contains(line), "{file}");
    }
}
