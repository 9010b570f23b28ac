//! Paths, links and special files: nothing outside of the root is told or touched, and nothing blocks.

use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::process::Command;

use serde_json::json;

use super::start;
use crate::client::{Client, folder};

/// Every way to name a path, with every tool.
fn ask(client: &mut Client, path: &str) -> String {
    let calls = [
        ("list_directory", json!({"path": path})),
        ("search_text", json!({"path": path, "query": "secret"})),
        ("read_text_file", json!({"path": path})),
        (
            "write_text_file",
            json!({"path": path, "content": "planted"}),
        ),
    ];
    let told = calls.map(|(tool, arguments)| {
        let id = client.send_call(tool, arguments);
        client.recv(id)["result"].to_string()
    });
    told.concat()
}

#[test]
fn what_lies_outside_is_neither_told_nor_touched() {
    let world = folder(&[
        ("w/in.txt", "within\n"),
        ("w/d/in.txt", "within\n"),
        ("w2/out.txt", "secret\n"),
        ("w-x/out.txt", "secret\n"),
    ]);
    let root = world.path().join("w");
    let outside = world.path().join("w2");
    symlink("../w2/out.txt", root.join("file")).unwrap();
    symlink("../w2", root.join("folder")).unwrap();
    symlink("file", root.join("chain")).unwrap();
    symlink("../w2/new", root.join("dangling")).unwrap();
    symlink(&outside, root.join("absolute")).unwrap();
    symlink("../w/d", root.join("back")).unwrap();
    symlink("/", root.join("d/top")).unwrap();
    let mut client = start(&root, &[]);
    let outside = outside.to_str().unwrap();
    for path in [
        "../w2/out.txt",
        "../w2",
        "../w-x",
        "../W",
        "d/../../w2/out.txt",
        "/",
        outside,
        "/proc/self/environ",
        "/dev/null",
        "..\\w2",
        "C:/",
        "file",
        "file/",
        "folder",
        "folder/out.txt",
        "chain",
        "dangling",
        "absolute",
        "absolute/out.txt",
        "back",
        "back/in.txt",
        "d/top",
        "d/top/etc/passwd",
    ] {
        let told = ask(&mut client, path);
        for leak in ["secret\\n", "out.txt\\\"", "root:", "within", "planted"] {
            assert!(!told.contains(leak), "{path}: {told}");
        }
    }
    for (tool, arguments) in [
        ("search_files", json!({"query": "t"})),
        ("search_text", json!({"query": "i"})),
        ("list_directory", json!({})),
    ] {
        let told = client.call(tool, arguments);
        assert!(
            !told.contains("out.txt") && !told.contains("secret"),
            "{told}"
        );
        assert!(told.contains("in.txt"), "{told}");
    }
    let all: Vec<_> = std::fs::read_dir(outside).unwrap().collect();
    assert_eq!(all.len(), 1);
    let held = std::fs::read_to_string(world.path().join("w2/out.txt"));
    assert_eq!(held.unwrap(), "secret\n");
}

#[test]
fn other_names_of_a_file_keep_what_they_hold() {
    let world = folder(&[("w/a.txt", "a"), ("o/twin.txt", "kept\n")]);
    let root = world.path().join("w");
    let twin = world.path().join("o/twin.txt");
    std::fs::hard_link(&twin, root.join("twin.txt")).unwrap();
    let mut client = start(&root, &[]);
    assert!(
        client
            .call("read_text_file", json!({"path": "twin.txt"}))
            .contains("kept")
    );
    assert_eq!(
        client.call(
            "write_text_file",
            json!({"path": "twin.txt", "content": "x"})
        ),
        "error: destination is not a writable regular file"
    );
    assert_eq!(std::fs::read_to_string(&twin).unwrap(), "kept\n");
}

#[test]
fn pipes_and_sockets_block_nothing() {
    let world = folder(&[("a.txt", "needle\n")]);
    let made = Command::new("mkfifo")
        .arg(world.path().join("pipe"))
        .status();
    assert!(made.unwrap().success());
    let _socket = UnixListener::bind(world.path().join("socket")).unwrap();
    let mut client = start(world.path(), &[]);
    for name in ["pipe", "socket"] {
        let path = json!({"path": name});
        assert_eq!(
            client.call("read_text_file", path.clone()),
            "error: path is not a readable regular file"
        );
        assert!(client.call("list_directory", path).contains("\"items\":[]"));
        let search = json!({"path": name, "query": "needle"});
        assert!(client.call("search_text", search).contains("\"items\":[]"));
        assert_eq!(
            client.call("write_text_file", json!({"path": name, "content": "x"})),
            "error: destination is not a writable regular file"
        );
    }
    let found = client.call("search_text", json!({"query": "needle"}));
    assert!(found.contains("a.txt"), "{found}");
    let listed = client.call("list_directory", json!({}));
    assert!(
        !listed.contains("pipe") && !listed.contains("socket"),
        "{listed}"
    );
}
