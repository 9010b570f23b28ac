//! The project's own chores, run as `cargo xtask COMMAND`.
//!
//! Owns what a person or a build machine runs on a checkout. The rules that need no program are tests
//! in `tests/it/`, so that `cargo test` finds them too.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::disallowed_macros,
    reason = "chores start programs, print, and work on the checkout itself, not in a served root"
)]

mod browser;
mod checkout;
mod clients;
mod conformance;
mod count;
mod dist;
mod docs;
mod packages;
mod platform;
mod promises;
mod served;
mod suite;

use std::env;
use std::path::Path;
use std::process::ExitCode;

/// What went wrong, in one line for a person.
type Result<T> = std::result::Result<T, String>;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  test            every test: Rust, the TypeScript and Python clients, the MCP Inspector, a web page,
                  the conformance suite, and the packages of a release
  test --quick    the Rust tests only
  test --clients [NAME]
                  the others only, or one of them, such as browser
  soak [FACTOR]   the Rust tests with their loops FACTOR times as long (default 20)
  docs            write the pages of tools under docs/ from the server's own lists
  docs --check    fail if one of them is not what `docs` would write

  pack VERSION TRIPLE PROGRAM [GENERATOR]
                  put a built program into the archive that people download, in dist/; GENERATOR is the
                  same program for this machine, which prints the manual page and the completions
  dist VERSION    make every package from the archives in dist/: npm, MCPB, the registry's entry,
                  a Dockerfile, a Homebrew formula, and the list of hashes";

/// Where archives and packages go.
const DIST: &str = "dist";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments.as_slice() {
        ["test"] => suite::whole(),
        ["test", "--quick"] => suite::rust_only(),
        ["test", "--clients"] => suite::clients_only(None),
        ["test", "--clients", name] => suite::clients_only(Some(name)),
        ["soak"] => suite::soak("20"),
        ["soak", factor] => suite::soak(factor),
        ["docs"] => docs::write(),
        ["docs", "--check"] => docs::check(),
        ["pack", version, triple, program] => dist::pack(
            version,
            triple,
            Path::new(program),
            Path::new(program),
            Path::new(DIST),
        ),
        ["pack", version, triple, program, generator] => dist::pack(
            version,
            triple,
            Path::new(program),
            Path::new(generator),
            Path::new(DIST),
        ),
        ["dist", version] => dist::make(version, Path::new(DIST)),
        _ => Err(USAGE.to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
