//! Reach of a group of columns that runs by itself.

use std::cell::Cell;

/// The columns of a group, and whether it has done what concerns others.
#[derive(Clone, Debug, Default)]
pub(crate) struct GroupLimits {
    /// The columns.
    pub columns: Vec<u8>,
    is_exceeded: Cell<bool>,
}

impl GroupLimits {
    /// Of some of the columns of a device.
    pub fn new(columns: &[u8]) -> GroupLimits {
        GroupLimits {
            columns: columns.to_vec(),
            is_exceeded: Cell::new(false),
        }
    }

    /// Whether a column is one of the group.
    pub fn contains(&self, column: u8) -> bool {
        self.columns.contains(&column)
    }

    /// Something in a column is reached: returns whether that is one of the group.
    pub fn reach(&self, column: u8) -> bool {
        let within = self.contains(column);
        if !within {
            self.exceed();
        }
        within
    }

    /// The group does what concerns others.
    pub fn exceed(&self) {
        self.is_exceeded.set(true);
    }

    /// Whether it has done what concerns others, so that the outcome isn't that of one thread.
    pub fn is_exceeded(&self) -> bool {
        self.is_exceeded.get()
    }
}
