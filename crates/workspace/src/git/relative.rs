//! Paths in a difference, made relative to a folder.
//!
//! Git does that itself, except for files in conflict, where it shows some paths whole and may
//! even crash (seen in 2.47). Only then is its output rewritten here.

/// Rewrites the output of `git diff` line by line; content is passed on as it comes.
pub(super) struct Relative {
    /// The folder with its slash, as it stands in names, with escapes.
    prefix: Vec<u8>,
    is_stat: bool,
    state: State,
    line: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// At the start of a line, or in one that is held until it is whole.
    Line { in_header: bool },
    /// In a line of content.
    Content,
}

impl Relative {
    pub(super) fn new(prefix: &str, is_stat: bool) -> Self {
        Self {
            prefix: format!("{prefix}/").into_bytes(),
            is_stat,
            state: State::Line { in_header: false },
            line: Vec::new(),
        }
    }

    /// Takes the next bytes of the output, and hands on what is ready.
    pub(super) fn push(&mut self, bytes: &[u8], out: &mut dyn FnMut(&[u8])) {
        for chunk in bytes.split_inclusive(|&byte| byte == b'\n') {
            let ends = chunk.ends_with(b"\n");
            if let State::Line { in_header: false } = self.state
                && self.line.is_empty()
                && !self.is_stat
                && !matches!(chunk, [b'd' | b'*', ..])
            {
                self.state = State::Content;
            }
            match self.state {
                State::Content => {
                    out(chunk);
                    if ends {
                        self.state = State::Line { in_header: false };
                    }
                }
                State::Line { in_header } => {
                    self.line.extend_from_slice(chunk);
                    if ends {
                        let line = std::mem::take(&mut self.line);
                        let starts = line.starts_with(b"diff --");
                        let hunk = line.starts_with(b"@@");
                        self.state = State::Line {
                            in_header: (in_header || starts) && !hunk,
                        };
                        out(&self.rewritten(&line));
                    }
                }
            }
        }
    }

    fn rewritten(&self, line: &[u8]) -> Vec<u8> {
        if self.is_stat {
            return self.without(line, &[b" "]);
        }
        const ONE_PATH: [&[u8]; 7] = [
            b"diff --cc ",
            b"diff --combined ",
            b"rename from ",
            b"rename to ",
            b"copy from ",
            b"copy to ",
            b"* Unmerged path ",
        ];
        const SIDES: [&[u8]; 2] = [b"a/", b"b/"];
        if let Some(start) = ONE_PATH.iter().find(|start| line.starts_with(start)) {
            self.without(line, &[start])
        } else if line.starts_with(b"--- ") || line.starts_with(b"+++ ") {
            let line = self.without(line, &[b"--- a/", b"--- \"a/"]);
            self.without(&line, &[b"+++ b/", b"+++ \"b/"])
        } else if line.starts_with(b"diff --git ") || line.starts_with(b"Binary files ") {
            let mut line = line.to_vec();
            for side in SIDES {
                for before in [&b" "[..], b" \""] {
                    let find = [before, side, &self.prefix].concat();
                    while let Some(at) = memchr::memmem::find(&line, &find) {
                        let keep = before.len() + side.len();
                        line.drain(at + keep..at + find.len());
                    }
                }
            }
            line
        } else {
            line.to_vec()
        }
    }

    /// The line without the folder behind one of these beginnings, or behind a quote after it.
    fn without(&self, line: &[u8], starts: &[&[u8]]) -> Vec<u8> {
        for start in starts {
            for quote in [&b""[..], b"\""] {
                let start = [start, quote].concat();
                let rest = line.strip_prefix(&*start);
                if let Some(rest) = rest.and_then(|rest| rest.strip_prefix(&*self.prefix)) {
                    return [&start, rest].concat();
                }
            }
        }
        line.to_vec()
    }
}
