//! Cursors: where a traversal goes on, bound to what was asked and to what the answer rests on.
//!
//! A cursor is `PAYLOAD.SIGNATURE`, both in base64url without padding. The payload is a JSON object of
//! version, scope, state and position; the signature is HMAC-SHA-256 over the payload as it is
//! spelled, and is itself compared as it is spelled.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use super::fault::Fault;

/// Characters of a cursor at most.
const CHARS: usize = 4096;
/// The largest number that every JSON reader holds exactly.
pub(super) const LARGEST: u64 = (1 << 53) - 1;

/// Makes and reads cursors.
#[derive(Clone)]
pub(super) struct Codec {
    key: Box<[u8]>,
}

impl std::fmt::Debug for Codec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Codec")
    }
}

/// What a cursor is bound to: the traversal, and the state of what it goes through.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound<'a> {
    pub(super) scope: &'a str,
    pub(super) state: &'a str,
}

/// A place in a traversal.
pub(super) trait Position: Sized {
    /// Writes it as JSON.
    fn write(&self, json: &mut String);
    /// Reads it back; `None` when it has another shape.
    fn read(value: &Value) -> Option<Self>;
}

impl Codec {
    pub(super) fn new(key: &[u8]) -> Self {
        Self { key: key.into() }
    }

    /// A codec whose cursors nobody else can make or read.
    pub(super) fn random() -> Self {
        let words: [u64; 4] = std::array::from_fn(|_| rooted::random());
        let mut digest = Sha256::new();
        for word in words {
            digest.update(word.to_le_bytes());
        }
        Self::new(&digest.finalize())
    }

    pub(super) fn encode(&self, bound: Bound<'_>, position: &impl Position) -> String {
        let Bound { scope, state } = bound;
        let mut json = format!("{{\"v\":1,\"s\":\"{scope}\",\"t\":\"{state}\",\"p\":");
        position.write(&mut json);
        json.push('}');
        let mut cursor = URL_SAFE_NO_PAD.encode(json);
        let signature = self.sign(&cursor);
        cursor.push('.');
        cursor.push_str(&signature);
        cursor
    }

    /// The place that a cursor stands for; `first` without one.
    pub(super) fn decode<P: Position>(
        &self,
        bound: Bound<'_>,
        cursor: Option<&str>,
        first: P,
    ) -> Result<P, Fault> {
        let Some(cursor) = cursor else {
            return Ok(first);
        };
        let payload = self.payload(cursor).ok_or(Fault::CURSOR)?;
        let field = |name: &str| payload.get(name).and_then(Value::as_str);
        if field("s") != Some(bound.scope) {
            return Err(Fault::OTHER_TRAVERSAL);
        }
        if field("t") != Some(bound.state) {
            return Err(Fault::SINCE_CURSOR);
        }
        payload.get("p").and_then(P::read).ok_or(Fault::CURSOR)
    }

    /// What a cursor of ours says.
    fn payload(&self, cursor: &str) -> Option<Value> {
        if cursor.is_empty() || cursor.len() > CHARS {
            return None;
        }
        let (payload, signature) = cursor.split_once('.')?;
        let is_part = |part: &str| {
            let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
            !part.is_empty() && part.bytes().all(is_letter)
        };
        if !is_part(payload) || !is_part(signature) {
            return None;
        }
        let expected = self.sign(payload);
        if !bool::from(signature.as_bytes().ct_eq(expected.as_bytes())) {
            return None;
        }
        let json = URL_SAFE_NO_PAD.decode(payload).ok()?;
        let payload: Value = serde_json::from_slice(&json).ok()?;
        let object = payload.as_object()?;
        let is_ours = object.len() == 4
            && ["v", "s", "t", "p"]
                .iter()
                .all(|key| object.contains_key(*key))
            && object.get("v").and_then(Value::as_u64) == Some(1);
        is_ours.then_some(payload)
    }

    fn sign(&self, payload: &str) -> String {
        let mut mac =
            Hmac::<Sha256>::new_from_slice(&self.key).expect("HMAC takes keys of any length");
        mac.update(payload.as_bytes());
        URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes())
    }
}

/// Stands for a tool and its arguments, which are JSON without spaces.
pub(super) fn scope(tool: &str, arguments: &str) -> String {
    let mut digest = Sha256::new();
    for part in [tool.as_bytes(), b"\0", arguments.as_bytes()] {
        digest.update(part);
    }
    hex(&digest.finalize())
}

/// Stands for what an answer rests on, part by part.
#[derive(Debug, Default)]
pub(super) struct State(Sha256);

impl State {
    /// Adds a part, of pieces.
    pub(super) fn add(&mut self, pieces: &[&str]) {
        for piece in pieces {
            self.0.update(piece.as_bytes());
        }
        self.0.update(b"\0");
    }

    pub(super) fn finish(self) -> String {
        hex(&self.0.finalize())
    }
}

/// Bytes in lower-case hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// A text as JSON.
pub(super) fn quote(text: &str) -> String {
    Value::from(text).to_string()
}

/// A number that a position may hold.
pub(super) fn whole(value: &Value) -> Option<u64> {
    value.as_u64().filter(|&number| number <= LARGEST)
}

impl Position for u64 {
    fn write(&self, json: &mut String) {
        let _ = write!(json, "{self}");
    }

    fn read(value: &Value) -> Option<Self> {
        whole(value)
    }
}

#[cfg(test)]
mod tests;
