//! The registers of the event units, and running the units.

use std::cmp::Reverse;

use aiec_device::regmap::Module;
use aiec_device::switch::PortSide;
use aiec_device::{Bundle, Port};

use super::{Change, Output, Pending, TileEvents};
use crate::array::Array;
use crate::array::sched::{CompId, Part};
use crate::array::stream_switch::Route;
use crate::time::{Cycle, ticks};

/// The number in a register's or field's name: its index for `{}`, else the first digits.
fn number_in(name: &str, index: u16) -> usize {
    if name.contains("{}") {
        return index.into();
    }
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = digits.find(|c: char| !c.is_ascii_digit());
    digits[..end.unwrap_or(digits.len())].parse().unwrap_or(0)
}

/// Sides in the names of the block registers, in the order of `broadcast::From`.
const SIDES: [&str; 4] = ["South", "West", "North", "East"];

impl Array {
    /// Takes a write to a register of an event unit. False if it is none.
    pub(in crate::array) fn write_event_register(
        &mut self,
        tile: usize,
        (module, name, index): (Module, &'static str, u16),
        offset: u32,
        value: u32,
    ) -> bool {
        let now = self.now;
        let fields = self.device.register_map(self.grid.loc(tile));
        let fields = fields.map_or_else(Vec::new, |map| map.fields_at(offset, value));
        let field = |wanted: &str| {
            let found = fields.iter().find(|(name, _)| *name == wanted);
            found.map_or(0, |(_, value)| *value as u8)
        };
        let Some(at) = self.events.tiles[tile].unit(module) else {
            return false;
        };
        let unit = &mut self.events.tiles[tile].units[usize::from(at)];
        let mut listens = value != 0;
        if name.starts_with("Event_Broadcast") && name.contains("_B_") {
            return false;
        } else if name.starts_with("Event_Broadcast") && name.contains("Block") {
            let Some(side) = SIDES.iter().position(|side| name.contains(side)) else {
                return false;
            };
            let bits = value as u16;
            if name.ends_with("_Set") {
                unit.block[side] |= bits;
            } else if name.ends_with("_Clr") {
                unit.block[side] &= !bits;
            } else {
                return true;
            }
            listens = false;
        } else if name.starts_with("Event_Broadcast") {
            if let Some(event) = unit.broadcast.get_mut(usize::from(index)) {
                *event = field("Event");
            }
        } else if name.starts_with("Event_Status") {
            unit.status.clear_word(number_in(name, index), value);
            listens = false;
        } else if name.starts_with("Performance_C") && name.ends_with("_Event_Value") {
            if let Some(counter) = unit.counters.get_mut(number_in(name, index)) {
                counter.event_value = value;
            }
        } else if name.starts_with("Performance_Counter") {
            unit.advance(now);
            if let Some(counter) = unit.counters.get_mut(number_in(name, index)) {
                counter.set(value, now);
            }
        } else if name.starts_with("Performance_C") {
            unit.advance(now);
            for (name, event) in &fields {
                let Some(counter) = unit.counters.get_mut(number_in(name, 0)) else {
                    continue;
                };
                let event = *event as u8;
                if name.ends_with("Start_Event") {
                    counter.start = event;
                } else if name.ends_with("Stop_Event") {
                    counter.stop = event;
                } else {
                    counter.reset = event;
                }
                let value = counter.value();
                counter.set(value, now);
            }
        } else {
            match name {
                "Timer_Control" => {
                    unit.timer_reset = field("Reset_Event");
                    if field("Reset") != 0 {
                        unit.reset_timer(now);
                    }
                }
                "Timer_Trig_Event_Low_Value" => {
                    unit.timer_trigger = unit.timer_trigger >> 32 << 32 | u64::from(value);
                }
                "Timer_Trig_Event_High_Value" => {
                    unit.timer_trigger =
                        unit.timer_trigger & u64::from(u32::MAX) | u64::from(value) << 32;
                }
                "Combo_event_inputs" => {
                    unit.combo_inputs = ["eventA", "eventB", "eventC", "eventD"].map(field);
                }
                "Combo_event_control" => {
                    unit.combo_functions = ["combo0", "combo1", "combo2"].map(field);
                }
                "Edge_Detection_event_control" => {
                    unit.edges = [
                        (
                            field("Edge_Detection_Event_0"),
                            field("Edge_Detection_0_Trigger_Rising") != 0,
                            field("Edge_Detection_0_Trigger_Falling") != 0,
                        ),
                        (
                            field("Edge_Detection_Event_1"),
                            field("Edge_Detection_1_Trigger_Rising") != 0,
                            field("Edge_Detection_1_Trigger_Falling") != 0,
                        ),
                    ];
                }
                "Enable_Events" => {
                    unit.core_enable = field("Enable_Event");
                    unit.core_disable = field("Disable_Event");
                }
                // Only event-time mode is modelled; other modes are named.
                "Trace_Control0" if field("Mode") != 0 => return false,
                "Trace_Control0" => {
                    unit.trace.start = field("Trace_Start_Event");
                    unit.trace.stop = field("Trace_Stop_Event");
                }
                "Trace_Control1" => {
                    unit.trace.packet_id = field("ID");
                    unit.trace.packet_type = field("Packet_Type");
                    listens = false;
                }
                "Trace_Event0" | "Trace_Event1" => {
                    for (name, event) in &fields {
                        if let Some(slot) = unit.trace.slots.get_mut(number_in(name, 0)) {
                            *slot = *event as u8;
                        }
                    }
                    listens = false;
                }
                "Locks_Event_Selection_{}" => {
                    let lock = field("Lock_Select");
                    let selected = &mut self.events.tiles[tile].selected_locks;
                    if let Some(place) = selected.get_mut(usize::from(index)) {
                        *place = lock;
                    }
                    return true;
                }
                "DMA_Event_Channel_Selection" => {
                    self.events.tiles[tile].selected_channels = [
                        field("S2MM_Sel0_Channel"),
                        field("S2MM_Sel1_Channel"),
                        field("MM2S_Sel0_Channel"),
                        field("MM2S_Sel1_Channel"),
                    ];
                    return true;
                }
                "Stream_Switch_Event_Port_Selection_0" | "Stream_Switch_Event_Port_Selection_1" => {
                    for (name, index) in &fields {
                        if !name.ends_with("_ID") {
                            continue;
                        }
                        let port = number_in(name, 0) as u8;
                        let side = match field(&format!("Port_{port}_Master_Slave")) {
                            0 => PortSide::Slave,
                            _ => PortSide::Master,
                        };
                        self.watch_port(tile, port, side, *index as usize);
                    }
                    return true;
                }
                _ => return false,
            }
        }
        self.plain[tile].insert(offset, value);
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
        self.look_at(tile, at, now);
        if let Some(reached) = reached.filter(|reached| *reached > now) {
            self.look_at(tile, at, reached);
        }
    }

    /// Runs a unit at a cycle, whether or not an event comes then.
    fn look_at(&mut self, tile: usize, unit: u8, at: Cycle) {
        let pending = Pending {
            at,
            unit,
            event: 0,
            change: Change::Fall,
        };
        self.events.tiles[tile].pending.push(Reverse(pending));
        let me = CompId::new(tile, Part::Events);
        self.net.fabric.sched.schedule(at, me);
    }

    /// Reads a register of an event unit; `None` if it is none, or holds what was written.
    pub(in crate::array) fn read_event_register(
        &mut self,
        tile: usize,
        (module, name, index): (Module, &'static str, u16),
    ) -> Option<u32> {
        let now = self.now;
        let events = &mut self.events.tiles[tile];
        let at = events.unit(module)?;
        let unit = &mut events.units[usize::from(at)];
        let number = number_in(name, index);
        match name {
            "Timer_Low" => Some(unit.timer(now) as u32),
            "Timer_High" => Some((unit.timer(now) >> 32) as u32),
            "Trace_Status" => {
                /// State "running" of Trace_Status, bits 9:8.
                const RUNNING: u32 = 1 << 8;
                Some(if unit.trace.running { RUNNING } else { 0 })
            }
            _ if name.starts_with("Event_Status") => Some(unit.status.word(number)),
            _ if name.starts_with("Performance_Counter") && !name.ends_with("Value") => {
                unit.advance(now);
                unit.counters
                    .get(number)
                    .map(super::counter::Counter::value)
            }
            _ if name.contains("Block") && name.ends_with("_Value") => {
                let side = SIDES.iter().position(|side| name.contains(side))?;
                Some(unit.block[side].into())
            }
            _ => None,
        }
    }

    /// Takes the changes that are due in a tile, and sends trace words.
    pub(in crate::array) fn run_events(&mut self, tile: usize) {
        let now = self.now;
        let loc = self.grid.loc(tile);
        loop {
            let TileEvents { units, pending, .. } = &mut self.events.tiles[tile];
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
                    Output::Broadcast(channel) => {
                        self.broadcast(tile, first.unit, channel, first.at);
                    }
                    Output::Core(on) => self.switch_core(tile, on),
                    Output::At(at) => self.look_at(tile, first.unit, at),
                }
            }
        }
        self.send_traces(tile);
    }

    /// Puts trace words into the switch as far as there is room.
    fn send_traces(&mut self, tile: usize) {
        let me = CompId::new(tile, Part::Events);
        for channel in 0..self.events.tiles[tile].units.len() {
            let slave = Port::new(Bundle::Trace, channel as u8);
            let slaves = &self.net.switches[tile].slaves;
            let Some(start) = slaves.iter().find(|s| s.port == slave).map(|s| s.pipe) else {
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
                self.net.fabric.push(end, me, tick, word, last);
                self.events.tiles[tile].units[channel].trace.out.pop_front();
            }
        }
    }
}
