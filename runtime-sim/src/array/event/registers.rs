//! The registers of the event units, and running the units.

use std::cmp::Reverse;

use aiec_device::Bundle;
use aiec_device::regmap::{BlockAccess, EventField, EventRegister, Module, Register};
use aiec_device::switch::PortSide;

use super::{LevelChange, TileEventUnits, UnitOutput};
use crate::array::Array;
use crate::array::actor::ActorId;
use crate::array::stream_switch::Route;
use crate::time::{Cycle, ticks};

impl Array {
    /// Takes a write to a register of an event unit. False if it has no effect here.
    pub(in crate::array) fn write_event_register(
        &mut self,
        tile: usize,
        (module, register): (Module, EventRegister),
        row: &Register,
        offset: u32,
        value: u32,
    ) -> bool {
        let now = self.now;
        let field = |name: &str| {
            let field = row.field(name);
            field.map_or(0, |field| field.get(value) as u8)
        };
        let map = self.device.register_map(self.grid.loc(tile));
        let maps = map.into_iter();
        let numbered = maps.flat_map(|map| map.event_fields_at(offset, value));
        let Some(at) = self.events.tiles[tile].unit(module) else {
            return false;
        };
        let events = &mut self.events.tiles[tile];
        let unit = &mut events.units[usize::from(at)];
        let mut listens = value != 0;
        match register {
            EventRegister::BroadcastBlock { side, access } => {
                let blocked = &mut unit.block[usize::from(side)];
                match access {
                    BlockAccess::Set => *blocked |= value as u16,
                    BlockAccess::Clear => *blocked &= !(value as u16),
                    BlockAccess::Value => return true,
                }
                listens = false;
            }
            EventRegister::Broadcast(channel) => {
                if let Some(event) = unit.broadcast.get_mut(usize::from(channel)) {
                    *event = field("Event");
                }
            }
            EventRegister::Status(word) => {
                unit.status.clear_word(word.into(), value);
                listens = false;
            }
            EventRegister::CounterEventValue(number) => {
                if let Some(counter) = unit.counters.get_mut(usize::from(number)) {
                    counter.event_value = value;
                }
            }
            EventRegister::CounterValue(number) => {
                unit.advance(now);
                if let Some(counter) = unit.counters.get_mut(usize::from(number)) {
                    counter.set(value, now);
                }
            }
            EventRegister::CounterControl => {
                unit.advance(now);
                for (what, event) in numbered {
                    unit.control_counter(what, event as u8, now);
                }
            }
            EventRegister::TimerControl => {
                unit.timer_reset = field("Reset_Event");
                if field("Reset") != 0 {
                    unit.timer_zero = now;
                }
            }
            EventRegister::TimerTriggerLow => {
                unit.timer_trigger = unit.timer_trigger >> 32 << 32 | u64::from(value);
            }
            EventRegister::TimerTriggerHigh => {
                unit.timer_trigger =
                    unit.timer_trigger & u64::from(u32::MAX) | u64::from(value) << 32;
            }
            EventRegister::ComboInputs => {
                unit.combo_inputs = ["eventA", "eventB", "eventC", "eventD"].map(field);
            }
            EventRegister::ComboControl => {
                unit.combo_functions = ["combo0", "combo1", "combo2"].map(field);
            }
            EventRegister::EdgeControl => {
                let edge = |number| {
                    let triggers =
                        |change| field(&format!("Edge_Detection_{number}_Trigger_{change}")) != 0;
                    let event = field(&format!("Edge_Detection_Event_{number}"));
                    (event, triggers("Rising"), triggers("Falling"))
                };
                unit.edges = [0, 1].map(edge);
            }
            EventRegister::CoreEnable => {
                unit.core_enable = field("Enable_Event");
                unit.core_disable = field("Disable_Event");
            }
            // Only event-time mode is modelled; other modes are reported.
            EventRegister::TraceControl if field("Mode") != 0 => return false,
            EventRegister::TraceControl => {
                unit.trace.start = field("Trace_Start_Event");
                unit.trace.stop = field("Trace_Stop_Event");
            }
            EventRegister::TracePacket => {
                unit.trace.packet_id = field("ID");
                unit.trace.packet_type = field("Packet_Type");
                listens = false;
            }
            EventRegister::TraceSlots => {
                for (what, event) in numbered {
                    if let EventField::TraceSlot(number) = what
                        && let Some(slot) = unit.trace.slots.get_mut(usize::from(number))
                    {
                        *slot = event as u8;
                    }
                }
                listens = false;
            }
            EventRegister::LockSelection(selector) => {
                if let Some(lock) = events.selected_locks.get_mut(usize::from(selector)) {
                    *lock = field("Lock_Select");
                }
                return true;
            }
            EventRegister::DmaChannelSelection => {
                let selected = ["S2MM_Sel0", "S2MM_Sel1", "MM2S_Sel0", "MM2S_Sel1"];
                events.selected_channels = selected.map(|sel| field(&format!("{sel}_Channel")));
                return true;
            }
            EventRegister::PortSelection => {
                let numbered: Vec<(EventField, u32)> = numbered.collect();
                for &(what, index) in &numbered {
                    let EventField::SelectedPort(selector) = what else {
                        continue;
                    };
                    let master = (EventField::SelectsMaster(selector), 0);
                    let side = if numbered.contains(&master) {
                        PortSide::Slave
                    } else {
                        PortSide::Master
                    };
                    self.watch_port(tile, selector, side, index as usize);
                }
                return true;
            }
            EventRegister::TimerLow | EventRegister::TimerHigh | EventRegister::TraceStatus => {
                return false;
            }
        }
        self.shadow[tile].insert(offset, value);
        if listens {
            self.listen(tile, at);
        }
        true
    }

    /// Changes of the tile's events are taken in the order of time from now on.
    fn listen(&mut self, tile: usize, at: u8) {
        let now = self.now;
        let events = &mut self.events.tiles[tile];
        if !events.listening {
            events.listening = true;
            for unit in &mut events.units {
                unit.advance(now);
            }
        }
        let unit = &events.units[usize::from(at)];
        let trigger = unit.timer_trigger;
        let zero = now.saturating_sub(unit.timer(now));
        let reached = (trigger != u64::MAX).then(|| zero.saturating_add(trigger));
        self.run_unit_at(tile, at, now);
        if let Some(reached) = reached.filter(|reached| *reached > now) {
            self.run_unit_at(tile, at, reached);
        }
    }

    /// Runs a unit at a cycle, whether or not an event comes then.
    fn run_unit_at(&mut self, tile: usize, unit: u8, at: Cycle) {
        let events = &mut self.events.tiles[tile];
        events.queue(&mut self.net.fabric.sched, at, (unit, 0, LevelChange::Fall));
    }

    /// Reads a register of an event unit; `None` if it keeps what was written.
    pub(in crate::array) fn read_event_register(
        &mut self,
        tile: usize,
        module: Module,
        register: EventRegister,
    ) -> Option<u32> {
        let now = self.now;
        let events = &mut self.events.tiles[tile];
        let at = events.unit(module)?;
        let unit = &mut events.units[usize::from(at)];
        match register {
            EventRegister::TimerLow => Some(unit.timer(now) as u32),
            EventRegister::TimerHigh => Some((unit.timer(now) >> 32) as u32),
            EventRegister::TraceStatus => {
                /// State "running" of Trace_Status, bits 9:8.
                const RUNNING: u32 = 1 << 8;
                Some(if unit.trace.running { RUNNING } else { 0 })
            }
            EventRegister::Status(word) => Some(unit.status.word(word.into())),
            EventRegister::CounterValue(number) => {
                unit.advance(now);
                let counter = unit.counters.get(usize::from(number));
                counter.map(super::counter::Counter::value)
            }
            EventRegister::BroadcastBlock {
                side,
                access: BlockAccess::Value,
            } => Some(unit.block[usize::from(side)].into()),
            _ => None,
        }
    }

    /// Takes the changes that are due in a tile, and sends trace words.
    pub(in crate::array) fn run_events(&mut self, tile: usize) {
        let now = self.now;
        let loc = self.grid.loc(tile);
        loop {
            let TileEventUnits { units, pending, .. } = &mut self.events.tiles[tile];
            let Some(Reverse(first)) = pending.peek().filter(|p| p.0.at <= now).copied() else {
                break;
            };
            let mut changes = Vec::new();
            while let Some(Reverse(next)) = pending.peek()
                && (next.at, next.unit) == (first.at, first.unit)
            {
                changes.extend(pending.pop().map(|next| next.0));
            }
            let Some(unit) = units.get_mut(usize::from(first.unit)) else {
                continue;
            };
            for output in unit.take(first.at, &changes, loc) {
                match output {
                    UnitOutput::At(at) => self.run_unit_at(tile, first.unit, at),
                    UnitOutput::Broadcast(channel) => {
                        self.broadcast(tile, first.unit, channel, first.at);
                    }
                    UnitOutput::Core(on) => self.switch_core(tile, on),
                }
            }
        }
        self.send_traces(tile);
    }

    /// Puts trace words into the switch as far as they fit.
    fn send_traces(&mut self, tile: usize) {
        let me = ActorId::event_units(self.grid.loc(tile));
        for channel in 0..self.events.tiles[tile].units.len() {
            let slave = self.net.switches[tile].slave(Bundle::Trace, channel as u8);
            let Some(start) = slave.map(|slave| slave.pipe) else {
                continue;
            };
            while let Some(&(word, last)) = self.events.tiles[tile].units[channel].trace.out.front()
            {
                let end = self.net.route(start, &mut Route::default());
                let Some(entry) = self.net.fabric.entry(end) else {
                    self.net.fabric.sleep_for_space(end, me);
                    break;
                };
                let tick = entry.max(ticks(self.now));
                let fabric = &mut self.net.fabric;
                fabric.push(end, me, tick, word, last);
                let position = fabric.pipe(end).pushed - 1;
                if let Some(stamps) = &mut fabric.stamps {
                    stamps.enter(end.0 as usize, position, None);
                }
                self.events.tiles[tile].units[channel].trace.out.pop_front();
            }
        }
    }
}
