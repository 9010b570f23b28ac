use std::path::Path;

use workspace::managed::Options;

use super::options;
use crate::config::file;

fn read(text: &str) -> Result<Options, String> {
    options(&file::parse_toml(text)?, Some("/home/ada"))
}

fn with_root(rest: &str) -> Result<Options, String> {
    read(&format!("[workspace]\nroot = \"w\"\n{rest}"))
}

#[test]
fn defaults_are_those_people_know() {
    let options = with_root("").unwrap();
    assert_eq!(format!("{options:?}"), format!("{:?}", Options::new("w")));
    let Options {
        max_file_bytes,
        max_read_bytes,
        max_transaction_bytes,
        max_search_results,
        ..
    } = options;
    assert_eq!(
        (max_file_bytes, max_read_bytes, max_transaction_bytes),
        (2_097_152, 1_048_576, 10_485_760)
    );
    assert_eq!(max_search_results, 200);
    assert_eq!(options.author_name, "Safe Workspace MCP");
    assert_eq!(options.author_email, "safe-workspace-mcp@local");
}

#[test]
fn values_are_taken() {
    let config = with_root(
        "max_read_bytes = 10\nmax_search_results = 5\nexcluded = [\"Target\"]\n\
         [write]\nallow_move = false\n[git]\nkeep_checkpoints = 3\nauthor_name = \"Ada\"\n\
         [search]\ninclude_hidden = true\n[server]\ntransport = \"stdio\"\n",
    )
    .unwrap();
    assert_eq!(config.max_read_bytes, 10);
    assert_eq!(config.max_search_results, 5);
    assert_eq!(config.excluded, ["target"]);
    assert!(!config.allow.moving && config.allow.create_file);
    assert_eq!(config.keep_checkpoints, Some(3));
    assert_eq!(config.author_name, "Ada");
    assert!(config.include_hidden);
    let both = with_root("max_search_results = 5\n[search]\nmax_results = 7\n").unwrap();
    assert_eq!(both.max_search_results, 7);
}

#[test]
fn the_home_folder_stands_for_a_tilde() {
    for (root, wanted) in [
        ("~", "/home/ada"),
        ("~/w", "/home/ada/w"),
        ("~w", "~w"),
        ("a/~", "a/~"),
    ] {
        let config = read(&format!("[workspace]\nroot = \"{root}\"\n")).unwrap();
        assert_eq!(config.root, Path::new(wanted));
    }
}

#[test]
fn faults_read_as_people_know_them() {
    for (text, wanted) in [
        ("[extra]\n", "unknown config section: [extra]"),
        ("extra = 1\n", "unknown config section: [extra]"),
        (
            "workspace = 1\n",
            "config section [workspace] must be a table",
        ),
        ("[[paths]]\n", "config section [paths] must be a table"),
        (
            "[workspace]\nrot = \"w\"\n",
            "unknown config key: workspace.rot",
        ),
        ("[paths]\nx = 1\n", "unknown config key: paths.x"),
        ("[write]\nx = 1\n", "unknown config key: write.x"),
        ("[git]\nx = 1\n", "unknown config key: git.x"),
        ("[search]\nx = 1\n", "unknown config key: search.x"),
        ("[server]\nx = 1\n", "unknown config key: server.x"),
        ("", "workspace.root is required"),
        ("[workspace]\nroot = \"\"\n", "workspace.root is required"),
        ("[workspace]\nroot = 1\n", "workspace.root is required"),
    ] {
        assert_eq!(read(text).unwrap_err(), wanted, "{text}");
    }
    for (rest, wanted) in [
        (
            "max_file_bytes = 0",
            "max_file_bytes must be a positive integer",
        ),
        (
            "max_read_bytes = true",
            "max_read_bytes must be a positive integer",
        ),
        (
            "max_transaction_bytes = 1.5",
            "max_transaction_bytes must be a positive integer",
        ),
        (
            "max_search_results = -1",
            "max_search_results must be a positive integer",
        ),
        (
            "max_file_bytes = 5",
            "max_read_bytes must not exceed max_file_bytes",
        ),
        (
            "excluded = \"x\"",
            "workspace.excluded must be a list of names",
        ),
        (
            "excluded = [1]",
            "workspace.excluded must be a list of names",
        ),
        (
            "excluded = [\"a\", \"b/c\"]",
            "workspace.excluded must be a list of names, and \"b/c\" is none",
        ),
        (
            "excluded = ['b\\c']",
            "workspace.excluded must be a list of names, and \"b\\\\c\" is none",
        ),
        (
            "excluded = [\"\"]",
            "workspace.excluded must be a list of names, and \"\" is none",
        ),
        (
            "[paths]\nreject_hardlinks = 1",
            "reject_hardlinks must be a boolean",
        ),
        (
            "[write]\nallow_move = \"no\"",
            "allow_move must be a boolean",
        ),
        (
            "[write]\nrequire_expected_hash = 1",
            "require_expected_hash must be a boolean",
        ),
        (
            "[write]\nallow_recursive_delete = true",
            "allow_recursive_delete is not supported in v0.1.0",
        ),
        (
            "[git]\nauto_checkpoint = 1",
            "auto_checkpoint must be a boolean",
        ),
        ("[git]\nmode = \"\"", "mode must be a non-empty string"),
        ("[git]\nmode = \"a b\"", "mode must be a simple word"),
        ("[git]\nmode = \"--\"", "mode must be a simple word"),
        (
            "[git]\nmode = \"none\"",
            "git.mode must be 'managed' in v0.1.0",
        ),
        (
            "[git]\nauthor_name = 5",
            "author_name must be a non-empty string",
        ),
        (
            "[git]\nallow_existing_repository = true",
            "adopting existing repositories is not supported in v0.1.0",
        ),
        (
            "[git]\nallow_remotes = true",
            "git remotes are not supported in v0.1.0",
        ),
        (
            "[git]\nenabled = false",
            "git.enabled = false is not supported in v0.1.0",
        ),
        (
            "[git]\nkeep_checkpoints = 0",
            "keep_checkpoints must be a positive integer",
        ),
        (
            "[search]\nmax_results = 0",
            "max_results must be a positive integer",
        ),
        (
            "[server]\ntransport = \"http\"",
            "only stdio transport is supported in v0.1.0",
        ),
        (
            "[server]\ntransport = 1",
            "only stdio transport is supported in v0.1.0",
        ),
    ] {
        assert_eq!(with_root(rest).unwrap_err(), wanted, "{rest}");
    }
    let fault = with_root("max_file_bytes = 99999999999999999999").unwrap_err();
    assert_eq!(fault, "number out of range at line 3 column 18");
    let fault = read("[workspace\n").unwrap_err();
    assert!(fault.contains("at line 1 column "), "{fault}");
    assert_eq!(fault.lines().count(), 1);
}

#[test]
fn a_tilde_without_a_home_folder_is_told() {
    for (root, is_fault) in [("~", true), ("~/w", true), ("~w", false), ("w", false)] {
        let file = file::parse_toml(&format!("[workspace]\nroot = \"{root}\"\n")).unwrap();
        for home in [None, Some("")] {
            match options(&file, home) {
                Err(fault) if is_fault => assert!(
                    fault.starts_with("workspace.root begins with ~, but "),
                    "{fault}"
                ),
                Ok(options) if !is_fault => assert_eq!(options.root, Path::new(root)),
                other => panic!("{root}: {other:?}"),
            }
        }
    }
}
