//! The text form of a budget.

use std::fmt::Write;

use aiec_device::DmaDir;
use aiec_device::switch::PortSide;

use super::{BufferUse, SlotUse, TileBudget};

/// Entries of a list that a note shows; further ones are counted.
const SHOWN: usize = 8;

impl TileBudget {
    /// The table as lines of text without a final line end, long lists cut short: for notes.
    /// While buffers have no address the largest are first.
    pub fn table(&self) -> String {
        let placed = self.buffers.iter().all(|b| b.address.is_some());
        if placed || self.buffers.len() <= SHOWN {
            return self.text(SHOWN);
        }
        let mut budget = self.clone();
        budget.buffers.sort_by_key(|b| std::cmp::Reverse(b.bytes));
        budget.text(SHOWN)
    }

    /// The whole table; where streams only pass through, the switch alone.
    pub fn full_table(&self) -> String {
        if !self.is_passed_only() {
            return self.text(usize::MAX);
        }
        let place = self.loc.map_or(String::new(), |l| format!("{l}"));
        let mut text = format!("resources of tile {place}: streams pass through");
        self.switch(&mut text);
        text
    }

    fn text(&self, shown: usize) -> String {
        let mut text = String::new();
        let place = self.loc.map_or(String::new(), |l| format!("{l}"));
        let _ = write!(text, "resources of tile {place}:");
        if self.memory_bytes > 0 || !self.buffers.is_empty() {
            self.memory(&mut text, shown);
        }
        let (locks, max) = (self.locks.len(), self.max_locks);
        let _ = write!(text, "\n  locks    {locks} of {max}");
        let names = self.locks.iter().map(|lock| match lock.id {
            Some(id) => format!("{id} {}", lock.name),
            None => lock.name.clone(),
        });
        list(&mut text, names, shown);
        let [even, odd] = self.bds();
        let _ = write!(text, "\n  BDs      {} of {}", even + odd, self.max_bds);
        if self.bds_by_parity {
            let half = self.max_bds / 2;
            let odd = format!("odd channels {odd} of {half}");
            let _ = write!(text, " (even channels {even} of {half}, {odd})");
        }
        for dir in DmaDir::ALL {
            let max = match dir {
                DmaDir::S2mm => self.max_channels.0,
                DmaDir::Mm2s => self.max_channels.1,
            };
            let of_dir = || self.channels.iter().filter(|c| c.dir == dir);
            let _ = write!(text, "\n  {:<8} {} of {max}", dir.name(), of_dir().count());
            let entries = of_dir().map(|c| match c.bds {
                0 => format!("channel {}: {}", c.channel, c.user),
                bds => format!("channel {} with {bds} BDs: {}", c.channel, c.user),
            });
            list(&mut text, entries, shown);
        }
        self.switch(&mut text);
        text
    }

    fn memory(&self, text: &mut String, shown: usize) {
        let used = self.used_bytes();
        let _ = write!(text, "\n  memory   {used} of {} bytes", self.memory_bytes);
        let banks = self.banks();
        if banks.iter().any(|bytes| *bytes > 0) {
            let bytes: Vec<String> = banks.iter().map(u64::to_string).collect();
            let size = self.bank_bytes;
            let _ = write!(text, "; banks of {size}: {} used", bytes.join(", "));
        }
        if self.stack_bytes > 0 {
            let (bytes, last) = (self.stack_bytes, self.stack_bytes - 1);
            let place = format!("0x00000 to 0x{last:05x}  bank 0");
            let _ = write!(text, "\n    {place}  {bytes:>6} bytes  (stack)");
        }
        for BufferUse {
            name,
            bytes,
            address,
            bank,
        } in self.buffers.iter().take(shown)
        {
            let place = match address {
                Some(from) => {
                    let last = from + bytes.saturating_sub(1);
                    format!("0x{from:05x} to 0x{last:05x}")
                }
                None => format!("{:<18}", "no address yet"),
            };
            let bank = bank.map_or("      ".to_string(), |bank| format!("bank {bank}"));
            let _ = write!(text, "\n    {place}  {bank}  {bytes:>6} bytes  {name}");
        }
        if let Some(more) = self.buffers.len().checked_sub(shown).filter(|n| *n > 0) {
            let bytes: u64 = self.buffers.iter().skip(shown).map(|b| b.bytes).sum();
            let _ = write!(text, "\n    and {more} more of {bytes} bytes together");
        }
    }

    fn switch(&self, text: &mut String) {
        for (side, word) in [(PortSide::Master, "outputs"), (PortSide::Slave, "inputs")] {
            let ports = self.ports.iter().filter(|p| p.side == side);
            let entries: Vec<String> = ports
                .map(|p| format!("{} {} of {}", p.bundle.name(), p.used, p.of))
                .collect();
            if !entries.is_empty() {
                let _ = write!(text, "\n  {word:<8} {}", entries.join(", "));
            }
        }
        if self.slots.is_empty() && self.arbiters == 0 {
            return;
        }
        let slot = |s: &SlotUse| format!("{} {} of {}", s.port, s.used, self.max_slots);
        let slots: Vec<String> = self.slots.iter().map(slot).collect();
        let rules = if slots.is_empty() {
            String::new()
        } else {
            format!("rules: {}; ", slots.join(", "))
        };
        let (arbiters, max) = (self.arbiters, self.max_arbiters);
        let _ = write!(text, "\n  packets  {rules}arbiters: {arbiters} of {max}");
    }
}

/// Appends entries in brackets.
fn list(text: &mut String, entries: impl Iterator<Item = String>, shown: usize) {
    let entries: Vec<String> = entries.collect();
    if entries.is_empty() {
        return;
    }
    let (first, others) = entries.split_at(shown.min(entries.len()));
    let more = match others.len() {
        0 => String::new(),
        n => format!(", {n} more"),
    };
    let _ = write!(text, " ({}{more})", first.join(", "));
}
