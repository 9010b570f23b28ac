//! A root with everything in it that could lead out, and watched surroundings.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rooted::{Error, ErrorKind, Mode, RelPath, Resolver, Root};

/// What every file outside of the root holds.
pub const OUTSIDE: &str = "OUTSIDE";
/// Both ways to resolve.
pub const RESOLVERS: [Resolver; 2] = [Resolver::Kernel, Resolver::Walk];
/// Each mode, by its name.
pub const MODES: [(&str, Mode); 3] = [
    ("FOLLOW", Mode::FOLLOW),
    ("NO_LINKS", Mode::NO_LINKS),
    ("STRICT", Mode::STRICT),
];

/// A temporary folder with `ws`, which is the root, and what lies around it.
pub struct World {
    temp: tempfile::TempDir,
}

impl World {
    pub fn new() -> Self {
        let temp = tempfile::tempdir().expect("a temp folder");
        let at = |path: &str| temp.path().join(path);
        for dir in ["ws/d/e", "ws2", "w-x", "out/sub", "ws/empty"] {
            fs::create_dir_all(at(dir)).expect("a folder");
        }
        for file in ["ws2/f", "w-x/f", "out/f", "out/sub/f", "f"] {
            fs::write(at(file), OUTSIDE).expect("a file");
        }
        fs::write(at("ws/d/e/f"), "inside").expect("a file");
        fs::hard_link(at("out/f"), at("ws/hard")).expect("a second name");
        let world = Self { temp };
        world.link_inside();
        world.link_out();
        world
    }

    fn link_inside(&self) {
        for (name, target) in [
            ("rel_file", "d/e/f"),
            ("rel_dir", "d/e"),
            ("d/up_and_down", "../d/e/f"),
            ("chain", "rel_dir/../e/../../rel_file"),
            ("dot", "."),
            ("slashed", "d//./e/"),
            ("dangling", "d/new"),
            ("dangling_deep", "missing/x/y"),
            ("dangling_back", "missing/../d/e/f"),
            ("through_file", "d/e/f/x"),
            ("file_parent", "d/e/f/../f"),
            ("self", "self"),
            ("loop_a", "loop_b"),
            ("loop_b", "loop_a"),
            ("hop0", "d/e/f"),
        ] {
            self.link(name, target);
        }
        for hop in 1..=41 {
            self.link(&format!("hop{hop}"), &format!("hop{}", hop - 1));
        }
        for (name, inside) in [("abs_file", "d/e/f"), ("abs_dir", "d/e"), ("abs_root", "")] {
            let target = self.ws().join(inside);
            symlink(target, self.ws().join(name)).expect("a link");
        }
        let odd = format!("/{}/./d/e/f", self.ws().display());
        self.link("abs_odd", &odd);
    }

    fn link_out(&self) {
        for (name, target) in [
            ("out_file", "../out/f"),
            ("out_dir", "../out"),
            ("out_chain", "out_dir/f"),
            ("out_dangling", "../out/new"),
            ("out_deep", "../new/deep"),
            ("up", ".."),
            ("d/e/up_up", "../../.."),
            ("back", "../ws/d/e/f"),
            ("sibling", "../ws2/f"),
            ("many_up", "../../../../../../../../../../etc/passwd"),
            ("rel_dir_up", "rel_dir/../../../out/f"),
            ("proc_root", "/proc/self/root/etc/passwd"),
            ("proc_cwd", "/proc/self/cwd"),
            ("proc_fd", "/proc/self/fd/0"),
            ("etc", "/etc/passwd"),
            ("slash", "/"),
        ] {
            self.link(name, target);
        }
        for (name, outside) in [
            ("out_abs", "out/f"),
            ("out_abs_dir", "out"),
            ("out_prefix", "ws2/f"),
        ] {
            symlink(self.temp.path().join(outside), self.ws().join(name)).expect("a link");
        }
        let climbs = self.ws().join("d/../../out/f");
        symlink(climbs, self.ws().join("out_abs_up")).expect("a link");
        let back = self.ws().join("../ws/d/e/f");
        symlink(back, self.ws().join("abs_back")).expect("a link");
    }

    fn link(&self, name: &str, target: &str) {
        symlink(target, self.ws().join(name)).expect("a link");
    }

    pub fn ws(&self) -> PathBuf {
        self.temp.path().join("ws")
    }

    /// A path outside of the root.
    pub fn beside(&self, path: &str) -> PathBuf {
        self.temp.path().join(path)
    }

    pub fn root(&self, mode: Mode, resolver: Resolver) -> Root {
        Root::open(&self.ws(), mode)
            .expect("a root")
            .with_resolver(resolver)
    }

    /// Everything outside of the root, with its content.
    pub fn surroundings(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let mut found = BTreeMap::new();
        let mut todo = vec![self.temp.path().to_path_buf()];
        while let Some(dir) = todo.pop() {
            for entry in fs::read_dir(&dir).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path == self.ws() {
                    continue;
                }
                if path.is_dir() {
                    todo.push(path.clone());
                    found.insert(path, None);
                } else {
                    let content = fs::read(&path).expect("a file");
                    found.insert(path, Some(content));
                }
            }
        }
        found
    }
}

/// A path of components parted by slashes.
pub fn rel(path: impl AsRef<[u8]>) -> RelPath {
    RelPath::from_bytes(path.as_ref()).expect("a path without `..`")
}

/// The name of a kind of error; what the system says otherwise is one kind.
pub fn kind(error: &Error) -> String {
    match &error.kind {
        ErrorKind::Other(_) => "Other".to_owned(),
        kind => format!("{kind:?}"),
    }
}

/// Reads a file: where it really is, and its text.
pub fn read(root: &Root, path: &RelPath) -> Result<(String, String), String> {
    let mut file = root.open_file(path).map_err(|error| kind(&error))?;
    let mut text = String::new();
    file.read_to_string(&mut text).expect("text");
    Ok((file.path().to_string(), text))
}

/// Makes a file where a path leads, with the folders that are missing; tells where it was made.
pub fn make(root: &Root, path: &RelPath) -> Result<String, String> {
    let place = root.locate(path).map_err(|error| kind(&error))?;
    if place.meta.is_some() {
        return Err("Exists".to_owned());
    }
    let mut dir = place.dir;
    for name in &place.missing {
        dir.create_dir(name, 0o700).map_err(|error| kind(&error))?;
        dir = dir.open_dir(name).map_err(|error| kind(&error))?;
    }
    let mut file = dir
        .create_file(&place.name, 0o600)
        .map_err(|error| kind(&error))?;
    file.write_all(b"made").expect("room");
    Ok(dir.path().join(&place.name).to_string())
}

/// Runs something that must not wait for anything.
pub fn bounded<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    let worker = thread::spawn(move || sender.send(run()));
    match receiver.recv_timeout(Duration::from_secs(60)) {
        Ok(result) => result,
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("still waiting after a minute"),
        Err(mpsc::RecvTimeoutError::Disconnected) => match worker.join() {
            Err(cause) => std::panic::resume_unwind(cause),
            Ok(_) => unreachable!("it sends before it ends"),
        },
    }
}

/// Says whether a path on the host is where `ws` is, or below.
pub fn is_below(path: &Path, ws: &Path) -> bool {
    fs::canonicalize(path)
        .is_ok_and(|path| path.starts_with(fs::canonicalize(ws).expect("the root is there")))
}
