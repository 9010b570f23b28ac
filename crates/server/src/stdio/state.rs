//! The requests that are open on a pipe, and which of them run.

use std::collections::{HashMap, VecDeque};

use rmcp::model::{ClientRequest, JsonRpcError, RequestId};
use workspace::Cancel;

use crate::toolset::Toolset;

/// Calls of tools that run at the same time, at most; more would only queue for the disk.
pub(super) const CALLS_AT_ONCE: usize = 16;
/// Calls that wait for programs, at most; they need a place to wait more than they need the machine.
pub(super) const COMMANDS_AT_ONCE: usize = 64;
/// Other messages that are answered at the same time, at most; they wait for the output only.
pub(super) const REST_AT_ONCE: usize = 4;
/// Bytes of requests that may wait for their turn; beyond that nothing is read.
const WAITING_BYTES: usize = 64 * 1024 * 1024;

/// The requests that are open, and the jobs that run or wait.
#[derive(Debug, Default)]
pub(super) struct State {
    /// There will be no more input, or nobody reads the output.
    pub(super) ended: bool,
    last: u64,
    open: HashMap<RequestId, (u64, Cancel)>,
    waiting: VecDeque<Task>,
    waiting_bytes: usize,
    calls: usize,
    commands: usize,
    rest: usize,
}

/// A request that was opened, to be answered unless it is cancelled before.
#[derive(Debug)]
pub(super) struct Opened {
    /// The id the client gave it.
    pub(super) id: RequestId,
    /// Raised when the client cancels it.
    pub(super) cancel: Cancel,
    /// Tells it from a later one with the same id.
    number: u64,
}

/// Something to do.
#[derive(Debug)]
pub(super) enum Task {
    /// Answer a request.
    Answer {
        /// The request's place among the open ones.
        opened: Opened,
        /// What is asked.
        request: Box<ClientRequest>,
        /// The size of the message.
        n_bytes: usize,
        /// The right that it needs.
        slot: Slot,
    },
    /// Refuse what is no request.
    Refuse(Box<JsonRpcError>),
}

/// A task that may run now.
#[derive(Debug)]
pub(super) struct Job {
    /// What to do.
    pub(super) task: Task,
    /// What to give back afterwards.
    pub(super) slot: Slot,
}

/// The right to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    /// A call of a tool.
    Call,
    /// A call of a tool that waits for a program.
    Command,
    /// Anything else.
    Rest,
}

impl Slot {
    /// What a request needs.
    pub(super) fn of(request: &ClientRequest, toolset: &dyn Toolset) -> Self {
        match request {
            ClientRequest::CallToolRequest(call) if toolset.waits(&call.params.name) => {
                Self::Command
            }
            ClientRequest::CallToolRequest(_) => Self::Call,
            _ => Self::Rest,
        }
    }
}

impl Task {
    fn slot(&self) -> Slot {
        match self {
            Self::Answer { slot, .. } => *slot,
            Self::Refuse(_) => Slot::Rest,
        }
    }

    fn n_bytes(&self) -> usize {
        match self {
            Self::Answer { n_bytes, .. } => *n_bytes,
            // A refusal is short; what was refused is gone.
            Self::Refuse(_) => 256,
        }
    }
}

impl State {
    /// Opens a request. `None` when one with this id is open.
    pub(super) fn open(&mut self, id: &RequestId) -> Option<Opened> {
        if self.open.contains_key(id) {
            return None;
        }
        self.last += 1;
        let opened = Opened {
            id: id.clone(),
            cancel: Cancel::never(),
            number: self.last,
        };
        let entry = (opened.number, opened.cancel.clone());
        self.open.insert(id.clone(), entry);
        Some(opened)
    }

    /// Closes a request that is to be answered. False when it was cancelled: then nothing may be
    /// sent for its id, which may have been used again.
    pub(super) fn close(&mut self, opened: &Opened) -> bool {
        let is_it = |(number, _): &(u64, Cancel)| *number == opened.number;
        self.open.get(&opened.id).is_some_and(is_it) && self.open.remove(&opened.id).is_some()
    }

    /// Cancels a request by its id.
    pub(super) fn cancel(&mut self, id: &RequestId) {
        if let Some((_, cancel)) = self.open.remove(id) {
            cancel.cancel();
        }
    }

    /// Cancels everything.
    pub(super) fn give_up(&mut self) {
        for (_, (_, cancel)) in self.open.drain() {
            cancel.cancel();
        }
    }

    /// Takes a task in: to run now, or else to wait.
    pub(super) fn admit(&mut self, task: Task) -> Option<Job> {
        let slot = task.slot();
        if self.is_free(slot) {
            return Some(self.take(task, slot));
        }
        self.waiting_bytes += task.n_bytes();
        self.waiting.push_back(task);
        None
    }

    /// Gives a slot back; gives the next job that waited for one.
    pub(super) fn done(&mut self, slot: Slot) -> Option<Job> {
        *self.running(slot) -= 1;
        let next = self
            .waiting
            .iter()
            .position(|task| self.is_free(task.slot()))?;
        let task = self.waiting.remove(next)?;
        self.waiting_bytes -= task.n_bytes();
        let slot = task.slot();
        Some(self.take(task, slot))
    }

    /// Whether more may be read.
    pub(super) fn has_room(&self) -> bool {
        self.ended || self.waiting_bytes <= WAITING_BYTES
    }

    /// Whether nothing runs and nothing waits.
    pub(super) fn is_settled(&self) -> bool {
        self.calls == 0 && self.commands == 0 && self.rest == 0 && self.waiting.is_empty()
    }

    fn take(&mut self, task: Task, slot: Slot) -> Job {
        *self.running(slot) += 1;
        Job { task, slot }
    }

    fn is_free(&self, slot: Slot) -> bool {
        match slot {
            Slot::Call => self.calls < CALLS_AT_ONCE,
            Slot::Command => self.commands < COMMANDS_AT_ONCE,
            Slot::Rest => self.rest < REST_AT_ONCE,
        }
    }

    fn running(&mut self, slot: Slot) -> &mut usize {
        match slot {
            Slot::Call => &mut self.calls,
            Slot::Command => &mut self.commands,
            Slot::Rest => &mut self.rest,
        }
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::RequestId;

    use super::State;

    #[test]
    fn an_id_is_open_once_and_free_again_after() {
        let mut state = State::default();
        let id = RequestId::String("a".into());
        let first = state.open(&id).unwrap();
        assert!(state.open(&id).is_none());
        assert!(state.close(&first));
        assert!(!state.close(&first));

        let second = state.open(&id).unwrap();
        state.cancel(&id);
        assert!(second.cancel.is_raised());
        let third = state.open(&id).unwrap();
        assert!(
            !state.close(&second),
            "a late answer would go out for the third"
        );
        assert!(state.close(&third));
        assert!(!third.cancel.is_raised());
    }

    #[test]
    fn a_number_and_the_same_text_are_two_ids() {
        let mut state = State::default();
        assert!(state.open(&RequestId::Number(1)).is_some());
        assert!(state.open(&RequestId::String("1".into())).is_some());
    }
}
