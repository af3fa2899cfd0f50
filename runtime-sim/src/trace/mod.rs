//! The event trace of a run, in the formats that people open.
//!
//! All are made from [`SimResult::trace`] ([`crate::Recording::Trace`]): [`text`] and [`vcd`] event by
//! event, the others from a [`timeline`] of spans: [`chrome`] and [`perfetto`] for viewers,
//! [`html`] as a page of its own. Times are cycles of the array clock; where a format wants
//! seconds, a cycle is a nanosecond ([`PICOSECONDS`]). Nothing in a trace depends on the machine
//! that simulates.

pub mod chrome;
pub mod html;
mod names;
pub mod perfetto;
pub mod text;
pub mod timeline;
mod units;
pub mod vcd;

use crate::drive::MachineOutcome;
use crate::run::SimResult;
pub use names::describe;
pub use timeline::Timeline;

/// Picoseconds of a cycle: the array clock is taken to be 1 GHz.
pub const PICOSECONDS: u64 = 1000;

/// A format of traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Lines `time=…,event=…`.
    Text,
    /// Value change dump (IEEE 1364), for wave viewers.
    Vcd,
    /// Chrome trace events, for <https://ui.perfetto.dev> and others.
    Chrome,
    /// Perfetto's protobuf, for large runs.
    Perfetto,
    /// A page.
    Html,
}

impl Format {
    /// All formats, with the ending of their files and what they are.
    pub const ALL: [(Format, &'static str, &'static str); 5] = [
        (Format::Text, "txt", "lines time=…,event=…"),
        (Format::Vcd, "vcd", "waves, for GTKWave and others"),
        (
            Format::Chrome,
            "json",
            "Chrome trace events, for ui.perfetto.dev",
        ),
        (
            Format::Perfetto,
            "pftrace",
            "Perfetto's protobuf, for ui.perfetto.dev",
        ),
        (Format::Html, "html", "a page that shows a timeline"),
    ];

    /// The format of files with an ending.
    pub fn of_ending(ending: &str) -> Option<Format> {
        let mut all = Format::ALL.into_iter();
        let (format, ..) = all.find(|(_, name, _)| *name == ending)?;
        Some(format)
    }
}

/// The trace of a run in a format.
pub fn write(result: &SimResult, format: Format) -> Vec<u8> {
    match format {
        Format::Text => text::write(result).into_bytes(),
        Format::Vcd => vcd::write(result),
        Format::Chrome => chrome::write(&Timeline::of(result)).into_bytes(),
        Format::Perfetto => perfetto::write(&Timeline::of(result)),
        Format::Html => html::write(&Timeline::of(result)).into_bytes(),
    }
}

/// The trace of another machine's run in a format.
pub fn write_machine(outcome: &MachineOutcome, format: Format) -> Vec<u8> {
    let timeline = || units::timeline(outcome);
    match format {
        Format::Text => units::text(outcome).into_bytes(),
        Format::Vcd => vcd::write_units(&outcome.trace, &timeline()),
        Format::Chrome => chrome::write(&timeline()).into_bytes(),
        Format::Perfetto => perfetto::write(&timeline()),
        Format::Html => html::write(&timeline()).into_bytes(),
    }
}
