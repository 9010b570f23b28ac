//! Repositories that try to have something run, written, or shown.

use std::path::{Path, PathBuf};

use workspace::git::DiffRequest;

use super::world::{World, marker};

/// Keys that name a program, or lead to one; `{}` stands for it.
const KEYS: &[(&str, &str)] = &[
    ("core.fsmonitor", "{}"),
    ("core.hooksPath", "{hooks}"),
    ("core.pager", "{}"),
    ("core.editor", "{}"),
    ("core.sshCommand", "{}"),
    ("core.askPass", "{}"),
    ("core.gitProxy", "{}"),
    ("core.alternateRefsCommand", "{}"),
    ("core.attributesFile", "{attributes}"),
    ("core.excludesFile", "{ignores}"),
    ("core.untrackedCache", "true"),
    ("sequence.editor", "{}"),
    ("diff.external", "{}"),
    ("diff.evil.command", "{}"),
    ("diff.evil.textconv", "{}"),
    ("diff.evil.cachetextconv", "true"),
    ("diff.submodule", "diff"),
    ("diff.orderFile", "{ignores}"),
    ("filter.evil.clean", "{}"),
    ("filter.evil.smudge", "{}"),
    ("filter.evil.process", "{}"),
    ("filter.evil.required", "true"),
    ("merge.evil.driver", "{}"),
    ("mergetool.evil.cmd", "{}"),
    ("difftool.evil.cmd", "{}"),
    ("interactive.diffFilter", "{}"),
    ("credential.helper", "{}"),
    ("gpg.program", "{}"),
    ("gpg.ssh.program", "{}"),
    ("gpg.ssh.defaultKeyCommand", "{}"),
    ("log.showSignature", "true"),
    ("commit.gpgSign", "true"),
    ("pager.status", "{}"),
    ("pager.diff", "{}"),
    ("alias.status", "!{}"),
    ("alias.diff", "!{}"),
    ("alias.rev-parse", "!{}"),
    ("browser.evil.cmd", "{}"),
    ("man.evil.cmd", "{}"),
    ("remote.origin.url", "ext::{}"),
    ("remote.origin.uploadpack", "{}"),
    ("remote.origin.receivepack", "{}"),
    ("remote.origin.vcs", "evil"),
    ("remote.origin.promisor", "true"),
    ("extensions.partialClone", "origin"),
    ("protocol.ext.allow", "always"),
    ("uploadpack.packObjectsHook", "{}"),
    ("submodule.sub.update", "!{}"),
    ("submodule.recurse", "true"),
    ("status.submoduleSummary", "true"),
    ("trailer.evil.command", "{}"),
    ("sendemail.smtpServer", "{}"),
    ("gc.auto", "1"),
    ("maintenance.auto", "true"),
    ("hook.evil.command", "{}"),
    ("hook.evil.event", "post-index-change"),
    ("trace2.normalTarget", "{trace}"),
    ("trace2.eventTarget", "{trace}"),
    ("include.path", "{include}"),
    ("includeIf.gitdir:**.path", "{include}"),
];

const HOOKS: &[&str] = &[
    "applypatch-msg",
    "commit-msg",
    "fsmonitor-watchman",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "pre-auto-gc",
    "pre-commit",
    "pre-push",
    "prepare-commit-msg",
    "query-watchman",
    "reference-transaction",
    "update",
];

/// Plants everything there is into a repository. Only files that a program leaves behind tell.
struct Hostile {
    world: World,
    marks: PathBuf,
}

impl Hostile {
    fn new() -> Self {
        let world = World::new();
        let sub = world.path().join("sub-origin");
        let path = world.path();
        world.plain_in(&path, &["init", "-q", "-b", "main", sub.to_str().unwrap()]);
        world.plain_in(&sub, &["commit", "-q", "--allow-empty", "-m", "sub"]);
        let add = ["-c", "protocol.file.allow=always", "submodule", "add", "-q"];
        world.plain(&[&add[..], &[sub.to_str().unwrap(), "sub"]].concat());
        world.write(".gitattributes", "* filter=evil diff=evil merge=evil\n");
        world.commit("attributes");
        let marks = world.path().join("marks");
        std::fs::create_dir(&marks).unwrap();
        let hostile = Self { world, marks };
        hostile.plant(&hostile.world.root().join(".git"));
        hostile.plant(&hostile.world.root().join(".git/modules/sub"));
        // Same size, other time: only the content tells, so a filter would be asked.
        let text = std::fs::read_to_string(hostile.world.root().join("a.txt")).unwrap();
        hostile
            .world
            .write("a.txt", text.replace("line 2", "LINE 2"));
        hostile
            .world
            .write("dir/c.txt", "longer than before\n".repeat(10));
        hostile.world.write("new.txt", "new\n");
        hostile.world.write("sub/new", "new in the submodule\n");
        hostile
    }

    /// Everything, in one folder of a repository.
    fn plant(&self, git: &Path) {
        let path = self.world.path();
        let program = path.join("evil");
        marker(&program, self.marks.join("key"));
        let hooks = path.join("hooks");
        for folder in [&hooks, &git.join("hooks")] {
            std::fs::create_dir_all(folder).unwrap();
            for name in HOOKS {
                marker(&folder.join(name), self.marks.join("hook"));
            }
        }
        let include = path.join("included");
        let evil = program.to_str().unwrap();
        std::fs::write(
            &include,
            format!("[core]\n\tfsmonitor = {evil}\n[diff]\n\texternal = {evil}\n"),
        )
        .unwrap();
        std::fs::write(path.join("attributes"), "* diff=evil filter=evil\n").unwrap();
        std::fs::write(path.join("ignores"), "*\n").unwrap();
        std::fs::create_dir_all(git.join("info")).unwrap();
        std::fs::write(git.join("info/attributes"), "* filter=evil diff=evil\n").unwrap();
        let mut config = std::fs::read_to_string(git.join("config")).unwrap();
        for (key, value) in KEYS {
            let (section, rest) = key.split_once('.').unwrap();
            let (subsection, name) = match rest.rsplit_once('.') {
                Some((subsection, name)) => (format!(" \"{subsection}\""), name),
                None => (String::new(), rest),
            };
            let value = value
                .replace("{}", evil)
                .replace("{hooks}", hooks.to_str().unwrap())
                .replace("{include}", include.to_str().unwrap())
                .replace("{attributes}", path.join("attributes").to_str().unwrap())
                .replace("{ignores}", path.join("ignores").to_str().unwrap())
                .replace("{trace}", self.marks.join("trace").to_str().unwrap());
            config.push_str(&format!(
                "[{section}{subsection}]\n\t{name} = \"{value}\"\n"
            ));
        }
        std::fs::write(git.join("config"), config).unwrap();
    }

    fn marks(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.marks).unwrap();
        entries
            .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap())
            .collect()
    }
}

fn all_requests() -> Vec<DiffRequest<'static>> {
    let mut all = Vec::new();
    for path in [None, Some("a.txt"), Some("sub"), Some(".")] {
        for (staged, stat) in [(false, false), (false, true), (true, false), (true, true)] {
            all.push(DiffRequest { path, staged, stat });
        }
    }
    all
}

#[test]
fn nothing_that_a_repository_names_is_run() {
    let hostile = Hostile::new();
    let world = &hostile.world;
    for folder in [world.root(), world.root().join("dir")] {
        for deny in [&[][..], &["b.txt"]] {
            let status = world.status_in(&folder, deny).unwrap();
            assert!(!status.entries.is_empty());
            assert!(status.skipped.filters);
            for request in all_requests() {
                if folder == world.root() || request.path.is_none() {
                    world.diff_in(&folder, deny, &request).unwrap();
                }
            }
        }
    }
    let sub = world.root().join("sub");
    assert_eq!(world.status_in(&sub, &[]).unwrap().entries, ["?? new"]);
    assert_eq!(hostile.marks(), Vec::<String>::new());
    let diff = world.diff(&DiffRequest::default());
    assert!(diff.text.contains("-line 2\n+LINE 2\n"), "{}", diff.text);
    assert!(diff.skipped.submodules && diff.skipped.filters);
    // The trap is real: plain git steps into it.
    world.try_plain(&world.root(), &["status"]);
    assert_ne!(hostile.marks(), Vec::<String>::new());
}

#[test]
fn a_server_in_a_workspace_runs_no_git_from_it() {
    let world = World::new();
    let bin = world.root().join("bin");
    std::fs::create_dir(&bin).unwrap();
    let mark = world.path().join("mark");
    marker(&bin.join("git"), &mark);
    let path = format!("{}:.:bin:{}", bin.display(), std::env::var("PATH").unwrap());
    let git = workspace::git::Git::new(workspace::process::Environment::of([
        ("PATH", path),
        (
            "TMPDIR",
            world.path().join("tmp").to_str().unwrap().to_owned(),
        ),
    ]));
    let workspace = world.workspace(&world.root(), &[]);
    let reader = workspace.reader(&workspace::Cancel::never()).unwrap();
    assert_eq!(git.status(&reader).unwrap().entries, ["?? bin/"]);
    assert!(!mark.exists());
}

#[test]
fn without_git_the_tools_say_so() {
    let world = World::new();
    let git = workspace::git::Git::new(workspace::process::Environment::of([("PATH", "/nowhere")]));
    // Where there is no repository either, it is git that is missed first.
    let bare = world.path().join("bare");
    std::fs::create_dir(&bare).unwrap();
    for root in [world.root(), bare] {
        let workspace = world.workspace(&root, &[]);
        let reader = workspace.reader(&workspace::Cancel::never()).unwrap();
        let error = git.status(&reader).unwrap_err().to_string();
        assert_eq!(error, "git not found in PATH");
        let error = git.diff(&reader, &DiffRequest::default()).unwrap_err();
        assert_eq!(error.to_string(), "git not found in PATH");
    }
}

#[test]
fn a_moved_submodule_shows_its_commit_and_nothing_of_its_content() {
    let hostile = Hostile::new();
    let world = &hostile.world;
    let sub = world.root().join("sub");
    let changed =
        |status: workspace::git::Status| status.entries.iter().any(|line| line.ends_with(" sub"));
    assert!(!changed(world.status()));
    let head = world.root().join(".git/modules/sub/refs/heads/main");
    let other = world.plain(&["rev-parse", "HEAD"]);
    std::fs::write(head, &other).unwrap();
    assert!(changed(world.status()));
    let request = DiffRequest {
        path: Some("sub"),
        ..DiffRequest::default()
    };
    let diff = world.diff(&request).text;
    assert!(
        diff.ends_with(&format!("+Subproject commit {}", other.trim())),
        "{diff}"
    );
    // One whose repository is elsewhere is not followed there.
    let elsewhere = world.path().join("sub-origin/.git");
    std::fs::write(
        sub.join(".git"),
        format!("gitdir: {}\n", elsewhere.display()),
    )
    .unwrap();
    assert_eq!(world.diff(&request).text, "");
    assert!(!changed(world.status()));
    let error = world.status_in(&sub, &[]).unwrap_err().to_string();
    assert_eq!(error, format!("not a git repository: {}", sub.display()));
}

#[test]
fn paths_are_taken_literally_and_stay_inside() {
    let world = World::new();
    world.write("a.txt", "changed\n");
    let ask = |path: &str| {
        let request = DiffRequest {
            path: Some(path),
            ..DiffRequest::default()
        };
        world.diff_in(&world.root(), &[], &request)
    };
    let out = world.path().join("out");
    for path in [
        "--output=out",
        "-x",
        "*.txt",
        ":(glob)**",
        ":!b.txt",
        ":/",
        "--ext-diff",
        "no such",
    ] {
        assert_eq!(ask(path).unwrap().text, "", "{path}");
        assert!(!out.exists() && !world.root().join("out").exists());
    }
    for path in ["../x", "/etc/passwd", "a/../../x"] {
        let error = ask(path).unwrap_err().to_string();
        assert_eq!(error, format!("path outside workspace root: {path}"));
    }
    std::os::unix::fs::symlink("/etc", world.root().join("etc")).unwrap();
    assert_eq!(
        ask("etc/passwd").unwrap_err().to_string(),
        "path outside workspace root: etc/passwd"
    );
    std::os::unix::fs::symlink("a.txt", world.root().join("link")).unwrap();
    assert_eq!(ask("link").unwrap().text, ask("a.txt").unwrap().text);
    let absolute = world.root().join("a.txt");
    assert!(
        ask(absolute.to_str().unwrap())
            .unwrap()
            .text
            .contains("+changed")
    );
    std::fs::remove_file(absolute).unwrap();
    assert!(ask("a.txt").unwrap().text.contains("deleted file"));
    assert_eq!(
        ask(" ").unwrap_err().to_string(),
        "path must be a non-empty string"
    );
}

#[test]
fn a_setting_of_the_place_leads_nowhere() {
    let world = World::new();
    let outside = world.path().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("a.txt"), "secret\n").unwrap();
    let config = world.root().join(".git/config");
    let mut text = std::fs::read_to_string(&config).unwrap();
    text.push_str(&format!("[core]\n\tworktree = {}\n", outside.display()));
    std::fs::write(config, text).unwrap();
    assert_eq!(world.status().entries, [] as [&str; 0]);
    assert_eq!(world.diff(&DiffRequest::default()).text, "");
}

#[test]
fn a_broken_repository_is_a_sentence_without_places_of_the_host() {
    let world = World::new();
    let root = world.root();
    std::fs::write(root.join(".git/packed-refs"), "garbage\n").unwrap();
    std::fs::remove_file(root.join(".git/refs/heads/main")).unwrap();
    let error = world.status_in(&root, &[]).unwrap_err().to_string();
    assert!(
        error.contains("fatal: unexpected line in .git/packed-refs"),
        "{error}"
    );
    std::fs::remove_file(root.join(".git/packed-refs")).unwrap();
    // What is no list of refs must not be quoted as one that is broken.
    std::fs::write(world.path().join("secret"), "secret\n").unwrap();
    std::os::unix::fs::symlink(world.path().join("secret"), root.join(".git/packed-refs")).unwrap();
    let error = world.status_in(&root, &[]).unwrap_err().to_string();
    assert_eq!(error, "path outside workspace root: .git/packed-refs");
    std::fs::remove_file(root.join(".git/packed-refs")).unwrap();
    std::fs::write(root.join(".git/index"), "DIRC\0\0\0\x02\0\0\0\x09").unwrap();
    let error = world.status_in(&root, &[]).unwrap_err().to_string();
    assert_eq!(error, "index file corrupt");
    std::fs::write(root.join(".git/config"), "[core\nx").unwrap();
    let error = world.status_in(&root, &[]).unwrap_err().to_string();
    assert!(error.starts_with("fatal: bad config line "), "{error}");
}

#[test]
fn pipes_in_a_repository_end_in_bounded_time() {
    let world = World::new();
    let pipe = |name: &str| {
        let path = world.root().join(name);
        let _ = std::fs::remove_file(&path);
        let made = std::process::Command::new("mkfifo")
            .arg(path)
            .status()
            .unwrap();
        assert!(made.success());
    };
    pipe(".git/index");
    let error = world.status_in(&world.root(), &[]).unwrap_err().to_string();
    assert_eq!(error, "not a regular file: .git/index");
    pipe(".git/config");
    let error = world.status_in(&world.root(), &[]).unwrap_err().to_string();
    assert_eq!(error, "not a regular file: .git/config");
}
