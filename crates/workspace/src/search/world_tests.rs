//! Searching real folders.

use std::fs;
use std::time::Duration;

use super::tests::LIKE_A_PLACE;
use super::{Found, SearchRequest, Skipped, StopReason, search};
use crate::cancel::Cancel;
use crate::error::Error;
use crate::policy::Policy;
use crate::workspace::{Workspace, WorkspaceOptions};

fn request(pattern: &str) -> SearchRequest<'_> {
    SearchRequest {
        pattern,
        path: None,
        include: None,
        ignore_case: false,
        literal: false,
        files_only: false,
        context: 0,
        max_results: 100,
        max_bytes: 1 << 20,
        after: None,
        include_ignored: false,
        deadline: Duration::from_secs(60),
    }
}

struct World {
    _temp: tempfile::TempDir,
    workspace: Workspace,
}

fn world(files: &[(&str, &str)], deny: &[&str]) -> World {
    let temp = tempfile::tempdir().expect("a temp folder");
    for (path, content) in files {
        let path = temp.path().join(path);
        fs::create_dir_all(path.parent().expect("below the root")).expect("a folder");
        fs::write(path, content).expect("a file");
    }
    let workspace = Workspace::open(WorkspaceOptions {
        policy: Policy::new(deny, &[] as &[&str]),
        ..WorkspaceOptions::new("default", temp.path())
    });
    World {
        _temp: temp,
        workspace: workspace.expect("a root"),
    }
}

impl World {
    fn search(&self, request: &SearchRequest<'_>) -> Result<Found, Error> {
        search(&self.workspace.reader(&Cancel::never())?, request)
    }

    /// `path:number:text` of each hit.
    fn hits(&self, request: &SearchRequest<'_>) -> Vec<String> {
        let found = self.search(request).expect("an answer");
        let mut hits = Vec::new();
        for file in &found.files {
            if request.files_only {
                hits.push(file.path.to_string());
            }
            for line in &file.lines {
                hits.push(format!("{}:{}:{}", file.path, line.number, line.text));
            }
        }
        hits
    }
}

#[test]
fn searches_what_was_asked_for_in_order() {
    let world = world(
        &[
            ("b.txt", "needle\n"),
            ("a/z.rs", "x\nneedle 1\nneedle 2\n"),
            ("a-b.rs", "needle\n"),
            ("a/.hidden", "needle\n"),
            ("node_modules/m.js", "needle\n"),
            (".git/config", "needle\n"),
            ("dist/app.js", "needle\n"),
            (".gitignore", "dist/\n"),
        ],
        &[],
    );
    let all = [
        "a-b.rs:1:needle",
        "a/.hidden:1:needle",
        "a/z.rs:2:needle 1",
        "a/z.rs:3:needle 2",
        "b.txt:1:needle",
    ];
    assert_eq!(world.hits(&request("needle")), all);
    let at = |path| SearchRequest {
        path: Some(path),
        ..request("needle")
    };
    assert_eq!(world.hits(&at(".")), all);
    assert_eq!(world.hits(&at("a")), all[1..4]);
    assert_eq!(world.hits(&at("b.txt")), all[4..]);
    assert_eq!(world.hits(&at("dist")), ["dist/app.js:1:needle"]);
    assert_eq!(world.hits(&at("dist/app.js")), ["dist/app.js:1:needle"]);
    assert_eq!(
        world.hits(&at("node_modules")),
        ["node_modules/m.js:1:needle"]
    );
    let of = |include| SearchRequest {
        include: Some(include),
        ..request("needle")
    };
    assert_eq!(world.hits(&of("*.rs")), [all[0], all[2], all[3]]);
    assert_eq!(world.hits(&of("a/**")), all[1..4]);
    let ignored = SearchRequest {
        include_ignored: true,
        ..request("needle")
    };
    assert_eq!(world.hits(&ignored).len(), 6);
    let none = SearchRequest {
        include: Some("*.rs"),
        ..at("b.txt")
    };
    assert_eq!(world.hits(&none).len(), 0);
    let missing = world.search(&at("nope")).expect_err("no such path");
    assert_eq!(missing.to_string(), "path not found: nope");
    let bad = world.search(&request("(")).expect_err("a bad pattern");
    let want = "invalid regex: Invalid regular expression: /(/: Unterminated group";
    assert_eq!(bad.to_string(), want);
}

#[test]
fn goes_on_behind_the_place_named() {
    let b = LIKE_A_PLACE;
    let b1 = format!("{b}:1");
    let world = world(
        &[
            ("a", "x1\nx2\nx3\n"),
            (b, "x\nx\n"),
            ("c", "x\n"),
            ("d\u{202e}e", "x\nx\n"),
        ],
        &[],
    );
    let all = world.hits(&request("x"));
    for (after, n_left) in [
        ("a:1", 7),
        ("a:3", 5),
        ("a", 5),
        ("aa:1", 5),
        (b, 3),
        (&b1, 4),
        ("c:1", 2),
        ("d\\u{202e}e:1", 1),
        ("zzz", 0),
        ("", 8),
    ] {
        let rest = world.hits(&SearchRequest {
            after: Some(after),
            ..request("x")
        });
        assert_eq!(rest, all[all.len() - n_left..], "{after}");
    }
    let files = |after| SearchRequest {
        after,
        files_only: true,
        max_results: 2,
        ..request("x")
    };
    assert_eq!(world.hits(&files(None)), ["a", b]);
    assert_eq!(world.hits(&files(Some(b))), ["c", "d\\u{202e}e"]);
    assert_eq!(world.hits(&files(Some("a:1"))), [b, "c"]);
}

#[test]
fn says_what_it_left_out_and_why_it_stopped() {
    let world = world(
        &[
            ("a", "x\nx\n"),
            ("bin", "\0x"),
            ("secret/k", "x\n"),
            ("out/o", "x\n"),
            ("log", "x\n"),
            (".gitignore", "out/\nlog\n"),
        ],
        &["secret/**"],
    );
    let found = world.search(&request("x")).expect("an answer");
    let skipped = Skipped {
        ignored: 2,
        binary: 1,
        unreadable: 0,
    };
    assert_eq!((found.n_matches, found.skipped), (2, skipped));
    assert_eq!(found.stopped, None);
    let two = SearchRequest {
        max_results: 2,
        ..request("x")
    };
    let two = world.search(&two).expect("an answer");
    assert_eq!(two.stopped, Some(StopReason::MaxResults));
    let late = SearchRequest {
        deadline: Duration::ZERO,
        ..request("x")
    };
    let late = world.search(&late).expect("an answer");
    assert_eq!(
        (late.n_matches, late.stopped),
        (0, Some(StopReason::Deadline))
    );
    let denied = SearchRequest {
        path: Some("secret/k"),
        ..request("x")
    };
    let denied = world.search(&denied).expect_err("a denied path");
    assert_eq!(denied.to_string(), "path denied by policy: secret/k");
    let cancel = Cancel::never();
    cancel.cancel();
    let reader = world.workspace.reader(&cancel).expect("a root");
    assert!(matches!(
        search(&reader, &request("x")),
        Err(Error::Cancelled)
    ));
}
