//! From the JSON of one message to what the SDK takes.
//!
//! The SDK reads a message by trying one type after another, and what fits none becomes an unknown
//! method. Reading by the method's name instead is faster, and tells a malformed call from a
//! missing method.

use std::borrow::Cow;

use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientRequest, CustomRequest, DiscoverRequest,
    ErrorCode, GetMeta as _, InitializeRequest, JsonRpcError, ListToolsRequest, MetaObject,
    PaginatedRequestParams, PingRequest, RequestId, RequestMetaObject,
};
use serde_json::{Map, Value};

/// What is noted under `_meta` of a message in which halves of characters had to be replaced.
pub const MENDED: &str = "workspace-mcp/mended";

/// Notes in a message that halves of characters in it were replaced.
pub fn note_mended(message: &mut Value) {
    let params = message.get_mut("params").and_then(Value::as_object_mut);
    let meta = params.map(|params| {
        params
            .entry("_meta")
            .or_insert_with(|| Value::Object(Map::new()))
    });
    if let Some(meta) = meta.and_then(Value::as_object_mut) {
        meta.insert(MENDED.to_owned(), Value::Bool(true));
    }
}

/// What one message asks for.
#[derive(Debug)]
pub enum Incoming {
    /// An answer under this id.
    Request(RequestId, Box<ClientRequest>),
    /// To give up the request with this id.
    Cancel(RequestId),
    /// Nothing: a notification, or an answer to what was never asked.
    Nothing,
    /// It is no message, or a malformed one.
    Refused(JsonRpcError),
}

/// Reads one message.
#[must_use]
pub fn read(message: Value) -> Incoming {
    let Value::Object(mut message) = message else {
        return refused(
            None,
            if message.is_array() {
                "batches are not supported: send one message a line"
            } else {
                "a message is a JSON object"
            },
        );
    };
    let id = match message.shift_remove("id") {
        None => None,
        Some(id) => match read_id(&id) {
            Some(id) => Some(id),
            None => return refused(None, "an id is a string or an integer"),
        },
    };
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return refused(id, "jsonrpc must be \"2.0\"");
    }
    let Some(method) = message.shift_remove("method") else {
        let is_answer = message.contains_key("result") || message.contains_key("error");
        return if is_answer {
            Incoming::Nothing
        } else {
            refused(id, "a request has a method")
        };
    };
    let Value::String(method) = method else {
        return refused(id, "a method is a string");
    };
    let params = match message.shift_remove("params") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(params)) => params,
        Some(_) => {
            return match id {
                Some(id) => malformed(id, &method, "params must be an object"),
                None => Incoming::Nothing,
            };
        }
    };
    match id {
        Some(id) => read_request(id, &method, params),
        None => read_notification(&method, &params),
    }
}

/// A refusal of something that is no message.
#[must_use]
pub fn refusal(
    id: Option<RequestId>,
    code: ErrorCode,
    text: impl Into<Cow<'static, str>>,
) -> JsonRpcError {
    JsonRpcError::new(id, ErrorData::new(code, text, None))
}

/// Reads an id; `null` and fractions are none.
#[must_use]
pub fn read_id(id: &Value) -> Option<RequestId> {
    match id {
        Value::String(text) => Some(RequestId::String(text.as_str().into())),
        Value::Number(number) => number.as_i64().map(RequestId::Number),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn refused(id: Option<RequestId>, text: &'static str) -> Incoming {
    Incoming::Refused(refusal(id, ErrorCode::INVALID_REQUEST, text))
}

fn malformed(id: RequestId, method: &str, fault: &str) -> Incoming {
    let method = rooted::show(method.as_bytes());
    let error = ErrorData::invalid_params(format!("malformed {method}: {fault}"), None);
    Incoming::Refused(JsonRpcError::new(Some(id), error))
}

fn read_notification(method: &str, params: &Map<String, Value>) -> Incoming {
    match method {
        "notifications/cancelled" => params
            .get("requestId")
            .and_then(read_id)
            .map_or(Incoming::Nothing, Incoming::Cancel),
        _ => Incoming::Nothing,
    }
}

fn read_request(id: RequestId, method: &str, mut params: Map<String, Value>) -> Incoming {
    let meta = match params.shift_remove("_meta") {
        None | Some(Value::Null) => RequestMetaObject::default(),
        Some(Value::Object(meta)) => RequestMetaObject(MetaObject(meta)),
        Some(_) => return malformed(id, method, "_meta must be an object"),
    };
    let is_modern = |meta: &RequestMetaObject| {
        let named = meta.protocol_version();
        named.is_some_and(|version| !version.has_initialize())
    };
    let request = match method {
        // Removed by then, whatever the rest of the message says.
        "initialize" | "ping" if is_modern(&meta) => Ok(CustomRequest::new(method, None).into()),
        "initialize" => read_initialize(params),
        "ping" => Ok(PingRequest::default().into()),
        "server/discover" => Ok(DiscoverRequest::default().into()),
        "tools/list" => read_list(params),
        "tools/call" => read_call(params),
        _ => {
            let params = Some(Value::Object(params));
            Ok(CustomRequest::new(method, params).into())
        }
    };
    match request {
        Ok(mut request) => {
            *ClientRequest::get_meta_mut(&mut request) = meta;
            Incoming::Request(id, Box::new(request))
        }
        Err(fault) => malformed(id, method, &fault),
    }
}

fn read_initialize(mut params: Map<String, Value>) -> Result<ClientRequest, String> {
    if !params.get("protocolVersion").is_some_and(Value::is_string) {
        return Err("protocolVersion must be a string".to_owned());
    }
    // Who the client is and what it can do changes nothing here, so a slip in it is no fault.
    if !params.get("capabilities").is_some_and(Value::is_object) {
        params.insert("capabilities".to_owned(), Value::Object(Map::new()));
    }
    let has_name = |info: &Value| info["name"].is_string() && info["version"].is_string();
    if !params.get("clientInfo").is_some_and(has_name) {
        let unknown = serde_json::json!({"name": "unknown", "version": "0"});
        params.insert("clientInfo".to_owned(), unknown);
    }
    let params =
        serde_json::from_value(Value::Object(params)).map_err(|error| error.to_string())?;
    Ok(InitializeRequest::new(params).into())
}

fn read_list(mut params: Map<String, Value>) -> Result<ClientRequest, String> {
    let cursor = match params.shift_remove("cursor") {
        None | Some(Value::Null) => None,
        Some(Value::String(cursor)) => Some(cursor),
        Some(_) => return Err("cursor must be a string".to_owned()),
    };
    let params = PaginatedRequestParams::default().with_cursor(cursor);
    Ok(ListToolsRequest::with_param(params).into())
}

fn read_call(mut params: Map<String, Value>) -> Result<ClientRequest, String> {
    let Some(Value::String(name)) = params.shift_remove("name") else {
        return Err("name must be a string".to_owned());
    };
    let arguments = match params.shift_remove("arguments") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(arguments)) => arguments,
        Some(_) => return Err("arguments must be an object".to_owned()),
    };
    let params = CallToolRequestParams::new(name).with_arguments(arguments);
    Ok(CallToolRequest::new(params).into())
}
