use super::{ListRequest, Listing, list};
use crate::vault::world::World;

fn paths(listing: &Listing) -> Vec<String> {
    listing
        .notes
        .iter()
        .map(|note| note.path.to_string())
        .collect()
}

fn run(world: &World, request: &ListRequest<'_>) -> Listing {
    list(&world.vault, &world.never, request).expect("fine")
}

fn world() -> World {
    World::new(&[
        (
            "b.md",
            "---\ntitle: Bee\ntags: [home]\ndate: 2026-02-03\n---\n",
        ),
        ("a/z.MD", "# Zed\n"),
        ("a/.hidden.md", ""),
        (".git/c.md", ""),
        (".workspace-mcp/d.md", ""),
        ("a/x.txt", ""),
        ("tasks.json", "[]"),
        ("a-b.md", "---\ntags: home/kitchen\n---\n"),
    ])
}

#[test]
fn notes_are_listed_by_path_with_what_they_say() {
    let world = world();
    let all = run(&world, &ListRequest::default());
    assert_eq!(paths(&all), ["a-b.md", "a/z.MD", "b.md"]);
    assert_eq!((all.n_total, all.truncated), (3, false));
    assert_eq!(all.notes[1].about.title.as_deref(), Some("Zed"));
    let bee = &all.notes[2];
    assert_eq!(bee.about.title.as_deref(), Some("Bee"));
    assert_eq!(
        (bee.about.tags.as_slice(), bee.size),
        (["home".to_owned()].as_slice(), 49)
    );
    let inside = run(
        &world,
        &ListRequest {
            folder: "a/",
            ..ListRequest::default()
        },
    );
    assert_eq!(paths(&inside), ["a/z.MD"]);
    let tagged = run(
        &world,
        &ListRequest {
            tag: Some("#Home"),
            ..ListRequest::default()
        },
    );
    assert_eq!(paths(&tagged), ["a-b.md", "b.md"]);
}

#[test]
fn a_cut_list_goes_on_behind_the_last_note() {
    let world = world();
    for tag in [None, Some("home")] {
        let mut request = ListRequest {
            tag,
            limit: Some(1),
            ..ListRequest::default()
        };
        let mut all = Vec::new();
        let mut after;
        loop {
            let part = run(&world, &request);
            all.extend(paths(&part));
            assert_eq!(part.n_total, if tag.is_some() { 2 } else { 3 });
            if !part.truncated {
                break;
            }
            after = all.last().cloned().expect("one");
            request.after = Some(Box::leak(after.into_boxed_str()));
        }
        assert_eq!(all.len(), if tag.is_some() { 2 } else { 3 });
    }
}

#[test]
fn folders_that_are_none_are_told() {
    let world = world();
    for (folder, told) in [
        ("c", "folder not found: c"),
        ("b.md", "folder not found: b.md"),
        ("b.md/c", "folder not found: b.md/c"),
        ("../x", "path has a forbidden segment"),
        (".git", "path has a hidden segment"),
    ] {
        let fault = list(
            &world.vault,
            &world.never,
            &ListRequest {
                folder,
                ..ListRequest::default()
            },
        );
        assert_eq!(fault.unwrap_err().to_string(), told);
    }
}

#[cfg(unix)]
#[test]
fn links_are_not_listed_and_names_against_the_rules_are_counted() {
    let world = world();
    std::fs::create_dir(world.path("../out")).unwrap();
    std::fs::write(world.path("../out/secret.md"), "").unwrap();
    std::os::unix::fs::symlink("../out", world.path("out")).unwrap();
    std::os::unix::fs::symlink("b.md", world.path("link.md")).unwrap();
    world.put("c:d.md", "");
    world.put("nul/e.md", "");
    let all = run(&world, &ListRequest::default());
    assert_eq!(paths(&all), ["a-b.md", "a/z.MD", "b.md"]);
    assert_eq!((all.n_total, all.left_out.n_unnamable), (3, 2));
    let fault = list(
        &world.vault,
        &world.never,
        &ListRequest {
            folder: "out",
            ..ListRequest::default()
        },
    );
    assert_eq!(fault.unwrap_err().to_string(), "path leaves the root");
}
