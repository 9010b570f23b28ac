use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::{ListRequest, Listing, list};
use crate::cancel::Cancel;
use crate::error::Error;
use crate::policy::Policy;
use crate::workspace::{Workspace, WorkspaceOptions};

/// A folder with the given files: `name=content`, a name with a slash at its end is a folder.
fn world(files: &[&str]) -> TempDir {
    let temp = tempfile::tempdir().expect("a temp folder");
    for file in files {
        let (name, content) = file.split_once('=').unwrap_or((file, "text\n"));
        let path = temp.path().join(name);
        if name.ends_with('/') {
            fs::create_dir_all(&path).expect("a folder");
        } else {
            fs::create_dir_all(path.parent().expect("a file in a folder")).expect("a folder");
            fs::write(&path, content).expect("a file");
        }
    }
    temp
}

fn open(path: &Path, policy: Policy) -> Workspace {
    let options = WorkspaceOptions {
        policy,
        ..WorkspaceOptions::new("default", path)
    };
    Workspace::open(options).expect("the folder just made")
}

fn list_with(path: &Path, policy: Policy, request: &ListRequest) -> Result<Listing, Error> {
    let workspace = open(path, policy);
    let reader = workspace.reader(&Cancel::never())?;
    list(&reader, request)
}

/// The entries, then what else there is to say.
fn shown(listing: &Listing) -> String {
    let mut text = String::new();
    for entry in &listing.entries {
        text.push_str(&entry.path.to_string());
        text.push_str(if entry.is_dir { "/ " } else { " " });
    }
    text.push_str(&format!("| {}", listing.total));
    let skipped = &listing.skipped;
    for (n, what) in [
        (skipped.ignored, "ignored"),
        (skipped.binary, "binary"),
        (skipped.unreadable, "unreadable"),
        (u64::from(listing.cut), "cut"),
        (u64::from(listing.capped), "capped"),
    ] {
        if n > 0 {
            text.push_str(&format!(" {n} {what}"));
        }
    }
    text
}

#[track_caller]
fn check(files: &[&str], request: &ListRequest, want: &str) {
    let temp = world(files);
    let listing = list_with(temp.path(), Policy::default(), request).expect("a listing");
    assert_eq!(shown(&listing), want);
}

#[test]
fn entries_are_sorted_by_their_bytes() {
    let request = ListRequest::default();
    let files = ["src/a", "src-x", "B", "é", "empty/", "e="];
    check(&files, &request, "B e empty/ src/ src-x src/a é | 7");
}

#[test]
fn the_fixed_four_never_show_unless_they_are_asked_for() {
    let files = [
        "a",
        ".git/config",
        "b/node_modules/m",
        ".cache/c",
        ".workspace-mcp/notes",
        ".env",
    ];
    let request = ListRequest {
        include_ignored: true,
        ..ListRequest::default()
    };
    check(&files, &request, ".env a b/ | 3");
    let inside = ListRequest {
        path: Some(".git"),
        ..request
    };
    check(&files, &inside, ".git/config | 1");
}

#[test]
fn ignored_entries_are_counted_and_shown_on_request() {
    let files = [
        ".gitignore=*.log\ndist/\n!keep.log",
        "a.log",
        "keep.log",
        "dist/app.js",
        "dist/app.css",
    ];
    let request = ListRequest::default();
    check(&files, &request, ".gitignore keep.log | 2 2 ignored");
    let everything = ListRequest {
        include_ignored: true,
        ..request
    };
    let want = ".gitignore a.log dist/ dist/app.css dist/app.js keep.log | 6";
    check(&files, &everything, want);
    let asked_for = ListRequest {
        path: Some("dist"),
        ..request
    };
    check(&files, &asked_for, "dist/app.css dist/app.js | 2");
}

#[test]
fn binary_files_are_told_by_their_content() {
    let late = format!("late={}\0", "a".repeat(8192));
    let early = format!("early={}\0", "a".repeat(8191));
    let files = [
        "a.png=no picture",
        "b.txt=x\0y",
        "empty=",
        "d/",
        &late,
        &early,
    ];
    let request = ListRequest::default();
    check(&files, &request, "a.png d/ empty late | 6 2 binary");
    let all = ListRequest {
        include_binary: true,
        ..request
    };
    check(&files, &all, "a.png b.txt d/ early empty late | 6");
    let temp = world(&[]);
    fs::write(temp.path().join("utf16"), b"\xff\xfea\0b\0").expect("a file");
    let listing = list_with(temp.path(), Policy::default(), &request).expect("a listing");
    assert_eq!(shown(&listing), "utf16 | 1");
}

#[test]
fn only_binary_files_up_to_the_end_of_the_page_are_counted() {
    let files = ["a=\0", "b", "c=\0", "d", "e=\0", "f"];
    let page = |limit, after| ListRequest {
        limit,
        after,
        ..ListRequest::default()
    };
    check(&files, &page(1, None), "b | 6 1 binary 1 cut");
    check(&files, &page(2, None), "b d | 6 2 binary 1 cut");
    check(&files, &page(3, None), "b d f | 6 3 binary");
    check(&files, &page(4, None), "b d f | 6 3 binary");
    check(&files, &page(1, Some("b")), "d | 6 1 binary 1 cut");
    check(&files, &page(1, Some("d")), "f | 6 1 binary");
    check(&files, &page(1, Some("f")), "| 6");
}

#[test]
fn after_goes_on_behind_a_path_that_may_be_gone() {
    let files = ["a", "src/a", "src/b", "src-x", "z"];
    let page = |after| ListRequest {
        after: Some(after),
        limit: 2,
        ..ListRequest::default()
    };
    check(&files, &page("a"), "src/ src-x | 6 1 cut");
    check(&files, &page("src/"), "src-x src/a | 6 1 cut");
    check(&files, &page("src-x"), "src/a src/b | 6 1 cut");
    check(&files, &page("src/aa"), "src/b z | 6");
    check(&files, &page("b"), "src/ src-x | 6 1 cut");
    check(&files, &page("zz"), "| 6");
}

#[cfg(unix)]
#[test]
fn after_takes_a_name_as_it_was_shown() {
    let page = |after| ListRequest {
        after: Some(after),
        ..ListRequest::default()
    };
    check(&["a\nb", "a\nc", "b"], &page("a\\nb"), "a\\nc b | 3");
    // Where the literal name is there, it is meant.
    check(&["a\\nb", "a\nb", "b"], &page("a\\nb"), "b | 3");
}

#[test]
fn the_pattern_filters_what_is_shown_not_what_is_entered() {
    let files = ["a.ts", "src/b.ts", "src/c.js", "src/deep/d.ts", "docs/x.md"];
    let with = |pattern| ListRequest {
        pattern: Some(pattern),
        ..ListRequest::default()
    };
    check(&files, &with("*.ts"), "a.ts src/b.ts src/deep/d.ts | 3");
    check(&files, &with("src/*"), "src/b.ts src/c.js src/deep/ | 3");
    check(&files, &with("src/**/*.ts"), "src/b.ts src/deep/d.ts | 2");
    check(&files, &with("none"), "| 0");
    let below = ListRequest {
        path: Some("src"),
        ..with("*.ts")
    };
    check(&files, &below, "src/b.ts src/deep/d.ts | 2");
    let paged = ListRequest {
        limit: 1,
        after: Some("a.ts"),
        ..with("*.ts")
    };
    check(&files, &paged, "src/b.ts | 3 1 cut");
}

#[test]
fn depth_and_limit_have_their_maximum() {
    let deep = "1/2/3/4/5/6/7/8/9/10/11/12/13/f";
    let to_depth = |max_depth| ListRequest {
        max_depth,
        pattern: Some("{2,6,12,13,f}"),
        ..ListRequest::default()
    };
    check(&[deep], &to_depth(2), "1/2/ | 1");
    check(&[deep], &to_depth(6), "1/2/ 1/2/3/4/5/6/ | 2");
    let twelve = "1/2/ 1/2/3/4/5/6/ 1/2/3/4/5/6/7/8/9/10/11/12/ | 3";
    check(&[deep], &to_depth(u64::MAX), twelve);
}

#[test]
fn an_answer_ends_where_it_would_be_too_long() {
    let files = ["aaaa", "bbbb", "cccc"];
    let bytes = |max_bytes| ListRequest {
        max_bytes,
        ..ListRequest::default()
    };
    check(&files, &bytes(15), "aaaa bbbb cccc | 3");
    check(&files, &bytes(14), "aaaa bbbb | 3 1 cut");
    check(&files, &bytes(0), "aaaa | 3 1 cut");
}

#[test]
fn what_the_policy_denies_is_as_if_it_was_not_there() {
    let temp = world(&[
        "a",
        "secrets/key",
        "sub/.env",
        "sub/b",
        ".gitignore=*.log",
        "x.log",
    ]);
    let policy = || Policy::new(&["secrets", "*.env", "*.log"], &[] as &[&str]);
    let listing = list_with(temp.path(), policy(), &ListRequest::default()).expect("a listing");
    assert_eq!(shown(&listing), ".gitignore a sub/ sub/b | 4");
    let inside = ListRequest {
        path: Some("secrets"),
        ..ListRequest::default()
    };
    let error = list_with(temp.path(), policy(), &inside).expect_err("denied");
    assert_eq!(error.to_string(), "path denied by policy: secrets");
}

#[test]
fn what_cannot_be_listed_says_why() {
    let temp = world(&["file", "dir/"]);
    for (path, want) in [
        ("file", "not a directory: file"),
        ("none", "path not found: none"),
        ("dir/none/x", "path not found: dir/none/x"),
        ("../x", "path outside workspace root: ../x"),
        ("", "path must be a non-empty string"),
    ] {
        let request = ListRequest {
            path: Some(path),
            ..ListRequest::default()
        };
        let error = list_with(temp.path(), Policy::default(), &request).expect_err(path);
        assert_eq!(error.to_string(), want);
    }
}

#[test]
fn a_cancelled_listing_ends() {
    let temp = world(&["a", "b/c"]);
    let workspace = open(temp.path(), Policy::default());
    let cancel = Cancel::never();
    cancel.cancel();
    let reader = workspace.reader(&cancel).expect("the folder is there");
    let error = list(&reader, &ListRequest::default()).expect_err("cancelled");
    assert!(matches!(error, Error::Cancelled));
}

#[test]
fn many_files_are_told_apart_the_same_by_several_threads() {
    let temp = world(&[]);
    for n in 0..1500 {
        let content: &[u8] = if n % 7 == 3 { b"\0" } else { b"text" };
        fs::write(temp.path().join(format!("f{n:04}")), content).expect("a file");
    }
    let page = |limit| ListRequest {
        limit,
        ..ListRequest::default()
    };
    let all = list_with(temp.path(), Policy::default(), &page(5000)).expect("a listing");
    assert_eq!((all.entries.len(), all.total), (1286, 1500));
    assert_eq!(all.skipped.binary, 214);
    for limit in [1, 100, 1000, 1285, 1286] {
        let some = list_with(temp.path(), Policy::default(), &page(limit)).expect("a listing");
        assert_eq!(some.entries.len() as u64, limit);
        let same = all.entries.iter().take(some.entries.len());
        assert!(some.entries.iter().eq(same));
    }
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::{ListRequest, Policy, fs, list_with, shown, world};

    #[test]
    fn links_are_not_shown_and_lead_to_their_folder() {
        let temp = world(&["real/a", "b"]);
        symlink("real", temp.path().join("link")).expect("a link");
        symlink("/etc", temp.path().join("out")).expect("a link");
        let mut request = ListRequest::default();
        let listing = list_with(temp.path(), Policy::default(), &request).expect("a listing");
        assert_eq!(shown(&listing), "b real/ real/a | 3");
        request.path = Some("link");
        let listing = list_with(temp.path(), Policy::default(), &request).expect("a listing");
        assert_eq!(shown(&listing), "real/a | 1");
        assert_eq!(listing.path.to_string(), "real");
        request.path = Some("out");
        let error = list_with(temp.path(), Policy::default(), &request).expect_err("outside");
        assert_eq!(error.to_string(), "path outside workspace root: out");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn hard_names_are_shown_in_one_line() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt as _;

        let temp = world(&[
            "a b",
            "it's \"q\"",
            "-rf",
            "🙂",
            "tab\there",
            "new\nline",
            " lead",
        ]);
        fs::write(temp.path().join(OsStr::from_bytes(b"bad\xff")), "x").expect("a file");
        let listing = list_with(temp.path(), Policy::default(), &ListRequest::default());
        let want = " lead -rf a b bad\\xff it's \"q\" new\\nline tab\\there 🙂 | 8";
        assert_eq!(shown(&listing.expect("a listing")), want);
    }

    #[test]
    fn unreadable_files_stay_and_unreadable_folders_are_counted() {
        let temp = world(&["closed", "locked/x", "z"]);
        for name in ["closed", "locked"] {
            let mode = fs::Permissions::from_mode(0o0);
            fs::set_permissions(temp.path().join(name), mode).expect("a mode");
        }
        let may_read_all = fs::read(temp.path().join("closed")).is_ok();
        let listing = list_with(temp.path(), Policy::default(), &ListRequest::default());
        let listing = listing.expect("a listing");
        fs::set_permissions(
            temp.path().join("locked"),
            fs::Permissions::from_mode(0o700),
        )
        .expect("a mode");
        if !may_read_all {
            assert_eq!(shown(&listing), "closed locked/ z | 3 1 unreadable");
        }
    }
}
