//! Trees and files that are huge, closed, or change while they are read: the answer comes, and says
//! what it leaves out.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::os::unix::process::CommandExt as _;

use serde_json::json;

use crate::client::{Client, folder, program};
use crate::races::{Meanwhile, soak};

#[test]
fn a_huge_file_is_read_and_searched_in_parts() {
    let folder = folder(&[("text.txt", &"needle\n".repeat(3000)), ("hole.bin", "")]);
    for name in ["text.txt", "hole.bin"] {
        let file = fs::OpenOptions::new()
            .write(true)
            .open(folder.path().join(name))
            .unwrap();
        // Sparse: it takes no room.
        file.set_len(10 << 30).unwrap();
    }
    let mut client = Client::start(folder.path(), &[]);
    assert_eq!(
        client.call("read_file", json!({"path": "hole.bin"})),
        "error: binary file cannot be read as text: hole.bin"
    );
    let read = client.call("read_file", json!({"path": "text.txt", "limit": 2}));
    assert_eq!(
        read,
        "1: needle\n2: needle\n... (truncated at line 2; the file goes on)"
    );
    let grep = client.call("grep", json!({"pattern": "needle", "maxResults": 1}));
    assert!(grep.starts_with("text.txt:1: needle\n\n1 match in 1 file (stopped at maxResults=1;"));
    assert_eq!(
        client.call(
            "edit_file",
            json!({"path": "text.txt", "oldString": "a", "newString": "b"})
        ),
        "error: file too large to open (10737418240 bytes; limit 16777216): text.txt"
    );
    assert_eq!(
        client.call("list_files", json!({})),
        "1 entry\ntext.txt\n... (skipped: 1 binary; includeBinary=true shows them)"
    );
}

#[test]
fn a_line_of_a_million_characters_is_cut_around_the_match() {
    let half = "x".repeat(500_000);
    let folder = folder(&[("long.txt", &format!("{half}rtd{half}\n"))]);
    let mut client = Client::start(folder.path(), &[]);
    for pattern in ["rtd", "(?<=x)rtd"] {
        let answer = client.call("grep", json!({"pattern": pattern}));
        assert!(answer.len() < 2500, "{} bytes", answer.len());
        assert!(answer.contains("xrtdx"), "{pattern}");
        assert!(answer.contains("(line truncated; 1000003 characters)"));
    }
}

#[test]
fn a_tree_that_changes_meanwhile_is_listed_and_searched() {
    let folder = folder(&[("stays/a.txt", "needle\n"), ("z.txt", "needle\n")]);
    let dir = folder.path().join("comes-and-goes");
    let changing = Meanwhile::start(move || {
        fs::create_dir_all(dir.join("deep/er")).unwrap();
        for n in 0..20 {
            fs::write(dir.join(format!("deep/er/{n}")), "needle\n").unwrap();
        }
        fs::remove_dir_all(&dir).unwrap();
    });
    let mut client = Client::start(folder.path(), &[]);
    for _ in 0..50 * soak() {
        let list = client.call("list_files", json!({}));
        let grep = client.call("grep", json!({"pattern": "needle", "maxResults": 1000}));
        assert!(list.contains("\nstays/a.txt\nz.txt"), "{list}");
        assert!(
            grep.contains("stays/a.txt:1: needle\nz.txt:1: needle\n\n"),
            "{grep}"
        );
        assert!(
            !list.contains("unreadable") && !grep.contains("unreadable"),
            "{list}\n{grep}"
        );
    }
    drop(changing);
}

#[test]
fn a_closed_folder_is_passed_over_and_counted() {
    let folder = folder(&[
        ("ok/a.txt", "needle\n"),
        ("locked/b.txt", "needle\n"),
        ("z/c.txt", "needle\n"),
        ("z/closed.txt", "needle\n"),
    ]);
    let mut command = program(folder.path(), &[]);
    // Root may read anything, so as root the server runs as somebody else.
    let nobody = 65_534;
    if chown(folder.path(), Some(nobody), Some(nobody)).is_ok() {
        command.uid(nobody).gid(nobody);
    }
    let close = |path: &str, mode| {
        let path = folder.path().join(path);
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    close("locked", 0o000);
    close("z/closed.txt", 0o000);
    let mut client = Client::start_with(&mut command);
    assert_eq!(
        client.call("grep", json!({"pattern": "needle"})),
        "ok/a.txt:1: needle\nz/c.txt:1: needle\n\n2 matches in 2 files (skipped: 2 unreadable)"
    );
    let list = client.call("list_files", json!({}));
    assert!(
        list.contains("locked/\n") && list.contains("ok/a.txt\n"),
        "{list}"
    );
    assert!(list.contains("1 unreadable"), "{list}");
    let read = client.call("read_file", json!({"path": "z/closed.txt"}));
    assert_eq!(read, "error: permission denied: z/closed.txt");
    let read = client.call("read_file", json!({"path": "locked/b.txt"}));
    assert_eq!(read, "error: permission denied: locked/b.txt");
    close("locked", 0o755);
}

#[test]
fn a_root_is_known_by_the_name_it_was_given_and_by_its_real_one() {
    let world = folder(&[("real/a.txt", "one\n"), ("elsewhere/b.txt", "")]);
    let link = world.path().join("link");
    symlink("real", &link).unwrap();
    let real = world.path().join("real").canonicalize().unwrap();
    // Started in another folder: what is relative is so to the root.
    let elsewhere = world.path().join("elsewhere");
    let mut client = Client::start(&elsewhere, &["--root", link.to_str().unwrap()]);
    for path in [
        link.join("a.txt"),
        real.join("a.txt"),
        "a.txt".into(),
        "./a.txt".into(),
    ] {
        let read = client.call("read_file", json!({"path": path.to_str().unwrap()}));
        assert_eq!(read, "1: one", "{path:?}");
    }
    let read = client.call("read_file", json!({"path": "b.txt"}));
    assert_eq!(read, "error: file not found: b.txt");
}

#[test]
fn a_client_that_declares_roots_is_not_asked_for_them() {
    let folder = folder(&[("a.txt", "one\n")]);
    let mut client = Client::start(folder.path(), &[]);
    let params = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {"roots": {"listChanged": true}},
        "clientInfo": {"name": "test", "version": "1"},
    });
    client.request("initialize", params);
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    assert_eq!(client.call("read_file", json!({"path": "a.txt"})), "1: one");
    let (code, rest) = client.finish();
    assert_eq!((code, rest), (Some(0), Vec::new()));
}
