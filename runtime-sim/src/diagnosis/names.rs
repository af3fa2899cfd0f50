//! Names and source lines of instructions and actors.

use aiec_cert::debug::{DebugInfo, Direction, FifoUseMark, Resource, ResourceKind};
use aiec_cert::program::SourceLoc;
use aiec_device::{DmaDir, LockId, TileLoc};

use crate::array::{ActorId, ActorKind, Array, CorePosition, CorePrint, Fault, FaultKind};
use crate::cert::InstructionSite;
use crate::core::MACHINE_CODE;

/// Source line of an instruction.
pub fn source_of(site: InstructionSite, debug: Option<&DebugInfo>) -> Option<String> {
    let debug = debug?;
    let lines = &debug.page(site.uc, site.page)?.lines;
    let line = lines.iter().find(|line| line.at == site.offset)?;
    debug.show(line.source)
}

/// Names of the channel or core that a fault of the array concerns.
pub fn concerned(fault: &Fault, array: &Array, debug: Option<&DebugInfo>) -> Vec<String> {
    let names = DebugNames { debug };
    if let FaultKind::Core { tile, .. } = fault.kind
        && let Some(line) = names.core_line(array, tile)
        && let Some(source) = names.show(Some(line.source))
    {
        return vec![format!("in {line}, {source}")];
    }
    let found = match fault.kind {
        FaultKind::Dma { channel, .. } | FaultKind::TaskQueueOverflow { channel, .. } => {
            names.of_actor(ActorId::channel(channel))
        }
        FaultKind::LockRange { lock, .. } => names.lock(lock),
        FaultKind::Core { tile, .. } | FaultKind::NoKernels { tile, .. } => {
            names.of_actor(ActorId::core(tile))
        }
        FaultKind::ControlPacket { .. } | FaultKind::Internal(_) => None,
    };
    let describe = |resource: &Resource| {
        let sort = match resource.kind {
            ResourceKind::Buffer { .. } => "buffer",
            ResourceKind::Lock { .. } => "lock",
            ResourceKind::Channel { .. } => "channel",
            ResourceKind::Core => "core",
        };
        match names.show(resource.source) {
            Some(source) => format!("{sort} '{}', {source}", resource.name),
            None => format!("{sort} '{}'", resource.name),
        }
    };
    found.map(describe).into_iter().collect()
}

/// A value that a core showed: tile, cycle, line and value.
pub fn describe_print(print: &CorePrint, debug: Option<&DebugInfo>) -> String {
    let position = CorePosition {
        checksum: print.checksum,
        at: print.instruction,
        calls: Vec::new(),
    };
    let line = debug.and_then(|debug| CoreLine::of(debug, print.tile, &position));
    let source = line.and_then(|line| debug?.show(line.source));
    let source = source.map_or(String::new(), |source| format!(", {source}"));
    let CorePrint { tile, at, text, .. } = print;
    format!("core {tile}, cycle {at}{source}: {text}")
}

/// An operation of a core's body, found by an instruction.
pub(crate) struct CoreLine {
    /// Where it is.
    pub source: SourceLoc,
    /// Its name.
    pub operation: String,
    /// The acquire or release that it was.
    pub fifo_use: Option<FifoUseMark>,
}

impl CoreLine {
    /// The operation that a core has come to.
    pub fn of(debug: &DebugInfo, tile: TileLoc, position: &CorePosition) -> Option<CoreLine> {
        let marks = debug.program((tile.col, tile.row), position.checksum)?;
        let mark = marks.operation(position.at)?;
        Some(CoreLine {
            source: mark.source,
            operation: mark.name.clone(),
            fifo_use: marks.fifo_use(position.at).cloned(),
        })
    }
}

impl std::fmt::Display for CoreLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.fifo_use {
            Some(used) => write!(f, "{used}"),
            None => write!(f, "`{}`", self.operation),
        }
    }
}

/// Look-up of names and lines.
pub(crate) struct DebugNames<'a> {
    pub debug: Option<&'a DebugInfo>,
}

impl<'a> DebugNames<'a> {
    pub fn resource(
        &self,
        tile: TileLoc,
        test: impl Fn(ResourceKind) -> bool,
    ) -> Option<&'a Resource> {
        let here = |r: &&Resource| (r.column, r.row) == (tile.col, tile.row) && test(r.kind);
        self.debug?.resources.iter().find(here)
    }

    pub fn lock(&self, lock: LockId) -> Option<&'a Resource> {
        self.resource(lock.tile, |kind| {
            kind == ResourceKind::Lock { id: lock.index }
        })
    }

    pub fn of_actor(&self, actor: ActorId) -> Option<&'a Resource> {
        match actor.kind() {
            ActorKind::Core => self.resource(actor.tile(), |kind| kind == ResourceKind::Core),
            ActorKind::Channel(id) => {
                let direction = match id.dir {
                    DmaDir::S2mm => Direction::S2mm,
                    DmaDir::Mm2s => Direction::Mm2s,
                };
                let channel = id.index;
                self.resource(id.tile, |kind| {
                    kind == ResourceKind::Channel { direction, channel }
                })
            }
            _ => None,
        }
    }

    /// An actor with its name in the source, unless that says the same.
    pub fn with_name(&self, actor: ActorId) -> String {
        let words = actor.to_string();
        let name = self.of_actor(actor).map(|resource| resource.name.as_str());
        match name.filter(|name| !name.is_empty() && *name != words) {
            Some(name) => format!("{words} '{name}'"),
            None => words,
        }
    }

    /// The next operation of the core of a tile.
    pub fn core_line(&self, array: &Array, tile: TileLoc) -> Option<CoreLine> {
        CoreLine::of(self.debug?, tile, &array.core_position(tile)?)
    }

    /// Where a core is in its machine code: function and source line, or the address; `None` for
    /// other programs.
    pub fn machine_code_place(&self, array: &Array, tile: TileLoc) -> Option<String> {
        let position = array.core_position(tile)?;
        if position.checksum != MACHINE_CODE {
            return None;
        }
        let line = self
            .debug
            .and_then(|debug| CoreLine::of(debug, tile, &position));
        let named =
            line.and_then(|line| Some(format!("{line}, {}", self.show(Some(line.source))?)));
        Some(named.unwrap_or_else(|| format!("machine code at {:#x}", position.at)))
    }

    pub fn show(&self, loc: Option<SourceLoc>) -> Option<String> {
        self.debug?.show(loc?)
    }
}
