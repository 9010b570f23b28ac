//! The requests that are open on a pipe.
//!
//! Each gets a number of our own, so that an id used twice at the same time is noticed, and a late
//! answer to a cancelled request can never go out under an id that was used again.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;
use tokio::sync::{Notify, OwnedSemaphorePermit};

use crate::mcp::Holder;

/// Bytes of requests that may wait for their turn; beyond that the pipe is not read.
const WAITING_BYTES: usize = 64 * 1024 * 1024;

/// The requests that are open.
#[derive(Debug, Default)]
pub(super) struct Calls {
    // A plain mutex: held for a few map operations, never across an await.
    open: Mutex<Open>,
    room: Notify,
}

#[derive(Debug, Default)]
struct Open {
    last: i64,
    calls: HashMap<i64, Call>,
    numbers: HashMap<RequestId, i64>,
    bytes: usize,
}

/// One open request.
#[derive(Debug)]
pub(super) struct Call {
    /// The id the client gave it.
    pub(super) id: RequestId,
    bytes: usize,
    permit: Option<OwnedSemaphorePermit>,
}

impl Calls {
    /// Opens a request of so many bytes. `None` when one with this id is open.
    pub(super) fn open(&self, id: &RequestId, bytes: usize) -> Option<RequestId> {
        let mut open = self.lock();
        if open.numbers.contains_key(id) {
            return None;
        }
        open.last += 1;
        let number = open.last;
        open.bytes += bytes;
        open.numbers.insert(id.clone(), number);
        let call = Call {
            id: id.clone(),
            bytes,
            permit: None,
        };
        open.calls.insert(number, call);
        Some(RequestId::Number(number))
    }

    /// Closes a request by the client's id; gives our number for it.
    pub(super) fn cancel(&self, id: &RequestId) -> Option<RequestId> {
        let number = *self.lock().numbers.get(id)?;
        let number = RequestId::Number(number);
        self.close(&number)?;
        Some(number)
    }

    /// Closes a request by our number. What it holds is let go with the value.
    pub(super) fn close(&self, number: &RequestId) -> Option<Call> {
        let RequestId::Number(number) = number else {
            return None;
        };
        let mut open = self.lock();
        let call = open.calls.remove(number)?;
        open.numbers.remove(&call.id);
        open.bytes -= call.bytes;
        drop(open);
        self.room.notify_one();
        Some(call)
    }

    /// Waits until there is room for another request.
    pub(super) async fn room(&self) {
        while self.lock().bytes > WAITING_BYTES {
            self.room.notified().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Holder for Calls {
    fn hold(&self, number: &RequestId, permit: OwnedSemaphorePermit) {
        if let RequestId::Number(number) = number
            && let Some(call) = self.lock().calls.get_mut(number)
        {
            call.permit = Some(permit);
        }
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::RequestId;

    use super::Calls;

    #[test]
    fn an_id_is_open_once_and_free_again_after() {
        let calls = Calls::default();
        let id = RequestId::String("a".into());
        let number = calls.open(&id, 10).unwrap();
        assert_eq!(calls.open(&id, 10), None);
        assert_eq!(calls.close(&number).unwrap().id, id);
        let again = calls.open(&id, 10).unwrap();
        assert_ne!(number, again);
        assert_eq!(calls.cancel(&id), Some(again.clone()));
        assert!(calls.close(&again).is_none());
        assert_eq!(calls.cancel(&id), None);
    }

    #[test]
    fn a_number_and_the_same_text_are_two_ids() {
        let calls = Calls::default();
        assert!(calls.open(&RequestId::Number(1), 0).is_some());
        assert!(calls.open(&RequestId::String("1".into()), 0).is_some());
    }
}
