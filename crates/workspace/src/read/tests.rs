use std::fs;
use std::path::Path;

use super::{Content, Extent, ReadRequest, read};
use crate::cancel::Cancel;
use crate::error::Error;
use crate::limits;
use crate::workspace::{Workspace, WorkspaceOptions};

fn workspace(path: &Path) -> Workspace {
    Workspace::open(WorkspaceOptions::new("default", path)).expect("a folder")
}

fn range(content: &[u8], offset: i64, limit: u64) -> Result<(String, Extent, u64), Error> {
    let temp = tempfile::tempdir().expect("a temp folder");
    fs::write(temp.path().join("f"), content).expect("a file");
    let workspace = workspace(temp.path());
    let reader = workspace.reader(&Cancel::never())?;
    let max_bytes = limits::ANSWER_BYTES;
    let request = ReadRequest {
        path: "f",
        offset,
        limit,
        max_bytes,
        with_hash: false,
    };
    match read(&reader, &request)?.content {
        Content::Lines(lines) => Ok((lines.text, lines.extent, lines.n_invalid)),
        Content::Image { media_type, .. } => Ok((media_type.to_owned(), Extent::ToTheEnd, 0)),
    }
}

#[track_caller]
fn check(content: &[u8], offset: i64, limit: u64, text: &str, extent: Extent) {
    let (got, got_extent, _) = range(content, offset, limit).expect("text");
    assert_eq!((got.as_str(), got_extent), (text, extent));
}

#[test]
fn numbers_lines_and_says_where_it_stopped() {
    check(b"a\nb\n", 1, 2000, "1: a\n2: b", Extent::ToTheEnd);
    check(b"a\nb", 1, 2000, "1: a\n2: b", Extent::ToTheEnd);
    check(
        b"a\nb\nc\n",
        1,
        2,
        "1: a\n2: b",
        Extent::Cut {
            last: 2,
            total: Some(3),
        },
    );
    check(
        b"a\nb\nc\n",
        2,
        1,
        "2: b",
        Extent::Cut {
            last: 2,
            total: Some(3),
        },
    );
    check(b"a\r\nb\rc\r\n", 1, 9, "1: a\n2: b\rc", Extent::ToTheEnd);
    check(b"\n", 1, 9, "1: ", Extent::ToTheEnd);
    check(b"", 7, 9, "", Extent::Empty);
    check(
        b"a\nb\nc",
        9,
        1,
        "",
        Extent::PastTheEnd {
            offset: 9,
            total: 3,
        },
    );
    check(b"a\nb\nc", -2, 9, "2: b\n3: c", Extent::ToTheEnd);
    check(
        b"a\nb\nc",
        -9,
        1,
        "1: a",
        Extent::Cut {
            last: 1,
            total: Some(3),
        },
    );
    check(b"\xef\xbb\xbfa\n", 1, 9, "1: a", Extent::ToTheEnd);
    check(
        b"\xff\xfea\0\r\0\n\0b\0",
        1,
        9,
        "1: a\n2: b",
        Extent::ToTheEnd,
    );
    check(b"\xfe\xff\0a\0\n\0b", -1, 9, "2: b", Extent::ToTheEnd);
    check(b"\xff\xfe", 1, 9, "", Extent::Empty);
}

#[test]
fn counts_bytes_that_are_no_utf8() {
    let (text, _, n_invalid) = range(b"ok\ncaf\xe9 \xff\n", 1, 9).expect("text");
    assert_eq!(
        (text.as_str(), n_invalid),
        ("1: ok\n2: caf\u{fffd} \u{fffd}", 2)
    );
}

#[test]
fn cuts_long_lines_at_characters() {
    let line = "é".repeat(limits::LINE_CHARS + 1);
    let (text, ..) = range(line.as_bytes(), 1, 9).expect("text");
    assert_eq!(
        text,
        format!("1: {}... (line truncated)", "é".repeat(limits::LINE_CHARS))
    );
    let bad = [&b"\xff"[..], &b"x".repeat(limits::LINE_CHARS), b"\xff"].concat();
    assert_eq!(range(&bad, 1, 9).expect("text").2, 1);
    let fits = "é".repeat(limits::LINE_CHARS);
    check(
        fits.as_bytes(),
        1,
        9,
        &format!("1: {fits}"),
        Extent::ToTheEnd,
    );
}

#[test]
fn refuses_binaries_and_shows_images() {
    assert!(matches!(range(b"a\0b", 1, 1), Err(Error::Binary(_))));
    assert!(matches!(
        range(b"\xff\xfe\0\0a\0\0\0", 1, 1),
        Err(Error::Binary(_))
    ));
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    assert_eq!(range(png, 1, 1).expect("an image").0, "image/png");
}

#[test]
fn finds_lines_deep_in_a_long_file() {
    for end in ["", "\n"] {
        let lines: Vec<String> = (1..=200_000).map(|i| format!("line {i}")).collect();
        let content = lines.join("\n") + end;
        let total = Some(200_000);
        for first in [1, 2, 99_999, 199_998] {
            let want = format!("{first}: line {first}\n{}: line {}", first + 1, first + 1);
            check(
                content.as_bytes(),
                first,
                2,
                &want,
                Extent::Cut {
                    last: first as u64 + 1,
                    total,
                },
            );
        }
        check(
            content.as_bytes(),
            -1,
            2,
            "200000: line 200000",
            Extent::ToTheEnd,
        );
        check(
            content.as_bytes(),
            200_000,
            2,
            "200000: line 200000",
            Extent::ToTheEnd,
        );
        let past = Extent::PastTheEnd {
            offset: 200_001,
            total: 200_000,
        };
        check(content.as_bytes(), 200_001, 2, "", past);
    }
}

#[test]
fn a_file_of_whole_blocks_has_no_phantom_line() {
    let content = b"0123456\n".repeat(super::CHUNK_BYTES / 8 * 2);
    let total = (super::CHUNK_BYTES / 8 * 2) as u64;
    check(
        &content,
        total as i64,
        5,
        &format!("{total}: 0123456"),
        Extent::ToTheEnd,
    );
    check(
        &content,
        total as i64 + 1,
        5,
        "",
        Extent::PastTheEnd {
            offset: total + 1,
            total,
        },
    );
}

#[test]
fn stops_before_the_answer_grows_too_long() {
    let temp = tempfile::tempdir().expect("a temp folder");
    fs::write(temp.path().join("f"), "0123456789\n".repeat(100)).expect("a file");
    let workspace = workspace(temp.path());
    let reader = workspace.reader(&Cancel::never()).expect("a root");
    let request = ReadRequest {
        path: "f",
        offset: 1,
        limit: 2000,
        max_bytes: 30,
        with_hash: true,
    };
    let answer = read(&reader, &request).expect("text");
    let Content::Lines(lines) = answer.content else {
        panic!("no text")
    };
    assert_eq!(lines.text, "1: 0123456789\n2: 0123456789");
    assert_eq!(
        lines.extent,
        Extent::Cut {
            last: 2,
            total: Some(100)
        }
    );
    let hash = answer.hash.expect("asked for");
    assert_eq!(
        (hash.n_bytes, hash.n_lines, hash.sha256.len()),
        (1100, 100, 64)
    );
}

#[test]
fn reads_the_end_of_a_sparse_giant_in_bounded_memory() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let file = fs::File::create(temp.path().join("f")).expect("a file");
    std::io::Write::write_all(&mut &file, &b"text\n".repeat(2000)).expect("room");
    file.set_len(300 << 20).expect("a sparse file");
    let workspace = workspace(temp.path());
    let reader = workspace.reader(&Cancel::never()).expect("a root");
    let max_bytes = limits::ANSWER_BYTES;
    let request = ReadRequest {
        path: "f",
        offset: 1999,
        limit: 2,
        max_bytes,
        with_hash: false,
    };
    let Content::Lines(lines) = read(&reader, &request).expect("text").content else {
        panic!("no text")
    };
    assert_eq!(lines.text, "1999: text\n2000: text");
    assert_eq!(
        lines.extent,
        Extent::Cut {
            last: 2000,
            total: Some(2001)
        }
    );
}

#[test]
fn text_taken_whole_is_shown_like_text_taken_in_pieces() {
    use super::render::Render;
    let long = "é".repeat(limits::LINE_CHARS + 3);
    for text in [
        "",
        "\n",
        "a",
        "a\r\n\nb\r",
        "\n\n\n",
        "é\r\r\n🙂",
        &long,
        &format!("{long}\n{long}\nx\n"),
    ] {
        for (limit, max_bytes) in [(9, 1 << 20), (2, 1 << 20), (9, 7), (9, 0)] {
            let mut whole = Render::new(limit, max_bytes);
            whole.start(98);
            whole.feed_text(text);
            let mut pieces = Render::new(limit, max_bytes);
            pieces.start(98);
            for byte in text.as_bytes() {
                pieces.feed(&[*byte]);
            }
            pieces.end();
            assert_eq!(whole.last(), pieces.last(), "{text:?}");
            assert_eq!(whole.finish(), pieces.finish(), "{text:?}");
        }
    }
}
