//! The folder of the repository: how a new one looks, and how ours are told from others.

use rooted::{Dir, Durability, ErrorKind, Kind};

use super::error::Error;
use super::files;
use super::rules::Rules;
use crate::git::config::{self, Entry};

/// The folder's name.
pub(super) const GIT: &[u8] = b".git";
/// Section and key of the marker.
const MARKER: (&str, &str) = ("safe-workspace-mcp", "managed-repository-format");
/// The only format there is.
const FORMAT: &str = "1";
/// Bytes of a configuration file.
const CONFIG_BYTES: u64 = 1024 * 1024;

/// What is at `.git`.
pub(super) enum Found {
    /// Nothing.
    Nothing,
    /// A repository of this server's kind.
    Ours(Layout),
}

/// A repository that passed.
pub(super) struct Layout {
    pub(super) git: Dir,
    /// Whether the executable bit on the disk means something.
    pub(super) trusts_modes: bool,
}

/// Looks at `.git` in the root.
///
/// # Errors
/// [`Error::Foreign`] when it is anything but a repository of this server.
pub(super) fn find(root: &Dir) -> Result<Found, Error> {
    match root.stat(GIT) {
        Ok(meta) if meta.kind == Kind::Dir => {}
        Ok(_) => return Err(Error::Foreign("`.git` is not a folder")),
        Err(error) if matches!(error.kind, ErrorKind::NotFound) => return Ok(Found::Nothing),
        Err(error) => return Err(error.into()),
    }
    check(root.open_dir(GIT)?).map(Found::Ours)
}

/// Tells a repository of this server from others.
fn check(git: Dir) -> Result<Layout, Error> {
    let unreadable = |_| Error::Foreign("its configuration cannot be read");
    let content = files::read(&git, b"config", CONFIG_BYTES)
        .map_err(unreadable)?
        .ok_or(Error::Foreign("it has no configuration"))?;
    let entries =
        config::parse(&content).map_err(|_| Error::Foreign("its configuration cannot be read"))?;
    let marker = last(&entries, MARKER.0, MARKER.1);
    match marker.map(|entry| entry.text()) {
        Some(Some(FORMAT)) => {}
        Some(_) => return Err(Error::Foreign("its format is not known")),
        None => {
            return Err(Error::Foreign(
                "it was not made by this server; serve a copy without `.git`",
            ));
        }
    }
    if entries.iter().any(|entry| entry.section == "remote") {
        return Err(Error::Foreign("it has remotes"));
    }
    let version = last(&entries, "core", "repositoryformatversion").and_then(Entry::text);
    let is_known = matches!(version, None | Some("0" | "1"));
    let is_extended = entries.iter().any(|entry| {
        entry.section == "extensions"
            && !(entry.key == "noop" || entry.key == "objectformat" && entry.text() == Some("sha1"))
    });
    let truth = |key| last(&entries, "core", key).map(Entry::truth);
    let is_elsewhere = last(&entries, "core", "worktree").is_some()
        || files::read(&git, b"commondir", CONFIG_BYTES)?.is_some();
    if !is_known || is_extended || is_elsewhere || truth("bare") == Some(Some(true)) {
        return Err(Error::Foreign("it is set up in a way that is not known"));
    }
    let objects = git.open_dir(b"objects");
    let (Ok(objects), Ok(_), Ok(head)) = (objects, git.open_dir(b"refs"), git.stat(b"HEAD")) else {
        return Err(Error::Foreign("parts of it are missing"));
    };
    if head.kind != Kind::File {
        return Err(Error::Foreign("parts of it are missing"));
    }
    if let Some(info) = files::open(&objects, &[b"info"])?
        && files::read(&info, b"alternates", CONFIG_BYTES)?.is_some_and(|text| !text.is_empty())
    {
        return Err(Error::Foreign("it takes objects from another repository"));
    }
    Ok(Layout {
        trusts_modes: !matches!(truth("filemode"), Some(Some(false))),
        git,
    })
}

fn last<'a>(entries: &'a [Entry], section: &str, key: &str) -> Option<&'a Entry> {
    entries.iter().rev().find(|entry| entry.is(section, key))
}

/// Fills a new folder with an empty repository.
pub(super) fn make(git: &Dir, rules: &Rules, durability: Durability) -> Result<(), Error> {
    for way in [
        &[&b"objects"[..], b"info"][..],
        &[b"objects", b"pack"],
        &[b"refs", b"heads"],
        &[b"refs", b"tags"],
    ] {
        files::make(git, way)?;
    }
    let (section, key) = MARKER;
    let filemode = rooted::KEEPS_EXECUTABLE_BITS;
    let config = format!(
        "[core]\n\trepositoryformatversion = 0\n\tfilemode = {filemode}\n\tbare = false\n\
         \tlogallrefupdates = true\n\tautocrlf = false\n\teol = lf\n\
         [{section}]\n\t{key} = {FORMAT}\n"
    );
    files::write(git, b"config", config.as_bytes(), durability)?;
    files::write(git, b"HEAD", b"ref: refs/heads/master\n", durability)?;
    // For people who look with git itself: it shall see the bytes on the disk, and not ask about
    // what is left out here.
    let info = files::make(git, &[b"info"])?;
    let attributes = b"* -text -filter -ident -working-tree-encoding\n";
    files::write(&info, b"attributes", attributes, durability)?;
    let mut exclude = String::from(".workspace-mcp/\n.workspace-mcp-tmp-*\n");
    for name in rules.excluded() {
        exclude.push_str(&ignore_line(name));
    }
    files::write(&info, b"exclude", exclude.as_bytes(), durability)?;
    if durability == Durability::Power {
        for name in [b"objects", &b"refs"[..]] {
            git.open_dir(name)?.sync()?;
        }
    }
    Ok(())
}

/// A line of ignore rules for just this name, in any case.
fn ignore_line(name: &str) -> String {
    let mut line = String::new();
    for c in name.chars() {
        match c {
            'a'..='z' => {
                line.push('[');
                line.push(c);
                line.push(c.to_ascii_uppercase());
                line.push(']');
            }
            '*' | '?' | '[' | ']' | '\\' | '#' | '!' | ' ' => {
                line.push('\\');
                line.push(c);
            }
            other => line.push(other),
        }
    }
    line.push('\n');
    line
}
