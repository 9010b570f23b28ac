//! The tests that `SECURITY.md` names for its promises.

use std::fs;
use std::path::Path;

use crate::Result;
use crate::checkout::root;

/// Where promises stand.
const PAGE: &str = "SECURITY.md";

/// Fails when a file is named that there is not, or a test that is not in the file before it.
pub fn check() -> Result<()> {
    let text = fs::read_to_string(root().join(PAGE))
        .map_err(|error| format!("cannot read {PAGE}: {error}"))?;
    let broken = broken(&text, root());
    if broken.is_empty() {
        Ok(())
    } else {
        Err(format!(
            "{PAGE} names what there is not: {}",
            broken.join(", ")
        ))
    }
}

/// What a page names in vain of a checkout.
fn broken(page: &str, checkout: &Path) -> Vec<String> {
    let mut broken = Vec::new();
    for line in page.lines() {
        let mut tests = None;
        // Every second piece stands between backticks.
        for name in line.split('`').skip(1).step_by(2) {
            if name.starts_with("crates/") || name.starts_with("clients/") {
                let path = checkout.join(name);
                tests = Some((name, fs::read_to_string(&path).unwrap_or_default()));
                if !path.exists() {
                    broken.push(name.to_owned());
                }
            } else if let Some((path, source)) = &tests
                && !source.contains(&format!("fn {name}()"))
            {
                broken.push(format!("{name} in {path}"));
            }
        }
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::broken;
    use crate::checkout::root;

    #[test]
    fn what_is_not_there_is_found() {
        let page = "`--http` | `xtask/src` | `crates/none.rs`\n\
                    | `crates/server/src/lib.rs`: `made_up` |\n\
                    | `crates/server/src/http/access/tests.rs`: `a_token_is_never_shown` |\n";
        assert_eq!(
            broken(page, root()),
            ["crates/none.rs", "made_up in crates/server/src/lib.rs"]
        );
    }
}
