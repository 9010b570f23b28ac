//! From the JSON of a body to what is asked, by the rules of the revision that it names.
//!
//! A request whose `_meta` names a revision stands for itself, and from 2026-07-28 on its headers
//! must say the same as its body, since others may go by them. Everything else is of the older
//! revisions, which need no header.

use base64::Engine as _;
use hyper::StatusCode;
use hyper::header::{HeaderMap, HeaderName};
use rmcp::ErrorData;
use rmcp::model::{
    ClientRequest, ErrorCode, GetMeta as _, JsonRpcError, ProtocolVersion, RequestId,
};
use serde_json::Value;

use super::events::Reply;
use super::gate::only;
use super::refusal::{Refusal, json};
use crate::mcp;
use crate::mcp::gate::Gate;
use crate::mcp::message::{self, Incoming};
use crate::toolset::{Eras, Toolset};

/// Messages that one body may hold.
const BATCH: usize = 100;
/// Where a request names its revision.
const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");
/// Revisions that open with `initialize`, newest first, as a refusal names them. The oldest was
/// never a revision of its own, and its clients are served all the same.
const LEGACY: &[&str] = &[
    "2025-11-25",
    "2025-06-18",
    "2025-03-26",
    "2024-11-05",
    "2024-10-07",
];

/// What a body asks for.
pub(super) enum Asked {
    /// Nothing that has an answer.
    Nothing,
    /// One request.
    One {
        /// What to answer.
        request: Request,
        /// Whether the rules of 2026-07-28 hold.
        modern: bool,
    },
    /// Several requests, or such as must be refused each for itself.
    Batch(Vec<Result<Request, JsonRpcError>>),
}

/// A request and its id.
pub(super) struct Request {
    pub(super) id: RequestId,
    pub(super) request: Box<ClientRequest>,
}

impl Request {
    /// Whether it calls a tool, which takes a thread that may block.
    pub(super) fn is_call(&self) -> bool {
        matches!(*self.request, ClientRequest::CallToolRequest(_))
    }

    /// Whether that tool mostly waits.
    pub(super) fn waits(&self, toolset: &dyn Toolset) -> bool {
        let ClientRequest::CallToolRequest(call) = &*self.request else {
            return false;
        };
        toolset.waits(&call.params.name)
    }

    /// What its caller wants to be told under how far it is, if it does.
    pub(super) fn progress_token(&self) -> Option<Value> {
        mcp::progress_token(&self.request)
    }

    /// Whether its `_meta` lacks what every request of 2026-07-28 has.
    pub(super) fn lacks_meta(&self) -> bool {
        let meta = self.request.get_meta();
        !meta
            .missing_required_keys(&ProtocolVersion::V_2026_07_28)
            .is_empty()
    }
}

/// Why a body is not answered.
pub(super) enum Fault {
    /// It is no message.
    Refused(Refusal),
    /// It is one, and this is what is wrong.
    Answered(StatusCode, Box<JsonRpcError>),
}

impl From<Refusal> for Fault {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl Fault {
    fn of(id: Option<RequestId>, code: ErrorCode, text: impl Into<String>) -> Self {
        let error = ErrorData::new(code, text.into(), None);
        Self::Answered(
            StatusCode::BAD_REQUEST,
            Box::new(JsonRpcError::new(id, error)),
        )
    }

    fn mismatch(id: Option<RequestId>, text: impl Into<String>) -> Self {
        Self::of(id, ErrorCode::HEADER_MISMATCH, text)
    }

    /// What goes back.
    pub(super) fn reply(self) -> Reply {
        match self {
            Self::Refused(refusal) => refusal.reply(),
            Self::Answered(status, error) => serde_json::to_vec(&error)
                .map_or_else(|_| Refusal::internal().reply(), |body| json(status, body)),
        }
    }
}

/// Refuses a body of a revision that is not served. Each stands for itself, so nothing is known of
/// whoever sent it.
pub(super) fn refuse_revision(eras: Eras, body: &Value) -> Option<Fault> {
    if eras == Eras::Modern && body.is_array() {
        let text = "Invalid Request: there are no batches in 2026-07-28";
        return Some(Fault::of(None, ErrorCode::INVALID_REQUEST, text));
    }
    let error = Gate::new(eras).refuse(body)?;
    let error = Box::new(error);
    Some(Fault::Answered(StatusCode::BAD_REQUEST, error))
}

/// Reads a body.
pub(super) fn read(headers: &HeaderMap, body: Value) -> Result<Asked, Fault> {
    match body {
        Value::Array(messages) => read_batch(headers, messages),
        body => read_one(headers, body),
    }
}

fn read_one(headers: &HeaderMap, body: Value) -> Result<Asked, Fault> {
    let id = body.get("id").and_then(message::read_id);
    let method = body["method"].as_str().map(str::to_owned);
    let is_request = method.is_some() && body.get("id").is_some();
    let named = body["params"]["_meta"].get(META_VERSION).cloned();
    let modern = match &named {
        Some(named) => version_of(headers, named, id.as_ref())?,
        None => has_modern_header(headers),
    };
    if modern {
        if let Some(method) = &method {
            check_headers(headers, method, &body["params"], id.as_ref())?;
        }
        if named.is_none() && is_request && method.as_deref() != Some("initialize") {
            let text = format!(
                "request _meta is missing or has malformed required fields: {META_VERSION}"
            );
            return Err(Fault::of(id, ErrorCode::INVALID_PARAMS, text));
        }
    } else if named.is_none() && method.as_deref() != Some("initialize") {
        check_legacy(headers)?;
    }
    match message::read(body) {
        Incoming::Request(id, request) => Ok(Asked::One {
            request: Request { id, request },
            // An `initialize` that names no revision in its `_meta` opens in the old way.
            modern: modern && named.is_some(),
        }),
        Incoming::Cancel(_) | Incoming::Nothing => Ok(Asked::Nothing),
        Incoming::Refused(error) => Err(refused(error, modern)),
    }
}

/// What is no message is refused as ever; a malformed request is answered like any other.
fn refused(error: JsonRpcError, modern: bool) -> Fault {
    if error.error.code != ErrorCode::INVALID_REQUEST {
        Fault::Answered(StatusCode::OK, Box::new(error))
    } else if modern {
        Fault::Answered(StatusCode::BAD_REQUEST, Box::new(error))
    } else {
        Refusal::message().into()
    }
}

fn read_batch(headers: &HeaderMap, messages: Vec<Value>) -> Result<Asked, Fault> {
    let names_version = |message: &Value| message["params"]["_meta"].get(META_VERSION).is_some();
    if has_modern_header(headers) || messages.iter().any(names_version) {
        return Err(Refusal::batch("Invalid Request: there are no batches in 2026-07-28").into());
    }
    check_legacy(headers)?;
    if messages.len() > BATCH {
        let text = format!("Invalid Request: a batch may have at most {BATCH} messages");
        return Err(Refusal::batch(&text).into());
    }
    let opens = |message: &Value| message["method"] == "initialize";
    if messages.len() > 1 && messages.iter().any(opens) {
        let text = "Invalid Request: Only one initialization request is allowed";
        return Err(Refusal::batch(text).into());
    }
    let mut batch = Vec::new();
    for message in messages {
        if message.is_array() {
            return Err(Refusal::message().into());
        }
        match message::read(message) {
            Incoming::Request(id, request) => batch.push(Ok(Request { id, request })),
            Incoming::Cancel(_) | Incoming::Nothing => {}
            Incoming::Refused(error) if error.error.code == ErrorCode::INVALID_REQUEST => {
                return Err(Refusal::message().into());
            }
            Incoming::Refused(error) => batch.push(Err(error)),
        }
    }
    Ok(if batch.is_empty() {
        Asked::Nothing
    } else {
        Asked::Batch(batch)
    })
}

/// Holds the header against the revision that the body names. Says whether the rules of 2026-07-28
/// hold.
fn version_of(headers: &HeaderMap, named: &Value, id: Option<&RequestId>) -> Result<bool, Fault> {
    let Some(named) = named.as_str() else {
        let text =
            format!("request _meta is missing or has malformed required fields: {META_VERSION}");
        return Err(Fault::of(id.cloned(), ErrorCode::INVALID_PARAMS, text));
    };
    match text(headers, &VERSION) {
        Ok(Some(header)) if header == named => Ok(named >= ProtocolVersion::V_2026_07_28.as_str()),
        Ok(Some(header)) => Err(Fault::mismatch(
            id.cloned(),
            format!(
                "MCP-Protocol-Version header ({}) does not match request _meta protocolVersion ({})",
                rooted::show(header.as_bytes()),
                rooted::show(named.as_bytes())
            ),
        )),
        Ok(None) => Err(Fault::mismatch(
            id.cloned(),
            "request _meta protocolVersion requires the MCP-Protocol-Version header",
        )),
        Err(fault) => Err(Fault::mismatch(id.cloned(), fault)),
    }
}

/// Whether the header alone says that the rules of 2026-07-28 hold.
fn has_modern_header(headers: &HeaderMap) -> bool {
    text(headers, &VERSION) == Ok(Some(ProtocolVersion::V_2026_07_28.as_str()))
}

/// Holds the other headers against a message of 2026-07-28.
fn check_headers(
    headers: &HeaderMap,
    method: &str,
    params: &Value,
    id: Option<&RequestId>,
) -> Result<(), Fault> {
    let named = text(headers, &VERSION).ok().flatten();
    if named != Some(ProtocolVersion::V_2026_07_28.as_str()) {
        // A revision that is not known may have other headers; that it isn't is said next.
        return Ok(());
    }
    let mismatch = |text: String| Err(Fault::mismatch(id.cloned(), text));
    match text(headers, &METHOD) {
        // What opens in the old way knows nothing of this header.
        Ok(None) if method == "initialize" => {}
        Ok(None) => return mismatch("missing required Mcp-Method header".to_owned()),
        Ok(Some(header)) if header != method => {
            return mismatch(format!(
                "Mcp-Method header `{}` does not match body method `{}`",
                rooted::show(header.as_bytes()),
                rooted::show(method.as_bytes())
            ));
        }
        Ok(Some(_)) => {}
        Err(fault) => return mismatch(fault),
    }
    let key = match method {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        "tasks/get" | "tasks/update" | "tasks/cancel" => "taskId",
        _ => return Ok(()),
    };
    let Some(wanted) = params[key].as_str() else {
        return Ok(());
    };
    match text(headers, &NAME) {
        Ok(None) => mismatch(format!("missing required Mcp-Name header for `{method}`")),
        Ok(Some(header)) => match decoded(header) {
            None => mismatch("Mcp-Name header is not valid Base64".to_owned()),
            Some(header) if header != wanted => mismatch(format!(
                "Mcp-Name header `{}` does not match body value `{}`",
                rooted::show(header.as_bytes()),
                rooted::show(wanted.as_bytes())
            )),
            Some(_) => Ok(()),
        },
        Err(fault) => mismatch(fault),
    }
}

/// Refuses a revision that there is not, or that needs more than the header.
fn check_legacy(headers: &HeaderMap) -> Result<(), Refusal> {
    match text(headers, &VERSION) {
        Ok(None) => Ok(()),
        Ok(Some(version)) if LEGACY.contains(&version) => Ok(()),
        Ok(Some(version)) => Err(Refusal::version(version, LEGACY)),
        Err(fault) => Err(Refusal::malformed(&fault)),
    }
}

/// The value of a header that may come once, in visible characters.
fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, String> {
    let value = only(headers, name).map_err(|()| format!("duplicate {name} header"))?;
    let text = value.map(|value| value.to_str().map(str::trim)).transpose();
    text.map_err(|_| format!("{name} header contains invalid characters"))
}

/// A value that may be wrapped to fit into a header.
fn decoded(header: &str) -> Option<String> {
    let wrapped = header
        .strip_prefix("=?base64?")
        .and_then(|rest| rest.strip_suffix("?="));
    match wrapped {
        None => Some(header.to_owned()),
        Some(inner) => {
            let bytes = base64::engine::general_purpose::STANDARD
                .decode(inner)
                .ok()?;
            String::from_utf8(bytes).ok()
        }
    }
}
