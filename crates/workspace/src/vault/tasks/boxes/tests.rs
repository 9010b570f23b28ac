use proptest::prelude::{ProptestConfig, any, proptest};

use crate::vault::tasks::{ListRequest, Status, Update, complete, list, remove, update};
use crate::vault::world::World;

fn ids(world: &World) -> Vec<String> {
    let found = list(&world.vault, &world.never, &ListRequest::default()).expect("valid");
    found.tasks.into_iter().map(|task| task.id).collect()
}

#[test]
fn check_boxes_are_tasks_behind_those_of_the_file() {
    let mut world = World::new(&[
        ("tasks.json", r#"[{"id": "t1", "title": "first"}]"#),
        (
            "b.md",
            "---\nx: y\n---\n- [ ] open\n- [X] done\n```\n- [ ] code\n```\n",
        ),
        ("a/c.md", "1. [ ] other\n"),
        ("d.md", "---\n- [ ] broken front matter\n---\n"),
    ]);
    let found = list(
        &world.vault,
        &world.never,
        &ListRequest {
            status: Some(Status::Open),
            ..ListRequest::default()
        },
    )
    .expect("valid");
    let titles: Vec<&str> = found.tasks.iter().map(|task| task.title.as_str()).collect();
    assert_eq!(titles, ["first", "other", "open", "broken front matter"]);
    let place = found.tasks[2].place.as_ref().expect("in a note");
    assert_eq!((place.0.to_string(), place.1), ("b.md".to_owned(), 4));
    let cut = list(
        &world.vault,
        &world.never,
        &ListRequest {
            limit: Some(2),
            ..ListRequest::default()
        },
    )
    .expect("valid");
    assert_eq!((cut.tasks.len(), cut.n_total, cut.truncated), (2, 5, true));
    world.vault.markdown_tasks = false;
    assert_eq!(ids(&world), ["t1"]);
    assert!(complete(&world.vault, &world.never, &found.tasks[2].id).is_err());
}

#[test]
fn a_cut_list_goes_on_behind_the_last_task() {
    let world = World::new(&[
        (
            "tasks.json",
            r#"[{"id": "t1", "title": "1"}, {"id": "t2", "title": "2", "status": "done"}, {"id": "t3", "title": "3"}]"#,
        ),
        ("a.md", "- [ ] 4\n- [x] 5\n- [ ] 6\n"),
        ("b.md", "- [ ] 7\n"),
    ]);
    for (status, wanted) in [
        (None, "1234567"),
        (Some(Status::Open), "13467"),
        (Some(Status::Done), "25"),
    ] {
        for limit in 1..5 {
            let (mut titles, mut after) = (String::new(), None::<String>);
            loop {
                let request = ListRequest {
                    status,
                    after: after.as_deref(),
                    limit: Some(limit),
                };
                let found = list(&world.vault, &world.never, &request).expect("valid");
                assert_eq!(found.n_total, wanted.len());
                titles.extend(found.tasks.iter().map(|task| task.title.as_str()));
                if !found.truncated {
                    break;
                }
                after = found.tasks.last().map(|task| task.id.clone());
            }
            assert_eq!(titles, wanted, "{limit}");
        }
    }
    let request = ListRequest {
        after: Some("t9"),
        ..ListRequest::default()
    };
    assert!(list(&world.vault, &world.never, &request).is_err());
}

#[test]
fn completing_changes_one_character() {
    let text = "\u{feff}---\r\nx: y\r\n---\r\n* [ ] ä [ ] \r\n  - [x] sub\n- [ ] same\n- [ ] same";
    let world = World::new(&[("a.md", text)]);
    let (vault, never) = (&world.vault, &world.never);
    let before = ids(&world);
    assert!(complete(vault, never, &before[0]).expect("there").changed);
    assert_eq!(world.text("a.md"), text.replacen("* [ ]", "* [x]", 1));
    // The id stays good.
    assert_eq!(ids(&world), before);
    assert!(!complete(vault, never, &before[0]).expect("there").changed);
    let open = Update {
        status: Some(Status::Open),
        ..Update::default()
    };
    update(vault, never, &before[0], &open).expect("there");
    update(vault, never, &before[1], &open).expect("there");
    assert_eq!(world.text("a.md"), text.replacen("- [x]", "- [ ]", 1));
    complete(vault, never, &before[3]).expect("there");
    assert!(world.text("a.md").ends_with("- [ ] same\n- [x] same"));
}

#[test]
fn a_box_is_found_again_when_it_moved_and_not_when_it_changed() {
    let world = World::new(&[("a.md", "- [ ] one\n- [ ] two\n- [ ] two\n")]);
    let before = ids(&world);
    world.put("a.md", "new\n- [ ] one\n- [ ] two\n- [ ] two\n");
    complete(&world.vault, &world.never, &before[0]).expect("moved");
    assert_eq!(world.text("a.md"), "new\n- [x] one\n- [ ] two\n- [ ] two\n");
    complete(&world.vault, &world.never, &before[2]).expect("another like it is at its line");
    world.put("a.md", "- [ ] one!\n\n\n\n- [ ] two\n- [ ] two\n");
    for id in &before {
        let fault = complete(&world.vault, &world.never, id).unwrap_err();
        assert_eq!(fault.to_string(), format!("task not found: {id}"));
    }
}

#[test]
fn text_of_a_box_is_for_the_tools_of_notes() {
    let world = World::new(&[("a.md", "- [ ] one\n")]);
    let id = &ids(&world)[0];
    let title = Update {
        title: Some("x"),
        status: Some(Status::Done),
        ..Update::default()
    };
    assert!(update(&world.vault, &world.never, id, &title).is_err());
    assert!(remove(&world.vault, &world.never, id).is_err());
    assert_eq!(world.text("a.md"), "- [ ] one\n");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_byte_changes_but_the_state(note in "([-*+>`~#=\\[\\] x1.)(|aé\r\t]|---\n|```\n|\n|\r\n|- \\[ \\] a|\n- \\[x\\] b){0,60}", pick in any::<usize>()) {
        let world = World::new(&[("a.md", &note)]);
        let found = list(&world.vault, &world.never, &ListRequest::default()).expect("valid").tasks;
        if !found.is_empty() {
            let task = &found[pick % found.len()];
            let status = if task.status == Status::Open { Status::Done } else { Status::Open };
            let change = Update { status: Some(status), ..Update::default() };
            assert!(update(&world.vault, &world.never, &task.id, &change).expect("there").changed);
            let new = world.text("a.md");
            let differ: Vec<(u8, u8)> = note.bytes().zip(new.bytes()).filter(|(old, new)| old != new).collect();
            assert_eq!(new.len(), note.len());
            assert_eq!(differ.len(), 1);
            let again = list(&world.vault, &world.never, &ListRequest::default()).expect("valid").tasks;
            let now = again.iter().find(|other| other.id == task.id && other.place == task.place).expect("still there");
            assert_eq!(now.status, status);
        }
    }
}
