//! What compiled cores call on the host.
//!
//! Functions that compute answer at once. The others leave the core's stack with a [`Request`], and
//! come back with the answer when the simulator lets the core go on.
#![expect(
    unsafe_code,
    reason = "the way back from a core's stack is found through a pointer"
)]

use std::cell::{Cell, RefCell};
use std::mem;

use aiec_sim::core::CoreFault;
use corosensei::Yielder;
use half::{bf16, f16};

/// What a core asks of the simulator.
#[derive(Clone, Debug)]
pub enum Request {
    /// Acquires a lock, see [`aiec_sim::core::CoreBus::acquire`].
    Acquire {
        /// The core's number of the lock.
        lock: u8,
        /// The operand.
        operand: i8,
    },
    /// Adds to a lock.
    Release {
        /// The core's number of the lock.
        lock: u8,
        /// What is added.
        change: i8,
    },
    /// Raises an instruction event.
    Event(u8),
    /// Takes a word from a stream; the answer is the word.
    StreamGet {
        /// The stream.
        channel: u8,
    },
    /// Sends a word to a stream.
    StreamPut {
        /// The stream.
        channel: u8,
        /// The word.
        word: u32,
    },
    /// Takes a transfer from the cascade into the core's words.
    CascadeGet,
    /// Sends the core's words to the cascade.
    CascadePut,
    /// Calls an external function; the answer is its result.
    Call {
        /// Its number among the program's kernels.
        number: usize,
        /// Its arguments, as core programs pass them.
        arguments: Vec<u64>,
    },
    /// Its time is over.
    Pause,
    /// It can't go on, and won't be asked to.
    Fault(CoreFault),
}

/// The way back from the stack of a core.
pub type Way = Yielder<u64, Request>;

thread_local! {
    /// That of the core that runs now on this thread.
    static WAY: Cell<*const Way> = const { Cell::new(std::ptr::null()) };
    /// Arguments of the call that is to come.
    static ARGUMENTS: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// Reports which core runs now; called on its stack, before anything else.
pub fn enter(way: &Way) {
    WAY.set(way);
}

/// Leaves the core's stack until there is an answer.
fn ask(request: Request) -> u64 {
    let way = WAY.get();
    // SAFETY: only compiled cores call the functions of this file, and a core runs on a stack whose
    // first frame called `enter` with its way back; that frame is alive as long as the core is. The
    // pointer is that of this very core, since it is set again whenever a core goes on.
    let answer = unsafe { (*way).suspend(request) };
    WAY.set(way);
    answer
}

/// The core stops for good.
fn fail(fault: CoreFault) -> ! {
    loop {
        ask(Request::Fault(fault.clone()));
    }
}

/// A function of the host.
#[derive(Clone, Copy, Debug)]
pub struct HostFunction {
    /// Its name without `aiec.`
    pub name: &'static str,
    /// Where it is.
    pub address: fn() -> *mut (),
    /// Whether others can see when it is called.
    pub synchronises: bool,
}

/// The function of a name without `aiec.`
pub fn host_function(name: &str) -> Option<&'static HostFunction> {
    FUNCTIONS.iter().find(|function| function.name == name)
}

macro_rules! functions {
    ($($name:ident: $synchronises:literal)*) => {
        /// All that compiled cores may call.
        pub static FUNCTIONS: &[HostFunction] = &[$(HostFunction {
            name: stringify!($name),
            address: || $name as *mut (),
            synchronises: $synchronises,
        }),*];
    };
}

functions! {
    acquire: true
    acquire_some: true
    release: true
    release_some: true
    event: true
    stream_get: true
    stream_put: true
    cascade_get: true
    cascade_put: true
    argument: false
    call: true
    assert: false
    // Functions that only compute.
    math: false
    math2: false
    fma: false
    power: false
    // What the checks of `prelude.mlir` call.
    no_memory: false
    division: false
    no_lane: false
    pause: false
}

// The shims have the names of what they stand for, which is why they live in a module of their own.
use shims::*;

mod shims {
    use super::*;

    pub extern "C" fn acquire(lock: i32, operand: i32) {
        ask(Request::Acquire {
            lock: lock as u8,
            operand: operand as i8,
        });
    }

    pub extern "C" fn acquire_some(lock: i32, count: i64) {
        for _ in 0..count {
            acquire(lock, -1);
        }
    }

    pub extern "C" fn release(lock: i32, change: i32) {
        ask(Request::Release {
            lock: lock as u8,
            change: change as i8,
        });
    }

    pub extern "C" fn release_some(lock: i32, count: i64) {
        for _ in 0..count {
            release(lock, 1);
        }
    }

    pub extern "C" fn event(event: i32) {
        ask(Request::Event(event as u8));
    }

    pub extern "C" fn stream_get(channel: i32) -> i32 {
        let channel = channel as u8;
        ask(Request::StreamGet { channel }) as i32
    }

    pub extern "C" fn stream_put(channel: i32, word: i32) {
        ask(Request::StreamPut {
            channel: channel as u8,
            word: word as u32,
        });
    }

    pub extern "C" fn cascade_get() {
        ask(Request::CascadeGet);
    }

    pub extern "C" fn cascade_put() {
        ask(Request::CascadePut);
    }

    pub extern "C" fn argument(value: i64) {
        ARGUMENTS.with_borrow_mut(|arguments| arguments.push(value as u64));
    }

    pub extern "C" fn call(number: i32) -> i64 {
        let arguments = ARGUMENTS.with_borrow_mut(mem::take);
        ask(Request::Call {
            number: number as usize,
            arguments,
        }) as i64
    }

    /// What core programs trap with.
    const ASSERTION: u32 = 1;

    pub extern "C" fn assert(holds: i32) {
        if holds == 0 {
            fail(CoreFault::Trap { code: ASSERTION });
        }
    }

    pub extern "C" fn math(function: i32, x: f64) -> f64 {
        aiec_sim::core::math(function as u8, x)
    }

    pub extern "C" fn math2(function: i32, x: f64, y: f64) -> f64 {
        aiec_sim::core::math2(function as u8, x, y)
    }

    pub extern "C" fn fma(format: i32, x: f64, y: f64, sum: f64) -> f64 {
        aiec_sim::core::fma_narrow(format as u8, x, y, sum)
    }

    pub extern "C" fn power(base: i64, exponent: i64) -> i64 {
        match aiec_sim::core::power(base, exponent) {
            Some(result) => result,
            None => fail(CoreFault::DivisionByZero),
        }
    }

    pub extern "C" fn no_memory(address: i64) {
        fail(CoreFault::Address {
            address: u32::try_from(address).unwrap_or(u32::MAX),
        });
    }

    pub extern "C" fn division() {
        fail(CoreFault::DivisionByZero);
    }

    pub extern "C" fn no_lane(lane: i64, lanes: i64) {
        fail(CoreFault::Lane {
            lane: lane as u64,
            lanes: lanes as u32,
        });
    }

    pub extern "C" fn pause() {
        ask(Request::Pause);
    }
}

/// What LLVM calls where the machine has no instruction for a conversion of narrow floats, by their
/// names in LLVM's own library: a narrow float is passed in the lower bits of a register of floats.
pub fn conversions() -> [(&'static str, *mut ()); 5] {
    extern "C" fn single_to_bf16(x: f32) -> f32 {
        f32::from_bits(bf16::from_f32(x).to_bits().into())
    }
    extern "C" fn double_to_bf16(x: f64) -> f32 {
        f32::from_bits(bf16::from_f64(x).to_bits().into())
    }
    extern "C" fn single_to_half(x: f32) -> f32 {
        f32::from_bits(f16::from_f32(x).to_bits().into())
    }
    extern "C" fn double_to_half(x: f64) -> f32 {
        f32::from_bits(f16::from_f64(x).to_bits().into())
    }
    extern "C" fn half_to_single(x: f32) -> f32 {
        f16::from_bits(x.to_bits() as u16).to_f32()
    }
    [
        ("__truncsfbf2", single_to_bf16 as *mut ()),
        ("__truncdfbf2", double_to_bf16 as *mut ()),
        ("__truncsfhf2", single_to_half as *mut ()),
        ("__truncdfhf2", double_to_half as *mut ()),
        ("__extendhfsf2", half_to_single as *mut ()),
    ]
}
