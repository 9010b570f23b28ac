//! Texts and bytes as paths, and how names are shown.

use std::path::Path;

use proptest::prelude::{ProptestConfig, any};
use proptest::{collection, prop_assert, prop_assert_eq, proptest, sample};
use rooted::{PathFault, RelPath, is_hidden, show, unshow};

#[cfg(unix)]
const ROOT: &str = "/srv/proj";
#[cfg(windows)]
const ROOT: &str = r"C:\srv\proj";

/// What a path has to be, wherever it came from.
fn is_sound(path: &RelPath) -> bool {
    let text = path.as_bytes();
    let sound = |part: &[u8]| !matches!(part, b"" | b"." | b"..") && !part.contains(&0);
    path.is_root() || text.split(|&b| b == b'/').all(sound)
}

#[test]
fn a_sibling_with_the_same_start_is_outside() {
    let roots = [Path::new(ROOT)];
    for text in [
        "../proj-old/a",
        "../proj2",
        "../Proj x/a",
        "../pro",
        "..",
        "../..",
        "a/../../proj-old",
    ] {
        assert_eq!(
            RelPath::parse(text, &roots),
            Err(PathFault::Outside),
            "{text}"
        );
    }
    for rest in ["-old/a", "2", ".git/x"] {
        let text = format!("{ROOT}{rest}");
        assert_eq!(
            RelPath::parse(&text, &roots),
            Err(PathFault::Outside),
            "{text}"
        );
    }
}

#[test]
fn plain_paths_are_taken_as_written() {
    let roots = [Path::new(ROOT)];
    for (text, want) in [
        ("a//b/", "a/b"),
        ("a/./b", "a/b"),
        ("./", "."),
        (".", "."),
        ("100%25.txt", "100%25.txt"),
        ("%2e%2e/x", "%2e%2e/x"),
        ("~/x", "~/x"),
        ("$HOME/x", "$HOME/x"),
        ("-rf", "-rf"),
        ("...", "..."),
        ("..a/b..", "..a/b.."),
        ("a/b/../../c", "c"),
    ] {
        let got = RelPath::parse(text, &roots).map(|path| path.to_string());
        assert_eq!(got.as_deref(), Ok(want), "{text}");
    }
    for text in ["", " ", "\t\n"] {
        assert_eq!(
            RelPath::parse(text, &roots),
            Err(PathFault::Empty),
            "{text:?}"
        );
    }
}

fn piece() -> impl proptest::strategy::Strategy<Value = &'static str> {
    sample::select(vec![
        "a", "..", ".", "/", "//", "\\", "proj", "srv", "C:", "\0", " ", "\u{202e}", "é", "%2e",
        "~", "\\\\?\\", "\\\\.\\", "x.", "nul", ":s", "🙂", "\n",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2048) })]

    #[test]
    fn a_parsed_path_is_sound_and_parses_to_itself(pieces in collection::vec(piece(), 0..10), below in any::<bool>()) {
        let text = pieces.concat();
        let text = if below { format!("{ROOT}/{text}") } else { text };
        let roots = [Path::new(ROOT)];
        match RelPath::parse(&text, &roots) {
            Ok(path) => {
                prop_assert!(is_sound(&path), "{path:?}");
                prop_assert_eq!(RelPath::from_bytes(path.as_bytes()), Ok(path.clone()));
                let text = path.as_str().expect("it came from text");
                if !text.trim().is_empty() {
                    let again = RelPath::parse(&format!("./{text}"), &roots);
                    prop_assert_eq!(again, Ok(path));
                }
            }
            Err(PathFault::Nul) => prop_assert!(text.contains('\0')),
            Err(PathFault::Empty) => prop_assert!(text.trim().is_empty()),
            Err(PathFault::Outside) => {
                prop_assert!(text.contains("..") || text.contains(['/', '\\', ':']), "{text}");
            }
        }
    }

    #[test]
    fn bytes_make_a_sound_path_or_none(bytes in collection::vec(sample::select(b"ab./\\\0\xff\n".to_vec()), 0..24)) {
        match RelPath::from_bytes(&bytes) {
            Ok(path) => {
                prop_assert!(is_sound(&path), "{path:?}");
                let mut joined = RelPath::root();
                for part in path.components() {
                    joined = joined.join(part);
                    prop_assert!(path.starts_with(&joined));
                }
                prop_assert_eq!(path.depth(), path.components().count());
                prop_assert_eq!(joined, path);
            }
            Err(PathFault::Nul) => prop_assert!(bytes.contains(&0)),
            Err(PathFault::Outside) => prop_assert!(bytes.windows(2).any(|pair| pair == b"..")),
            Err(PathFault::Empty) => prop_assert!(false, "bytes are never blank"),
        }
    }

    #[test]
    fn what_is_shown_fits_a_line_and_reads_back(bytes in collection::vec(any::<u8>(), 0..40)) {
        let shown = show(&bytes);
        prop_assert!(!shown.chars().any(is_hidden), "{shown:?}");
        if !bytes.contains(&b'\\') {
            match unshow(&shown) {
                Some(back) => prop_assert_eq!(back, bytes),
                None => prop_assert_eq!(shown.as_bytes(), &*bytes),
            }
        }
    }

    #[test]
    fn any_text_is_shown_in_one_line_and_reads_back(text in any::<String>()) {
        let shown = show(text.as_bytes());
        prop_assert!(!shown.chars().any(is_hidden), "{shown:?}");
        if !text.contains('\\') {
            let back = unshow(&shown).unwrap_or_else(|| shown.clone().into_bytes());
            prop_assert_eq!(back, text.as_bytes());
        }
        let _ = unshow(&text);
    }
}
