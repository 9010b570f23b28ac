use super::{is_withheld, path, variables};
use crate::process::Environment;

#[test]
fn what_looks_secret_is_withheld_unless_released() {
    let released = ["gh_token".to_owned(), "MCP_TOKEN".to_owned()];
    for name in [
        "MCP_TOKEN",
        "mcp_token",
        "OPENAI_API_KEY",
        "NPM_TOKEN",
        "my_secret_x",
        "DB_PASSWORD",
        "aws_profile",
        "GOOGLE_CREDENTIALS",
    ] {
        assert!(is_withheld(name, &released), "{name}");
    }
    for name in ["GH_TOKEN", "HOME", "KEY", "AWS", "CREDENTIALS_X"] {
        assert!(!is_withheld(name, &released), "{name}");
    }
}

#[test]
fn colours_are_off_and_path_is_the_one_that_is_searched() {
    let inherited = Environment::of([("PATH", "/a"), ("FORCE_COLOR", "3"), ("HOME", "/h")]);
    let got = variables(&inherited, &[], "/b".as_ref());
    let want = [
        ("HOME", "/h"),
        ("PATH", "/b"),
        ("NO_COLOR", "1"),
        ("FORCE_COLOR", "0"),
    ];
    assert_eq!(got, want.map(|(name, value)| (name.into(), value.into())));
}

#[test]
fn path_is_as_configured_or_as_inherited() {
    let inherited = Environment::of([("PATH", "/opt/x:/usr/bin")]);
    assert_eq!(path(Some("/c".as_ref()), &inherited), "/c");
    assert_eq!(path(None, &inherited), "/opt/x:/usr/bin");
}

#[cfg(unix)]
#[test]
fn a_path_of_the_system_alone_is_bare() {
    use super::is_bare;
    assert!(is_bare("/usr/bin:/bin".as_ref()));
    assert!(!is_bare("/usr/local/bin:/bin".as_ref()));
}
