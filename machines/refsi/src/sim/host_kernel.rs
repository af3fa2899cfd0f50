//! Kernels as functions of a shared library of the host.
//!
//! A function is called for each instance as
//! `void FN(const uint64_t arguments[8], const struct refsi_memory *memory)`: a0 to a7, and the memory that the
//! hart sees, through its windows:
//!
//! ```c
//! struct refsi_memory {
//!     void *context;
//!     int (*read)(void *context, uint64_t address, void *to, uint64_t bytes);
//!     int (*write)(void *context, uint64_t address, const void *from, uint64_t bytes);
//! };
//! ```
//!
//! `read` and `write` answer 0, or 1 where the hart can't access all of the bytes: that ends the run with a
//! fault when the function returns.
#![expect(
    unsafe_code,
    reason = "calling a function of a library that the user names can't be checked"
)]

use std::ffi::c_void;
use std::path::Path;
use std::sync::Arc;

use crate::unit::Unit;
use libloading::Library;

use super::bus::{Access, AccessFault, Bus};
use aiec_run_loop::library::{LibraryError, find_function};

/// A function of a shared library.
#[derive(Clone, Debug)]
pub struct HostKernel {
    /// Keeps the code where it is.
    _library: Arc<Library>,
    function: Function,
}

type Function = unsafe extern "C" fn(*const u64, *const MemoryTable);

/// Callbacks by which a function accesses memory; `repr(C)`, as kernels in C share it.
#[repr(C)]
struct MemoryTable {
    context: *mut c_void,
    read: unsafe extern "C" fn(*mut c_void, u64, *mut c_void, u64) -> i32,
    write: unsafe extern "C" fn(*mut c_void, u64, *const c_void, u64) -> i32,
}

/// The memory of a hart during a call.
pub struct HostAccess<'b> {
    bus: &'b mut Bus,
    unit: Unit,
    fault: Option<AccessFault>,
}

impl<'b> HostAccess<'b> {
    /// The memory that a unit sees.
    pub(super) fn new(bus: &'b mut Bus, unit: Unit) -> HostAccess<'b> {
        HostAccess {
            bus,
            unit,
            fault: None,
        }
    }

    /// The first access that couldn't be made.
    pub fn fault(self) -> Option<AccessFault> {
        self.fault
    }

    fn done<T>(&mut self, result: Result<T, AccessFault>) -> i32 {
        match result {
            Ok(_) => 0,
            Err(fault) => {
                self.fault.get_or_insert(fault);
                1
            }
        }
    }
}

/// Reads for a function of the host.
unsafe extern "C" fn read(context: *mut c_void, address: u64, to: *mut c_void, bytes: u64) -> i32 {
    // SAFETY: the context is the one that `HostKernel::call` made, which lives during the call.
    let access = unsafe { &mut *context.cast::<HostAccess<'_>>() };
    let located = access.bus.locate(access.unit, Access::Read, address, bytes);
    if let Err(fault) = located {
        return access.done::<()>(Err(fault));
    }
    // SAFETY: the function promises that `bytes` bytes can be written at `to`.
    let to = unsafe { std::slice::from_raw_parts_mut(to.cast::<u8>(), bytes as usize) };
    let result = access.bus.read(access.unit, address, to);
    access.done(result)
}

/// Writes for a function of the host.
unsafe extern "C" fn write(
    context: *mut c_void,
    address: u64,
    from: *const c_void,
    bytes: u64,
) -> i32 {
    // SAFETY: the context is the one that `HostKernel::call` made, which lives during the call.
    let access = unsafe { &mut *context.cast::<HostAccess<'_>>() };
    let located = access
        .bus
        .locate(access.unit, Access::Write, address, bytes);
    if let Err(fault) = located {
        return access.done::<()>(Err(fault));
    }
    // SAFETY: the function promises that `bytes` bytes can be read at `from`.
    let from = unsafe { std::slice::from_raw_parts(from.cast::<u8>(), bytes as usize) };
    let result = access.bus.write(access.unit, address, from);
    access.done(result)
}

impl HostKernel {
    /// Loads a library and finds a function of it.
    ///
    /// # Errors
    /// There is no such library or function.
    pub fn load(path: &Path, name: &str) -> Result<HostKernel, LibraryError> {
        let (library, address) = find_function(path, name)?;
        Ok(HostKernel {
            _library: Arc::new(library),
            // SAFETY: that the function has this type is the user's promise.
            function: unsafe { std::mem::transmute::<usize, Function>(address) },
        })
    }

    /// Calls it for an instance with the contents of a0 to a7.
    pub(super) fn call(&self, arguments: &[u64; 8], access: &mut HostAccess<'_>) {
        let table = MemoryTable {
            context: std::ptr::from_mut(access).cast(),
            read,
            write,
        };
        // SAFETY: that it is a function of this type is the user's promise; both pointers are good
        // during the call.
        unsafe { (self.function)(arguments.as_ptr(), &raw const table) };
    }
}
