//! What `tools/list` says: shapes that no client chokes on, within a budget.

use serde_json::{Value, json};

use super::world::World;
use crate::schemas::{lint, lint_output};

/// The budget for nine tools with the shapes of their answers.
const BUDGET_BYTES: usize = 10 * 1024 + 256;

fn tools() -> Vec<Value> {
    let world = World::new(&[]);
    let mut talk = world.start();
    let list = talk.client.request("tools/list", json!({}));
    list["result"]["tools"].as_array().unwrap().clone()
}

#[test]
fn the_tools_come_in_their_order_and_say_all_that_clients_ask_for() {
    let tools = tools();
    let names: Vec<&str> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "workspace_info",
            "list_directory",
            "read_file",
            "search_text",
            "apply_changes",
            "git_status",
            "git_diff",
            "git_history",
            "git_restore",
        ]
    );
    for tool in &tools {
        let keys: Vec<&String> = tool.as_object().unwrap().keys().collect();
        assert_eq!(
            keys,
            [
                "name",
                "title",
                "description",
                "inputSchema",
                "outputSchema",
                "annotations"
            ]
        );
        let name = tool["name"].as_str().unwrap();
        let writes = ["apply_changes", "git_restore"].contains(&name);
        assert_eq!(
            tool["annotations"],
            json!({
                "readOnlyHint": !writes,
                "destructiveHint": writes,
                "idempotentHint": !writes,
                "openWorldHint": false,
            })
        );
        lint(&tool["inputSchema"], name, true);
        lint_output(&tool["outputSchema"], name);
    }
}

#[test]
fn the_list_keeps_its_budget() {
    let bytes = json!({ "tools": tools() }).to_string().len();
    assert!(bytes <= BUDGET_BYTES, "{bytes} bytes");
}

#[test]
fn arguments_have_the_names_and_bounds_that_people_know() {
    let tools = tools();
    let input = |name: &str| {
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        tool["inputSchema"].clone()
    };
    for (tool, names, required) in [
        ("workspace_info", json!([]), json!(null)),
        ("list_directory", json!(["path"]), json!(null)),
        (
            "read_file",
            json!(["path", "offset", "limit"]),
            json!(["path"]),
        ),
        (
            "search_text",
            json!(["query", "path_limit", "include", "regex"]),
            json!(["query"]),
        ),
        (
            "apply_changes",
            json!(["operations"]),
            json!(["operations"]),
        ),
        ("git_status", json!([]), json!(null)),
        (
            "git_diff",
            json!(["checkpoint", "path", "stat"]),
            json!(null),
        ),
        ("git_history", json!(["limit"]), json!(null)),
        (
            "git_restore",
            json!(["checkpoint", "paths", "dry_run", "exact"]),
            json!(["checkpoint"]),
        ),
    ] {
        let schema = input(tool);
        let properties = schema["properties"].as_object().unwrap();
        let found: Vec<&String> = properties.keys().collect();
        assert_eq!(json!(found), names, "{tool}");
        assert_eq!(schema["required"], required, "{tool}");
    }
    assert_eq!(input("search_text")["properties"]["query"]["minLength"], 1);
    let limit = &input("git_history")["properties"]["limit"];
    assert_eq!(
        (&limit["minimum"], &limit["maximum"]),
        (&json!(1), &json!(100))
    );
}
