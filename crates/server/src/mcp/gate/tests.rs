use serde_json::{Value, json};

use super::{CAPABILITIES, Gate, MODERN, VERSION};
use crate::toolset::Eras;

fn ask(gate: &Gate, method: &str, params: &Value) -> Option<(i32, String, Option<Value>)> {
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let error = gate.refuse(&message)?.error;
    Some((error.code.0, error.message.to_string(), error.data))
}

fn meta() -> Value {
    json!({"_meta": {VERSION: MODERN, CAPABILITIES: {}}})
}

#[test]
fn before_and_after_a_client_has_shown_that_it_knows() {
    let gate = Gate::new(Eras::Modern);
    let unnamed = "Unsupported protocol version: the request did not name a protocol version";
    let (code, text, data) = ask(&gate, "tools/list", &json!({})).unwrap();
    assert_eq!((code, text.as_str()), (-32022, unnamed));
    assert_eq!(data, Some(json!({"supported": [MODERN]})));
    assert_eq!(
        ask(&gate, "ping", &json!({"_meta": {}})).unwrap().1,
        unnamed
    );
    assert_eq!(ask(&gate, "initialize", &json!({})).unwrap().1, unnamed);
    let lacking = json!({"_meta": {VERSION: MODERN}});
    let (code, text, _) = ask(&gate, "tools/list", &lacking).unwrap();
    assert_eq!(code, -32602);
    assert_eq!(
        text,
        "Invalid _meta envelope for protocol revision 2026-07-28: \
         io.modelcontextprotocol/clientCapabilities: missing"
    );
    assert_eq!(ask(&gate, "tools/list", &meta()), None);
    let (code, text, _) = ask(&gate, "tools/list", &json!({})).unwrap();
    assert_eq!(code, -32602);
    assert_eq!(
        text,
        "Request is missing the required _meta envelope for protocol revision 2026-07-28 \
         (io.modelcontextprotocol/protocolVersion, io.modelcontextprotocol/clientCapabilities)"
    );
    let (code, text, _) = ask(&gate, "ping", &json!({})).unwrap();
    assert_eq!((code, text.as_str()), (-32601, "Method not found"));
}

#[test]
fn another_revision_is_always_refused() {
    let gate = Gate::new(Eras::Modern);
    for _ in 0..2 {
        let old = json!({"protocolVersion": "2025-11-25", "capabilities": {}});
        let (code, text, data) = ask(&gate, "initialize", &old).unwrap();
        assert_eq!(
            (code, text.as_str()),
            (-32022, "Unsupported protocol version: 2025-11-25")
        );
        assert_eq!(
            data,
            Some(json!({"supported": [MODERN], "requested": "2025-11-25"}))
        );
        let named = json!({"_meta": {VERSION: "2025-06-18", CAPABILITIES: {}}});
        let (code, text, _) = ask(&gate, "tools/list", &named).unwrap();
        assert_eq!(
            (code, text.as_str()),
            (-32022, "Unsupported protocol version: 2025-06-18")
        );
        assert_eq!(ask(&gate, "tools/list", &meta()), None);
    }
}

#[test]
fn notifications_and_answers_pass_and_so_does_everything_where_both_are_served() {
    let gate = Gate::new(Eras::Modern);
    assert!(
        gate.refuse(&json!({"method": "notifications/cancelled"}))
            .is_none()
    );
    assert!(gate.refuse(&json!({"id": 1, "result": {}})).is_none());
    assert!(gate.refuse(&json!([1])).is_none());
    assert_eq!(ask(&Gate::new(Eras::Both), "initialize", &json!({})), None);
}
