//! Tasks and BD chains of runtime sequences whose channel is named by an endpoint: `aiex.dma_configure_task_for @end`.
//! Those of shim tiles get the allocation that the endpoint becomes, by its name; others get tile, direction and
//! number of the channel (`mlir-aie: lib/Dialect/AIE/Transforms/AIEObjectFifoAllocate.cpp`).

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::{DmaConfigureTaskFor, DmaStartBdChainFor, OpKind, OpView};
use aiec_device::Bundle;

use super::allocate::{Allocated, direction};
use super::pieces::{DevicePieces, EndTask, RouteEnd};
use super::read::Reader;
use crate::infra::pass::PassContext;
use crate::sequence::allocated_channel::{AllocatedChannel, place_chain, place_task};

impl Reader<'_> {
    /// Finds them and checks that their endpoint is a DMA channel of a route.
    pub(super) fn tasks(&mut self, device: Op) {
        let m = self.module;
        let kinds = [OpKind::DmaConfigureTaskFor, OpKind::DmaStartBdChainFor];
        for op in m.find_each(device, kinds).concat() {
            let name = m.symbol_attr(op, "alloc").unwrap_or_default().to_string();
            // The lowering of sequences looks up an unknown name.
            let Some(end) = self.foreign_end(op, &name) else {
                continue;
            };
            let foreign = &self.pieces.foreign[end];
            if foreign.bundle != Bundle::Dma {
                let message = format!("`@{name}` isn't an end of a DMA");
                self.bad(
                    op,
                    message,
                    "name an aie.route_endpoint with the bundle DMA",
                );
                continue;
            }
            let ends = self.pieces.ways.iter().flat_map(|way| way.ends());
            let source = ends
                .filter(|(other, _)| *other == RouteEnd::Foreign(end))
                .map(|(_, source)| source)
                .next();
            match source {
                None => {
                    let message = format!("`@{name}` is in no route, so its direction isn't known");
                    self.bad(op, message, "add an aie.route from or to it");
                }
                Some(source) if !foreign.tile.kind.is_shim() => {
                    self.pieces.tasks.push(EndTask { op, end, source });
                }
                Some(_) => {}
            }
        }
    }
}

/// Gives tasks and chains the channels of their endpoints.
pub(super) fn place(
    module: &mut Module,
    pieces: &DevicePieces,
    allocated: &Allocated,
    context: &PassContext<'_>,
) {
    for EndTask { op, end, source } in &pieces.tasks {
        let Some(number) = allocated.foreign.get(*end).copied().flatten() else {
            // Reported where channels are chosen.
            continue;
        };
        let channel = AllocatedChannel {
            tile: pieces.foreign[*end].tile.handle,
            direction: direction(*source),
            number: number.into(),
            packet: allocated.headers.get(end).copied(),
        };
        let loc = module.derived_loc(context.pass, *op);
        if let Some(task) = DmaConfigureTaskFor::cast(module, *op) {
            place_task(module, task, &channel, loc);
        } else if let Some(chain) = DmaStartBdChainFor::cast(module, *op) {
            place_chain(module, chain, &channel, loc);
        }
    }
}
