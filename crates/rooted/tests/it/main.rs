//! What a root promises, tried on real folders.

mod basics;
