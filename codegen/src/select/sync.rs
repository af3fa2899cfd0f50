//! Locks, streams, events.

use super::emit::Selector;
use super::number::Halves;
use super::rows::Row;
use crate::machine::MachineOperand as Operand;
use crate::ssa::Value;
use crate::ssa::width::Range;

impl Selector<'_> {
    pub(super) fn lock(&mut self, row: Row, lock: u8, value: i8) {
        let value = self.word(i32::from(value) as u32);
        let operands = [Operand::Immediate(lock.into()), Operand::Virtual(value)];
        self.emit(row, &operands);
    }

    /// A core of these architectures has one stream in each direction.
    fn is_stream(&mut self, channel: u8) -> bool {
        if channel != 0 {
            self.lacks(format!("the core has no stream {channel}"));
        }
        channel == 0
    }

    pub(super) fn stream_get(&mut self, channel: u8, result: Value) {
        self.is_stream(channel);
        let low = self.result(Row::StreamGet, &[]);
        let range = self.widths.ranges[result.index()];
        debug_assert!(range.is_in(Range::I32));
        self.define(result, Halves { low, high: None });
    }

    pub(super) fn stream_put(&mut self, channel: u8, last: bool, value: Value) {
        self.is_stream(channel);
        let number = self.number(value);
        let low = self.low(number);
        let row = if last {
            Row::StreamPutLast
        } else {
            Row::StreamPut
        };
        self.emit(row, &[Operand::Virtual(low)]);
    }

    pub(super) fn event(&mut self, number: u8) {
        if self.rows.get(Row::Event).is_some() {
            self.emit(Row::Event, &[Operand::Immediate(number.into())]);
            return;
        }
        let events = [Row::Event0, Row::Event1, Row::EventWarning, Row::EventError];
        match events.get(usize::from(number)) {
            Some(row) => {
                self.emit(*row, &[]);
            }
            None => self.lacks(format!("there is no event {number}")),
        }
    }
}
