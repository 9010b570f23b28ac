//! The protocol: messages to calls of a [`Toolset`], answers to results, in both eras at once.
//!
//! A request that names a version of 2026-07-28 or later in its `_meta` is answered by those rules,
//! whatever came before; every other one by the rules of the version that `initialize` agreed on,
//! or of the newest legacy version when there was none.

pub mod gate;
pub mod message;

use std::convert::Infallible;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{self, Poll, Waker};

use base64::Engine as _;
use rmcp::ErrorData;
use rmcp::ServerHandler;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities,
    ClientJsonRpcMessage, ClientRequest, ContentBlock, CustomRequest, CustomResult, DiscoverResult,
    ErrorCode, GetMeta as _, Implementation, InitializeRequestParams, InitializeResult,
    JsonRpcError, JsonRpcMessage, ListToolsResult, MetaObject, PaginatedRequestParams,
    ProtocolVersion, RequestId, ServerCapabilities, ServerConfig, ServerJsonRpcMessage,
    ToolAnnotations, ToolsCapability,
};
use rmcp::service::{Peer, RequestContext, RoleServer, Service as _, serve_directly};
use rmcp::transport::Transport;
use serde_json::Value;
use workspace::Cancel;

use crate::progress::Progress;
use crate::toolset::{Answer, Caller, Eras, Identity, Listed, Toolset};

/// Serves the protocol for one connection.
#[derive(Clone)]
pub struct Handler {
    toolset: Arc<dyn Toolset>,
    tools: Arc<Vec<rmcp::model::Tool>>,
    identity: Arc<MetaObject>,
    /// Whether requests come from many clients, of which none may change what another gets.
    stateless: bool,
}

impl Handler {
    /// A handler over this server.
    #[must_use]
    pub fn new(toolset: Arc<dyn Toolset>) -> Self {
        let tools = toolset.tools().into_iter().map(describe).collect();
        let mut identity = MetaObject::default();
        let Identity { name, version } = toolset.identity();
        let info = serde_json::json!({"name": name, "version": version});
        identity.insert("io.modelcontextprotocol/serverInfo".to_owned(), info);
        Self {
            toolset,
            tools: Arc::new(tools),
            identity: Arc::new(identity),
            stateless: false,
        }
    }

    /// What results say of who made them; peers before 2026-07-28 know that from `initialize`.
    fn identity(&self, context: &RequestContext<RoleServer>) -> Option<MetaObject> {
        is_modern(context).then(|| MetaObject::clone(&self.identity))
    }
}

/// A connection whose messages come and go by other means than the SDK's own loop.
///
/// That loop hands every request from task to task, and a tool must not block any of them; what
/// that costs is several times what a small read does. Here a request is answered on the thread
/// that asks, by the same rules.
pub struct Connection {
    handler: Handler,
    peer: Peer<RoleServer>,
}

impl Connection {
    /// A connection to this server.
    ///
    /// # Errors
    /// What the operating system says when there is nothing left to start with.
    pub fn new(toolset: Arc<dyn Toolset>) -> io::Result<Self> {
        Self::over(Handler::new(toolset))
    }

    /// One that many clients share: what one of them opens with is forgotten with the answer.
    ///
    /// # Errors
    /// As for [`Self::new`].
    pub fn stateless(toolset: Arc<dyn Toolset>) -> io::Result<Self> {
        let mut handler = Handler::new(toolset);
        handler.stateless = true;
        Self::over(handler)
    }

    fn over(handler: Handler) -> io::Result<Self> {
        // The SDK makes a peer only for a service that it runs, so one is started on nothing.
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        let _context = runtime.enter();
        let service = serve_directly(handler.clone(), Nowhere, Some(unknown_client()));
        let peer = service.peer().clone();
        Ok(Self { handler, peer })
    }

    /// Answers a request; blocks until the tool is done. The answer is one line without its end.
    #[must_use]
    pub fn answer(
        &self,
        id: RequestId,
        request: ClientRequest,
        cancel: Cancel,
        notify: impl Fn(Vec<u8>) + Send + Sync + 'static,
    ) -> Vec<u8> {
        let token = progress_token(&request);
        let caller = Caller {
            cancel,
            is_mended: false,
            progress: token.map_or_else(Progress::default, |token| progress(token, notify)),
        };
        let answer = self.reply(id.clone(), request, caller);
        serde_json::to_vec(&answer).unwrap_or_else(|_| Self::fault(Some(id)))
    }

    /// The same for this caller, before it is written down.
    #[must_use]
    pub fn reply(
        &self,
        id: RequestId,
        mut request: ClientRequest,
        caller: Caller,
    ) -> ServerJsonRpcMessage {
        let mut context = RequestContext::new(id.clone(), self.peer.clone());
        context.meta = std::mem::take(request.get_meta_mut());
        context.extensions.insert(caller);
        let answer = pin!(self.handler.handle_request(request, context));
        let mut nobody = task::Context::from_waker(Waker::noop());
        match answer.poll(&mut nobody) {
            Poll::Ready(Ok(result)) => JsonRpcMessage::response(result, id),
            Poll::Ready(Err(error)) => JsonRpcMessage::error(error, Some(id)),
            // Nothing in the handler waits for anything but its own thread.
            Poll::Pending => JsonRpcMessage::error(internal_error(), Some(id)),
        }
    }

    /// The answer to a request that could not be answered.
    #[must_use]
    pub fn fault(id: Option<RequestId>) -> Vec<u8> {
        let error = JsonRpcError::new(id, internal_error());
        serde_json::to_vec(&error).unwrap_or_default()
    }
}

/// What a caller wants to be told under how far its call is, if it does.
#[must_use]
pub fn progress_token(request: &ClientRequest) -> Option<Value> {
    let token = request.get_meta().0.0.get("progressToken")?;
    (token.is_string() || token.is_number()).then(|| token.clone())
}

/// Progress as notifications under the token that the caller gave.
#[must_use]
pub fn progress(token: Value, notify: impl Fn(Vec<u8>) + Send + Sync + 'static) -> Progress {
    let count = AtomicU64::new(0);
    Progress::new(move |line| {
        let n = count.fetch_add(1, Ordering::Relaxed) + 1;
        let notification = serde_json::json!({
            "jsonrpc": "2.0",
            "method": "notifications/progress",
            "params": {"progressToken": token, "progress": n, "message": line},
        });
        notify(notification.to_string().into_bytes());
    })
}

fn internal_error() -> ErrorData {
    ErrorData::internal_error("internal error", None)
}

/// A transport that has nothing to say.
struct Nowhere;

impl Transport<RoleServer> for Nowhere {
    type Error = Infallible;

    fn send(
        &mut self,
        _: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
        std::future::ready(Ok(()))
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        None
    }

    async fn close(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

/// The oldest version that `initialize` may ask for.
const EARLIEST_VERSION: &str = "2024-10-07";
/// Characters of an unknown name that are told back.
const NAME_CHARS: usize = 128;

/// What is assumed of a client that sends requests without `initialize` and without `_meta`.
fn unknown_client() -> InitializeRequestParams {
    let nobody = Implementation::new("unknown", "0");
    InitializeRequestParams::new(ClientCapabilities::default(), nobody)
        .with_protocol_version(ProtocolVersion::V_2025_11_25)
}

fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    let named = context.meta.protocol_version();
    named.is_some_and(|version| !version.has_initialize())
}

fn describe(listed: Listed) -> rmcp::model::Tool {
    let hints = ToolAnnotations::new()
        .read_only(listed.hints.read_only)
        .destructive(listed.hints.destructive)
        .idempotent(listed.hints.idempotent)
        .open_world(listed.hints.open_world);
    let mut tool = rmcp::model::Tool::new(listed.name, listed.description, listed.input)
        .with_title(listed.title)
        .with_annotations(hints);
    tool.output_schema = listed.output.map(Arc::new);
    tool.meta = listed.meta.map(MetaObject);
    tool
}

fn result(answer: Answer) -> CallToolResult {
    let mut content = vec![ContentBlock::text(answer.reply.text)];
    if let Some(image) = answer.reply.image {
        let data = base64::engine::general_purpose::STANDARD.encode(image.bytes);
        content.push(ContentBlock::image(data, image.mime));
    }
    let mut result = if answer.is_error {
        CallToolResult::error(content)
    } else {
        let mut result = CallToolResult::success(content);
        result.is_error = None;
        result
    };
    result.structured_content = answer.reply.structured;
    result.meta = answer.reply.meta.map(MetaObject);
    result
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let Identity { name, version } = self.toolset.identity();
        let mut tools = ToolsCapability::default();
        tools.list_changed = self.toolset.terms().list_changes.then_some(true);
        let mut capabilities = ServerCapabilities::default();
        capabilities.tools = Some(tools);
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new(name, version))
            .with_instructions(self.toolset.instructions())
            .with_protocol_version(ProtocolVersion::V_2025_11_25)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        if is_modern(&context) {
            return Err(method_not_found("initialize"));
        }
        let mut answer = self.negotiate_initialize(&request)?;
        // Of the same shape as its successor, and still asked for; the SDK does not know it.
        if request.protocol_version.as_str() == EARLIEST_VERSION {
            answer.protocol_version = request.protocol_version.clone();
        }
        let version = answer.protocol_version.clone();
        if !self.stateless {
            context
                .peer
                .set_peer_info(request.with_protocol_version(version));
        }
        Ok(answer)
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = match self.toolset.terms().eras {
            Eras::Both => ServerHandler::supported_protocol_versions(self).into_owned(),
            Eras::Modern => vec![ProtocolVersion::V_2026_07_28],
        };
        let found = DiscoverResult::from_server_info(versions, ServerHandler::get_info(self));
        // Private, since the instructions name the roots.
        Ok(found
            .with_ttl_ms(self.toolset.terms().server_fresh_ms)
            .with_cache_scope(CacheScope::Private))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        // All tools come in one page, so no cursor was ever given out.
        let cursor = request.and_then(|request| request.cursor);
        if cursor.is_some_and(|cursor| !cursor.is_empty()) {
            return Err(ErrorData::invalid_params("invalid cursor", None));
        }
        let mut list = ListToolsResult::with_all_items(self.tools.to_vec());
        list.meta = self.identity(&context);
        if is_modern(&context) {
            let terms = self.toolset.terms();
            let scope = if terms.list_is_public {
                CacheScope::Public
            } else {
                CacheScope::Private
            };
            list = list
                .with_ttl_ms(terms.list_fresh_ms)
                .with_cache_scope(scope);
        }
        Ok(list)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let caller = context.extensions.get::<Caller>().cloned();
        let mut caller = caller.unwrap_or_default();
        caller.is_mended = context.meta.0.0.contains_key(message::MENDED);
        let arguments = request.arguments.unwrap_or_default();
        // Blocks: only a thread that may be blocked calls this.
        let Some(answer) = self.toolset.call(&request.name, arguments, caller) else {
            let name = told(&request.name);
            self.toolset.log().debug(&format!("no such tool: {name}"));
            return Err(ErrorData::invalid_params(
                format!("Tool {name} not found"),
                None,
            ));
        };
        let mut result = result(answer);
        if let Some(identity) = self.identity(&context) {
            result.meta.get_or_insert_default().0.extend(identity.0);
        }
        Ok(result.into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(method_not_found(&request.method))
    }
}

/// An unknown name as it is told back: with nothing hidden, and not at any length.
fn told(name: &str) -> String {
    let mut told: String = name.chars().take(NAME_CHARS).collect();
    if told.len() < name.len() {
        told.push('…');
    }
    rooted::show(told.as_bytes())
}

fn method_not_found(method: &str) -> ErrorData {
    let method = Value::from(told(method));
    let data = serde_json::json!({"method": method});
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "Method not found", Some(data))
}
