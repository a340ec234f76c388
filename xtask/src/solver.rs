//! Brings the SMT solver, so that a fresh machine needs nothing else.
//!
//! It is z3, taken from the wheel that its authors publish for Python: the program alone, put into the
//! folder `.solver` of the project. Where that does not work, the machine's packages are asked.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
};

/// What the tests were made with; others work too.
const VERSION: &str = "5.4.0.0";

/// Brings the solver if it is not there.
pub(crate) fn run() -> ExitCode {
    let named = std::env::var_os("PUNCTUAL_SOLVER").filter(|it| !it.is_empty());
    match bring(&root(), named.map(PathBuf::from)) {
        Ok(found) => {
            println!("{found}");
            ExitCode::SUCCESS
        }
        Err(problems) => {
            eprintln!("error: no solver could be brought:");
            for problem in problems {
                eprintln!("  {problem}");
            }
            eprintln!("install z3 yourself, or let PUNCTUAL_SOLVER name it");
            ExitCode::from(2)
        }
    }
}

/// Brings the solver, then runs all tests with further arguments.
pub(crate) fn test(arguments: &[String]) -> ExitCode {
    let brought = run();
    if brought != ExitCode::SUCCESS {
        return brought;
    }
    succeeds(cargo().args(["test", "--workspace"]).args(arguments))
}

/// Cargo, in the folder of the project.
pub(crate) fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root());
    cargo
}

/// Whether a command of cargo succeeds, as our own exit code.
pub(crate) fn succeeds(command: &mut Command) -> ExitCode {
    match command.status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: can not run cargo: {error}");
            ExitCode::from(2)
        }
    }
}

fn root() -> PathBuf {
    // The folder of the sources may have moved since this was built; cargo says where it is now.
    let here = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    here.parent().map_or_else(|| here.clone(), Path::to_path_buf)
}

/// Makes sure that there is a solver for the project in this folder, or the one that is named: what
/// it is, or why not.
fn bring(root: &Path, named: Option<PathBuf>) -> Result<String, Vec<String>> {
    if let Some(named) = named {
        return version(&named)
            .map(|version| format!("PUNCTUAL_SOLVER names {version} at {}", named.display()))
            .map_err(|problem| {
                vec![format!("PUNCTUAL_SOLVER names {}: {problem}", named.display())]
            });
    }
    let folder = root.join(".solver");
    let program = folder.join("z3");
    if let Ok(version) = version(&program) {
        return Ok(format!("{version} is in {}", folder.display()));
    }
    let mut problems = Vec::new();
    match from_wheel(&folder, &program) {
        Ok(version) => return Ok(format!("brought {version} into {}", folder.display())),
        Err(problem) => problems.push(format!("Python's package: {problem}")),
    }
    if let Ok(version) = version(Path::new("z3")) {
        return Ok(format!("{version} is on the path"));
    }
    match from_packages() {
        Ok(version) => return Ok(format!("installed {version}")),
        Err(problem) => problems.push(format!("the machine's package: {problem}")),
    }
    Err(problems)
}

/// What a program says that it is.
fn version(program: &Path) -> Result<String, String> {
    let mut command = Command::new(program);
    let said = output(command.arg("--version"))?;
    match said.lines().next() {
        Some(line) if line.starts_with("Z3 version") => Ok(line.trim().to_owned()),
        _ => Err("it is not z3".to_owned()),
    }
}

/// What a command prints; or why it failed, with the end of its errors.
fn output(command: &mut Command) -> Result<String, String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    let last = errors.lines().rev().find(|line| !line.trim().is_empty());
    Err(last.map_or_else(|| output.status.to_string(), str::to_owned))
}

/// Downloads the wheel and takes the program out of it.
fn from_wheel(folder: &Path, program: &Path) -> Result<String, String> {
    let failed = |error: std::io::Error| error.to_string();
    // Two at once do not disturb each other; only a program that works is moved to its place.
    let work = folder.join(format!("download-{}", std::process::id()));
    fs::create_dir_all(&work).map_err(failed)?;
    let brought = download(&work).and_then(|found| {
        let version = version(&found)?;
        fs::rename(&found, program).map_err(failed)?;
        Ok(version)
    });
    let _ = fs::remove_dir_all(&work);
    brought
}

/// The program of the wheel, below the folder.
fn download(folder: &Path) -> Result<PathBuf, String> {
    let get = |package: &str| {
        let mut command = Command::new("python3");
        command.args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]);
        output(command.arg("--dest").arg(folder).arg(package))
    };
    eprintln!("downloading the solver (40 MB)");
    get(&format!("z3-solver=={VERSION}")).or_else(|_| get("z3-solver"))?;
    let wheel =
        files(folder).into_iter().find(|path| path.extension().is_some_and(|it| it == "whl"));
    let wheel = wheel.ok_or("pip downloaded no wheel")?;
    let mut command = Command::new("python3");
    output(command.args(["-m", "zipfile", "-e"]).arg(&wheel).arg(folder))?;
    let is_program = |path: &PathBuf| path.ends_with("bin/z3") || path.ends_with("bin/z3.exe");
    let program = files(folder).into_iter().find(is_program);
    let program = program.ok_or("there is no program in the wheel")?;
    make_executable(&program).map_err(|error| error.to_string())?;
    Ok(program)
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found
}

#[cfg(unix)]
fn make_executable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> std::io::Result<()> {
    Ok(())
}

/// Asks the machine's packages.
fn from_packages() -> Result<String, String> {
    eprintln!("asking for the package z3");
    let apt = |arguments: &[&str]| {
        let quiet = "DEBIAN_FRONTEND=noninteractive";
        let try_by = |program: &str, first: &[&str]| {
            output(Command::new(program).args(first).args([quiet, "apt-get"]).args(arguments))
        };
        try_by("env", &[]).or_else(|_| try_by("sudo", &["-n"]))
    };
    let install = ["install", "-y", "z3"];
    // A fresh machine may not know yet which packages there are.
    apt(&install).or_else(|_| apt(&["update"]).and_then(|_| apt(&install)))?;
    version(Path::new("z3"))
}

#[cfg(all(test, unix))]
mod tests {
    use std::{fs, path::Path};

    use super::{bring, make_executable};

    #[test]
    fn a_solver_that_is_there_is_not_brought_again() {
        let root = std::env::temp_dir().join(format!("xtask-solver-{}", std::process::id()));
        let program = root.join(".solver/z3");
        fs::create_dir_all(program.parent().unwrap_or(Path::new("/"))).unwrap();
        fs::write(&program, "#!/bin/sh\necho 'Z3 version 9.9.9 - 64 bit'\n").unwrap();
        make_executable(&program).unwrap();
        let found = bring(&root, None);
        fs::remove_dir_all(&root).unwrap();
        assert!(found.unwrap().starts_with("Z3 version 9.9.9 - 64 bit is in"));
    }
}
