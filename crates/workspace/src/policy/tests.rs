use rooted::RelPath;

use super::Policy;

fn path(path: &str) -> RelPath {
    RelPath::from_bytes(path.as_bytes()).expect("a plain path")
}

#[track_caller]
fn check_deny(pattern: &str, denied: &[&str], shown: &[&str]) {
    let none: [&str; 0] = [];
    let policy = Policy::new(&[pattern], &none);
    for name in denied {
        assert!(policy.is_denied(&path(name)), "{pattern} hides {name}");
    }
    for name in shown {
        assert!(!policy.is_denied(&path(name)), "{pattern} shows {name}");
    }
    let policy = Policy::new(&none, &[pattern]);
    for name in denied {
        assert!(policy.is_read_only(&path(name)), "{pattern} closes {name}");
        assert!(!policy.is_denied(&path(name)));
    }
}

#[test]
fn a_denied_folder_hides_all_beneath_it() {
    let beneath = ["secrets", "secrets/a", "secrets/a/b.txt"];
    let outside = [".", "a", "secrets2", "xsecrets/a", "secret"];
    for pattern in [
        "secrets",
        "secrets/",
        "./secrets",
        "secrets/**",
        "/secrets",
        "/secrets/",
        "secrets\\**",
    ] {
        check_deny(pattern, &beneath, &outside);
    }
    check_deny("secrets", &["x/secrets/a"], &[]);
    check_deny("/secrets", &[], &["x/secrets/a", "x/secrets"]);
    check_deny(
        "a/secrets",
        &["a/secrets/b"],
        &["a", "secrets", "a/b", "x/a/secrets"],
    );
    check_deny(
        "**/private/**",
        &["private", "a/private", "a/private/b"],
        &["a"],
    );
    check_deny(
        "{a/**,b/c/**}",
        &["a", "a/x", "b/c", "b/c/d"],
        &["b", "b/x"],
    );
    check_deny(
        "secrets/*",
        &["secrets/a", "secrets/a/b"],
        &["secrets", "a"],
    );
    check_deny(
        "*.pem",
        &["a.pem", "x/a.pem", "x.pem/inside"],
        &["a.pemx", "x"],
    );
    check_deny("**", &["a", "a/b"], &["."]);
    check_deny("[z-a]", &[], &["a", "z", "[z-a]"]);
}

#[test]
fn no_other_spelling_gets_around_a_pattern() {
    check_deny(
        "Caf\u{e9}/*.pem",
        &[
            "cafe\u{301}/KEY.PEM",
            "CAF\u{c9}/k.Pem",
            "caf\u{e9}/k\u{200d}ey.pem",
            "caf\u{e9}/k.pem.",
            "caf\u{e9} /k.pem",
        ],
        &["caf/k.pem"],
    );
    check_deny(
        "secrets",
        &["SECRETS/a", "secrets./a", "secrets /a", "\u{17f}ecrets"],
        &["..a"],
    );
    check_deny("stra?e", &["stra\u{df}e"], &[]);
    check_deny("[!a].txt", &["A.txt", "b.txt"], &["a.txt"]);
    check_deny("a\\b", &["a\\b", "a/b", "A\\B"], &["b"]);
    check_deny("x.", &["x."], &[]);
}

#[test]
fn an_entry_is_judged_without_its_folders() {
    let policy = Policy::new(&["*.pem"], &["gen/**"]);
    assert!(policy.is_denied_entry(&path("x/a.pem")));
    assert!(!policy.is_denied_entry(&path("a.pem/x")));
    assert!(!policy.is_denied_entry(&RelPath::root()));
}

#[test]
fn repositories_and_state_are_protected() {
    let policy = Policy::default();
    for name in [
        ".git",
        ".git/config",
        "a/.git",
        "a/.git/hooks/x",
        ".GIT/x",
        ".Git",
        ".git.",
        ".git ",
        ".git . .",
        ".g\u{200c}it/x",
        ".git\u{feff}",
        "git~1",
        "GIT~1/x",
        "a/git~2",
        ".git:stream",
        ".git::$INDEX_ALLOCATION/x",
        ".workspace-mcp",
        ".Workspace-MCP/journal.jsonl",
        "a/.workspace-mcp/x",
        "WORKSP~1",
    ] {
        assert!(policy.protected(&path(name)), "{name}");
    }
    for name in [
        ".",
        "a",
        ".gitignore",
        ".github/x",
        "git",
        "x.git",
        ".gitx",
        ".git-x",
        "git~",
        "git~10",
        "git~x",
        "workspace-mcp",
    ] {
        assert!(!policy.protected(&path(name)), "{name}");
    }
    let bad = RelPath::from_bytes(b".git\xff").expect("a name of bytes");
    assert!(!policy.protected(&bad));
}

#[test]
fn a_configuration_file_is_closed_to_writing_only() {
    let none: [&str; 0] = [];
    let policy =
        Policy::new(&none, &none).with_config_file(&path("conf/workspace-mcp.config.json"));
    assert!(policy.protected(&path("conf/workspace-mcp.config.json")));
    assert!(policy.protected(&path("Conf/Workspace-MCP.config.JSON")));
    assert!(!policy.protected(&path("conf")));
    assert!(!policy.protected(&path("workspace-mcp.config.json")));

    let policy = Policy::new(&none, &none).with_state_folder(&path("var/state"));
    for name in ["var/state", "var/state/a/notes.jsonl", "Var/STATE./x"] {
        assert!(policy.protected(&path(name)), "{name}");
    }
    for name in ["var", "var/states", "state", "x/var/state/a"] {
        assert!(!policy.protected(&path(name)), "{name}");
    }
    assert!(!policy.is_denied(&path("conf/workspace-mcp.config.json")));
    assert!(!policy.is_read_only(&path("conf/workspace-mcp.config.json")));
}
