//! The first checkpoint, the next ones, and what git says of them.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::world::{World, rel};

#[test]
fn an_empty_folder_gets_an_empty_first_checkpoint() {
    let world = World::new();
    let open = world.open();
    assert_eq!(open.messages(), ["initial snapshot"]);
    assert_eq!(world.ls_tree(), [""; 0]);
    world.fsck();
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    assert_eq!(
        world
            .git(&["log", "--format=%an <%ae> %s %cd", "--date=format:%z"])
            .trim(),
        "Safe Workspace MCP <safe-workspace-mcp@local> initial snapshot +0000"
    );
    assert!(world.open().initial.is_none());
    assert_eq!(world.open().messages().len(), 1);
}

#[test]
fn changes_deletions_and_moves_reach_history() {
    let world = World::with(&["a", "b", "dir/c", "dir/sub/d", "dir-x", "dir.y/e"]);
    let open = world.open();
    assert_eq!(
        world.ls_tree(),
        ["a", "b", "dir-x", "dir.y/e", "dir/c", "dir/sub/d"]
    );
    assert_eq!(open.status(), [""; 0]);
    world.write("a", "changed");
    world.remove("b");
    fs::rename(world.path("dir/sub"), world.path("moved")).unwrap();
    world.write("new/deep/er", "x");
    fs::set_permissions(world.path("dir-x"), fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(
        open.status(),
        [
            "M a",
            "M dir-x",
            "A moved/d",
            "A new/deep/er",
            "D b",
            "D dir/sub/d"
        ]
    );
    let id = open.commit("post-change checkpoint");
    assert_eq!(open.status(), [""; 0]);
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    assert_eq!(world.git(&["rev-parse", "HEAD"]).trim(), id.to_string());
    assert_eq!(
        world.ls_tree(),
        ["a", "dir-x", "dir.y/e", "dir/c", "moved/d", "new/deep/er"]
    );
    assert!(
        world
            .git(&["ls-tree", "HEAD", "dir-x"])
            .starts_with("100755")
    );
    world.fsck();
    let same = open.commit("pre-change checkpoint");
    assert_ne!(same, id);
    assert_eq!(
        world.git(&["diff", "--stat", &id.to_string(), &same.to_string()]),
        ""
    );
    assert_eq!(open.repository.find(&id.to_string()[..7]).unwrap(), id);
    let saved = open.repository.file(id, &rel("a")).unwrap().unwrap();
    assert_eq!(open.repository.content(saved.blob).unwrap(), b"changed");
}

#[test]
fn a_file_becomes_a_folder_and_back() {
    let world = World::with(&["x", "y/z", "x-1"]);
    let open = world.open();
    world.remove("x");
    world.write("x/in", "1");
    world.remove("y");
    world.write("y", "2");
    open.commit("one");
    assert_eq!(world.ls_tree(), ["x-1", "x/in", "y"]);
    world.fsck();
    world.remove("x");
    world.write("x", "3");
    open.commit_paths("two", &["x"]);
    assert_eq!(world.ls_tree(), ["x", "x-1", "y"]);
    assert_eq!(open.status(), [""; 0]);
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    world.fsck();
}

#[test]
fn blobs_are_the_bytes_on_the_disk() {
    let world = World::with(&["plain"]);
    world.write(
        ".gitattributes",
        "* text=auto eol=crlf ident\n*.bin filter=evil\n",
    );
    world.write(".gitignore", "*\n");
    world.write("lines", "one\r\ntwo\n$Id$\n");
    world.write("x.bin", [0, 1, 2, 255]);
    let open = world.open();
    for path in ["lines", "x.bin", ".gitignore"] {
        let saved = open
            .repository
            .file(open.initial.unwrap(), &rel(path))
            .unwrap()
            .unwrap();
        let content = open.repository.content(saved.blob).unwrap();
        assert_eq!(content, fs::read(world.path(path)).unwrap(), "{path}");
    }
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    assert_eq!(world.read("plain"), "plain\n");
}
