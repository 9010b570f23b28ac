//! Bash, 3.2 and later.

use std::fmt::Write as _;

use crate::catalog::{ALL, Entry, Follows, Takes};

pub(super) fn script() -> String {
    let names: Vec<&str> = ALL
        .iter()
        .map(|entry| entry.name)
        .filter(|name| !name.is_empty())
        .collect();
    let mut values = String::new();
    let mut seen = Vec::new();
    for option in ALL.iter().flat_map(Entry::options) {
        if seen.contains(&option.long) {
            continue;
        }
        seen.push(option.long);
        let long = option.long;
        // A String takes every write.
        let _ = match Takes::of(option) {
            Takes::Nothing => continue,
            Takes::Folder => writeln!(
                values,
                "        --{long}) _workspace_mcp_paths -d; return ;;"
            ),
            Takes::File => writeln!(
                values,
                "        --{long}) _workspace_mcp_paths -f; return ;;"
            ),
            Takes::Words(words) => {
                let words = words.join("\\n");
                writeln!(
                    values,
                    "        --{long}) _workspace_mcp_words $'{words}'; return ;;"
                )
            }
            Takes::Text => writeln!(values, "        --{long}) return ;;"),
        };
    }
    let mut commands = String::new();
    for entry in ALL {
        let mut words: Vec<String> = entry
            .options()
            .map(|option| format!("--{}", option.long))
            .collect();
        if entry.name.is_empty() {
            words.extend(names.iter().map(|&name| name.to_owned()));
        }
        words.extend(entry.words().into_iter().map(ToOwned::to_owned));
        let name = if entry.name.is_empty() {
            "''"
        } else {
            entry.name
        };
        let files = if entry.follows == Follows::File {
            "_workspace_mcp_paths -f; "
        } else {
            ""
        };
        let _ = writeln!(
            commands,
            "        {name}) [[ $current != -* ]] && {{ {files}:; }}; words=$'{}' ;;",
            words.join("\\n")
        );
    }
    format!(
        "# Completion of workspace-mcp for bash.\n\
         \n\
         _workspace_mcp_words() {{\n\
         \x20   local IFS=$'\\n'\n\
         \x20   COMPREPLY+=($(compgen -W \"$1\" -- \"${{COMP_WORDS[COMP_CWORD]}}\"))\n\
         }}\n\
         \n\
         _workspace_mcp_paths() {{\n\
         \x20   local IFS=$'\\n'\n\
         \x20   compopt -o filenames 2>/dev/null\n\
         \x20   COMPREPLY+=($(compgen \"$1\" -- \"${{COMP_WORDS[COMP_CWORD]}}\"))\n\
         }}\n\
         \n\
         _workspace_mcp() {{\n\
         \x20   local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}\n\
         \x20   local command= word words=\n\
         \x20   COMPREPLY=()\n\
         \x20   for word in \"${{COMP_WORDS[@]:1:COMP_CWORD-1}}\"; do\n\
         \x20       case $word in\n\
         \x20           {}) command=$word; break ;;\n\
         \x20       esac\n\
         \x20   done\n\
         \x20   if [[ $command == setup ]]; then\n\
         \x20       # Behind `--` go the words of the server.\n\
         \x20       for word in \"${{COMP_WORDS[@]:2:COMP_CWORD-2}}\"; do\n\
         \x20           [[ $word == -- ]] && command=\n\
         \x20       done\n\
         \x20   fi\n\
         \x20   case $before in\n{values}\x20   esac\n\
         \x20   case $command in\n{commands}\x20   esac\n\
         \x20   _workspace_mcp_words \"$words\"\n\
         }}\n\
         \n\
         complete -F _workspace_mcp workspace-mcp\n",
        names.join("|")
    )
}
