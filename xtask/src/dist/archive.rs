//! The archives that people download: one program with its papers, its manual page and completions.

use std::fs;
use std::io::{self, Cursor, Read as _, Write as _};
use std::path::Path;
use std::process::Command;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use super::{Built, NAME, Target, sha256};
use crate::Result;
use crate::checkout::root;

/// Packs a program into `folder`. `generator` is the same program for this machine, which prints the
/// manual page and the completions.
///
/// # Errors
/// When something cannot be read, run or written.
pub fn pack(
    version: &str,
    triple: &str,
    program: &Path,
    generator: &Path,
    folder: &Path,
) -> Result<()> {
    let version = version.strip_prefix('v').unwrap_or(version);
    let target = Target::of(triple)?;
    let read = |path: &Path| {
        fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
    };
    let mut files = vec![(target.program(), read(program)?, 0o755)];
    for paper in ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        files.push((paper.to_owned(), read(&root().join(paper))?, 0o644));
    }
    for (name, words) in [
        (format!("{NAME}.1"), &["man"][..]),
        (format!("completions/{NAME}.bash"), &["completions", "bash"]),
        (format!("completions/_{NAME}"), &["completions", "zsh"]),
        (format!("completions/{NAME}.fish"), &["completions", "fish"]),
        (
            format!("completions/{NAME}.ps1"),
            &["completions", "powershell"],
        ),
    ] {
        files.push((name, said(generator, words)?, 0o644));
    }
    let stem = format!("{NAME}-{version}-{triple}");
    let files: Vec<_> = files
        .into_iter()
        .map(|(name, content, mode)| (format!("{stem}/{name}"), content, mode))
        .collect();
    let (name, content) = if target.is_windows() {
        (format!("{stem}.zip"), zipped(&files)?)
    } else {
        (format!("{stem}.tar.gz"), tarred(&files)?)
    };
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(folder.join(&name), content))
        .map_err(|error| format!("cannot write {name}: {error}"))
}

fn said(program: &Path, words: &[&str]) -> Result<Vec<u8>> {
    let output = Command::new(program)
        .args(words)
        .output()
        .map_err(|error| format!("cannot run {}: {error}", program.display()))?;
    if !output.status.success() || output.stdout.is_empty() {
        return Err(format!(
            "{} {} says nothing",
            program.display(),
            words.join(" ")
        ));
    }
    Ok(output.stdout)
}

/// A file for an archive: its path, its content, its mode.
pub(super) type Packed = (String, Vec<u8>, u32);

/// A compressed tar archive, the same for the same files.
pub(super) fn tarred(files: &[Packed]) -> Result<Vec<u8>> {
    let gzip = GzEncoder::new(Vec::new(), Compression::best());
    let mut archive = tar::Builder::new(gzip);
    for (path, content, mode) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(*mode);
        header.set_mtime(0);
        header.set_uid(0);
        header.set_gid(0);
        archive
            .append_data(&mut header, path, content.as_slice())
            .map_err(|error| format!("cannot pack {path}: {error}"))?;
    }
    archive
        .into_inner()
        .and_then(GzEncoder::finish)
        .map_err(|error| format!("cannot pack: {error}"))
}

/// A zip archive, the same for the same files.
pub(super) fn zipped(files: &[Packed]) -> Result<Vec<u8>> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (path, content, mode) in files {
        let options = zip::write::SimpleFileOptions::default()
            .last_modified_time(zip::DateTime::default())
            .unix_permissions(*mode);
        archive
            .start_file(path, options)
            .map_err(|error| error.to_string())
            .and_then(|()| {
                archive
                    .write_all(content)
                    .map_err(|error| error.to_string())
            })
            .map_err(|error| format!("cannot pack {path}: {error}"))?;
    }
    let packed = archive
        .finish()
        .map_err(|error| format!("cannot pack: {error}"))?;
    Ok(packed.into_inner())
}

/// The archives of a version in a folder, in the order of their names.
pub(super) fn built(version: &str, folder: &Path) -> Result<Vec<Built>> {
    let listed = fs::read_dir(folder)
        .map_err(|error| format!("cannot list {}: {error}", folder.display()))?;
    let mut names: Vec<String> = listed
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    names.sort();
    let mut built = Vec::new();
    for file in names {
        let Some(rest) = file.strip_prefix(&format!("{NAME}-{version}-")) else {
            continue;
        };
        let stem = rest
            .strip_suffix(".tar.gz")
            .or_else(|| rest.strip_suffix(".zip"));
        let Some(triple) = stem else {
            continue;
        };
        let target = Target::of(triple)?;
        let content = fs::read(folder.join(&file)).map_err(|error| format!("{file}: {error}"))?;
        let program = program(&content, target).map_err(|error| format!("{file}: {error}"))?;
        built.push(Built {
            target,
            sha256: sha256(&content),
            file,
            program,
        });
    }
    Ok(built)
}

/// One file out of a compressed tar archive.
///
/// # Errors
/// When it is not in it, or the archive is not one.
pub fn unpacked(archive: &Path, path: &str) -> Result<Vec<u8>> {
    let file =
        fs::File::open(archive).map_err(|error| format!("{}: {error}", archive.display()))?;
    untarred(file, path, |inside| inside == path)
}

fn program(archive: &[u8], target: &Target) -> Result<Vec<u8>> {
    let name = target.program();
    let is_it = |path: &str| path.rsplit('/').next() == Some(name.as_str());
    if !target.is_windows() {
        return untarred(archive, &name, is_it);
    }
    let mut program = Vec::new();
    let mut archive =
        zip::ZipArchive::new(Cursor::new(archive)).map_err(|error| error.to_string())?;
    let path = archive
        .file_names()
        .find(|path| is_it(path))
        .map(str::to_owned);
    let path = path.ok_or_else(|| format!("there is no {name} in it"))?;
    let mut file = archive.by_name(&path).map_err(|error| error.to_string())?;
    file.read_to_end(&mut program)
        .map_err(|error| error.to_string())?;
    Ok(program)
}

fn untarred(archive: impl io::Read, name: &str, is_it: impl Fn(&str) -> bool) -> Result<Vec<u8>> {
    let mut content = Vec::new();
    let mut archive = tar::Archive::new(GzDecoder::new(archive));
    for entry in archive.entries().map_err(|error| error.to_string())? {
        let mut entry = entry.map_err(|error| error.to_string())?;
        if is_it(
            &entry
                .path()
                .map_err(|error| error.to_string())?
                .to_string_lossy(),
        ) {
            entry
                .read_to_end(&mut content)
                .map_err(|error| error.to_string())?;
            return Ok(content);
        }
    }
    Err(format!("there is no {name} in it"))
}
