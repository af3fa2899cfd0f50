//! Ctrl-C: the first ends a simulation as its limit would, with report and trace; any other ends the
//! process, and no temporary file remains.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

/// The exit code of a process that an interrupt ended: 128 and the number of the signal (POSIX shells).
const INTERRUPTED_EXIT: i32 = 130;

/// Interrupts are handled as soon as there is something to end or to remove.
static HANDLED: AtomicBool = AtomicBool::new(false);
/// A simulation goes on, which looks at [`REQUESTED`].
static SIMULATING: AtomicBool = AtomicBool::new(false);
/// The simulation is to end.
static REQUESTED: AtomicBool = AtomicBool::new(false);
/// Files and folders that go away with the process.
static TEMPORARIES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn temporaries() -> MutexGuard<'static, Vec<PathBuf>> {
    TEMPORARIES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// This process is the command's own: it handles interrupts, from its first simulation or temporary file on. Before that an
/// interrupt ends it at once, and a compilation needs no thread that waits for signals.
pub fn install() {
    HANDLED.store(true, Ordering::SeqCst);
}

/// Sets the handler if interrupts are handled and it isn't set yet.
fn set_handler() {
    static SET: Once = Once::new();
    if HANDLED.load(Ordering::SeqCst) {
        SET.call_once(handle);
    }
}

fn handle() {
    // Without a handler an interrupt ends the process at once, which doesn't keep a run from
    // starting.
    let _ = ctrlc::set_handler(|| {
        if SIMULATING.load(Ordering::SeqCst) && !REQUESTED.swap(true, Ordering::SeqCst) {
            return;
        }
        let list = temporaries();
        for path in list.iter() {
            // A file that can't be removed stays, as the process ends here without a report.
            let _ = if path.is_dir() {
                std::fs::remove_dir_all(path)
            } else {
                std::fs::remove_file(path)
            };
        }
        std::process::exit(INTERRUPTED_EXIT);
    });
}

/// Memory comes in pages of 4 KiB from now on. Huge pages, which the allocator asks for, save a compilation most
/// of its page faults; a simulation lives longer and keeps more, of which they would waste a third.
fn use_small_pages() {
    // Where the system can't, the process only takes more memory.
    #[cfg(target_os = "linux")]
    let _ = nix::sys::prctl::set_thp_disable(true);
}

/// Whether the last simulation was ended by an interrupt.
pub fn was_interrupted() -> bool {
    REQUESTED.load(Ordering::SeqCst)
}

/// A temporary file or folder, which an interrupt removes while this value lives.
#[derive(Debug)]
pub struct Temporary(PathBuf);

impl Temporary {
    /// Of the file or folder at a path.
    pub fn new(path: &Path) -> Temporary {
        set_handler();
        temporaries().push(path.to_path_buf());
        Temporary(path.to_path_buf())
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let mut list = temporaries();
        if let Some(at) = list.iter().position(|path| *path == self.0) {
            list.swap_remove(at);
        }
    }
}

/// A simulation, which an interrupt ends while this value lives.
#[derive(Debug)]
pub struct Interruptible(());

impl Interruptible {
    /// Begins.
    pub fn begin() -> Interruptible {
        set_handler();
        if HANDLED.load(Ordering::SeqCst) {
            use_small_pages();
        }
        REQUESTED.store(false, Ordering::SeqCst);
        SIMULATING.store(true, Ordering::SeqCst);
        Interruptible(())
    }

    /// Whether the simulation is to end.
    pub fn is_requested(&self) -> bool {
        REQUESTED.load(Ordering::SeqCst)
    }
}

impl Drop for Interruptible {
    fn drop(&mut self) {
        SIMULATING.store(false, Ordering::SeqCst);
    }
}
