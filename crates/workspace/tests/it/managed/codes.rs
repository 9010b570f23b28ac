//! Every error code that a call can get, with its message, and that such a call leaves no trace.

use std::fs;
use std::os::unix::fs::symlink;

use workspace::Cancel;
use workspace::managed::{
    Allow, Code, DiffRequest, Managed, Operation, Options, ReadRequest, RestoreRequest,
};

use super::world::{
    World, create, create_over, delete, delete_folder, edit, make, rename, replace, world,
    world_with,
};

fn refused(world: &World, operations: &[Operation], want: &str) {
    assert_eq!(world.refused(operations), want);
}

#[test]
fn paths() {
    let world = world(&["a", "d/x", "secret/x"]);
    symlink("a", world.path("link")).unwrap();
    symlink("d", world.path("folder")).unwrap();
    fs::hard_link(world.path("a"), world.path("twin")).unwrap();
    for (path, want) in [
        ("../x", "ERROR [PATH_TRAVERSAL_FORBIDDEN]: .. is forbidden"),
        (
            "/x",
            "ERROR [ABSOLUTE_PATH_FORBIDDEN]: absolute and root-relative paths are forbidden",
        ),
        (
            ".git/x",
            "ERROR [INTERNAL_PATH_FORBIDDEN]: internal path is forbidden: .git",
        ),
        ("dist/x", "ERROR [EXCLUDED_PATH]: excluded path: dist"),
        ("", "ERROR [INVALID_PATH]: path must not be empty"),
        (
            "aux.c",
            "ERROR [WINDOWS_RESERVED_NAME]: reserved device name: AUX",
        ),
        (
            "link",
            "ERROR [REPARSE_POINT_FORBIDDEN]: reparse point in path: link",
        ),
        (
            "folder/x",
            "ERROR [REPARSE_POINT_FORBIDDEN]: reparse point in path: folder",
        ),
        (
            "folder/new/x",
            "ERROR [REPARSE_POINT_FORBIDDEN]: reparse point in path: folder",
        ),
        (
            "d/x/y",
            "ERROR [DIRECTORY_EXPECTED]: a parent component is not a directory: y",
        ),
        (
            "twin",
            "ERROR [HARDLINK_FORBIDDEN]: file has multiple hard links",
        ),
    ] {
        refused(&world, &[create(path, "x")], want);
        refused(&world, &[delete(path, "x")], want);
        if !path.is_empty() {
            refused(&world, &[rename(path, "new")], want);
        }
        let read = ReadRequest {
            path,
            offset: None,
            limit: None,
        };
        let error = world.managed.read_file(&read, &Cancel::never());
        assert_eq!(error.unwrap_err().to_string(), want);
    }
    refused(
        &world,
        &[delete("none/x", "x")],
        "ERROR [FILE_NOT_FOUND]: not found: none/x",
    );
}

#[test]
fn operations_against_the_disk() {
    let world = world_with(&["a", "d/x", "e/"], |options| {
        options.max_file_bytes = 100;
        options.max_read_bytes = 20;
        options.max_transaction_bytes = 150;
    });
    let (long, large) = ("x".repeat(30), "x".repeat(101));
    world.write("long", &long);
    world.write("big/large", &large);
    world.write("binary", "a\0b");
    fs::write(world.path("latin"), b"caf\xe9").unwrap();
    for (operation, want) in [
        (
            create("a", "x"),
            "ERROR [FILE_ALREADY_EXISTS]: already exists: a",
        ),
        (
            create_over("a", "b", "x"),
            "ERROR [HASH_MISMATCH]: file changed since it was read (expected_sha256 mismatch)",
        ),
        (
            create_over("d", "b", "x"),
            "ERROR [DIRECTORY_EXPECTED]: not a file: d",
        ),
        (
            create("n", &large),
            "ERROR [FILE_TOO_LARGE]: content exceeds max_file_bytes (100)",
        ),
        (
            replace("n", "x", "y"),
            "ERROR [FILE_NOT_FOUND]: not found: n",
        ),
        (
            replace("d", "x", "y"),
            "ERROR [DIRECTORY_EXPECTED]: not a file: d",
        ),
        (
            replace("big/large", &large, "y"),
            "ERROR [FILE_TOO_LARGE]: file exceeds max_file_bytes (100)",
        ),
        (
            edit("a", "a", "b", "c"),
            "ERROR [TEXT_NOT_FOUND]: old_text not found in file",
        ),
        (
            edit("d/x", "d/x", "", "c"),
            "ERROR [TEXT_NOT_UNIQUE]: old_text occurs 4 times; must be unique",
        ),
        (
            edit("long", &long, "x", "c"),
            "ERROR [READ_TOO_LARGE]: file exceeds max_read_bytes",
        ),
        (
            edit("binary", "a\0b", "a", "c"),
            "ERROR [BINARY_FILE_UNSUPPORTED]: binary files are not supported",
        ),
        (
            edit("a", "a", "a", &large),
            "ERROR [FILE_TOO_LARGE]: content exceeds max_file_bytes (100)",
        ),
        (make("d"), "ERROR [FILE_ALREADY_EXISTS]: already exists: d"),
        (
            rename("a", "d/x"),
            "ERROR [FILE_ALREADY_EXISTS]: destination already exists: d/x",
        ),
        (
            rename("big", "n"),
            "ERROR [FILE_TOO_LARGE]: file exceeds max_file_bytes (100): big/large",
        ),
        (
            delete("big/large", &large),
            "ERROR [FILE_TOO_LARGE]: file exceeds max_file_bytes (100)",
        ),
        (
            delete("d", "x"),
            "ERROR [DIRECTORY_EXPECTED]: not a file: d",
        ),
        (
            delete_folder("d"),
            "ERROR [DIRECTORY_NOT_EMPTY]: directory not empty: d",
        ),
        (
            delete_folder("a"),
            "ERROR [DIRECTORY_EXPECTED]: not a directory: a",
        ),
    ] {
        // One that could be done comes first, and is not.
        refused(&world, &[make("first"), operation], want);
    }
    let latin = Operation::ReplaceText {
        path: "latin".to_owned(),
        expected_sha256: workspace::read::sha256(b"caf\xe9"),
        old_text: "c".to_owned(),
        new_text: "d".to_owned(),
    };
    refused(
        &world,
        &[latin],
        "ERROR [BINARY_FILE_UNSUPPORTED]: file is not valid UTF-8 text",
    );
}

#[test]
fn operations_against_each_other() {
    let world = world_with(&["a", "d/x"], |options| options.max_transaction_bytes = 10);
    for (operations, want) in [
        (
            vec![create("n", "1"), create("N", "2")],
            "ERROR [TRANSACTION_FAILED]: operation 1: path already touched by earlier operation: N",
        ),
        (
            vec![make("x/y"), rename("a", "x\\y")],
            "ERROR [TRANSACTION_FAILED]: operation 1: path already touched by earlier operation: x\\y",
        ),
        (
            vec![rename("a", "a")],
            "ERROR [TRANSACTION_FAILED]: operation 0: no-op move",
        ),
        (
            vec![rename("d", "d/e/f")],
            "ERROR [TRANSACTION_FAILED]: operation 0: cannot move a directory into its own subtree",
        ),
        (
            vec![create("n", "12345"), create("m", "123456")],
            "ERROR [TRANSACTION_FAILED]: transaction exceeds max_transaction_bytes (10)",
        ),
        // Each sees what those before did.
        (
            vec![delete("a", "a"), replace("a", "a", "b")],
            "ERROR [FILE_NOT_FOUND]: not found: a",
        ),
        (
            vec![rename("d", "e"), delete("d/x", "d/x")],
            "ERROR [FILE_NOT_FOUND]: not found: d/x",
        ),
        (
            vec![rename("d", "e"), create("e/x", "y")],
            "ERROR [FILE_ALREADY_EXISTS]: already exists: e/x",
        ),
        (
            vec![create("n/f", "1"), delete_folder("n")],
            "ERROR [DIRECTORY_NOT_EMPTY]: directory not empty: n",
        ),
    ] {
        refused(&world, &operations, want);
    }
}

#[test]
fn the_policy() {
    let nothing = Allow {
        create_file: false,
        modify_file: false,
        delete_file: false,
        moving: false,
        create_directory: false,
        delete_empty_directory: false,
    };
    let world = world_with(&["a", "e/"], |options| options.allow = nothing);
    for (operation, what) in [
        (create("n", "x"), "file creation"),
        (create_over("a", "a", "x"), "file overwrite"),
        (replace("a", "a", "x"), "file modification"),
        (edit("a", "a", "a", "x"), "file modification"),
        (delete("a", "a"), "file deletion"),
        (rename("a", "b"), "move"),
        (make("n"), "directory creation"),
        (delete_folder("e"), "directory deletion"),
    ] {
        let want = format!("ERROR [OPERATION_NOT_ALLOWED]: {what} is disabled");
        refused(&world, &[operation], &want);
    }
}

#[test]
fn the_history() {
    let world = world(&["a"]);
    let before = world.history();
    for id in ["", "abc", "0000000", "zzzzzzz", "HEAD"] {
        let request = RestoreRequest {
            checkpoint: id,
            ..RestoreRequest::default()
        };
        let error = world.restore(&request).unwrap_err();
        assert_eq!(error.code, Code::CheckpointNotFound);
        assert_eq!(error.message, format!("unknown checkpoint: {id}"));
        let request = DiffRequest {
            checkpoint: Some(id),
            ..DiffRequest::default()
        };
        let error = world.managed.diff(&request, &Cancel::never());
        assert_eq!(error.unwrap_err().code, Code::CheckpointNotFound);
    }
    assert_eq!(world.history(), before);
    fs::remove_dir_all(world.path(".git/objects")).unwrap();
    fs::create_dir(world.path(".git/objects")).unwrap();
    let error = Managed::start(Options::new(world.root()), &Cancel::never()).unwrap_err();
    assert_eq!(error.code, Code::GitError, "{error}");
}

#[test]
fn a_start_that_is_refused() {
    let temp = tempfile::tempdir().unwrap();
    let start = |path: &std::path::Path| {
        let error = Managed::start(Options::new(path), &Cancel::never()).unwrap_err();
        (error.code, error.message)
    };
    let none = temp.path().join("none");
    let (code, message) = start(&none);
    assert_eq!(code, Code::PathOutsideWorkspace);
    assert_eq!(
        message,
        format!("workspace root does not exist: {}", none.display())
    );
    let file = temp.path().join("file");
    fs::write(&file, "x").unwrap();
    assert_eq!(start(&file).1, "workspace root must be a directory");
    let message = start(std::path::Path::new("/")).1;
    assert_eq!(message, "workspace root must not be a filesystem root");
    fs::create_dir_all(temp.path().join("ws/.git")).unwrap();
    let (code, _) = start(&temp.path().join("ws"));
    assert_eq!(code, Code::ExistingGitRepositoryNotSupported);
}
