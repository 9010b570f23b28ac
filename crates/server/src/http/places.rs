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
mod tests;
