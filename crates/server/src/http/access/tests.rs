use super::{Access, Authority, HostRule, Origin, Token, is_loopback};

fn access() -> Access {
    Access {
        hosts: ["files.example", "two.example:8443", "fd00::7"]
            .map(|rule| HostRule::parse(rule).unwrap())
            .to_vec(),
        origins: ["https://app.example", "vscode-webview://a-1"]
            .map(|origin| Origin::parse(origin).unwrap())
            .to_vec(),
        token: Token::new("correct-horse"),
    }
}

#[test]
fn hosts_are_loopback_or_listed() {
    let access = access();
    let allowed = |host: &str| {
        let host = Authority::parse(host).unwrap();
        access.allows_host(&host)
    };
    for host in [
        "localhost",
        "LOCALHOST:3333",
        "127.0.0.1:80",
        "127.8.8.8",
        "[::1]:3333",
        "[0:0:0:0:0:0:0:1]",
        "files.example",
        "Files.Example:9",
        "two.example:8443",
        "[fd00:0::7]:1",
    ] {
        assert!(allowed(host), "{host}");
    }
    for host in [
        "evil.example",
        "files.example.evil.example",
        "localhost.evil.example",
        "localhost.",
        "two.example",
        "two.example:443",
        "0.0.0.0",
        "10.0.0.1",
        "[::]",
        "[::ffff:127.0.0.1]",
        "0x7f.1",
        "2130706433",
    ] {
        assert!(!allowed(host), "{host}");
    }
}

#[test]
fn malformed_hosts_are_none() {
    for host in [
        "", ":80", "a b", "a/b", "a@b", "a:", "a:x", "a:99999", "a:+1", "[::1", "::1", "[::1]x",
        "[a]", "a:1:2", "é", "a,b", "a#", "*",
    ] {
        assert_eq!(Authority::parse(host), None, "{host}");
    }
    assert_eq!(HostRule::parse("*"), None);
}

#[test]
fn origins_are_loopback_or_listed() {
    let access = access();
    let allowed = |origin: &str| Origin::parse(origin).is_some_and(|o| access.allows_origin(&o));
    for origin in [
        "http://localhost:5173",
        "https://127.0.0.1",
        "http://[::1]:1",
        "https://app.example",
        "HTTPS://APP.example:443",
        "vscode-webview://a-1",
    ] {
        assert!(allowed(origin), "{origin}");
    }
    for origin in [
        "null",
        "",
        "https://evil.example",
        "http://app.example",
        "https://app.example:8443",
        "https://app.example/",
        "https://app.example.evil.example",
        "https://x@app.example",
        "file://",
        "chrome-extension://localhost",
        "http://localhost.evil.example",
        "*",
    ] {
        assert!(!allowed(origin), "{origin}");
    }
}

#[test]
fn the_scheme_takes_any_case_and_the_token_none() {
    let access = access();
    let allowed = |sent: &str| access.allows_authorization(Some(sent.as_bytes()));
    for sent in [
        "Bearer correct-horse",
        "bearer correct-horse",
        "BEARER  correct-horse ",
    ] {
        assert!(allowed(sent), "{sent}");
    }
    for sent in [
        "Bearer Correct-horse",
        "Bearer correct-hors",
        "Bearer correct-horse-",
        "Bearer",
        "Bearer ",
        "Basic correct-horse",
        "Bearercorrect-horse",
        "correct-horse",
        "",
    ] {
        assert!(!allowed(sent), "{sent}");
    }
    assert!(!access.allows_authorization(None));
    assert!(Access::default().allows_authorization(None));
}

#[test]
fn a_token_is_never_shown() {
    assert_eq!(format!("{:?}", Token::new("correct-horse")), "Some(Token)");
    for bad in ["", " ", "a b", "é", "a\n"] {
        assert!(Token::new(bad).is_none(), "{bad:?}");
    }
}

#[test]
fn loopback_is_what_no_other_machine_reaches() {
    for host in ["localhost", "127.0.0.1", "::1", "[::1]", "0:0:0:0:0:0:0:1"] {
        assert!(is_loopback(host), "{host}");
    }
    for host in ["0.0.0.0", "::", "192.168.1.2", "box.example", ""] {
        assert!(!is_loopback(host), "{host}");
    }
}
