//! What the server and a supervisor tell each other, as bytes.

use std::io::{self, Read};

use rooted::FileId;

use super::super::{Exit, Process};

/// To the supervisor: end everything.
pub(super) const STOP: u8 = b'K';
/// To the supervisor: nobody reads the output any more; take it, so that nobody waits.
pub(super) const DISCARD: u8 = b'D';

/// Bytes of an order; the system takes less than that for a program's words and variables.
const ORDER_BYTES: usize = 64 * 1024 * 1024;

/// What to run, as bytes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Spec {
    pub(super) program: Vec<u8>,
    pub(super) args: Vec<Vec<u8>>,
    pub(super) variables: Vec<(Vec<u8>, Vec<u8>)>,
    /// Which folder it has to be started in: device and inode.
    pub(super) folder: (u64, u64),
    /// How many files it may have open.
    pub(super) open_files: u64,
}

impl Spec {
    pub(super) fn of_folder(id: FileId) -> Self {
        Self {
            folder: (id.dev, id.ino),
            ..Self::default()
        }
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut body = Vec::new();
        body.extend(self.folder.0.to_le_bytes());
        body.extend(self.folder.1.to_le_bytes());
        body.extend(self.open_files.to_le_bytes());
        put(&mut body, &self.program);
        body.extend(length(self.args.len()));
        for arg in &self.args {
            put(&mut body, arg);
        }
        body.extend(length(self.variables.len()));
        for (name, value) in &self.variables {
            put(&mut body, name);
            put(&mut body, value);
        }
        let mut bytes = length(body.len()).to_vec();
        bytes.append(&mut body);
        bytes
    }

    pub(super) fn read(source: &mut impl Read) -> io::Result<Self> {
        let mut n = [0; 4];
        source.read_exact(&mut n)?;
        let n = usize::try_from(u32::from_le_bytes(n)).unwrap_or(usize::MAX);
        if n > ORDER_BYTES {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut body = vec![0; n];
        source.read_exact(&mut body)?;
        Self::parse(&mut Bytes(&body)).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    fn parse(bytes: &mut Bytes<'_>) -> Option<Self> {
        let folder = (bytes.u64()?, bytes.u64()?);
        let open_files = bytes.u64()?;
        let program = bytes.text()?;
        let args = (0..bytes.u32()?)
            .map(|_| bytes.text())
            .collect::<Option<_>>()?;
        let variables = (0..bytes.u32()?)
            .map(|_| Some((bytes.text()?, bytes.text()?)))
            .collect::<Option<_>>()?;
        Some(Self {
            program,
            args,
            variables,
            folder,
            open_files,
        })
    }
}

/// What a supervisor reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Report {
    /// The command runs, under this number.
    Started(u32),
    /// It could not be started; holds the number of the system's error.
    Failed(i32),
    /// The folder is not the one that was meant.
    WrongFolder,
    /// It ended, and these run on.
    Exited(Exit, Vec<Process>),
}

impl Report {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        match self {
            Self::Started(pid) => {
                bytes.push(b'S');
                bytes.extend(pid.to_le_bytes());
            }
            Self::Failed(errno) => {
                bytes.push(b'F');
                bytes.extend(errno.to_le_bytes());
            }
            Self::WrongFolder => bytes.push(b'W'),
            Self::Exited(exit, running) => {
                let (kind, number) = match exit {
                    Exit::Code(code) => (b'c', code),
                    Exit::Signal(signal) => (b's', signal),
                };
                bytes.extend([b'X', kind]);
                bytes.extend(number.to_le_bytes());
                bytes.extend(length(running.len()));
                for process in running {
                    bytes.extend(process.pid.to_le_bytes());
                    put(&mut bytes, &process.name);
                }
            }
        }
        bytes
    }

    /// Takes the first report from what has come; `None` when it is not whole yet.
    pub(super) fn take(inbox: &mut Vec<u8>) -> Option<Self> {
        let mut bytes = Bytes(inbox);
        let report = Self::parse(&mut bytes)?;
        let n_left = bytes.0.len();
        inbox.drain(..inbox.len() - n_left);
        Some(report)
    }

    fn parse(bytes: &mut Bytes<'_>) -> Option<Self> {
        Some(match bytes.u8()? {
            b'S' => Self::Started(bytes.u32()?),
            b'F' => Self::Failed(bytes.i32()?),
            b'W' => Self::WrongFolder,
            _ => {
                let exit = match bytes.u8()? {
                    b'c' => Exit::Code(bytes.i32()?),
                    _ => Exit::Signal(bytes.i32()?),
                };
                let running = (0..bytes.u32()?)
                    .map(|_| {
                        Some(Process {
                            pid: bytes.u32()?,
                            name: bytes.text()?,
                        })
                    })
                    .collect::<Option<_>>()?;
                Self::Exited(exit, running)
            }
        })
    }
}

fn put(bytes: &mut Vec<u8>, text: &[u8]) {
    bytes.extend(length(text.len()));
    bytes.extend(text);
}

/// A length as four bytes. What is longer than that holds is refused by whoever reads it.
fn length(n: usize) -> [u8; 4] {
    u32::try_from(n).unwrap_or(u32::MAX).to_le_bytes()
}

struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn fixed<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    fn u8(&mut self) -> Option<u8> {
        self.fixed::<1>().map(|[byte]| byte)
    }

    fn u32(&mut self) -> Option<u32> {
        self.fixed().map(u32::from_le_bytes)
    }

    fn i32(&mut self) -> Option<i32> {
        self.fixed().map(i32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.fixed().map(u64::from_le_bytes)
    }

    fn text(&mut self) -> Option<Vec<u8>> {
        let n = usize::try_from(self.u32()?).ok()?;
        let (text, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(text.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::{Exit, Process, Report, Spec};

    #[test]
    fn orders_and_reports_arrive_as_they_were_sent() {
        let spec = Spec {
            program: b"/bin/\xff".to_vec(),
            args: vec![b"".to_vec(), b"a b\n".to_vec()],
            variables: vec![(b"A".to_vec(), b"=".to_vec())],
            folder: (1, u64::MAX),
            open_files: 1024,
        };
        let bytes = spec.to_bytes();
        assert_eq!(Spec::read(&mut bytes.as_slice()).unwrap(), spec);
        assert!(Spec::read(&mut &bytes[..bytes.len() - 1]).is_err());

        let running = vec![Process {
            pid: 7,
            name: b"node".to_vec(),
        }];
        let sent = [
            Report::Started(3),
            Report::Failed(-2),
            Report::WrongFolder,
            Report::Exited(Exit::Signal(9), running),
        ];
        let mut inbox = Vec::new();
        let mut got = Vec::new();
        for byte in sent.iter().flat_map(Report::to_bytes) {
            inbox.push(byte);
            got.extend(Report::take(&mut inbox));
        }
        assert_eq!(got, sent);
    }
}
