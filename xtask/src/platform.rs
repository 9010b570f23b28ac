//! Names that differ between systems.

/// The program that installs Node packages.
pub const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };

/// What npm calls the command of a package that is named after its program.
pub const NPM_BIN: &str = if cfg!(windows) {
    "workspace-mcp.cmd"
} else {
    "workspace-mcp"
};

/// Whether this process may do everything.
pub fn is_root() -> bool {
    let id = std::process::Command::new("id").arg("-u").output();
    cfg!(unix) && id.is_ok_and(|output| output.stdout == b"0\n")
}

/// The Python to make a virtual environment with.
pub const PYTHON: &str = if cfg!(windows) { "python" } else { "python3" };

/// Where a virtual environment keeps its Python.
pub const VENV_PYTHON: &str = if cfg!(windows) {
    "Scripts/python.exe"
} else {
    "bin/python"
};

/// Names and places of a browser that is Chromium or one built on it.
#[cfg(not(any(windows, target_os = "macos")))]
pub const BROWSERS: &[&str] = &["chromium", "chromium-browser", "google-chrome", "chrome"];
/// Names and places of a browser that is Chromium or one built on it.
#[cfg(target_os = "macos")]
pub const BROWSERS: &[&str] = &[
    "chromium",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
/// Names and places of a browser that is Chromium or one built on it.
#[cfg(windows)]
pub const BROWSERS: &[&str] = &[
    "chrome.exe",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
];

/// Whether programs for this system go into containers, and so need no library.
pub const HAS_CONTAINERS: bool = cfg!(target_os = "linux");
