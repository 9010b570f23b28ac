//! What is looked at before the body of a request, in a fixed order: each step may assume the ones
//! before it.

use hyper::header::{
    ACCEPT, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE,
    ACCESS_CONTROL_REQUEST_METHOD, AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HOST, HeaderMap,
    HeaderName, HeaderValue, ORIGIN, VARY,
};
use hyper::http::request::Parts;
use hyper::http::uri::Authority as Target;
use hyper::{Method, StatusCode, Version};

use super::access::{Access, Authority, Origin};
use super::events::Reply;
use super::refusal::{Refusal, empty, json};

/// Headers that pages of an allowed origin may send.
const SENT: &str = "Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, \
                    Mcp-Name, Mcp-Session-Id, Last-Event-ID";
/// Headers that such pages may read.
const READ: &str = "WWW-Authenticate, Retry-After, Mcp-Session-Id";

/// What a request that passed is for.
pub(super) enum Pass {
    /// This answer.
    Done(Reply),
    /// Its body.
    Post,
}

/// Steps one and two: it is well formed, calls the server by an allowed name, and comes from an
/// allowed page or from none. Gives the origin.
pub(super) fn admit(access: &Access, head: &Parts) -> Result<Option<HeaderValue>, Refusal> {
    let host = match only(&head.headers, &HOST) {
        Err(()) => return Err(Refusal::malformed("more than one Host header")),
        Ok(None) if head.version >= Version::HTTP_11 => {
            return Err(Refusal::malformed("the Host header is missing"));
        }
        Ok(None) => head.uri.authority().map(Target::as_str),
        Ok(Some(host)) => {
            let host = host.to_str().ok();
            Some(host.ok_or_else(|| Refusal::malformed("malformed Host header"))?)
        }
    };
    // A target may name a host of its own. Whoever stands in front may go by either.
    for name in host
        .into_iter()
        .chain(head.uri.authority().map(Target::as_str))
    {
        let authority =
            Authority::parse(name).ok_or_else(|| Refusal::malformed("malformed Host header"))?;
        if !access.allows_host(&authority) {
            return Err(Refusal::host(name));
        }
    }
    if host.is_none() {
        return Err(Refusal::host("(none)"));
    }
    let origin = match only(&head.headers, &ORIGIN) {
        Ok(None) => return Ok(None),
        Ok(Some(origin)) => origin,
        Err(()) => return Err(Refusal::malformed("more than one Origin header")),
    };
    let text = String::from_utf8_lossy(origin.as_bytes());
    match Origin::parse(&text) {
        Some(known) if access.allows_origin(&known) => Ok(Some(origin.clone())),
        _ => Err(Refusal::origin(&text)),
    }
}

/// The steps after that, up to the body.
pub(super) fn pass(access: &Access, head: &Parts) -> Result<Pass, Refusal> {
    let is_health = match head.uri.path().trim_end_matches('/') {
        "/mcp" => false,
        "/healthz" => true,
        _ => return Err(Refusal::path()),
    };
    let headers = &head.headers;
    let is_preflight = head.method == Method::OPTIONS
        && headers.contains_key(ORIGIN)
        && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD);
    if is_preflight {
        return Ok(Pass::Done(preflight(is_health)));
    }
    if is_health {
        return match head.method {
            Method::GET | Method::HEAD => Ok(Pass::Done(json(
                StatusCode::OK,
                br#"{"status":"ok"}"#.to_vec(),
            ))),
            _ => Err(Refusal::method("GET, HEAD")),
        };
    }
    let authorization = only(headers, &AUTHORIZATION).unwrap_or(None);
    if !access.allows_authorization(authorization.map(HeaderValue::as_bytes)) {
        return Err(Refusal::token());
    }
    if head.method != Method::POST {
        return Err(Refusal::method("POST"));
    }
    if !accepts_json(headers) {
        return Err(Refusal::accept());
    }
    let is_json = only(headers, &CONTENT_TYPE)
        .ok()
        .flatten()
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split(';').next())
        .is_some_and(|media| media.trim().eq_ignore_ascii_case("application/json"));
    if !is_json {
        return Err(Refusal::content_type());
    }
    let mut codings = headers.get_all(CONTENT_ENCODING).iter();
    if codings.any(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"identity")) {
        return Err(Refusal::coding());
    }
    Ok(Pass::Post)
}

/// Tells the browser that the page may read the answer.
pub(super) fn share(reply: &mut Reply, origin: Option<HeaderValue>) {
    let headers = reply.headers_mut();
    headers.insert(VARY, HeaderValue::from_static("Origin"));
    if let Some(origin) = origin {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(
            ACCESS_CONTROL_EXPOSE_HEADERS,
            HeaderValue::from_static(READ),
        );
    }
}

fn preflight(is_health: bool) -> Reply {
    let mut reply = empty(StatusCode::NO_CONTENT);
    let headers = reply.headers_mut();
    let methods = if is_health { "GET, HEAD" } else { "POST" };
    for (name, value) in [
        (ACCESS_CONTROL_ALLOW_METHODS, methods),
        (ACCESS_CONTROL_ALLOW_HEADERS, SENT),
        (ACCESS_CONTROL_MAX_AGE, "600"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    reply
}

/// Whether an answer in JSON will do; nothing said means anything will.
fn accepts_json(headers: &HeaderMap) -> bool {
    let json = ["application/json", "application/*", "*/*"];
    ranges(headers).next().is_none() || ranges(headers).any(|range| is_one(&range, &json))
}

/// Whether events will do: only who names them is taken to read them.
pub(super) fn accepts_events(headers: &HeaderMap) -> bool {
    ranges(headers).any(|range| is_one(&range, &["text/event-stream"]))
}

/// The forms of answers that a request accepts.
fn ranges(headers: &HeaderMap) -> impl Iterator<Item = String> {
    headers
        .get_all(ACCEPT)
        .iter()
        .flat_map(|value| value.as_bytes().split(|&byte| byte == b','))
        .map(|range| String::from_utf8_lossy(range).to_ascii_lowercase())
        .filter(|range| !range.trim().is_empty())
}

/// Whether a form is one of these, and not ruled out by its weight.
fn is_one(range: &str, forms: &[&str]) -> bool {
    let mut parts = range.split(';').map(str::trim);
    let fits = parts.next().is_some_and(|form| forms.contains(&form));
    let is_no = |weight: &str| weight.parse().is_ok_and(|weight: f32| weight <= 0.0);
    fits && !parts.any(|part| part.strip_prefix("q=").is_some_and(is_no))
}

/// The value of a header that may come once.
pub(super) fn only<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> Result<Option<&'a HeaderValue>, ()> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    match values.next() {
        None => Ok(first),
        Some(_) => Err(()),
    }
}
