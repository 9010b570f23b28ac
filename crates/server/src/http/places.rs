//! The connections that are open: how many there may be, and how many of them one client may hold.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The part of all connections that one client may hold: one in so many.
const SHARE: usize = 8;

/// Room for connections.
#[derive(Debug)]
pub(super) struct Places {
    most: usize,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    all: usize,
    /// By client, without those that hold none.
    each: HashMap<IpAddr, usize>,
}

impl Places {
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            held: Mutex::default(),
        }
    }

    /// A place for a connection from this address, unless all are taken, or its client's share of
    /// them.
    pub(super) fn take(self: &Arc<Self>, address: IpAddr) -> Option<Place> {
        let client = client(address);
        let mut held = self.held();
        if held.all >= self.most {
            return None;
        }
        if let Some(client) = client {
            let n_held = held.each.entry(client).or_default();
            if *n_held >= (self.most / SHARE).max(1) {
                return None;
            }
            *n_held += 1;
        }
        held.all += 1;
        drop(held);
        Some(Place {
            places: Arc::clone(self),
            client,
        })
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        // Nothing in between can panic.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Who is behind an address. Nobody can say for loopback, where every program of this machine comes
/// from, proxies among them; and of IPv6 a client has a whole network.
fn client(address: IpAddr) -> Option<IpAddr> {
    match address.to_canonical() {
        address if address.is_loopback() => None,
        IpAddr::V6(address) => {
            let network = address.to_bits() & (u128::MAX << 64);
            Some(Ipv6Addr::from_bits(network).into())
        }
        address => Some(address),
    }
}

/// A place that a connection holds.
#[derive(Debug)]
pub(super) struct Place {
    places: Arc<Places>,
    client: Option<IpAddr>,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut held = self.places.held();
        held.all -= 1;
        if let Some(client) = self.client
            && let Some(n_held) = held.each.get_mut(&client)
        {
            *n_held -= 1;
            if *n_held == 0 {
                held.each.remove(&client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
