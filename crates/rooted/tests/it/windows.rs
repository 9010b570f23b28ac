//! What Windows adds: names that mean something else than they say.

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::windows::fs::OpenOptionsExt as _;
use std::path::Path;

use rooted::{ErrorKind, Kind, Mode, PathFault, RelPath, Root};

fn rel(path: &str) -> RelPath {
    RelPath::from_bytes(path.as_bytes()).expect("a path without `..`")
}

fn world() -> (tempfile::TempDir, Root) {
    let temp = tempfile::tempdir().expect("a temp folder");
    let ws = temp.path().join("ws");
    fs::create_dir_all(ws.join("Dir/Sub")).expect("folders");
    fs::write(ws.join("Dir/File.txt"), "text").expect("a file");
    fs::write(temp.path().join("out.txt"), "out").expect("a file");
    let root = Root::open(&ws, Mode::FOLLOW).expect("a root");
    (temp, root)
}

fn kind_of(root: &Root, path: &str) -> String {
    match root.open_file(&rel(path)) {
        Ok(file) => file.path().to_string(),
        Err(error) => format!("{:?}", error.kind),
    }
}

#[test]
fn opens_by_what_it_is_and_tells_the_true_case() {
    let (_temp, root) = world();
    for (path, want) in [
        ("Dir/File.txt", "Dir/File.txt"),
        ("dir/FILE.TXT", "Dir/File.txt"),
        ("DIR/none", "NotFound"),
        ("none/none", "NotFound"),
        ("Dir", "IsADirectory"),
        ("Dir/File.txt/x", "NotADirectory"),
    ] {
        assert_eq!(kind_of(&root, path), want, "{path}");
    }
    let (meta, real) = root.find(&rel("dir/sub")).expect("a folder");
    assert_eq!(
        (meta.kind, real.to_string()),
        (Kind::Dir, "Dir/Sub".to_owned())
    );
    let place = root.locate(&rel("DIR/new/file")).expect("a place");
    assert_eq!(place.path.to_string(), "Dir/new/file");
}

#[test]
fn refuses_names_that_mean_something_else() {
    let (temp, root) = world();
    let dir = root.open_dir(&RelPath::root()).expect("the root");
    for name in [
        "nul",
        "NUL.txt",
        "con",
        "Com1",
        "com¹.log",
        "lpt9.a.b",
        "aux .x",
        "conin$",
    ] {
        assert_eq!(kind_of(&root, name), "NotRegular", "{name}");
        let made = dir.create_file(name.as_bytes(), 0o600).expect_err(name);
        assert!(matches!(made.kind, ErrorKind::NotRegular), "{name}");
    }
    for name in [
        "a:stream",
        "Dir::$DATA",
        "x.",
        "x ",
        "Dir.",
        "..\\out.txt",
        "Dir\\File.txt",
        "C:",
        "a*",
        "a\u{1}",
    ] {
        let refused = root.open_file(&rel(name)).expect_err(name);
        assert!(matches!(refused.kind, ErrorKind::NotRegular), "{name}");
        let refused = root.locate(&rel(name)).expect_err(name);
        assert!(matches!(refused.kind, ErrorKind::NotRegular), "{name}");
        dir.create_file(name.as_bytes(), 0o600).expect_err(name);
        dir.create_dir(name.as_bytes(), 0o700).expect_err(name);
        dir.rename(b"Dir", &dir, name.as_bytes()).expect_err(name);
    }
    for name in [&b"\xff"[..], b".", b"..", b"", b"../out.txt"] {
        dir.open_file(name).expect_err("refused");
        dir.create_file(name, 0o600).expect_err("refused");
        dir.remove_file(name).expect_err("refused");
    }
    let long = "n".repeat(256);
    assert_eq!(kind_of(&root, &long), "NameTooLong");
    let names: Vec<_> = fs::read_dir(temp.path().join("ws"))
        .expect("the root")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert_eq!(names, ["Dir"]);
}

#[test]
fn parses_each_spelling_of_the_root_and_no_other_place() {
    let roots = [Path::new(r"C:\Proj"), Path::new(r"\\nas\s\p")];
    let parse = |input: &str| RelPath::parse(input, &roots).map(|path| path.to_string());
    for (input, want) in [
        (r"a\b", "a/b"),
        ("a/b", "a/b"),
        (r".\a\..\b", "b"),
        (r"c:\proj\a", "a"),
        ("C:/PROJ/a", "a"),
        (r"\\?\C:\Proj\a", "a"),
        (r"\Proj\a", "a"),
        (r"\\nas\s\p\sub\a", "sub/a"),
        (r"\\NAS\S\p\a", "a"),
        ("//nas/s/p/a", "a"),
        (r"\\?\UNC\nas\s\p\a", "a"),
        (r"a\..\..\Proj\x", "x"),
    ] {
        assert_eq!(parse(input).as_deref(), Ok(want), "{input}");
    }
    for input in [
        r"C:x",
        r"C:Proj\a",
        r"D:\Proj\a",
        r"C:\Proj2\a",
        r"..\Proj2",
        r"\\host\share\x",
        r"\\nas\s2\p\a",
        r"\\.\C:\Proj\a",
        r"\\.\pipe\x",
        r"\\?\C:\Proj\a/../../x",
        r"\\?\GLOBALROOT\Device\x",
        r"a\..\..\x",
        r"C:\Proj\..\x",
    ] {
        assert_eq!(parse(input), Err(PathFault::Outside), "{input}");
    }
}

#[test]
fn writes_renames_and_removes_by_folder_and_name() {
    let (_temp, root) = world();
    let dir = root.open_dir(&rel("Dir")).expect("a folder");
    let mut made = dir.create_file(b"new", 0o600).expect("a new file");
    made.write_all(b"one").expect("room");
    drop(made);
    assert!(matches!(
        dir.create_file(b"new", 0o600).expect_err("taken").kind,
        ErrorKind::Exists
    ));
    let mut more = dir.open_for_appending(b"new").expect("the file");
    more.write_all(b"two").expect("room");
    drop(more);
    let mut file = dir.open_file(b"new").expect("the file");
    let mut start = [0; 3];
    assert_eq!(file.read_at(&mut start, 3).expect("a read"), 3);
    assert_eq!(&start, b"two");
    assert_eq!(file.read_at(&mut start, 99).expect("the end"), 0);
    let mut text = String::new();
    file.read_to_string(&mut text).expect("text");
    assert_eq!(text, "onetwo");
    assert_eq!((file.meta().len, file.meta().nlink), (6, 1));
    assert_eq!(file.meta().id, dir.stat(b"new").expect("the file").id);
    drop(file);

    let taken = dir
        .rename_new(b"new", &dir, b"File.txt")
        .expect_err("taken");
    assert!(matches!(taken.kind, ErrorKind::Exists));
    dir.rename_new(b"new", &dir, b"moved").expect("a free name");
    assert!(matches!(
        dir.stat(b"new").expect_err("moved").kind,
        ErrorKind::NotFound
    ));
    dir.rename_new(b"moved", &dir, b"MOVED").expect("its own");
    assert_eq!(dir.stat(b"MOVED").expect("the file").len, 6);
    dir.rename(b"moved", &dir, b"File.txt").expect("replaced");
    assert_eq!(dir.stat(b"File.txt").expect("the file").len, 6);
    dir.hard_link(b"File.txt", &dir, b"second").expect("a name");
    assert_eq!(dir.stat(b"second").expect("the file").nlink, 2);
    let strict = root.with_mode(Mode::STRICT).expect("the same root");
    assert_eq!(kind_of(&strict, "Dir/second"), "HardLinked");
    let swapped = dir.exchange(b"second", &dir, b"File.txt");
    assert!(matches!(
        swapped.expect_err("no such call").kind,
        ErrorKind::Unsupported
    ));
    dir.create_dir(b"d", 0o700).expect("a folder");
    dir.open_dir(b"d").expect("a folder");
    dir.remove_file(b"d").expect_err("a folder");
    dir.remove_dir(b"second").expect_err("a file");
    dir.remove_dir(b"d").expect("empty");
    dir.remove_file(b"second").expect("a file");
    let names: Vec<_> = dir.list().expect("a folder");
    assert_eq!(
        names,
        [
            (Box::from(&b"File.txt"[..]), Kind::File),
            (Box::from(&b"Sub"[..]), Kind::Dir)
        ]
    );
    assert!(dir.may_change_names() && dir.may_write(b"File.txt") && !root.is_gone());
}

#[test]
fn what_another_program_keeps_open_is_told_as_such() {
    let (temp, root) = world();
    let dir = root.open_dir(&rel("Dir")).expect("a folder");
    let mut alone = fs::OpenOptions::new();
    let path = temp.path().join("ws/Dir/File.txt");
    let held = alone.read(true).share_mode(0).open(path).expect("the file");
    let refused = [
        dir.open_file(b"File.txt").map(drop),
        dir.open_for_appending(b"File.txt").map(drop),
        dir.remove_file(b"File.txt"),
        dir.rename(b"File.txt", &dir, b"moved"),
    ];
    for (index, refused) in refused.into_iter().enumerate() {
        let kind = refused.expect_err("it is open").kind;
        assert!(matches!(kind, ErrorKind::InUse), "{index}: {kind:?}");
    }
    drop(held);
    dir.rename(b"File.txt", &dir, b"moved").expect("let go of");
    dir.remove_file(b"moved").expect("let go of");
}

#[test]
fn a_file_marked_as_read_only_is_removed_and_its_other_name_keeps_the_mark() {
    let (temp, root) = world();
    let dir = root.open_dir(&rel("Dir")).expect("a folder");
    dir.hard_link(b"File.txt", &dir, b"second").expect("a name");
    let second = temp.path().join("ws/Dir/second");
    let mut mark = fs::metadata(&second).expect("the file").permissions();
    mark.set_readonly(true);
    fs::set_permissions(&second, mark).expect("own file");
    dir.remove_file(b"File.txt").expect("removed");
    dir.stat(b"File.txt").expect_err("its name is gone");
    let left = fs::metadata(&second).expect("the other name");
    assert!(left.permissions().readonly());
    dir.remove_file(b"second").expect("removed");
    let names = dir.list().expect("a folder");
    assert_eq!(names, [(Box::from(&b"Sub"[..]), Kind::Dir)]);
}
