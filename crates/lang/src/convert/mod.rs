//! From network to network and from network to text.

pub(crate) mod fold;
