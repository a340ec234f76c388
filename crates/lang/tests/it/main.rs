//! Tests of the readers and writers, through their public interface.

mod accepted;
mod arithmetic;
mod convert;
mod decode;
mod exports;
mod growth;
mod json;
mod limits;
mod linted;
mod lustre;
mod networks;
mod parse;
mod platforms;
mod random;
mod regressions;
mod rejected;
mod suites;
mod tchecker;
mod testcode;
mod testing;
mod traces;
mod usecases;
mod xml;
mod xta;
