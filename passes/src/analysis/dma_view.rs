//! Memory and locks as the DMA of a tile sees them: addresses of buffers and numbers of locks from its side.

use aiec_aie::ir::{Module, Op, Value};
use aiec_aie::ops::enums::LockAction;
use aiec_aie::ops::netlist::BdSlot;
use aiec_aie::ops::{Buffer, OpView, UseLock};
use aiec_device::regmap::BdFields;
use aiec_device::{DeviceModel, TileKind, TileLoc};
use aiec_diag::{Code, Diag, Span};

use crate::analysis::budget::name_of;
use crate::analysis::transfer::Ints;

/// Operands of a lock that can be negated (7 bits of two's complement, AM025 DMA_BD*).
const LOCK_VALUES: std::ops::RangeInclusive<i8> = -63..=63;

/// Why a DMA can't use a buffer or a lock, and the way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewProblem {
    message: String,
    help: String,
}

impl ViewProblem {
    /// A problem.
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> ViewProblem {
        ViewProblem {
            message: message.into(),
            help: help.into(),
        }
    }

    /// The finding at a place.
    pub fn diag(self, code: &'static Code, span: Option<Span>) -> Diag {
        Diag::error(code, self.message)
            .label(span, "used here")
            .help(self.help)
    }
}

/// A buffer in a tile's data memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalBuffer {
    /// The tile that holds it.
    pub tile: TileLoc,
    /// Its first byte in that tile.
    pub address: u32,
    /// The buffer.
    pub op: Op,
}

impl LocalBuffer {
    /// The buffer of a memref.
    pub fn of(module: &Module, memref: Value) -> Result<LocalBuffer, ViewProblem> {
        let Some(buffer) = Buffer::of(module, memref) else {
            return Err(ViewProblem::new(
                "this isn't a buffer of a tile",
                "DMA programs transfer buffers (`aie.buffer`, `aie.external_buffer`)",
            ));
        };
        let tile = buffer.tile_loc(module);
        let address = buffer.address(module).and_then(|a| u32::try_from(a).ok());
        match (tile, address) {
            (Some(tile), Some(address)) => Ok(LocalBuffer {
                tile,
                address,
                op: buffer.op(),
            }),
            _ => Err(ViewProblem::new(
                format!("buffer `{}` has no address", name_of(module, buffer.op())),
                "run `aie-assign-buffer-addresses`, or write its address",
            )),
        }
    }
}

/// The DMA of a tile, for one of its channels.
#[derive(Clone, Copy, Debug)]
pub struct DmaView {
    /// The device.
    pub model: &'static DeviceModel,
    /// The tile.
    pub loc: TileLoc,
    /// Its kind; `None` off the grid.
    pub kind: Option<TileKind>,
    /// The channel.
    pub channel: u8,
}

impl DmaView {
    /// The view of a channel.
    pub fn new(model: &'static DeviceModel, loc: TileLoc, channel: u8) -> DmaView {
        DmaView {
            model,
            loc,
            kind: model.tile_kind(loc),
            channel,
        }
    }

    /// First byte and first lock of another tile's memory in this DMA's numbering.
    fn window(&self, owner: TileLoc) -> Option<(u32, u8)> {
        if self.kind != Some(TileKind::Mem) {
            return (owner == self.loc).then_some((0, 0));
        }
        let reach = self.model.tile(self.loc)?.dma.as_ref()?.neighbour_channels;
        let window = self.model.mem_tile_window(self.loc, owner)?;
        let near = owner == self.loc || self.channel < reach;
        near.then_some((window.base, window.lock_base))
    }

    /// First byte of a buffer as the BD names it.
    pub fn local_address(&self, module: &Module, buffer: LocalBuffer) -> Result<i64, ViewProblem> {
        match self.window(buffer.tile) {
            Some((base, _)) if self.kind.is_some_and(|kind| !kind.is_shim()) => {
                Ok(i64::from(base) + i64::from(buffer.address))
            }
            _ => {
                let name = name_of(module, buffer.op);
                Err(self.unreachable(&format!("buffer `{name}`"), buffer.tile))
            }
        }
    }

    fn unreachable(&self, what: &str, owner: TileLoc) -> ViewProblem {
        ViewProblem::new(
            format!(
                "channel {} of the DMA of tile {} can't reach {what} of tile {owner}",
                self.channel, self.loc
            ),
            "use one of the same tile; channels 0 to 3 of a mem tile also reach the mem tiles to \
             its left and right",
        )
    }

    /// Sets the lock fields of a BD.
    ///
    /// # Errors
    /// The `aie.use_lock` that can't be done, and why.
    pub fn set_locks(
        &self,
        module: &Module,
        slot: &BdSlot,
        ints: &Ints<'_>,
        fields: &mut BdFields,
    ) -> Result<(), (Op, ViewProblem)> {
        let number = |used: UseLock| {
            let lock = self.lock(module, used, ints);
            lock.map_err(|problem| (used.op(), problem))
        };
        if let Some(acquire) = slot.acquire {
            let (id, value) = number(acquire)?;
            fields.lock_acq_enable = acquire.acq_en(module).unwrap_or(true);
            fields.lock_acq_id = id;
            // Greater-equal is stored negated.
            fields.lock_acq_value = match acquire.action(module) {
                LockAction::AcquireGreaterEqual => -value,
                _ => value,
            };
        }
        if let Some(release) = slot.release {
            (fields.lock_rel_id, fields.lock_rel_value) = number(release)?;
        }
        Ok(())
    }

    /// Number of a lock in this DMA's numbering, and the operand.
    fn lock(
        &self,
        module: &Module,
        used: UseLock,
        ints: &Ints<'_>,
    ) -> Result<(u8, i8), ViewProblem> {
        let lock = used.lock_op(module);
        let place = lock.and_then(|lock| Some((lock, lock.tile_loc(module)?)));
        let Some((lock, owner)) = place else {
            return Err(ViewProblem::new("this isn't a lock", "name an `aie.lock`"));
        };
        let name = || name_of(module, lock.op());
        let Some(id) = lock.lockID(module).and_then(|id| u8::try_from(id).ok()) else {
            return Err(ViewProblem::new(
                format!("lock `{}` has no usable number", name()),
                "run `aie-assign-lock-ids`, or write its number",
            ));
        };
        let Some((_, base)) = self.window(owner) else {
            return Err(self.unreachable(&format!("lock `{}`", name()), owner));
        };
        let value = used.value(module).and_then(ints);
        let operand = value.and_then(|value| i8::try_from(value).ok());
        let Some(operand) = operand.filter(|value| LOCK_VALUES.contains(value)) else {
            return Err(ViewProblem::new(
                match value {
                    Some(value) => format!("a lock value of {value} is out of range"),
                    None => "the value of this lock operation isn't constant".to_string(),
                },
                "buffer descriptors hold constant lock values from -63 to 63",
            ));
        };
        Ok((id.saturating_add(base), operand))
    }
}
