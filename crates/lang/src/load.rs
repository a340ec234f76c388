//! Files to bytes, with what is wrong in words.

use std::{
    io::{Error, ErrorKind, Read},
    path::Path,
};

use crate::decode::BYTES_MAX;

/// The name and the content of a file; `-` is standard input, called `<stdin>`.
///
/// # Errors
/// If it can not be read, or is larger than [`BYTES_MAX`]: says so.
pub fn load(path: &Path) -> Result<(String, Vec<u8>), String> {
    if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        // One byte more than is possible is enough to be told so.
        let most = BYTES_MAX as u64 + 1;
        let read = std::io::stdin().lock().take(most).read_to_end(&mut bytes);
        read.map_err(|error| format!("can not read standard input: {error}"))?;
        return Ok(("<stdin>".to_owned(), bytes));
    }
    let name = path.display().to_string();
    match content(path) {
        Ok(bytes) => Ok((name, bytes)),
        Err(error) => {
            let reason = match error.kind() {
                ErrorKind::NotFound => "there is no such file".to_owned(),
                ErrorKind::PermissionDenied => "no permission to read it".to_owned(),
                ErrorKind::IsADirectory => "it is a folder; name a file".to_owned(),
                ErrorKind::FileTooLarge => format!("it is larger than {} MB", BYTES_MAX >> 20),
                _ => error.to_string(),
            };
            Err(format!("can not read `{name}`: {reason}"))
        }
    }
}

/// A file that is too large must not be loaded to be told so.
fn content(path: &Path) -> Result<Vec<u8>, Error> {
    let metadata = std::fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if metadata.len() > BYTES_MAX as u64 {
        return Err(ErrorKind::FileTooLarge.into());
    }
    // A device or a pipe does not say how much there is.
    let most = BYTES_MAX as u64 + 1;
    let mut bytes = Vec::with_capacity(metadata.len() as usize);
    std::fs::File::open(path)?.take(most).read_to_end(&mut bytes)?;
    match bytes.len() > BYTES_MAX {
        true => Err(ErrorKind::FileTooLarge.into()),
        false => Ok(bytes),
    }
}
