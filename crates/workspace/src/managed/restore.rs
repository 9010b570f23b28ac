//! `git_restore`: the files as they were at a checkpoint, and what others made left alone.

use rooted::{ErrorKind, Kind, Mode, RelPath, Root};

use super::Managed;
use super::answer::{RestoreRequest, Restored, WouldChange};
use super::apply::{Change, Refusal};
use super::error::Error;
use crate::cancel::Cancel;
use crate::checkpoint::{self, PRE_RESTORE, Plan, RESTORED};
use crate::limits::EDIT_ATTEMPTS;
use crate::transaction::{Content, TreeChange, What};

/// Characters of the id, as it was given, that the message of the checkpoint names.
const ID_CHARS: usize = 12;

impl Managed {
    /// Makes the files as they were at a checkpoint.
    ///
    /// Only files that differ are written. A file that the checkpoint lacks is deleted when a change
    /// of the server made it, or when the request says `exact`; the checkpoint before the restore
    /// holds it.
    ///
    /// # Errors
    /// [`super::Code::CheckpointNotFound`], those of paths, and those of
    /// [`Managed::apply_changes`]; [`super::Code::FileNotFound`] for a path that neither the files
    /// nor the checkpoint have.
    pub fn restore(
        &self,
        request: &RestoreRequest<'_>,
        cancel: &Cancel,
    ) -> Result<Restored, Error> {
        let mut paths = Vec::with_capacity(request.paths.len());
        for path in &request.paths {
            paths.push(self.rules.parse(path)?);
        }
        let session = self.enter(cancel)?;
        let target = self.repository.find(request.checkpoint)?;
        for (path, given) in paths.iter().zip(&request.paths) {
            self.refuse_unknown(&session, target, path, given)?;
        }
        let wanted = checkpoint::RestoreRequest {
            checkpoint: target,
            paths: &paths,
            exact: request.exact,
        };
        let mut attempt = 1;
        loop {
            let plan = self.repository.plan_restore(&wanted, cancel)?;
            if request.dry_run {
                return Ok(foretell(&plan));
            }
            // Looked at before the checkpoint: what changes later is in neither, and stops the restore.
            let steps = steps(&session.root, &plan)?;
            let guard = &session.guard;
            let before = self.repository.commit(PRE_RESTORE, guard, cancel)?;
            let short: String = request.checkpoint.chars().take(ID_CHARS).collect();
            let change = Change {
                steps,
                before,
                message: format!("{RESTORED}{short}"),
            };
            let mut fetch = |key: u64| {
                let write = usize::try_from(key).ok().and_then(|at| plan.writes.get(at));
                let write = write.ok_or(crate::Error::Cancelled)?;
                let content = self.repository.content(write.blob);
                content.map_err(|error| crate::Error::GitFailed(error.to_string()))
            };
            match self.make(&session, change, &mut fetch) {
                Ok(_) => {
                    return Ok(Restored {
                        pre_restore_checkpoint: Some(before.to_string()),
                        would_change: Vec::new(),
                        left_in_place: shown(&plan.left_in_place),
                    });
                }
                Err(Refusal::Changed(_)) if attempt < EDIT_ATTEMPTS => attempt += 1,
                Err(Refusal::Changed(error) | Refusal::Other(error)) => return Err(error),
            }
        }
    }
}

/// What a restore would do.
fn foretell(plan: &Plan) -> Restored {
    let told = |path: &RelPath, delete| WouldChange {
        path: path.to_string(),
        delete,
    };
    let writes = plan.writes.iter().map(|write| told(&write.path, false));
    let deletes = plan.deletes.iter().map(|path| told(path, true));
    let mut would_change: Vec<WouldChange> = writes.chain(deletes).collect();
    would_change.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Restored {
        pre_restore_checkpoint: None,
        would_change,
        left_in_place: shown(&plan.left_in_place),
    }
}

fn shown(paths: &[RelPath]) -> Vec<String> {
    paths.iter().map(ToString::to_string).collect()
}

/// The steps of a plan, from what is there now.
fn steps(root: &Root, plan: &Plan) -> Result<TreeChange, Error> {
    let strict = root
        .with_mode(Mode::NO_LINKS)
        .map_err(|source| crate::Error::Io {
            path: RelPath::root(),
            source,
        })?;
    let mut change = TreeChange::new(rooted::Durability::Power);
    for path in &plan.deletes {
        match strict.meta(path) {
            Ok(meta) if meta.kind == Kind::File => {
                change.remove(path.clone(), What::There(meta), None);
            }
            Ok(_) => {}
            Err(error) if matches!(error.kind, ErrorKind::NotFound) => {}
            Err(error) => return Err(crate::Error::from(error).into()),
        }
    }
    for path in &plan.folders {
        let meta = strict.meta(path).map_err(crate::Error::from)?;
        change.remove_folder(path.clone(), What::There(meta));
    }
    let mut made = Folders::new(&strict, plan);
    for (index, write) in plan.writes.iter().enumerate() {
        let content = Content::Fetch(index as u64);
        let path = &write.path;
        made.make(&mut change, path)?;
        let there = match strict.meta(path) {
            Ok(meta) if meta.kind == Kind::File => Some(meta),
            Ok(_) => None,
            Err(error) if matches!(error.kind, ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                None
            }
            Err(error) => return Err(crate::Error::from(error).into()),
        };
        match there {
            Some(old) => {
                let executable = Some(write.executable)
                    .filter(|&executable| executable != (old.mode & 0o100 != 0));
                change.replace(path.clone(), old, None, content, executable);
            }
            None => {
                change.create(path.clone(), content, write.executable);
            }
        }
    }
    Ok(change)
}

/// Folders that are there by the time files are written in them.
struct Folders<'a> {
    root: &'a Root,
    plan: &'a Plan,
    last: Option<RelPath>,
    made: std::collections::HashSet<RelPath>,
}

impl<'a> Folders<'a> {
    fn new(root: &'a Root, plan: &'a Plan) -> Self {
        Self {
            root,
            plan,
            last: None,
            made: std::collections::HashSet::new(),
        }
    }

    /// Makes the folders that are missing above a file.
    fn make(&mut self, change: &mut TreeChange, file: &RelPath) -> Result<(), Error> {
        let Some(folder) = file.parent() else {
            return Ok(());
        };
        if self.last.as_ref() == Some(&folder) {
            return Ok(());
        }
        let mut missing = Vec::new();
        let mut at = folder.clone();
        while !at.is_root() && !self.is_there(&at)? {
            missing.push(at.clone());
            at = at.parent().unwrap_or_default();
        }
        for path in missing.into_iter().rev() {
            change.make_folder(path.clone());
            self.made.insert(path);
        }
        self.last = Some(folder);
        Ok(())
    }

    fn is_there(&self, folder: &RelPath) -> Result<bool, Error> {
        if self.made.contains(folder) {
            return Ok(true);
        }
        match self.root.meta(folder) {
            Ok(meta) => Ok(meta.kind == Kind::Dir && !self.plan.folders.contains(folder)),
            Err(error) if matches!(error.kind, ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                Ok(false)
            }
            Err(error) => Err(crate::Error::from(error).into()),
        }
    }
}
