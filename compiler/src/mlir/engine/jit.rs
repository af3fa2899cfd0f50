//! Compiled cores: machine code of upstream's execution engine, and cores that run it.
//!
//! A core runs on a stack of its own ([`corosensei`]) until it needs the simulator: then it leaves
//! the stack with a [`Request`], the bus is asked, and the answer lets it go on. Memory is reached
//! through the windows that the bus gives at the start of each stretch.
#![expect(
    unsafe_code,
    reason = "machine code can't be checked; `sandbox` says what it may do"
)]

use std::fmt;
use std::mem;
use std::rc::Rc;
use std::thread::{self, ThreadId};

use aiec_sim::core::{
    Attempt, CASCADE_WORDS, CoreBus, CoreFault, CoreMemory, CoreRun, CoreStop, CoreWait,
    LoadedProgram, RunningCore, WaitingCall, call_kernel,
};
use aiec_vcode::Opcode;
use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult};
use melior::ExecutionEngine;

use super::body::{ENTRY, WORDS};
use super::host::{FUNCTIONS, Request, conversions, enter};

/// How hard LLVM tries: as `-O2`.
const OPTIMIZATION: usize = 2;
/// Bytes of a core's stack on the host. The depth of calls is known, a core can't call itself;
/// memory that isn't touched costs nothing.
const STACK_BYTES: usize = 1 << 20;

/// A window as the code sees it: host address and size in bytes.
type Window = [u64; 2];

/// Machine code of a core's program.
pub struct Compiled {
    /// Keeps the code where it is.
    _engine: ExecutionEngine,
    entry: unsafe extern "C" fn(),
    windows: *mut [Window; 4],
    /// Cycles since the start of the run, and those at which the core stops for others.
    clock: *mut [u64; 2],
    words: *mut [u32; CASCADE_WORDS],
    window_bits: u32,
}

impl Compiled {
    /// Compiles a module of the `llvm` dialect that was confined for windows of that size.
    ///
    /// # Errors
    /// LLVM doesn't take it; a sentence.
    pub fn new(module: &melior::ir::Module<'_>, window_bits: u32) -> Result<Compiled, String> {
        translates(module)?;
        let engine = ExecutionEngine::new(module, OPTIMIZATION, &[], false, true);
        for function in FUNCTIONS {
            let name = format!("aiec.{}", function.name);
            // SAFETY: the address is that of a function that lives as long as the program, with
            // the parameters that `body` and `prelude.mlir` declare.
            unsafe { engine.register_symbol(&name, (function.address)()) };
        }
        for (name, address) in conversions() {
            // SAFETY: as above; the types are those that LLVM's own library has.
            unsafe { engine.register_symbol(name, address) };
        }
        let find = |name: &str| match engine.lookup(name) {
            address if address.is_null() => Err(format!(
                "its machine code can't be loaded: there is no `{name}`, or it calls what isn't there"
            )),
            address => Ok(address),
        };
        let entry = find(ENTRY)?;
        let (windows, clock) = (find("aiec.windows")?, find("aiec.clock")?);
        let words = find(WORDS)?;
        Ok(Compiled {
            // SAFETY: the module defines the entry as a function without parameters or results.
            entry: unsafe { mem::transmute::<*mut (), unsafe extern "C" fn()>(entry) },
            windows: windows.cast(),
            clock: clock.cast(),
            words: words.cast(),
            window_bits,
            _engine: engine,
        })
    }

    /// A core at the start of the program.
    ///
    /// # Errors
    /// The host has no memory for a stack.
    pub fn start(
        self: &Rc<Compiled>,
        loaded: LoadedProgram,
    ) -> Result<Box<dyn RunningCore>, String> {
        let stack = DefaultStack::new(STACK_BYTES);
        let stack = stack.map_err(|error| format!("there is no stack for the core: {error}"))?;
        let entry = self.entry;
        let coroutine = Coroutine::with_stack(stack, move |way, _| {
            enter(way);
            // SAFETY: the code is that of a confined module: it reaches only memory that the table
            // of windows names, its own stack and its own globals, and calls nothing but the
            // functions that were registered. It is alive: the core holds it.
            unsafe { entry() };
        });
        Ok(Box::new(CompiledCore {
            coroutine,
            next: CoreStep::Goes(0),
            waiting: None,
            loaded,
            code: Rc::clone(self),
            thread: thread::current().id(),
        }))
    }
}

impl fmt::Debug for Compiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compiled").finish_non_exhaustive()
    }
}

/// An engine of a module that can't be translated crashes when it is first used: asks before.
fn translates(module: &melior::ir::Module<'_>) -> Result<(), String> {
    // SAFETY: the module lives through the call. What is made is in a context of its own, of which
    // nobody else knows, and goes before it.
    let translated = unsafe {
        let context = mlir_sys::LLVMContextCreate();
        let operation = mlir_sys::mlirModuleGetOperation(module.to_raw());
        let made = mlir_sys::mlirTranslateModuleToLLVMIR(operation, context);
        let translated = !made.is_null();
        if translated {
            mlir_sys::LLVMDisposeModule(made);
        }
        mlir_sys::LLVMContextDispose(context);
        translated
    };
    match translated {
        true => Ok(()),
        false => Err("upstream can't translate it into LLVM IR".to_string()),
    }
}

/// A core that runs machine code.
struct CompiledCore {
    coroutine: Coroutine<u64, Request, ()>,
    next: CoreStep,
    /// The call of a kernel in which the core waits.
    waiting: Option<WaitingCall>,
    loaded: LoadedProgram,
    /// Below the coroutine, whose stack has frames of it.
    code: Rc<Compiled>,
    /// Where it started.
    thread: ThreadId,
}

/// What a core does next.
#[derive(Debug)]
enum CoreStep {
    /// Goes on with an answer.
    Goes(u64),
    /// Asks once more.
    Asks(Request),
    /// Nothing.
    Ended(CoreStop),
}

// SAFETY: its engine says that it needs one thread (`CoreEngine::needs_one_thread`), so that the simulator runs and
// drops it where it started; `run` refuses to go on elsewhere.
unsafe impl Send for CompiledCore {}

impl fmt::Debug for CompiledCore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompiledCore")
            .field("next", &self.next)
            .finish_non_exhaustive()
    }
}

impl Drop for CompiledCore {
    fn drop(&mut self) {
        if self.coroutine.started() && !self.coroutine.done() {
            // SAFETY: a core in the middle of its program is in `host::ask`, called by one of
            // its shims and machine code above our first frame: none of them holds anything that
            // would have to be dropped.
            unsafe { self.coroutine.force_reset() };
        }
    }
}

impl RunningCore for CompiledCore {
    fn logs_accesses(&self) -> bool {
        false
    }

    fn run(&mut self, bus: &mut dyn CoreBus, budget: u64) -> CoreRun {
        let mut cycles = 0;
        if self.thread != thread::current().id() {
            let reason = "the core runs on another thread than it started on".to_string();
            let name = ENTRY.to_string();
            let stop = CoreStop::Fault(CoreFault::Kernel { name, reason });
            return CoreRun { stop, cycles };
        }
        loop {
            let answer = match mem::replace(&mut self.next, CoreStep::Ended(CoreStop::Done)) {
                CoreStep::Goes(answer) => Ok(answer),
                CoreStep::Asks(request) => self.answer(request, &mut cycles, bus),
                CoreStep::Ended(stop) => Err((stop.clone(), CoreStep::Ended(stop))),
            };
            let went = answer.and_then(|answer| self.go_on(answer, &mut cycles, budget, bus));
            match went {
                Ok(request) => self.next = CoreStep::Asks(request),
                Err((stop, next)) => {
                    self.next = next;
                    return CoreRun { stop, cycles };
                }
            }
        }
    }
}

/// Why a run ends, and how the next begins.
type End = (CoreStop, CoreStep);

fn ended(stop: CoreStop) -> End {
    (stop.clone(), CoreStep::Ended(stop))
}

impl CompiledCore {
    /// Lets the code run until it asks for something.
    fn go_on(
        &mut self,
        answer: u64,
        cycles: &mut u64,
        budget: u64,
        bus: &mut dyn CoreBus,
    ) -> Result<Request, End> {
        let mut memory = bus.memory();
        if memory.window_bits != self.code.window_bits {
            let reason = "the core was compiled for memories of another size".to_string();
            let name = ENTRY.to_string();
            return Err(ended(CoreStop::Fault(CoreFault::Kernel { name, reason })));
        }
        let windows = addresses(&mut memory);
        // SAFETY: both are globals of the code, of these types; nothing else reads or writes them
        // now, since no core runs. The engine isn't shared between threads.
        unsafe {
            *self.code.windows = windows;
            *self.code.clock = [*cycles, budget];
        }
        // The code writes the memories only until it yields; nothing borrows `bus` meanwhile.
        let result = self.coroutine.resume(answer);
        // SAFETY: as above.
        *cycles = unsafe { (*self.code.clock)[0] };
        match result {
            CoroutineResult::Return(()) => Err(ended(CoreStop::Done)),
            CoroutineResult::Yield(request) => Ok(request),
        }
    }

    /// Does what the code asks for.
    fn answer(
        &mut self,
        request: Request,
        cycles: &mut u64,
        bus: &mut dyn CoreBus,
    ) -> Result<u64, End> {
        let elapsed = *cycles;
        let (done, wait) = match request {
            Request::Acquire { lock, operand } => {
                let done = bus.acquire(elapsed, lock, operand);
                (done, CoreWait::Acquire { lock, operand })
            }
            Request::Release { lock, change } => {
                let done = bus.release(elapsed, lock, change);
                (done, CoreWait::Release { lock, change })
            }
            Request::StreamPut { channel, word } => {
                let done = bus.stream_put(elapsed, channel, word, false);
                (done, CoreWait::StreamPut { channel })
            }
            Request::StreamGet { channel } => match bus.stream_get(elapsed, channel) {
                Attempt::Done(word) => {
                    *cycles += self.cost(Opcode::StreamGet);
                    return Ok(word.into());
                }
                Attempt::Later => (Attempt::Later, CoreWait::StreamGet { channel }),
            },
            Request::CascadeGet => match bus.cascade_get(elapsed) {
                Attempt::Done(words) => {
                    // SAFETY: a global of the code; no core runs now.
                    unsafe { *self.code.words = words };
                    (Attempt::Done(()), CoreWait::CascadeGet)
                }
                Attempt::Later => (Attempt::Later, CoreWait::CascadeGet),
            },
            Request::CascadePut => {
                // SAFETY: as above.
                let words = unsafe { *self.code.words };
                let done = bus.cascade_put(elapsed, &words);
                if done == Attempt::Done(()) {
                    // A shorter transfer leaves the words behind it zero.
                    // SAFETY: as above.
                    unsafe { *self.code.words = [0; CASCADE_WORDS] };
                }
                (done, CoreWait::CascadePut)
            }
            Request::Event(event) => {
                bus.event(elapsed, event);
                *cycles += self.cost(Opcode::Event);
                return Ok(0);
            }
            Request::Call { number, arguments } => {
                return self.call(number, arguments, cycles, bus);
            }
            Request::Pause => return Err((CoreStop::Budget, CoreStep::Goes(0))),
            Request::Fault(fault) => return Err(ended(CoreStop::Fault(fault))),
        };
        match done {
            Attempt::Done(()) => {
                *cycles += self.cost(match wait {
                    CoreWait::Acquire { .. } => Opcode::Acquire,
                    CoreWait::Release { .. } => Opcode::Release,
                    CoreWait::StreamGet { .. } => Opcode::StreamGet,
                    CoreWait::StreamPut { .. } => Opcode::StreamPut,
                    CoreWait::CascadeGet => Opcode::CascadeGet,
                    CoreWait::CascadePut => Opcode::CascadePut,
                    // No code of this engine asks for one.
                    CoreWait::Register { .. } => return Ok(0),
                });
                Ok(0)
            }
            Attempt::Later => Err((CoreStop::Waiting(wait), CoreStep::Asks(request))),
        }
    }

    fn cost(&self, opcode: Opcode) -> u64 {
        self.loaded.costs.of(opcode)
    }

    /// Calls an external function, or goes on with the call in which the core waited.
    fn call(
        &mut self,
        number: usize,
        arguments: Vec<u64>,
        cycles: &mut u64,
        bus: &mut dyn CoreBus,
    ) -> Result<u64, End> {
        let LoadedProgram { kernels, costs, .. } = &self.loaded;
        let Some(kernel) = kernels.get(number) else {
            return Ok(0);
        };
        let waiting = &mut self.waiting;
        let called = call_kernel(kernel, &arguments, waiting, costs, cycles, bus);
        called.map_err(|stop| match stop {
            CoreStop::Waiting(_) => (stop, CoreStep::Asks(Request::Call { number, arguments })),
            stop => ended(stop),
        })
    }
}

/// The windows as the code sees them. Their provenance is exposed: the code turns the numbers into
/// pointers while the memories are borrowed.
fn addresses(memory: &mut CoreMemory<'_>) -> [Window; 4] {
    let windows = memory.windows.each_mut();
    windows.map(|window| {
        let bytes = window.len() as u64;
        [window.as_mut_ptr().expose_provenance() as u64, bytes]
    })
}
