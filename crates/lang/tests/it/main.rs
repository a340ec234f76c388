//! Tests of the readers and writers, through their public interface.

mod accepted;
mod arithmetic;
mod json;
mod limits;
mod networks;
mod parse;
mod random;
mod regressions;
mod rejected;
mod tchecker;
mod decode;
mod xml;
mod xta;
mod convert;
