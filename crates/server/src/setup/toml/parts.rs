//! Where the headers, keys and values of a TOML text are.

use std::ops::Range;

use toml_parser::decoder::Encoding;
use toml_parser::parser::{Event, EventKind, parse_document};
use toml_parser::{Source, Span};

/// The line `[a.b]`.
#[derive(Debug)]
pub(super) struct Header {
    /// The keys in it.
    pub(super) key: Vec<String>,
    /// From one bracket to the other.
    pub(super) span: Range<usize>,
}

/// `a.b = value`.
#[derive(Debug)]
pub(super) struct Pair {
    /// The keys, those of the header left out.
    pub(super) key: Vec<String>,
    /// All of it.
    pub(super) span: Range<usize>,
    /// The value alone.
    pub(super) value: Range<usize>,
}

/// Headers and pairs in the order of the text.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub(super) headers: Vec<Header>,
    pairs: Vec<Pair>,
}

impl Parts {
    /// The parts of a text that was found to be sound.
    pub(super) fn of(text: &str) -> Self {
        let source = Source::new(text);
        let tokens = source.lex().into_vec();
        let mut reader = Reader {
            source,
            parts: Self::default(),
            depth: 0,
            in_header: None,
            key: Vec::new(),
            key_start: None,
            value_start: None,
        };
        parse_document(&tokens, &mut |event| reader.take(&event), &mut ());
        reader.parts
    }

    /// The header of exactly this path.
    pub(super) fn header(&self, path: &[&str]) -> Option<&Header> {
        self.headers.iter().find(|header| header.is(path))
    }

    /// The pairs between a header and the next one.
    pub(super) fn pairs_of<'a>(&'a self, header: &Header) -> impl Iterator<Item = &'a Pair> {
        let start = header.span.end;
        let next = self.headers.iter().map(|one| one.span.start);
        let end = next.filter(|&one| one >= start).min().unwrap_or(usize::MAX);
        let within = move |pair: &&Pair| (start..end).contains(&pair.span.start);
        self.pairs.iter().filter(within)
    }

    /// Says whether a key of a table is one with a header, or with keys behind a dot.
    pub(super) fn is_below(&self, header: &Header, key: &str) -> bool {
        let deeper = |one: &Header| {
            one.key.len() > header.key.len()
                && one.key.starts_with(&header.key)
                && one
                    .key
                    .get(header.key.len())
                    .is_some_and(|next| next == key)
        };
        let dotted = |pair: &Pair| pair.key.len() > 1 && pair.key.first().is_some_and(|k| k == key);
        self.headers.iter().any(deeper) || self.pairs_of(header).any(dotted)
    }

    /// Where a path is first spoken of, as a whole or in part.
    pub(super) fn first_use(&self, path: &[&str]) -> usize {
        let last = path.last().copied().unwrap_or_default();
        let first = path.first().copied().unwrap_or_default();
        let names = |pair: &&Pair| pair.key.iter().any(|key| key == last || key == first);
        self.pairs
            .iter()
            .find(names)
            .map_or(0, |pair| pair.span.start)
    }
}

/// Puts events together.
struct Reader<'a> {
    source: Source<'a>,
    parts: Parts,
    /// How many lists and inline tables are open.
    depth: usize,
    in_header: Option<usize>,
    key: Vec<String>,
    key_start: Option<usize>,
    value_start: Option<usize>,
}

impl Reader<'_> {
    fn take(&mut self, event: &Event) {
        let span = event.span();
        match event.kind() {
            EventKind::StdTableOpen | EventKind::ArrayTableOpen => {
                self.in_header = Some(span.start());
                self.key.clear();
            }
            EventKind::StdTableClose | EventKind::ArrayTableClose => {
                if let Some(start) = self.in_header.take() {
                    self.parts.headers.push(Header {
                        key: std::mem::take(&mut self.key),
                        span: start..span.end(),
                    });
                }
            }
            EventKind::SimpleKey if self.depth == 0 => {
                let key = self.decoded(span, event.encoding());
                self.key.push(key);
                self.key_start.get_or_insert(span.start());
            }
            EventKind::ArrayOpen | EventKind::InlineTableOpen => {
                if self.depth == 0 {
                    self.value_start = Some(span.start());
                }
                self.depth += 1;
            }
            EventKind::ArrayClose | EventKind::InlineTableClose => {
                self.depth = self.depth.saturating_sub(1);
                self.end_value(span.end());
            }
            EventKind::Scalar => {
                if self.depth == 0 {
                    self.value_start = Some(span.start());
                }
                self.end_value(span.end());
            }
            EventKind::SimpleKey
            | EventKind::KeySep
            | EventKind::KeyValSep
            | EventKind::ValueSep
            | EventKind::Whitespace
            | EventKind::Comment
            | EventKind::Newline
            | EventKind::Error => {}
        }
        if self.in_header.is_some() {
            self.key_start = None;
        }
    }

    fn end_value(&mut self, end: usize) {
        if self.depth > 0 {
            return;
        }
        if let (Some(start), Some(value)) = (self.key_start.take(), self.value_start.take()) {
            self.parts.pairs.push(Pair {
                key: std::mem::take(&mut self.key),
                span: start..end,
                value: value..end,
            });
        }
    }

    fn decoded(&self, span: Span, encoding: Option<Encoding>) -> String {
        let raw = self.source.input().get(span.start()..span.end());
        let raw = toml_parser::Raw::new_unchecked(raw.unwrap_or_default(), encoding, span);
        let mut key = std::borrow::Cow::Borrowed("");
        raw.decode_key(&mut key, &mut ());
        key.into_owned()
    }
}
