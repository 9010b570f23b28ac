use serde_json::{Value, json};

use super::settings;

fn fault(file: &Value) -> String {
    settings(file).expect_err("it is refused")
}

fn options(file: &Value) -> Vec<String> {
    let settings = settings(file).unwrap();
    let shown = settings.options.iter();
    shown
        .map(|(name, value)| format!("{name} {value}"))
        .collect()
}

#[test]
fn each_key_stands_for_an_option() {
    let file = json!({
        "$schema": "x",
        "limits": {"answerBytes": 4096.0},
        "workspaces": {"b": "x:ro", "a": "../y"},
        "durability": "power",
        "readOnly": true,
        "tools": {"allow": ["grep"], "deny": ["patch", "edit_file"]},
        "paths": {"deny": ["*.key"], "readOnly": ["docs"]},
        "state": {"journalMaxBytes": 1, "journalFiles": 0, "dir": "state"},
        "shell": {
            "mode": "any",
            "allow": ["git"],
            "deny": ["docker"],
            "timeoutMs": 1000,
            "maxRuntimeMs": 2000,
            "env": ["GH_TOKEN"],
            "path": "/bin",
        },
        "transport": {"type": "stdio", "port": 0, "allowedHosts": ["a.example"]},
    });
    assert_eq!(
        options(&file),
        [
            "workspace b=x:ro",
            "workspace a=../y",
            "durability power",
            "read-only true",
            "allow-tool grep",
            "deny-tool patch",
            "deny-tool edit_file",
            "deny-path *.key",
            "read-only-path docs",
            "max-answer-bytes 4096",
            "journal-max-bytes 1",
            "journal-files 0",
            "state-dir state",
            "shell-mode any",
            "shell-allow git",
            "shell-deny docker",
            "shell-timeout-ms 1000",
            "shell-max-runtime-ms 2000",
            "shell-env GH_TOKEN",
            "shell-path /bin",
            "http stdio",
            "port 0",
            "allowed-host a.example",
        ]
    );
    assert!(options(&json!({})).is_empty());
}

#[test]
fn a_secret_is_told_before_anything_else() {
    let text = "token must not be stored in the config file; use MCP_TOKEN or --token";
    for file in [
        json!({"token": "x"}),
        json!({"nope": [{"token": 1}]}),
        json!({"workspaces": {"token": "x"}}),
        json!({"transport": {"token": null, "port": "x"}}),
    ] {
        assert_eq!(fault(&file), text, "{file}");
    }
}

#[test]
fn unknown_keys_are_named_all_at_once() {
    for (file, names) in [
        (json!({"shell": {"b": 1}, "a": {}}), "s: a, shell.b"),
        (json!({"state.dir": "x"}), ": state.dir"),
        (json!({"state": {"dir": "x", "": 1}}), ": state."),
        (json!({"tools": {"x\ny": 1}}), r": tools.x\ny"),
    ] {
        let wanted = format!("unknown config key{names} (remove them or check for typos)");
        assert_eq!(fault(&file), wanted);
    }
}

#[test]
fn long_values_are_cut_in_faults() {
    let text = fault(&json!({"durability": "x".repeat(1000)}));
    assert!(text.len() < 200, "{text}");
}
