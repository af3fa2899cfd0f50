//! The arguments of requests, as far as they are used, and what the adapter can do.

use std::path::PathBuf;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// `launch`
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LaunchRequest {
    /// The design, control code or file of Ryzen AI.
    pub program: String,
    /// Further arguments of `aiec sim`.
    #[serde(default)]
    pub args: Vec<String>,
    /// Stop before the first cycle.
    #[serde(default)]
    pub stop_on_entry: bool,
    /// Stop, too, when the run has completed, so that it can be looked at.
    #[serde(default)]
    pub stop_at_end: bool,
}

/// A source as clients name it.
#[derive(Debug, Deserialize)]
pub struct NamedSource {
    /// The file.
    pub path: Option<PathBuf>,
}

/// `setBreakpoints`
#[derive(Debug, Deserialize)]
pub struct SetBreakpointsRequest {
    /// The source.
    pub source: NamedSource,
    /// The lines.
    #[serde(default)]
    pub breakpoints: Vec<LineBreakpoint>,
}

/// A breakpoint at a line.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LineBreakpoint {
    /// The line, from 1.
    pub line: u32,
    /// The run stops when it comes to it this many times.
    pub hit_condition: Option<String>,
}

/// `setFunctionBreakpoints`
#[derive(Debug, Deserialize)]
pub struct SetFunctionBreakpointsRequest {
    /// The places.
    pub breakpoints: Vec<PlaceBreakpoint>,
}

/// A breakpoint at a place of `--break`, or at a function.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlaceBreakpoint {
    /// The place.
    pub name: String,
    /// The run stops when it comes to it this many times.
    pub hit_condition: Option<String>,
}

/// `setDataBreakpoints`
#[derive(Debug, Deserialize)]
pub struct SetDataBreakpointsRequest {
    /// The data.
    pub breakpoints: Vec<DataBreakpoint>,
}

/// A breakpoint at changes of data.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DataBreakpoint {
    /// The id that `dataBreakpointInfo` gave.
    pub data_id: String,
    /// The accesses at which the run stops: `write` (the default), `read` or `readWrite`.
    pub access_type: Option<String>,
    /// The run stops when they change this many times.
    pub hit_condition: Option<String>,
}

/// Begin of the places of bytes in a tile's memory.
const MEMORY_PLACE: &str = "mem:";

/// Kinds of accesses at which a run can stop at a place.
pub fn access_types(place: &str) -> &'static [&'static str] {
    if place.starts_with(MEMORY_PLACE) {
        &["write", "read", "readWrite"]
    } else {
        &["write"]
    }
}

impl DataBreakpoint {
    /// The place, of those of `--break`, with the kind of access.
    pub fn place(&self) -> String {
        let access = match self.access_type.as_deref() {
            Some("read") => "=read",
            Some("readWrite") => "=access",
            _ => "",
        };
        format!("{}{access}", self.data_id)
    }
}

/// `dataBreakpointInfo`
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DataBreakpointInfoRequest {
    /// The group that the variable is in.
    pub variables_reference: Option<usize>,
    /// Its name, or an expression.
    pub name: String,
}

/// `setExceptionBreakpoints`
#[derive(Debug, Deserialize)]
pub struct SetExceptionBreakpointsRequest {
    /// Names of the filters that are on.
    pub filters: Vec<String>,
}

/// Requests about a thread.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadRequest {
    /// The thread.
    pub thread_id: usize,
    /// How far a step goes.
    pub granularity: Option<String>,
    /// First frame that is wanted.
    pub start_frame: Option<usize>,
    /// Frames that are wanted; 0 for all.
    pub levels: Option<usize>,
}

impl ThreadRequest {
    /// Whether a step goes to the next instruction, not to the next line.
    pub fn is_by_instruction(&self) -> bool {
        self.granularity.as_deref() == Some("instruction")
    }
}

/// `scopes`
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ScopesRequest {
    /// The frame.
    pub frame_id: usize,
}

/// `variables`
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VariablesRequest {
    /// The group that they are in.
    pub variables_reference: usize,
    /// First one that is wanted.
    pub start: Option<usize>,
    /// How many are wanted; 0 for all.
    pub count: Option<usize>,
}

/// `evaluate`
#[derive(Debug, Deserialize)]
pub struct EvaluateRequest {
    /// The expression.
    pub expression: String,
}

/// The arguments of a request.
///
/// # Errors
/// They are not those of the request.
pub fn read<T: DeserializeOwned>(arguments: &Value) -> Result<T, String> {
    // A request without arguments may leave them out.
    let arguments = if arguments.is_null() {
        json!({})
    } else {
        arguments.clone()
    };
    serde_json::from_value(arguments).map_err(|error| format!("wrong arguments: {error}"))
}

/// The exceptions that a run can stop at.
pub const DEADLOCK: &str = "deadlock";
/// The same.
pub const HAZARD: &str = "hazard";

/// Features of the adapter.
pub fn capabilities() -> Value {
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsFunctionBreakpoints": true,
        "supportsHitConditionalBreakpoints": true,
        "supportsDataBreakpoints": true,
        "supportsEvaluateForHovers": true,
        "supportsStepBack": true,
        "supportsSteppingGranularity": true,
        "supportsRestartRequest": true,
        "supportsExceptionInfoRequest": true,
        "supportsTerminateRequest": true,
        "supportsDelayedStackTraceLoading": true,
        "exceptionBreakpointFilters": [
            {
                "filter": DEADLOCK, "label": "Deadlock", "default": true,
                "description": "Stop where nothing can go on, with who waits for whom",
            },
            {
                "filter": HAZARD, "label": "Hazard", "default": false,
                "description": "Stop where the design does something whose outcome depends on latencies",
            },
        ],
    })
}
