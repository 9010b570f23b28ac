use super::{ListRequest, Status, Task, Update, add, complete, list, remove, update};
use crate::vault::fault::Fault;
use crate::vault::world::World;

fn all(world: &World) -> Vec<String> {
    let found = list(&world.vault, &world.never, &ListRequest::default()).expect("valid");
    let told = |task: &Task| format!("{} {} {}", task.id, task.status.word(), task.title);
    found.tasks.iter().map(told).collect()
}

#[test]
fn tasks_are_added_completed_changed_and_removed() {
    let world = World::new(&[]);
    assert_eq!(all(&world), Vec::<String>::new());
    let (vault, never) = (&world.vault, &world.never);
    let one = add(vault, never, "Buy milk", Some("2026-03-05")).expect("added");
    assert_eq!(one.created.as_deref(), Some("2026-03-01T10:20:30Z"));
    add(vault, never, "Call \"Ann\"", None).expect("added");
    let done = complete(vault, never, "t1").expect("there");
    assert!(done.changed);
    assert_eq!(done.task.done.as_deref(), Some("2026-03-01T10:20:30Z"));
    let before = world.text("tasks.json");
    assert!(!complete(vault, never, "t1").expect("there").changed);
    assert_eq!(world.text("tasks.json"), before);
    let change = Update {
        title: Some("Call Ann"),
        due: Some("2026-04-01"),
        status: None,
    };
    update(vault, never, "t2", &change).expect("there");
    let reopen = Update {
        due: Some(""),
        status: Some(Status::Open),
        ..Update::default()
    };
    let opened = update(vault, never, "t1", &reopen).expect("there").task;
    assert_eq!((opened.due, opened.done), (None, None));
    assert_eq!(all(&world), ["t1 open Buy milk", "t2 open Call Ann"]);
    assert_eq!(remove(vault, never, "t1").expect("there").title, "Buy milk");
    assert_eq!(all(&world), ["t2 open Call Ann"]);
    expect_test::expect![[r#"
        {
          "version": 1,
          "tasks": [
            {
              "id": "t2",
              "title": "Call Ann",
              "status": "open",
              "created": "2026-03-01T10:20:30Z",
              "due": "2026-04-01",
              "done": null
            }
          ]
        }
    "#]]
    .assert_eq(&world.text("tasks.json"));
}

#[test]
fn an_invalid_file_fails_every_tool_and_stays() {
    let world = World::new(&[("tasks.json", "{\n \"tasks\": [}\n"), ("a.md", "- [ ] x\n")]);
    let (vault, never) = (&world.vault, &world.never);
    let change = Update {
        title: Some("x"),
        ..Update::default()
    };
    let faults = [
        list(vault, never, &ListRequest::default()).map(drop),
        add(vault, never, "x", None).map(drop),
        complete(vault, never, "t1").map(drop),
        complete(vault, never, "a.md:1#00000000").map(drop),
        update(vault, never, "t1", &change).map(drop),
        remove(vault, never, "t1").map(drop),
    ];
    for fault in faults {
        assert_eq!(
            fault.unwrap_err().to_string(),
            "tasks.json is invalid at line 2, column 12: expected value"
        );
    }
    assert_eq!(world.text("tasks.json"), "{\n \"tasks\": [}\n");
    world.put("tasks.json", b"[\n\"\xff\"]");
    let fault = list(vault, never, &ListRequest::default()).unwrap_err();
    assert_eq!(
        fault.to_string(),
        "tasks.json is invalid at line 2, column 2: not valid UTF-8"
    );
}

#[test]
fn a_file_over_the_cap_fails_and_none_grows_over_it() {
    let mut world = World::new(&[]);
    world.vault.limits.max_read_bytes = 1024;
    let mut n = 0;
    let fault = loop {
        match add(&world.vault, &world.never, "x", None) {
            Ok(_) => n += 1,
            Err(fault) => break fault,
        }
    };
    assert!(matches!(fault, Fault::TasksTooLarge { limit: 1024, .. }));
    assert_eq!(all(&world).len(), n);
    world.put("tasks.json", format!("[]{}", " ".repeat(1023)));
    assert!(list(&world.vault, &world.never, &ListRequest::default()).is_err());
}

#[test]
fn arguments_that_do_not_fit_are_refused() {
    let world = World::new(&[("tasks.json", "[]")]);
    let (vault, never) = (&world.vault, &world.never);
    for title in ["", " ", "a\nb", &"x".repeat(501)] {
        assert!(matches!(
            add(vault, never, title, None),
            Err(Fault::Argument(_))
        ));
    }
    add(vault, never, &"é".repeat(500), None).expect("as long as may be");
    for due in ["2026-02-30", "2026-1-1", "tomorrow", "2026-01-01T00:00:00Z"] {
        assert!(matches!(
            add(vault, never, "x", Some(due)),
            Err(Fault::Argument(_))
        ));
    }
    assert!(matches!(
        update(vault, never, "t1", &Update::default()),
        Err(Fault::Argument(_))
    ));
    assert_eq!(
        complete(vault, never, "t9").unwrap_err().to_string(),
        "task not found: t9"
    );
}

#[cfg(unix)]
#[test]
fn the_file_is_never_a_link() {
    let world = World::new(&[("a.md", "[]")]);
    for target in ["a.md", ".hidden", "../out.json"] {
        let _ = std::fs::remove_file(world.path("tasks.json"));
        std::os::unix::fs::symlink(target, world.path("tasks.json")).unwrap();
        assert!(
            list(&world.vault, &world.never, &ListRequest::default()).is_err(),
            "{target}"
        );
        assert!(
            add(&world.vault, &world.never, "x", None).is_err(),
            "{target}"
        );
    }
    assert_eq!(world.text("a.md"), "[]");
    assert!(!world.has(".hidden") && !world.has("../out.json"));
}
