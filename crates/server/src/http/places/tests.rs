use std::net::IpAddr;
use std::sync::Arc;

use super::{Place, Places};

/// Takes places until there is none.
fn fill(places: &Arc<Places>, address: &str) -> Vec<Place> {
    std::iter::from_fn(|| places.take(address.parse().unwrap())).collect()
}

#[test]
fn one_client_holds_its_share_and_leaves_the_rest_to_others() {
    let places = Arc::new(Places::new(80));
    let one = fill(&places, "192.0.2.1");
    assert_eq!(one.len(), 10);
    assert!(fill(&places, "::ffff:192.0.2.1").is_empty(), "the same");
    let other = fill(&places, "2001:db8::1");
    assert_eq!(other.len(), 10);
    assert!(fill(&places, "2001:db8::ffff:1").is_empty(), "its network");
    assert_eq!(fill(&places, "2001:db8:0:1::1").len(), 10, "another");
    drop(one);
    assert_eq!(fill(&places, "192.0.2.1").len(), 10);
    drop(other);
    assert!(places.held().each.is_empty(), "who left is forgotten");
    assert_eq!(places.held().all, 0);
}

#[test]
fn this_machine_may_hold_all() {
    for address in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
        let places = Arc::new(Places::new(20));
        let all = fill(&places, address);
        assert_eq!(all.len(), 20, "{address}");
        assert!(places.take("192.0.2.1".parse().unwrap()).is_none());
    }
}

#[test]
fn a_share_is_never_nothing() {
    let places = Arc::new(Places::new(3));
    let all: Vec<_> = (1..=4)
        .filter_map(|n| places.take(IpAddr::from([192, 0, 2, n])))
        .collect();
    assert_eq!(all.len(), 3);
}
