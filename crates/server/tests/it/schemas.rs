//! What `tools/list` says: shapes that no client chokes on, within a budget.

use serde_json::{Map, Value, json};

use crate::client::{Client, folder};

/// The budget for 19 tools; the list grows towards it.
const BUDGET_BYTES: usize = 14 * 1024;

fn tools(options: &[&str]) -> Vec<Value> {
    let folder = folder(&[]);
    let mut client = Client::start(folder.path(), options);
    let list = client.request("tools/list", json!({}));
    list["result"]["tools"].as_array().unwrap().clone()
}

fn names(options: &[&str]) -> Vec<String> {
    let name = |tool: &Value| tool["name"].as_str().unwrap().to_owned();
    tools(options).iter().map(name).collect()
}

#[test]
fn the_tools_come_in_their_order() {
    assert_eq!(
        names(&[]),
        [
            "workspace_list",
            "read_file",
            "write_file",
            "edit_file",
            "patch",
            "grep",
            "list_files",
            "work_log",
            "remember",
            "recall",
            "git_status",
            "git_diff",
            "change_create",
            "change_activate",
            "change_doc",
            "change_status",
            "task_add",
            "task_update",
            "constraint_add",
        ]
    );
    assert_eq!(
        names(&["--read-only"]),
        [
            "workspace_list",
            "read_file",
            "grep",
            "list_files",
            "work_log",
            "recall",
            "git_status",
            "git_diff",
            "change_status"
        ]
    );
    assert_eq!(
        names(&[
            "--allow-tool",
            "patch",
            "--allow-tool",
            "grep",
            "--deny-tool",
            "grep"
        ]),
        ["patch"]
    );
}

#[test]
fn the_list_keeps_its_budget() {
    let tools = tools(&[]);
    let bytes = json!({ "tools": tools }).to_string().len();
    // What is there may take its share of the budget, and a few bytes more for its many arguments.
    let share = BUDGET_BYTES * tools.len() / 19 + 1024;
    assert!(bytes <= share, "{bytes} bytes, {share} allowed");
}

#[test]
fn every_tool_has_all_that_clients_ask_for() {
    for tool in tools(&[]) {
        let keys: Vec<&String> = tool.as_object().unwrap().keys().collect();
        assert_eq!(
            keys,
            ["name", "title", "description", "inputSchema", "annotations"],
            "{tool}"
        );
        let name = tool["name"].as_str().unwrap();
        assert!(name.len() <= 20 && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'));
        for hint in [
            "readOnlyHint",
            "destructiveHint",
            "idempotentHint",
            "openWorldHint",
        ] {
            assert!(tool["annotations"][hint].is_boolean(), "{name} {hint}");
        }
        assert_eq!(tool["annotations"].as_object().unwrap().len(), 4);
        lint(&tool["inputSchema"], name, true);
    }
}

/// Refuses in an output schema what some client was seen to refuse. What may be `null` has no type
/// there, since a union with it is worse.
pub fn lint_output(schema: &Value, at: &str) {
    let mut schema = schema.clone();
    give_types(&mut schema);
    lint(&schema, at, true);
}

/// Gives a type to every property that has none but a description.
fn give_types(schema: &mut Value) {
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        for property in properties.values_mut() {
            let keys = property.as_object().map_or(0, Map::len);
            if keys == 1 && property.get("description").is_some() {
                property["type"] = "string".into();
            }
            give_types(property);
        }
    }
    if let Some(items) = schema.get_mut("items") {
        give_types(items);
    }
}

/// Refuses what some client was seen to refuse.
pub fn lint(schema: &Value, at: &str, is_root: bool) {
    let known = [
        "type",
        "properties",
        "required",
        "description",
        "items",
        "minimum",
        "maximum",
        "minLength",
        "minItems",
        "enum",
    ];
    let schema = schema
        .as_object()
        .unwrap_or_else(|| panic!("{at}: no object"));
    for key in schema.keys() {
        assert!(known.contains(&key.as_str()), "{at}: keyword {key}");
    }
    let kind = schema["type"]
        .as_str()
        .unwrap_or_else(|| panic!("{at}: no type"));
    assert!(!is_root || kind == "object", "{at}: root is {kind}");
    let none = Map::new();
    let properties = match schema.get("properties") {
        Some(properties) => {
            assert_eq!(kind, "object", "{at}: properties of {kind}");
            properties.as_object().unwrap()
        }
        None => &none,
    };
    for (name, property) in properties {
        lint(property, &format!("{at}.{name}"), false);
    }
    if let Some(required) = schema.get("required") {
        let required = required.as_array().unwrap();
        assert!(!required.is_empty(), "{at}: empty required");
        for name in required {
            assert!(
                properties.contains_key(name.as_str().unwrap()),
                "{at}: {name}"
            );
        }
    }
    assert_eq!(kind == "array", schema.contains_key("items"), "{at}: items");
    if let Some(items) = schema.get("items") {
        lint(items, &format!("{at}[]"), false);
    }
    if let Some(words) = schema.get("enum") {
        assert!(
            words.as_array().unwrap().iter().all(Value::is_string),
            "{at}: enum"
        );
    }
}
