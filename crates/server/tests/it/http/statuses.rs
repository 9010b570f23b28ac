//! What each request gets, by the order of checks.

use serde_json::json;

use super::peer::{Request, Served, call, ping};
use crate::client::folder;

const FORBIDDEN: &str = "Forbidden: host evil.example is not allowed (add it with --allowed-host)";

#[test]
fn refusals_have_the_known_bodies() {
    let folder = folder(&[]);
    let served = Served::start(
        folder.path(),
        &["--token", "secret", "--max-body-bytes", "2000"],
    );
    let good = Request::post(&ping(1)).with("Authorization", "Bearer secret");
    assert_eq!(served.send(&good).status, 200);
    let long = "x".repeat(2001);
    let malformed_host = "Bad Request: malformed Host header";
    for (request, status, code, text) in [
        (
            good.clone().with("Host", "a b"),
            400,
            -32000,
            malformed_host,
        ),
        (
            good.clone().with("Host", "[::1"),
            400,
            -32000,
            malformed_host,
        ),
        (good.clone().with("Host", ""), 400, -32000, malformed_host),
        // HTTP/1.1 itself says that a request without one is malformed, and that comes first.
        (
            good.clone().without("Host"),
            400,
            -32000,
            "Bad Request: the Host header is missing",
        ),
        (
            good.clone().adding("Host", "localhost"),
            400,
            -32000,
            "Bad Request: more than one Host header",
        ),
        (
            good.clone().with("Host", "evil.example"),
            403,
            -32000,
            FORBIDDEN,
        ),
        // An older request may lack it, but nothing then says that it means this server.
        (
            good.clone().without("Host").version("1.0"),
            403,
            -32000,
            "Forbidden: host (none) is not allowed (add it with --allowed-host)",
        ),
        (
            good.clone().with("Origin", "https://evil.example"),
            403,
            -32000,
            "Forbidden: origin https://evil.example is not allowed (add it with --allowed-origin)",
        ),
        (good.clone().at("POST /"), 404, -32601, "Not found"),
        (good.clone().at("POST /mcp/x"), 404, -32601, "Not found"),
        (good.clone().at("POST /MCP"), 404, -32601, "Not found"),
        (good.clone().at("POST /%6dcp"), 404, -32601, "Not found"),
        (
            good.clone().without("Authorization"),
            401,
            -32001,
            "Unauthorized",
        ),
        (
            good.clone().at("GET /mcp"),
            405,
            -32000,
            "Method not allowed.",
        ),
        (
            good.clone().at("PUT /mcp"),
            405,
            -32000,
            "Method not allowed.",
        ),
        (
            good.clone().at("DELETE /mcp"),
            405,
            -32000,
            "Method not allowed.",
        ),
        (
            good.clone().at("OPTIONS /mcp"),
            405,
            -32000,
            "Method not allowed.",
        ),
        (
            good.clone().at("BREW /mcp"),
            405,
            -32000,
            "Method not allowed.",
        ),
        (
            good.clone().with("Accept", "text/event-stream"),
            406,
            -32000,
            "Not Acceptable: Client must accept application/json",
        ),
        (
            good.clone().with("Accept", "application/json;q=0"),
            406,
            -32000,
            "Not Acceptable: Client must accept application/json",
        ),
        (
            good.clone().with("Content-Type", "text/plain"),
            415,
            -32000,
            "Unsupported Media Type: Content-Type must be application/json",
        ),
        (
            good.clone().without("Content-Type"),
            415,
            -32000,
            "Unsupported Media Type: Content-Type must be application/json",
        ),
        (
            good.clone().with("Content-Encoding", "gzip"),
            415,
            -32000,
            "Unsupported Media Type: send the body without Content-Encoding",
        ),
        (
            Request::body(long.as_bytes()).with("Authorization", "Bearer secret"),
            413,
            -32000,
            "Payload Too Large: a request may have at most 2000 bytes",
        ),
        (
            Request::body(b"{").with("Authorization", "Bearer secret"),
            400,
            -32700,
            "Parse error: Invalid JSON",
        ),
        (
            Request::body(b"").with("Authorization", "Bearer secret"),
            400,
            -32700,
            "Parse error: Invalid JSON",
        ),
        (
            good.clone().with("MCP-Protocol-Version", "1999-01-01"),
            400,
            -32000,
            "Bad Request: Unsupported protocol version: 1999-01-01 (supported versions: \
             2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05, 2024-10-07)",
        ),
    ] {
        let reply = served.send(&request);
        let shown = String::from_utf8_lossy(&request.bytes()).into_owned();
        assert_eq!(reply.fault(), (status, code, text.to_owned()), "{shown}");
        assert!(reply.json()["id"].is_null());
        match status {
            401 => assert_eq!(reply.header("www-authenticate"), Some("Bearer")),
            405 => assert_eq!(reply.header("allow"), Some("POST")),
            _ => {}
        }
    }
}

#[test]
fn earlier_checks_win() {
    let folder = folder(&[]);
    let served = Served::start(
        folder.path(),
        &["--token", "secret", "--max-body-bytes", "1024"],
    );
    let mut request = Request::body("x".repeat(1025).as_bytes())
        .at("GET /nope")
        .with("Host", "a b")
        .with("Origin", "null")
        .with("Accept", "text/html")
        .with("Content-Type", "text/html");
    for (status, mend) in [
        (400, ("Host", "evil.example")),
        (403, ("Host", "localhost")),
        (403, ("Origin", "http://localhost:1")),
        (404, ("", "GET /mcp")),
        (401, ("Authorization", "Bearer secret")),
        (405, ("", "POST /mcp")),
        (406, ("Accept", "*/*")),
        (415, ("Content-Type", "application/json; charset=utf-8")),
    ] {
        assert_eq!(served.send(&request).status, status);
        let (name, value) = mend;
        request = if name.is_empty() {
            request.at(value)
        } else {
            request.with(name, value)
        };
    }
    assert_eq!(served.send(&request).status, 413);
}

#[test]
fn what_is_no_http_is_refused_in_json_and_the_server_lives_on() {
    let folder = folder(&[]);
    let served = Served::start(folder.path(), &[]);
    let long = format!(
        "GET /mcp HTTP/1.1\r\nHost: localhost\r\nX: {}\r\n\r\n",
        "x".repeat(1 << 17)
    );
    for (bytes, status) in [
        (&b"hello\r\n\r\n"[..], 400),
        (b"GET /a b HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        (b"GET /mcp HTTP/9.9\r\nHost: localhost\r\n\r\n", 400),
        (b"G\x00T /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        (b"POST http://[ HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        (b"POST //[::bad/mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        (b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n", 400),
        (b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
        (b"POST /mcp HTTP/1.1\r\nHost: local\xffhost\r\n\r\n", 400),
        (b"POST /mcp HTTP/1.1\r\nHost : localhost\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
        (long.as_bytes(), 431),
        (b"GET http://evil.example/mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", 403),
        (b"GET http://localhost/mcp HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403),
        (b"GET /mcp HTTP/1.0\r\n\r\n", 403),
        (b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        (b"CONNECT localhost:80 HTTP/1.1\r\nHost: localhost:80\r\n\r\n", 404),
    ] {
        let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(90)]).into_owned();
        let reply = served.send_bytes(bytes);
        assert_eq!(reply.status, status, "{shown}");
        assert_eq!(reply.json()["jsonrpc"], "2.0", "{shown}");
        assert!(reply.json()["error"]["code"].is_i64(), "{shown}");
        assert_eq!(served.post(&ping(1)).status, 200, "after {shown}");
    }
}

#[test]
fn bodies_in_pieces_are_bodies() {
    let folder = folder(&[]);
    let served = Served::start(folder.path(), &["--max-body-bytes", "1024"]);
    let message = ping("pieces").to_string();
    let (a, b) = message.split_at(9);
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
                Transfer-Encoding: chunked\r\n\r\n";
    let chunk = |text: &str| format!("{:x}\r\n{text}\r\n", text.len());
    let whole = format!("{head}{}{}0\r\n\r\n", chunk(a), chunk(b));
    assert_eq!(served.send_bytes(whole.as_bytes()).json()["id"], "pieces");
    let long = format!(
        "{head}{}{}",
        chunk(&" ".repeat(800)),
        chunk(&" ".repeat(800))
    );
    assert_eq!(served.send_bytes(long.as_bytes()).status, 413);
    let broken = format!("{head}zz\r\n");
    assert_eq!(served.send_bytes(broken.as_bytes()).status, 400);
}

#[test]
fn a_refused_body_is_taken_so_that_the_refusal_arrives() {
    let folder = folder(&[]);
    let served = Served::start(folder.path(), &["--max-body-bytes", "1000000"]);
    let body = vec![b' '; 1_500_000];
    assert_eq!(served.send(&Request::body(&body)).status, 413);
    let lost = Request::body(&body[..900_000]).at("POST /nope");
    assert_eq!(served.send(&lost).status, 404);
    let open = Served::start(folder.path(), &["--token", "secret"]);
    let long = Request::body(&vec![b' '; 30_000_000]);
    assert_eq!(open.send(&long).status, 401);
    assert_eq!(open.send(&long.with("Host", "evil.example")).status, 403);
    // Who asks first is told at once.
    let mut conn = served.connect();
    let asking = Request::body(b"").with("Content-Length", "1500000");
    conn.send(&asking.with("Expect", "100-continue"));
    assert_eq!(conn.recv().status, 413);
    let mut conn = served.connect();
    let message = ping(1).to_string();
    let asking = Request::body(b"").with("Content-Length", &message.len().to_string());
    conn.send(&asking.with("Expect", "100-continue"));
    assert_eq!(conn.recv().status, 100);
    conn.send_bytes(message.as_bytes());
    assert_eq!(conn.recv().status, 200);
}

#[test]
fn health_is_told_without_a_token_and_names_nothing() {
    let folder = folder(&[]);
    let served = Served::start(folder.path(), &["--token", "secret"]);
    let reply = served.send(&Request::new("GET", "/healthz"));
    assert_eq!(reply.outcome(), (200, r#"{"status":"ok"}"#.to_owned()));
    let mut conn = served.connect();
    conn.send(&Request::new("HEAD", "/healthz?x=1"));
    assert_eq!(conn.head().unwrap().status, 200);
    let reply = served.send(&Request::new("POST", "/healthz"));
    assert_eq!(
        (reply.status, reply.header("allow")),
        (405, Some("GET, HEAD"))
    );
    let reply = served.send(&Request::new("GET", "/healthz").with("Host", "evil.example"));
    assert_eq!(reply.fault(), (403, -32000, FORBIDDEN.to_owned()));
    let mut conn = served.connect();
    conn.send(&Request::new("HEAD", "/mcp").with("Authorization", "Bearer secret"));
    assert_eq!(conn.head().unwrap().status, 405);
}

#[test]
fn what_a_client_may_vary_is_served() {
    let folder = folder(&[("a.txt", "hello\n")]);
    let served = Served::start(folder.path(), &[]);
    let read = call(7, "read_file", json!({"path": "a.txt"}));
    let wanted =
        r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"1: hello"}]}}"#;
    let post = Request::post(&read);
    for request in [
        post.clone(),
        post.clone().without("Accept"),
        post.clone().with("Accept", "*/*"),
        post.clone().with("Accept", "application/json"),
        post.clone()
            .with("Accept", "text/html, application/*;q=0.5"),
        post.clone()
            .with("Content-Type", "Application/JSON; charset=utf-8"),
        post.clone().with("Mcp-Session-Id", "made up"),
        post.clone().with("Last-Event-ID", "1"),
        post.clone().with("MCP-Protocol-Version", "2024-10-07"),
        post.clone().with("MCP-Protocol-Version", "2025-11-25"),
        post.clone().with("X-Forwarded-Host", "evil.example"),
        post.clone().with("Authorization", "Bearer nobody asked"),
        post.clone().at("POST /mcp/"),
        post.clone().at("POST /mcp?x=1"),
        post.clone().at("POST http://localhost/mcp"),
    ] {
        let reply = served.send(&request);
        let shown = String::from_utf8_lossy(&request.bytes()).into_owned();
        assert_eq!(reply.status, 200, "{shown}");
        assert_eq!(
            reply.json(),
            serde_json::from_str::<serde_json::Value>(wanted).unwrap()
        );
        assert_eq!(reply.header("content-type"), Some("application/json"));
        assert_eq!(reply.header("mcp-session-id"), None);
    }
}
