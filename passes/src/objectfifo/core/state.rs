//! Known state of the windows at a point of a core's body.

use aiec_aie::ir::Value;

/// A number: known, carried by a value, or (while only looking ahead) known to be some value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Num {
    Const(i64),
    Value(Value),
    /// Two of these are equal only if they are the same one.
    Some(u32),
}

/// Index of the oldest object and number of objects held, for each of `n` windows: entries `w` and
/// `n + w`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State(pub Vec<Num>);

impl State {
    /// Nothing acquired yet.
    pub fn start(windows: usize) -> State {
        State(vec![Num::Const(0); 2 * windows])
    }

    pub fn index(&self, window: usize) -> Num {
        self.0[window]
    }

    pub fn held(&self, window: usize) -> Num {
        self.0[self.0.len() / 2 + window]
    }

    pub fn set_index(&mut self, window: usize, to: Num) {
        self.0[window] = to;
    }

    pub fn set_held(&mut self, window: usize, to: Num) {
        let windows = self.0.len() / 2;
        self.0[windows + window] = to;
    }
}
