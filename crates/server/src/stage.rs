//! A toolset for tests of the transports: a tool that runs until a test lets it end.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::args::{Arg, Args};
use crate::config::Config;
use crate::context::Ctx;
use crate::dispatch::Server;
use crate::failure::Failure;
use crate::log::{Level, Log};
use crate::registry::{Registry, ToolFilter};
use crate::reply::Reply;
use crate::tool::{Hints, Tool};
use crate::toolset::Toolset;

/// What the calls of one test share, under the name of the test.
static STAGES: Mutex<BTreeMap<String, Arc<Stage>>> = Mutex::new(BTreeMap::new());

/// What the calls of one test did so far.
#[derive(Debug, Default)]
pub struct Stage {
    running: AtomicUsize,
    most: AtomicUsize,
    cancelled: AtomicUsize,
    done: AtomicUsize,
    /// Calls that may end.
    tickets: AtomicUsize,
}

impl Stage {
    /// The stage of that name.
    pub fn named(name: &str) -> Arc<Self> {
        let mut stages = STAGES.lock().unwrap();
        Arc::clone(stages.entry(name.to_owned()).or_default())
    }

    /// Calls that run.
    pub fn running(&self) -> usize {
        self.running.load(Ordering::SeqCst)
    }

    /// Calls that ran at the same time, at most.
    pub fn most(&self) -> usize {
        self.most.load(Ordering::SeqCst)
    }

    /// Calls that ended because they were cancelled.
    pub fn cancelled(&self) -> usize {
        self.cancelled.load(Ordering::SeqCst)
    }

    /// Calls that ended because they were let.
    pub fn done(&self) -> usize {
        self.done.load(Ordering::SeqCst)
    }

    /// Lets so many calls end.
    pub fn let_end(&self, n: usize) {
        self.tickets.fetch_add(n, Ordering::SeqCst);
    }

    fn take_ticket(&self) -> bool {
        let take = |tickets: usize| tickets.checked_sub(1);
        let order = Ordering::SeqCst;
        self.tickets.fetch_update(order, order, take).is_ok()
    }
}

const TOOLS: &[Tool] = &[Tool {
    name: "wait",
    title: "Wait",
    description: "",
    args: &[Arg::text("stage", "").required()],
    hints: Hints::READ,
    call: wait,
}];

/// A toolset whose one tool is `wait`, with the name of a stage as `stage`.
pub fn toolset() -> Arc<dyn Toolset> {
    let config = Config::from_options(&[], &std::env::temp_dir()).unwrap();
    let registry = Registry::new(TOOLS, &ToolFilter::default()).unwrap();
    let log = Log::to_stderr(Level::Off);
    let workspaces = config.open().unwrap();
    Arc::new(Server::new(registry, workspaces, None, config.room, log))
}

/// Tells that it started, and runs until it is let end or its caller gave up.
fn wait(ctx: &Ctx<'_>, args: &Args) -> Result<Reply, Failure> {
    let stage = Stage::named(args.needed_text("stage"));
    let running = stage.running.fetch_add(1, Ordering::SeqCst) + 1;
    stage.most.fetch_max(running, Ordering::SeqCst);
    if let Some(tell) = ctx.progress.tell() {
        tell("started");
    }
    loop {
        if ctx.cancel.is_cancelled() {
            stage.running.fetch_sub(1, Ordering::SeqCst);
            stage.cancelled.fetch_add(1, Ordering::SeqCst);
            return Err(workspace::Error::Cancelled.into());
        }
        if stage.take_ticket() {
            stage.running.fetch_sub(1, Ordering::SeqCst);
            stage.done.fetch_add(1, Ordering::SeqCst);
            return Ok(Reply::text("done"));
        }
        thread::yield_now();
    }
}
