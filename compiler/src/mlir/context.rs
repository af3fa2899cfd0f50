//! A context of upstream MLIR that keeps what it has to say.

use std::cell::RefCell;
use std::rc::Rc;

use melior::Context;
use melior::diagnostic::{Diagnostic, DiagnosticHandlerId, DiagnosticSeverity};
use melior::dialect::DialectRegistry;
use melior::ir::{Location, Module};
use melior::utility::register_all_dialects;

/// Upstream repeats the operation in a note of this beginning; the excerpt of the source does too.
const CURRENT_OPERATION: &str = "see current operation";

/// A context with all of upstream's dialects.
pub struct Upstream {
    /// The context itself.
    pub context: Context,
    handler: DiagnosticHandlerId,
    said: Rc<RefCell<Vec<UpstreamMessage>>>,
}

/// An error of upstream's.
#[derive(Clone, Debug)]
pub struct UpstreamMessage {
    /// File, line and column, the latter two from 1; `-` is the text that was parsed.
    pub at: Option<(String, usize, usize)>,
    /// The message.
    pub message: String,
    /// Its notes.
    pub notes: Vec<String>,
}

impl Upstream {
    /// A new context; its dialects are loaded when they are first needed.
    pub fn new() -> Upstream {
        let registry = DialectRegistry::new();
        register_all_dialects(&registry);
        let context = Context::new_with_registry(&registry, false);
        context.set_allow_unregistered_dialects(true);
        let said = Rc::new(RefCell::new(Vec::new()));
        let sink = Rc::clone(&said);
        let handler = context.attach_diagnostic_handler(move |diagnostic| {
            if matches!(diagnostic.severity(), DiagnosticSeverity::Error) {
                sink.borrow_mut().push(UpstreamMessage::of(&diagnostic));
            }
            true
        });
        Upstream {
            context,
            handler,
            said,
        }
    }

    /// Parses and verifies a module; the errors if upstream refuses it.
    pub fn parse(&self, text: &str) -> Result<Module<'_>, Vec<UpstreamMessage>> {
        // The C interface takes the text up to a zero byte.
        let module = match text.contains('\0') {
            true => None,
            false => Module::parse(&self.context, text),
        };
        let said = self.take();
        module.ok_or(said)
    }

    /// Messages since the last call.
    pub fn take(&self) -> Vec<UpstreamMessage> {
        std::mem::take(&mut self.said.borrow_mut())
    }
}

impl Drop for Upstream {
    fn drop(&mut self) {
        self.context.detach_diagnostic_handler(self.handler);
    }
}

impl UpstreamMessage {
    fn of(diagnostic: &Diagnostic<'_>) -> UpstreamMessage {
        let notes = (0..diagnostic.note_count()).filter_map(|n| diagnostic.note(n).ok());
        let notes = notes.map(|note| note.to_string());
        UpstreamMessage {
            at: place(diagnostic.location()),
            message: diagnostic.to_string(),
            notes: notes
                .filter(|note| !note.starts_with(CURRENT_OPERATION))
                .collect(),
        }
    }
}

fn place(location: Location<'_>) -> Option<(String, usize, usize)> {
    location.is_file_line_col_range().then(|| {
        let file = location.file_line_col_range_filename();
        (
            file.as_string_ref().as_str().unwrap_or("").to_string(),
            location.file_line_col_range_start_line(),
            location.file_line_col_range_start_column(),
        )
    })
}
