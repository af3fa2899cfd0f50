//! Findings about operations of a sequence that can't be lowered.

use aiec_aie::ir::Op;
use aiec_aie::ops::OpKind;
use aiec_diag::{Diag, MlirAieReport, Reported, Severity};

use super::codes::*;
use super::scalars;
use super::values::KnownValue;
use super::{Lowering, LoweringResult};
use crate::analysis::transfer::BdError;

impl Lowering<'_> {
    /// Refuses what mlir-aie lowers: a warning where one of its passes runs by name.
    pub(super) fn refuse_in_designs(&mut self, op: Op, mut diag: Diag) -> LoweringResult {
        if !self.by_name {
            return self.refuse(op, diag);
        }
        diag.severity = Severity::Warning;
        self.diags.push(diag.label(self.module.span(op), "here"));
        Ok(())
    }

    /// Reports a finding about an operation, once.
    pub(super) fn refuse<T>(&mut self, op: Op, mut diag: Diag) -> LoweringResult<T> {
        if self.reported.insert(op) {
            if diag.span().is_none() {
                diag = diag.label(self.module.span(op), "here");
            }
            // So that no wait is refused because of a transfer that was.
            if !matches!(
                self.module.kind(op),
                OpKind::NpuDmaWait | OpKind::DmaAwaitTask | OpKind::NpuSync
            ) {
                self.tokens.leave_open();
            }
            let not_constant = diag.code == &NOT_CONSTANT;
            if not_constant && self.reads_word(op) {
                diag = diag.help(
                    "it comes from a word that is read from the array: controllers add constants \
                     to such a word, and write it into a buffer, a lock, the length or a stride of \
                     a transfer, or a queue as the number of a BD",
                );
            }
            if let Some(index) = self.scalar_behind(op).filter(|_| not_constant) {
                diag = diag.help(format!(
                    "it comes from argument {index} of the sequence, a number, which no loader \
                     hands to control code: compile for one value with `--scalar {index}=VALUE`, \
                     pass a buffer, or let the host write the transaction (npu1, npu2: \
                     `--emit=sequence-cpp`, `sequence-python`)"
                ));
            }
            self.diags.push(diag);
        }
        Err(Reported)
    }

    /// Whether a number of an operation is a word that is read from the array.
    fn reads_word(&self, op: Op) -> bool {
        let operands = self.module.operands(op);
        let mut known = operands.map(|value| self.values.get(self.module, value));
        known.any(|known| matches!(known, Some(KnownValue::Read(_))))
    }

    /// The scalar argument of the sequence that a number of an operation is computed from.
    fn scalar_behind(&self, op: Op) -> Option<u32> {
        let m = self.module;
        let operands = m.walk(op).flat_map(|op| m.operands(op));
        let mut unknown = operands.filter(|value| self.values.get(m, *value).is_none());
        unknown.find_map(|value| scalars::behind(m, value))
    }

    pub(super) fn bd_error<T>(&mut self, op: Op, mut bd_error: BdError) -> LoweringResult<T> {
        let mlir_aie = bd_error.in_mlir_aie.take();
        let code = if bd_error.is_unknown {
            &NOT_CONSTANT
        } else {
            &BAD_TRANSFER
        };
        let mut diag = bd_error.diag(code, self.module.span(op));
        if let Some(text) = mlir_aie {
            diag = diag.mlir_aie(MlirAieReport::op(self.module.op_name(op), text));
        }
        self.refuse(op, diag)
    }
}
