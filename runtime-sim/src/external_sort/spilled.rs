//! Items that are sorted in scratch files, for callers that can't report yet that a file can't be
//! written.

use std::io;
use std::rc::Rc;

use super::{Merge, Scratch, Sortable, Sorter};

/// Items that are sorted in scratch files until the first of them can't be written.
#[derive(Debug)]
pub(crate) struct SpilledItems<T: Sortable> {
    sorter: Sorter<T>,
    failure: Option<io::Error>,
}

/// Files have one owner: a clone has none, and reading it says so.
impl<T: Sortable> Clone for SpilledItems<T> {
    fn clone(&self) -> SpilledItems<T> {
        SpilledItems {
            sorter: self.sorter.emptied(),
            failure: Some(io::Error::other(
                "a copy of a run has no scratch files of what was before",
            )),
        }
    }
}

impl<T: Sortable> SpilledItems<T> {
    pub fn new(scratch: &Rc<dyn Scratch>) -> SpilledItems<T> {
        SpilledItems {
            sorter: Sorter::new(scratch),
            failure: None,
        }
    }

    pub fn push(&mut self, item: T) {
        if self.failure.is_none() {
            self.failure = self.sorter.push(item).err();
        }
    }

    /// The items in order of their keys.
    ///
    /// # Errors
    /// A scratch file couldn't be written or can't be read.
    pub fn sorted(&mut self) -> io::Result<Merge<'_, T>> {
        match &self.failure {
            Some(error) => Err(io::Error::new(error.kind(), error.to_string())),
            None => self.sorter.sorted(),
        }
    }
}
