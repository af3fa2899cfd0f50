//! Finds functions in shared libraries of the host.
#![expect(
    unsafe_code,
    reason = "loading a library that the user names can't be checked"
)]

use std::path::{Path, PathBuf};

use libloading::Library;

/// Why a function of a library can't be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LibraryError {
    /// The library can't be loaded.
    #[error("the library {} can't be loaded: {reason}", path.display())]
    Load {
        /// The library.
        path: PathBuf,
        /// The message of the system.
        reason: String,
    },
    /// It has no such function.
    #[error("the library {} has no function `{name}`", path.display())]
    NoFunction {
        /// The library.
        path: PathBuf,
        /// The function.
        name: String,
    },
    /// Not on this machine.
    #[error("functions of host libraries can't be called on this sort of machine")]
    Unsupported,
}

/// Loads a library and finds the address of a function of it, of whatever type.
///
/// # Errors
/// There is no such library or function.
pub fn find_function(path: &Path, name: &str) -> Result<(Library, usize), LibraryError> {
    let load = |reason| LibraryError::Load {
        path: path.to_path_buf(),
        reason,
    };
    // A name without a folder would be looked for where the system keeps its libraries.
    let file = std::path::absolute(path).map_err(|error| load(error.to_string()))?;
    // SAFETY: the library's initialisers run; the user has named it to be run.
    let library = unsafe { Library::new(&file) };
    // `libloading`'s error names the call; its source is the loader's own reason.
    let library = library.map_err(|error| {
        let cause = std::error::Error::source(&error).map(ToString::to_string);
        load(cause.unwrap_or_else(|| error.to_string()))
    })?;
    // SAFETY: the symbol is only kept as an address here; the caller casts it to its type.
    let symbol = unsafe { library.get::<unsafe extern "C" fn()>(name.as_bytes()) };
    let address = match symbol {
        Ok(symbol) => *symbol as usize,
        Err(_) => {
            return Err(LibraryError::NoFunction {
                path: path.to_path_buf(),
                name: name.to_string(),
            });
        }
    };
    Ok((library, address))
}
