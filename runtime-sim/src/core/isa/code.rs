//! Program memory, decoded and resolved bundle by bundle as execution comes to it.

use std::rc::Rc;

use aiec_core::{CoreArch, CoreIsa};

use super::op::{BusOp, Op};
use super::resolve::resolve;

/// Bundles begin at even addresses.
const UNIT: u32 = 2;
/// Bundles that execute after a branch before it takes place.
pub(super) const DELAY_SLOTS: u8 = 5;

/// A bundle as the engine executes it.
#[derive(Clone, Debug)]
pub(super) struct ResolvedBundle {
    /// Its operations in [`Code::ops`]: those on the bus first, those that read late last.
    pub first: u32,
    pub count: u8,
    /// How many of them are on the bus.
    pub bus: u8,
    /// Bytes.
    pub length: u8,
    /// Whether it accesses data memory.
    pub accesses_memory: bool,
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
    bytes: Rc<[u8]>,
    /// For each pair of bytes the bundle that begins there plus 1; 0 for those not yet decoded.
    index: Vec<u32>,
    bundles: Vec<ResolvedBundle>,
    ops: Vec<Op>,
}

impl Code {
    pub fn new(arch: CoreArch, bytes: Rc<[u8]>) -> Code {
        Code {
            isa: CoreIsa::of(arch),
            index: vec![0; bytes.len().div_ceil(UNIT as usize)],
            bytes,
            bundles: Vec::new(),
            ops: Vec::new(),
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

    /// The operations of a bundle.
    #[inline]
    pub fn ops(&self, bundle: &ResolvedBundle) -> &[Op] {
        let first = bundle.first as usize;
        &self.ops[first..first + usize::from(bundle.count)]
    }

    /// The text of the bundle at an address.
    pub fn text(&self, pc: u32) -> Option<String> {
        let bundle = self.isa.decode(self.bytes.get(pc as usize..)?).ok()?;
        Some(self.isa.bundle_text(&bundle))
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
            Err(error) => return refused(None, error.to_string()),
        };
        let return_to = self.after_delay_slots(pc);
        let mut ops = Vec::new();
        for (_, instruction) in &bundle.slots {
            match resolve(self.isa, instruction, return_to) {
                Ok(op) => ops.extend(op),
                Err(reason) => return refused(Some(self.isa.bundle_text(&bundle)), reason),
            }
        }
        ops.sort_by_key(order);
        let resolved = ResolvedBundle {
            first: self.ops.len() as u32,
            count: ops.len() as u8,
            bus: ops.iter().filter(|op| matches!(op, Op::Bus(_))).count() as u8,
            length: bundle.length,
            accesses_memory: ops
                .iter()
                .any(|op| matches!(op, Op::Load { .. } | Op::Store { .. } | Op::LookUp { .. })),
        };
        self.ops.extend(ops);
        self.bundles.push(resolved);
        let number = self.bundles.len();
        if let Some(entry) = self.index.get_mut((pc / UNIT) as usize) {
            *entry = number as u32;
        }
        Ok(&self.bundles[number - 1])
    }

    /// Bytes of the bundle at an address, 0 if there is none.
    pub fn length(&self, pc: u32) -> u32 {
        let first = self.bytes.get(pc as usize);
        let length = first.and_then(|first| self.isa.bundle_length(*first));
        length.map_or(0, u32::from)
    }

    /// The address behind the bundle at `pc` and its delay slots.
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
        let mut at = 0;
        while let Some(rest) = self.bytes.get(at..)
            && let Ok(bundle) = self.isa.decode(rest)
        {
            for (_, instruction) in &bundle.slots {
                if let Ok(Some(Op::Bus(BusOp::Lock {
                    acquire: false,
                    id: super::op::Source::Immediate(id),
                    ..
                }))) = resolve(self.isa, instruction, None)
                {
                    locks.push(id as u8);
                }
            }
            at += usize::from(bundle.length);
        }
        locks.sort_unstable();
        locks.dedup();
        locks
    }
}

/// Operations on the bus come first, as they may have to wait before anything has happened; those
/// that read late come last, as they see what the same bundle writes early.
fn order(op: &Op) -> u8 {
    match op {
        Op::Bus(_) => 0,
        Op::Product(_) => 2,
        _ => 1,
    }
}
