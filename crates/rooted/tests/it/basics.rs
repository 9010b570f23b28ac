use std::fs;
use std::io::Read as _;
use std::os::unix::fs::symlink;

use rooted::{ErrorKind, Kind, Mode, RelPath, Resolver, Root};

fn rel(path: &str) -> RelPath {
    RelPath::from_bytes(path.as_bytes()).expect("a path without `..`")
}

fn read(root: &Root, path: &str) -> Result<String, String> {
    let mut file = root
        .open_file(&rel(path))
        .map_err(|error| format!("{:?}", error.kind))?;
    let mut text = String::new();
    file.read_to_string(&mut text).expect("text");
    Ok(format!("{}: {text}", file.path()))
}

#[test]
fn both_resolvers_agree_on_links() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let ws = temp.path().join("ws");
    fs::create_dir_all(ws.join("d/e")).expect("folders");
    fs::write(ws.join("d/e/f"), "in").expect("a file");
    fs::write(temp.path().join("out"), "out").expect("a file");
    symlink("d/e", ws.join("rel")).expect("a link");
    symlink(ws.join("d"), ws.join("abs")).expect("a link");
    symlink("../out", ws.join("leads_out")).expect("a link");
    symlink(temp.path(), ws.join("up")).expect("a link");
    symlink("../ws/d", ws.join("out_and_back")).expect("a link");
    symlink("loop", ws.join("loop")).expect("a link");
    symlink("d/new", ws.join("dangling")).expect("a link");
    symlink("../new", ws.join("dangling_out")).expect("a link");
    for resolver in [Resolver::Kernel, Resolver::Walk] {
        let root = Root::open(&ws, Mode::FOLLOW)
            .expect("a root")
            .with_resolver(resolver);
        for (path, want) in [
            ("d/e/f", Ok("d/e/f: in")),
            ("rel/f", Ok("d/e/f: in")),
            ("abs/e/f", Ok("d/e/f: in")),
            ("leads_out", Err("Outside")),
            ("up/out", Err("Outside")),
            ("out_and_back/e/f", Err("Outside")),
            ("loop", Err("LinkLoop")),
            ("dangling", Err("NotFound")),
            ("dangling_out", Err("Outside")),
            ("d", Err("IsADirectory")),
            ("d/e/f/g", Err("NotADirectory")),
            ("nothing", Err("NotFound")),
        ] {
            let got = read(&root, path);
            let want = want.map(str::to_owned).map_err(str::to_owned);
            assert_eq!(got, want, "{path} by {resolver:?}");
        }
        let place = root.locate(&rel("dangling")).expect("inside");
        assert_eq!(
            (place.path.to_string(), place.meta.is_none()),
            ("d/new".to_owned(), true)
        );
        let place = root.locate(&rel("rel/x/y/z")).expect("inside");
        assert_eq!(
            (place.path.to_string(), place.missing.len()),
            ("d/e/x/y/z".to_owned(), 2)
        );
        assert_eq!(place.dir.path().to_string(), "d/e");
        let place = root.locate(&rel("rel")).expect("inside");
        assert_eq!(
            (place.path.to_string(), place.meta.map(|m| m.kind)),
            ("d/e".to_owned(), Some(Kind::Dir))
        );
        let outside = root
            .locate(&rel("dangling_out"))
            .expect_err("leads out")
            .kind;
        assert!(matches!(outside, ErrorKind::Outside));
        let strict = root.with_mode(Mode::STRICT).expect("the same root");
        assert_eq!(read(&strict, "rel/f"), Err("LinkRefused".to_owned()));
        assert_eq!(read(&strict, "d/e/f"), Ok("d/e/f: in".to_owned()));
    }
}
