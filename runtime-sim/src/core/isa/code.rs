//! Program memory, decoded and resolved bundle by bundle as execution comes to it.

use std::sync::Arc;

use aiec_core::{Bundle, CoreArch, CoreIsa, DecodeError, SweptPiece, arch_of_program};
use aiec_device::DeviceModel;

use super::later::CASCADE_PATH;
use super::op::{BusOp, Op, Write};
use super::registers::CASCADE_WORD;
use super::resolve::{InstructionPlace, resolve};
use super::scalar_bundles::{ScalarOp, ScalarSet, scalar_ops};

/// Bundles begin at even addresses.
const UNIT: u32 = 2;
/// Bundles that execute after a branch before it takes place.
pub(super) const DELAY_SLOTS: u8 = 5;

/// A bundle as the engine executes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct ResolvedBundle {
    /// Its operations in [`Code::ops`]: those on the bus first.
    pub first: u32,
    pub count: u8,
    /// Number of them on the bus.
    pub bus: u8,
    /// Bytes.
    pub length: u8,
    /// Whether it accesses data memory.
    pub accesses_memory: bool,
    /// Whether it does, or is on the bus.
    pub needs_care: bool,
    /// Whether it is of the scalar unit alone ([`ScalarBundle`]).
    pub is_scalar: bool,
}

/// A bundle of the scalar unit alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScalarBundle {
    /// Its operations in [`Code::scalar_ops`].
    first: u32,
    count: u8,
    /// Bytes.
    pub length: u8,
    /// Whether it accesses data memory.
    pub accesses_memory: bool,
    /// Its address.
    pc: u32,
    /// The registers that it writes.
    pub written: ScalarSet,
}

/// Why there is nothing to execute at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    /// The bundle's text, if it has one.
    pub text: Option<String>,
    pub reason: String,
}

/// A program in program memory.
#[derive(Clone, Debug)]
pub(super) struct Code {
    pub isa: &'static CoreIsa,
    bytes: Arc<[u8]>,
    /// For each pair of bytes the bundle that begins there plus 1; 0 for those not yet decoded.
    index: Vec<u32>,
    bundles: Vec<ResolvedBundle>,
    ops: Vec<Op>,
    /// The bundles of the scalar unit alone, by their number in `bundles`.
    scalar_bundles: Vec<Option<ScalarBundle>>,
    scalar_ops: Vec<ScalarOp>,
}

impl Code {
    pub fn new(arch: CoreArch, bytes: Arc<[u8]>) -> Code {
        Code {
            isa: CoreIsa::of(arch),
            index: vec![0; bytes.len().div_ceil(UNIT as usize)],
            bytes,
            bundles: Vec::new(),
            ops: Vec::new(),
            scalar_bundles: Vec::new(),
            scalar_ops: Vec::new(),
        }
    }

    /// The bundle at an address.
    #[inline]
    pub fn bundle(&mut self, pc: u32) -> Result<&ResolvedBundle, Refusal> {
        let known = self.index.get((pc / UNIT) as usize).copied().unwrap_or(0);
        if known == 0 || !pc.is_multiple_of(UNIT) {
            return self.decode(pc);
        }
        Ok(&self.bundles[known as usize - 1])
    }

    /// The number of the bundle at an address, if it was resolved and is of the scalar unit alone.
    #[inline(always)]
    fn scalar_bundle(&self, pc: u32) -> Option<usize> {
        let known = *self.index.get((pc / UNIT) as usize)?;
        let number = (known as usize).checked_sub(1)?;
        let is_there = matches!(self.scalar_bundles.get(number), Some(Some(_)));
        (is_there && pc.is_multiple_of(UNIT)).then_some(number)
    }

    /// The bundle at an address, if it was resolved and is of the scalar unit alone. It may be the one after `last`, the
    /// number of another one, and then is that.
    #[inline(always)]
    pub fn scalar_bundle_after(&self, last: &mut usize, pc: u32) -> Option<&ScalarBundle> {
        // Bundles have numbers in the order in which they were resolved, mostly that of the program.
        let next = last.wrapping_add(1);
        if let Some(Some(bundle)) = self.scalar_bundles.get(next)
            && bundle.pc == pc
        {
            *last = next;
            return Some(bundle);
        }
        *last = self.scalar_bundle(pc)?;
        self.scalar_bundles[*last].as_ref()
    }

    /// The operations of a bundle of the scalar unit, in the order in which they are executed.
    #[inline(always)]
    pub fn scalar_ops(&self, bundle: &ScalarBundle) -> &[ScalarOp] {
        let first = bundle.first as usize;
        let end = first + usize::from(bundle.count);
        self.scalar_ops.get(first..end).unwrap_or_default()
    }

    /// The operations of a bundle.
    #[inline]
    pub fn ops(&self, bundle: ResolvedBundle) -> &[Op] {
        let first = bundle.first as usize;
        &self.ops[first..first + usize::from(bundle.count)]
    }

    /// The bundle at an address, decoded.
    pub fn decoded(&self, pc: u32) -> Option<Bundle> {
        self.isa.decode(self.bytes.get(pc as usize..)?).ok()
    }

    /// The text of the bundle at an address.
    pub fn text(&self, pc: u32) -> Option<String> {
        Some(self.isa.bundle_text(&self.decoded(pc)?))
    }

    #[cold]
    fn decode(&mut self, pc: u32) -> Result<&ResolvedBundle, Refusal> {
        let refused = |text, reason| Err(Refusal { text, reason });
        let rest = match self.bytes.get(pc as usize..) {
            Some(rest) if pc.is_multiple_of(UNIT) => rest,
            Some(_) => return refused(None, "the address is odd".to_string()),
            None => return refused(None, "the address is beyond program memory".to_string()),
        };
        let bundle = match self.isa.decode(rest) {
            Ok(bundle) => bundle,
            Err(error) => return refused(None, self.undecoded(&error)),
        };
        let place = InstructionPlace {
            pc,
            return_to: self.after_delay_slots(pc),
        };
        let mut ops = Vec::new();
        for (slot, instruction) in &bundle.slots {
            match resolve(self.isa, instruction, place) {
                Ok(op) => {
                    let taken = op.and_then(|op| taken_word(&op));
                    ops.extend(taken.into_iter().chain(op).map(|op| (*slot, op)));
                }
                Err(reason) => return refused(Some(self.isa.bundle_text(&bundle)), reason),
            }
        }
        // Formats list their slots in different orders, which mustn't decide what a core does.
        ops.sort_by_key(|(slot, op)| (order(op), *slot));
        let ops: Vec<_> = ops.into_iter().map(|(_, op)| op).collect();
        let bus = ops.iter().filter(|op| matches!(op, Op::Bus(_))).count() as u8;
        let accesses_memory = ops.iter().any(Op::accesses_memory);
        let mut resolved = ResolvedBundle {
            first: self.ops.len() as u32,
            count: ops.len() as u8,
            bus,
            length: bundle.length,
            accesses_memory,
            needs_care: accesses_memory || bus > 0,
            is_scalar: false,
        };
        let scalar = scalar_ops(&ops).map(|(ops, written)| {
            resolved.is_scalar = true;
            let first = self.scalar_ops.len() as u32;
            let count = ops.len() as u8;
            self.scalar_ops.extend(ops);
            ScalarBundle {
                first,
                count,
                length: bundle.length,
                accesses_memory,
                pc,
                written,
            }
        });
        self.scalar_bundles.push(scalar);
        self.ops.extend(ops);
        self.bundles.push(resolved);
        let number = self.bundles.len();
        if let Some(entry) = self.index.get_mut((pc / UNIT) as usize) {
            *entry = number as u32;
        }
        Ok(&self.bundles[number - 1])
    }

    /// Why a bundle doesn't decode: possibly as the program is another architecture's.
    fn undecoded(&self, error: &DecodeError) -> String {
        let own = self.isa.arch;
        let Some(arch) = arch_of_program(&self.bytes).filter(|arch| *arch != own) else {
            return error.to_string();
        };
        let built_for = device_of(arch).map_or(String::new(), |device| {
            format!(
                "; it was built for {device}: give `--device {device}`, and instructions made for it"
            )
        });
        format!(
            "the program is machine code of {arch} cores, this core is {own}{built_for} ({error})"
        )
    }

    /// Bytes of the bundle at an address, 0 if there is none.
    pub fn length(&self, pc: u32) -> u32 {
        let first = self.bytes.get(pc as usize);
        let length = first.and_then(|first| self.isa.bundle_length(*first));
        length.map_or(0, u32::from)
    }

    /// The address after the bundle at `pc` and its delay slots.
    fn after_delay_slots(&self, pc: u32) -> Option<u32> {
        (0..=DELAY_SLOTS).try_fold(pc, |at, _| {
            let first = *self.bytes.get(at as usize)?;
            Some(at + u32::from(self.isa.bundle_length(first)?))
        })
    }

    /// The core's numbers of the locks that bundles release which follow one another from address
    /// 0 on, as far as they decode.
    pub fn released_locks(&self) -> Vec<u8> {
        let mut locks = Vec::new();
        for (_, piece) in self.isa.sweep(&self.bytes, 0) {
            let bundle = match piece {
                SweptPiece::Bundle(bundle) => bundle,
                SweptPiece::Fill(_) => continue,
                SweptPiece::Unknown(_) => break,
            };
            for (_, instruction) in &bundle.slots {
                if let Ok(Some(Op::Bus(BusOp::Lock {
                    acquire: false,
                    id: super::op::Source::Immediate(id),
                    ..
                }))) = resolve(self.isa, instruction, InstructionPlace::default())
                {
                    locks.push(id as u8);
                }
            }
        }
        locks.sort_unstable();
        locks.dedup();
        locks
    }
}

/// A device whose cores are of an architecture: an NPU if there is one.
fn device_of(arch: CoreArch) -> Option<&'static str> {
    let has = |model: &&DeviceModel| model.arch().to_string().eq_ignore_ascii_case(arch.name());
    let models = DeviceModel::all().filter(has);
    let device = models.min_by_key(|model| !model.name().starts_with("npu"));
    device.map(|model| model.name())
}

/// The operation that takes the cascade's word for another operation of its bundle.
fn taken_word(op: &Op) -> Option<Op> {
    let takes = match op {
        Op::Product(product) => product.cascade.is_some(),
        Op::ExpandCascade { .. } => true,
        _ => false,
    };
    let word = Write::new(CASCADE_WORD, 1, CASCADE_PATH);
    takes.then_some(Op::Bus(BusOp::CascadeGet(word)))
}

/// Operations on the bus come first, as they may have to wait before anything has happened.
fn order(op: &Op) -> bool {
    !matches!(op, Op::Bus(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use aiec_core::asm::assemble;
    use aiec_core::link::{LinkOptions, link};
    use aiec_diag::FileId;

    /// Message for code of one architecture in the program memory of another's core.
    fn refusal(own: CoreArch, arch: CoreArch, text: &str) -> String {
        let object = assemble(arch, "test", FileId::default(), text).unwrap();
        let options = LinkOptions {
            start_code: false,
            ..LinkOptions::default()
        };
        let mut bytes = link(&[object], &options).unwrap().code();
        bytes.resize(0x4000, 0);
        let mut code = Code::new(own, Arc::from(bytes));
        code.bundle(0).map(|_| ()).unwrap_err().reason
    }

    #[test]
    fn programs_of_other_architectures_are_told_apart() {
        let text = "movxm sp, #0x70000\nlda r0, [p0, #4]; add r1, r2, r3; mov r4, r5\nmul r6, r0, r1\n\
                    vldb wl0, [p1, #32]; vadd.32 x2, x0, x2\nacq #48, r0\ndone\n";
        let other = refusal(CoreArch::Aie2p, CoreArch::Aie2, text);
        assert!(
            other.starts_with(
                "the program is machine code of aie2 cores, this core is aie2p; it was built for \
                 npu1: give `--device npu1`"
            ),
            "{other}"
        );
        let text = text.replace("vldb wl0, [p1, #32]; vadd.32 x2, x0, x2\n", "");
        let other = refusal(CoreArch::Aie2, CoreArch::Aie2p, &text);
        assert!(other.contains("give `--device npu2`"), "{other}");
    }
}
