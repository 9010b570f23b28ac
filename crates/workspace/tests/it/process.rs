//! Other processes: this test program, started again with a task.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

/// Names the task; the folder that it works in follows it, parted by a space.
const TASK: &str = "WORKSPACE_MCP_TEST_TASK";
/// Starts every line that a task says; the test framework says others.
const SAYS: &str = "task says ";

/// Builds the command for a task. `as_nobody` gives up the rights of root, where there are any.
pub(crate) fn task(name: &str, dir: &Path) -> Command {
    let program = std::env::current_exe().expect("this program has a path");
    let mut command = Command::new(program);
    configure(&mut command, name, dir);
    command
}

/// [`task`] in a process that can write files of at most so many blocks of 512 bytes.
pub(crate) fn task_with_small_files(name: &str, dir: &Path, n_blocks: u32) -> Command {
    let program = std::env::current_exe().expect("this program has a path");
    let mut command = Command::new("/bin/sh");
    let script = format!("trap '' XFSZ; ulimit -f {n_blocks}; exec \"$0\" \"$@\"");
    command.arg("-c").arg(script).arg(program);
    configure(&mut command, name, dir);
    command
}

fn configure(command: &mut Command, name: &str, dir: &Path) {
    command
        .args(["--exact", "process::run_the_task", "--nocapture"])
        .args(["--test-threads", "1"])
        .env(TASK, format!("{name} {}", dir.display()))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit());
}

/// The part of a test that runs in the other process; does nothing when it is run as a test.
#[test]
fn run_the_task() {
    let Ok(task) = std::env::var(TASK) else {
        return;
    };
    let (name, dir) = task.split_once(' ').expect("a task and a folder");
    let dir = Path::new(dir);
    match name {
        "change-for-ever" => crate::crash::change_for_ever(dir),
        "edit-fifty-times" => crate::crash::edit_fifty_times(dir),
        "fill-the-disk" => crate::crash::fill_the_disk(dir),
        "write-without-rights" => crate::crash::write_without_rights(dir),
        "checkpoint-for-ever" => crate::checkpoint::crash::checkpoint_for_ever(dir),
        "checkpoint-twenty-times" => crate::checkpoint::crash::checkpoint_twenty_times(dir),
        "pack-for-ever" => crate::checkpoint::packs::pack_for_ever(dir),
        "pack-once" => crate::checkpoint::packs::pack_once(dir),
        "managed-for-ever" => crate::managed::kills::change_for_ever(dir),
        "managed-work" => crate::managed::many::work(dir),
        "journal-many" => crate::journal::append_many(dir),
        other => panic!("no task is named {other}"),
    }
}

/// Says a line to the test that started this task.
pub(crate) fn say(line: &str) {
    let line = format!("{SAYS}{line}\n");
    let mut out = std::io::stdout().lock();
    out.write_all(line.as_bytes()).expect("somebody listens");
    out.flush().expect("somebody listens");
}

/// A task under way. It is killed when this is dropped.
pub(crate) struct Task {
    child: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl Task {
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.spawn().expect("this program can be started");
        let out = child.stdout.take().expect("it was asked for");
        let lines = BufReader::new(out).lines();
        Self { child, lines }
    }

    /// Waits for the next line that the task says; `None` at its end.
    pub(crate) fn next(&mut self) -> Option<String> {
        loop {
            let line = self.lines.next()?.expect("text");
            // The framework ends its own line only after the test.
            if let Some((_, said)) = line.split_once(SAYS) {
                return Some(said.to_owned());
            }
        }
    }

    /// Everything the task still says, and whether it ended well.
    pub(crate) fn finish(mut self) -> (Vec<String>, bool) {
        let mut said = Vec::new();
        while let Some(line) = self.next() {
            said.push(line);
        }
        let ended = self.child.wait().expect("own child");
        (said, ended.success())
    }

    /// Ends it at once, with no chance to clean up; gives what it had said until then.
    pub(crate) fn kill(mut self) -> Vec<String> {
        self.child.kill().expect("own child");
        self.child.wait().expect("own child");
        let mut said = Vec::new();
        while let Some(line) = self.next() {
            said.push(line);
        }
        said
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
