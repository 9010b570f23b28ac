//! The protocol: messages to calls of [`Server`], answers to results, in both eras at once.
//!
//! A request that names a version of 2026-07-28 or later in its `_meta` is answered by those rules,
//! whatever came before; every other one by the rules of the version that `initialize` agreed on,
//! or of the newest legacy version when there was none.

pub mod message;

use std::sync::Arc;

use base64::Engine as _;
use rmcp::ErrorData;
use rmcp::ServerHandler;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities,
    ContentBlock, CustomRequest, CustomResult, DiscoverResult, ErrorCode, Implementation,
    InitializeRequestParams, InitializeResult, ListToolsResult, MetaObject, PaginatedRequestParams,
    ProtocolVersion, RequestId, ServerCapabilities, ServerConfig, ToolAnnotations, ToolsCapability,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use workspace::Cancel;

use crate::args;
use crate::dispatch::{Answer, Server};
use crate::tool::Tool;

/// Calls that run at the same time, at most; more would only queue for the disk.
pub const CALLS_AT_ONCE: usize = 16;
/// How long a client may take what it was told for fresh. It changes with a restart only, but a
/// client may keep it beyond one.
const FRESH_MS: u64 = 300_000;

/// Who takes over the right to run of a call that is done, to keep until its answer is out: so that
/// answers nobody reads do not pile up.
pub trait Holder: Send + Sync + 'static {
    /// Takes the right of the call with this id.
    fn hold(&self, id: &RequestId, permit: OwnedSemaphorePermit);
}

/// Serves the protocol for one connection or more.
#[derive(Clone)]
pub struct Handler {
    server: Arc<Server>,
    gate: Arc<Semaphore>,
    holder: Option<Arc<dyn Holder>>,
    tools: Arc<Vec<rmcp::model::Tool>>,
    identity: Arc<MetaObject>,
}

impl Handler {
    /// A handler over this server.
    #[must_use]
    pub fn new(server: Arc<Server>, holder: Option<Arc<dyn Holder>>) -> Self {
        let tools = server.registry.iter().map(describe).collect();
        let mut identity = MetaObject::default();
        let info = serde_json::json!({"name": NAME, "version": VERSION});
        identity.insert("io.modelcontextprotocol/serverInfo".to_owned(), info);
        Self {
            server,
            gate: Arc::new(Semaphore::new(CALLS_AT_ONCE)),
            holder,
            tools: Arc::new(tools),
            identity: Arc::new(identity),
        }
    }

    /// What results say of who made them; peers before 2026-07-28 know that from `initialize`.
    fn identity(&self, context: &RequestContext<RoleServer>) -> Option<MetaObject> {
        is_modern(context).then(|| MetaObject::clone(&self.identity))
    }

    /// Runs the tool away from the thread that serves messages.
    async fn run(
        &self,
        tool: &'static Tool,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<Answer, ErrorData> {
        let cancel = Cancel::never();
        let call = async {
            let gate = Arc::clone(&self.gate);
            let permit = gate
                .acquire_owned()
                .await
                .expect("nobody closes the semaphore");
            let server = Arc::clone(&self.server);
            let cancel = cancel.clone();
            let arguments = request.arguments.unwrap_or_default();
            // The permit goes with the work, since work whose caller gave up may still run.
            let work = move || (server.call(tool, arguments, cancel), permit);
            tokio::task::spawn_blocking(work).await
        };
        tokio::select! {
            done = call => match done {
                Ok((answer, permit)) => {
                    if let Some(holder) = &self.holder {
                        holder.hold(&context.id, permit);
                    }
                    Ok(answer)
                }
                Err(_) => Err(ErrorData::internal_error("the server is stopping", None)),
            },
            () = context.ct.cancelled() => {
                cancel.cancel();
                Err(ErrorData::internal_error("cancelled", None))
            }
        }
    }
}

const NAME: &str = "workspace-mcp";
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What is assumed of a client that sends requests without `initialize` and without `_meta`.
#[must_use]
pub fn unknown_client() -> InitializeRequestParams {
    let nobody = Implementation::new("unknown", "0");
    InitializeRequestParams::new(ClientCapabilities::default(), nobody)
        .with_protocol_version(ProtocolVersion::V_2025_11_25)
}

fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    let named = context.meta.protocol_version();
    named.is_some_and(|version| !version.has_initialize())
}

fn describe(tool: &'static Tool) -> rmcp::model::Tool {
    let hints = ToolAnnotations::new()
        .read_only(tool.hints.read_only)
        .destructive(tool.hints.destructive)
        .idempotent(tool.hints.idempotent)
        .open_world(tool.hints.open_world);
    rmcp::model::Tool::new(tool.name, tool.description, args::schema(tool.args))
        .with_title(tool.title)
        .with_annotations(hints)
}

fn result(answer: Answer) -> CallToolResult {
    let mut content = vec![ContentBlock::text(answer.reply.text)];
    if let Some(image) = answer.reply.image {
        let data = base64::engine::general_purpose::STANDARD.encode(image.bytes);
        content.push(ContentBlock::image(data, image.mime));
    }
    if answer.is_error {
        CallToolResult::error(content)
    } else {
        let mut result = CallToolResult::success(content);
        result.is_error = None;
        result
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities = ServerCapabilities::default();
        capabilities.tools = Some(ToolsCapability::default());
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new(NAME, VERSION))
            .with_instructions(self.server.instructions.clone())
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
        let answer = self.negotiate_initialize(&request)?;
        let version = answer.protocol_version.clone();
        context
            .peer
            .set_peer_info(request.with_protocol_version(version));
        Ok(answer)
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        let found = DiscoverResult::from_server_info(versions, self.get_info());
        // Private, since the instructions name the roots.
        Ok(found
            .with_ttl_ms(FRESH_MS)
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
            list = list
                .with_ttl_ms(FRESH_MS)
                .with_cache_scope(CacheScope::Public);
        }
        Ok(list)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.server.registry.get(&request.name) else {
            let name = rooted::show(request.name.as_bytes());
            self.server.log.debug(&format!("no such tool: {name}"));
            return Err(ErrorData::invalid_params(
                format!("Tool {name} not found"),
                None,
            ));
        };
        let answer = self.run(tool, request, &context).await?;
        let mut result = result(answer);
        result.meta = self.identity(&context);
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

fn method_not_found(method: &str) -> ErrorData {
    let method = Value::from(rooted::show(method.as_bytes()));
    let data = serde_json::json!({"method": method});
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "Method not found", Some(data))
}
