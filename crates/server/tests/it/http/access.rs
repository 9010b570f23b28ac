//! Who may ask: hosts, origins, tokens, and what stops the start.

use serde_json::json;

use super::peer::{Request, Served, call, ping};
use crate::client::{folder, program, run};

#[test]
fn hosts_are_checked_for_every_method_and_path() {
    let folder = folder(&[]);
    let served = Served::start(folder.path(), &["--allowed-host", "files.example"]);
    for (host, allowed) in [
        ("localhost", true),
        ("LOCALHOST:1", true),
        ("127.0.0.1:3333", true),
        ("[::1]:3333", true),
        ("files.example", true),
        ("files.example:443", true),
        ("evil.example", false),
        ("evil.example:3333", false),
        ("files.example.evil.example", false),
        ("192.168.1.2", false),
        ("0.0.0.0", false),
        ("box", false),
    ] {
        for (method, path) in [
            ("POST", "/mcp"),
            ("GET", "/mcp"),
            ("DELETE", "/mcp"),
            ("PUT", "/mcp"),
            ("OPTIONS", "/mcp"),
            ("GET", "/healthz"),
            ("GET", "/nope"),
        ] {
            let request = Request::post(&ping(1)).at(&format!("{method} {path}"));
            let reply = served.send(
                &request
                    .with("Host", host)
                    .with("X-Forwarded-Host", "localhost")
                    .with("Forwarded", "host=localhost;for=127.0.0.1")
                    .with("X-Forwarded-For", "127.0.0.1"),
            );
            assert_eq!(reply.status != 403, allowed, "{method} {path} at {host}");
        }
    }
}

#[test]
fn origins_are_checked_and_told_what_they_may_read() {
    let folder = folder(&[]);
    let served = Served::start(folder.path(), &["--allowed-origin", "https://app.example"]);
    for (origin, allowed) in [
        ("https://app.example", true),
        ("http://localhost:5173", true),
        ("http://127.0.0.1", true),
        ("https://evil.example", false),
        ("http://app.example", false),
        ("https://app.example:8443", false),
        ("null", false),
        ("", false),
    ] {
        for (method, path) in [
            ("POST", "/mcp"),
            ("GET", "/mcp"),
            ("DELETE", "/mcp"),
            ("OPTIONS", "/mcp"),
            ("GET", "/healthz"),
        ] {
            let request = Request::post(&ping(1))
                .at(&format!("{method} {path}"))
                .with("Origin", origin)
                .with("Access-Control-Request-Method", "POST");
            let mut conn = served.connect();
            conn.send(&request);
            let reply = conn.head().unwrap();
            assert_eq!(
                reply.status != 403,
                allowed,
                "{method} {path} from {origin}"
            );
            let told = reply.header("access-control-allow-origin");
            assert_eq!(told, allowed.then_some(origin));
            assert_eq!(reply.header("access-control-allow-credentials"), None);
            assert_eq!(reply.header("vary"), Some("Origin"));
            if method == "OPTIONS" && allowed {
                assert_eq!(reply.status, 204);
                assert_eq!(reply.header("access-control-allow-methods"), Some("POST"));
                let headers = reply.header("access-control-allow-headers").unwrap();
                assert!(headers.contains("Authorization") && headers.contains("Mcp-Method"));
            }
        }
    }
    let reply = served.post(&ping(1));
    assert_eq!(reply.header("access-control-allow-origin"), None);
}

#[test]
fn nothing_is_done_for_who_may_not_ask() {
    let folder = folder(&[]);
    let served = Served::start(folder.path(), &["--token", "secret"]);
    let write = |path: &str| {
        let write = call(1, "write_file", json!({"path": path, "content": "x"}));
        Request::post(&write).with("Authorization", "Bearer secret")
    };
    for (request, status) in [
        (write("a").with("Host", "evil.example"), 403),
        (write("a").without("Host").version("1.0"), 403),
        (write("a").with("Origin", "https://evil.example"), 403),
        (write("a").with("Origin", "null"), 403),
        (write("a").with("Authorization", "Bearer wrong"), 401),
        (write("a").with("Content-Type", "text/plain"), 415),
        (write("b"), 200),
    ] {
        assert_eq!(served.send(&request).status, status);
    }
    assert!(!folder.path().join("a").exists());
    assert!(folder.path().join("b").exists());
}

#[test]
fn a_preflight_carries_no_token_and_needs_none() {
    let folder = folder(&[]);
    let served = Served::start(folder.path(), &["--token", "secret"]);
    let mut conn = served.connect();
    let preflight = Request::new("OPTIONS", "/mcp")
        .with("Origin", "http://localhost:1")
        .with("Access-Control-Request-Method", "POST");
    conn.send(&preflight);
    assert_eq!(conn.head().unwrap().status, 204);
    let reply = served.send(&Request::post(&ping(1)).with("Origin", "http://localhost:1"));
    assert_eq!(reply.status, 401);
    let told = reply.header("access-control-allow-origin");
    assert_eq!(told, Some("http://localhost:1"), "the page must see why");
}

#[test]
fn the_token_is_needed_and_shows_nowhere() {
    let folder = folder(&[]);
    let options = ["--http", "--port", "0", "--log-level", "debug"];
    let mut program = program(folder.path(), &options);
    let mut served = Served::start_with(program.env("MCP_TOKEN", "horse-battery"));
    for (sent, status) in [
        ("Bearer horse-battery", 200),
        ("bearer horse-battery", 200),
        ("BEARER horse-battery", 200),
        ("Bearer horse-batter", 401),
        ("Bearer horse-battery-staple", 401),
        ("Bearer", 401),
        ("Basic horse-battery", 401),
        ("horse-battery", 401),
    ] {
        let reply = served.send(&Request::post(&ping(1)).with("Authorization", sent));
        assert_eq!(reply.status, status, "{sent}");
    }
    let twice = Request::post(&ping(1))
        .with("Authorization", "Bearer horse-battery")
        .adding("Authorization", "Bearer x");
    assert_eq!(served.send(&twice).status, 401);
    let in_target = Request::post(&ping(1)).at("POST /mcp?token=horse-battery");
    assert_eq!(served.send(&in_target).status, 401);
    #[cfg(unix)]
    {
        served.terminate();
        let (code, log) = served.wait();
        assert_eq!(code, Some(0));
        assert!(
            log.contains("bearer token authentication is enabled"),
            "{log}"
        );
        assert!(log.contains("refused a request: 401 Unauthorized"), "{log}");
        assert!(!log.contains("horse"), "{log}");
    }
    assert!(!served.log.concat().contains("horse"));
}

#[test]
fn faults_of_options_stop_the_start() {
    let folder = folder(&[]);
    let token = "is no token: it is empty, or holds something else than visible ASCII characters";
    let open = "refusing to listen on 0.0.0.0 without a token: set MCP_TOKEN, or let in everybody \
                who can reach this machine with --insecure";
    for (options, line) in [
        (&["--port", "70000"][..], "invalid --port: 70000".to_owned()),
        (&["--port", "80x"], "invalid --port: 80x".to_owned()),
        (&["--port", "-1"], String::new()),
        (&["--port=+80"], "invalid --port: +80".to_owned()),
        (
            &["--host", " "],
            "invalid --host:   (expected a name or an address)".to_owned(),
        ),
        (
            &["--host", "127.0.0.1:80"],
            "invalid --host: 127.0.0.1:80 (expected a name or an address; a port goes into --port)"
                .to_owned(),
        ),
        (
            &["--host", "[::1]:80"],
            "invalid --host: [::1]:80 (expected a name or an address; a port goes into --port)"
                .to_owned(),
        ),
        (&["--token="], format!("--token {token}")),
        (&["--token", "a b"], format!("--token {token}")),
        (
            &["--allowed-host", "*"],
            "invalid --allowed-host: * (expected <name> or <name>:<port>)".to_owned(),
        ),
        (
            &["--allowed-origin", "*"],
            "invalid --allowed-origin: * (expected <scheme>://<name>[:<port>])".to_owned(),
        ),
        (
            &["--max-body-bytes", "1"],
            "invalid --max-body-bytes: 1 (expected an integer of at least 1024)".to_owned(),
        ),
        (&["--http", "--host", "0.0.0.0"], open.to_owned()),
    ] {
        let output = run(folder.path(), options);
        assert_eq!(output.status.code(), Some(2), "{options:?}");
        let stderr = String::from_utf8_lossy(&output.stderr);
        if !line.is_empty() {
            let last = stderr
                .trim_end()
                .strip_suffix("try --help")
                .unwrap_or_default();
            assert!(
                last.ends_with(&format!("[workspace-mcp] {line}\n")),
                "{stderr}"
            );
        }
    }
}

#[test]
fn an_empty_variable_stops_http_only() {
    let folder = folder(&[]);
    let output = |options: &[&str]| {
        let mut program = program(folder.path(), options);
        let program = program
            .env("MCP_TOKEN", "")
            .stdin(std::process::Stdio::null());
        program.output().unwrap().status.code()
    };
    assert_eq!(output(&["--http", "--port", "0"]), Some(2));
    assert_eq!(output(&[]), Some(0));
}

#[test]
fn a_port_in_use_is_a_fault_of_the_machine() {
    let folder = folder(&[]);
    let served = Served::start(folder.path(), &[]);
    let port = served.port.to_string();
    let output = run(folder.path(), &["--http", "--port", &port]);
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8_lossy(&output.stderr);
    let wanted = format!("[workspace-mcp] cannot listen on 127.0.0.1:{port}: ");
    assert!(stderr.starts_with(&wanted), "{stderr}");
    let hint = " (choose another port with --port, or 0 for a free one)\n";
    assert!(stderr.ends_with(hint), "{stderr}");
}

#[test]
fn other_machines_are_served_with_a_token_or_a_warning() {
    let folder = folder(&[]);
    let served = Served::start(folder.path(), &["--host", "0.0.0.0", "--token", "secret"]);
    assert_eq!(served.log.len(), 1, "{:?}", served.log);
    let request = Request::post(&ping(1)).with("Authorization", "Bearer secret");
    assert_eq!(served.send(&request).status, 200);
    let served = Served::start(folder.path(), &["--host", "0.0.0.0", "--insecure"]);
    let warning = "[workspace-mcp] SECURITY WARNING: HTTP mode is bound to a non-loopback host without a token";
    assert!(served.log[0].starts_with(warning), "{:?}", served.log);
    assert_eq!(served.post(&ping(1)).status, 200);
}

#[test]
fn the_configuration_file_may_say_it_all() {
    let config = r#"{"transport": {"type": "http", "port": 0, "maxBodyBytes": 1024,
        "allowedHosts": ["files.example"], "allowedOrigins": ["https://app.example"]}}"#;
    let folder = folder(&[("etc/c.json", config), ("root/a.txt", "")]);
    let options = ["--config", "etc/c.json", "--root", "root"];
    let served = Served::start_with(&mut program(folder.path(), &options));
    let request = Request::post(&ping(1))
        .with("Host", "files.example")
        .with("Origin", "https://app.example");
    assert_eq!(served.send(&request).status, 200);
    assert_eq!(served.send(&Request::body(&[b' '; 1025])).status, 413);
    for (config, code, line) in [
        (
            r#"{"transport": {"allowedHosts": ["*"]}}"#,
            1,
            "invalid transport.allowedHosts: * (expected",
        ),
        (
            r#"{"transport": {"type": "http", "tlsCert": "c"}}"#,
            2,
            "a certificate alone encrypts nothing: --tls-cert needs --tls-key",
        ),
        (
            r#"{"transport": {"type": "http", "host": "0.0.0.0"}}"#,
            2,
            "refusing to listen on 0.0.0.0",
        ),
    ] {
        std::fs::write(folder.path().join("etc/c.json"), config).unwrap();
        let output = run(folder.path(), &options);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{stderr}");
        assert!(stderr.contains(line), "{stderr}");
    }
}

#[test]
fn check_config_does_not_show_the_token() {
    let folder = folder(&[]);
    let output = run(
        folder.path(),
        &["check-config", "--http", "--token", "horse"],
    );
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(
        stdout.contains("(hidden)") && !stdout.contains("horse"),
        "{stdout}"
    );
    assert_eq!(output.status.code(), Some(0));
}
