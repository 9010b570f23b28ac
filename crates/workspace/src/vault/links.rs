//! Links between notes: where one leads, which lead to it, and which lead nowhere.
//!
//! A link to anything but a note (an address, a picture, a place in the same note) is none here.

mod find;
mod resolve;

use rooted::RelPath;

use self::find::find;
use self::resolve::Names;
use super::fault::Fault;
use super::notes::Notes;
use super::sweep::sweep;
use super::{LeftOut, Vault, open, path, read_start};
use crate::cancel::Cancel;

/// Links that lead to or from a note.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Links {
    /// Where the note really is.
    pub path: RelPath,
    /// The links in it, in order, each as often as it is there.
    pub links: Vec<Link>,
    /// The links to it from other notes, by path and line.
    pub backlinks: Vec<Backlink>,
    /// The targets of links in it that lead nowhere, each once.
    pub broken: Vec<String>,
    /// How many links there are in it.
    pub n_links: usize,
    /// How many links there are to it.
    pub n_backlinks: usize,
    /// Which notes were not looked through, or not to the end.
    pub left_out: LeftOut,
}

/// A link in a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The target as it is written, without another text to show.
    pub target: String,
    /// The note it leads to, if there is one.
    pub path: Option<RelPath>,
    /// Its line, from 1.
    pub line: u64,
}

/// A link from another note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backlink {
    /// The other note.
    pub path: RelPath,
    /// The line there, from 1.
    pub line: u64,
}

/// Finds the links of a note, at most so many of each kind.
///
/// # Errors
/// The path faults; [`Fault::NoteNotFound`].
pub fn links(
    vault: &Vault,
    cancel: &Cancel,
    note: &str,
    limit: Option<usize>,
) -> Result<Links, Fault> {
    let asked = path::note(note)?;
    let reader = vault.reader(cancel)?;
    let file = open(&reader, &asked)?;
    let note = file.path().clone();
    let most = vault.limits.max_read_bytes;
    let limit = vault.n_results(limit);
    let mut content = Vec::new();
    read_start(&file, most, &mut content).map_err(|source| Fault::io(source, &note))?;
    let notes = Notes::beneath(&reader, &RelPath::root())?;
    let names = Names::of(&notes);

    let mut answer = Links {
        path: note.clone(),
        ..Links::default()
    };
    find(&content, &mut |found| {
        let leads_to = names.resolve(&note, &found);
        if leads_to.is_none() && !found.names_a_note() {
            return;
        }
        answer.n_links += 1;
        let target = found.target.clone().into_owned();
        if leads_to.is_none() && answer.broken.len() < limit && !answer.broken.contains(&target) {
            answer.broken.push(target.clone());
        }
        if answer.links.len() < limit {
            answer.links.push(Link {
                target,
                path: leads_to.map(|place| notes.path(place)),
                line: found.line,
            });
        }
    });

    let own = names.place_of(&note);
    let swept = sweep(&reader, &notes, most, |seen| {
        let mut lines = Vec::new();
        let mut n = 0;
        find(seen.content, &mut |found| {
            let may_lead_here = seen.path != &note && names.may_lead_to(&note, &found);
            if may_lead_here && own.is_some() && names.resolve(seen.path, &found) == own {
                n += 1;
                if lines.len() < limit {
                    lines.push(found.line);
                }
            }
        });
        (n > 0).then_some((n, lines))
    })?;
    answer.left_out = swept.left_out;
    for (place, (n, lines)) in swept.found {
        answer.n_backlinks += n;
        let room = limit.saturating_sub(answer.backlinks.len());
        let path = notes.path(place);
        answer
            .backlinks
            .extend(lines.into_iter().take(room).map(|line| Backlink {
                path: path.clone(),
                line,
            }));
    }
    Ok(answer)
}

#[cfg(test)]
mod tests;
