//! What a group of columns that runs by itself may reach.

use std::cell::Cell;

/// The columns of a group, and whether it has done what concerns others.
#[derive(Clone, Debug)]
pub(crate) struct GroupLimits {
    columns: Vec<bool>,
    is_exceeded: Cell<bool>,
}

impl GroupLimits {
    /// Of some of the columns of a device.
    pub fn new(columns: &[u8], device_columns: u8) -> GroupLimits {
        let within = (0..device_columns).map(|column| columns.contains(&column));
        GroupLimits {
            columns: within.collect(),
            is_exceeded: Cell::new(false),
        }
    }

    /// Whether a column is one of the group.
    pub fn contains(&self, column: u8) -> bool {
        self.columns.get(usize::from(column)) == Some(&true)
    }

    /// The columns, ascending.
    pub fn columns(&self) -> impl Iterator<Item = u8> + '_ {
        (0u8..)
            .zip(&self.columns)
            .filter_map(|(column, within)| within.then_some(column))
    }

    /// Something in a column is reached: answers whether that is one of the group.
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
