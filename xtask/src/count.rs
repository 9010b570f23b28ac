//! How many tests passed and failed, read from what each runner prints.

use std::fmt;
use std::ops::AddAssign;

/// Tests that passed and tests that failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Tests that ran and held.
    pub passed: u64,
    /// Tests that ran and did not hold, and steps that could not run at all.
    pub failed: u64,
}

impl Count {
    /// One failure: a step that ended before it could count anything.
    pub const ONE_FAILED: Self = Self {
        passed: 0,
        failed: 1,
    };

    /// Makes sure that a step which reported failure counts as one, whatever its lines said.
    #[must_use]
    pub fn of_step(self, succeeded: bool) -> Self {
        if succeeded || self.failed > 0 {
            return self;
        }
        Self { failed: 1, ..self }
    }
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}

/// A line of `cargo test`: `test result: ok. 3 passed; 0 failed; 0 ignored; …`.
pub fn from_cargo(line: &str) -> Option<Count> {
    let (_, numbers) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let mut count = Count::default();
    for part in numbers.split(';') {
        match part.trim().split_once(' ') {
            Some((n, "passed")) => count.passed = n.parse().ok()?,
            Some((n, "failed")) => count.failed = n.parse().ok()?,
            _ => {}
        }
    }
    Some(count)
}

/// A closing line of Node's runner in TAP: `# pass 3`, `# fail 0`, `# cancelled 0`.
pub fn from_node(line: &str) -> Option<Count> {
    let (word, n) = line.strip_prefix("# ")?.split_once(' ')?;
    let n = n.parse().ok()?;
    match word {
        "pass" => Some(Count {
            passed: n,
            failed: 0,
        }),
        "fail" | "cancelled" => Some(Count {
            passed: 0,
            failed: n,
        }),
        _ => None,
    }
}

/// The closing line of the Python tests: `3 passed, 0 failed`.
pub fn from_python(line: &str) -> Option<Count> {
    let (passed, failed) = line.split_once(" passed, ")?;
    Some(Count {
        passed: passed.parse().ok()?,
        failed: failed.strip_suffix(" failed")?.parse().ok()?,
    })
}

/// A line of the conformance suite for a scenario: `✓ ping: 2 passed, 0 failed`. One that fails is
/// counted by how the suite ends, since it may be expected to.
pub fn from_conformance(line: &str) -> Option<Count> {
    let (_, counts) = line.strip_prefix("✓ ")?.split_once(": ")?;
    let passed: Count = from_python(counts)?;
    // What was skipped whole has not passed.
    (passed.passed > 0).then_some(Count {
        passed: 1,
        failed: 0,
    })
}

#[cfg(test)]
mod tests {
    use super::{Count, from_cargo, from_conformance, from_node, from_python};

    fn count(passed: u64, failed: u64) -> Count {
        Count { passed, failed }
    }

    #[test]
    fn reads_each_runner() {
        let cargo =
            "test result: FAILED. 12 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out";
        assert_eq!(from_cargo(cargo), Some(count(12, 1)));
        assert_eq!(from_cargo("test a::b ... ok"), None);
        assert_eq!(from_node("# pass 4"), Some(count(4, 0)));
        assert_eq!(from_node("# fail 2"), Some(count(0, 2)));
        assert_eq!(from_node("# tests 6"), None);
        assert_eq!(from_python("5 passed, 2 failed"), Some(count(5, 2)));
        assert_eq!(from_python("all 5 passed, 2 failed"), None);
        assert_eq!(
            from_conformance("✓ ping: 2 passed, 0 failed"),
            Some(count(1, 0))
        );
        assert_eq!(from_conformance("✓ sse: 0 passed, 0 failed"), None);
        assert_eq!(from_conformance("✗ ping: 1 passed, 1 failed"), None);
    }

    #[test]
    fn a_failed_step_counts_as_a_failure() {
        assert_eq!(count(3, 0).of_step(true), count(3, 0));
        assert_eq!(count(3, 0).of_step(false), count(3, 1));
        assert_eq!(count(3, 2).of_step(false), count(3, 2));
    }
}
