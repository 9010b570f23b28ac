//! From the path in a link to the note it means.

use std::collections::HashMap;

use rooted::RelPath;

use super::find::{Found, Style};
use crate::vault::notes::Notes;
use crate::vault::path::{common_form, is_note_name};

/// Notes of one name that are looked through one by one.
const FEW: usize = 8;

/// All notes by their names.
#[derive(Debug)]
pub(super) struct Names<'a> {
    notes: &'a Notes,
    /// The common form of a name without its ending, and the places of the notes that have it.
    by_name: HashMap<String, Vec<u32>>,
    /// For names that more than a few notes have, so that many links to such a name cost no more than
    /// others.
    crowded: Crowded,
}

/// The notes whose names more than a few have, by common forms without endings.
#[derive(Debug, Default)]
struct Crowded {
    /// The whole path, and the places of the notes that have it.
    by_path: HashMap<String, Vec<u32>>,
    /// Each end of a path that begins with a name, and the place of the note that it means.
    by_end: HashMap<String, u32>,
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
        let mut crowded = Crowded::default();
        for places in by_name.values().filter(|places| places.len() > FEW) {
            // The best note for an end is met first, so that no later one takes its place.
            let mut places = places.clone();
            places.sort_by_key(|&place| (notes.path(place as usize).depth(), place));
            for place in places {
                crowded.add(&notes.path(place as usize), place);
            }
        }
        Self {
            notes,
            by_name,
            crowded,
        }
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
        let places = self.by_name.get(&common_form(stem(path)))?;
        let places = if places.len() > FEW {
            self.crowded.by_path.get(&wanted)?
        } else {
            places
        };
        for &place in places {
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
        if places.len() > FEW {
            return self.nearest_of_many(folder, &wanted, stem(path));
        }
        let fitting = places.iter().map(|&place| place as usize).filter(|&place| {
            let note = self.notes.path(place);
            let form = common_form(without_ending(note.as_str().unwrap_or_default()));
            let above = form.strip_suffix(wanted.as_str());
            above.is_some_and(|above| above.is_empty() || above.ends_with('/'))
        });
        fitting.min_by_key(|&place| {
            let depth = self.notes.path(place).depth();
            (!self.is_in(folder, place), depth, place)
        })
    }

    /// The same for a name that many notes have; `wanted` is the common form of the path.
    fn nearest_of_many(&self, folder: &str, wanted: &str, name: &str) -> Option<usize> {
        let beside = common_form(&if folder.is_empty() {
            name.to_owned()
        } else {
            format!("{folder}/{name}")
        });
        let above = beside.strip_suffix(wanted);
        let fits = above.is_some_and(|above| above.is_empty() || above.ends_with('/'));
        let beside = self.crowded.by_path.get(&beside).filter(|_| fits);
        let mut beside = beside.into_iter().flatten().map(|&place| place as usize);
        let beside = beside.find(|&place| self.is_in(folder, place));
        beside.or_else(|| Some(*self.crowded.by_end.get(wanted)? as usize))
    }

    fn is_in(&self, folder: &str, place: usize) -> bool {
        let parent = self.notes.path(place).parent().unwrap_or_default();
        parent.as_str() == Some(folder)
    }
}

impl Crowded {
    /// Adds a note, after those that come first for the same end.
    fn add(&mut self, path: &RelPath, place: u32) {
        let form = common_form(without_ending(path.as_str().unwrap_or_default()));
        let ends = memchr::memchr_iter(b'/', form.as_bytes()).map(|at| at + 1);
        for start in std::iter::once(0).chain(ends) {
            let end = form.get(start..).unwrap_or_default();
            self.by_end.entry(end.to_owned()).or_insert(place);
        }
        self.by_path.entry(form).or_default().push(place);
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
