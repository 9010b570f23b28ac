//! The table of processes as `ps` prints it, and who in it belongs to a command.
//!
//! Nothing tells of a process that has left its group and whose parent has ended. It is known when
//! it was seen before, while it could still be told.

use std::collections::HashMap;
use std::process::{Command, Stdio};

use super::super::super::Process;

/// What is asked of each process: numbers, state, the five words of its start, its name.
const COLUMNS: &str = "pid=,ppid=,pgid=,stat=,lstart=,comm=";

/// One process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) pid: u32,
    parent: u32,
    group: u32,
    /// When it was started, to the second: with the number it tells a process from all others.
    start: String,
    name: String,
}

/// All processes that have not ended; `None` when the system does not tell.
#[expect(
    clippy::disallowed_methods,
    reason = "this is where programs are started"
)]
pub(super) fn read() -> Option<Vec<Row>> {
    let ps = Command::new("/bin/ps")
        .args(["-A", "-o", COLUMNS])
        .env_clear()
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let rows = parse(&String::from_utf8_lossy(&ps.stdout));
    (!rows.is_empty()).then_some(rows)
}

fn parse(text: &str) -> Vec<Row> {
    text.lines().filter_map(row).collect()
}

fn row(line: &str) -> Option<Row> {
    let mut words = line.split_ascii_whitespace();
    let mut number = || words.next()?.parse().ok();
    let (pid, parent, group) = (number()?, number()?, number()?);
    if words.next()?.starts_with('Z') {
        return None;
    }
    let start: Vec<&str> = words.by_ref().take(5).collect();
    let name: Vec<&str> = words.collect();
    let name = name.join(" ");
    Some(Row {
        pid,
        parent,
        group,
        start: start.join(" "),
        // Some systems give the whole path.
        name: name.rsplit('/').next().unwrap_or_default().to_owned(),
    })
}

/// The processes of a command, as far as they were seen.
#[derive(Debug)]
pub(super) struct Known {
    /// The group of the command, which its first process gave its number to.
    group: u32,
    /// The supervisor.
    own: u32,
    seen: HashMap<u32, String>,
}

impl Known {
    pub(super) fn new(group: u32, own: u32) -> Self {
        Self {
            group,
            own,
            seen: HashMap::new(),
        }
    }

    /// Whether any but the supervisor's own children may be left.
    pub(super) fn is_empty(&self) -> bool {
        self.seen.is_empty()
    }

    /// Looks who belongs to the command now. Gives them.
    pub(super) fn look<'a>(&mut self, rows: &'a [Row]) -> Vec<&'a Row> {
        let starts: HashMap<u32, &str> = rows.iter().map(|row| (row.pid, &*row.start)).collect();
        // A number that is another's by now would lead to a stranger.
        self.seen
            .retain(|pid, start| starts.get(pid).is_some_and(|now| now == start));
        loop {
            let n_seen = self.seen.len();
            for row in rows {
                let belongs = row.group == self.group
                    || row.parent == self.own && row.name != "ps"
                    || self.seen.contains_key(&row.parent)
                    || self.seen.contains_key(&row.group);
                if belongs && row.pid != self.own {
                    self.seen
                        .entry(row.pid)
                        .or_insert_with(|| row.start.clone());
                }
            }
            if self.seen.len() == n_seen {
                break;
            }
        }
        let is_seen = |row: &&Row| self.seen.contains_key(&row.pid);
        rows.iter().filter(is_seen).collect()
    }
}

impl From<&Row> for Process {
    fn from(row: &Row) -> Self {
        Self {
            pid: row.pid,
            name: row.name.clone().into_bytes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Known, parse, read};

    const START: &str = "Mon Nov 30 19:10:30 2026";

    #[track_caller]
    fn sees(known: &mut Known, table: &[&str], pids: &[u32]) {
        let lines: Vec<String> = table
            .iter()
            .map(|line| format!("{} S {START} x", line.trim()))
            .collect();
        let rows = parse(&lines.join("\n"));
        assert_eq!(rows.len(), table.len());
        let seen: Vec<u32> = known.look(&rows).iter().map(|row| row.pid).collect();
        assert_eq!(seen, pids);
    }

    #[test]
    fn lines_of_the_table_are_read() {
        let text =
            format!("  7     1     7 Ss   {START} /sbin/a b\n 8 7 7 Z+ {START} (gone)\nnonsense\n");
        let rows = parse(&text);
        assert_eq!(rows.len(), 1);
        assert_eq!((rows[0].pid, rows[0].group), (7, 7));
        assert_eq!((&*rows[0].start, &*rows[0].name), (START, "a b"));
        if let Some(rows) = read() {
            assert!(rows.iter().any(|row| row.pid == std::process::id()));
        }
    }

    #[test]
    fn who_left_the_group_is_known_while_it_was_seen_to_descend() {
        // pid, parent, group: 10 supervises 20, of which 21 is a child with a group of its own.
        let mut known = Known::new(20, 10);
        sees(
            &mut known,
            &["1 0 1", "10 1 10", "20 10 20", "21 20 21"],
            &[20, 21],
        );
        // Its parent has ended, and it has a child and another in its group.
        let table = ["1 0 1", "21 1 21", "22 21 22", "23 1 21", "30 1 30"];
        sees(&mut known, &table, &[21, 22, 23]);
        // A number that was given to another is not followed.
        let later = format!("21 1 21 S Tue{} y", &START[3..]);
        assert!(known.look(&parse(&later)).is_empty());
        assert!(known.is_empty());
    }

    #[test]
    fn what_came_and_went_between_two_looks_is_not_known() {
        let mut known = Known::new(20, 10);
        sees(&mut known, &["20 10 20"], &[20]);
        sees(&mut known, &["21 1 21"], &[]);
    }
}
