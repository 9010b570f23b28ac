//! From the path in a link to the note it means.

use std::collections::HashMap;

use rooted::RelPath;

use super::find::{Found, Style};
use crate::vault::notes::Notes;
use crate::vault::path::{common_form, is_note_name};

/// All notes by their names.
#[derive(Debug)]
pub(super) struct Names<'a> {
    notes: &'a Notes,
    /// The common form of a name without its ending, and the places of the notes that have it.
    by_name: HashMap<String, Vec<u32>>,
}

impl<'a> Names<'a> {
    pub(super) fn of(notes: &'a Notes) -> Self {
        let mut by_name: HashMap<String, Vec<u32>> = HashMap::with_capacity(notes.len());
        for place in 0..notes.len() {
            let path = notes.path(place);
            if let (Some(text), Ok(place)) = (path.as_str(), u32::try_from(place)) {
                by_name
                    .entry(common_form(stem(text)))
                    .or_default()
                    .push(place);
            }
        }
        Self { notes, by_name }
    }

    /// The place of a note.
    pub(super) fn place_of(&self, path: &RelPath) -> Option<usize> {
        let place = self.notes.place_of(path.as_bytes());
        (place < self.notes.len() && self.notes.path(place) == *path).then_some(place)
    }

    /// Says whether a link may lead to a note, going by the name only.
    pub(super) fn may_lead_to(&self, note: &RelPath, link: &Found<'_>) -> bool {
        let name = stem(note.as_str().unwrap_or_default());
        let named = stem(&link.path);
        if name.is_ascii() && named.is_ascii() {
            name.eq_ignore_ascii_case(named)
        } else {
            common_form(name) == common_form(named)
        }
    }

    /// The place of the note that a link in the note `from` leads to.
    pub(super) fn resolve(&self, from: &RelPath, link: &Found<'_>) -> Option<usize> {
        let folder = from.parent().unwrap_or_default();
        let folder = folder.as_str().unwrap_or_default();
        match link.style {
            Style::Markdown => self.at(&join(folder, &link.path)?),
            Style::Wiki if link.path.starts_with("./") || link.path.starts_with("../") => {
                self.at(&join(folder, &link.path)?)
            }
            Style::Wiki => {
                let path = link.path.trim_start_matches('/');
                let is_path = link.path.contains('/');
                let exact = is_path.then(|| self.at(path)).flatten();
                exact.or_else(|| self.nearest(folder, path))
            }
        }
    }

    /// The note at a path from the root, which may leave out the ending.
    fn at(&self, path: &str) -> Option<usize> {
        let wanted = common_form(without_ending(path));
        let mut fitting = None;
        for &place in self.by_name.get(&common_form(stem(path)))? {
            let note = self.notes.path(place as usize);
            let text = without_ending(note.as_str()?);
            // The very path wins over one that is the same on some systems only.
            if text == without_ending(path) {
                return Some(place as usize);
            }
            if fitting.is_none() && common_form(text) == wanted {
                fitting = Some(place as usize);
            }
        }
        fitting
    }

    /// The note that a name, or the end of a path, means: in the same folder, else the one with the
    /// shortest way from the root, else the first.
    fn nearest(&self, folder: &str, path: &str) -> Option<usize> {
        let wanted = common_form(without_ending(path));
        let places = self.by_name.get(&common_form(stem(path)))?;
        let fitting = places.iter().map(|&place| place as usize).filter(|&place| {
            let note = self.notes.path(place);
            let form = common_form(without_ending(note.as_str().unwrap_or_default()));
            let above = form.strip_suffix(wanted.as_str());
            above.is_some_and(|above| above.is_empty() || above.ends_with('/'))
        });
        fitting.min_by_key(|&place| {
            let note = self.notes.path(place);
            let parent = note.parent().unwrap_or_default();
            (parent.as_str() != Some(folder), note.depth(), place)
        })
    }
}

fn without_ending(path: &str) -> &str {
    if is_note_name(path.as_bytes()) {
        path.get(..path.len() - 3).unwrap_or(path)
    } else {
        path
    }
}

/// The name of a note without its ending.
fn stem(path: &str) -> &str {
    without_ending(path.rsplit('/').next().unwrap_or_default())
}

/// The path from the root that `path` means in a folder; `None` when it leads out of the root.
fn join(folder: &str, path: &str) -> Option<String> {
    let start = if path.starts_with('/') { "" } else { folder };
    let mut names: Vec<&str> = start.split('/').filter(|name| !name.is_empty()).collect();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop()?;
            }
            name => names.push(name),
        }
    }
    Some(names.join("/"))
}
