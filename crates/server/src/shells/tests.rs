use super::{NAMES, script};
use crate::catalog::{ALL, Takes};
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
