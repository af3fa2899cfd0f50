//! A design's text in the `aie` dialect.

use std::fmt::Write;

use super::body::Body;
use super::{Access, Design, Hop, Lane, Last, Link, Map, Shape, Stage, Transfers};

/// A fifo of the netlist.
pub(super) struct Fifo<'a> {
    pub name: String,
    pub from: String,
    pub to: Vec<String>,
    pub depth: String,
    pub object: usize,
    pub attrs: &'a str,
    pub to_stream: String,
    /// Initial contents, written after the type.
    pub init: String,
}

impl Design {
    /// The netlist.
    pub fn text(&self) -> String {
        let mut out = format!("module {{\n  aie.device({}) {{\n", self.device);
        for (n, lane) in self.lanes.iter().enumerate() {
            self.tiles(&mut out, lane);
            self.lane(&mut out, n, lane);
        }
        self.sequence(&mut out);
        out.push_str("  }\n}\n");
        out
    }

    fn tiles(&self, out: &mut String, lane: &Lane) {
        let c = lane.column;
        let rows = 0..=(self.core_row + 3).min(self.core_row + lane.rows() - 1);
        for r in rows.filter(|r| *r < 2 || *r >= self.core_row) {
            let _ = writeln!(out, "    %t_{c}_{r} = aie.tile({c}, {r})");
        }
    }

    pub(super) fn core_tile(&self, lane: &Lane, row: u8) -> String {
        format!("%t_{}_{}", lane.column, self.core_row + row)
    }

    pub(super) fn object_type(&self, elements: usize) -> String {
        format!("memref<{elements}x{}>", self.elem.text())
    }

    pub(super) fn fifo(&self, out: &mut String, fifo: Fifo<'_>) {
        let Fifo {
            name,
            from,
            to,
            depth,
            object,
            attrs,
            to_stream,
            init,
        } = fifo;
        let attrs = if attrs.is_empty() {
            String::new()
        } else {
            format!(" {{{attrs}}}")
        };
        let _ = writeln!(
            out,
            "    aie.objectfifo @{name}({from}{to_stream}, {{{}}}, {depth}){attrs} : \
             !aie.objectfifo<{}>{init}",
            to.join(", "),
            self.object_type(object)
        );
    }

    pub(super) fn plain(
        &self,
        out: &mut String,
        name: &str,
        ends: (&str, &str),
        link: Link,
        object: usize,
    ) {
        self.fifo(
            out,
            Fifo {
                name: name.to_string(),
                from: ends.0.to_string(),
                to: vec![ends.1.to_string()],
                depth: format!("{} : i32", link.depth),
                object,
                attrs: if link.via_dma { "via_DMA = true" } else { "" },
                to_stream: String::new(),
                init: String::new(),
            },
        );
    }

    /// A fifo of two objects that sends each one several times; 0 for no attribute.
    fn repeated(
        &self,
        out: &mut String,
        name: &str,
        ends: (&str, &str),
        object: usize,
        (times, first): (usize, &[Vec<i64>]),
    ) {
        let attrs = match times {
            0 => String::new(),
            _ => format!("repeat_count = {times} : i32"),
        };
        self.fifo(
            out,
            Fifo {
                name: name.to_string(),
                from: ends.0.to_string(),
                to: vec![ends.1.to_string()],
                depth: "2 : i32".to_string(),
                object,
                attrs: &attrs,
                to_stream: String::new(),
                init: self.contents(first, object),
            },
        );
    }

    fn lane(&self, out: &mut String, n: usize, lane: &Lane) {
        let shim = format!("%t_{}_0", lane.column);
        let mem = format!("%t_{}_1", lane.column);
        let two = Link::TWO;
        match &lane.shape {
            Shape::Pipeline {
                cores,
                links,
                mem_in,
                repeat,
                mem_out,
                last,
            } => {
                let ways = (*mem_in, *repeat, *mem_out);
                self.pipeline(out, n, lane, (cores, links, last), ways);
            }
            Shape::SplitJoin { maps, parts, .. } => {
                self.plain(out, &format!("in{n}"), (&shim, &mem), two, lane.object);
                self.fan(out, n, lane, maps, parts);
                let names = |kind: &str| self.names(kind, n, maps.len());
                let offsets = offsets(parts);
                let _ = writeln!(
                    out,
                    "    aie.objectfifo.link [@in{n}] -> [{}]([] [{}])",
                    names("a"),
                    offsets.join(", ")
                );
                self.join(out, n, lane, parts);
            }
            Shape::BroadcastJoin { maps, depths } => {
                let depth = if depths.is_empty() {
                    "2 : i32".to_string()
                } else {
                    format!("{depths:?}")
                };
                let to = (0..maps.len())
                    .map(|i| self.core_tile(lane, i as u8))
                    .collect();
                self.fifo(
                    out,
                    Fifo {
                        name: format!("in{n}"),
                        from: shim,
                        to,
                        depth,
                        object: lane.object,
                        attrs: "",
                        to_stream: String::new(),
                        init: String::new(),
                    },
                );
                let parts = vec![lane.object; maps.len()];
                self.fan(out, n, lane, maps, &parts);
                self.join(out, n, lane, &parts);
            }
            Shape::Zip => {
                let core = self.core_tile(lane, 0);
                self.plain(out, &format!("in{n}"), (&shim, &core), two, lane.object);
                self.plain(out, &format!("in{n}_b"), (&shim, &core), two, lane.object);
                self.plain(out, &format!("out{n}"), (&core, &shim), two, lane.object);
                self.zip(out, n, lane);
            }
            Shape::Transpose { rows, cols } => {
                self.plain(out, &format!("in{n}"), (&shim, &mem), two, lane.object);
                self.fifo(
                    out,
                    Fifo {
                        name: format!("out{n}"),
                        from: mem,
                        to: vec![shim],
                        depth: "2 : i32".to_string(),
                        object: lane.object,
                        attrs: "",
                        to_stream: format!(
                            " dimensionsToStream [<size = {cols}, stride = 1>, \
                         <size = {rows}, stride = {cols}>]"
                        ),
                        init: String::new(),
                    },
                );
                let _ = writeln!(out, "    aie.objectfifo.link [@in{n}] -> [@out{n}]([] [])");
            }
            Shape::Retile { .. } => self.retile(out, n, lane),
            Shape::Forward { hops, fifos } => self.forward(out, n, lane, (hops, fifos)),
            Shape::Constants { objects, rounds } => {
                self.constants(out, n, lane, objects, *rounds);
            }
            Shape::Process {
                pattern,
                depth,
                made,
            } => self.process(out, n, lane, (*pattern, *depth, *made)),
            Shape::Streams { map, take, put } => {
                self.streams(out, n, lane, *map, (*take, *put));
            }
        }
    }

    fn names(&self, kind: &str, n: usize, count: usize) -> String {
        (0..count)
            .map(|i| format!("@{kind}{n}_{i}"))
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn pipeline(
        &self,
        out: &mut String,
        n: usize,
        lane: &Lane,
        (cores, links, ending): (&[(u8, Stage)], &[Link], &Last),
        (mem_in, repeat, mem_out): (bool, usize, bool),
    ) {
        let shim = format!("%t_{}_0", lane.column);
        let mem = format!("%t_{}_1", lane.column);
        let last = cores.len();
        let tile = |i: usize| self.core_tile(lane, cores[i].0);
        let repeat_attr = format!("repeat_count = {repeat} : i32");
        // fifo i leads into core i; fifo `last` leaves the last core.
        for (i, link) in links.iter().enumerate() {
            let via_dma = link.via_dma && (1..last).contains(&i);
            let link = Link { via_dma, ..*link };
            let from = match i {
                0 if mem_in => mem.clone(),
                0 => shim.clone(),
                i => tile(i - 1),
            };
            let to = match i {
                i if i < last => tile(i),
                _ if mem_out => mem.clone(),
                _ => shim.clone(),
            };
            let name = match i {
                0 if !mem_in => format!("in{n}"),
                i if i == last && !mem_out => format!("out{n}"),
                i => format!("f{n}_{i}"),
            };
            if i == last && *ending != Last::default() {
                self.last_fifo(out, (&name, &from, &to), link, ending, lane.object);
            } else if i == 0 && repeat > 1 {
                self.fifo(
                    out,
                    Fifo {
                        name: name.clone(),
                        from,
                        to: vec![to],
                        depth: format!("{} : i32", link.depth),
                        object: lane.object,
                        attrs: &repeat_attr,
                        to_stream: String::new(),
                        init: String::new(),
                    },
                );
            } else {
                self.plain(out, &name, (&from, &to), link, lane.object);
            }
            let between = link.allocate.filter(|_| (1..last).contains(&i) && !via_dma);
            if let Some(row) = between {
                let tile = self.core_tile(lane, row);
                let _ = writeln!(out, "    aie.objectfifo.allocate @{name}({tile})");
            }
        }
        let two = Link::TWO;
        if mem_in {
            self.plain(out, &format!("in{n}"), (&shim, &mem), two, lane.object);
            let _ = writeln!(out, "    aie.objectfifo.link [@in{n}] -> [@f{n}_0]([] [])");
        }
        if mem_out {
            self.plain(out, &format!("out{n}"), (&mem, &shim), two, lane.object);
            let _ = writeln!(
                out,
                "    aie.objectfifo.link [@f{n}_{last}] -> [@out{n}]([] [])"
            );
        }
        for (i, (row, stage)) in cores.iter().enumerate() {
            let name = |i: usize| match i {
                0 if !mem_in => format!("in{n}"),
                i if i == last && !mem_out => format!("out{n}"),
                i => format!("f{n}_{i}"),
            };
            self.core(
                out,
                lane,
                *row,
                *stage,
                (&name(i), &name(i + 1)),
                (lane.object, i + 1 == last && ending.ahead),
            );
        }
    }

    /// Fifos from the mem tile or a broadcast to cores, the cores, and fifos back.
    fn fan(&self, out: &mut String, n: usize, lane: &Lane, maps: &[Map], parts: &[usize]) {
        let mem = format!("%t_{}_1", lane.column);
        let two = Link::TWO;
        let split = match lane.shape {
            Shape::SplitJoin { repeats, .. } => Some(repeats.0),
            _ => None,
        };
        for (i, (map, object)) in maps.iter().zip(parts.iter().copied()).enumerate() {
            let core = self.core_tile(lane, i as u8);
            let from = match split {
                Some(_) => format!("a{n}_{i}"),
                None => format!("in{n}"),
            };
            let to = format!("b{n}_{i}");
            if let Some(times) = split {
                self.repeated(out, &from, (&mem, &core), object, (times, &[]));
            }
            self.plain(out, &to, (&core, &mem), two, object);
            self.core(
                out,
                lane,
                i as u8,
                Stage::Map(*map),
                (&from, &to),
                (object, false),
            );
        }
    }

    fn join(&self, out: &mut String, n: usize, lane: &Lane, parts: &[usize]) {
        let shim = format!("%t_{}_0", lane.column);
        let mem = format!("%t_{}_1", lane.column);
        let whole = parts.iter().sum();
        let (times, first) = match &lane.shape {
            Shape::SplitJoin { repeats, first, .. } => (repeats.1, first.as_slice()),
            _ => (0, &[][..]),
        };
        let ends = (mem.as_str(), shim.as_str());
        self.repeated(out, &format!("out{n}"), ends, whole, (times, first));
        let offsets = offsets(parts);
        let names = self.names("b", n, parts.len());
        let _ = writeln!(
            out,
            "    aie.objectfifo.link [{names}] -> [@out{n}]([{}] [])",
            offsets.join(", ")
        );
    }

    fn core(
        &self,
        out: &mut String,
        lane: &Lane,
        row: u8,
        stage: Stage,
        (from, to): (&str, &str),
        (object, ahead): (usize, bool),
    ) {
        let ty = self.object_type(object);
        let elem = self.elem.text();
        let (acquire, release) = match stage {
            Stage::Map(_) => (1, 1),
            Stage::Window(w) => (w, 1),
            Stage::Pairs => (2, 2),
        };
        let work = |body: &mut Body<'_>| {
            let taken = body.acquire("in", from, "Consume", acquire, &ty);
            let made = body.acquire("out", to, "Produce", 1 + usize::from(ahead), &ty);
            body.elements(|body| {
                let mut value = String::new();
                for (k, object) in taken.iter().enumerate() {
                    body.load(&format!("%v{k}"), object, &ty);
                    value = match (k, stage) {
                        (0, _) => "%v0".to_string(),
                        (_, Stage::Pairs) => {
                            body.line(&format!("    %s{k} = arith.subi {value}, %v{k} : {elem}"));
                            format!("%s{k}")
                        }
                        _ => {
                            body.line(&format!("    %s{k} = arith.addi {value}, %v{k} : {elem}"));
                            format!("%s{k}")
                        }
                    };
                }
                if let Stage::Map(map) = stage {
                    value = body.map(map, self.elem.wrap(map.constant()), elem);
                }
                body.store(&value, &made[0], &ty);
            });
            body.release(from, "Consume", release);
            body.release(to, "Produce", 1);
        };
        let tile = (lane.column, self.core_row + row);
        Body::write(out, tile, object, lane.style, work);
    }

    fn zip(&self, out: &mut String, n: usize, lane: &Lane) {
        let ty = self.object_type(lane.object);
        let (left, right) = (format!("in{n}"), format!("in{n}_b"));
        let output = format!("out{n}");
        let work = |body: &mut Body<'_>| {
            let a = body.acquire("a", &left, "Consume", 1, &ty);
            let b = body.acquire("b", &right, "Consume", 1, &ty);
            let made = body.acquire("out", &output, "Produce", 1, &ty);
            body.elements(|body| {
                body.load("%x", &a[0], &ty);
                body.load("%y", &b[0], &ty);
                let elem = self.elem.text();
                body.line(&format!("    %z = arith.addi %x, %y : {elem}"));
                body.store("%z", &made[0], &ty);
            });
            body.release(&left, "Consume", 1);
            body.release(&right, "Consume", 1);
            body.release(&output, "Produce", 1);
        };
        let tile = (lane.column, self.core_row);
        Body::write(out, tile, lane.object, lane.style, work);
    }

    fn sequence(&self, out: &mut String) {
        let op = if self.old_syntax { "aiex" } else { "aie" };
        let args: Vec<String> = self
            .buffers
            .iter()
            .enumerate()
            .map(|(i, n)| format!("%arg{i}: {}", self.object_type(*n)))
            .collect();
        let _ = writeln!(out, "    {op}.runtime_sequence({}) {{", args.join(", "));
        let mut names = Vec::new();
        for (n, lane) in self.lanes.iter().enumerate() {
            let inputs = [format!("in{n}"), format!("in{n}_b")];
            names.extend(
                inputs
                    .into_iter()
                    .take(lane.inputs.len())
                    .map(|name| (name, false)),
            );
            names.push((format!("out{n}"), true));
        }
        let lists = self
            .lanes
            .iter()
            .flat_map(|l| l.inputs.iter().chain([&l.outputs]));
        let mut ends = Vec::new();
        // BD ids are counted per shim tile: a lane is a column.
        let mut ids = vec![0usize; self.lanes.len()];
        let lane_of: Vec<usize> = self
            .lanes
            .iter()
            .enumerate()
            .flat_map(|(n, l)| std::iter::repeat_n(n, l.inputs.len() + 1))
            .collect();
        for (i, (accesses, (name, output))) in lists.zip(&names).enumerate() {
            for access in accesses {
                let id = ids[lane_of[i]];
                ids[lane_of[i]] += 1;
                ends.push(self.transfer(out, (i, name, *output), access, (lane_of[i], id)));
            }
        }
        for end in ends {
            let _ = writeln!(out, "      {end}");
        }
        out.push_str("    }\n");
    }

    /// Writes a transfer's start; returns the operation that ends it (a wait, a free).
    fn transfer(
        &self,
        out: &mut String,
        (arg, name, output): (usize, &str, bool),
        access: &Access,
        (lane, id): (usize, usize),
    ) -> String {
        let ty = self.object_type(self.buffers[arg]);
        let list = |l: &[usize]| {
            l.iter()
                .map(usize::to_string)
                .collect::<Vec<_>>()
                .join(", ")
        };
        let Access {
            offset,
            sizes,
            strides,
        } = access;
        match self.transfers {
            Transfers::Memcpy => {
                let _ = writeln!(
                    out,
                    "      aiex.npu.dma_memcpy_nd(%arg{arg}[0, 0, 0, {offset}][{}][{}]) \
                     {{id = {id} : i64, metadata = @{name}, issue_token = true}} : {ty}",
                    list(sizes),
                    list(strides)
                );
                format!("aiex.npu.dma_wait {{symbol = @{name}}}")
            }
            Transfers::Tasks => {
                let len: usize = sizes[1..].iter().product();
                let repeat = sizes[0] - 1;
                let dims = task_dims(access);
                let bd = match (self.old_syntax, dims.is_empty()) {
                    (true, true) => format!("aie.dma_bd(%arg{arg} : {ty}, {offset}, {len})"),
                    (true, false) => {
                        let dims: Vec<String> = dims
                            .iter()
                            .map(|(size, stride)| format!("<size = {size}, stride = {stride}>"))
                            .collect();
                        let dims = dims.join(", ");
                        format!("aie.dma_bd(%arg{arg} : {ty}, {offset}, {len}, [{dims}])")
                    }
                    (false, true) => {
                        format!("aie.dma_bd(%arg{arg} : {ty} offset = {offset} len = {len})")
                    }
                    (false, false) => {
                        let (sizes, strides): (Vec<usize>, Vec<usize>) = dims.into_iter().unzip();
                        format!(
                            "aie.dma_bd(%arg{arg} : {ty} offset = {offset} len = {len} \
                             sizes = [{}] strides = [{}])",
                            list(&sizes),
                            list(&strides)
                        )
                    }
                };
                let task = format!("%task_{lane}_{id}");
                let token = if output { "issue_token = true, " } else { "" };
                let _ = writeln!(
                    out,
                    "      {task} = aiex.dma_configure_task_for @{name} {{\n        {bd}\n        \
                     aie.end\n      }} {{{token}repeat_count = {repeat} : i32}}\n      \
                     aiex.dma_start_task({task})"
                );
                let end = if output { "await" } else { "free" };
                format!("aiex.dma_{end}_task({task})")
            }
        }
    }
}

/// Dimensions of a task's BD as (size, stride), outermost first: none for a linear transfer, four
/// when the runs of the task lie apart. Repeating a run in place is the repeat count's business.
fn task_dims(access: &Access) -> Vec<(usize, usize)> {
    let mut dims: Vec<(usize, usize)> = access
        .sizes
        .iter()
        .copied()
        .zip(access.strides.iter().map(|s| (*s).max(1)))
        .collect();
    if access.sizes[0] == 1 || access.strides[0] == 0 {
        dims.remove(0);
        while dims.first().is_some_and(|(size, _)| *size == 1) {
            dims.remove(0);
        }
    }
    if dims.len() <= 1 { Vec::new() } else { dims }
}

impl Lane {
    /// Core rows that the lane uses.
    fn rows(&self) -> u8 {
        match &self.shape {
            Shape::Pipeline { cores, .. } => cores.iter().map(|(r, _)| r + 1).max().unwrap_or(1),
            Shape::SplitJoin { maps, .. } | Shape::BroadcastJoin { maps, .. } => maps.len() as u8,
            Shape::Forward { hops, .. } => hops
                .iter()
                .map(|hop| match hop {
                    Hop::Core(row) => row + 1,
                    Hop::Mem => 1,
                })
                .max()
                .unwrap_or(1),
            _ => 1,
        }
    }
}

/// Where each part of an object starts.
fn offsets(parts: &[usize]) -> Vec<String> {
    let starts = parts.iter().scan(0, |next, part| {
        let start = *next;
        *next += part;
        Some(start.to_string())
    });
    starts.collect()
}
