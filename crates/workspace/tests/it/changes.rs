//! Changes on disk: files to the byte, ids that reach no other file, and callers at the same time.

use std::fs;
use std::path::Path;
use std::thread;

use rooted::is_temp_name;
use workspace::changes::{
    Change, DocumentRequest, NextStep, Stage, Status, TaskUpdate, activate, add_constraint,
    add_task, create, overview, update_tasks, view, write_document,
};
use workspace::journal::{self, Entry};
use workspace::records::Keep;
use workspace::{Cancel, Error, Workspace, WorkspaceOptions};

use crate::journal::{open, world};

const NEVER: fn() -> Cancel = Cancel::never;

fn made(workspace: &Workspace, title: &str) -> String {
    let made = create(workspace, &NEVER(), title, None).expect("room");
    made.change.id.to_string()
}

fn write(workspace: &Workspace, stage: Stage, content: &str, append: bool) -> (String, u64) {
    let request = DocumentRequest {
        id: None,
        stage,
        content,
        append,
    };
    let written = write_document(workspace, &NEVER(), &request).expect("an active change");
    (written.path.to_string(), written.len)
}

fn task(workspace: &Workspace, text: &str, status: Status) -> String {
    let (_, task) = add_task(workspace, &NEVER(), None, text, status).expect("an active change");
    task.id
}

fn update<'a>(task_id: &'a str, status: Status, note: Option<&'a str>) -> TaskUpdate<'a> {
    TaskUpdate {
        task_id,
        status,
        note,
    }
}

/// All files beneath a folder with their content, by path.
fn files(root: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let entry = entry.expect("an entry");
            if entry.file_type().expect("a kind").is_dir() {
                folders.push(entry.path());
                continue;
            }
            assert!(!is_temp_name(entry.file_name().as_encoded_bytes()));
            let path = entry.path();
            let name = path.strip_prefix(root).expect("beneath").to_string_lossy();
            let content = fs::read_to_string(&path).expect("text");
            found.push((name.replace('\\', "/"), content));
        }
    }
    found.sort();
    found
}

#[test]
fn a_change_is_kept_to_the_byte() {
    let (temp, workspace, state) = world();
    let made = create(
        &workspace,
        &NEVER(),
        " Add  Login\n",
        Some(" people log in "),
    )
    .expect("room");
    assert_eq!(made.folder.to_string(), ".workspace-mcp/changes/add-login");
    assert_eq!(
        task(&workspace, "\u{feff} schema \n", Status::Pending),
        "T1"
    );
    assert_eq!(task(&workspace, "form", Status::Blocked), "T2");
    let moves = [
        update("T1", Status::InProgress, Some(" half way ")),
        update("T2", Status::Pending, Some(" \n")),
        update("T1", Status::Done, Some("all")),
    ];
    let (_, moved) = update_tasks(&workspace, &NEVER(), Some("add-login"), &moves).expect("tasks");
    let moved: Vec<_> = moved
        .iter()
        .map(|one| (&*one.task_id, one.from, one.to))
        .collect();
    assert_eq!(
        moved,
        [
            ("T1", Status::Pending, Status::InProgress),
            ("T2", Status::Blocked, Status::Pending),
            ("T1", Status::InProgress, Status::Done),
        ]
    );
    add_constraint(&workspace, &NEVER(), None, " no new \"deps\" ").expect("room");
    assert_eq!(
        write(&workspace, Stage::Proposal, "why", false),
        (".workspace-mcp/changes/add-login/proposal.md".to_owned(), 4)
    );
    assert_eq!(write(&workspace, Stage::Proposal, "more\n", true).1, 10);
    assert_eq!(write(&workspace, Stage::Notes, "n\n\n", true).1, 3);
    let record = r#"{
  "id": "add-login",
  "title": "Add  Login",
  "constraints": [
    "no new \"deps\""
  ],
  "tasks": [
    {
      "id": "T1",
      "text": "schema",
      "status": "done",
      "notes": [
        "half way",
        "all"
      ],
      "createdAt": "2026-09-18T12:00:00.000Z",
      "updatedAt": "2026-09-18T12:00:00.000Z"
    },
    {
      "id": "T2",
      "text": "form",
      "status": "pending",
      "notes": [],
      "createdAt": "2026-09-18T12:00:00.000Z",
      "updatedAt": "2026-09-18T12:00:00.000Z"
    }
  ],
  "createdAt": "2026-09-18T12:00:00.000Z",
  "updatedAt": "2026-09-18T12:00:00.000Z",
  "goal": "people log in"
}
"#;
    let wanted = [
        (".gitignore", "*\n"),
        ("changes/add-login.json", record),
        ("changes/add-login/notes.md", "n\n\n"),
        ("changes/add-login/proposal.md", "why\n\nmore\n"),
        ("lock", ""),
        ("state.json", "{\"activeChange\":\"add-login\"}\n"),
    ];
    assert_eq!(
        files(&state),
        wanted.map(|(name, content)| (name.to_owned(), content.to_owned()))
    );
    assert_eq!(fs::read_dir(temp.path()).expect("a folder").count(), 1);
}

#[test]
fn taken_ids_get_a_number() {
    let (_temp, workspace, state) = world();
    fs::create_dir_all(state.join("changes")).expect("room");
    fs::write(state.join("changes/a-2.json"), "no record").expect("room");
    assert_eq!(made(&workspace, "A"), "a");
    assert_eq!(made(&workspace, "a!"), "a-3");
    assert_eq!(made(&workspace, "…"), "change");
    assert_eq!(made(&workspace, "検索"), "検索");
    assert_eq!(made(&workspace, "検索"), "検索-2");
    assert_eq!(workspace.active_change().as_deref(), Some("検索-2"));
    let long = "x".repeat(50);
    assert_eq!(made(&workspace, &long), "x".repeat(40));
    assert_eq!(made(&workspace, &long), format!("{}-2", "x".repeat(40)));
}

#[test]
fn one_unknown_task_and_nothing_is_written() {
    let (_temp, workspace, state) = world();
    made(&workspace, "a");
    task(&workspace, "x", Status::Pending);
    let before = files(&state);
    let moves = [
        update("T1", Status::Done, Some("n")),
        update("T9", Status::Done, None),
        update("t1", Status::Done, None),
        update("T9", Status::Done, None),
    ];
    let error = update_tasks(&workspace, &NEVER(), None, &moves).expect_err("unknown tasks");
    assert_eq!(error.to_string(), "unknown task id(s): T9, t1");
    assert_eq!(files(&state), before);
}

/// Calls everything that takes an id; gives what each says.
fn call_all(workspace: &Workspace, id: &str) -> Vec<Error> {
    let request = DocumentRequest {
        id: Some(id),
        stage: Stage::Spec,
        content: "x",
        append: true,
    };
    let cancel = NEVER();
    let moves = [update("T1", Status::Done, None)];
    vec![
        activate(workspace, &cancel, id).map(drop),
        write_document(workspace, &cancel, &request).map(drop),
        add_task(workspace, &cancel, Some(id), "x", Status::Done).map(drop),
        update_tasks(workspace, &cancel, Some(id), &moves).map(drop),
        add_constraint(workspace, &cancel, Some(id), "x").map(drop),
        view(workspace, &cancel, Some(id)).map(drop),
    ]
    .into_iter()
    .map(|result| result.expect_err("no such change"))
    .collect()
}

#[test]
fn an_id_reaches_no_other_file() {
    let (temp, workspace, state) = world();
    let root = temp.path();
    let evil = r#"{"id":"../../../evilout","title":"E","tasks":[{"id":"T1","text":"x"}]}"#;
    for ids in [&[][..], &["ok"]] {
        for title in ids {
            made(&workspace, title);
        }
        if state.exists() {
            fs::create_dir_all(state.join("changes/a")).expect("room");
            for name in [
                "changes/a/b.json",
                "changes/.json",
                "changes/a_b.json",
                "x.json",
            ] {
                fs::write(state.join(name), evil).expect("room");
            }
        }
        fs::write(root.join("evil.json"), evil).expect("room");
        let before = files(root);
        let absolute = root.join("evil").to_string_lossy().into_owned();
        for id in [
            "../x",
            "../../evil",
            "..",
            ".",
            "",
            "a/b",
            "a\\b",
            "a_b",
            "OK",
            "ok/",
            "./ok",
            "ok\0",
            "ok\n",
            &absolute,
        ] {
            for error in call_all(&workspace, id) {
                let wanted = format!("change not found: {}", rooted::show(id.as_bytes()));
                assert_eq!(error.to_string(), wanted);
            }
        }
        assert_eq!(files(root), before);
    }
    // The id inside a record counts for nothing.
    fs::write(state.join("changes/here.json"), evil).expect("room");
    let (change, _) =
        add_task(&workspace, &NEVER(), Some("here"), "x", Status::Done).expect("room");
    assert_eq!(change.id.as_str(), "here");
    let kept = fs::read_to_string(state.join("changes/here.json")).expect("a record");
    assert!(kept.starts_with("{\n  \"id\": \"here\",\n"), "{kept}");
}

#[test]
fn nothing_is_made_for_a_call_that_fails() {
    let (_temp, workspace, state) = world();
    let error = add_task(&workspace, &NEVER(), None, "x", Status::Done).expect_err("none active");
    assert_eq!(
        error.to_string(),
        "no active change: pass changeId or create one with change_create"
    );
    assert_eq!(call_all(&workspace, "gone").len(), 6);
    assert_eq!(overview(&workspace, &NEVER()).expect("nothing"), []);
    assert_eq!(view(&workspace, &NEVER(), None).expect("nothing"), None);
    assert!(!state.exists());
}

#[test]
fn an_active_change_without_a_record_is_not_found() {
    let (_temp, workspace, state) = world();
    made(&workspace, "a");
    for (file, id) in [
        ("{\"activeChange\":\"gone\"}", "gone"),
        ("{\"activeChange\":\"../../evil\"}", "../../evil"),
    ] {
        fs::write(state.join("state.json"), file).expect("room");
        let wanted = format!("change not found: {id}");
        let error = view(&workspace, &NEVER(), None).expect_err("no record");
        assert_eq!(error.to_string(), wanted);
        let error = add_constraint(&workspace, &NEVER(), None, "x").expect_err("no record");
        assert_eq!(error.to_string(), wanted);
    }
    for garbage in [
        "",
        "{",
        "null",
        "{\"activeChange\":null}",
        "{\"activeChange\":\"\"}",
    ] {
        fs::write(state.join("state.json"), garbage).expect("room");
        assert_eq!(view(&workspace, &NEVER(), None).expect("none active"), None);
    }
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    use std::os::unix::fs::symlink;

    let (temp, workspace, state) = world();
    let outside = tempfile::tempdir().expect("a temp folder");
    let record = r#"{"id":"x","title":"X"}"#;
    fs::write(outside.path().join("x.json"), record).expect("room");
    fs::write(outside.path().join("spec.md"), "secret").expect("room");
    made(&workspace, "a");
    let changes = state.join("changes");
    symlink(outside.path().join("x.json"), changes.join("x.json")).expect("room");
    symlink(outside.path().join("spec.md"), changes.join("a/spec.md")).expect("room");
    for error in call_all(&workspace, "x") {
        let wanted = "not a regular file: .workspace-mcp/changes/x.json";
        assert_eq!(error.to_string(), wanted);
    }
    let append = |append| DocumentRequest {
        id: Some("a"),
        stage: Stage::Spec,
        content: "x",
        append,
    };
    for request in [append(true), append(false)] {
        let error = write_document(&workspace, &NEVER(), &request).expect_err("a link");
        let wanted = "not a regular file: .workspace-mcp/changes/a/spec.md";
        assert_eq!(error.to_string(), wanted);
    }
    let shown = view(&workspace, &NEVER(), Some("a"))
        .expect("a change")
        .expect("a change");
    assert!(
        shown
            .documents
            .iter()
            .all(|document| document.len.is_none())
    );
    let listed = overview(&workspace, &NEVER()).expect("a folder");
    assert_eq!(listed.len(), 1);
    // A file in the place of `changes` that leads elsewhere is no folder.
    fs::rename(&changes, state.join("old")).expect("room");
    symlink(outside.path(), &changes).expect("room");
    let error = create(&workspace, &NEVER(), "b", None).expect_err("a link");
    assert_eq!(error.to_string(), "not a directory: .workspace-mcp/changes");
    assert_eq!(files(outside.path()).len(), 2);
    drop(temp);
}

#[test]
fn a_change_whose_activation_fails_is_not_kept() {
    let (_temp, workspace, state) = world();
    fs::create_dir_all(state.join("state.json/x")).expect("room");
    let error = create(&workspace, &NEVER(), "a", None).expect_err("a folder in the way");
    assert!(
        error.to_string().ends_with(": .workspace-mcp/state.json"),
        "{error}"
    );
    assert!(!state.join("changes/a.json").exists());
    assert_eq!(fs::read_dir(state.join("tx")).expect("a folder").count(), 0);
}

#[test]
fn what_an_ended_process_left_is_cleared() {
    let (_temp, workspace, state) = world();
    made(&workspace, "a");
    fs::write(state.join("tx/.workspace-mcp-tmp-0123456789abcdef"), "half").expect("room");
    task(&workspace, "x", Status::Pending);
    assert_eq!(fs::read_dir(state.join("tx")).expect("a folder").count(), 0);
}

#[test]
fn the_next_step_follows_from_documents_and_tasks() {
    use Status::{Blocked, Done, InProgress, Pending};

    let steps: [(&[Status], &str, &str); 9] = [
        (&[], "propose", "plan"),
        (&[Pending], "start T1", "start T1"),
        (&[Done, Pending, Pending], "start T2", "start T2"),
        (&[Pending, InProgress], "continue T2", "continue T2"),
        (&[Pending, InProgress, Blocked], "unblock T3", "unblock T3"),
        (&[Blocked, Blocked], "unblock T1", "unblock T1"),
        (&[Done], "finish", "finish"),
        (&[Done, Done], "finish", "finish"),
        (
            &[Done, InProgress, InProgress],
            "continue T2",
            "continue T2",
        ),
    ];
    for (statuses, without, with) in steps {
        let (_temp, workspace, _) = world();
        made(&workspace, "a");
        for status in statuses {
            task(&workspace, "x", *status);
        }
        let step = || {
            let view = view(&workspace, &NEVER(), None).expect("a change");
            match view.expect("an active change").next_step() {
                NextStep::Propose => "propose".to_owned(),
                NextStep::Finish => "finish".to_owned(),
                NextStep::Unblock(task) => format!("unblock {}", task.id),
                NextStep::Continue(task) => format!("continue {}", task.id),
                NextStep::Start(task) => format!("start {}", task.id),
                NextStep::Plan => "plan".to_owned(),
            }
        };
        assert_eq!(step(), without, "{statuses:?}");
        write(&workspace, Stage::Spec, "s", false);
        assert_eq!(step(), without, "{statuses:?}");
        write(&workspace, Stage::Proposal, "p", false);
        assert_eq!(step(), with, "{statuses:?}");
    }
}

#[test]
fn all_changes_are_listed_by_date_and_id() {
    let (_temp, workspace, state) = world();
    made(&workspace, "b");
    made(&workspace, "a");
    let late = r#"{"id":"late","title":"L","updatedAt":"2027-01-01T00:00:00.000Z"}"#;
    for (name, content) in [
        ("late.json", late),
        ("undated.json", r#"{"id":"undated","title":"U"}"#),
        ("bad.json", "{"),
        ("Upper.json", late),
        ("late.json.tmp", late),
    ] {
        fs::write(state.join("changes").join(name), content).expect("room");
    }
    let listed = overview(&workspace, &NEVER()).expect("a folder");
    let ids: Vec<_> = listed
        .iter()
        .map(|one| (one.id.as_str(), one.is_active))
        .collect();
    assert_eq!(
        ids,
        [
            ("late", false),
            ("a", true),
            ("b", false),
            ("undated", false)
        ]
    );
}

#[test]
fn the_view_shows_what_was_done_last() {
    let (_temp, workspace, _) = world();
    made(&workspace, "a");
    for number in 0..12 {
        let entry = Entry {
            tool: "write_file".to_owned(),
            paths: Vec::new(),
            detail: Some(number.to_string()),
            result: "ok".to_owned(),
            change: (number % 2 == 1).then(|| "other".to_owned()),
        };
        journal::append(&workspace, &entry).expect("room");
    }
    let view = view(&workspace, &NEVER(), None)
        .expect("a change")
        .expect("active");
    let details: Vec<_> = view
        .recent
        .iter()
        .filter_map(|entry| entry.detail.as_deref())
        .collect();
    assert_eq!(details, ["10", "8", "6", "4", "2", "0"]);
}

#[test]
fn nothing_of_callers_at_the_same_time_is_lost() {
    let (temp, workspace, _) = world();
    made(&workspace, "a");
    let other = open(temp.path(), Keep::default());
    thread::scope(|scope| {
        for number in 0..8 {
            let workspace = if number % 2 == 0 { &workspace } else { &other };
            scope.spawn(move || {
                for _ in 0..10 {
                    task(workspace, "x", Status::Pending);
                }
            });
        }
    });
    let change: Change = view(&other, &NEVER(), None)
        .expect("a change")
        .expect("active")
        .change;
    let mut numbers: Vec<u32> = change
        .tasks
        .iter()
        .filter_map(|task| task.id.strip_prefix('T')?.parse().ok())
        .collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=80).collect::<Vec<_>>());
}

#[test]
fn a_workspace_that_is_closed_to_writing_only_shows() {
    let (temp, workspace, state) = world();
    made(&workspace, "a");
    let before = files(&state);
    let closed = Workspace::open(WorkspaceOptions {
        writable: false,
        ..WorkspaceOptions::new("ro", temp.path())
    })
    .expect("a folder");
    for error in &call_all_but_view(&closed) {
        assert_eq!(error.to_string(), "workspace \"ro\" is read-only");
    }
    assert!(view(&closed, &NEVER(), None).expect("a change").is_some());
    assert_eq!(files(&state), before);
}

fn call_all_but_view(workspace: &Workspace) -> Vec<Error> {
    let created = create(workspace, &NEVER(), "x", None).expect_err("closed");
    let mut errors = call_all(workspace, "gone");
    errors.pop();
    errors.push(created);
    errors
}

#[test]
fn too_large_a_document_is_refused() {
    let (_temp, workspace, state) = world();
    made(&workspace, "a");
    write(&workspace, Stage::Spec, "x", false);
    let before = files(&state);
    let request = DocumentRequest {
        id: None,
        stage: Stage::Spec,
        content: &"x".repeat(16 * 1024 * 1024),
        append: true,
    };
    let error = write_document(&workspace, &NEVER(), &request).expect_err("too large");
    assert_eq!(
        error.to_string(),
        "file would become too large (16777220 bytes; limit 16777216): \
         .workspace-mcp/changes/a/spec.md"
    );
    assert_eq!(files(&state), before);
}
