//! A web page in headless Chromium against the real program: from an origin that the server was told
//! of it works, and from any other it gets nowhere.
//!
//! Both origins are names that only this browser knows, for an address of this machine; what is
//! looked at is what the browser makes of the server's answers.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::clients::staged;
use crate::count::Count;
use crate::served::Served;
use crate::{Result, checkout, platform};

/// How long a page may take, the start of the browser included.
const PATIENCE: Duration = Duration::from_secs(60);
const LISTED: &str = "app.example";
const OTHER: &str = "evil.example";
const TOKEN: &str = "a-token-of-the-browser-tests";

/// Runs the page from both origins.
pub fn run(server: &Path) -> Result<Count> {
    let chromium = chromium()?;
    let home = staged("browser")?;
    let root = home.join("root");
    let fresh = |path: &Path| -> io::Result<()> {
        if path.exists() {
            fs::remove_dir_all(path)?;
        }
        fs::create_dir_all(path)
    };
    fresh(&root)
        .and_then(|()| fs::write(root.join("a.txt"), "hello\n"))
        .map_err(|error| format!("cannot make a folder: {error}"))?;
    let pages = TcpListener::bind("127.0.0.1:0")
        .map_err(|error| format!("cannot serve a page: {error}"))?;
    let port = pages
        .local_addr()
        .map_err(|error| format!("cannot serve a page: {error}"))?
        .port();
    let page = fs::read(home.join("page.html"))
        .map_err(|error| format!("cannot read the page: {error}"))?;
    let reports = serve_pages(pages, page);
    let origin = format!("http://{LISTED}:{port}");
    let options = ["--allowed-origin", &origin, "--shell"];
    let served = Served::start(server, &root, Some(TOKEN), &options)?;
    let mut total = Count::default();
    for (name, what) in [(LISTED, "listed"), (OTHER, "foreign")] {
        // One for each: a browser that was ended may still write into its own.
        let profile = home.join(format!("profile-{what}"));
        fresh(&profile).map_err(|error| format!("cannot make a folder: {error}"))?;
        let address = format!(
            "http://{name}:{port}/?origin={what}&token={TOKEN}&endpoint={}",
            served.address
        );
        let _browser = Browser::start(&chromium, &profile, &address)?;
        let report = reports
            .recv_timeout(PATIENCE)
            .map_err(|_| format!("the page from a {what} origin does not report"))?;
        total += counted(what, &report)?;
    }
    let planted = root.join("planted.txt").exists();
    total += one(
        "a page from a foreign origin leaves nothing behind",
        !planted,
        "",
    );
    Ok(total)
}

/// The browser: one on the path, else that of the system's package, which is installed if possible.
fn chromium() -> Result<PathBuf> {
    let missing = || "missing: chromium (install it, or run this as root on Debian)".to_owned();
    if let Some(found) = on_path() {
        return Ok(found);
    }
    for arguments in [
        &["update", "--quiet"][..],
        &[
            "install",
            "--quiet",
            "--yes",
            "--no-install-recommends",
            "chromium",
        ],
    ] {
        let mut install = Command::new("apt-get");
        install
            .args(arguments)
            .env("DEBIAN_FRONTEND", "noninteractive")
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        checkout::run_quietly(install).map_err(|()| missing())?;
    }
    on_path().ok_or_else(missing)
}

fn on_path() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    // A place is one whatever folder it is joined to.
    platform::BROWSERS
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|program| program.is_file())
}

/// A running browser; it ends with this value.
struct Browser(Child);

impl Browser {
    fn start(chromium: &Path, profile: &Path, address: &str) -> Result<Self> {
        let child = Command::new(chromium)
            .args(["--headless", "--no-sandbox", "--disable-gpu"])
            .args(["--disable-dev-shm-usage", "--no-first-run"])
            // Nothing but this machine is to be reached, and by names that nobody else knows.
            .args(["--no-proxy-server", "--disable-background-networking"])
            .arg(format!(
                "--host-resolver-rules=MAP {LISTED} 127.0.0.1, MAP {OTHER} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
            ))
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg(address)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("cannot start {}: {error}", chromium.display()))?;
        Ok(Self(child))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Serves the page at every path, and passes on what pages report.
fn serve_pages(listener: TcpListener, page: Vec<u8>) -> Receiver<Vec<u8>> {
    let (sender, reports) = channel();
    thread::spawn(move || {
        for stream in listener.incoming().map_while(io::Result::ok) {
            let (sender, page) = (sender.clone(), page.clone());
            thread::spawn(move || {
                // A browser opens connections that it never uses.
                let _ = answer(stream, &page, &sender);
            });
        }
    });
    reports
}

fn answer(mut stream: TcpStream, page: &[u8], reports: &Sender<Vec<u8>>) -> io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').unwrap_or_default();
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let is_report = first.starts_with("POST /report ");
    let content = if is_report { &b""[..] } else { page };
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        content.len()
    );
    stream.write_all(&[head.as_bytes(), content].concat())?;
    if is_report {
        // Whoever waits for it is there until the last page has reported.
        let _ = reports.send(body);
    }
    Ok(())
}

fn counted(what: &str, report: &[u8]) -> Result<Count> {
    let report: Value = serde_json::from_slice(report)
        .map_err(|error| format!("the page's report is no JSON: {error}"))?;
    let mut total = Count::default();
    for check in report.as_array().into_iter().flatten() {
        let name = check["name"].as_str().unwrap_or_default();
        let why = check["why"].as_str().unwrap_or_default();
        let title = format!("a page from a {what} origin {name}");
        total += one(&title, check["ok"] == true, why);
    }
    Ok(total.of_step(total.passed > 0))
}

fn one(title: &str, ok: bool, why: &str) -> Count {
    if ok {
        println!("ok - {title}");
        Count {
            passed: 1,
            failed: 0,
        }
    } else {
        println!("not ok - {title}: {why}");
        Count::ONE_FAILED
    }
}
