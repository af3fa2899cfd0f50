//! Channels of written DMA programs that are named by an endpoint: `aie.dma_start(S2MM, @end, …)`.

use aiec_aie::ir::Op;
use aiec_aie::ops::{DmaStart, OpView};
use aiec_device::{Bundle, DmaDir};

use super::pieces::RouteEnd;
use super::read::Reader;
use crate::analysis::budget::tile_of_op;

impl Reader<'_> {
    /// Finds them and checks that program and route of each agree.
    pub(super) fn starts(&mut self, device: Op) {
        let m = self.module;
        if self.end_names.is_empty() {
            return;
        }
        for view in m.find_all::<DmaStart>(device) {
            let (op, Some(name)) = (view.op(), view.endpoint(m)) else {
                continue;
            };
            // An unknown name is reported when all is lowered.
            let Some(end) = self.foreign_end(op, &name) else {
                continue;
            };
            let foreign = &self.pieces.foreign[end];
            let (container, place) = (m.parent_op(op), foreign.tile.loc);
            let tile = container.and_then(|container| tile_of_op(m, container));
            let problem = if foreign.bundle != Bundle::Dma {
                Some("isn't an end of a DMA".to_string())
            } else if tile != Some(place) {
                Some(format!("is on tile {place}, this program isn't"))
            } else {
                self.against_route(view, end)
            };
            match problem {
                Some(problem) => {
                    let help = "name an aie.route_endpoint of this tile, in the direction of its \
                                route";
                    self.bad(op, format!("`@{name}` {problem}"), help);
                }
                None => self.pieces.starts.push((view, end)),
            }
        }
    }

    /// Contradiction between the route of an end and the program that starts its channel.
    fn against_route(&self, start: DmaStart, end: usize) -> Option<String> {
        let end = RouteEnd::Foreign(end);
        let routes = &self.pieces.ways;
        let source = routes.iter().find(|way| way.from.contains(&end));
        let sends = start.channel_dir(self.module) == Some(DmaDir::Mm2s);
        match (source, routes.iter().any(|way| way.to.contains(&end))) {
            (None, false) => Some("is in no route".to_string()),
            (Some(way), _) if sends && way.packet.is_some() => Some(
                "is the source of a packet-switched route: this program's BDs would not carry its \
                 header"
                    .to_string(),
            ),
            (source, _) if source.is_some() != sends => {
                let wanted = if sends { DmaDir::S2mm } else { DmaDir::Mm2s };
                Some(format!("is {wanted} by its route"))
            }
            _ => None,
        }
    }
}
