//! Pipes, sockets, devices, files of the kernel and mounts: refused, and never waited for.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;

use rooted::{Kind, Mode, RelPath, Root};
use rustix::fs::{CWD, FileType, mknodat};

use crate::world::{MODES, RESOLVERS, World, bounded, kind, read, rel};

#[test]
fn pipes_sockets_and_devices_are_refused_at_once() {
    bounded(|| {
        let world = World::new();
        let at = |name: &str| world.ws().join(name);
        mknodat(CWD, at("pipe"), FileType::Fifo, 0o600.into(), 0).expect("a pipe");
        let listening = UnixListener::bind(at("socket")).expect("a socket");
        for (name, target) in [
            ("to_pipe", "pipe"),
            ("to_socket", "socket"),
            ("to_null", "/dev/null"),
            ("to_zero", "/dev/zero"),
            ("to_tty", "/dev/tty"),
            ("to_stdin", "/dev/stdin"),
        ] {
            symlink(target, at(name)).expect("a link");
        }
        let mut names = vec!["pipe", "socket"];
        // The device of zeros; making it takes rights that a test may not have.
        let zero = rustix::fs::makedev(1, 5);
        let device = mknodat(
            CWD,
            at("zero"),
            FileType::CharacterDevice,
            0o600.into(),
            zero,
        );
        if device.is_ok() {
            names.push("zero");
        } else {
            println!("skipped: a device by name, which needs more rights");
        }
        for (mode_name, mode) in MODES {
            for resolver in RESOLVERS {
                let root = world.root(mode, resolver);
                let dir = root.open_dir(&RelPath::root()).expect("the root");
                for name in &names {
                    let about = format!("{name} in {mode_name} by {resolver:?}");
                    assert_eq!(
                        read(&root, &rel(name)),
                        Err("NotRegular".to_owned()),
                        "{about}"
                    );
                    let refused = root.open_dir(&rel(name)).expect_err(&about);
                    assert_eq!(kind(&refused), "NotADirectory", "{about}");
                    let meta = root.meta(&rel(name)).expect(&about);
                    assert_eq!(meta.kind, Kind::Special, "{about}");
                    let below = read(&root, &rel(format!("{name}/x")));
                    assert_eq!(below, Err("NotADirectory".to_owned()), "{about}");
                    let name = name.as_bytes();
                    for opened in [dir.open_file(name).err(), dir.open_for_writing(name).err()] {
                        assert_eq!(opened.as_ref().map(kind), Some("NotRegular".to_owned()));
                    }
                }
                for (name, want) in [
                    ("to_pipe", "NotRegular"),
                    ("to_socket", "NotRegular"),
                    ("to_null", "Outside"),
                    ("to_zero", "Outside"),
                    ("to_tty", "Outside"),
                    ("to_stdin", "Outside"),
                ] {
                    let want = if mode.follow_links {
                        want
                    } else {
                        "LinkRefused"
                    };
                    let got = read(&root, &rel(name));
                    assert_eq!(got, Err(want.to_owned()), "{name} in {mode_name}");
                }
            }
        }
        drop(listening);
    });
}

#[test]
fn files_of_the_kernel_are_refused_where_the_root_is_everything() {
    bounded(|| {
        for resolver in RESOLVERS {
            let open = |path: &str| {
                Root::open(Path::new(path), Mode::FOLLOW)
                    .expect("a root")
                    .with_resolver(resolver)
            };
            let root = open("/");
            for path in [
                "proc/self/environ",
                "proc/self/mem",
                "proc/self/maps",
                "proc/self/cmdline",
                "proc/1/environ",
                "proc/kmsg",
                "proc/version",
                "proc/self/fd/0",
                "proc/self/fdinfo/0",
                "proc/self/root/proc/self/environ",
                "proc/self/task/../environ",
                "sys/kernel/notes",
                "dev/null",
                "dev/zero",
                "dev/stdin",
            ] {
                let parsed = RelPath::parse(path, &[Path::new("/")]).expect("below the root");
                let got = root.open_file(&parsed);
                assert!(got.is_err(), "{path} by {resolver:?}");
            }
            assert!(read(&root, &rel("etc/passwd")).is_ok());
            let (_, text) = read(&root, &rel("proc/self/root/etc/passwd")).expect("the same file");
            assert!(!text.is_empty());
            let own = root.open_dir(&rel("proc/self")).expect("a folder");
            assert_eq!(
                kind(&own.open_file(b"environ").expect_err("kernel")),
                "NotRegular"
            );

            let inner = open("/proc/self");
            assert_eq!(read(&inner, &rel("environ")), Err("NotRegular".to_owned()));
            assert!(read(&inner, &rel("root/etc/passwd")).is_err());
            assert!(read(&inner, &rel("cwd/Cargo.toml")).is_err());
        }
    });
}

#[test]
fn another_mount_is_refused_where_the_mode_stays_on_one() {
    use rustix::mount::{UnmountFlags, mount_bind, unmount};
    let world = World::new();
    let (folder, file) = (world.ws().join("empty"), world.ws().join("d/e/f"));
    let (outside, outside_file) = (world.beside("out"), world.beside("out/f"));
    if mount_bind(outside, &folder).is_err() {
        println!("skipped: mounts, which need more rights");
        return;
    }
    mount_bind(outside_file, &file).expect("the first mount worked");
    let got = std::panic::catch_unwind(|| {
        for resolver in RESOLVERS {
            let follow = world.root(Mode::FOLLOW, resolver);
            assert!(read(&follow, &rel("empty/f")).is_ok());
            let strict = world.root(Mode::STRICT, resolver);
            for path in ["empty", "empty/f", "empty/sub/f", "d/e/f"] {
                let want = "OtherFilesystem";
                let about = format!("{path} by {resolver:?}");
                if path != "empty" {
                    assert_eq!(read(&strict, &rel(path)), Err(want.to_owned()), "{about}");
                }
                let refused = strict.locate(&rel(path)).expect_err(&about);
                assert_eq!(kind(&refused), want, "{about}");
            }
            let refused = strict.open_dir(&rel("empty")).expect_err("a mount");
            assert_eq!(kind(&refused), "OtherFilesystem");
            assert!(strict.locate(&rel("empty/new")).is_err());
        }
    });
    unmount(&file, UnmountFlags::DETACH).expect("mounted above");
    unmount(&folder, UnmountFlags::DETACH).expect("mounted above");
    if let Err(cause) = got {
        std::panic::resume_unwind(cause);
    }
}

#[test]
fn a_root_by_another_name_takes_both_spellings() {
    let world = World::new();
    let other = world.beside("by_link");
    symlink(world.ws(), &other).expect("a link");
    let root = Root::open(&other, Mode::FOLLOW).expect("a root");
    let absolute = fs::canonicalize(world.ws())
        .expect("the root")
        .join("d/e/f");
    for text in [
        "d/e/f",
        &absolute.display().to_string(),
        &other.join("d/e/f").display().to_string(),
    ] {
        let path = RelPath::parse(text, &root.spellings()).expect("inside");
        assert_eq!(
            read(&root, &path).map(|(_, text)| text).as_deref(),
            Ok("inside"),
            "{text}"
        );
    }
    // A link that is written through the other spelling leads inside as well.
    symlink(other.join("d/e/f"), world.ws().join("other")).expect("a link");
    assert!(read(&root, &rel("other")).is_ok());
}
