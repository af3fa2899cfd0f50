//! Kernels in shared libraries of the host.
//!
//! A function is called as C calls it: a buffer is a pointer to its first element inside the
//! memory of the simulated tile, a scalar is passed by value. With the types of MLIR:
//!
//! | MLIR | C |
//! | --- | --- |
//! | `memref<…xT>` | `T *` |
//! | `i1` | `bool` |
//! | `i8`, `i16`, `i32`, `i64` (with `s`: the same; with `u`: unsigned) | `int8_t` … `int64_t` |
//! | `index` | `int64_t` |
//! | `f32`, `f64`, `bf16`, `f16` | `float`, `double`, `__bf16`, `_Float16` |
//!
//! The types aren't known when this program is built, but the register classes are: integers and
//! pointers go into one row of registers and then onto the stack, floats into another. So one
//! prototype that has enough of both serves all.
//!
//! # The cascade
//!
//! A library that wants the cascade defines a variable `aiec_cascade` of two function pointers:
//!
//! ```c
//! struct { void (*get)(int32_t[16]); void (*put)(const int32_t[16]); } aiec_cascade;
//! ```
//!
//! They are filled in when the library is loaded. A function that calls them has to pause while its
//! core waits, so each call of such a library runs on its own thread. Only one of the two threads
//! is ever awake: the simulator waits until the function asks for a transfer or returns, the
//! function until the simulator replies. So the order of things doesn't depend on the threads.
#![expect(
    unsafe_code,
    reason = "calling a function of a library that the user names can't be checked"
)]

use std::cell::RefCell;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use aiec_run_loop::library::{LibraryError, find_function};
use aiec_vcode::{ArgumentType, ElementType, FloatFormat, Signature};
use libloading::Library;

use super::{CallOutcome, Kernel, KernelArguments, KernelStep, Transfer, Unfinished, failed};
use crate::core::bus::{CASCADE_WORDS, CoreFault, CoreMemory};
use crate::core::cost::host_function;
use crate::core::memory::no_memory;

/// Integers and pointers that can be passed: on the stack each takes 8 bytes (System V, AAPCS64);
/// Apple's ABI packs them, so only the eight in registers are safe there.
const INTEGERS: usize = if cfg!(target_vendor = "apple") { 8 } else { 16 };
/// Floats that can be passed: the registers.
const FLOATS: usize = 8;

/// Whether functions can be called this way here.
const SUPPORTED: bool = cfg!(all(
    unix,
    any(target_arch = "x86_64", target_arch = "aarch64")
));

/// A function of a shared library.
#[derive(Clone, Debug)]
pub struct HostFunction {
    /// Keeps the code where it is.
    _library: Arc<Library>,
    address: usize,
    /// The library wants the cascade.
    cascade: bool,
}

/// Loads a library and finds the address of a function of it.
///
/// # Errors
/// There is no such library or function.
pub(in crate::core) fn load_function(
    path: &Path,
    name: &str,
) -> Result<(Library, usize), LibraryError> {
    if SUPPORTED {
        find_function(path, name)
    } else {
        Err(LibraryError::Unsupported)
    }
}

impl HostFunction {
    /// Loads a library and finds a function of it.
    ///
    /// # Errors
    /// There is no such library or function.
    pub fn load(path: &Path, name: &str) -> Result<HostFunction, LibraryError> {
        let (library, address) = load_function(path, name)?;
        Ok(HostFunction {
            cascade: connect_cascade(&library),
            _library: Arc::new(library),
            address,
        })
    }
}

/// Arguments by register class.
#[derive(Default)]
struct PassedArguments {
    integers: [u64; INTEGERS],
    floats: [u64; FLOATS],
}

/// Value that is passed in a register of floats.
fn float_register(element: ElementType, value: u64) -> u64 {
    match element {
        ElementType::Bf16 => FloatFormat::Bf16.from_register(value),
        ElementType::F16 => FloatFormat::F16.from_register(value),
        _ => value,
    }
}

/// The value in the form of a core's register: the lower bits of an integer with its sign, narrow
/// floats as f32.
fn from_register(element: ElementType, value: u64) -> u64 {
    match element {
        ElementType::Int { width: 64, .. } | ElementType::Index | ElementType::F64 => value,
        ElementType::Int { width, .. } => {
            let unused = 64 - u32::from(width);
            ((value << unused) as i64 >> unused) as u64
        }
        ElementType::F32 => value & u64::from(u32::MAX),
        ElementType::Bf16 => FloatFormat::Bf16.to_register(value),
        ElementType::F16 => FloatFormat::F16.to_register(value),
    }
}

/// An integer as C passes it: a bool is 0 or 1, an unsigned number has zeros above.
fn integer_register(element: ElementType, value: u64) -> u64 {
    match element {
        ElementType::Int { width, .. } if width < 64 && (width == 1 || element.is_unsigned()) => {
            value & ((1 << width) - 1)
        }
        _ => value,
    }
}

/// Bytes of a buffer that its type is sure of: all, or one element where a size is open.
fn bytes(shape: &[Option<u64>], element: ElementType) -> Option<u64> {
    let size = u64::from(element.memory()?.bytes());
    let sizes = shape.iter().map(|size| size.unwrap_or(1));
    sizes
        .into_iter()
        .try_fold(size, |bytes, size| bytes.checked_mul(size))
}

/// Calls the function at an address; the answer is what is in the result register of
/// integers, or of floats.
fn enter(address: usize, passed: &PassedArguments, float: bool) -> u64 {
    let i = &passed.integers;
    let f = passed.floats.map(f64::from_bits);
    macro_rules! call {
        ($result:ty; $($n:literal)*) => {{
            type Function = unsafe extern "C" fn(
                $(call!(@integer $n),)* f64, f64, f64, f64, f64, f64, f64, f64,
            ) -> $result;
            // SAFETY: the address is that of a function of the user's library, whose
            // parameters `check` has counted; it finds each where its ABI has it, see the
            // module. That it stays inside the buffers, which stay where they are as long as
            // there is a simulation, is the user's promise.
            unsafe {
                let function: Function = std::mem::transmute(address);
                function(
                    // Those that it doesn't have it doesn't look at.
                    $(i.get($n).copied().unwrap_or(0),)*
                    f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7],
                )
            }
        }};
        (@integer $n:literal) => { u64 };
    }
    if float {
        call!(f64; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15).to_bits()
    } else {
        call!(u64; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    }
}

/// The result of a call in the form of an argument, from the content of the result register.
fn returned(signature: &Signature, raw: u64) -> u64 {
    signature
        .result
        .map_or(0, |element| from_register(element, raw))
}

/// A buffer that a call has, with what it held when that was looked at last.
#[derive(Debug)]
struct LentBuffer {
    address: u64,
    /// Bytes of an element.
    element: usize,
    before: Vec<u8>,
}

/// Logs as stores the bytes of a call's buffers that differ from their earlier content.
fn note_stores(buffers: &mut [LentBuffer], memory: &mut CoreMemory<'_>) {
    for buffer in buffers {
        let lent = memory.lend_bytes(buffer.address, buffer.before.len());
        let Some(after) = lent.map(|bytes| bytes.to_vec()) else {
            continue;
        };
        memory.note_changes(buffer.address, buffer.element, &buffer.before, &after);
        buffer.before = after;
    }
}

impl Kernel for HostFunction {
    fn call(&self, arguments: &mut KernelArguments<'_, '_>) -> Result<KernelStep, CoreFault> {
        let signature = arguments.signature;
        let mut passed = PassedArguments::default();
        let (mut integers, mut floats) = (passed.integers.iter_mut(), passed.floats.iter_mut());
        let mut touched = 0u64;
        let mut buffers: Vec<LentBuffer> = Vec::new();
        for (ty, &value) in signature.arguments.iter().zip(arguments.values) {
            let (register, content) = match ty {
                ArgumentType::Buffer { shape, element } => {
                    let bytes = bytes(shape, *element).and_then(|n| usize::try_from(n).ok());
                    let bytes = bytes.ok_or_else(|| no_memory(value))?;
                    touched = touched.saturating_add(bytes as u64);
                    let lent = arguments.memory.lend_bytes(value, bytes);
                    let lent = lent.ok_or_else(|| no_memory(value))?;
                    buffers.push(LentBuffer {
                        address: value,
                        element: element.memory().map_or(1, |memory| memory.bytes() as usize),
                        before: lent.to_vec(),
                    });
                    (integers.next(), lent.as_mut_ptr() as u64)
                }
                ArgumentType::Scalar(element) if element.is_float() => {
                    (floats.next(), float_register(*element, value))
                }
                ArgumentType::Scalar(element) => {
                    (integers.next(), integer_register(*element, value))
                }
            };
            if let Some(register) = register {
                *register = content;
            }
        }
        if self.cascade {
            return begin_paused_call(self.address, passed, (touched, buffers), arguments);
        }
        let float = signature.result.is_some_and(ElementType::is_float);
        let raw = enter(self.address, &passed, float);
        note_stores(&mut buffers, arguments.memory);
        let cycles = host_function(touched);
        Ok(KernelStep::end(cycles, returned(signature, raw)))
    }

    fn check(&self, signature: &Signature) -> Result<(), String> {
        let is_float =
            |ty: &&ArgumentType| matches!(ty, ArgumentType::Scalar(element) if element.is_float());
        let floats = signature.arguments.iter().filter(is_float).count();
        let integers = signature.arguments.len() - floats;
        if floats > FLOATS || integers > INTEGERS {
            return Err(format!(
                "a function of a host library takes up to {INTEGERS} buffers and integers and \
                 {FLOATS} floats"
            ));
        }
        let odd = signature.arguments.iter().find_map(|ty| match ty {
            ArgumentType::Buffer { element, .. } if element.memory().is_none() => Some(element),
            _ => None,
        });
        match odd {
            Some(element) => Err(format!("C has no type for elements of {element}")),
            None => Ok(()),
        }
    }
}

/// The variable of the library.
const CASCADE_VARIABLE: &[u8] = b"aiec_cascade\0";

/// Room for the function's variables: what C programs are used to, and more than the core has.
pub(in crate::core) const STACK_BYTES: usize = 8 << 20;

/// The words of a transfer.
type Words = [u32; CASCADE_WORDS];

/// The type of the library's variable.
#[repr(C)]
struct CascadeFunctions {
    get: extern "C" fn(*mut Words),
    put: extern "C" fn(*const Words),
}

/// Gives a library the functions if it has the variable for them; returns whether it has.
fn connect_cascade(library: &Library) -> bool {
    // SAFETY: the variable is only used as an address of two pointers, which the book asks for.
    let variable = unsafe { library.get::<*mut CascadeFunctions>(CASCADE_VARIABLE) };
    let Ok(variable) = variable else {
        return false;
    };
    // SAFETY: nothing of the library runs now; its variable is of that type, see the book.
    unsafe { (*variable).write(CascadeFunctions { get, put }) };
    true
}

/// Messages of a function to the simulator.
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
/// that the library has made itself no simulator is there to ask: nothing comes.
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
    // SAFETY: the library passes an array of `CASCADE_WORDS` words.
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

/// Begins a call on its own thread.
fn begin_paused_call(
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
        // The receiver is gone if the run is over.
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

    fn copied(&self) -> Box<dyn Unfinished> {
        // Without a thread at the other ends it fails as a call does whose thread has ended.
        let ((_, says), (hears, _)) = (channel(), channel());
        Box::new(PausedCall {
            says,
            hears,
            touched: self.touched,
            buffers: Vec::new(),
        })
    }

    fn can_be_copied(&self) -> bool {
        false
    }
}
