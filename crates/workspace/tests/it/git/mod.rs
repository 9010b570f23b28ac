//! What git says through the shadow, held against git itself.

mod hostile;
mod kinds;
mod limits;
mod places;
mod world;
