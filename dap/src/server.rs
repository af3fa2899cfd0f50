//! The conversation with a client: requests come in while a run goes on, which is left at each for the moment that the answer
//! takes.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, BufReader, Read, Write};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};

use aiec_cert::program::SourceLoc;
use aiec_sim::Status;
use aiec_sim::array::ActorId;
use aiec_sim::trace::describe;
use serde_json::{Value, json};

use crate::arguments::{
    self, DEADLOCK, DataBreakpointInfoRequest, EvaluateRequest, HAZARD, LaunchRequest, NamedSource,
    ScopesRequest, SetBreakpointsRequest, SetDataBreakpointsRequest,
    SetExceptionBreakpointsRequest, SetFunctionBreakpointsRequest, ThreadRequest, VariablesRequest,
};
use crate::breakpoints::BreakpointSort;
use crate::message::{self, ClientRequest, MessageWriter};
use crate::search_back::BackMotion;
use crate::session::{DebugSession, Motion, StepKind, StepPlan, Stop, thread_of};
use crate::threads::{self, FrameOwner, ThreadId};
use crate::variables::{RunView, Variable, VariableGroup};
use crate::{DebuggedProgram, ProgramLauncher};

/// Variables that are sent at once at most; clients ask for parts of arrays.
const MAX_VARIABLES: usize = 1 << 12;
/// Exit codes of runs, as those of `aiec sim`.
const COMPLETED: u8 = 0;
const FAILED: u8 = 3;

/// Serves a client until it is done: requests come from `input`, responses and events go to `output`.
///
/// # Errors
/// A stream broke, or the client doesn't speak the protocol.
pub fn serve(
    input: &mut (dyn Read + Send),
    output: &mut dyn Write,
    launcher: &dyn ProgramLauncher,
) -> io::Result<()> {
    std::thread::scope(|scope| {
        let (sender, inbox) = channel();
        scope.spawn(move || read_all(input, &sender));
        let mut server = DebugServer {
            writer: MessageWriter::new(output),
            launcher,
            inbox,
            pending: VecDeque::new(),
            is_closed: false,
            launched: None,
            state: None,
            motion: None,
            frames: Vec::new(),
            groups: Vec::new(),
        };
        server.run()
    })
}

/// Hands on requests up to the one after which there are none.
fn read_all(input: &mut dyn Read, sender: &Sender<io::Result<ClientRequest>>) {
    let mut input = BufReader::new(input);
    loop {
        let (message, is_last) = match message::read(&mut input) {
            Ok(None) => return,
            Ok(Some(request)) => {
                let is_last = request.command == "disconnect";
                (Ok(request), is_last)
            }
            Err(error) => (Err(error), true),
        };
        if sender.send(message).is_err() || is_last {
            return;
        }
    }
}

/// A movement that goes on.
enum Movement {
    Forwards(Motion),
    Back(BackMotion),
}

struct DebugServer<'a> {
    writer: MessageWriter<'a>,
    launcher: &'a dyn ProgramLauncher,
    inbox: Receiver<io::Result<ClientRequest>>,
    /// Requests that came while the run went on.
    pending: VecDeque<io::Result<ClientRequest>>,
    /// The client has gone.
    is_closed: bool,
    launched: Option<LaunchRequest>,
    state: Option<DebugSession>,
    motion: Option<Movement>,
    /// The frames that the client has seen since the last stop, by their ids from 1.
    frames: Vec<FrameOwner>,
    /// The groups of variables, likewise.
    groups: Vec<VariableGroup>,
}

type Answer = Result<Value, String>;

impl DebugServer<'_> {
    fn run(&mut self) -> io::Result<()> {
        loop {
            let message = match self.pending.pop_front() {
                Some(message) => Some(message),
                None if self.motion.is_some() && !self.is_closed => None,
                None => match self.inbox.recv() {
                    Ok(message) => Some(message),
                    Err(_) => return Ok(()),
                },
            };
            let Some(message) = message else {
                self.go_on()?;
                continue;
            };
            let request = message?;
            if request.command == "disconnect" {
                return self.writer.respond(&request, Ok(json!({})));
            }
            self.handle(&request)?;
        }
    }

    fn session(&mut self) -> Result<&mut DebugSession, String> {
        self.state
            .as_mut()
            .ok_or_else(|| "no program is launched".to_string())
    }

    /// The session, if it has stopped.
    fn stopped(&mut self) -> Result<&mut DebugSession, String> {
        if self.motion.is_some() {
            return Err("the run goes on; pause it first".to_string());
        }
        self.session()
    }

    fn handle(&mut self, request: &ClientRequest) -> io::Result<()> {
        let answer = self.answer(request);
        let is_good = answer.is_ok();
        self.writer.respond(request, answer)?;
        match request.command.as_str() {
            "launch" if is_good => {
                self.say_remarks()?;
                self.writer.event("initialized", json!({}))
            }
            "configurationDone" | "restart" if is_good => self.begin(),
            "pause" if is_good => self.say_stop(),
            "terminate" if is_good => self.end(FAILED),
            _ => Ok(()),
        }
    }

    fn answer(&mut self, request: &ClientRequest) -> Answer {
        let given = &request.arguments;
        match request.command.as_str() {
            "initialize" => Ok(arguments::capabilities()),
            "launch" => self.launch(given),
            "attach" => Err("a run is launched, not attached to".to_string()),
            "setBreakpoints" => self.set_lines(given),
            "setFunctionBreakpoints" => {
                let wanted: SetFunctionBreakpointsRequest = arguments::read(given)?;
                self.set_places(|session, program| session.set_places(&wanted.breakpoints, program))
            }
            "setDataBreakpoints" => {
                let wanted: SetDataBreakpointsRequest = arguments::read(given)?;
                self.set_places(|session, program| session.set_data(&wanted.breakpoints, program))
            }
            "dataBreakpointInfo" => self.data_breakpoint(given),
            "setExceptionBreakpoints" => {
                let wanted: SetExceptionBreakpointsRequest = arguments::read(given)?;
                let session = self.session()?;
                let is_on = |name: &str| wanted.filters.iter().any(|filter| filter == name);
                session.at_deadlocks = is_on(DEADLOCK);
                session.at_hazards = is_on(HAZARD);
                Ok(json!({}))
            }
            "exceptionInfo" => self.exception(),
            "breakpointLocations" => self.locations(given),
            "configurationDone" => self.session().map(|_| json!({})),
            "restart" => {
                self.motion = None;
                self.session()?.restart()?;
                Ok(json!({}))
            }
            "threads" => {
                let threads = threads::threads(self.session()?.run()).into_iter();
                let threads: Vec<Value> = threads
                    .map(|thread| json!({ "id": thread.id.0, "name": thread.name }))
                    .collect();
                Ok(json!({ "threads": threads }))
            }
            "stackTrace" => self.stack(given),
            "scopes" => self.scopes(given),
            "variables" => self.variables(given),
            "evaluate" => {
                let wanted: EvaluateRequest = arguments::read(given)?;
                let session = self.session()?;
                let variable = match RunView::of(session).evaluate(&wanted.expression) {
                    // Names of the design have no colons, places have.
                    Err(_) if wanted.expression.contains(':') => {
                        let place = wanted.expression.trim();
                        let shown = session.dump(place)?;
                        Variable::plain(place, shown.trim_end())
                    }
                    found => found?,
                };
                let mut value = self.describe(&variable);
                if let Some(object) = value.as_object_mut() {
                    // The response names it so.
                    let result = object.remove("value").unwrap_or_default();
                    object.insert("result".to_string(), result);
                }
                Ok(value)
            }
            "continue" => {
                self.stopped()?;
                self.motion = Some(Movement::Forwards(Motion::Continue));
                Ok(json!({ "allThreadsContinued": true }))
            }
            "next" => self.step(given, StepKind::Over),
            "stepIn" => self.step(given, StepKind::Into),
            "stepOut" => self.step(given, StepKind::Out),
            "stepBack" => self.step_back(given),
            "reverseContinue" => {
                self.stopped()?;
                self.motion = Some(Movement::Back(BackMotion::Continue));
                Ok(json!({}))
            }
            "pause" => {
                let wanted: ThreadRequest = arguments::read(given)?;
                if self.motion.take().is_none() {
                    return Err("the run has stopped already".to_string());
                }
                self.session()?.pause(ThreadId(wanted.thread_id));
                Ok(json!({}))
            }
            "terminate" => {
                self.motion = None;
                Ok(json!({}))
            }
            command => Err(format!("{command} is not offered")),
        }
    }

    fn launch(&mut self, given: &Value) -> Answer {
        if self.state.is_some() {
            return Err("a program is launched already".to_string());
        }
        let wanted: LaunchRequest = arguments::read(given)?;
        let mut line: Vec<OsString> = vec![wanted.program.clone().into()];
        line.extend(wanted.args.iter().map(OsString::from));
        self.state = Some(DebugSession::new(self.launcher.launch(&line)?)?);
        self.launched = Some(wanted);
        Ok(json!({}))
    }

    /// Says what the compilation found.
    fn say_remarks(&mut self) -> io::Result<()> {
        let remarks = self
            .state
            .as_ref()
            .map(|session| session.program().remarks());
        match remarks.map(str::to_string).filter(|text| !text.is_empty()) {
            Some(text) => self.say("stderr", &text),
            None => Ok(()),
        }
    }

    fn say(&mut self, category: &str, text: &str) -> io::Result<()> {
        let end = if text.ends_with('\n') { "" } else { "\n" };
        let output = format!("{text}{end}");
        let body = json!({ "category": category, "output": output });
        self.writer.event("output", body)
    }

    /// The run begins, or waits at its begin.
    fn begin(&mut self) -> io::Result<()> {
        self.forget();
        let waits = self
            .launched
            .as_ref()
            .is_some_and(|launch| launch.stop_on_entry);
        if waits {
            return self.say_stop();
        }
        self.motion = Some(Movement::Forwards(Motion::Continue));
        Ok(())
    }

    fn set_lines(&mut self, given: &Value) -> Answer {
        let wanted: SetBreakpointsRequest = arguments::read(given)?;
        let session = self.session()?;
        let described = match &wanted.source.path {
            Some(path) => session.breakpoints.set_lines(path, &wanted.breakpoints),
            None => {
                let refused = json!({ "verified": false, "message": "the source has no path" });
                vec![refused; wanted.breakpoints.len()]
            }
        };
        session.breakpoints_changed();
        Ok(json!({ "breakpoints": described }))
    }

    fn set_places(
        &mut self,
        set: impl FnOnce(&mut crate::breakpoints::BreakpointTable, &dyn DebuggedProgram) -> Vec<Value>,
    ) -> Answer {
        let session = self.session()?;
        let mut breakpoints = std::mem::take(&mut session.breakpoints);
        let described = set(&mut breakpoints, session.program());
        session.breakpoints = breakpoints;
        session.breakpoints_changed();
        Ok(json!({ "breakpoints": described }))
    }

    fn data_breakpoint(&mut self, given: &Value) -> Answer {
        let wanted: DataBreakpointInfoRequest = arguments::read(given)?;
        let variable = match wanted
            .variables_reference
            .filter(|reference| *reference > 0)
        {
            Some(reference) => {
                let group = self.group(reference)?;
                let view = RunView::of(self.session()?);
                let all = view.variables(&group, 0, MAX_VARIABLES).into_iter();
                let mut named = all.filter(|variable| variable.name == wanted.name);
                named
                    .next()
                    .ok_or_else(|| format!("there is no {}", wanted.name))?
            }
            None => RunView::of(self.session()?).evaluate(&wanted.name)?,
        };
        Ok(match variable.place {
            Some(place) => json!({
                "dataId": place, "description": variable.name,
                "accessTypes": arguments::access_types(&place), "canPersist": true,
            }),
            None => json!({
                "dataId": null,
                "description": format!("{}: a run stops at memory of tiles, locks, BDs and channels", variable.name),
            }),
        })
    }

    fn locations(&mut self, given: &Value) -> Answer {
        let wanted: LocationsRequest = arguments::read(given)?;
        let session = self.session()?;
        let last = wanted.end_line.unwrap_or(wanted.line);
        let lines = match &wanted.source.path {
            Some(path) => session.breakpoints.lines_between(path, wanted.line, last),
            None => Vec::new(),
        };
        let lines: Vec<Value> = lines
            .into_iter()
            .map(|line| json!({ "line": line }))
            .collect();
        Ok(json!({ "breakpoints": lines }))
    }

    fn exception(&mut self) -> Answer {
        match self.session()?.stop() {
            Stop::Hazard(text) => Ok(json!({
                "exceptionId": HAZARD, "description": text, "breakMode": "always",
            })),
            Stop::Ended(status) => {
                let (_, text) = in_words(status);
                let name = status.name();
                Ok(json!({ "exceptionId": name, "description": text, "breakMode": "always" }))
            }
            _ => Err("the run has not stopped at an exception".to_string()),
        }
    }

    fn stack(&mut self, given: &Value) -> Answer {
        let wanted: ThreadRequest = arguments::read(given)?;
        let session = self.session()?;
        let actor = threads::actor(session.run(), wanted.thread_id)?;
        let all = threads::stack(session.run(), actor, session.present());
        let total = all.len();
        let start = wanted.start_frame.unwrap_or(0);
        let levels = wanted.levels.filter(|levels| *levels > 0).unwrap_or(total);
        let shown: Vec<_> = all.into_iter().skip(start).take(levels).collect();
        let sources: Vec<Option<Value>> = shown
            .iter()
            .map(|frame| source_json(frame.source?, session.program()))
            .collect();
        let mut frames = Vec::new();
        for (frame, source) in shown.into_iter().zip(sources) {
            self.frames.push(frame.owner);
            let place = frame.source.filter(|_| source.is_some());
            let mut value = json!({
                "id": self.frames.len(), "name": frame.name,
                "line": place.map_or(0, |place| place.line),
                "column": place.map_or(0, |place| place.column),
            });
            match source {
                Some(source) => value["source"] = source,
                None => value["presentationHint"] = json!("subtle"),
            }
            frames.push(value);
        }
        Ok(json!({ "stackFrames": frames, "totalFrames": total }))
    }

    fn scopes(&mut self, given: &Value) -> Answer {
        let wanted: ScopesRequest = arguments::read(given)?;
        let index = wanted.frame_id.wrapping_sub(1);
        let owner = self.frames.get(index).cloned();
        let owner = owner.ok_or_else(|| format!("there is no frame {}", wanted.frame_id))?;
        let scopes = RunView::of(self.session()?).scopes(&owner).into_iter();
        let mut values = Vec::new();
        for (name, group) in scopes {
            let is_of_tiles = group == VariableGroup::Tiles;
            let mut value = json!({
                "name": name, "variablesReference": self.reference(group),
                "expensive": is_of_tiles,
            });
            if name == "Registers" {
                value["presentationHint"] = json!("registers");
            }
            values.push(value);
        }
        Ok(json!({ "scopes": values }))
    }

    /// The number of a group of variables.
    fn reference(&mut self, group: VariableGroup) -> usize {
        self.groups.push(group);
        self.groups.len()
    }

    fn group(&self, reference: usize) -> Result<VariableGroup, String> {
        let group = self.groups.get(reference.wrapping_sub(1)).cloned();
        group.ok_or_else(|| format!("there are no variables {reference}"))
    }

    fn describe(&mut self, variable: &Variable) -> Value {
        let reference = match &variable.group {
            Some(group) => self.reference(group.clone()),
            None => 0,
        };
        variable.to_json(reference)
    }

    fn variables(&mut self, given: &Value) -> Answer {
        let wanted: VariablesRequest = arguments::read(given)?;
        let group = self.group(wanted.variables_reference)?;
        let count = wanted.count.filter(|count| *count > 0);
        let count = count.unwrap_or(MAX_VARIABLES).min(MAX_VARIABLES);
        let view = RunView::of(self.session()?);
        let all = view.variables(&group, wanted.start.unwrap_or(0), count);
        let values: Vec<Value> = all.iter().map(|variable| self.describe(variable)).collect();
        Ok(json!({ "variables": values }))
    }

    /// The actor of a thread; `None` for the clock.
    fn actor(&mut self, request: &ThreadRequest) -> Result<Option<ActorId>, String> {
        let session = self.stopped()?;
        threads::actor(session.run(), request.thread_id)
    }

    fn step(&mut self, given: &Value, kind: StepKind) -> Answer {
        let wanted: ThreadRequest = arguments::read(given)?;
        let actor = self.actor(&wanted)?;
        let run = self.stopped()?.run();
        let motion = match actor {
            Some(actor) => {
                Motion::Step(StepPlan::new(run, actor, kind, wanted.is_by_instruction()))
            }
            None => Motion::Cycle(run.cycle() + 1),
        };
        self.motion = Some(Movement::Forwards(motion));
        Ok(json!({}))
    }

    fn step_back(&mut self, given: &Value) -> Answer {
        let wanted: ThreadRequest = arguments::read(given)?;
        let actor = self.actor(&wanted)?;
        let run = self.stopped()?.run();
        let motion = match actor {
            Some(actor) => {
                let (kind, by_instruction) = (StepKind::Into, wanted.is_by_instruction());
                BackMotion::Step(StepPlan::new(run, actor, kind, by_instruction))
            }
            None => BackMotion::Cycle,
        };
        self.motion = Some(Movement::Back(motion));
        Ok(json!({}))
    }

    /// Drops the frames and variables of the last stop.
    fn forget(&mut self) {
        self.frames.clear();
        self.groups.clear();
    }

    /// Lets the run go on until it stops or a request comes.
    fn go_on(&mut self) -> io::Result<()> {
        let (Some(motion), Some(session)) = (self.motion.take(), &mut self.state) else {
            return Ok(());
        };
        let (inbox, pending, is_closed) = (&self.inbox, &mut self.pending, &mut self.is_closed);
        let mut interrupt = || match inbox.try_recv() {
            Ok(message) => {
                pending.push_back(message);
                true
            }
            Err(TryRecvError::Empty) => false,
            Err(TryRecvError::Disconnected) => {
                *is_closed = true;
                true
            }
        };
        if let (Movement::Forwards(Motion::Continue), Stop::Ended(status)) =
            (&motion, session.stop())
        {
            let code = exit_code(status);
            return self.end(code);
        }
        let outcome = match &motion {
            Movement::Forwards(motion) => Ok(session.advance(motion, &mut interrupt)),
            Movement::Back(motion) => session.go_back(motion, &mut interrupt),
        };
        let prints = session.new_prints();
        self.forget();
        for line in prints {
            self.say("stdout", &line)?;
        }
        match outcome {
            Ok(true) => self.say_stop(),
            Ok(false) => {
                self.motion = Some(motion);
                Ok(())
            }
            Err(message) => {
                self.say("stderr", &message)?;
                self.end(FAILED)
            }
        }
    }

    /// Says where the run has stopped, or that it has ended.
    fn say_stop(&mut self) -> io::Result<()> {
        let Some(session) = &self.state else {
            return Ok(());
        };
        let cycle = session.run().cycle();
        let mut body = json!({ "allThreadsStopped": true, "threadId": ThreadId::CLOCK.0 });
        match session.stop().clone() {
            Stop::Entry => body["reason"] = json!("entry"),
            Stop::Breakpoint { id, sort, record } => {
                body["reason"] = json!(sort.reason());
                body["threadId"] = json!(thread_of(&record).0);
                body["hitBreakpointIds"] = json!([id]);
                body["description"] = json!(format!("{} in cycle {cycle}", sort.reason()));
                if sort != BreakpointSort::Line {
                    let run = session.run();
                    body["text"] = json!(describe(run.array(), run.debug(), &record));
                }
            }
            Stop::Step(thread) => {
                body["reason"] = json!("step");
                body["threadId"] = json!(thread.0);
            }
            Stop::Paused(thread) => {
                body["reason"] = json!("pause");
                body["threadId"] = json!(thread.0);
            }
            Stop::Hazard(text) => {
                self.say("important", &format!("hazard in cycle {cycle}: {text}"))?;
                body["reason"] = json!("exception");
                body["description"] = json!("hazard");
                body["text"] = json!(text);
            }
            Stop::Ended(status) => return self.say_end(&status, cycle, body),
        }
        self.writer.event("stopped", body)
    }

    /// Says how a run has ended, and stops there if the client wants that.
    fn say_end(&mut self, status: &Status, cycle: u64, mut body: Value) -> io::Result<()> {
        let (line, text) = in_words(status);
        let is_good = *status == Status::Completed;
        let category = if is_good { "console" } else { "important" };
        let name = status.name();
        let said = if is_good {
            format!("completed after {cycle} cycles")
        } else {
            format!("{name} in cycle {cycle}: {text}")
        };
        self.say(category, &said)?;
        let stops = match status {
            Status::Completed => self.launched.as_ref().is_some_and(|l| l.stop_at_end),
            Status::Deadlock(_) => self.state.as_ref().is_some_and(|s| s.at_deadlocks),
            _ => true,
        };
        if !stops {
            return self.end(exit_code(status));
        }
        body["reason"] = json!(if is_good { "pause" } else { "exception" });
        body["description"] = json!(format!("{name} in cycle {cycle}"));
        body["text"] = json!(line);
        if let Status::Deadlock(deadlock) = status
            && let Some(last) = deadlock.chain.last()
        {
            body["threadId"] = json!(ThreadId::of_waiter(last.who).0);
        }
        self.writer.event("stopped", body)
    }

    /// Says that the run is over.
    fn end(&mut self, code: u8) -> io::Result<()> {
        self.motion = None;
        self.writer.event("exited", json!({ "exitCode": code }))?;
        self.writer.event("terminated", json!({}))
    }
}

/// `breakpointLocations`
#[derive(Debug, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct LocationsRequest {
    source: NamedSource,
    line: u32,
    end_line: Option<u32>,
}

fn exit_code(status: &Status) -> u8 {
    match status {
        Status::Completed => COMPLETED,
        _ => FAILED,
    }
}

/// The end of a run: in a line, and with all that is known.
fn in_words(status: &Status) -> (String, String) {
    match status {
        Status::Deadlock(deadlock) => {
            let cause = &deadlock.mistake.cause;
            // The last line of the story is the cause.
            let hops = deadlock
                .story
                .split_last()
                .map_or(&[][..], |(_, hops)| hops);
            let mut text = cause.clone();
            for hop in hops {
                text += &format!("\n  {hop}");
            }
            text += &format!("\n  help: {}", deadlock.mistake.help);
            if let Some(source) = &deadlock.mistake.source {
                text += &format!("\n  at {source}");
            }
            (cause.clone(), text)
        }
        Status::Fault(fault) => (fault.to_string(), fault.to_string()),
        Status::Limit(limit) => {
            let text = format!("not done within the cycles that --max-cycles allows; {limit}");
            (text.clone(), text)
        }
        Status::Completed | Status::Stopped(_) => (String::new(), String::new()),
    }
}

/// A source as the protocol has it.
fn source_json(source: SourceLoc, program: &dyn DebuggedProgram) -> Option<Value> {
    let name = program.debug()?.files.get(source.file as usize)?;
    let path: PathBuf = program.source_path(name);
    let short = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    Some(json!({ "name": short, "path": path }))
}
