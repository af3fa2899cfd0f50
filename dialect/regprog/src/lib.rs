//! Register programs: ordered lists of register operations.
//!
//! Such a list is the interface between the lowerings of a device's configuration and its runtime
//! sequence on one side, and everything that is written from them on the other: control code of
//! CERT, transactions, CDOs and control packets. Its operations are executed in order.
//!
//! * [`RegOp`], [`RegAction`]: an operation with its source location; [`Unsupported`]: why a form of
//!   code can't express one;
//! * [`known_values`]: register contents, and the shortest list of writes that sets them;
//! * [`network`]: stream connections, and the parts of the array that can act on one another;
//! * [`mod@extent`]: the bytes that a descriptor's transfer touches.
//!
//! The crate knows the array model and neither the netlist nor a form of control code.

mod extent;
pub mod known_values;
pub mod network;
mod op;

pub use extent::extent;
pub use op::{RegAction, RegOp, Unsupported};
