//! Configuration files as people have them, for each format.

use super::super::client::Client;
use super::super::document::Format;
use super::super::json::Dialect;

/// Shapes of JSON files; `LIST` stands for the key of the list of servers.
const PLAIN: &[&str] = &[
    "",
    "\n",
    "{}",
    "{}\n",
    "{ }\n",
    "{\n}\n",
    "{\n\n}\n",
    "{\n  \"theme\": \"dark\"\n}\n",
    "{\n  \"theme\": \"dark\",\n  \"deep\": {\"a\": {\"b\": [1, 2, {\"c\": null}]}}\n}\n",
    "{\"theme\":\"dark\",\"n\":1.50,\"e\":1e3}",
    "{ \"theme\": \"dark\", \"list\": [1, 2] }\n",
    "{\n  \"LIST\": {}\n}\n",
    "{\"LIST\":{}}",
    "{\n  \"LIST\": {\n  }\n}\n",
    "{\n  \"LIST\": { }, \"last\": true\n}\n",
    "{\n  \"LIST\": {\n    \"git\": {\n      \"command\": \"git-mcp\",\n      \"args\": []\n    }\n  }\n}\n",
    "{\n    \"first\": 1,\n    \"LIST\": {\n        \"a\": { \"command\": \"a\" },\n        \"b\": { \"command\": \"b\", \"env\": { \"K\": \"v\" } }\n    },\n    \"last\": \"x\"\n}\n",
    "{\"LIST\":{\"a\":{\"command\":\"a\",\"args\":[\"-y\"]},\"b\":{\"url\":\"https://b.example/mcp\"}},\"z\":0}",
    "{ \"LIST\": { \"a\": { \"command\": \"a\" } } }",
    "{\n  \"profile\": {\n    \"LIST\": { \"not\": \"this one\" }\n  },\n  \"LIST\": {\n    \"a\": { \"command\": \"a\" }\n  }\n}\n",
    "{\n  \"name\": \"Zoë 🙂 \\u00e9 \\\"quoted\\\" \\\\ // no comment /* nor this */\",\n  \"LIST\": {\n    \"ä\": { \"command\": \"/opt/ünïcode\" }\n  }\n}\n",
    "{\n  \"projects\": {\n    \"/home/u/p\": {\n      \"history\": [{\"display\": \"{ \\\"LIST\\\": {} }\"}],\n      \"LIST\": {}\n    }\n  },\n  \"userID\": \"0123\"\n}\n",
    "{\n\"flat\": 1,\n\"LIST\": {\n\"a\": {\n\"command\": \"a\"\n}\n}\n}\n",
    "{\n  \"LIST\":\n  {\n    \"a\":\n    {\n      \"command\": \"a\"\n    }\n  }\n}\n",
    "{\n  \"LIST\": {\n    \"workspace-mcp\": {\n      \"command\": \"/old/workspace-mcp\",\n      \"args\": [\"--root\", \"/gone\"]\n    }\n  }\n}\n",
    "{\n  \"LIST\": {\n    \"a\": { \"command\": \"a\" },\n    \"workspace-mcp\": { \"command\": \"npx\", \"args\": [\"-y\", \"workspace-mcp\"], \"env\": { \"KEEP\": \"me\" } },\n    \"b\": { \"command\": \"b\" }\n  },\n  \"last\": 1\n}\n",
    "{\"LIST\":{\"workspace-mcp\":{\"command\":\"x\"},\"b\":{\"command\":\"b\"}}}",
    "{\n  \"LIST\": {\n    \"workspace-mcp\": {}\n  },\n  \"x\": [\n    1\n  ]\n}\n",
    "{\n  \"LIST\": {\n    \"workspace-mcp\": { \"url\": \"http://127.0.0.1:3333/mcp\", \"headers\": {} },\n    \"workspace\\u002dtwo\": { \"command\": \"b\" }\n  }\n}\n",
    "{\n  \"LIST\": { \"a\": { \"command\": \"a\" } },\n  \"LIST\": { \"b\": { \"command\": \"b\" } }\n}\n",
    "{\n  \"a\": 1,\n\n  \"LIST\": {\n\n    \"a\": { \"command\": \"a\" }\n\n  }\n\n}\n\n\n",
];

/// With comments.
const COMMENTS: &[&str] = &[
    "// settings\n",
    "// settings\n{}\n",
    "{\n  // nothing yet\n}\n",
    "{ /* nothing yet */ }\n",
    "{\n  \"theme\": \"dark\" // by night\n}\n",
    "{\n  \"theme\": \"dark\", // by night\n  \"LIST\": {\n    // \"off\": { \"command\": \"off\" },\n    \"a\": { \"command\": \"a\" } // the first\n    // , \"c\": { \"command\": \"c\" }\n  } /* end */\n}\n// the end\n",
    "/* head\n   of the file */\n{\n  \"LIST\": {\n    \"a\": { \"command\": \"a\" }, /* two\n    lines */ \"b\": { \"command\": \"b\" }\n  }\n}\n",
    "{\n  \"LIST\": {\n    \"workspace-mcp\": { // ours\n      \"command\": \"/old/workspace-mcp\", // once\n      \"args\": [] /* none */\n    } // end of ours\n  }\n}\n",
    "{\n  \"LIST\": { // \"workspace-mcp\": {}\n  }\n}\n",
];

/// With commas behind the last item too.
const LENIENT: &[&str] = &[
    "{\n  \"theme\": \"dark\",\n}\n",
    "{\n  \"LIST\": {\n    \"a\": { \"command\": \"a\", },\n  },\n}\n",
    "{\n  \"LIST\": {\n    \"a\": { \"command\": \"a\" }, // last\n    // and more\n  }, // servers\n}\n",
    "{ \"LIST\": { \"a\": { \"command\": \"a\" }, }, }\n",
    "{\n  \"LIST\": {\n    \"workspace-mcp\": { \"command\": \"old\", },\n  },\n}\n",
    "{\n  \"LIST\": {\n    \"a\": { \"command\": \"a\", \"args\": [\"x\",], }, /* c */\n    \"workspace-mcp\": {\n      \"command\": \"old\",\n    },\n    \"b\": { \"command\": \"b\" },\n  },\n}\n",
];

const TOML: &[&str] = &[
    "",
    "\n",
    "# nothing yet\n",
    "model = \"gpt-5\"\n",
    "model = \"gpt-5\" # the best\napproval_policy = \"on-request\"\n\n[features]\nweb = true\n",
    "[mcp_servers]\n",
    "[mcp_servers.a]\ncommand = \"a\"\nargs = [\"-y\", \"b\"]\n",
    "[mcp_servers.a]\ncommand = \"a\"\n\n[mcp_servers.a.env]\nK = \"v\"\n\n[tui]\nx = 1\n",
    "[ mcp_servers . a ] # odd blanks\ncommand = 'a'\n\n\n\n[profiles.\"x y\"]\nmodel = \"o\"\n",
    "model = \"a\"\n\n[mcp_servers.workspace-mcp]\ncommand = \"/old/workspace-mcp\"\nargs = [\"--root\", \"/gone\"]\n",
    "[mcp_servers.workspace-mcp]\n# comment inside\ncommand = \"/old\" # was here\nargs = [\n  \"--root\", # folder\n  \"/gone\",\n]\nstartup_timeout_sec = 20\n\n[mcp_servers.workspace-mcp.env]\nKEEP = \"me\"\n\n# of the next\n[mcp_servers.z]\ncommand = \"z\"\n",
    "[mcp_servers.\"workspace-mcp\"]\ncommand = \"old\"\n",
    "[mcp_servers.workspace-mcp]\nurl = \"http://127.0.0.1:3333/mcp\"\nbearer_token_env_var = \"T\"\n\n[a]\n",
    "[mcp_servers.workspace-mcp]\n",
    "[mcp_servers.workspace-mcp]\n\n[b]\nx = 1\n",
    "text = \"\"\"\n[mcp_servers.workspace-mcp]\ncommand = \"not this\"\n\"\"\"\n",
    "text = '''\n[mcp_servers.workspace-mcp]\n'''\n\n[mcp_servers.b]\ncommand = \"b\"\n",
    "list = [\n  [1, 2],\n  [\"[mcp_servers.workspace-mcp]\"],\n]\n",
    "[[rows]]\na = 1\n\n[[rows]]\na = 2\n",
    "[projects.\"/home/ü/🙂\"]\ntrust_level = \"trusted\"\n",
    "a.b.c = 1\nd = { e = [1, { f = 2 }] }\nwhen = 2026-11-30T12:00:00Z\nbig = 1_000\nhex = 0xff\nfloat = 1.5e3\n",
    "mcp_servers.a.command = \"a\"\n",
    "[mcp_servers]\na = { command = \"a\" }\n",
    "[mcp_servers]\na.command = \"a\"\n\n[z]\n",
    "# head\n\n\n[a]\n\n\n# tail\n",
    "[mcp_servers.a]\ncommand = \"a\"\n# [mcp_servers.workspace-mcp]\n# command = \"off\"\n",
    "[tui]\nx = \"a\\u00e9\\\\\"\n",
    "[mcp_servers.workspace-mcp]\nargs = [\"--root\", \"/x\"]\n[mcp_servers.workspace-mcp.tools.grep]\napproval_mode = \"approve\"\n[last]\ny = 1\n",
    "[mcp_servers.workspace-mcp-two]\ncommand = \"two\"\n",
    "notice = true\n[mcp_servers.x]\nurl = \"https://x.example/mcp\"\nhttp_headers = { A = \"b\" }\n",
];

/// Files that are broken, with the line and the column that is named.
pub(super) const BROKEN_JSON: &[(&str, &str)] = &[
    ("{", ":1:1: "),
    (
        "{\n  \"LIST\": {\n    \"a\": { \"command\": \"a\" }\n",
        ":2:11: ",
    ),
    ("{\n  \"a\": 1\n  \"b\": 2\n}\n", ":2:9: expected comma"),
    ("{\n  'a': 1\n}\n", ":2:3: "),
    ("{\n  a: 1\n}\n", ":2:3: "),
    ("[]\n", ":1:1: expected an object"),
    ("\"text\"\n", ":1:1: expected an object"),
    ("{\n  \"LIST\": []\n}\n", ":2:11: expected an object"),
    ("{\n  \"LIST\": null\n}\n", ":2:11: expected an object"),
    ("{} {}\n", ":1:4: "),
    (
        "{\n  \"a\": \"x\n\"\n}\n",
        ":2:10: control character in a text",
    ),
    ("{\n  \"a\": tru\n}\n", ":2:8: "),
    ("{\n  \"ä\": 1,,\n}\n", ":2:10: "),
];

pub(super) const BROKEN_TOML: &[(&str, &str)] = &[
    ("[mcp_servers\n", ":1:13: "),
    ("a = \n", ":1:5: "),
    ("a = 1\na = 2\n", ":2:1: "),
    ("[a]\n[a]\n", ":2:2: "),
    ("ok = 1\nx = \"open\n", ":2:10: "),
];

/// Files of a client's format.
pub(super) fn shapes(client: Client) -> Vec<String> {
    let shapes: Vec<&str> = match client.format() {
        Format::Toml => TOML.to_vec(),
        Format::Json(Dialect::Plain) => PLAIN.to_vec(),
        Format::Json(Dialect::Comments) => [PLAIN, COMMENTS].concat(),
        Format::Json(Dialect::Lenient) => [PLAIN, COMMENTS, LENIENT].concat(),
    };
    let shapes = shapes.into_iter();
    shapes.map(|shape| in_list_of(client, shape)).collect()
}

/// The same files, each also with other line breaks, indentation, marks and ends.
pub(super) fn files(client: Client) -> Vec<String> {
    let mut files = Vec::new();
    for text in shapes(client) {
        files.extend([
            text.replace('\n', "\r\n"),
            format!("\u{feff}{text}"),
            format!("\u{feff}{}", text.replace('\n', "\r\n")),
            text.replace("  ", "\t"),
            text.trim_end().to_owned(),
            text.trim_end().replace('\n', "\r\n"),
            text,
        ]);
    }
    files.sort();
    files.dedup();
    files
}

/// A shape with the list of servers where the client has it.
pub(super) fn in_list_of(client: Client, shape: &str) -> String {
    let key = match client.list("", "") {
        ["mcp"] => "mcp",
        [key, ..] => *key,
        [] => "",
    };
    shape.replace("LIST", key)
}
