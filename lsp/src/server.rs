//! The protocol: what clients ask is handed to the parts that know, and findings go out when a text has changed.
//!
//! Changes that have arrived together are analysed once: before a message is waited for, or a question is answered.

use std::collections::BTreeMap;
use std::io::{self, BufReader, Read, Write};

use aiec_aie::text::lexer::TokenKind;
use lsp_server::{ErrorCode, Message, Notification, Request, Response};
use lsp_types::notification::{
    DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, DidSaveTextDocument, Exit,
    Notification as _, PublishDiagnostics,
};
use lsp_types::request::{
    CodeActionRequest, Completion, DocumentHighlightRequest, DocumentSymbolRequest, Formatting,
    GotoDefinition, HoverRequest, Initialize, PrepareRenameRequest, References, Rename,
    Request as _, SemanticTokensFullRequest, Shutdown,
};
use lsp_types::{
    CodeActionOrCommand, CodeActionParams, CodeActionProviderCapability, CompletionOptions,
    CompletionParams, CompletionResponse, DidChangeTextDocumentParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DidSaveTextDocumentParams, DocumentFormattingParams,
    DocumentHighlight, DocumentHighlightParams, DocumentSymbolParams, DocumentSymbolResponse,
    GotoDefinitionParams, GotoDefinitionResponse, HoverParams, HoverProviderCapability, OneOf,
    Position, PrepareRenameResponse, PublishDiagnosticsParams, Range, ReferenceParams,
    RenameOptions, RenameParams, SemanticTokens, SemanticTokensFullOptions, SemanticTokensLegend,
    SemanticTokensOptions, SemanticTokensParams, ServerCapabilities, TextDocumentPositionParams,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions,
    TextDocumentSyncSaveOptions, TextEdit, Uri, WorkDoneProgressOptions,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::document::{Document, Language};
use crate::{Analyst, assembly, colours, completion, diagnostics, hover, navigate, outline};

/// Why serving ended before the client said so.
#[derive(Debug)]
pub struct ServeError(String);

impl std::fmt::Display for ServeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ServeError {}

fn failed(error: impl std::fmt::Display) -> ServeError {
    ServeError(error.to_string())
}

/// Bytes of messages that are looked at together: what has arrived of them is read before anything is analysed.
const PENDING: usize = 1 << 16;

/// Serves a client until it is done: requests and notifications come from `input`, responses and findings go to `output`.
///
/// # Errors
/// A stream broke, or the client doesn't speak the protocol.
pub fn serve(
    input: &mut dyn Read,
    output: &mut dyn Write,
    analyst: &dyn Analyst,
) -> Result<(), ServeError> {
    let mut reader = BufReader::with_capacity(PENDING, input);
    let mut server = Server {
        output,
        analyst,
        documents: BTreeMap::new(),
        state: State::New,
    };
    loop {
        if reader.buffer().is_empty() {
            server.analyse_changed().map_err(failed)?;
        }
        let Some(message) = Message::read(&mut reader).map_err(failed)? else {
            return Ok(());
        };
        match message {
            Message::Request(request) => server.request(request).map_err(failed)?,
            Message::Notification(notification) if notification.method == Exit::METHOD => {
                return match server.state {
                    State::Done => Ok(()),
                    State::New | State::Serving => {
                        Err(failed("the client left without asking to shut down"))
                    }
                };
            }
            Message::Notification(notification) => {
                server.notification(notification).map_err(failed)?;
            }
            // Nothing is asked of clients.
            Message::Response(_) => {}
        }
    }
}

/// State of the conversation with a client.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// It hasn't said who it is.
    New,
    /// It is served.
    Serving,
    /// It has asked to shut down.
    Done,
}

/// Capabilities of the server.
fn capabilities() -> ServerCapabilities {
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Options(
            TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(TextDocumentSyncKind::INCREMENTAL),
                save: Some(TextDocumentSyncSaveOptions::Supported(true)),
                ..TextDocumentSyncOptions::default()
            },
        )),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        document_formatting_provider: Some(OneOf::Left(true)),
        code_action_provider: Some(CodeActionProviderCapability::Simple(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        })),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(
                ["%", "@", "^", "#", ".", "{", "(", "=", " "]
                    .map(String::from)
                    .to_vec(),
            ),
            ..CompletionOptions::default()
        }),
        semantic_tokens_provider: Some(
            SemanticTokensOptions {
                legend: SemanticTokensLegend {
                    token_types: colours::LEGEND.to_vec(),
                    token_modifiers: Vec::new(),
                },
                full: Some(SemanticTokensFullOptions::Bool(true)),
                ..SemanticTokensOptions::default()
            }
            .into(),
        ),
        ..ServerCapabilities::default()
    }
}

struct Server<'a> {
    output: &'a mut dyn Write,
    analyst: &'a dyn Analyst,
    documents: BTreeMap<String, Document>,
    state: State,
}

impl Server<'_> {
    fn send(&mut self, message: impl Into<Message>) -> io::Result<()> {
        let message: Message = message.into();
        message.write(&mut self.output)?;
        self.output.flush()
    }

    fn publish(&mut self, params: PublishDiagnosticsParams) -> io::Result<()> {
        let method = PublishDiagnostics::METHOD.to_string();
        self.send(Notification::new(method, params))
    }

    /// Analyses the documents that have changed and publishes the findings.
    fn analyse_changed(&mut self) -> io::Result<()> {
        let mut found = Vec::new();
        let changed = self.documents.values_mut();
        for document in changed.filter(|document| document.is_dirty) {
            let (path, text) = (&document.path, &document.text);
            let analysis = match document.language {
                Language::Mlir => self.analyst.design(path, text, document.is_saved),
                Language::Assembly => self.analyst.assembly(path, text),
            };
            document.take(analysis);
            found.push(PublishDiagnosticsParams {
                uri: document.uri.clone(),
                diagnostics: diagnostics::of_document(document),
                version: Some(document.version),
            });
        }
        found
            .into_iter()
            .try_for_each(|params| self.publish(params))
    }

    fn notification(&mut self, notification: Notification) -> io::Result<()> {
        if self.state != State::Serving {
            return Ok(());
        }
        let params = notification.params;
        match notification.method.as_str() {
            DidOpenTextDocument::METHOD => {
                if let Some(DidOpenTextDocumentParams { text_document: d }) = read(params) {
                    let key = d.uri.as_str().to_string();
                    let document = Document::new(d.uri, &d.language_id, d.version, d.text);
                    self.documents.insert(key, document);
                }
            }
            DidChangeTextDocument::METHOD => {
                let Some(params) = read::<DidChangeTextDocumentParams>(params) else {
                    return Ok(());
                };
                if let Some(document) = self.documents.get_mut(params.text_document.uri.as_str()) {
                    document.change(params.text_document.version, params.content_changes);
                }
            }
            DidSaveTextDocument::METHOD => {
                let Some(params) = read::<DidSaveTextDocumentParams>(params) else {
                    return Ok(());
                };
                if let Some(document) = self.documents.get_mut(params.text_document.uri.as_str()) {
                    document.is_saved = true;
                    document.is_dirty = true;
                }
            }
            DidCloseTextDocument::METHOD => {
                let Some(params) = read::<DidCloseTextDocumentParams>(params) else {
                    return Ok(());
                };
                if let Some(document) = self.documents.remove(params.text_document.uri.as_str()) {
                    return self.publish(PublishDiagnosticsParams {
                        uri: document.uri,
                        diagnostics: Vec::new(),
                        version: None,
                    });
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn request(&mut self, request: Request) -> io::Result<()> {
        let Request { id, method, params } = request;
        let answer = match (self.state, method.as_str()) {
            (State::New, Initialize::METHOD) => {
                self.state = State::Serving;
                Ok(json!({
                    "capabilities": capabilities(),
                    "serverInfo": { "name": "aiec", "version": env!("CARGO_PKG_VERSION") },
                }))
            }
            (State::New, _) => {
                let message = "the first request is `initialize`".to_string();
                Err((ErrorCode::ServerNotInitialized, message))
            }
            (State::Serving, Shutdown::METHOD) => {
                self.state = State::Done;
                Ok(Value::Null)
            }
            (State::Serving, _) => {
                // Questions are about the text as it is now.
                self.analyse_changed()?;
                self.answer(&method, params)
            }
            (State::Done, _) => {
                let message = "after `shutdown` comes `exit`".to_string();
                Err((ErrorCode::InvalidRequest, message))
            }
        };
        self.send(match answer {
            Ok(result) => Response::new_ok(id, result),
            Err((code, message)) => Response::new_err(id, code as i32, message),
        })
    }

    fn answer(&self, method: &str, params: Value) -> Result<Value, (ErrorCode, String)> {
        let unread = || {
            (
                ErrorCode::InvalidParams,
                format!("{method}: wrong parameters"),
            )
        };
        match method {
            HoverRequest::METHOD => {
                let params: HoverParams = read(params).ok_or_else(unread)?;
                self.at(
                    &params.text_document_position_params,
                    |document, offset| match document.language {
                        Language::Mlir => hover::hover(document, offset),
                        Language::Assembly => assembly::hover(document, offset),
                    },
                )
            }
            GotoDefinition::METHOD => {
                let params: GotoDefinitionParams = read(params).ok_or_else(unread)?;
                self.at(&params.text_document_position_params, |document, offset| {
                    navigate::definition(document, offset).map(GotoDefinitionResponse::Scalar)
                })
            }
            References::METHOD => {
                let params: ReferenceParams = read(params).ok_or_else(unread)?;
                let with_definition = params.context.include_declaration;
                self.at(&params.text_document_position, |document, offset| {
                    navigate::references(document, offset, with_definition)
                })
            }
            DocumentHighlightRequest::METHOD => {
                let params: DocumentHighlightParams = read(params).ok_or_else(unread)?;
                self.at(&params.text_document_position_params, |document, offset| {
                    let uses = navigate::references(document, offset, true).into_iter();
                    let highlight = |location: lsp_types::Location| DocumentHighlight {
                        range: location.range,
                        kind: None,
                    };
                    uses.map(highlight).collect::<Vec<_>>()
                })
            }
            PrepareRenameRequest::METHOD => {
                let params: TextDocumentPositionParams = read(params).ok_or_else(unread)?;
                self.at(&params, |document, offset| {
                    let found = navigate::name_at(document, offset)?;
                    Some(PrepareRenameResponse::RangeWithPlaceholder {
                        range: found.here,
                        placeholder: found.name,
                    })
                })
            }
            Rename::METHOD => {
                let params: RenameParams = read(params).ok_or_else(unread)?;
                let place = &params.text_document_position;
                let document = self.document(&place.text_document.uri)?;
                let offset = document.offset(place.position);
                let edit = navigate::rename(document, offset, &params.new_name);
                edit.map(value)
                    .map_err(|message| (ErrorCode::InvalidParams, message))
            }
            Completion::METHOD => {
                let params: CompletionParams = read(params).ok_or_else(unread)?;
                self.at(&params.text_document_position, |document, offset| {
                    CompletionResponse::Array(match document.language {
                        Language::Mlir => completion::complete(document, offset),
                        Language::Assembly => assembly::complete(document, offset),
                    })
                })
            }
            SemanticTokensFullRequest::METHOD => {
                let params: SemanticTokensParams = read(params).ok_or_else(unread)?;
                let document = self.document(&params.text_document.uri)?;
                Ok(value(SemanticTokens {
                    result_id: None,
                    data: colours::tokens(document),
                }))
            }
            DocumentSymbolRequest::METHOD => {
                let params: DocumentSymbolParams = read(params).ok_or_else(unread)?;
                let document = self.document(&params.text_document.uri)?;
                Ok(value(DocumentSymbolResponse::Nested(
                    match document.language {
                        Language::Mlir => outline::symbols(document),
                        Language::Assembly => assembly::symbols(document),
                    },
                )))
            }
            Formatting::METHOD => {
                let params: DocumentFormattingParams = read(params).ok_or_else(unread)?;
                let document = self.document(&params.text_document.uri)?;
                Ok(value(self.formatted(document)))
            }
            CodeActionRequest::METHOD => {
                let params: CodeActionParams = read(params).ok_or_else(unread)?;
                let document = self.document(&params.text_document.uri)?;
                let actions = diagnostics::actions(document, params.range).into_iter();
                let actions: Vec<_> = actions.map(CodeActionOrCommand::CodeAction).collect();
                Ok(value(actions))
            }
            _ => Err((
                ErrorCode::MethodNotFound,
                format!("{method} is not offered"),
            )),
        }
    }

    /// The edit that gives a design its layout; none where nothing changes or the text can't be read.
    fn formatted(&self, document: &Document) -> Vec<TextEdit> {
        let is_design = document.language == Language::Mlir
            && document
                .tokens
                .iter()
                .any(|token| token.kind != TokenKind::Comment);
        let text = is_design
            .then(|| self.analyst.format(&document.text))
            .flatten();
        match text {
            Some(new_text) if new_text != document.text => vec![TextEdit {
                range: Range {
                    start: Position::default(),
                    end: document.lines.position(&document.text, document.text.len()),
                },
                new_text,
            }],
            _ => Vec::new(),
        }
    }

    fn document(&self, uri: &Uri) -> Result<&Document, (ErrorCode, String)> {
        self.documents.get(uri.as_str()).ok_or_else(|| {
            let message = format!("{} is not open", uri.as_str());
            (ErrorCode::InvalidParams, message)
        })
    }

    /// The result of a function of a place.
    fn at<T: Serialize>(
        &self,
        place: &TextDocumentPositionParams,
        function: impl FnOnce(&Document, usize) -> T,
    ) -> Result<Value, (ErrorCode, String)> {
        let document = self.document(&place.text_document.uri)?;
        let offset = document.offset(place.position);
        Ok(value(function(document, offset)))
    }
}

/// A result as JSON.
fn value(result: impl Serialize) -> Value {
    // The types of the protocol are all JSON.
    serde_json::to_value(result).unwrap_or(Value::Null)
}

/// Parameters of a message; `None` if they are not those of its method.
fn read<T: DeserializeOwned>(params: Value) -> Option<T> {
    serde_json::from_value(params).ok()
}
