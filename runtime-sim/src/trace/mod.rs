//! The event trace of a run, in the formats that people open.
//!
//! All are made from the records of a run ([`SimResult::each_record`]): [`text`] and [`vcd`] event by
//! event, the others from a [`timeline`] of spans: [`chrome`] and [`perfetto`] for viewers,
//! [`html`] as a page. Times are cycles of the array clock; where a format wants
//! seconds, a cycle is a nanosecond ([`PICOSECONDS`]). Nothing in a trace depends on the machine
//! that simulates. All but pages are written piece by piece; what has to be sorted is sorted in scratch
//! files ([`crate::external_sort`]), so that memory doesn't grow with the length of a trace.

pub mod chrome;
pub mod html;
mod items;
mod names;
pub mod perfetto;
pub mod text;
pub mod timeline;
mod units;
pub mod vcd;

use std::io::{self, Write};
use std::rc::Rc;

use crate::external_sort::{MemoryScratch, Scratch};
use crate::run::SimResult;
use aiec_run_loop::MachineOutcome;
pub use names::describe;
pub use timeline::Timeline;
use timeline::{TrackHead, TrackSubject};
pub use units::record_store;

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

    /// Whether it is written piece by piece, so that a trace may be of any length.
    pub fn is_streamed(self) -> bool {
        self != Format::Html
    }

    /// The format of files with an ending.
    pub fn of_ending(ending: &str) -> Option<Format> {
        let mut all = Format::ALL.into_iter();
        let (format, ..) = all.find(|(_, name, _)| *name == ending)?;
        Some(format)
    }
}

/// Writes the trace of a run in a format.
///
/// # Errors
/// The output or a scratch file can't be written or read.
pub fn write_to(
    result: &SimResult,
    format: Format,
    scratch: &Rc<dyn Scratch>,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        Format::Text => text::write(result, out),
        Format::Vcd => vcd::write(result, scratch, out),
        Format::Chrome => {
            let mut trace = chrome::ChromeTrace::new(scratch);
            let tracks = tracks(timeline::build(result, &mut trace)?);
            trace.write(&tracks, out)
        }
        Format::Perfetto => {
            let mut trace = perfetto::PerfettoTrace::new(scratch);
            let tracks = tracks(timeline::build(result, &mut trace)?);
            trace.write(&tracks, out)
        }
        Format::Html => out.write_all(html::write(&Timeline::of(result)?).as_bytes()),
    }
}

fn tracks(built: Vec<(TrackSubject, TrackHead)>) -> Vec<TrackHead> {
    built.into_iter().map(|(_, track)| track).collect()
}

/// The trace of a run in a format.
///
/// # Errors
/// A trace in scratch files can't be read; one in memory always can.
pub fn write(result: &SimResult, format: Format) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    let scratch: Rc<dyn Scratch> = Rc::new(MemoryScratch);
    write_to(result, format, &scratch, &mut out)?;
    Ok(out)
}

/// Writes the trace of another machine's run in a format.
///
/// # Errors
/// The output or a scratch file can't be written or read.
pub fn write_machine(
    outcome: &MachineOutcome,
    format: Format,
    scratch: &Rc<dyn Scratch>,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        Format::Text => units::text(outcome, out),
        Format::Vcd => vcd::write_units(outcome, scratch, out),
        Format::Chrome => {
            let mut trace = chrome::ChromeTrace::new(scratch);
            let tracks = units::give(outcome, &mut trace)?;
            trace.write(&tracks, out)
        }
        Format::Perfetto => {
            let mut trace = perfetto::PerfettoTrace::new(scratch);
            let tracks = units::give(outcome, &mut trace)?;
            trace.write(&tracks, out)
        }
        Format::Html => out.write_all(html::write(&units::timeline(outcome)?).as_bytes()),
    }
}
