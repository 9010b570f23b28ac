//! Pages while files change: each is what a new look would give, or refused as the state says.

use proptest::prelude::{Strategy, prop, proptest};

use super::world::World;
use crate::Cancel;
use crate::paged::{Fault, ListRequest, Options, Page, Paged, ReadRequest, SearchRequest};

const KEY: [u8; 32] = [9; 32];

#[derive(Clone, Copy, Debug)]
enum Mode {
    Watching,
    Looking,
}

fn options(world: &World, deterministic: bool) -> Options {
    let mut options = Options::new(world.root(), &["**"]);
    options.exclude = vec!["hidden/**".into()];
    options.cursor_key = deterministic.then(|| KEY.to_vec());
    // A few bytes a page, so that files have several.
    options.limits.max_read_bytes = 4;
    options
}

fn open(world: &World, mode: Mode, deterministic: bool) -> Paged {
    let options = options(world, deterministic);
    Paged::open_with(options, matches!(mode, Mode::Watching)).unwrap()
}

/// A change between two pages.
#[derive(Clone, Debug)]
enum Edit {
    Nothing,
    Write(&'static str, &'static str),
    Append(&'static str),
    Remove(&'static str),
    Rename(&'static str, &'static str),
    MakeDir(&'static str),
    RemoveDir(&'static str),
    Link(&'static str),
    Touch(&'static str),
}

const PATHS: [&str; 9] = [
    "a.txt",
    "b.txt",
    "d/a.txt",
    "d/b.txt",
    "d/e/f.txt",
    "x/y.txt",
    "hidden/z.txt",
    "node_modules/m.txt",
    "d",
];

fn edit() -> impl Strategy<Value = Edit> {
    let path = || prop::sample::select(PATHS.to_vec());
    proptest::prop_oneof![
        3 => proptest::prelude::Just(Edit::Nothing),
        2 => (path(), prop::sample::select(vec!["needle\n", "hay\n", "needle needle\n", ""]))
            .prop_map(|(path, text)| Edit::Write(path, text)),
        1 => path().prop_map(Edit::Append),
        1 => path().prop_map(Edit::Remove),
        1 => (path(), path()).prop_map(|(from, to)| Edit::Rename(from, to)),
        1 => path().prop_map(Edit::MakeDir),
        1 => path().prop_map(Edit::RemoveDir),
        1 => path().prop_map(Edit::Link),
        1 => path().prop_map(Edit::Touch),
    ]
}

/// Makes a change, if it can be made as things are.
fn apply(world: &World, edit: &Edit) {
    let at = |path: &str| world.root().join(path);
    let with_folder = |path: &str| {
        let _ = std::fs::create_dir_all(at(path).parent().unwrap());
        at(path)
    };
    let _ = match edit {
        Edit::Nothing => Ok(()),
        Edit::Write(path, text) => std::fs::write(with_folder(path), text),
        Edit::Append(path) => std::fs::OpenOptions::new()
            .append(true)
            .open(at(path))
            .and_then(|mut file| std::io::Write::write_all(&mut file, b"needle\n")),
        Edit::Remove(path) => std::fs::remove_file(at(path)),
        Edit::Rename(from, to) => std::fs::rename(at(from), with_folder(to)),
        Edit::MakeDir(path) => std::fs::create_dir(with_folder(path)),
        Edit::RemoveDir(path) => std::fs::remove_dir_all(at(path)),
        Edit::Link(path) => std::os::unix::fs::symlink("a.txt", with_folder(path)),
        Edit::Touch(path) => std::fs::File::options()
            .append(true)
            .open(at(path))
            .and_then(|file| file.set_modified(std::time::SystemTime::now())),
    };
}

fn start() -> World {
    World::new(&[
        ("a.txt", "needle\n"),
        ("b.txt", "needle\nneedle\n"),
        ("d/a.txt", "needle\n"),
        ("d/b.txt", "hay\n"),
        ("d/e/f.txt", "needle\nneedle\n"),
        ("x/y.txt", "needle\n"),
        ("hidden/z.txt", "needle\n"),
    ])
}

/// Waits until the clock of the file system has moved on.
fn tick(world: &World) {
    let probe = tempfile::NamedTempFile::new_in(world.root().parent().unwrap()).unwrap();
    let time = || {
        std::io::Write::write_all(&mut probe.as_file(), b"x").unwrap();
        probe.as_file().metadata().unwrap().modified().unwrap()
    };
    let before = time();
    while time() == before {
        std::thread::yield_now();
    }
}

/// Asks for a page of one of the traversals, as text.
fn ask(
    paged: &Paged,
    which: usize,
    cursor: Option<&str>,
) -> Result<(String, Option<String>), Fault> {
    fn told<T: serde::Serialize>(page: Page<T>) -> (String, Option<String>) {
        (serde_json::to_string(&page).unwrap(), page.next_cursor)
    }
    let never = Cancel::never();
    let search = SearchRequest {
        query: Some(if which == 1 { "t" } else { "needle" }),
        cursor,
        limit: Some(1),
        path: (which == 3).then_some("d"),
        ..SearchRequest::default()
    };
    match which {
        0 => {
            let request = ListRequest {
                cursor,
                limit: Some(1),
                ..ListRequest::default()
            };
            paged.list_directory(&never, &request).map(told)
        }
        1 => paged.search_files(&never, &search).map(told),
        4 => {
            let request = ReadRequest {
                path: "b.txt",
                cursor,
                ..ReadRequest::default()
            };
            paged.read_text_file(&never, &request).map(told)
        }
        _ => paged.search_text(&never, &search).map(told),
    }
}

/// Goes on with all traversals while changes are made. A server with the same key that has looked at
/// nothing yet says what each page has to be.
fn run(mode: Mode, deterministic: bool, edits: &[Edit]) {
    let world = start();
    let mut kept = open(&world, mode, deterministic);
    // Every change has a time of its own here, so times are told apart however young they are.
    kept.is_hasty = true;
    let mut cursors: Vec<Option<String>> = vec![None; 5];
    for edit in edits {
        tick(&world);
        apply(&world, edit);
        for (which, cursor) in cursors.iter_mut().enumerate() {
            let twin = kept.twin(options(&world, deterministic));
            let expected = ask(&twin, which, cursor.as_deref());
            let given = ask(&kept, which, cursor.as_deref());
            assert_eq!(given, expected, "traversal {which} after {edit:?}");
            *cursor = given.ok().and_then(|(_, next)| next);
        }
    }
}

/// Cases to try; more of them with `WORKSPACE_MCP_SOAK` set.
fn cases() -> proptest::prelude::ProptestConfig {
    let factor = std::env::var("WORKSPACE_MCP_SOAK").ok();
    let factor = factor.and_then(|factor| factor.parse().ok()).unwrap_or(1);
    proptest::prelude::ProptestConfig::with_cases(32 * factor)
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn a_page_is_what_a_new_look_gives(edits in prop::collection::vec(edit(), 1..24)) {
        for deterministic in [false, true] {
            run(Mode::Watching, deterministic, &edits);
            run(Mode::Looking, deterministic, &edits);
        }
    }
}

#[test]
fn a_write_through_another_name_is_seen() {
    let world = start();
    let outside = tempfile::tempdir().unwrap();
    let twin = outside.path().join("twin");
    std::fs::hard_link(world.root().join("d/b.txt"), &twin).unwrap();
    let paged = open(&world, Mode::Watching, false);
    let (_, cursor) = ask(&paged, 2, None).unwrap();
    std::fs::write(&twin, "changed\n").unwrap();
    assert_eq!(
        ask(&paged, 2, cursor.as_deref()).unwrap_err().to_string(),
        "the filesystem changed since this cursor was issued; start the traversal again"
    );
}

#[test]
fn a_walk_is_kept_and_used_again() {
    let world = start();
    let paged = open(&world, Mode::Watching, false);
    let (_, cursor) = ask(&paged, 2, None).unwrap();
    assert_eq!(paged.n_walks(), 1);
    ask(&paged, 2, cursor.as_deref()).unwrap();
    assert_eq!(paged.n_walks(), 1);
    apply(
        &world,
        &Edit::Write("hidden/z.txt", "nobody is served this"),
    );
    ask(&paged, 2, cursor.as_deref()).unwrap();
    assert_eq!(paged.n_walks(), 1);
    apply(&world, &Edit::Write("d/b.txt", "hay and hay\n"));
    assert!(ask(&paged, 2, cursor.as_deref()).is_err());
    assert_eq!(paged.n_walks(), 2);
}

#[test]
fn a_walk_is_looked_at_and_used_again() {
    let world = start();
    let mut paged = open(&world, Mode::Looking, false);
    paged.is_hasty = true;
    tick(&world);
    let (_, cursor) = ask(&paged, 2, None).unwrap();
    ask(&paged, 2, cursor.as_deref()).unwrap();
    assert_eq!(paged.n_walks(), 1);
    tick(&world);
    apply(&world, &Edit::Write("d/c.txt", "hay"));
    assert!(ask(&paged, 2, cursor.as_deref()).is_err());
    assert_eq!(paged.n_walks(), 2);
}

#[test]
fn names_are_proven_by_their_folders_alone() {
    let world = start();
    for which in [0, 1] {
        let mut paged = open(&world, Mode::Looking, false);
        paged.is_hasty = true;
        tick(&world);
        let (_, cursor) = ask(&paged, which, None).unwrap();
        tick(&world);
        apply(&world, &Edit::Append("a.txt"));
        let (_, cursor) = ask(&paged, which, cursor.as_deref()).unwrap();
        assert_eq!(paged.n_walks(), 1, "traversal {which}");
        tick(&world);
        apply(&world, &Edit::Rename("b.txt", "c.txt"));
        assert!(ask(&paged, which, cursor.as_deref()).is_err());
        assert_eq!(paged.n_walks(), 2, "traversal {which}");
        apply(&world, &Edit::Rename("c.txt", "b.txt"));
    }
}

#[test]
fn a_file_that_grows_too_large_is_one_name_less() {
    for mode in [Mode::Watching, Mode::Looking] {
        for which in [0, 1] {
            let world = start();
            let mut options = options(&world, false);
            options.limits.max_file_bytes = 16;
            let watches = matches!(mode, Mode::Watching);
            let mut paged = Paged::open_with(options, watches).unwrap();
            paged.is_hasty = true;
            tick(&world);
            let (_, cursor) = ask(&paged, which, None).unwrap();
            tick(&world);
            apply(&world, &Edit::Append("a.txt"));
            let (_, cursor) = ask(&paged, which, cursor.as_deref()).unwrap();
            tick(&world);
            apply(&world, &Edit::Append("b.txt"));
            let told = ask(&paged, which, cursor.as_deref()).unwrap_err();
            assert_eq!(
                told.to_string(),
                "the filesystem changed since this cursor was issued; start the traversal again",
                "{mode:?}, traversal {which}"
            );
        }
    }
}

#[test]
fn a_folder_that_just_changed_is_walked_again() {
    let world = start();
    let paged = open(&world, Mode::Looking, false);
    let (_, cursor) = ask(&paged, 2, None).unwrap();
    // The folders were made within the last tick, so their times prove nothing.
    ask(&paged, 2, cursor.as_deref()).unwrap();
    assert_eq!(paged.n_walks(), 2);
}

#[test]
fn a_root_that_is_made_anew_is_another_one() {
    let world = World::new(&[("r/a", "needle\n"), ("r/b", "needle\n")]);
    let paged = Paged::open(Options::new(world.root().join("r"), &["**"])).unwrap();
    let (_, cursor) = ask(&paged, 2, None).unwrap();
    std::fs::rename(world.root().join("r"), world.root().join("old")).unwrap();
    world.write("r/c", "needle\n");
    assert!(ask(&paged, 2, cursor.as_deref()).is_err());
    assert!(ask(&paged, 2, None).unwrap().0.contains("\"c\""));
}

#[test]
fn ancestors_that_are_swapped_for_links_are_never_followed() {
    let world = World::new(&[("in/d/f.txt", "inside\n")]);
    let outside = World::new(&[("d/f.txt", "outside\n")]);
    let paged = Paged::open(Options::new(world.root().join("in"), &["**"])).unwrap();
    let (real, gone) = (world.root().join("in/d"), world.root().join("gone"));
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                std::fs::rename(&real, &gone).unwrap();
                std::os::unix::fs::symlink(outside.root().join("d"), &real).unwrap();
                std::fs::remove_file(&real).unwrap();
                std::fs::rename(&gone, &real).unwrap();
            }
        });
        for _ in 0..2000 {
            let read = paged.read_text_file(
                &Cancel::never(),
                &ReadRequest {
                    path: "d/f.txt",
                    ..ReadRequest::default()
                },
            );
            if let Ok(page) = read {
                assert_eq!(page.items[0].text, "inside\n");
            }
            let request = SearchRequest {
                query: Some("side"),
                ..SearchRequest::default()
            };
            if let Ok(page) = paged.search_text(&Cancel::never(), &request) {
                assert!(page.items.iter().all(|line| &*line.text == "inside"));
            }
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}
