use super::{ReadAnswer, ReadRequest, read};
use crate::vault::fault::Fault;
use crate::vault::world::World;

fn part(world: &World, offset: u64, limit: Option<u64>) -> ReadAnswer {
    let request = ReadRequest {
        path: "a.md",
        offset,
        limit,
    };
    read(&world.vault, &world.never, &request).expect("there")
}

#[test]
fn a_note_is_read_whole_or_in_lines() {
    let world = World::new(&[("a.md", "one\ntwo\r\nthree")]);
    let whole = part(&world, 1, None);
    assert_eq!(whole.content, "one\ntwo\r\nthree");
    assert_eq!(
        (whole.size, whole.n_lines, whole.next_offset),
        (14, 3, None)
    );
    assert_eq!(whole.sha256, crate::read::sha256(b"one\ntwo\r\nthree"));
    assert!(!whole.truncated());
    let two = part(&world, 2, Some(1));
    assert_eq!(
        (two.content.as_str(), two.next_offset),
        ("two\r\n", Some(3))
    );
    assert_eq!(two.sha256, whole.sha256);
    assert_eq!(part(&world, 3, Some(9)).next_offset, None);
    let past = part(&world, 9, None);
    assert_eq!((past.content.as_str(), past.next_offset), ("", None));
}

#[test]
fn a_long_note_is_cut_at_a_line_and_a_long_line_at_a_character() {
    let mut world = World::new(&[("a.md", &"123456789\n".repeat(10))]);
    world.vault.limits.max_read_bytes = 25;
    let cut = part(&world, 1, None);
    assert_eq!((cut.content.len(), cut.next_offset), (20, Some(3)));
    assert!(cut.truncated());
    world.put("a.md", "é".repeat(20));
    let cut = part(&world, 1, None);
    assert_eq!(cut.content, "é".repeat(12));
    assert!(cut.is_line_cut && cut.truncated());
    assert_eq!((cut.size, cut.next_offset), (40, None));
    world.put("a.md", format!("{}\nb\n", "x".repeat(40)));
    let cut = part(&world, 1, None);
    assert!(cut.is_line_cut);
    assert_eq!(cut.next_offset, Some(2));
    // Every part, one after another, is the whole.
    world.put("a.md", "ab\n\n\ncdefg\n".repeat(40));
    let (mut all, mut offset) = (String::new(), 1);
    loop {
        let cut = part(&world, offset, None);
        all.push_str(&cut.content);
        match cut.next_offset {
            Some(next) => offset = next,
            None => break,
        }
    }
    assert_eq!(all, world.text("a.md"));
}

#[test]
fn what_is_no_text_is_refused() {
    let world = World::new(&[]);
    for content in [b"a\xffb".as_slice(), b"a\xc3", b"\xff\xfea\0"] {
        world.put("a.md", content);
        let request = ReadRequest {
            path: "a.md",
            offset: 1,
            limit: None,
        };
        let fault = read(&world.vault, &world.never, &request).unwrap_err();
        assert!(matches!(fault, Fault::NotUtf8(_)), "{fault}");
    }
    // A character across the border of two pieces is fine.
    world.put("a.md", format!("{}é", "x".repeat(super::CHUNK_BYTES - 1)));
    assert!(part(&world, 1, None).content.ends_with('é'));
}

#[test]
fn a_mark_at_the_beginning_is_no_text() {
    let world = World::new(&[("a.md", "\u{feff}# A\n")]);
    let whole = part(&world, 1, None);
    assert_eq!((whole.content.as_str(), whole.size), ("# A\n", 7));
}

#[cfg(unix)]
#[test]
fn a_note_that_would_take_long_to_read_is_refused() {
    let world = World::new(&[("a.md", "needle")]);
    let file = std::fs::File::create(world.path("huge.md")).unwrap();
    // Nothing of it is stored.
    file.set_len(1 << 40).unwrap();
    let told = "file too large to open (1099511627776 bytes; limit 1073741824): huge.md";
    let request = ReadRequest {
        path: "huge.md",
        offset: 1,
        limit: Some(1),
    };
    let read = read(&world.vault, &world.never, &request);
    assert_eq!(read.expect_err("refused").to_string(), told);
    let write =
        |expected| crate::vault::write::write(&world.vault, &world.never, "huge.md", "x", expected);
    let wrote = write(Some("00"));
    assert_eq!(wrote.expect_err("refused").to_string(), told);
    assert!(write(None).is_err());
    // Others are read all the same.
    let search = crate::vault::search::SearchRequest {
        query: "needle",
        ..Default::default()
    };
    let found = crate::vault::search::search(&world.vault, &world.never, &search).unwrap();
    assert_eq!((found.hits.len(), found.left_out.n_partial), (1, 1));
    assert_eq!(
        std::fs::metadata(world.path("huge.md")).unwrap().len(),
        1 << 40
    );
}
