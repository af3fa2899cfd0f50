//! Built-in products of matrices that hand their sums along the cascade (mlir-aie:
//! aie_kernels/aie2/cascade_mm.cc): a row of cores shares the columns of A and the rows of B. Each
//! adds its part of an element to what its neighbour sends; the last one adds the sum to C.

use super::matrix::{MatrixProduct, product};
use super::number::{Done, Number};
use super::{CallOutcome, KernelArguments, KernelStep, Transfer, Unfinished};
use crate::core::bus::{CASCADE_WORDS, CoreFault};
use crate::core::cost::{kernel_call, kernel_part};

/// Where a core is in the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowPosition {
    /// It only sends.
    First,
    /// It takes and sends.
    Middle,
    /// It only takes, and has the result.
    Last,
}

/// A call, with the element of C that it is at.
#[derive(Clone, Debug)]
struct Row {
    place: RowPosition,
    product: MatrixProduct,
    element: u64,
    /// The sum of that element so far.
    sum: Number,
    /// It is at the sending of the element.
    sends: bool,
}

/// Begins `matmul_scalar_cascade_…(a, b, c)`.
pub(super) fn begin(call: &mut KernelArguments<'_, '_>, place: RowPosition) -> Done<KernelStep> {
    let row = Row {
        place,
        product: product(call)?,
        element: 0,
        sum: Number::Int(0),
        sends: false,
    };
    let mut step = Box::new(row).compute(call)?;
    step.cycles += kernel_call();
    Ok(step)
}

impl Row {
    /// Computes its own part of the element and asks for the next transfer.
    fn compute(mut self: Box<Self>, call: &mut KernelArguments<'_, '_>) -> Done<KernelStep> {
        let Some(sum) = self.product.sum(call, self.element)? else {
            return Ok(KernelStep::end(0, 0));
        };
        self.sum = sum;
        self.sends = self.place == RowPosition::First;
        let transfer = match self.place {
            RowPosition::First => Transfer::Put(lanes(self.sum)),
            RowPosition::Middle | RowPosition::Last => Transfer::Get,
        };
        Ok(KernelStep {
            cycles: kernel_part(self.product.terms()),
            then: CallOutcome::Transfer(transfer, self),
        })
    }

    /// Continues after a transfer.
    fn go_on(
        mut self: Box<Self>,
        call: &mut KernelArguments<'_, '_>,
        received: &[u32; CASCADE_WORDS],
    ) -> Done<KernelStep> {
        if !self.sends {
            let [word, ..] = *received;
            let taken = Number::Int((word as i32).into());
            self.sum = self.product.held(self.sum.add(taken));
            if self.place == RowPosition::Middle {
                self.sends = true;
                return Ok(KernelStep {
                    cycles: 0,
                    then: CallOutcome::Transfer(Transfer::Put(lanes(self.sum)), self),
                });
            }
            self.product.add_to_c(call, self.element, self.sum)?;
        }
        self.element += 1;
        self.compute(call)
    }
}

/// A sum in the lowest lane of a transfer, as a 32-bit integer, as the library hands it on (it cuts
/// floats there, too). What it has in the other lanes is undefined; here zeros.
fn lanes(sum: Number) -> [u32; CASCADE_WORDS] {
    let mut lanes = [0; CASCADE_WORDS];
    lanes[0] = sum.int() as i32 as u32;
    lanes
}

impl Unfinished for Row {
    fn copied(&self) -> Box<dyn Unfinished> {
        Box::new(self.clone())
    }

    fn resume(
        self: Box<Self>,
        arguments: &mut KernelArguments<'_, '_>,
        received: &[u32; CASCADE_WORDS],
    ) -> Result<KernelStep, CoreFault> {
        let signature = arguments.signature;
        self.go_on(arguments, received)
            .map_err(|failure| failure.fault(&signature.name))
    }
}
