//! What is shown of an output.

use std::fs;
use std::time::Duration;

use serde_json::json;

use super::{Served, timeless};
use crate::client::text_of;

#[test]
fn both_outputs_come_in_the_order_they_were_written() {
    let mut served = Served::new();
    let script = "for i in 1 2 3 4 5; do echo o$i; echo e$i >&2; done";
    let text = served.sh(script);
    assert!(
        text.starts_with("o1\ne1\no2\ne2\no3\ne3\no4\ne4\no5\ne5\n\n"),
        "{text}"
    );
}

#[test]
fn what_is_meant_for_a_terminal_is_not_shown() {
    let mut served = Served::new();
    let script = r"printf '\033[31mred\033[0m \033]0;title\007x\033(B\033Pq1;2\033\\y\n\n 10%%\r100%%\nlast'";
    assert_eq!(
        timeless(&served.sh(script)),
        "red xy\n\n100%\nlast\n\nexit code: 0  duration: Nms"
    );
    let script = r"printf 'a\342\200\256b\302\233c\377d'";
    assert_eq!(
        timeless(&served.sh(script)),
        "a\\u{202e}b\\u{9b}c\u{fffd}d\n... (1 invalid UTF-8 byte shown as U+FFFD)\n\n\
         exit code: 0  duration: Nms"
    );
    let script = r"printf '\342'; sleep 0.1; printf '\202'; sleep 0.1; printf '\254'";
    assert!(served.sh(script).starts_with("€\n"));
}

#[test]
fn up_to_256_kib_are_shown_whole_and_of_more_both_ends() {
    let mut served = Served::new();
    let text = served.sh("head -c 262144 /dev/zero | tr '\\0' x");
    assert!(!text.contains("truncated"));
    assert_eq!(text.find('\n'), Some(262_144));
    let text = served.sh("head -c 262145 /dev/zero | tr '\\0' x");
    let (head, rest) = text
        .split_once("\n... (196609 bytes truncated) ...\n")
        .unwrap();
    let (tail, _) = rest.split_once('\n').unwrap();
    assert_eq!((head.len(), tail.len()), (32_768, 32_768));
}

/// The greatest memory a process has had, in KiB.
fn peak(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.unwrap()
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .unwrap()
}

/// What is said of a script that may take long.
fn flood(served: &mut Served, script: &str) -> String {
    let command = json!({"command": ["sh", "-c", script], "timeoutMs": 600_000});
    let id = served.client.send_call("run_command", command);
    text_of(&served.client.recv_within(id, Duration::from_secs(600)))
}

#[test]
fn a_flood_takes_no_memory() {
    // With the usual factor of the long form it is 1 GB.
    let n_bytes = 50_000_000 * crate::races::soak().min(20);
    let mut served = Served::new();
    served.sh("echo warm");
    let before = peak(served.client.pid());
    let text = flood(&mut served, &format!("yes | head -c {n_bytes}"));
    assert!(text.contains(" bytes truncated) ...\n"));
    // One line, and no end of it.
    let text = flood(
        &mut served,
        &format!("head -c {n_bytes} /dev/zero | tr '\\0' x"),
    );
    assert!(text.contains(" bytes truncated) ...\n"));
    // A bar that is drawn over and over, of which the last state is shown.
    let bar = format!("yes '50 %' | head -c {n_bytes} | tr '\\n' '\\r'; echo 100 %");
    assert!(flood(&mut served, &bar).starts_with("100 %\n\nexit code: 0"));
    // All that fits into a time.
    let limit = 1000 * crate::races::soak().min(5);
    let arguments = json!({"command": ["yes"], "timeoutMs": limit});
    let text = served.client.call("run_command", arguments);
    assert!(text.contains(" bytes truncated) ...\n"));
    assert!(text.contains(&format!("\n\ntimed out after {limit}ms  ")));
    let grown = peak(served.client.pid()) - before;
    assert!(grown <= 16 * 1024, "{grown} KiB");
}
