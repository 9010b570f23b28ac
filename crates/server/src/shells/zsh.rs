//! Zsh.

use std::fmt::Write as _;

use crate::catalog::{ALL, Entry, Follows, Takes};
use crate::options::Opt;
use crate::options::gist;

pub(super) fn script() -> String {
    let mut commands = String::new();
    let mut cases = String::new();
    for entry in ALL {
        // A String takes every write.
        if !entry.name.is_empty() {
            let _ = writeln!(
                commands,
                "        {}",
                quoted(&format!("{}:{}", entry.name, entry.about))
            );
        }
        let name = if entry.name.is_empty() {
            "''"
        } else {
            entry.name
        };
        let _ = writeln!(
            cases,
            "        {name})\n            _arguments -S \\\n{}            ;;",
            specs(entry)
        );
    }
    format!(
        "#compdef workspace-mcp\n\
         # Completion of workspace-mcp for zsh.\n\
         \n\
         _workspace_mcp() {{\n\
         \x20   local -a commands=(\n{commands}\x20   )\n\
         \x20   local command= word\n\
         \x20   for word in \"${{(@)words[2,CURRENT-1]}}\"; do\n\
         \x20       if (( ${{commands[(I)$word:*]}} )); then command=$word; break; fi\n\
         \x20   done\n\
         \x20   # Behind `--` go the words of the server.\n\
         \x20   local -i dashes=${{words[(i)--]}}\n\
         \x20   if [[ $command == setup ]] && (( dashes < CURRENT )); then\n\
         \x20       command=\n\
         \x20       words=($words[1] \"${{(@)words[dashes+1,-1]}}\")\n\
         \x20       CURRENT=$(( CURRENT - dashes + 1 ))\n\
         \x20   fi\n\
         \x20   if [[ -z $command && $words[CURRENT] != -* ]]; then\n\
         \x20       _describe command commands\n\
         \x20   fi\n\
         \x20   case $command in\n{cases}\x20   esac\n\
         }}\n\
         \n\
         if [[ $funcstack[1] == _workspace_mcp ]]; then\n\
         \x20   _workspace_mcp \"$@\"\n\
         else\n\
         \x20   compdef _workspace_mcp workspace-mcp\n\
         fi\n"
    )
}

/// The options of a command, each in a line that goes on.
fn specs(entry: &Entry) -> String {
    let mut text = String::new();
    for option in entry.options() {
        let _ = writeln!(text, "                {} \\", quoted(&spec(option)));
    }
    let rest = match entry.follows {
        // A word that may follow would hide what the option that is begun can become.
        Follows::Nothing if entry.name.is_empty() => {
            return text.trim_end_matches([' ', '\\', '\n']).to_owned() + "\n";
        }
        // The command itself.
        Follows::Nothing => "1: :",
        Follows::File => "*:file:_files",
        Follows::Anything => "*: :_default",
        Follows::Words(_) | Follows::Tool => {
            let words = entry.words().join(" ");
            return text + &format!("                '*:word:({words})'\n");
        }
    };
    text + &format!("                {}\n", quoted(rest))
}

fn spec(option: &Opt) -> String {
    let gist: String = gist(option)
        .replace('[', "(")
        .replace(']', ")")
        .replace(':', ",");
    let long = option.long;
    let action = match Takes::of(option) {
        Takes::Nothing => return format!("--{long}[{gist}]"),
        Takes::Folder => "folder:_files -/".to_owned(),
        Takes::File => "file:_files".to_owned(),
        Takes::Words(words) => format!("word:({})", words.join(" ")),
        Takes::Text => "value: ".to_owned(),
    };
    format!("*--{long}=[{gist}]:{action}")
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
