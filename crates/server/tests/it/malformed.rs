//! Whatever comes down the pipe is answered, and the server stays up.

use serde_json::{Value, json};

use crate::client::{Client, folder};

/// Sends a line; the code and the id of the answer.
fn refused(line: &str, id: impl Into<Value>) -> (i64, String) {
    let folder = folder(&[("a.txt", "hello\n")]);
    let mut client = Client::start(folder.path(), &[]);
    client.send_line(line);
    let answer = client.recv(id);
    assert_eq!(answer["jsonrpc"], "2.0");
    // The server goes on.
    client.send(&json!({"jsonrpc": "2.0", "id": "after", "method": "ping"}));
    assert_eq!(client.recv("after")["result"], json!({}));
    let error = &answer["error"];
    let text = error["message"].as_str().unwrap_or_default();
    (error["code"].as_i64().unwrap_or_default(), text.to_owned())
}

#[test]
fn broken_lines_are_answered() {
    for (line, id, code) in [
        ("hello", json!(null), -32700),
        ("{", json!(null), -32700),
        (r#"{"jsonrpc":"2.0","id":7,"method":"#, json!(7), -32700),
        (
            r#"{"jsonrpc":"2.0","id":"s","method":"ping",}"#,
            json!("s"),
            -32700,
        ),
        ("5", json!(null), -32600),
        ("null", json!(null), -32600),
        (r#""text""#, json!(null), -32600),
        ("[]", json!(null), -32600),
        (
            r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
            json!(null),
            -32600,
        ),
        ("{}", json!(null), -32600),
        (r#"{"id":1,"method":"ping"}"#, json!(1), -32600),
        (
            r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
            json!(1),
            -32600,
        ),
        (r#"{"jsonrpc":"2.0","id":1}"#, json!(1), -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":5}"#, json!(1), -32600),
        (
            r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            json!(null),
            -32600,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            json!(null),
            -32600,
        ),
        (
            r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
            json!(null),
            -32600,
        ),
        (
            r#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#,
            json!(null),
            -32600,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#,
            json!(1),
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}"#,
            json!(1),
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":5}}"#,
            json!(1),
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#,
            json!(1),
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":null}"#,
            json!(1),
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}"#,
            json!(1),
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}"#,
            json!(1),
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"grep","arguments":[]}}"#,
            json!(1),
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"grep","arguments":"{}"}}"#,
            json!(1),
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#,
            json!(1),
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}"#,
            json!(1),
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":5}}"#,
            json!(1),
            -32602,
        ),
    ] {
        let (seen, text) = refused(line, id);
        assert_eq!(seen, code, "for {line}: {text}");
        assert!(!text.is_empty(), "for {line}");
    }
}

#[test]
fn deep_nesting_is_no_message() {
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":3,"method":"ping","params":{}"#,
        "[".repeat(9999)
    );
    assert_eq!(refused(&line, 3).0, -32700);
}

#[test]
fn bytes_that_are_no_text_are_no_message() {
    let folder = folder(&[]);
    let mut client = Client::start(folder.path(), &[]);
    client.send_bytes(b"{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"\xff\"}\n");
    assert_eq!(client.recv(4)["error"]["code"], -32700);
}

#[test]
fn half_a_surrogate_pair_is_shown_as_the_replacement_character() {
    let folder = folder(&[]);
    let mut client = Client::start(folder.path(), &[]);
    client.send_line(
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"a\ud83d"}}}"#,
    );
    let answer = client.recv(1);
    assert_eq!(
        answer["result"]["content"][0]["text"],
        "file not found: a\u{fffd}"
    );
}

#[test]
fn notifications_and_stray_answers_are_passed_over() {
    let folder = folder(&[]);
    let mut client = Client::start(folder.path(), &[]);
    for line in [
        "",
        "   ",
        "\r",
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/unheard/of","params":[1]}"#,
        r#"{"jsonrpc":"2.0","method":"tools/call","params":{}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
        r#"{"jsonrpc":"2.0","id":99,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":99,"error":{"code":-1,"message":"no"}}"#,
    ] {
        client.send_line(line);
    }
    client.request("ping", json!({}));
    let (code, rest) = client.finish();
    assert_eq!(code, Some(0));
    assert_eq!(rest, Vec::<Value>::new());
}

#[test]
fn what_is_merely_odd_is_read() {
    let folder = folder(&[]);
    let mut client = Client::start(folder.path(), &[]);
    let ping = |id: &str| format!(r#"{{"jsonrpc":"2.0","id":"{id}","method":"ping"}}"#);
    client.send_bytes(format!("\u{feff}{}\n", ping("mark")).as_bytes());
    client.send_bytes(format!("{}\r\n", ping("return")).as_bytes());
    client.send_bytes(format!("  {}  \n\n", ping("spaces")).as_bytes());
    client.send_line(r#"{"jsonrpc":"2.0","id":-9007199254740993,"method":"ping","extra":true}"#);
    client.send_line(r#"{"jsonrpc":"2.0","id":"null","method":"tools/list","params":null}"#);
    client.send_line(
        r#"{"jsonrpc":"2.0","id":"cursor","method":"tools/list","params":{"cursor":null}}"#,
    );
    client.send_line(
        r#"{"jsonrpc":"2.0","id":"bare","method":"tools/call","params":{"name":"workspace_list"}}"#,
    );
    for id in [
        json!("mark"),
        json!("return"),
        json!("spaces"),
        json!(-9_007_199_254_740_993_i64),
        json!("null"),
        json!("cursor"),
        json!("bare"),
    ] {
        assert!(client.recv(id)["result"].is_object());
    }
}

#[test]
fn a_message_that_is_too_long_is_refused_by_its_id() {
    let folder = folder(&[]);
    let mut client = Client::start(folder.path(), &[]);
    let padding = vec![b'x'; 1024 * 1024];
    client.send_bytes(br#"{"jsonrpc":"2.0","method":"tools/call","params":{"id":1,"x":""#);
    for _ in 0..66 {
        client.send_bytes(&padding);
    }
    client.send_bytes(b"\"},\"id\":\"long\"}\n");
    let answer = client.recv("long");
    assert_eq!(answer["error"]["code"], -32600);
    assert_eq!(
        answer["error"]["message"],
        "message too long (limit 67108864 bytes)"
    );
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
}

#[test]
fn a_message_with_too_many_values_is_refused_by_its_id() {
    let values = vec!["0"; 1_000_000].join(",");
    let message =
        format!(r#"{{"jsonrpc":"2.0","id":"many","method":"ping","params":{{"x":[{values}]}}}}"#);
    let text = "message too large (limit 1000000 values)".to_owned();
    assert_eq!(refused(&message, "many"), (-32600, text));
}

#[test]
fn a_message_of_many_megabytes_is_served() {
    let folder = folder(&[]);
    let mut client = Client::start(folder.path(), &[]);
    let path = "x".repeat(12 * 1024 * 1024);
    let answer = client.call("read_file", json!({"path": path}));
    assert!(answer.starts_with("error: "), "{}", &answer[..40]);
}
