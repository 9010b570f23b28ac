//! Several calls and several servers at once, on one folder.

use std::collections::HashSet;

use serde_json::json;

use super::world::{Talk, World, create, hash};

/// Calls at once.
const CALLS: usize = 8;

#[test]
fn of_parallel_calls_all_succeed() {
    let world = World::new(&[]);
    let mut talk = world.start();
    let ids: Vec<i64> = (0..CALLS)
        .map(|n| {
            let operations = json!({"operations": [create(&format!("f{n}"), &n.to_string())]});
            talk.client.send_call("apply_changes", operations)
        })
        .collect();
    let mut checkpoints = HashSet::new();
    for id in ids {
        let answer = talk.client.recv(id);
        let done = talk.data("apply_changes", &answer);
        checkpoints.insert(done["checkpoint"].as_str().unwrap().to_owned());
    }
    assert_eq!(checkpoints.len(), CALLS, "each has a checkpoint of its own");
    assert_eq!(world.files().len(), CALLS);
    assert_eq!(talk.messages().len(), 1 + 2 * CALLS);
    assert_eq!(talk.ok("git_status", json!({}))["clean"], true);
}

#[test]
fn of_parallel_changes_of_one_version_one_succeeds() {
    let world = World::new(&[("a", "0")]);
    let mut talk = world.start();
    let ids: Vec<i64> = (0..CALLS)
        .map(|n| {
            let change = json!({
                "op": "replace_file", "path": "a", "content": format!("new {n}"),
                "expected_sha256": hash("0"),
            });
            talk.client
                .send_call("apply_changes", json!({"operations": [change]}))
        })
        .collect();
    let answers: Vec<_> = ids.into_iter().map(|id| talk.client.recv(id)).collect();
    let done = answers
        .iter()
        .filter(|answer| answer["result"]["isError"] != true)
        .count();
    assert_eq!(done, 1, "{answers:#?}");
    assert_eq!(talk.messages().len(), 3, "the others left nothing");
}

#[test]
fn two_servers_share_a_folder() {
    let world = World::new(&[("a", "0")]);
    let mut talks: Vec<Talk> = vec![world.start(), world.start()];
    let mut sent = Vec::new();
    for round in 0..10 {
        for (n, talk) in talks.iter_mut().enumerate() {
            let operations = json!({"operations": [create(&format!("{round}-{n}"), "x")]});
            sent.push((n, talk.client.send_call("apply_changes", operations)));
        }
    }
    for (n, id) in sent {
        let answer = talks[n].client.recv(id);
        talks[n].data("apply_changes", &answer);
    }
    assert_eq!(world.files().len(), 21);
    for talk in &mut talks {
        assert_eq!(talk.messages().len(), 41);
        let status = talk.ok("git_status", json!({}));
        assert_eq!(status["clean"], true, "{status}");
    }
    assert_eq!(talks[0].head(), talks[1].head());
}

#[test]
fn servers_that_start_at_once_begin_one_history() {
    let world = World::new(&[("a", "0"), ("b/c", "1")]);
    let clients: Vec<_> = (0..4)
        .map(|_| crate::client::Client::start_with(&mut world.program(&[])))
        .collect();
    let mut talks: Vec<Talk> = clients.into_iter().map(Talk::new).collect();
    for talk in &mut talks {
        assert_eq!(talk.messages(), ["initial snapshot"]);
    }
}
