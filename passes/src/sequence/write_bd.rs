//! `aiex.npu.writebd`: a BD field by field, in the units of the registers.

use aiec_aie::ir::Op;
use aiec_device::TileKind;
use aiec_device::regmap::{BdFields, RegisterRef};

use super::{Lowering, LoweringResult, SEQUENCE_AX_CACHE};
use crate::analysis::transfer::{BdError, WORD_BYTES, set_burst};
use crate::regops::RegAction;

impl Lowering<'_> {
    pub(super) fn write_bd(&mut self, op: Op) -> LoweringResult {
        let module = self.module;
        let number = |key: &str| module.int_attr(op, key).unwrap_or(0);
        let tile = self.tile_at(number("column"), number("row"), op)?;
        let kind = self.kind(tile, op)?;
        let id = number("bd_id");
        // no tile has 256 of them: the register map refuses the last number
        let bd = u8::try_from(id).unwrap_or(u8::MAX);
        let what = RegisterRef::BdWord { bd, word: 0 };
        let address = self.address(tile, what, op, &format!("buffer descriptor {id}"))?;
        let Some(dma) = self.model.tile(tile).and_then(|t| t.dma.as_ref()) else {
            return Ok(());
        };
        let fields = read(&number, kind).and_then(|mut fields| {
            set_burst(&mut fields, dma, number("burst_length")).map_err(|bd_error| {
                if kind.is_shim() {
                    bd_error
                } else {
                    bd_error.in_mlir_aie("Only ShimTiles support burst length.")
                }
            })?;
            if kind.is_shim() {
                fields.ax_cache = SEQUENCE_AX_CACHE;
            }
            Ok(fields)
        });
        let words = self.bd_words(op, kind, fields)?;
        self.emit_action(op, RegAction::Block { address, words });
        Ok(())
    }
}

/// The fields; the operation holds steps, iteration size and step as the registers do, minus 1. The
/// offset is in bytes for shim and core tiles, in words for mem tiles, as the reference has it
/// (`mlir-aie: lib/Dialect/AIEX/Transforms/AIEDmaToNpu.cpp`); core tiles drop the part below a
/// word.
fn read(number: &dyn Fn(&str) -> i64, kind: TileKind) -> Result<BdFields, BdError> {
    fn cast<T: TryFrom<i64>>(value: i64, key: &str) -> Result<T, BdError> {
        T::try_from(value).map_err(|_| {
            BdError::new(
                format!("`{key}` of {value} is out of range"),
                "choose a value that its register field can hold",
            )
        })
    }
    let word = |key: &str| cast::<u32>(number(key), key);
    let byte = |key: &str| cast::<u8>(number(key), key);
    // Lock values have seven bits; both the signed value and the bits as they are may be written.
    let signed = |key: &str| match number(key) {
        bits @ 64..=127 => cast::<i8>(bits - 128, key),
        value => cast::<i8>(value, key),
    };
    let flag = |key: &str| match number(key) {
        bit @ 0..=1 => Ok(bit != 0),
        value => Err(BdError::new(
            format!("`{key}` of {value} is out of range"),
            "it is 0 or 1",
        )),
    };
    let offset = u64::from(word("buffer_offset")?);
    let base_address = match kind {
        TileKind::Mem => offset * WORD_BYTES,
        TileKind::Core => offset & !(WORD_BYTES - 1),
        _ => offset,
    };
    Ok(BdFields {
        valid: flag("valid_bd")?,
        base_address,
        length: word("buffer_length")?,
        steps: [
            word("d0_stride")?.saturating_add(1),
            word("d1_stride")?.saturating_add(1),
            word("d2_stride")?.saturating_add(1),
            1,
        ],
        wraps: [
            word("d0_size")?,
            word("d1_size")?,
            // The last dimension of a shim or core BD ends with the length.
            if kind == TileKind::Mem {
                word("d2_size")?
            } else {
                0
            },
        ],
        iteration_step: word("iteration_stride")?.saturating_add(1),
        iteration_count: word("iteration_size")?.saturating_add(1),
        iteration_current: word("iteration_current")?,
        packet_enable: flag("enable_packet")?,
        packet_id: byte("packet_id")?,
        packet_type: byte("packet_type")?,
        out_of_order_id: byte("out_of_order_id")?,
        use_next: flag("use_next_bd")?,
        next_bd: byte("next_bd")?,
        lock_acq_enable: flag("lock_acq_enable")?,
        lock_acq_id: byte("lock_acq_id")?,
        lock_acq_value: signed("lock_acq_val")?,
        lock_rel_id: byte("lock_rel_id")?,
        lock_rel_value: signed("lock_rel_val")?,
        pad_before: [
            word("d0_zero_before")?,
            word("d1_zero_before")?,
            word("d2_zero_before")?,
        ],
        pad_after: [
            word("d0_zero_after")?,
            word("d1_zero_after")?,
            word("d2_zero_after")?,
        ],
        ..BdFields::default()
    })
}
