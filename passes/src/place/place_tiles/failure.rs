//! Why a logical tile finds no place.

use aiec_aie::ir::{Module, Value};
use aiec_aie::ops::OpView;
use aiec_device::{TileKind, TileLoc};
use aiec_diag::{Diag, MlirAieReport};

use super::demand::NeighbourRole;
use super::sequential::{Placer, channels_of};
use super::{Logical, NO_CHANNEL, NO_PLACE, OCCUPIED};

/// A core for which no tile is left; `candidates` are free, but not where its neighbours need it.
pub(super) fn no_core(
    module: &Module,
    placer: &Placer<'_>,
    logical: &[Logical],
    tile: &Logical,
    candidates: &[TileLoc],
) -> Diag {
    let exact = tile.col.zip(tile.row).map(|(c, r)| TileLoc::new(c, r));
    if let Some(loc) = exact.filter(|loc| placer.cores.contains(loc)) {
        let other = logical
            .iter()
            .find(|t| t.op != tile.op && placer.places.get(&t.handle) == Some(&loc));
        return Diag::error(&OCCUPIED, format!("tile {loc} already has a core"))
            .label(module.span(tile.op.op()), "wanted here too")
            .label(other.and_then(|t| module.span(t.op.op())), "taken by this")
            .help("each compute tile can host only one core: leave a coordinate open");
    }
    let matching = match tile.written() {
        0 => String::new(),
        _ => format!(" matching {}", tile.wish()),
    };
    if candidates.is_empty() {
        let count = tile.possible(placer.model).count();
        let taken = placer.cores.iter().filter(|loc| tile.allows(**loc)).count();
        let message = match placer.cores_per_col {
            Some(limit) if taken < count => format!(
                "no available compute tiles for placement: with cores-per-col={limit} all columns \
                 are full ({taken} of {count} core tiles are taken)"
            ),
            _ => format!(
                "no available compute tiles for placement: all {count} core tiles{matching} are \
                 taken"
            ),
        };
        let help = match (tile.written(), placer.cores_per_col) {
            (0, Some(_)) => "raise cores-per-col, or use a larger device",
            (0, None) => "use fewer cores, or a larger device",
            _ => "leave a coordinate open",
        };
        let mlir_aie = match tile.written() {
            0 => "no available compute tiles for placement".to_string(),
            _ => format!(
                "no compute tile available matching constraint {}",
                tile.wish()
            ),
        };
        return Diag::error(&NO_PLACE, message)
            .label(module.span(tile.op.op()), "this core")
            .help(help)
            .mlir_aie(MlirAieReport::plain(mlir_aie));
    }
    unsatisfied(module, placer, tile, &matching, candidates)
}

/// Free tiles, but none where cascades and shared buffers want the core.
fn unsatisfied(
    module: &Module,
    placer: &Placer<'_>,
    tile: &Logical,
    matching: &str,
    candidates: &[TileLoc],
) -> Diag {
    let bonds = placer.demand.bonds(tile.handle).iter();
    let placed: Vec<(NeighbourRole, Value, TileLoc)> = bonds
        .filter_map(|(bond, other)| Some((*bond, *other, *placer.places.get(other)?)))
        .collect();
    let cascade =
        |bond: NeighbourRole| matches!(bond, NeighbourRole::CascadeFrom | NeighbourRole::CascadeTo);
    // Those that no candidate satisfies alone; else it is all of them together.
    let mut alone = placed.clone();
    alone.retain(|(bond, _, there)| {
        let mut all = candidates.iter();
        !all.any(|here| placer.bond_holds(*bond, *here, *there))
    });
    let to_blame = if alone.is_empty() { placed } else { alone };
    let kinds = [
        (true, "cascade adjacency"),
        (false, "shared-L1 buffer adjacency"),
    ];
    let what: Vec<&str> = kinds
        .into_iter()
        .filter(|(kind, _)| to_blame.iter().any(|(bond, ..)| cascade(*bond) == *kind))
        .map(|(_, name)| name)
        .collect();
    let what = what.join(" and ");
    let message = format!(
        "no available compute tiles for placement: none of the {} free core tiles{matching} \
         satisfies {what}",
        candidates.len()
    );
    let mut diag = Diag::error(&NO_PLACE, message).label(module.span(tile.op.op()), "this core");
    let mut mlir_aie = MlirAieReport::plain(match tile.written() {
        0 => format!("no available compute tiles for placement ({what} unsatisfiable)"),
        _ => format!(
            "no compute tile available matching constraint {} and {what}",
            tile.wish()
        ),
    });
    for (bond, other, there) in to_blame {
        let span = module.value_span(other);
        let (text, role) = match bond {
            NeighbourRole::CascadeFrom => (
                format!("sends it a cascade from {there}: the core must be below or to the right"),
                "cascade source",
            ),
            NeighbourRole::CascadeTo => (
                format!("takes its cascade at {there}: the core must be above or to the left"),
                "cascade destination",
            ),
            NeighbourRole::Uses => (
                format!("holds a buffer or lock that it uses, at {there}"),
                "shared-L1 buffer owner",
            ),
            NeighbourRole::UsedBy => (
                format!("uses a buffer or lock of it, at {there}"),
                "shared-L1 buffer consumer",
            ),
        };
        diag = diag.label(span, text);
        mlir_aie = mlir_aie.note(span, format!("{role} peer placed at {there}"));
    }
    diag.help("leave coordinates open, for this core or for the others named here")
        .mlir_aie(mlir_aie)
}

/// A mem or shim tile for which no DMA has channels left.
pub(super) fn no_column(module: &Module, placer: &Placer<'_>, tile: &Logical) -> Diag {
    let needs = placer.demand.channels(tile.handle);
    if let Some(diag) = never_enough(module, placer, tile) {
        return diag;
    }
    let target = placer.demand.columns(tile.handle, &placer.places).mean();
    let mut count = 0;
    let mut free = [0u32; 2];
    for loc in tile.possible(placer.model) {
        let have = channels_of(placer.model, loc);
        let used = placer.channels.get(&loc).copied().unwrap_or_default();
        count += 1;
        for dir in [0, 1] {
            free[dir] += have[dir].saturating_sub(used[dir]);
        }
    }
    let message = format!(
        "no {} has sufficient DMA capacity for {} input/{} output channels: the {count} of them \
         have {} S2MM and {} MM2S channels left together",
        tile.kind, needs[0], needs[1], free[0], free[1]
    );
    let help = if placer.merge {
        "spread its fifos over several logical tiles, or join fifos"
    } else {
        "let logical tiles share a tile (merge-logical-tiles=true), or join fifos"
    };
    let name = match tile.kind {
        TileKind::Mem => "MemTile",
        TileKind::ShimPl => "ShimPLTile",
        _ => "ShimNOCTile",
    };
    let span = module.span(tile.op.op());
    let mlir_aie = MlirAieReport::plain(format!(
        "no {name} has sufficient DMA capacity for {} input/{} output channels near centroid \
         column {target}",
        needs[0], needs[1]
    ))
    .note(
        span,
        format!("to fix, pin this {name} to a tile with free channels"),
    );
    Diag::error(&NO_PLACE, message)
        .label(span, "this tile")
        .help(help)
        .mlir_aie(mlir_aie)
}

/// Logical tiles that ended where the DMA has fewer channels than their fifos and flows need.
pub(super) fn channels(module: &Module, placer: &Placer<'_>, logical: &[Logical]) -> Vec<Diag> {
    let with_dma = logical.iter().filter(|t| t.kind != TileKind::ShimPl);
    let found = with_dma.filter_map(|tile| {
        let loc = placer.places.get(&tile.handle)?;
        too_few(module, placer, tile, *loc)
    });
    found.collect()
}

/// A mem or shim tile that needs more channels than any tile has, so that sharing is not the
/// reason.
fn never_enough(module: &Module, placer: &Placer<'_>, tile: &Logical) -> Option<Diag> {
    let loc = tile.possible(placer.model).next()?;
    too_few(module, placer, tile, loc)
}

/// A tile whose fifos and flows need more channels than there are at a place.
fn too_few(module: &Module, placer: &Placer<'_>, tile: &Logical, loc: TileLoc) -> Option<Diag> {
    let needs = placer.demand.channels(tile.handle);
    let have = channels_of(placer.model, loc);
    if needs[0] <= have[0] && needs[1] <= have[1] {
        return None;
    }
    let span = module.span(tile.op.op());
    let mut mlir_aie = MlirAieReport::plain(format!(
        "tile {loc} requires {} input/{} output DMA channels, but only {} input/{} output \
         available",
        needs[0], needs[1], have[0], have[1]
    ));
    let mut place = "this tile".to_string();
    if tile.written() < 2 {
        mlir_aie = mlir_aie.note(span, "placer selected this tile");
        place = format!("placed at {loc}");
    }
    let message = format!(
        "the fifos and flows of this tile need {} S2MM and {} MM2S channels, but a {} has {} and \
         {}",
        needs[0], needs[1], tile.kind, have[0], have[1]
    );
    let diag = Diag::error(&NO_CHANNEL, message)
        .label(span, place)
        .help("let a mem tile join or split some of them, or use packet flows")
        .mlir_aie(mlir_aie);
    Some(diag)
}
