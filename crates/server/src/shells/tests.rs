use super::{NAMES, script};
use crate::catalog::{ALL, Follows, Takes};
use crate::options::{gist, opt};

#[test]
fn every_script_names_every_command_and_option() {
    for shell in NAMES {
        let script = script(shell).unwrap();
        for entry in ALL {
            assert!(script.contains(entry.name), "{shell}: {}", entry.name);
            for option in entry.options() {
                let long = match *shell {
                    "fish" => format!("-l {}", option.long),
                    _ => format!("--{}", option.long),
                };
                assert!(script.contains(&long), "{shell}: {long}");
            }
        }
    }
    assert!(script("cmd").is_none());
}

/// A spec for any number of words takes the place of options that are half written.
#[test]
fn zsh_completes_options_where_no_word_may_follow() {
    let script = script("zsh").unwrap();
    for entry in ALL.iter().filter(|entry| entry.follows == Follows::Nothing) {
        let name = if entry.name.is_empty() {
            "''"
        } else {
            entry.name
        };
        let (_, block) = script.split_once(&format!("\n        {name})\n")).unwrap();
        let (block, _) = block.split_once(";;").unwrap();
        assert!(!block.contains("'*:"), "{block}");
        assert!(!block.trim_end().ends_with('\\'), "{block}");
    }
}

#[test]
fn a_gist_is_the_first_clause() {
    let option = opt("x", "<dir>", "keep it\n  there; not here");
    assert_eq!(gist(&option), "keep it there");
}

#[test]
fn values_are_known_by_what_stands_for_them() {
    let takes = |value| Takes::of(&opt("x", value, ""));
    assert_eq!(takes("<dir>"), Takes::Folder);
    assert_eq!(takes("<path>"), Takes::File);
    assert_eq!(takes("<kill|power>"), Takes::Words(vec!["kill", "power"]));
    assert_eq!(takes("<n>"), Takes::Text);
}
