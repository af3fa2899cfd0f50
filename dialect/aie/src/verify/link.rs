//! Links of object fifos.

use super::{Context, codes, kind_text};
use crate::ir::{Attr, Op, Type, Value};
use crate::ops::{ObjectFifo, ObjectFifoLink, OpView};
use aiec_device::TileKind;

pub(super) fn check(cx: &mut Context<'_>) {
    cx.each(check_link);
}

fn fifos_of(cx: &Context<'_>, list: &[Attr]) -> Vec<(String, Option<ObjectFifo>)> {
    let name = |attr: &Attr| match attr {
        Attr::Symbol(symbol) => symbol.leaf().to_string(),
        _ => String::new(),
    };
    let names = list.iter().map(name);
    names.map(|name| (name.clone(), cx.named(&name))).collect()
}

fn check_link(cx: &mut Context<'_>, link: ObjectFifoLink) {
    let m = cx.module;
    let op = link.op();
    const NO_POINT: &str =
        "ObjectFifoLinkOp must have a link point, i.e., a shared tile between objectFifos";
    const UNAVAILABLE: &str =
        "ObjectFifoLinkOp join and distribute are unavailable on compute or shim tiles";
    let ins = fifos_of(cx, &link.fifoIns(m));
    let outs = fifos_of(cx, &link.fifoOuts(m));
    if ins.is_empty() || outs.is_empty() {
        let message = "a link needs fifos on both sides";
        let help = "name them in [ ]";
        return cx.shared_plain(op, &codes::LINK, (message, help), NO_POINT);
    }
    for (name, fifo) in ins.iter().chain(&outs) {
        if fifo.is_none() {
            let message = format!("`@{name}` isn't an object fifo");
            let help = "define the fifo in this device";
            cx.refuse(op, &codes::SYMBOL, message, help);
        }
    }
    let ins: Vec<ObjectFifo> = ins.into_iter().filter_map(|f| f.1).collect();
    let outs: Vec<ObjectFifo> = outs.into_iter().filter_map(|f| f.1).collect();
    if ins.len() > 1 && outs.len() > 1 {
        let message = "a link can't join and distribute at once";
        let help = "use two links with a fifo between them";
        let text = "ObjectFifoLinkOp does not support 'join' and 'distribute' at the same time";
        return cx.shared_plain(op, &codes::LINK, (message, help), text);
    }
    // They meet where the outputs are produced; a broadcast input may have other consumers too.
    let Some(meeting) = outs.first().and_then(|fifo| fifo.producerTile(m)) else {
        return;
    };
    let met = |value: Value| match (cx.tile(Some(value)), cx.tile(Some(meeting))) {
        (Some(a), Some(b)) => a == b,
        // Tiles that are placed later are compared as they are written.
        _ => value == meeting,
    };
    let elsewhere = outs
        .iter()
        .filter_map(|fifo| fifo.producerTile(m))
        .find(|tile| !met(*tile))
        .or_else(|| {
            let missed = |fifo: &&ObjectFifo| !fifo.consumers(m).iter().any(|c| met(*c));
            let fifo = ins.iter().find(missed)?;
            fifo.consumers(m).first().copied()
        });
    let first = cx.tile(Some(meeting));
    if let Some(other) = elsewhere {
        let message = match (first, cx.tile(Some(other))) {
            (Some(first), Some(other)) => format!("linked fifos meet on {first} and on {other}"),
            _ => "linked fifos meet on different tiles".to_string(),
        };
        let help = "a consumer of each input and the producer of each output must be one tile";

        return cx.shared_plain(op, &codes::LINK, (message, help), NO_POINT);
    }
    let Some(first) = first else {
        return;
    };
    let parts = ins.len().max(outs.len());
    let kind = cx.kind_at(first).unwrap_or(TileKind::Core);
    if parts > 1 && kind != TileKind::Mem {
        let message = format!("{first}, a {}, can't join or distribute", kind_text(kind));
        let help = "let the fifos meet on a mem tile";
        cx.shared_plain(op, &codes::LINK, (message, help), UNAVAILABLE);
    }
    if kind.is_shim() {
        let message = format!("{first}, a shim tile, can't link fifos");
        let help = "link on a mem or core tile";
        cx.shared_plain(op, &codes::LINK, (message, help), UNAVAILABLE);
    }
    layouts(cx, op, &ins, &outs);
    super::shared_channel::link(cx, link, &ins, &outs);
    let offsets = [
        ("source", "src", "input", link.src_offsets(m), ins.len()),
        (
            "destination",
            "dst",
            "output",
            link.dst_offsets(m),
            outs.len(),
        ),
    ];
    for (what, short, side, list, count) in offsets {
        if count > 1 && list.len() != count {
            let message = format!("{} {what} offsets for {count} fifos", list.len());
            let help = "give the first element of each part, in the order of the fifos";
            let text = format!(
                "number of provided {short} offsets must be equal to the number of {side} \
                     objectFifos"
            );
            cx.shared_plain(op, &codes::LINK, (message, help), text);
        }
        if count == 1 && parts > 1 && !list.is_empty() {
            let verb = if short == "dst" { "join" } else { "distribute" };
            let message = format!("{what} offsets for a single fifo");
            let help = "leave this list empty: []";
            let text = format!("{short} offsets should be empty for {verb}");
            cx.shared_plain(op, &codes::LINK, (message, help), text);
        }
    }
}

/// Stream dimensions at the link: they move over one part at a time.
fn layouts(cx: &mut Context<'_>, op: Op, ins: &[ObjectFifo], outs: &[ObjectFifo]) {
    let m = cx.module;
    let smallest = |fifos: &[ObjectFifo]| {
        let sizes = fifos.iter().filter_map(|fifo| match fifo.elemType(m) {
            Some(Type::ObjectFifo(inner)) => inner.as_memref()?.num_elements(),
            _ => None,
        });
        sizes.min()
    };
    let (dims, part, way) = match (ins, outs) {
        ([_, _, ..], [out]) => (
            out.dimensionsToStream(m).unwrap_or_default(),
            smallest(ins),
            ("output", "join input"),
        ),
        ([from], [_, _, ..]) => {
            let lists = from.dimensionsFromStreamPerConsumer(m).unwrap_or_default();
            let dims = lists.first().map(|l| l.to_vec()).unwrap_or_default();
            (dims, smallest(outs), ("input", "distribute output"))
        }
        _ => return,
    };
    let Some(part) = part.filter(|_| !dims.is_empty()) else {
        return;
    };
    let reach = dims.iter().try_fold(0i64, |sum, d| {
        sum.checked_add(d.size.checked_sub(1)?.checked_mul(d.stride)?)
    });
    if reach
        .and_then(|r| u64::try_from(r).ok())
        .is_some_and(|r| r < part)
    {
        return;
    }
    let reach = reach.unwrap_or(i64::MAX);
    let text = format!(
        "specified {} stride(s) and size(s) result in out of bounds access in {}, for index \
         {reach} in transfer of length {part}.",
        way.0, way.1
    );
    let message = format!(
        "the {} dimensions reach element {reach} of parts of {part} elements",
        way.0
    );
    let help = "the dimensions at a link move over one part, not over the whole object";
    cx.shared_plain(op, &codes::LINK, (message, help), text);
}
