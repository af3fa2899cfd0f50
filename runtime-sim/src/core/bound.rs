//! Cores that the user binds to something else than what their program memory holds: to a function of a
//! shared library of the host, or to nothing at all.
//!
//! A function is the whole program of a core. It is called once, with the operations of the core:
//!
//! ```c
//! struct aiec_core {
//!     uint32_t column, row;
//!     void (*load)(uint32_t address, void *to, uint32_t bytes);
//!     void (*store)(uint32_t address, const void *from, uint32_t bytes);
//!     void (*acquire)(uint8_t lock, int8_t value);
//!     void (*release)(uint8_t lock, int8_t change);
//!     uint32_t (*get_stream)(uint8_t stream);
//!     void (*put_stream)(uint8_t stream, uint32_t word, bool last);
//!     void (*get_cascade)(uint32_t words[16]);
//!     void (*put_cascade)(const uint32_t words[16]);
//!     void (*event)(uint8_t number);
//!     void (*spend)(uint64_t cycles);
//! };
//! void FUNCTION(const struct aiec_core *core);
//! ```
//!
//! It runs on its own thread, as it has to pause while the core waits. Only one of the two threads
//! is ever awake: the simulator waits until the function wants an operation or returns, the
//! function until the simulator replies. So the order of things doesn't depend on threads. An
//! operation of a core that was reset, that failed, or whose run is over never returns, and the
//! thread stays asleep.
#![expect(
    unsafe_code,
    reason = "calling a function of a library that the user names can't be checked"
)]

use std::cell::RefCell;
use std::ffi::c_void;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use aiec_device::TileLoc;
use aiec_run_loop::library::LibraryError;
use aiec_vcode::Opcode;
use libloading::Library;

use super::bus::{CASCADE_WORDS, CoreBus, CoreFault, CoreStop, CoreWait};
use super::cost::Costs;
use super::engine::{CoreRun, RunningCore, StartedCore};
use super::kernels::{STACK_BYTES, load_function};
use super::memory::no_memory;

/// The checksum of a bound core, which has no program.
const NO_PROGRAM: u32 = 1;

/// Replacements of a core's program.
#[derive(Clone, Debug)]
pub enum BoundCore {
    /// Nothing: its program has ended when it begins.
    Stub,
    /// A function of a shared library.
    Function(HostCoreFunction),
}

/// A function that is the program of a core.
#[derive(Clone, Debug)]
pub struct HostCoreFunction {
    path: PathBuf,
    name: String,
    /// Keeps the code where it is.
    library: Arc<Library>,
    address: usize,
}

/// The type of a core's function.
type CoreFunction = unsafe extern "C" fn(*const CoreOperations);

/// Arguments of a function.
#[repr(C)]
struct CoreOperations {
    column: u32,
    row: u32,
    load: unsafe extern "C" fn(u32, *mut c_void, u32),
    store: unsafe extern "C" fn(u32, *const c_void, u32),
    acquire: extern "C" fn(u8, i8),
    release: extern "C" fn(u8, i8),
    get_stream: extern "C" fn(u8) -> u32,
    put_stream: extern "C" fn(u8, u32, bool),
    get_cascade: unsafe extern "C" fn(*mut CascadeWords),
    put_cascade: unsafe extern "C" fn(*const CascadeWords),
    event: extern "C" fn(u8),
    spend: extern "C" fn(u64),
}

type CascadeWords = [u32; CASCADE_WORDS];

/// Requests of a function.
#[derive(Clone, Debug)]
enum CoreRequest {
    Load {
        address: u32,
        bytes: u32,
    },
    Store {
        address: u32,
        bytes: Vec<u8>,
    },
    Acquire {
        lock: u8,
        operand: i8,
    },
    Release {
        lock: u8,
        change: i8,
    },
    GetStream(u8),
    PutStream {
        stream: u8,
        word: u32,
        last: bool,
    },
    GetCascade,
    PutCascade(CascadeWords),
    Event(u8),
    Spend(u64),
    /// It has returned.
    End,
}

/// Replies of the simulator.
#[derive(Debug)]
enum CoreAnswer {
    Done,
    Word(u32),
    Bytes(Vec<u8>),
    Cascade(CascadeWords),
}

/// The ends of the line that the thread of a function holds.
struct FunctionLine {
    requests: Sender<CoreRequest>,
    answers: Receiver<CoreAnswer>,
}

/// The ends of the line that the simulator holds.
#[derive(Debug)]
struct CoreLine {
    requests: Receiver<CoreRequest>,
    answers: Sender<CoreAnswer>,
}

thread_local! {
    /// The line of the function that runs on this thread.
    static LINE: RefCell<Option<FunctionLine>> = const { RefCell::new(None) };
}

/// Asks the simulator and waits for its answer. On a thread that the library has made itself there is
/// no simulator to ask, and nothing happens.
fn ask(request: CoreRequest) -> CoreAnswer {
    LINE.with_borrow(|line| {
        let Some(line) = line else {
            return CoreAnswer::Done;
        };
        let asked = line.requests.send(request);
        let answer = asked.ok().and_then(|()| line.answers.recv().ok());
        // Without an answer the core is gone. C code can't be left from here.
        answer.unwrap_or_else(|| {
            loop {
                thread::park();
            }
        })
    })
}

unsafe extern "C" fn load(address: u32, to: *mut c_void, bytes: u32) {
    if let CoreAnswer::Bytes(loaded) = ask(CoreRequest::Load { address, bytes }) {
        // SAFETY: the function promises that `bytes` bytes can be written at `to`; as many were loaded.
        unsafe { to.cast::<u8>().copy_from(loaded.as_ptr(), loaded.len()) };
    }
}

unsafe extern "C" fn store(address: u32, from: *const c_void, bytes: u32) {
    let mut stored = vec![0; bytes as usize];
    // SAFETY: the function promises that `bytes` bytes can be read at `from`.
    unsafe { stored.as_mut_ptr().copy_from(from.cast(), stored.len()) };
    ask(CoreRequest::Store {
        address,
        bytes: stored,
    });
}

extern "C" fn acquire(lock: u8, operand: i8) {
    ask(CoreRequest::Acquire { lock, operand });
}

extern "C" fn release(lock: u8, change: i8) {
    ask(CoreRequest::Release { lock, change });
}

extern "C" fn get_stream(stream: u8) -> u32 {
    match ask(CoreRequest::GetStream(stream)) {
        CoreAnswer::Word(word) => word,
        _ => 0,
    }
}

extern "C" fn put_stream(stream: u8, word: u32, last: bool) {
    ask(CoreRequest::PutStream { stream, word, last });
}

unsafe extern "C" fn get_cascade(words: *mut CascadeWords) {
    if let CoreAnswer::Cascade(received) = ask(CoreRequest::GetCascade) {
        // SAFETY: the function passes an array of `CASCADE_WORDS` words.
        unsafe { words.write_unaligned(received) };
    }
}

unsafe extern "C" fn put_cascade(words: *const CascadeWords) {
    // SAFETY: the function passes an array of `CASCADE_WORDS` words.
    let words = unsafe { words.read_unaligned() };
    ask(CoreRequest::PutCascade(words));
}

extern "C" fn event(number: u8) {
    ask(CoreRequest::Event(number));
}

extern "C" fn spend(cycles: u64) {
    ask(CoreRequest::Spend(cycles));
}

impl HostCoreFunction {
    /// Loads a library and finds a function of it.
    ///
    /// # Errors
    /// There is no such library or function.
    pub fn load(path: &Path, name: &str) -> Result<HostCoreFunction, LibraryError> {
        let (library, address) = load_function(path, name)?;
        Ok(HostCoreFunction {
            path: path.to_path_buf(),
            name: name.to_string(),
            library: Arc::new(library),
            address,
        })
    }

    /// Calls it for a core, on its own thread.
    fn begin(&self, tile: TileLoc) -> std::io::Result<CoreLine> {
        let (requests, from_function) = channel();
        let (to_function, answers) = channel();
        let (address, library) = (self.address, Arc::clone(&self.library));
        let run = move || {
            let end = requests.clone();
            LINE.set(Some(FunctionLine { requests, answers }));
            let operations = CoreOperations {
                column: tile.col.into(),
                row: tile.row.into(),
                load,
                store,
                acquire,
                release,
                get_stream,
                put_stream,
                get_cascade,
                put_cascade,
                event,
                spend,
            };
            // SAFETY: that the address is that of a function of this type is the user's promise; the
            // pointer is good during the call.
            unsafe {
                let function: CoreFunction = std::mem::transmute(address);
                function(&raw const operations);
            }
            // The receiver is gone if the run is over.
            let _ = end.send(CoreRequest::End);
            drop(library);
        };
        thread::Builder::new().stack_size(STACK_BYTES).spawn(run)?;
        Ok(CoreLine {
            requests: from_function,
            answers: to_function,
        })
    }
}

impl fmt::Display for BoundCore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BoundCore::Stub => write!(f, "stub"),
            BoundCore::Function(function) => {
                write!(f, "{}:{}", function.path.display(), function.name)
            }
        }
    }
}

impl BoundCore {
    /// A core at its start. Of a function it isn't known which of the locks that the core sees it releases:
    /// all of `locks`.
    pub(crate) fn start(&self, tile: TileLoc, locks: u8, costs: &Arc<Costs>) -> StartedCore {
        let (core, releases): (Box<dyn RunningCore>, _) = match self {
            BoundCore::Stub => (Box::new(Stub), Vec::new()),
            BoundCore::Function(function) => {
                let core = HostCore {
                    tile,
                    function: function.clone(),
                    costs: costs.clone(),
                    line: None,
                    request: None,
                    answer: None,
                    operations: 0,
                    ended: None,
                };
                (Box::new(core), (0..locks).collect())
            }
        };
        StartedCore {
            core,
            checksum: NO_PROGRAM,
            releases,
            kernels: Vec::new(),
        }
    }
}

/// A core that does nothing.
#[derive(Debug)]
struct Stub;

impl RunningCore for Stub {
    fn copied(&self) -> Box<dyn RunningCore> {
        Box::new(Stub)
    }

    fn run(&mut self, _bus: &mut dyn CoreBus, _budget: u64) -> CoreRun {
        CoreRun {
            stop: CoreStop::Done,
            cycles: 0,
        }
    }
}

/// A core that performs the operations that a function of the host asks for.
#[derive(Debug)]
struct HostCore {
    tile: TileLoc,
    function: HostCoreFunction,
    costs: Arc<Costs>,
    /// To the function, once it was called.
    line: Option<CoreLine>,
    /// Request that couldn't be served yet.
    request: Option<CoreRequest>,
    /// Reply that the function hasn't received yet.
    answer: Option<CoreAnswer>,
    /// Operations so far.
    operations: u32,
    ended: Option<CoreStop>,
}

impl RunningCore for HostCore {
    fn copied(&self) -> Box<dyn RunningCore> {
        Box::new(HostCore {
            tile: self.tile,
            function: self.function.clone(),
            costs: self.costs.clone(),
            line: None,
            request: None,
            answer: None,
            operations: self.operations,
            ended: Some(self.failed("its function can't be copied".to_string())),
        })
    }

    fn can_be_copied(&self) -> bool {
        false
    }

    fn run(&mut self, bus: &mut dyn CoreBus, budget: u64) -> CoreRun {
        let mut cycles = 0;
        if let Some(stop) = &self.ended {
            let stop = stop.clone();
            return CoreRun { stop, cycles };
        }
        let stop = loop {
            if cycles >= budget {
                break CoreStop::Budget;
            }
            let request = match self.next_request() {
                Ok(request) => request,
                Err(stop) => break stop,
            };
            match self.serve(&request, bus, &mut cycles) {
                Ok(answer) => self.answer = Some(answer),
                Err(stop) => {
                    self.request = Some(request);
                    break stop;
                }
            }
        };
        if matches!(stop, CoreStop::Done | CoreStop::Fault(_)) {
            self.ended = Some(stop.clone());
        }
        CoreRun { stop, cycles }
    }
}

impl HostCore {
    fn failed(&self, reason: String) -> CoreStop {
        CoreStop::Fault(CoreFault::Kernel {
            name: self.function.name.clone(),
            reason,
        })
    }

    /// Next request of the function: the one that waits, or the one after its reply.
    fn next_request(&mut self) -> Result<CoreRequest, CoreStop> {
        if let Some(request) = self.request.take() {
            return Ok(request);
        }
        if self.line.is_none() {
            let begun = self.function.begin(self.tile);
            let line = begun.map_err(|error| self.failed(format!("no thread for it: {error}")))?;
            self.line = Some(line);
        }
        let heard = self.line.as_ref().and_then(|line| {
            if let Some(answer) = self.answer.take() {
                // A thread that has gone is found below.
                let _ = line.answers.send(answer);
            }
            line.requests.recv().ok()
        });
        self.operations = self.operations.wrapping_add(1);
        match heard {
            Some(CoreRequest::End) => Err(CoreStop::Done),
            Some(request) => Ok(request),
            None => Err(self.failed("its thread ended early".to_string())),
        }
    }

    /// Performs an operation that the function asks for, if it needn't wait.
    fn serve(
        &self,
        request: &CoreRequest,
        bus: &mut dyn CoreBus,
        cycles: &mut u64,
    ) -> Result<CoreAnswer, CoreStop> {
        let (answer, op) = match *request {
            CoreRequest::Load { address, bytes } => {
                let loaded = {
                    let mut memory = bus.memory();
                    memory.set_instruction(self.operations, *cycles);
                    let loaded = memory.load_bytes(address.into(), bytes as usize);
                    let loaded = loaded.map(<[u8]>::to_vec);
                    *cycles += memory.wait_for_banks(address.into(), bytes, *cycles);
                    loaded
                };
                *cycles += self.costs.access(Opcode::VLd, bytes);
                let outside = || CoreStop::Fault(no_memory(address.into()));
                return Ok(CoreAnswer::Bytes(loaded.ok_or_else(outside)?));
            }
            CoreRequest::Store { address, ref bytes } => {
                // In range: it was the size of a call.
                let count = bytes.len() as u32;
                let mut memory = bus.memory();
                memory.set_instruction(self.operations, *cycles);
                let stored = memory.store_bytes(address.into(), bytes.len());
                let outside = || CoreStop::Fault(no_memory(address.into()));
                stored.ok_or_else(outside)?.copy_from_slice(bytes);
                *cycles += memory.wait_for_banks(address.into(), count, *cycles);
                *cycles += self.costs.access(Opcode::VSt, count);
                return Ok(CoreAnswer::Done);
            }
            CoreRequest::Acquire { lock, operand } => {
                let wait = CoreWait::Acquire { lock, operand };
                bus.acquire(*cycles, lock, operand).or_wait(wait)?;
                (CoreAnswer::Done, Opcode::Acquire)
            }
            CoreRequest::Release { lock, change } => {
                let wait = CoreWait::Release { lock, change };
                bus.release(*cycles, lock, change).or_wait(wait)?;
                (CoreAnswer::Done, Opcode::Release)
            }
            CoreRequest::GetStream(channel) => {
                let word = bus.stream_get(*cycles, channel);
                let word = word.or_wait(CoreWait::StreamGet { channel })?;
                (CoreAnswer::Word(word), Opcode::StreamGet)
            }
            CoreRequest::PutStream { stream, word, last } => {
                let wait = CoreWait::StreamPut { channel: stream };
                bus.stream_put(*cycles, stream, word, last).or_wait(wait)?;
                (CoreAnswer::Done, Opcode::StreamPut)
            }
            CoreRequest::GetCascade => {
                let words = bus.cascade_get(*cycles).or_wait(CoreWait::CascadeGet)?;
                (CoreAnswer::Cascade(words), Opcode::CascadeGet)
            }
            CoreRequest::PutCascade(words) => {
                bus.cascade_put(*cycles, &words)
                    .or_wait(CoreWait::CascadePut)?;
                (CoreAnswer::Done, Opcode::CascadePut)
            }
            CoreRequest::Event(number) => {
                bus.event(*cycles, number);
                (CoreAnswer::Done, Opcode::Event)
            }
            CoreRequest::Spend(spent) => {
                *cycles = cycles.saturating_add(spent);
                return Ok(CoreAnswer::Done);
            }
            // `next_request` has taken it.
            CoreRequest::End => return Ok(CoreAnswer::Done),
        };
        *cycles += self.costs.of(op);
        Ok(answer)
    }
}
