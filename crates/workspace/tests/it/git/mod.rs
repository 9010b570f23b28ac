//! What git says through the shadow, held against git itself.
#![expect(
    clippy::unwrap_used,
    reason = "a world that cannot be set up fails the test that needs it"
)]

mod hostile;
mod kinds;
mod limits;
mod places;
mod world;
