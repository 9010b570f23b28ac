//! Differences give what they were made of, and are small where that has much in common.

use proptest::collection::vec;
use proptest::prelude::{any, proptest};
use proptest::sample::Index;

use super::{apply, make};

/// Bytes that hardly repeat.
fn noise(len: usize) -> Vec<u8> {
    let mut random = 7_u32;
    let bytes = std::iter::repeat_with(|| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        random.to_le_bytes()[3]
    });
    bytes.take(len).collect()
}

#[track_caller]
fn told(base: &[u8], made: &[u8]) -> usize {
    let delta = make(base, made).unwrap();
    assert_eq!(apply(base, &delta, u64::MAX).unwrap(), made);
    delta.len()
}

#[test]
fn changes_in_several_places_cost_what_they_change() {
    let base = noise(40_000);
    let mut made = base.clone();
    for at in [0, 9_000, 20_000, 39_990] {
        made[at..at + 10].copy_from_slice(b"0123456789");
    }
    assert!(told(&base, &made) < 150);
    made.splice(15_000..15_100, []);
    made.splice(30_000..30_000, *b"something new");
    assert!(told(&base, &made) < 200);
}

#[test]
fn what_moved_is_found() {
    let base = noise(4_000);
    let made = [
        &base[1_000..3_000],
        b"between",
        &base[100..900],
        &base[3_000..],
    ]
    .concat();
    assert!(told(&base, &made) < 100);
}

#[test]
fn bytes_that_are_all_the_same_are_found_once() {
    let base = [b"a", &[0; 1_000_000][..], b"b"].concat();
    let made = [b"c", &[0; 1_500_000][..], b"d"].concat();
    assert!(told(&base, &made) < 50);
}

#[test]
fn little_in_common_is_no_difference() {
    let base = noise(2_000);
    let made: Vec<u8> = base.iter().map(|byte| byte ^ 0x55).collect();
    assert_eq!(make(&base, &made), None);
    assert_eq!(make(&[], &made), None);
    assert_eq!(make(&base, &base[..60]), None);
}

proptest! {
    #[test]
    fn a_difference_gives_what_it_was_made_of(
        base in vec(0_u8..3, 0..400),
        cuts in vec((any::<Index>(), 0_usize..60, vec(any::<u8>(), 0..20)), 0..6),
    ) {
        let mut made = base.clone();
        for (at, len, new) in cuts {
            let at = at.index(made.len() + 1);
            let end = made.len().min(at + len);
            made.splice(at..end, new);
        }
        if let Some(delta) = make(&base, &made) {
            assert_eq!(apply(&base, &delta, u64::MAX).unwrap(), made);
        }
    }
}
