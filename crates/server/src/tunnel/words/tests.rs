use super::split;

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

#[test]
fn own_options_are_taken_and_the_rest_is_for_the_server() {
    let words = [
        "--root",
        "/a b",
        "--dry-run",
        "--profile=p",
        "--shell",
        "--",
        "--force",
    ];
    let words = split(owned(&words)).unwrap();
    assert_eq!(words.server, ["--root", "/a b", "--shell", "--force"]);
    assert_eq!(words.value("profile"), Some("p"));
    assert!(words.has("dry-run"));
    assert!(!words.has("force"));
}

#[test]
fn an_own_option_needs_its_value() {
    let missing = |words: &[&str]| split(owned(words)).unwrap_err();
    let text = "Option '--sha256 <value>' argument missing";
    assert_eq!(missing(&["--sha256"]), text);
    assert_eq!(missing(&["--sha256", "--force"]), text);
    assert_eq!(
        missing(&["--download=x"]),
        "Option '--download' does not take an argument"
    );
}

#[test]
#[cfg(unix)]
fn paths_hold_from_anywhere() {
    use std::path::Path;

    use super::anchored;

    let words = [
        "--root",
        ".",
        "--workspace",
        "api=../api",
        "--state-dir=s",
        "--deny-path",
        "x",
    ];
    assert_eq!(
        anchored(&owned(&words), Path::new("/w/p")),
        [
            "--root",
            "/w/p",
            "--workspace",
            "api=/w/p/../api",
            "--state-dir=/w/p/s",
            "--deny-path",
            "x"
        ]
    );
    assert_eq!(
        anchored(&owned(&["--workspace=a=b:ro"]), Path::new("/w")),
        ["--workspace=a=/w/b:ro"]
    );
}
