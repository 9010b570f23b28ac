//! Names that differ between systems.

/// The program that installs Node packages.
pub const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };

/// The Python to make a virtual environment with.
pub const PYTHON: &str = if cfg!(windows) { "python" } else { "python3" };

/// Where a virtual environment keeps its Python.
pub const VENV_PYTHON: &str = if cfg!(windows) {
    "Scripts/python.exe"
} else {
    "bin/python"
};
