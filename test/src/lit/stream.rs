//! The streams of commands.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

/// A stream that a command writes to; clones share the buffer.
#[derive(Clone, Debug, Default)]
pub struct Stream(Rc<RefCell<Vec<u8>>>);

impl Stream {
    /// Takes what was written so far.
    pub fn take(&self) -> Vec<u8> {
        self.0.take()
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
