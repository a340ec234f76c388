//! Reads whatever the bytes may be; the first byte chooses the name of the file.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((first, bytes)) = bytes.split_first() else { return };
    let suffixes = ["", ".xml", ".xta", ".ta", ".tck", ".txt", ".json", ".q"];
    let name = format!("model{}", suffixes[usize::from(*first) % suffixes.len()]);
    punctual_fuzz::check(&punctual_lang::read(&name, bytes));
});
