//! House rules that a program can check, over the whole checkout.

#![allow(
    clippy::disallowed_methods,
    reason = "the checks read the checkout itself, not a served root"
)]

mod boundaries;
mod docs;
mod source;
mod tree;
