//! Functions of host libraries that use the cascade.
//!
//! A library that wants it defines a variable `aiec_cascade` of two function pointers:
//!
//! ```c
//! struct { void (*get)(int32_t[16]); void (*put)(const int32_t[16]); } aiec_cascade;
//! ```
//!
//! They are filled in when the library is loaded. A function that calls them has to pause
//! while its core waits, so each call of such a library runs on a thread of its own. Only one of
//! the two threads is ever awake: the simulator waits until the function asks for a transfer or
//! returns, the function until the simulator answers. So the order of things doesn't depend on
//! the threads.
#![expect(
    unsafe_code,
    reason = "the function pointers are called by a library that the user names"
)]

use std::cell::RefCell;
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use aiec_vcode::Signature;
use libloading::Library;

use super::library::{LentBuffer, PassedArguments, enter, note_stores, returned};
use super::{CallOutcome, KernelArguments, KernelStep, Transfer, Unfinished, failed};
use crate::core::bus::{CASCADE_WORDS, CoreFault};
use crate::core::cost::host_function;

/// The variable of the library.
const VARIABLE: &[u8] = b"aiec_cascade\0";

/// Room for the function's variables: what C programs are used to, and more than the core has.
pub(in crate::core) const STACK_BYTES: usize = 8 << 20;

/// The words of a transfer.
type Words = [u32; CASCADE_WORDS];

/// The type of the library's variable.
#[repr(C)]
struct Functions {
    get: extern "C" fn(*mut Words),
    put: extern "C" fn(*const Words),
}

/// Gives a library the functions if it has the variable for them; answers whether it has.
pub(super) fn connect(library: &Library) -> bool {
    // SAFETY: the variable is only used as an address of two pointers, which the book asks for.
    let variable = unsafe { library.get::<*mut Functions>(VARIABLE) };
    let Ok(variable) = variable else {
        return false;
    };
    // SAFETY: nothing of the library runs now; its variable is of that type, see the book.
    unsafe { (*variable).write(Functions { get, put }) };
    true
}

/// What a function says to the simulator.
enum Word {
    /// It is at a transfer.
    Wants(Transfer),
    /// It returned; the content of its result register.
    Returned(u64),
}

/// The ends of the line that the thread of a function holds.
struct Line {
    says: Sender<Word>,
    hears: Receiver<Words>,
}

thread_local! {
    /// The line of the call that runs on this thread.
    static LINE: RefCell<Option<Line>> = const { RefCell::new(None) };
}

/// Asks the simulator for a transfer and waits until it has taken place; what came. On a thread
/// that the library has made itself there is nobody to ask: nothing comes.
fn ask(transfer: Transfer) -> Words {
    LINE.with_borrow(|line| {
        let Some(line) = line else {
            return [0; CASCADE_WORDS];
        };
        let asked = line.says.send(Word::Wants(transfer));
        let answer = asked.ok().and_then(|()| line.hears.recv().ok());
        // Without an answer the core was reset or the run is over. C code can't be left from here.
        answer.unwrap_or_else(|| {
            loop {
                thread::park();
            }
        })
    })
}

extern "C" fn get(words: *mut Words) {
    let received = ask(Transfer::Get);
    // SAFETY: the library passes an array of so many words.
    unsafe { words.write_unaligned(received) };
}

extern "C" fn put(words: *const Words) {
    // SAFETY: as above.
    let words = unsafe { words.read_unaligned() };
    ask(Transfer::Put(words));
}

/// A call of a function that is at a transfer.
#[derive(Debug)]
struct PausedCall {
    says: Receiver<Word>,
    hears: Sender<Words>,
    /// Bytes of its buffers.
    touched: u64,
    buffers: Vec<LentBuffer>,
}

/// Begins a call on a thread of its own.
pub(super) fn begin(
    address: usize,
    passed: PassedArguments,
    (touched, buffers): (u64, Vec<LentBuffer>),
    arguments: &mut KernelArguments<'_, '_>,
) -> Result<KernelStep, CoreFault> {
    let signature = arguments.signature;
    let (says, from_function) = channel();
    let (to_function, hears) = channel();
    let float = signature.result.is_some_and(|element| element.is_float());
    let run = move || {
        let end = says.clone();
        LINE.set(Some(Line { says, hears }));
        let raw = enter(address, &passed, float);
        // Nobody listens if the run is over.
        let _ = end.send(Word::Returned(raw));
    };
    let thread = thread::Builder::new().stack_size(STACK_BYTES).spawn(run);
    thread.map_err(|error| no_thread(signature, &error))?;
    let standing = PausedCall {
        says: from_function,
        hears: to_function,
        touched,
        buffers,
    };
    Box::new(standing).listen(arguments)
}

fn no_thread(signature: &Signature, error: &io::Error) -> CoreFault {
    failed(signature, format!("no thread for it: {error}"))
}

impl PausedCall {
    /// Waits for the next word of the function. What it has stored until then comes before the transfer.
    fn listen(
        mut self: Box<Self>,
        arguments: &mut KernelArguments<'_, '_>,
    ) -> Result<KernelStep, CoreFault> {
        let signature = arguments.signature;
        let heard = self.says.recv();
        note_stores(&mut self.buffers, arguments.memory);
        match heard {
            Ok(Word::Wants(transfer)) => Ok(KernelStep {
                cycles: 0,
                then: CallOutcome::Transfer(transfer, self),
            }),
            Ok(Word::Returned(raw)) => {
                let cycles = host_function(self.touched);
                Ok(KernelStep::end(cycles, returned(signature, raw)))
            }
            Err(_) => Err(failed(signature, "its thread ended early".to_string())),
        }
    }
}

impl Unfinished for PausedCall {
    fn resume(
        self: Box<Self>,
        arguments: &mut KernelArguments<'_, '_>,
        received: &Words,
    ) -> Result<KernelStep, CoreFault> {
        // A thread that has gone is reported by `listen`.
        let _ = self.hears.send(*received);
        self.listen(arguments)
    }
}
