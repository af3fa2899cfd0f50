//! Variables of a run: registers, object fifos with their objects, locks, BDs, buffers and arguments.

use std::collections::BTreeSet;

use aiec_cert::debug::{Resource, ResourceKind};
use aiec_device::regmap::BdFields;
use aiec_device::{LockId, TileLoc};
use aiec_sim::LiveRun;
use aiec_sim::array::WaitReason;
use aiec_sim::cert::Vm;
use serde_json::{Value, json};

use crate::DebuggedProgram;
use crate::elements::{ArrayBytes, TypedArray};
use crate::session::DebugSession;
use crate::threads::{self, FrameOwner, JobPlace, channel_of, resources, tile_of};

/// A group of variables.
#[derive(Clone, Debug, PartialEq)]
pub enum VariableGroup {
    /// The registers of a job and of its controller.
    JobRegisters(JobPlace),
    /// The registers of a core that executes machine code.
    CoreRegisters(TileLoc),
    /// All tiles with anything in them.
    Tiles,
    /// A tile.
    Tile(TileLoc),
    /// The locks of a tile.
    Locks(TileLoc),
    /// The BDs of a tile.
    Bds(TileLoc),
    /// The fields of a BD.
    Bd(TileLoc, u8),
    /// The buffers of a tile.
    Buffers(TileLoc),
    /// The object fifos.
    Fifos,
    /// An object fifo by its symbol.
    Fifo(String),
    /// The arguments of the runtime sequence.
    Arguments,
    /// An array.
    Array(TypedArray),
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its value, or a summary.
    pub value: String,
    /// Its type, if it has one.
    pub ty: Option<String>,
    /// The variables in it.
    pub group: Option<VariableGroup>,
    /// The expression that gives it.
    pub expression: Option<String>,
    /// The place, of those of `--break`, at which a run stops when it changes.
    pub place: Option<String>,
}

impl Variable {
    /// A value without parts.
    pub fn plain(name: impl Into<String>, value: impl Into<String>) -> Variable {
        Variable {
            name: name.into(),
            value: value.into(),
            ty: None,
            group: None,
            expression: None,
            place: None,
        }
    }

    fn group(name: impl Into<String>, value: impl Into<String>, group: VariableGroup) -> Variable {
        Variable {
            group: Some(group),
            ..Variable::plain(name, value)
        }
    }
}

/// A view of a run and of what its program says.
#[derive(Clone, Copy)]
pub struct RunView<'s> {
    run: &'s LiveRun,
    program: &'s dyn DebuggedProgram,
}

impl<'s> RunView<'s> {
    /// Of a session as it is now.
    pub fn of(session: &'s DebugSession) -> RunView<'s> {
        RunView {
            run: session.run(),
            program: session.program(),
        }
    }

    /// The scopes of a frame.
    pub fn scopes(self, owner: &FrameOwner) -> Vec<(&'static str, VariableGroup)> {
        let mut scopes = Vec::new();
        let tile = match owner {
            FrameOwner::Job(job) => {
                scopes.push(("Registers", VariableGroup::JobRegisters(job.clone())));
                None
            }
            FrameOwner::Core(tile) => {
                if !self.run.array().core_register_values(*tile).is_empty() {
                    scopes.push(("Registers", VariableGroup::CoreRegisters(*tile)));
                }
                Some(*tile)
            }
            FrameOwner::Channel(channel) => Some(channel.tile),
            FrameOwner::Clock | FrameOwner::Firmware => None,
        };
        if let Some(tile) = tile {
            let of_tile = [
                ("Buffers", VariableGroup::Buffers(tile)),
                ("Locks", VariableGroup::Locks(tile)),
                ("BDs", VariableGroup::Bds(tile)),
            ];
            let filled = of_tile
                .into_iter()
                .filter(|(_, group)| !self.list(group).is_empty());
            scopes.extend(filled);
        }
        if !self.fifo_names().is_empty() {
            scopes.push(("Object fifos", VariableGroup::Fifos));
        }
        if self.run.arguments().next().is_some() {
            scopes.push(("Arguments", VariableGroup::Arguments));
        }
        scopes.push(("Tiles", VariableGroup::Tiles));
        scopes
    }

    /// The variables of a group, from one on.
    pub fn variables(self, group: &VariableGroup, start: usize, count: usize) -> Vec<Variable> {
        if let VariableGroup::Array(array) = group {
            let parts = array.parts(start as u64, count as u64, self.run, self.program);
            let parts = parts.into_iter().map(|part| Variable {
                ty: part.array.as_ref().and_then(TypedArray::type_name),
                group: part.array.map(VariableGroup::Array),
                place: part.place,
                ..Variable::plain(part.name, part.value)
            });
            return parts.collect();
        }
        self.list(group)
            .into_iter()
            .skip(start)
            .take(count)
            .collect()
    }

    fn list(self, group: &VariableGroup) -> Vec<Variable> {
        match group {
            VariableGroup::JobRegisters(job) => self.job_registers(job),
            VariableGroup::CoreRegisters(tile) => {
                let values = self.run.array().core_register_values(*tile).into_iter();
                values
                    .map(|(name, value)| Variable::plain(name, value))
                    .collect()
            }
            VariableGroup::Tiles => self.tiles(),
            VariableGroup::Tile(tile) => self.tile(*tile),
            VariableGroup::Locks(tile) => self.locks(*tile),
            VariableGroup::Bds(tile) => self.bds(*tile),
            VariableGroup::Bd(tile, bd) => self.bd(*tile, *bd),
            VariableGroup::Buffers(tile) => self.buffers(*tile),
            VariableGroup::Fifos => {
                let names = self.fifo_names().into_iter();
                names.map(|name| self.fifo(name)).collect()
            }
            VariableGroup::Fifo(name) => self.fifo_parts(name),
            VariableGroup::Arguments => {
                let all = self.run.arguments();
                all.map(|index| self.argument(index)).collect()
            }
            VariableGroup::Array(_) => Vec::new(),
        }
    }

    fn job_registers(self, place: &JobPlace) -> Vec<Variable> {
        let value = |value: &u32| format!("{value:#010x} ({value})");
        let private = threads::job(self.run, place).map_or(&[][..], |job| &job.regs[..]);
        let actor = aiec_sim::array::ActorId::controller(place.id.uc);
        let shared = threads::controller(self.run, actor).map_or(&[][..], Vm::shared_registers);
        let named = |sort: &'static str, registers: &[u32]| -> Vec<Variable> {
            let numbered = registers.iter().enumerate();
            numbered
                .map(|(number, word)| Variable::plain(format!("${sort}{number}"), value(word)))
                .collect()
        };
        let mut all = named("r", private);
        all.extend(named("g", shared));
        all
    }

    fn tiles(self) -> Vec<Variable> {
        let stats = self.run.array().view().stats();
        let named = resources(self.run).iter().map(tile_of);
        let ran = stats.channels.iter().map(|channel| channel.channel.tile);
        let cores = stats.cores.iter().map(|core| core.tile);
        let tiles: BTreeSet<TileLoc> = named.chain(ran).chain(cores).collect();
        let tiles = tiles.into_iter();
        tiles
            .map(|tile| Variable::group(tile.to_string(), "", VariableGroup::Tile(tile)))
            .collect()
    }

    fn tile(self, tile: TileLoc) -> Vec<Variable> {
        let groups = [
            ("Buffers", VariableGroup::Buffers(tile)),
            ("Locks", VariableGroup::Locks(tile)),
            ("BDs", VariableGroup::Bds(tile)),
            ("Registers of the core", VariableGroup::CoreRegisters(tile)),
        ];
        let groups = groups.into_iter().filter_map(|(name, group)| {
            let count = self.list(&group).len();
            (count > 0).then(|| Variable::group(name, count.to_string(), group))
        });
        groups.collect()
    }

    fn resource(self, tile: TileLoc, is: impl Fn(&Resource) -> bool) -> Option<&'s Resource> {
        let mut all = resources(self.run).iter();
        all.find(|resource| tile_of(resource) == tile && is(resource))
    }

    /// The locks of a tile that have a name, a value, or a history.
    fn locks(self, tile: TileLoc) -> Vec<Variable> {
        let array = self.run.array();
        let all = (0..=u8::MAX).map(|index| LockId::new(tile, index));
        let all = all.map_while(|lock| Some((lock, array.lock_value(lock)?)));
        let used = all.filter(|(lock, value)| {
            let is_named = self.lock_resource(*lock).is_some();
            is_named || *value != 0 || array.lock_change(*lock).is_some()
        });
        used.map(|(lock, _)| self.lock(lock)).collect()
    }

    fn lock_resource(self, lock: LockId) -> Option<&'s Resource> {
        let kind = ResourceKind::Lock { id: lock.index };
        self.resource(lock.tile, |resource| resource.kind == kind)
    }

    /// A lock: its value, its last change, who waits.
    fn lock(self, lock: LockId) -> Variable {
        let array = self.run.array();
        let value = array.lock_value(lock).unwrap_or(0);
        let change = array.lock_change(lock);
        let change = change.map_or("never changed".to_string(), |change| change.to_string());
        let waits = array.view().waits().into_iter();
        let waits = waits.filter_map(|wait| match wait.reason {
            WaitReason::Lock { lock: id, .. } if id == lock => {
                Some(format!("; {} waits since cycle {}", wait.who, wait.since))
            }
            _ => None,
        });
        let waits: String = waits.collect();
        let LockId { tile, index } = lock;
        let name = self
            .lock_resource(lock)
            .map(|resource| resource.name.clone());
        let place = format!("lock:({},{}):{index}", tile.col, tile.row);
        Variable {
            expression: Some(name.clone().unwrap_or_else(|| place.clone())),
            place: Some(place),
            ..Variable::plain(
                name.unwrap_or_else(|| format!("lock {index}")),
                format!("{value}, {change}{waits}"),
            )
        }
    }

    fn bds(self, tile: TileLoc) -> Vec<Variable> {
        let all = self.run.array().view().descriptors(tile).into_iter();
        let variable = |(bd, fields): (u8, BdFields)| Variable {
            place: Some(format!("bd:({},{}):{bd}", tile.col, tile.row)),
            ..Variable::group(
                format!("BD {bd}"),
                bd_summary(&fields),
                VariableGroup::Bd(tile, bd),
            )
        };
        all.map(variable).collect()
    }

    fn bd(self, tile: TileLoc, bd: u8) -> Vec<Variable> {
        let all = self.run.array().view().descriptors(tile);
        let Some((_, fields)) = all.into_iter().find(|(number, _)| *number == bd) else {
            return Vec::new();
        };
        let list = |numbers: &[u32]| {
            let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
            format!("[{}]", numbers.join(", "))
        };
        let acquire = if fields.lock_acq_enable {
            let (id, value) = (fields.lock_acq_id, fields.lock_acq_value);
            if value < 0 {
                format!(
                    "lock {id} of the DMA's window, at least {}",
                    -i16::from(value)
                )
            } else {
                format!("lock {id} of the DMA's window, equal to {value}")
            }
        } else {
            "none".to_string()
        };
        let release = match fields.lock_rel_value {
            0 => "none".to_string(),
            value => format!(
                "lock {} of the DMA's window, by {value}",
                fields.lock_rel_id
            ),
        };
        let packet = if fields.packet_enable {
            format!("id {}, type {}", fields.packet_id, fields.packet_type)
        } else {
            "none".to_string()
        };
        let next = if fields.use_next {
            format!("BD {}", fields.next_bd)
        } else {
            "none".to_string()
        };
        let iteration = (fields.iteration_current, fields.iteration_count);
        vec![
            Variable::plain("valid", fields.valid.to_string()),
            Variable::plain("address", format!("{:#x}", fields.base_address)),
            Variable::plain("words", fields.length.to_string()),
            Variable::plain("steps", list(&fields.steps)),
            Variable::plain("wraps", list(&fields.wraps)),
            Variable::plain("padding before", list(&fields.pad_before)),
            Variable::plain("padding after", list(&fields.pad_after)),
            Variable::plain(
                "iteration",
                format!(
                    "{} of {}, by {} words",
                    iteration.0, iteration.1, fields.iteration_step
                ),
            ),
            Variable::plain("acquires", acquire),
            Variable::plain("releases", release),
            Variable::plain("packet", packet),
            Variable::plain("next", next),
        ]
    }

    fn buffers(self, tile: TileLoc) -> Vec<Variable> {
        let all = resources(self.run).iter();
        let here = all.filter(|resource| tile_of(resource) == tile);
        here.filter_map(|resource| self.buffer(resource)).collect()
    }

    fn buffer(self, resource: &Resource) -> Option<Variable> {
        let array = TypedArray::of_buffer(resource, self.program)?;
        Some(self.array(&resource.name, array))
    }

    /// An array with its name.
    pub fn array(self, name: &str, array: TypedArray) -> Variable {
        Variable {
            ty: array.type_name(),
            expression: Some(name.to_string()),
            place: array.whole_place(self.program),
            ..Variable::group(
                name,
                array.summary(self.run, self.program),
                VariableGroup::Array(array),
            )
        }
    }

    fn argument(self, index: u32) -> Variable {
        let declared = self.run.debug().map_or(&[][..], |debug| &debug.arguments);
        let declared = declared.iter().find(|argument| argument.index == index);
        let name = match declared {
            Some(argument) if !argument.name.is_empty() => argument.name.clone(),
            _ => format!("arg:{index}"),
        };
        let bytes = self.run.argument(index).unwrap_or_default().len() as u64;
        let ty = declared.and_then(|argument| argument.ty.clone());
        let array = TypedArray::new(ArrayBytes::Argument(index), ty, bytes, self.program);
        self.array(&name, array)
    }

    /// Symbols of the object fifos, in the order of their parts.
    fn fifo_names(self) -> Vec<&'s str> {
        let mut seen = BTreeSet::new();
        let parts = resources(self.run).iter();
        let names = parts.filter_map(|part| Some(part.fifo.as_ref()?.fifo.as_str()));
        names.filter(|name| seen.insert(*name)).collect()
    }

    fn parts_of(self, name: &str) -> impl Iterator<Item = &'s Resource> {
        let parts = resources(self.run).iter();
        parts.filter(move |part| part.fifo.as_ref().is_some_and(|fifo| fifo.fifo == name))
    }

    /// An object fifo: how many objects are filled at each of its ends.
    fn fifo(self, name: &str) -> Variable {
        let ends = self.parts_of(name).filter_map(|part| {
            let fifo = part.fifo.as_ref()?;
            let ResourceKind::Lock { id } = part.kind else {
                return None;
            };
            part.counts_filled_objects()?;
            let tile = tile_of(part);
            let filled = self.run.array().lock_value(LockId::new(tile, id))?;
            Some(format!("{filled} of {} filled in tile {tile}", fifo.depth))
        });
        let ends: Vec<String> = ends.collect();
        let group = VariableGroup::Fifo(name.to_string());
        Variable {
            expression: Some(format!("@{name}")),
            ..Variable::group(format!("@{name}"), ends.join("; "), group)
        }
    }

    /// The locks, objects and channels of a fifo.
    fn fifo_parts(self, name: &str) -> Vec<Variable> {
        let variable = |part: &Resource| match part.kind {
            ResourceKind::Buffer { .. } => self.buffer(part),
            ResourceKind::Lock { id } => Some(self.lock(LockId::new(tile_of(part), id))),
            ResourceKind::Channel { .. } => {
                let channel = channel_of(part)?;
                let progress = self.run.array().view().channel_progress(channel)?;
                let value = format!("{} tasks done, {} words", progress.tasks, progress.words);
                Some(Variable {
                    place: Some(format!(
                        "dma:({},{}):{}:{}",
                        channel.tile.col,
                        channel.tile.row,
                        channel.dir.name().to_ascii_lowercase(),
                        channel.index
                    )),
                    ..Variable::plain(channel.to_string(), value)
                })
            }
            ResourceKind::Core => None,
        };
        self.parts_of(name).filter_map(variable).collect()
    }

    /// The value of an expression: `cycle`, a name of the design, or an element of an array.
    ///
    /// # Errors
    /// The name or index doesn't exist: why, and what to do.
    pub fn evaluate(self, expression: &str) -> Result<Variable, String> {
        let text = expression.trim();
        if text == "cycle" {
            return Ok(Variable::plain(text, self.run.cycle().to_string()));
        }
        let (name, indices) = split_indices(text)?;
        let name = name.trim_start_matches(['@', '%']);
        if let Some(variable) = self.named(name) {
            let (true, group) = (!indices.is_empty(), &variable.group) else {
                return Ok(variable);
            };
            let Some(VariableGroup::Array(array)) = group else {
                return Err(format!("{name} is no array"));
            };
            let part = array.at(&indices, self.run, self.program)?;
            return Ok(Variable {
                ty: part.array.as_ref().and_then(TypedArray::type_name),
                group: part.array.map(VariableGroup::Array),
                place: part.place,
                expression: Some(text.to_string()),
                ..Variable::plain(text, part.value)
            });
        }
        let known = resources(self.run)
            .iter()
            .map(|resource| resource.name.as_str());
        let known = known.chain(self.fifo_names());
        Err(match aiec_diag::did_you_mean(name, known) {
            Some(near) => format!("nothing is called '{name}'; did you mean '{near}'?"),
            None => format!(
                "nothing is called '{name}'; write cycle, the name of a buffer, lock, fifo or argument, \
                 or a place of --dump"
            ),
        })
    }

    /// A thing of the design by its name.
    fn named(self, name: &str) -> Option<Variable> {
        let mut parts = resources(self.run).iter().filter(|part| part.name == name);
        let found = parts.find_map(|part| match part.kind {
            ResourceKind::Buffer { .. } => self.buffer(part),
            ResourceKind::Lock { id } => Some(self.lock(LockId::new(tile_of(part), id))),
            _ => None,
        });
        let fifo = || {
            let is_fifo = self.fifo_names().contains(&name);
            is_fifo.then(|| self.fifo(name))
        };
        let argument = || {
            let declared = self.run.debug()?.arguments.iter();
            let mut named = declared.filter(|argument| argument.name == name);
            Some(self.argument(named.next()?.index))
        };
        found.or_else(fifo).or_else(argument)
    }
}

fn bd_summary(fields: &BdFields) -> String {
    let mut text = format!("{} words at {:#x}", fields.length, fields.base_address);
    if fields.use_next {
        text += &format!(", then BD {}", fields.next_bd);
    }
    text
}

/// `name[1][2]` or `name[1, 2]` as name and indices.
fn split_indices(text: &str) -> Result<(&str, Vec<u64>), String> {
    let Some((name, rest)) = text.split_once('[') else {
        return Ok((text, Vec::new()));
    };
    let no_index = || format!("'[{rest}' is no index: write numbers, such as {name}[0]");
    let inside = rest.strip_suffix(']').ok_or_else(no_index)?;
    let indices = inside.split(['[', ']', ',']).map(str::trim);
    let indices = indices.filter(|index| !index.is_empty());
    let indices: Option<Vec<u64>> = indices.map(|index| index.parse().ok()).collect();
    let indices = indices.filter(|indices| !indices.is_empty());
    Ok((name, indices.ok_or_else(no_index)?))
}

impl Variable {
    /// As the protocol has it; `reference` numbers what it contains.
    pub fn to_json(&self, reference: usize) -> Value {
        let mut value = json!({
            "name": self.name,
            "value": self.value,
            "variablesReference": reference,
        });
        if let Some(ty) = &self.ty {
            value["type"] = json!(ty);
        }
        if let Some(expression) = &self.expression {
            value["evaluateName"] = json!(expression);
        }
        if let Some(VariableGroup::Array(array)) = &self.group {
            value["indexedVariables"] = json!(array.extent());
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_read_as_people_write_them() {
        for text in ["a[1][2]", "a[1, 2]", "a[ 1 ][ 2 ]"] {
            assert_eq!(split_indices(text), Ok(("a", vec![1, 2])), "{text}");
        }
        assert_eq!(split_indices("a"), Ok(("a", Vec::new())));
        for text in ["a[", "a[]", "a[x]", "a[1", "a[-1]"] {
            assert!(split_indices(text).is_err(), "{text}");
        }
    }
}
