//! PowerShell, 5.1 and later.

use std::fmt::Write as _;

use crate::catalog::{ALL, Takes};
use crate::options::gist;

pub(super) fn script() -> String {
    let mut tables = String::new();
    let mut values = String::new();
    let mut seen = Vec::new();
    for entry in ALL {
        // A String takes every write.
        let _ = writeln!(tables, "        {} = @(", quoted(entry.name));
        if entry.name.is_empty() {
            for other in ALL.iter().filter(|entry| !entry.name.is_empty()) {
                let _ = writeln!(
                    tables,
                    "            ,@({}, {})",
                    quoted(other.name),
                    quoted(other.about)
                );
            }
        }
        for word in entry.words() {
            let _ = writeln!(tables, "            ,@({0}, {0})", quoted(word));
        }
        for option in entry.options() {
            let long = format!("--{}", option.long);
            let _ = writeln!(
                tables,
                "            ,@({}, {})",
                quoted(&long),
                quoted(&gist(option))
            );
            if let Takes::Words(words) = Takes::of(option)
                && !seen.contains(&option.long)
            {
                seen.push(option.long);
                let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
                let _ = writeln!(
                    values,
                    "        {} = @({})",
                    quoted(&long),
                    words.join(", ")
                );
            }
        }
        tables.push_str("        )\n");
    }
    format!(
        "# Completion of workspace-mcp for PowerShell.\n\
         \n\
         Register-ArgumentCompleter -Native -CommandName workspace-mcp -ScriptBlock {{\n\
         \x20   param($wordToComplete, $commandAst, $cursorPosition)\n\
         \x20   $commands = @{{\n{tables}\x20   }}\n\
         \x20   $values = @{{\n{values}\x20   }}\n\
         \x20   $before = @($commandAst.CommandElements | Select-Object -Skip 1 |\n\
         \x20       Where-Object {{ $_.Extent.EndOffset -lt $cursorPosition }} | ForEach-Object {{ $_.ToString() }})\n\
         \x20   $command = $before | Where-Object {{ $commands.ContainsKey($_) }} | Select-Object -First 1\n\
         \x20   if ($null -eq $command) {{ $command = '' }}\n\
         \x20   $last = if ($before.Count) {{ $before[-1] }} else {{ '' }}\n\
         \x20   $found = if ($values.ContainsKey($last)) {{\n\
         \x20       $values[$last] | ForEach-Object {{ ,@($_, $_) }}\n\
         \x20   }} else {{\n\
         \x20       $commands[$command]\n\
         \x20   }}\n\
         \x20   $found | Where-Object {{ $_[0] -like \"$wordToComplete*\" }} | ForEach-Object {{\n\
         \x20       [System.Management.Automation.CompletionResult]::new($_[0], $_[0], 'ParameterValue', $_[1])\n\
         \x20   }}\n\
         }}\n"
    )
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
