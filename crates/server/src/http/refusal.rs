//! Requests that are refused before any message of theirs is looked at.

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use hyper::{Response, StatusCode};
use serde_json::{Value, json};

use super::events::{Content, Reply};

const JSON: HeaderValue = HeaderValue::from_static("application/json");
/// Characters of what a client sent that a refusal repeats, at most.
const SHOWN_CHARS: usize = 200;
/// The code of refusals that have none of their own.
const REFUSED: i32 = -32000;

/// Why a request is refused. The body is an error of the protocol, since clients that probe for
/// what a server speaks look into it.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) status: StatusCode,
    code: i32,
    text: String,
    header: Option<(HeaderName, HeaderValue)>,
}

impl Refusal {
    fn new(status: StatusCode, code: i32, text: impl Into<String>) -> Self {
        Self {
            status,
            code,
            text: text.into(),
            header: None,
        }
    }

    fn with(mut self, name: HeaderName, value: &'static str) -> Self {
        self.header = Some((name, HeaderValue::from_static(value)));
        self
    }

    /// It is no proper request of HTTP.
    pub(super) fn malformed(what: &str) -> Self {
        Self::new(
            StatusCode::BAD_REQUEST,
            REFUSED,
            format!("Bad Request: {what}"),
        )
    }

    /// It calls the server by a name that nobody listed.
    pub(super) fn host(host: &str) -> Self {
        let host = shown(host);
        let text = format!("Forbidden: host {host} is not allowed (add it with --allowed-host)");
        Self::new(StatusCode::FORBIDDEN, REFUSED, text)
    }

    /// It comes from a web page that nobody listed.
    pub(super) fn origin(origin: &str) -> Self {
        let origin = shown(origin);
        let text =
            format!("Forbidden: origin {origin} is not allowed (add it with --allowed-origin)");
        Self::new(StatusCode::FORBIDDEN, REFUSED, text)
    }

    /// There is nothing at that path.
    pub(super) fn path() -> Self {
        Self::new(StatusCode::NOT_FOUND, -32601, "Not found")
    }

    /// It lacks the token.
    pub(super) fn token() -> Self {
        Self::new(StatusCode::UNAUTHORIZED, -32001, "Unauthorized").with(WWW_AUTHENTICATE, "Bearer")
    }

    /// The method is none of these.
    pub(super) fn method(allowed: &'static str) -> Self {
        Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            REFUSED,
            "Method not allowed.",
        )
        .with(ALLOW, allowed)
    }

    /// It wants an answer in a form that there is none in.
    pub(super) fn accept() -> Self {
        let text = "Not Acceptable: Client must accept application/json";
        Self::new(StatusCode::NOT_ACCEPTABLE, REFUSED, text)
    }

    /// Its body is not said to be JSON.
    pub(super) fn content_type() -> Self {
        let text = "Unsupported Media Type: Content-Type must be application/json";
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, REFUSED, text)
    }

    /// Its body is compressed.
    pub(super) fn coding() -> Self {
        let text = "Unsupported Media Type: send the body without Content-Encoding";
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, REFUSED, text)
    }

    /// Its body is too long.
    pub(super) fn too_large(max_bytes: usize) -> Self {
        let text = format!("Payload Too Large: a request may have at most {max_bytes} bytes");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, REFUSED, text)
    }

    /// Its body holds too many values.
    pub(super) fn too_many(max_values: usize) -> Self {
        let text = format!("Payload Too Large: a request may have at most {max_values} values");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, REFUSED, text)
    }

    /// Its body did not come in time.
    pub(super) fn too_slow() -> Self {
        let text = "Request Timeout: the rest of the request did not come";
        Self::new(StatusCode::REQUEST_TIMEOUT, REFUSED, text)
    }

    /// There is too much to do already.
    pub(super) fn busy() -> Self {
        let text = "Service Unavailable: too many requests at once";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, REFUSED, text).with(RETRY_AFTER, "1")
    }

    /// Its body is no JSON.
    pub(super) fn json() -> Self {
        let text = "Parse error: Invalid JSON";
        Self::new(StatusCode::BAD_REQUEST, -32700, text)
    }

    /// Its body is JSON, but no message.
    pub(super) fn message() -> Self {
        let text = "Parse error: Invalid JSON-RPC message";
        Self::new(StatusCode::BAD_REQUEST, -32700, text)
    }

    /// It is for a revision of the protocol that there is not.
    pub(super) fn version(version: &str, known: &[&str]) -> Self {
        let text = format!(
            "Bad Request: Unsupported protocol version: {} (supported versions: {})",
            shown(version),
            known.join(", ")
        );
        Self::new(StatusCode::BAD_REQUEST, REFUSED, text)
    }

    /// Its messages cannot stand together.
    pub(super) fn batch(text: &str) -> Self {
        Self::new(StatusCode::BAD_REQUEST, -32600, text)
    }

    /// Something went wrong here.
    pub(super) fn internal() -> Self {
        let text = "Internal server error";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, -32603, text)
    }

    /// What is said of it in the log: nothing that a client wrote.
    pub(super) fn reason(&self) -> String {
        let reason = self.status.canonical_reason().unwrap_or_default();
        format!("refused a request: {} {reason}", self.status.as_u16())
    }

    /// The body.
    fn body(&self) -> Value {
        json!({
            "jsonrpc": "2.0",
            "error": {"code": self.code, "message": self.text},
            "id": null,
        })
    }

    /// What goes back.
    pub(super) fn reply(self) -> Reply {
        let mut reply = json(self.status, self.body().to_string().into_bytes());
        if let Some((name, value)) = self.header {
            reply.headers_mut().insert(name, value);
        }
        reply
    }

    /// The same as bytes on the wire, for what is refused before there is a request; the connection
    /// ends with it.
    pub(super) fn wire(&self) -> Vec<u8> {
        let body = self.body().to_string();
        let mut text = format!(
            "HTTP/1.1 {} {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n",
            self.status.as_u16(),
            self.status.canonical_reason().unwrap_or_default(),
            body.len()
        );
        if let Some((name, value)) = &self.header {
            let value = value.to_str().unwrap_or_default();
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        text.push_str("\r\n");
        text.push_str(&body);
        text.into_bytes()
    }

    /// A refusal that HTTP itself asks for, before there is a request.
    pub(super) fn of_status(status: StatusCode) -> Self {
        let reason = status.canonical_reason().unwrap_or_default();
        Self::new(status, REFUSED, format!("{reason}: malformed HTTP request"))
    }
}

/// An answer in JSON.
pub(super) fn json(status: StatusCode, body: Vec<u8>) -> Reply {
    let mut reply = Response::new(Content::Whole(Full::new(Bytes::from(body))));
    *reply.status_mut() = status;
    reply.headers_mut().insert(CONTENT_TYPE, JSON);
    reply
}

/// An answer without a body.
pub(super) fn empty(status: StatusCode) -> Reply {
    let mut reply = Response::new(Content::Whole(Full::default()));
    *reply.status_mut() = status;
    reply
}

/// What a client sent, fit for one line.
fn shown(text: &str) -> String {
    let shown = rooted::show(text.as_bytes());
    match shown.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}...", shown.get(..end).unwrap_or_default()),
        None => shown,
    }
}
