//! Reading, searching and writing one folder in pages that can be cited and gone on with.
//!
//! A page tells what is on disk when it is asked for. Its cursor is bound to the question and to the
//! state that the answer rests on: when that has changed the next page is refused and not torn. What a
//! traversal has walked is kept between its pages and used again only as long as it is proven to be
//! true still (see `proof`), so that a page costs what it shows.
//!
//! This toolset follows no link, shows no name that is not UTF-8, and has its own paths, globs and
//! order of names; what those are stands in the files of that name.

mod cursor;
mod digest;
mod engine;
mod fault;
mod glob;
mod listing;
mod memory;
mod options;
mod page;
mod path;
mod proof;
mod request;
mod scan;
mod selector;
mod terms;
mod text;
mod walk;
mod write;

pub use self::engine::Paged;
pub use self::fault::Fault;
pub use self::options::{Limits, Options};
pub use self::page::{Chunk, Entry, FoundFile, FoundLine, Page, Skipped};
pub use self::request::{ListRequest, ReadRequest, SearchRequest};
pub use self::write::{WriteRequest, Written};

#[cfg(test)]
mod tests;
