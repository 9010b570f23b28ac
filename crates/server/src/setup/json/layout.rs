//! How a file is laid out, so that what is put in looks like what is there.

use jsonc_parser::ast::{Object, ObjectProp};
use jsonc_parser::common::Ranged as _;
use serde_json::Value;

use super::splice::{self, Splice};

/// Characters that a list may have to stay on one line.
const LINE: usize = 80;

/// How a file is laid out.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// The line break.
    pub(super) eol: &'static str,
    /// What each level is indented by.
    unit: String,
    /// Whether a blank follows commas and colons.
    spaced: bool,
    /// Whether everything is on one line.
    one_line: bool,
}

impl Default for Layout {
    fn default() -> Self {
        Self {
            eol: "\n",
            unit: "  ".to_owned(),
            spaced: true,
            one_line: false,
        }
    }
}

impl Layout {
    /// The layout of a text, as far as it has one.
    pub(super) fn of(text: &str) -> Self {
        let default = Self::default();
        let inner = text.trim_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
        let one_line = !inner.contains('\n') && inner.contains(':');
        let first_indent = text.lines().find_map(|line| {
            let rest = line.trim_start_matches([' ', '\t']);
            let blanks = line.get(..line.len() - rest.len())?;
            (rest.starts_with('"') && !blanks.is_empty()).then_some(blanks)
        });
        // What stands between the first key and its value.
        let colon = text.find("\":").and_then(|at| text.get(at + 2..));
        Self {
            eol: if text.contains("\r\n") { "\r\n" } else { "\n" },
            unit: first_indent.map_or(default.unit, ToOwned::to_owned),
            spaced: colon.is_none_or(|rest| rest.starts_with([' ', '\t', '\r', '\n'])),
            one_line,
        }
    }

    /// The text with one more property at the end of an object.
    pub(super) fn insert(
        &self,
        text: &str,
        parent: &Object<'_>,
        key: &str,
        value: &Value,
    ) -> String {
        let mut splice = Splice::new(text);
        match parent.properties.last() {
            Some(last) if splice::line_start(text, last.range.start).is_some() => {
                let indent = splice::indent(text, last.range.start);
                let property = self.property(key, value, indent);
                let piece = format!("{}{indent}{property}", self.eol);
                if let Some(comma) = splice::comma_behind(text, last.range.end) {
                    splice.put(splice::line_end(text, comma + 1), format!("{piece},"));
                } else {
                    splice.put(last.range.end, ",".to_owned());
                    splice.put(splice::line_end(text, last.range.end), piece);
                }
            }
            Some(last) => {
                let gap = if self.spaced { " " } else { "" };
                let property = self.compact_property(key, value);
                if let Some(comma) = splice::comma_behind(text, last.range.end) {
                    splice.put(comma + 1, format!("{gap}{property},"));
                } else {
                    splice.put(last.range.end, format!(",{gap}{property}"));
                }
            }
            None => self.insert_first(&mut splice, text, parent, (key, value)),
        }
        splice.done()
    }

    /// The first property of an object that may hold comments.
    fn insert_first(
        &self,
        splice: &mut Splice<'_>,
        text: &str,
        parent: &Object<'_>,
        (key, value): (&str, &Value),
    ) {
        let (open, close) = (parent.range.start, parent.range.end - 1);
        let at = splice::behind_comments(text, open + 1, close);
        if self.one_line {
            splice.put(at, self.compact_property(key, value));
            return;
        }
        let base = splice::indent(text, open);
        let indent = format!("{base}{}", self.unit);
        let property = self.property(key, value, &indent);
        let rest = text.get(at..close).unwrap_or_default();
        let tail = if rest.contains('\n') {
            String::new()
        } else {
            format!("{}{base}", self.eol)
        };
        splice.put(at, format!("{}{indent}{property}{tail}", self.eol));
    }

    /// The text with another value of a property.
    pub(super) fn replace(
        &self,
        text: &str,
        parent: &Object<'_>,
        property: &ObjectProp<'_>,
        value: &Value,
    ) -> String {
        let range = property.value.range();
        let whole = text.get(parent.range.start..parent.range.end);
        let piece = if whole.is_some_and(|whole| whole.contains('\n')) {
            self.pretty(value, splice::indent(text, property.range.start))
        } else {
            self.compact(value)
        };
        let mut splice = Splice::new(text);
        splice.replace(range.start, range.end, piece);
        splice.done()
    }

    fn property(&self, key: &str, value: &Value, indent: &str) -> String {
        let colon = if self.spaced { ": " } else { ":" };
        format!("{}{colon}{}", quoted(key), self.pretty(value, indent))
    }

    fn compact_property(&self, key: &str, value: &Value) -> String {
        let colon = if self.spaced { ": " } else { ":" };
        format!("{}{colon}{}", quoted(key), self.compact(value))
    }

    /// A value over lines, whose first one is indented already.
    pub(super) fn pretty(&self, value: &Value, indent: &str) -> String {
        let deeper = format!("{indent}{}", self.unit);
        let items: Vec<String> = match value {
            Value::Object(map) if !map.is_empty() => map
                .iter()
                .map(|(key, value)| self.property(key, value, &deeper))
                .collect(),
            Value::Array(list) => {
                let short = self.compact(value);
                if short.chars().count() <= LINE {
                    return short;
                }
                list.iter().map(|item| self.pretty(item, &deeper)).collect()
            }
            other => return self.compact(other),
        };
        let (open, close) = if value.is_object() {
            ('{', '}')
        } else {
            ('[', ']')
        };
        let eol = self.eol;
        let items = items.join(&format!(",{eol}{deeper}"));
        format!("{open}{eol}{deeper}{items}{eol}{indent}{close}")
    }

    /// A value on one line.
    fn compact(&self, value: &Value) -> String {
        let comma = if self.spaced { ", " } else { "," };
        let pad = if self.spaced { " " } else { "" };
        match value {
            Value::Object(map) if !map.is_empty() => {
                let items = map
                    .iter()
                    .map(|(key, value)| self.compact_property(key, value));
                format!("{{{pad}{}{pad}}}", items.collect::<Vec<_>>().join(comma))
            }
            Value::Array(list) => {
                let items = list.iter().map(|item| self.compact(item));
                format!("[{}]", items.collect::<Vec<_>>().join(comma))
            }
            other => other.to_string(),
        }
    }
}

fn quoted(key: &str) -> String {
    Value::from(key).to_string()
}
