//! `workspace-mcp completions SHELL`: scripts that make shells complete the words of this program.

mod bash;
mod fish;
mod powershell;
mod zsh;

/// The shells that there are scripts for.
pub const NAMES: &[&str] = &["bash", "zsh", "fish", "powershell"];

/// The script for a shell; `None` for one that is not among [`NAMES`].
#[must_use]
pub fn script(shell: &str) -> Option<String> {
    match shell {
        "bash" => Some(bash::script()),
        "zsh" => Some(zsh::script()),
        "fish" => Some(fish::script()),
        "powershell" => Some(powershell::script()),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
