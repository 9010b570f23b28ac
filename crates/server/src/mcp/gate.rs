//! The revisions that a toolset serves, asked of each message before anything else is.
//!
//! A toolset may serve 2026-07-28 only. Then whatever names another revision, or none, is refused with
//! what it should have named; `initialize` is such a message. Once a client has shown that it knows the
//! revision, a request that forgets to name it has made a slip, and is told so.

use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::ErrorData;
use rmcp::model::{ErrorCode, JsonRpcError};
use serde_json::{Map, Value, json};

use super::message::read_id;
use crate::toolset::Eras;

/// The one revision without `initialize` that there is.
pub const MODERN: &str = "2026-07-28";
const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const CLIENT: &str = "io.modelcontextprotocol/clientInfo";
/// The methods that there are.
const METHODS: [&str; 3] = ["server/discover", "tools/list", "tools/call"];

/// Refuses what is of no revision that is served.
#[derive(Debug)]
pub struct Gate {
    eras: Eras,
    /// Whether the client has shown that it knows the revision.
    is_known: AtomicBool,
}

impl Gate {
    /// A gate for one connection.
    #[must_use]
    pub fn new(eras: Eras) -> Self {
        Self {
            eras,
            is_known: AtomicBool::new(false),
        }
    }

    /// Says why a message is refused, if it is.
    #[must_use]
    pub fn refuse(&self, message: &Value) -> Option<JsonRpcError> {
        if self.eras == Eras::Both {
            return None;
        }
        let id = message.get("id").and_then(read_id)?;
        let method = message.get("method")?.as_str()?;
        let error = self.fault(method, message.get("params"))?;
        Some(JsonRpcError::new(Some(id), error))
    }

    fn fault(&self, method: &str, params: Option<&Value>) -> Option<ErrorData> {
        let params = params.and_then(Value::as_object);
        if method == "initialize" {
            let asked = params.and_then(|params| params.get("protocolVersion"));
            return Some(unsupported(asked.and_then(Value::as_str)));
        }
        let meta = params.and_then(|params| params.get("_meta"));
        let meta = meta.and_then(Value::as_object).filter(|meta| {
            [VERSION, CAPABILITIES, CLIENT]
                .iter()
                .any(|key| meta.contains_key(*key))
        });
        let is_known = self.is_known.load(Ordering::Relaxed);
        let Some(meta) = meta else {
            return match is_known {
                // What only older revisions have is not there either.
                true if !METHODS.contains(&method) => {
                    let code = ErrorCode::METHOD_NOT_FOUND;
                    Some(ErrorData::new(code, "Method not found", None))
                }
                true => Some(invalid(format!(
                    "Request is missing the required _meta envelope for protocol revision {MODERN} \
                     ({VERSION}, {CAPABILITIES})"
                ))),
                false => Some(unsupported(None)),
            };
        };
        match meta.get(VERSION) {
            Some(Value::String(version)) if version != MODERN => {
                return Some(unsupported(Some(version)));
            }
            None if !is_known => return Some(unsupported(None)),
            _ => {}
        }
        let Some((key, problem)) = envelope(meta) else {
            self.is_known.store(true, Ordering::Relaxed);
            return None;
        };
        let prefix = format!("Invalid _meta envelope for protocol revision {MODERN}: ");
        Some(invalid(format!("{prefix}{key}: {problem}")))
    }
}

/// What is wrong with what a request says of its client: a key and its problem.
fn envelope(meta: &Map<String, Value>) -> Option<(&'static str, String)> {
    let is_right = |key: &'static str, value: Option<&Value>, wanted: &str| match value {
        None if key == CLIENT => None,
        None => Some((key, "missing".to_owned())),
        Some(Value::String(_)) if wanted == "string" => None,
        Some(Value::Object(_)) if wanted == "object" => None,
        Some(_) => Some((key, format!("expected {wanted}"))),
    };
    [
        (VERSION, "string"),
        (CAPABILITIES, "object"),
        (CLIENT, "object"),
    ]
    .into_iter()
    .find_map(|(key, wanted)| is_right(key, meta.get(key), wanted))
}

fn invalid(text: String) -> ErrorData {
    ErrorData::new(ErrorCode::INVALID_PARAMS, text, None)
}

fn unsupported(requested: Option<&str>) -> ErrorData {
    let (text, data) = match requested {
        Some(version) => {
            let shown = rooted::show(version.as_bytes());
            let data = json!({"supported": [MODERN], "requested": version});
            (format!("Unsupported protocol version: {shown}"), data)
        }
        None => {
            let text = "Unsupported protocol version: the request did not name a protocol version";
            (text.to_owned(), json!({"supported": [MODERN]}))
        }
    };
    ErrorData::new(ErrorCode::UNSUPPORTED_PROTOCOL_VERSION, text, Some(data))
}

#[cfg(test)]
mod tests;
