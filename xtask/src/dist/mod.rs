//! `cargo xtask pack` and `cargo xtask dist`: from built programs to what is published.
//!
//! `pack` puts one program into the archive that people download. `dist` makes everything else from
//! those archives: packages, bundles, formulas, and the hashes that all of them name.

mod archive;
mod container;
mod homebrew;
mod mcpb;
mod npm;
mod registry;

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::Result;

pub use self::archive::{pack, unpacked};

/// The name of the program, the npm package, the formula and the bundle.
const NAME: &str = "workspace-mcp";
/// What it is, in less than 100 characters, as registries ask for it.
const ABOUT: &str = "Safe, fast access to project folders for an AI agent, over MCP";
/// Where the sources are, and the releases.
const REPOSITORY: &str = "https://github.com/workspace-mcp/workspace-mcp";
/// The licence, as SPDX has it.
const LICENSE: &str = "MIT OR Apache-2.0";

/// One system that there are programs for.
#[derive(Debug, PartialEq, Eq)]
pub struct Target {
    /// As the compiler names it, without what it links with.
    triple: &'static str,
    /// As Node names the system.
    npm_os: &'static str,
    /// As Node names the processor.
    npm_cpu: &'static str,
}

/// All of them.
const TARGETS: [Target; 6] = [
    target("x86_64-unknown-linux", "linux", "x64"),
    target("aarch64-unknown-linux", "linux", "arm64"),
    target("x86_64-apple-darwin", "darwin", "x64"),
    target("aarch64-apple-darwin", "darwin", "arm64"),
    target("x86_64-pc-windows", "win32", "x64"),
    target("aarch64-pc-windows", "win32", "arm64"),
];

const fn target(triple: &'static str, npm_os: &'static str, npm_cpu: &'static str) -> Target {
    Target {
        triple,
        npm_os,
        npm_cpu,
    }
}

impl Target {
    /// The target of a compiler's name for it.
    fn of(triple: &str) -> Result<&'static Self> {
        TARGETS
            .iter()
            .find(|target| triple.starts_with(target.triple))
            .ok_or_else(|| format!("no packages are made for {triple}"))
    }

    fn is_windows(&self) -> bool {
        self.npm_os == "win32"
    }

    /// The file name of the program.
    fn program(&self) -> String {
        format!("{NAME}{}", if self.is_windows() { ".exe" } else { "" })
    }
}

/// An archive that was packed, with the program in it.
struct Built {
    target: &'static Target,
    /// Its file name.
    file: String,
    /// The hash of the whole file, in hexadecimal.
    sha256: String,
    /// The program.
    program: Vec<u8>,
}

/// What a release is made of.
struct Release {
    version: String,
    built: Vec<Built>,
    /// Where everything goes.
    out: PathBuf,
}

impl Release {
    fn write(&self, name: &str, content: &[u8]) -> Result<()> {
        let path = self.out.join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)
                .map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
        }
        fs::write(&path, content)
            .map_err(|error| format!("cannot write {}: {error}", path.display()))
    }

    /// Where people download a file of the release from.
    fn url(&self, file: &str) -> String {
        format!("{REPOSITORY}/releases/download/v{}/{file}", self.version)
    }

    fn for_system(&self, os: &str, cpu: &str) -> Option<&Built> {
        self.built
            .iter()
            .find(|built| built.target.npm_os == os && built.target.npm_cpu == cpu)
    }
}

/// Makes everything from the archives of `folder` and puts it beside them.
///
/// # Errors
/// When there is no archive of that version, or one cannot be read.
pub fn make(version: &str, folder: &Path) -> Result<()> {
    let version = version.strip_prefix('v').unwrap_or(version);
    let built = archive::built(version, folder)?;
    if built.is_empty() {
        return Err(format!(
            "no archives of {version} in {}: make one with `cargo xtask pack`",
            folder.display()
        ));
    }
    let release = Release {
        version: version.to_owned(),
        built,
        out: folder.to_owned(),
    };
    npm::make(&release)?;
    let bundles = mcpb::make(&release)?;
    registry::make(&release, &bundles)?;
    container::make(&release)?;
    homebrew::make(&release)?;
    sums(&release)
}

/// The hashes of all files that are downloaded one by one.
fn sums(release: &Release) -> Result<()> {
    let mut lines = Vec::new();
    let listed = fs::read_dir(&release.out)
        .map_err(|error| format!("cannot list {}: {error}", release.out.display()))?;
    for entry in listed {
        let entry = entry.map_err(|error| error.to_string())?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_download = [".tar.gz", ".zip", ".mcpb"]
            .iter()
            .any(|end| name.ends_with(end));
        if is_download && name.contains(&release.version) {
            let content = fs::read(entry.path()).map_err(|error| format!("{name}: {error}"))?;
            lines.push(format!("{}  {name}\n", sha256(&content)));
        }
    }
    lines.sort_by(|a, b| a.get(66..).cmp(&b.get(66..)));
    release.write("SHA256SUMS", lines.concat().as_bytes())
}

/// The system of a compiler's name, as the names of packages have it.
///
/// # Errors
/// When no packages are made for it.
pub fn system(triple: &str) -> Result<String> {
    let target = Target::of(triple)?;
    Ok(format!("{}-{}", target.npm_os, target.npm_cpu))
}

/// A hash in hexadecimal.
pub fn sha256(content: &[u8]) -> String {
    let digest = Sha256::digest(content);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// JSON as files have it.
fn pretty(value: &serde_json::Value) -> String {
    format!("{value:#}\n")
}
