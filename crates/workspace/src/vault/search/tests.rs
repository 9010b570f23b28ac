use super::{Found, Hit, SearchRequest, search};
use crate::vault::world::World;

fn find(world: &World, request: &SearchRequest<'_>) -> Found {
    search(&world.vault, &world.never, request).expect("fine")
}

fn at(found: &Found) -> Vec<String> {
    let at = |hit: &Hit| format!("{}:{}", hit.path, hit.line);
    found.hits.iter().map(at).collect()
}

#[test]
fn hits_come_with_their_surroundings() {
    let world = World::new(&[
        (
            "a.md",
            "---\ntags: [x]\n---\n# Top\n\n## Milk\nbuy Milk now\r\nlast\n",
        ),
        ("b/c.md", "MILK"),
        ("d.txt", "milk"),
        (".h/e.md", "milk"),
        ("node_modules/f.md", "milk"),
    ]);
    let request = SearchRequest {
        query: "milk",
        ..SearchRequest::default()
    };
    let found = find(&world, &request);
    assert_eq!(
        at(&found),
        ["a.md:6", "a.md:7", "b/c.md:1", "node_modules/f.md:1"]
    );
    assert_eq!(found.hits[1].text, "buy Milk now");
    assert_eq!(found.hits[1].before.as_deref(), Some("## Milk"));
    assert_eq!(found.hits[1].after.as_deref(), Some("last"));
    assert_eq!(found.hits[1].headings, ["Top", "Milk"]);
    assert_eq!(
        (&found.hits[2].before, &found.hits[2].after),
        (&None, &None)
    );
    assert!(!found.truncated);
    let tagged = find(
        &world,
        &SearchRequest {
            tag: Some("X"),
            ..request
        },
    );
    assert_eq!(at(&tagged), ["a.md:6", "a.md:7"]);
    let exact = find(
        &world,
        &SearchRequest {
            case_sensitive: true,
            query: "MILK",
            ..request
        },
    );
    assert_eq!(at(&exact), ["b/c.md:1"]);
    let inside = find(
        &world,
        &SearchRequest {
            folder: "b/",
            ..request
        },
    );
    assert_eq!(at(&inside), ["b/c.md:1"]);
}

#[test]
fn a_cut_search_goes_on_behind_the_last_hit() {
    let world = World::new(&[("a.md", "x\nx\nx\n"), ("b.md", "x\n")]);
    let (mut all, mut after) = (Vec::new(), None::<String>);
    loop {
        let found = find(
            &world,
            &SearchRequest {
                query: "x",
                limit: Some(2),
                after: after.as_deref(),
                ..SearchRequest::default()
            },
        );
        all.extend(at(&found));
        if !found.truncated {
            break;
        }
        after = at(&found).pop();
    }
    assert_eq!(all, ["a.md:1", "a.md:2", "a.md:3", "b.md:1"]);
}

#[test]
fn only_what_is_read_is_searched_and_long_lines_are_cut() {
    let mut world = World::new(&[(
        "a.md",
        &format!("{}x{}\nx\n", "-".repeat(700), "-".repeat(700)),
    )]);
    let request = SearchRequest {
        query: "x",
        ..SearchRequest::default()
    };
    let found = find(&world, &request);
    assert_eq!(found.hits[0].text.chars().count(), 502);
    assert!(found.hits[0].text.contains('x'));
    assert_eq!(found.left_out.n_partial, 0);
    world.vault.limits.max_read_bytes = 1402;
    let found = find(&world, &request);
    assert_eq!(at(&found), ["a.md:1"]);
    assert_eq!(found.left_out.n_partial, 1);
}

#[test]
fn queries_are_literal_and_one_line() {
    let world = World::new(&[("a.md", "a.b [x]* É\n")]);
    for (query, n) in [("a.b", 1), ("a?b", 0), ("[X]*", 1), ("é", 1)] {
        let request = SearchRequest {
            query,
            ..SearchRequest::default()
        };
        assert_eq!(find(&world, &request).hits.len(), n, "{query}");
    }
    for query in ["", "a\nb", &"x".repeat(257)] {
        let request = SearchRequest {
            query,
            ..SearchRequest::default()
        };
        assert!(search(&world.vault, &world.never, &request).is_err());
    }
}
