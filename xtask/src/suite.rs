//! `cargo xtask test` and `soak`: every test there is, and one closing line.

use crate::count::{self, Count};
use crate::{Result, checkout, clients};

/// Every test. The last line printed is `N passed, N failed`.
pub fn whole() -> Result<()> {
    let mut total = rust(&[])?;
    total += with_clients(None);
    close(total)
}

/// The clients, the conformance suite and the packages alone, or one of them, with the same closing line.
pub fn clients_only(only: Option<&str>) -> Result<()> {
    close(with_clients(only))
}

/// The Rust tests alone, with the same closing line.
pub fn rust_only() -> Result<()> {
    close(rust(&[])?)
}

/// The Rust tests with their loops `factor` times as long.
pub fn soak(factor: &str) -> Result<()> {
    if !factor.parse::<u32>().is_ok_and(|n| n > 0) {
        return Err(format!(
            "soak: expected a factor of at least 1, got {factor:?}"
        ));
    }
    close(rust(&[("WORKSPACE_MCP_SOAK", factor)])?)
}

fn rust(environment: &[(&str, &str)]) -> Result<Count> {
    let mut command = checkout::cargo();
    command.args(["test", "--locked", "--workspace", "--no-fail-fast"]);
    command.envs(environment.iter().copied());
    checkout::counted(command, count::from_cargo)
}

fn with_clients(only: Option<&str>) -> Count {
    match checkout::server() {
        Ok(server) => clients::run(&server, only),
        Err(message) => {
            eprintln!("{message}");
            Count::ONE_FAILED
        }
    }
}

fn close(total: Count) -> Result<()> {
    println!("\n{total}");
    if total.failed == 0 && total.passed > 0 {
        Ok(())
    } else {
        // The counts are the last thing said; the exit code says the rest.
        std::process::exit(1)
    }
}
