use super::{Client, Scope, address, n_tools, question, words};

#[test]
fn addresses_are_taken_apart() {
    for (url, wanted) in [
        (
            "http://127.0.0.1:3333/mcp",
            Some(("127.0.0.1", 3333, false)),
        ),
        ("http://localhost/mcp", Some(("localhost", 80, false))),
        ("https://example.com", Some(("example.com", 443, true))),
        (
            "https://u:p@example.com:8443/mcp?x#y",
            Some(("example.com", 8443, true)),
        ),
        ("http://[::1]:3333/mcp", Some(("::1", 3333, false))),
        ("http://[::1]/mcp", Some(("::1", 80, false))),
        ("http://", None),
        ("http://host:port/", None),
        ("http://[::1", None),
        ("ftp://host/", None),
        ("", None),
    ] {
        let found = address(url);
        let found = found
            .as_ref()
            .map(|(host, port, tls)| (host.as_str(), *port, *tls));
        assert_eq!(found, wanted, "{url}");
    }
}

#[test]
fn the_answer_is_found_among_other_lines() {
    let question = String::from_utf8(question()).unwrap();
    assert!(question.ends_with('\n') && question.lines().count() == 1);
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{},{}]}}"#;
    for (stdout, n) in [
        (answer.to_owned(), Some(2)),
        (format!("noise\n{{\"id\":2}}\n{answer}\n"), Some(2)),
        (r#"{"id":1,"error":{"code":-32600}}"#.to_owned(), None),
        (String::new(), None),
    ] {
        assert_eq!(n_tools(&stdout), n, "{stdout}");
    }
}

#[test]
fn the_remedy_names_the_entry() {
    assert_eq!(
        words(Client::Cursor, Scope::User, "workspace-mcp"),
        "cursor"
    );
    assert_eq!(
        words(Client::VsCode, Scope::Project, "docs"),
        "vscode --scope project --name docs"
    );
}
