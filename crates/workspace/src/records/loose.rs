//! `Loose`: a value of a record that may be of any kind, since other programs write the files too.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Reads a JSON object; a list would be taken for one, its items for the values in order.
pub(crate) fn object<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Option<T> {
    let is_object = bytes.trim_ascii_start().starts_with(b"{");
    is_object.then(|| serde_json::from_slice(bytes).ok())?
}

/// A text, a list, or anything else.
#[derive(Debug, Default)]
pub(crate) enum Loose<'a> {
    /// A text.
    Text(Cow<'a, str>),
    /// A list.
    List(Vec<Loose<'a>>),
    /// Something else, or nothing.
    #[default]
    Other,
}

impl<'a> Loose<'a> {
    /// The text, if it is one.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::List(_) | Self::Other => None,
        }
    }

    /// The texts of a list; what else is in it is left out.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        let items: &[Loose<'a>] = match self {
            Self::List(items) => items,
            Self::Text(_) | Self::Other => &[],
        };
        items.iter().filter_map(Self::text)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Loose<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LooseVisitor)
    }
}

struct LooseVisitor;

impl<'de> Visitor<'de> for LooseVisitor {
    type Value = Loose<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Loose::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Loose::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Loose::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Loose::Other)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Loose::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Loose::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Loose::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Loose::Other)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Loose::Other)
    }
}
