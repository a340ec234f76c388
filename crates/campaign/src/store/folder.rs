//! Folders of runs.

use std::{
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use sha2::{Digest as _, Sha256};

use super::{File, Header, RECORD, Reader, Record, StoreError, Writer};

/// What a table is to a run: a suite names it.
pub const TABLE: &str = "table";

/// The role of a timed automaton that the file of a platform names.
pub const AUTOMATON: &str = "requirement";

/// A folder of runs. Several threads and processes may add runs at the same time.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    /// No run with a lower number is free, as far as this store knows.
    next: AtomicU64,
}

/// The folder of one run.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Run {
    /// Its name in the store: `0042`.
    pub name: String,
    /// Its folder.
    pub path: PathBuf,
}

/// A file that a run is given; a copy of it is kept.
#[derive(Clone, Copy, Debug)]
pub struct Given<'g> {
    /// What it is to the run: `model`, `interface`, `suite`, `steps`, [`TABLE`], [`AUTOMATON`].
    pub role: &'g str,
    /// Where it is; only its last part names the copy.
    pub path: &'g Path,
    /// What is in it.
    pub bytes: &'g [u8],
}

/// The SHA-256 of some bytes, in hexadecimal digits.
#[must_use]
pub fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Store {
    /// Opens a store; its folder is made if it does not exist.
    ///
    /// # Errors
    /// When the folder can not be made or read.
    pub fn create(path: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let path = path.into();
        fs::create_dir_all(&path).map_err(StoreError::io("create", &path))?;
        Self::open(path)
    }

    /// Opens a store that exists.
    ///
    /// # Errors
    /// When the folder can not be read.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let mut store = Self { path: path.into(), next: AtomicU64::new(1) };
        let greatest = store.names()?.iter().filter_map(|name| name.parse::<u64>().ok()).max();
        store.next = AtomicU64::new(greatest.map_or(1, |n| n.saturating_add(1)));
        Ok(store)
    }

    /// Its folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All runs, in the order of their numbers; then those with other names.
    ///
    /// # Errors
    /// When the folder can not be read.
    pub fn runs(&self) -> Result<Vec<Run>, StoreError> {
        let mut names = self.names()?;
        names.retain(|name| self.path.join(name).join(RECORD).is_file());
        names.sort_by_key(|name| (name.parse::<u64>().unwrap_or(u64::MAX), name.clone()));
        Ok(names.into_iter().map(|name| Run { path: self.path.join(&name), name }).collect())
    }

    /// The number that the next run will have.
    #[must_use]
    pub fn next_number(&self) -> u64 {
        self.next.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// The run with this name; `42` finds `0042`.
    ///
    /// # Errors
    /// When there is none.
    pub fn run(&self, name: &str) -> Result<Run, StoreError> {
        let number = name.parse::<u64>().ok();
        let is_same = |run: &Run| {
            run.name == name || (number.is_some() && run.name.parse::<u64>().ok() == number)
        };
        self.runs()?
            .into_iter()
            .find(is_same)
            .ok_or_else(|| StoreError::NoRun { path: self.path.clone(), name: name.to_owned() })
    }

    /// Begins the next run: makes its folder, copies what it is given (the model first), and
    /// writes the header, with their names and hashes. Equal files with the same name have one copy.
    ///
    /// # Errors
    /// When something can not be written, or two different tables or automata have the same name: a suite knows its
    /// tables by their names, and a platform its automata, so they must keep them.
    pub fn begin(
        &self,
        header: &Header,
        model: Given<'_>,
        files: &[Given<'_>],
    ) -> Result<(Run, Writer), StoreError> {
        let mut copies: Vec<File> = Vec::with_capacity(1 + files.len());
        for given in std::iter::once(&model).chain(files) {
            let mut file = given.file();
            let is_taken = |name: &str, hash: &str| {
                name == RECORD || copies.iter().any(|it| it.file == name && it.hash != hash)
            };
            if is_taken(&file.file, &file.hash) && [TABLE, AUTOMATON].contains(&given.role) {
                return Err(StoreError::SameName { name: file.file });
            }
            let names = (1..)
                .map(|n: u32| if n == 1 { given.name() } else { format!("{n}-{}", given.name()) });
            for name in names {
                file.file = name;
                if !is_taken(&file.file, &file.hash) {
                    break;
                }
            }
            copies.push(file);
        }
        let run = self.next_free()?;
        for (given, copy) in std::iter::once(&model).chain(files).zip(&copies) {
            let path = run.path.join(&copy.file);
            fs::write(&path, given.bytes).map_err(StoreError::io("write", path))?;
        }
        let mut header = header.clone();
        header.files = copies.split_off(1);
        header.model = copies.remove(0);
        let writer = Writer::create(&run.record_path(), &header)?;
        Ok((run, writer))
    }

    /// Makes the folder of a new run. Making a folder fails if it exists, so nobody shares one.
    fn next_free(&self) -> Result<Run, StoreError> {
        loop {
            let name = format!("{:04}", self.next.fetch_add(1, Ordering::Relaxed));
            let path = self.path.join(&name);
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Run { name, path }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(StoreError::io("create", path)(error)),
            }
        }
    }

    fn names(&self) -> Result<Vec<String>, StoreError> {
        let failed = || StoreError::io("read", &self.path);
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.path).map_err(failed())? {
            let entry = entry.map_err(failed())?;
            names.extend(entry.file_name().into_string());
        }
        Ok(names)
    }
}

impl Run {
    /// A run by its folder, or by the record in it, wherever it is.
    #[must_use]
    pub fn at(path: &Path) -> Self {
        let is_record = path.file_name() == Some(OsStr::new(RECORD));
        let path = match path.parent() {
            Some(parent) if is_record && parent.as_os_str().is_empty() => Path::new("."),
            Some(parent) if is_record => parent,
            _ => path,
        };
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Self { name, path: path.to_owned() }
    }

    /// Where its record is.
    #[must_use]
    pub fn record_path(&self) -> PathBuf {
        self.path.join(RECORD)
    }

    /// Where the copy of a file is that the run was given. The name comes from a record, so it must
    /// not lead out of the folder.
    #[must_use]
    pub fn file_path(&self, file: &File) -> Option<PathBuf> {
        let path = Path::new(&file.file);
        let is_plain = path.file_name() == Some(path.as_os_str());
        is_plain.then(|| self.path.join(path))
    }

    /// Its record, line by line.
    ///
    /// # Errors
    /// As [`Reader::open`].
    pub fn reader(&self) -> Result<Reader, StoreError> {
        Reader::open(&self.record_path())
    }

    /// Its record, as a whole, with all instants [since the start of the run](Record::laid_out).
    ///
    /// # Errors
    /// As [`Reader`].
    pub fn record(&self) -> Result<Record, StoreError> {
        Ok(Record::read(&self.record_path())?.laid_out())
    }
}

impl Given<'_> {
    fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or(OsStr::new("model"));
        name.to_string_lossy().into_owned()
    }

    fn file(&self) -> File {
        File { file: self.name(), hash: hash(self.bytes), role: self.role.to_owned() }
    }
}
