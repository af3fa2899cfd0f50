//! Links: fifos that meet on a tile and share a pool there.

use aiec_aie::ir::{Attr, Module, Op};
use aiec_aie::ops::{ObjectFifoLink, OpView};
use aiec_device::TileKind;
use aiec_diag::{Diag, Diags};

use super::fifo::{Fifo, Netlist, Object};
use super::{BAD_ATTRIBUTE, BAD_LINK, LINK_OFFSETS};

/// Kind of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinkKind {
    /// One fifo goes on as another.
    Plain,
    /// Several fifos become parts of one.
    Join,
    /// Parts of one fifo become several.
    Distribute,
}

/// A part of an object: elements of the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ObjectPart {
    pub offset: u64,
    pub len: u64,
}

/// One `aie.objectfifo.link`.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub op: Op,
    pub kind: LinkKind,
    /// Fifos, in the order of the parts.
    pub inputs: Vec<usize>,
    /// Fifos, in the order of the parts.
    pub outputs: Vec<usize>,
    /// Which consumer of each input is on that tile.
    pub input_consumer: Vec<usize>,
    /// The parts of a join or distribute; a single whole part otherwise.
    pub parts: Vec<ObjectPart>,
    /// Times each object is sent on.
    pub repeat: i64,
    /// Whether the pool belongs to the (first) output fifo.
    pub output_owns: bool,
    /// The pool is one buffer, which BDs go around (`iterate_bds`).
    pub ring: bool,
}

impl Link {
    /// The fifo whose objects the pool holds.
    pub fn owner(&self) -> usize {
        if self.output_owns {
            self.outputs[0]
        } else {
            self.inputs[0]
        }
    }
}

/// Reads and checks all links and marks their fifos.
pub(super) fn read(
    module: &Module,
    device: Op,
    netlist: &mut Netlist,
    diags: &mut Diags,
) -> Vec<Link> {
    let mut links: Vec<Link> = Vec::new();
    let written = module.children::<ObjectFifoLink>(device);
    for op in written.iter().copied() {
        let mut reader = LinkReader {
            module,
            op,
            netlist,
            diags,
        };
        let Some(link) = reader.read() else {
            continue;
        };
        let at = links.len();
        let mut twice = None;
        for fifo in &link.inputs {
            let first = netlist.fifos[*fifo].input_of.replace(at);
            twice = first.map(|first| (*fifo, first)).or(twice);
        }
        for fifo in &link.outputs {
            let first = netlist.fifos[*fifo].output_of.replace(at);
            twice = first.map(|first| (*fifo, first)).or(twice);
        }
        if let Some((fifo, first)) = twice {
            let first_op = links.get(first).map_or(op.op(), |l| l.op);
            diags.push(in_two_links(module, netlist, fifo, op.op(), first_op));
        }
        if op.shared_input_channel(module) == Some(true)
            && let [leader, followers @ ..] = &link.inputs[..]
        {
            for fifo in followers {
                netlist.fifos[*fifo].channel_of = Some(*leader);
            }
        }
        links.push(link);
    }
    // A link that was refused has fifos, too.
    let all = links.len() == written.len();
    for fifo in netlist.fifos.values().filter(|_| all) {
        if fifo.iterates && fifo.input_of.is_none() && fifo.output_of.is_none() {
            diags.push(no_ring(module, fifo));
        }
    }
    links
}

fn in_two_links(module: &Module, netlist: &Netlist, fifo: usize, op: Op, first: Op) -> Diag {
    let name = &netlist.fifos[fifo].name;
    let message = format!("objectfifo `@{name}` cannot be on the same side of more than one link");
    Diag::error(&BAD_LINK, message)
        .label(module.span(op), "the second link")
        .label(module.span(first), "the first link")
        .help("distribute to all outputs in one link, or broadcast the fifo to several tiles")
}

/// Reads one link; what is wrong with it is reported.
struct LinkReader<'a> {
    module: &'a Module,
    op: ObjectFifoLink,
    netlist: &'a Netlist,
    diags: &'a mut Diags,
}

impl LinkReader<'_> {
    /// Reports an error and drops the link.
    fn refuse<T>(&mut self, message: &str, help: &str) -> Option<T> {
        let diag = Diag::error(&BAD_LINK, message);
        let here = self.module.span(self.op.op());
        self.diags.push(diag.label(here, "this link").help(help));
        None
    }

    fn read(&mut self) -> Option<Link> {
        let (op, fifos) = (self.op, &self.netlist.fifos);
        let inputs = self.known(&op.fifoIns(self.module))?;
        let outputs = self.known(&op.fifoOuts(self.module))?;
        let kind = match (inputs.len(), outputs.len()) {
            (1, 1) => LinkKind::Plain,
            (1, n) if n > 1 => LinkKind::Distribute,
            (n, 1) if n > 1 => LinkKind::Join,
            _ => {
                let help = "a link has one input, or one output, or one of each";
                return self.refuse("this link joins and distributes", help);
            }
        };
        let tile = fifos[outputs[0]].producer;
        let at_tile = |fifo: &usize| {
            let mut consumers = fifos[*fifo].consumers.iter();
            consumers.position(|c| c.loc == tile.loc)
        };
        let input_consumer: Option<Vec<usize>> = inputs.iter().map(at_tile).collect();
        let starts_here = |fifo: &usize| fifos[*fifo].producer.loc == tile.loc;
        let same_start = outputs.iter().all(starts_here);
        let Some(input_consumer) = input_consumer.filter(|_| same_start) else {
            let message = "the fifos of this link don't meet on one tile";
            let help =
                "each input must have a consumer, and each output its producer, on that tile";
            return self.refuse(message, help);
        };
        let on_mem_tile = tile.kind == TileKind::Mem;
        if tile.kind.is_shim() || (kind != LinkKind::Plain && !on_mem_tile) {
            let message = match kind {
                LinkKind::Plain => "a link on a shim tile has no memory to keep objects in",
                _ => {
                    "ObjectFifoLinkOp join and distribute are unavailable on compute or shim tiles"
                }
            };
            return self.refuse(message, "let the fifos meet on a mem tile");
        }
        let mut repeats = outputs.iter().map(|f| fifos[*f].repeat.unwrap_or(1));
        let repeat = repeats.next().unwrap_or(1);
        if repeats.any(|n| n != repeat) {
            let message = "repeat counts of output object FIFOs must be equal";
            let help = "the shared objects are kept until each output sent them that often";
            return self.refuse(message, help);
        }
        let ring = self.ring(&inputs, &outputs, on_mem_tile)?;
        let output_owns = match kind {
            LinkKind::Join => true,
            LinkKind::Distribute => false,
            LinkKind::Plain => plain_output_owns(self.netlist, inputs[0], outputs[0]),
        };
        let mut link = Link {
            op: op.op(),
            kind,
            inputs,
            outputs,
            input_consumer,
            parts: Vec::new(),
            repeat,
            output_owns,
            ring,
        };
        link.parts = self.parts(&link)?;
        Some(link)
    }

    fn known(&mut self, list: &[Attr]) -> Option<Vec<usize>> {
        let mut found = Vec::with_capacity(list.len());
        for attr in list {
            let Attr::Symbol(symbol) = attr else { continue };
            let (netlist, name) = (self.netlist, symbol.leaf());
            found.extend(netlist.known(self.module, self.op.op(), name, self.diags));
        }
        (found.len() == list.len()).then_some(found)
    }

    /// Whether a fifo of a link asks for a ring (`iterate_bds`), and may
    /// (`mlir-aie: test/objectFifo-stateful-transform/`, tests of `iterate_bds`).
    fn ring(&mut self, inputs: &[usize], outputs: &[usize], on_mem_tile: bool) -> Option<bool> {
        let (module, netlist) = (self.module, self.netlist);
        let fifos = inputs.iter().chain(outputs).map(|f| &netlist.fifos[*f]);
        let mut asks = fifos.clone().filter(|fifo| fifo.iterates);
        let Some(first) = asks.next() else {
            return Some(false);
        };
        if !on_mem_tile {
            self.diags.push(no_ring(module, first));
            return None;
        }
        let mut fifos = fifos;
        let Some(fifo) = fifos.find(|fifo| fifo.repeat.is_some() || !fifo.init.is_empty()) else {
            return Some(true);
        };
        let what = match fifo.repeat {
            Some(_) => "`repeat_count`",
            None => "initial values",
        };
        let whose = if fifo.iterates {
            "`iterate_bds`"
        } else {
            "a link using `iterate_bds`"
        };
        let message = format!("{what} cannot be combined with {whose}");
        let asks = module.span(first.op.op());
        let diag = fifo.error(module, &BAD_ATTRIBUTE, message);
        self.diags.push(
            diag.label(asks, "asks for one buffer that BDs go around")
                .help("leave out iterate_bds: a chain with a BD for each object does the same"),
        );
        None
    }

    fn parts(&mut self, link: &Link) -> Option<Vec<ObjectPart>> {
        let (module, op, netlist) = (self.module, self.op, self.netlist);
        let total = whole(netlist, link).elems;
        let (offsets, members, what, side) = match link.kind {
            LinkKind::Plain => {
                let (offset, len) = (0, total);
                return Some(vec![ObjectPart { offset, len }]);
            }
            LinkKind::Join => (op.src_offsets(module), &link.inputs, "src", "input"),
            LinkKind::Distribute => (op.dst_offsets(module), &link.outputs, "dst", "output"),
        };
        let found = |message: String, help: String| {
            Diag::error(&LINK_OFFSETS, message)
                .label(module.span(link.op), "this link")
                .help(help)
        };
        if offsets.len() != members.len() {
            self.diags.push(found(
                format!(
                    "number of provided {what} offsets must be equal to the number of {side} \
                     objectFifos: {} for {}",
                    offsets.len(),
                    members.len()
                ),
                "give for each part its first element in the whole object".to_string(),
            ));
            return None;
        }
        let ends = offsets.iter().skip(1).copied().chain([total as i64]);
        let mut parts = Vec::with_capacity(offsets.len());
        for ((offset, end), fifo) in offsets.iter().zip(ends).zip(members) {
            let fifo = &netlist.fifos[*fifo];
            let object = match link.kind {
                LinkKind::Join => fifo.consumer_side(),
                _ => &fifo.object,
            };
            let (name, elems) = (&fifo.name, object.elems);
            let start = u64::try_from(*offset).ok();
            let span = start.zip(u64::try_from(end - offset).ok());
            let Some((offset, len)) = span.filter(|(o, len)| *len > 0 && o + len <= total) else {
                let message = format!("the part of `@{name}` is from {offset} to {end} of {total}");
                let help = "write the offsets in rising order, all inside the whole object";
                self.diags
                    .push(netlist.of_whole(found(message, help.to_string())));
                parts.push(ObjectPart {
                    offset: start.filter(|_| !netlist.whole_design)?,
                    len: elems,
                });
                continue;
            };
            let (long, short) = (len.max(elems), len.min(elems));
            if short == 0 || long % short != 0 {
                let message = format!(
                    "the part of `@{name}` has {len} elements, but its objects have {elems}"
                );
                let help = format!("the next offset should be {}", offset + elems);
                self.diags.push(found(message, help));
                return None;
            }
            parts.push(ObjectPart { offset, len });
        }
        Some(parts)
    }
}

/// The owner of a plain link's pool (`mlir-aie: lib/Dialect/AIE/Transforms/
/// AIEObjectFifoStatefulTransform.cpp`): the larger object, the input's if equal; initial values
/// must lie where they are sent from; padding makes the output larger than what is stored.
fn plain_output_owns(netlist: &Netlist, input: usize, output: usize) -> bool {
    let (input, output) = (&netlist.fifos[input], &netlist.fifos[output]);
    if !output.init.is_empty() {
        return true;
    }
    output.pads.is_empty() && output.object.bytes() > input.consumer_side().bytes()
}

/// `iterate_bds` where no mem tile has a pool.
fn no_ring(module: &Module, fifo: &Fifo) -> Diag {
    let message = "iterate_bds applies only to a link through a MemTile";
    fifo.error(module, &BAD_ATTRIBUTE, message)
        .help("leave it out: each object has a BD of its own then, with the same data")
}

/// The object that the parts are of.
fn whole<'n>(netlist: &'n Netlist, link: &Link) -> &'n Object {
    let owner = &netlist.fifos[link.owner()];
    if link.output_owns {
        &owner.object
    } else {
        owner.consumer_side()
    }
}
