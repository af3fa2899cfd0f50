//! Reads printed netlists line by line: tiles, flows, switchboxes and shim muxes. Everything else
//! is skipped.

use std::collections::BTreeMap;

/// Column and row.
pub type Tile = (u8, u8);

/// A port of a switch or of a tile.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Port {
    /// Bundle as it is spelled.
    pub bundle: String,
    /// Channel.
    pub channel: u8,
}

/// A port of a tile.
pub type Place = (Tile, Port);

/// A flow.
#[derive(Clone, Debug)]
pub struct Flow {
    /// The packet id; `None` for circuits.
    pub packet: Option<u8>,
    /// Where it starts.
    pub sources: Vec<Place>,
    /// Where it ends.
    pub sinks: Vec<Place>,
    /// `keep_pkt_header`, where given.
    pub keep_header: Option<bool>,
}

/// An output for packets.
#[derive(Clone, Debug, Default)]
pub struct Master {
    /// (arbiter, msel) that select it.
    pub amsels: Vec<(u8, u8)>,
    /// `keep_pkt_header`, where given.
    pub keep_header: Option<bool>,
}

/// A packet rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Compared bits.
    pub mask: u8,
    /// Their values.
    pub value: u8,
    /// Arbiter and msel that it selects.
    pub amsel: (u8, u8),
}

/// A switchbox.
#[derive(Clone, Debug, Default)]
pub struct Switch {
    /// Circuits, input and output.
    pub connects: Vec<(Port, Port)>,
    /// Packet outputs.
    pub masters: BTreeMap<Port, Master>,
    /// Packet inputs with their rules in order.
    pub rules: BTreeMap<Port, Vec<Rule>>,
}

impl Switch {
    /// The outputs that an amsel selects.
    pub fn outputs(&self, amsel: (u8, u8)) -> impl Iterator<Item = &Port> {
        let selected = move |(_, master): &(&Port, &Master)| master.amsels.contains(&amsel);
        self.masters.iter().filter(selected).map(|(port, _)| port)
    }
}

/// A device of a netlist.
#[derive(Clone, Debug, Default)]
pub struct Netlist {
    /// The device's name.
    pub device: String,
    /// Flows that are left.
    pub flows: Vec<Flow>,
    /// Switchboxes.
    pub switches: BTreeMap<Tile, Switch>,
    /// Shim muxes: source and destination.
    pub muxes: BTreeMap<Tile, Vec<(Port, Port)>>,
}

impl Netlist {
    /// Reads all devices of a text.
    pub fn read(text: &str) -> Result<Vec<Netlist>, String> {
        let mut reader = Reader::default();
        for line in text.lines() {
            let line = line.split("//").next().unwrap_or_default().trim();
            reader
                .line(line)
                .ok_or_else(|| format!("line \"{line}\" isn't understood"))?;
        }
        Ok(reader.devices)
    }

    /// Circuit connections and packet outputs of all switches.
    pub fn connections(&self) -> usize {
        let count = |switch: &Switch| switch.connects.len() + switch.masters.len();
        self.switches.values().map(count).sum()
    }
}

/// Operation that the following lines belong to.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Inside {
    #[default]
    Nothing,
    Switch(Tile),
    Mux(Tile),
}

#[derive(Default)]
struct Reader {
    devices: Vec<Netlist>,
    tiles: BTreeMap<String, Tile>,
    amsels: BTreeMap<String, (u8, u8)>,
    inside: Inside,
    /// The input whose rules are being read.
    rules_of: Option<Port>,
    in_flow: bool,
}

/// The text between two marks.
fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<&'a str> {
    let rest = &text[text.find(open)? + open.len()..];
    rest.get(..rest.find(close)?)
}

fn port(text: &str) -> Option<Port> {
    let (bundle, channel) = text.split_once(':')?;
    Some(Port {
        bundle: bundle.trim().to_string(),
        channel: channel.trim().parse().ok()?,
    })
}

fn keep_header(line: &str) -> Option<bool> {
    let rest = &line[line.find("keep_pkt_header = ")? + "keep_pkt_header = ".len()..];
    Some(rest.starts_with("true"))
}

impl Reader {
    fn line(&mut self, line: &str) -> Option<()> {
        let (name, op) = match line.split_once(" = aie.") {
            Some((name, op)) => (name, op),
            None => ("", line.strip_prefix("aie.").unwrap_or_default()),
        };
        if let Some(rest) = op.strip_prefix("device(") {
            self.tiles.clear();
            self.inside = Inside::Nothing;
            self.devices.push(Netlist {
                device: rest.split(')').next()?.to_string(),
                ..Netlist::default()
            });
        } else if op.starts_with("tile(") {
            let (col, row) = between(op, "(", ")")?.split_once(',')?;
            let tile = (col.trim().parse().ok()?, row.trim().parse().ok()?);
            self.tiles.insert(name.to_string(), tile);
        } else if op.starts_with("switchbox(") || op.starts_with("shim_mux(") {
            let tile = *self.tiles.get(between(op, "(", ")")?)?;
            let device = self.devices.last_mut()?;
            self.amsels.clear();
            self.inside = if op.starts_with("switchbox") {
                Inside::Switch(tile)
            } else {
                Inside::Mux(tile)
            };
            match self.inside {
                Inside::Mux(_) => _ = device.muxes.entry(tile).or_default(),
                _ => _ = device.switches.entry(tile).or_default(),
            }
        } else if op.starts_with("flow(") || op.starts_with("packet_flow(") {
            self.inside = Inside::Nothing;
            self.flow(op)?;
        } else if op.starts_with("packet_source<") || op.starts_with("packet_dest<") {
            let place = self.place(between(op, "<", ">")?)?;
            let flow = self.devices.last_mut()?.flows.last_mut()?;
            if op.starts_with("packet_source") {
                flow.sources.push(place)
            } else {
                flow.sinks.push(place)
            }
        } else if line.starts_with('}') && self.in_flow {
            self.in_flow = false;
            let flow = self.devices.last_mut()?.flows.last_mut()?;
            flow.keep_header = keep_header(line);
        } else if !op.is_empty() {
            self.setting(name, op)?;
        }
        Some(())
    }

    fn place(&self, text: &str) -> Option<Place> {
        let (tile, at) = text.split_once(',')?;
        Some((*self.tiles.get(tile.trim())?, port(at)?))
    }

    fn flow(&mut self, op: &str) -> Option<()> {
        let inner = between(op, "(", ")")?;
        let mut flow = Flow {
            packet: None,
            sources: Vec::new(),
            sinks: Vec::new(),
            keep_header: None,
        };
        if op.starts_with("packet_flow") {
            flow.packet = Some(inner.trim().parse().ok()?);
            self.in_flow = true;
        } else {
            let parts: Vec<&str> = inner.split(',').collect();
            let [from, from_port, to, to_port] = parts[..] else {
                return None;
            };
            flow.sources
                .push((*self.tiles.get(from.trim())?, port(from_port)?));
            flow.sinks
                .push((*self.tiles.get(to.trim())?, port(to_port)?));
        }
        self.devices.last_mut()?.flows.push(flow);
        Some(())
    }

    fn setting(&mut self, name: &str, op: &str) -> Option<()> {
        let device = self.devices.last_mut();
        let links = |op: &str| {
            let (from, to) = between(op, "<", ">")?.split_once(',')?;
            Some((port(from)?, port(to)?))
        };
        let tile = match self.inside {
            Inside::Nothing => return Some(()),
            Inside::Mux(tile) if op.starts_with("connect<") => {
                device?.muxes.entry(tile).or_default().push(links(op)?);
                return Some(());
            }
            Inside::Mux(_) => return Some(()),
            Inside::Switch(tile) => tile,
        };
        let switch = device?.switches.entry(tile).or_default();
        if op.starts_with("connect<") {
            switch.connects.push(links(op)?);
        } else if op.starts_with("amsel<") {
            let amsel = (
                between(op, "<", ">")?.trim().parse().ok()?,
                between(op, "(", ")")?.trim().parse().ok()?,
            );
            self.amsels.insert(name.to_string(), amsel);
        } else if op.starts_with("masterset(") {
            let mut parts = between(op, "(", ")")?.split(',');
            let to = port(parts.next()?)?;
            let amsels = parts.map(|value| self.amsels.get(value.trim()).copied());
            let master = Master {
                amsels: amsels.collect::<Option<_>>()?,
                keep_header: keep_header(op),
            };
            switch.masters.insert(to, master);
        } else if op.starts_with("packet_rules(") {
            let from = port(between(op, "(", ")")?)?;
            switch.rules.entry(from.clone()).or_default();
            self.rules_of = Some(from);
        } else if op.starts_with("rule(") {
            let parts: Vec<&str> = between(op, "(", ")")?.split(',').map(str::trim).collect();
            let [mask, value, amsel] = parts[..] else {
                return None;
            };
            let rule = Rule {
                mask: mask.parse().ok()?,
                value: value.parse().ok()?,
                amsel: *self.amsels.get(amsel)?,
            };
            switch.rules.get_mut(self.rules_of.as_ref()?)?.push(rule);
        } else {
            // Something outside the switchbox.
            self.inside = Inside::Nothing;
        }
        Some(())
    }
}
