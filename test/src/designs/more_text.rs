//! The text of the rarer shapes.

use std::fmt::Write;

use super::body::Body;
use super::text::Fifo;
use super::{Design, Lane, Last, Link, Map, Shape};

impl Design {
    /// The last fifo of a pipeline with what is special about it.
    pub(super) fn last_fifo(
        &self,
        out: &mut String,
        (name, from, to): (&str, &str, &str),
        link: Link,
        last: &Last,
        object: usize,
    ) {
        let attrs = match last.repeat {
            0 => String::new(),
            n => format!("repeat_count = {n} : i32"),
        };
        self.fifo(
            out,
            Fifo {
                name: name.to_string(),
                from: from.to_string(),
                to: vec![to.to_string()],
                depth: format!("{} : i32", link.depth),
                object,
                attrs: &attrs,
                to_stream: String::new(),
                init: self.contents(&last.init, object),
            },
        );
    }

    pub(super) fn retile(&self, out: &mut String, n: usize, lane: &Lane) {
        let Shape::Retile {
            rows,
            cols,
            scatter,
            pad,
            finite,
        } = &lane.shape
        else {
            return;
        };
        let (shim, mem) = (
            format!("%t_{}_0", lane.column),
            format!("%t_{}_1", lane.column),
        );
        let scattered = match scatter {
            true => format!(
                " dimensionsFromStream [<size = {cols}, stride = 1>, <size = {rows}, stride = {cols}>]"
            ),
            false => String::new(),
        };
        self.plain(
            out,
            &format!("in{n}"),
            (&shim, &format!("{mem}{scattered}")),
            Link::TWO,
            lane.object,
        );
        let mut attrs = Vec::new();
        let mut to_stream = String::new();
        let mut object = lane.object;
        if let Some(([(up, down), (left, right)], value)) = pad {
            to_stream = format!(
                " dimensionsToStream [<size = {rows}, stride = {cols}>, <size = {cols}, stride = 1>]"
            );
            attrs.push(format!(
                "padDimensions = #aie<bd_pad_layout_array[<const_pad_before = {up}, \
                 const_pad_after = {down}>, <const_pad_before = {left}, const_pad_after = {right}>]>"
            ));
            if *value != 0 {
                attrs.push(format!("padValue = {value} : i32"));
            }
            object = (rows + up + down) * (cols + left + right);
        }
        if *finite {
            // Each round sends both objects of the mem tile.
            let sent: usize = lane.inputs[0].iter().map(|a| a.count()).sum();
            attrs.push(format!(
                "iter_count = {} : i32",
                sent / lane.object / Link::TWO.depth
            ));
        }
        self.fifo(
            out,
            Fifo {
                name: format!("out{n}"),
                from: mem,
                to: vec![shim],
                depth: "2 : i32".to_string(),
                object,
                attrs: &attrs.join(", "),
                to_stream,
                init: String::new(),
            },
        );
        let _ = writeln!(out, "    aie.objectfifo.link [@in{n}] -> [@out{n}]([] [])");
    }

    pub(super) fn streams(
        &self,
        out: &mut String,
        n: usize,
        lane: &Lane,
        map: Map,
        (take, put): (bool, bool),
    ) {
        let shim = format!("%t_{}_0", lane.column);
        let core = self.core_tile(lane, 0);
        let (input, output) = (format!("in{n}"), format!("out{n}"));
        for (name, from, to, stream) in [
            (&input, &shim, &core, take.then_some(1)),
            (&output, &core, &shim, put.then_some(0)),
        ] {
            let attrs = stream.map_or(String::new(), |end| {
                format!("aie_stream = {end} : i32, aie_stream_port = 0 : i32")
            });
            self.fifo(
                out,
                Fifo {
                    name: name.clone(),
                    from: from.clone(),
                    to: vec![to.clone()],
                    depth: "2 : i32".to_string(),
                    object: lane.object,
                    attrs: &attrs,
                    to_stream: String::new(),
                    init: String::new(),
                },
            );
        }
        let ty = self.object_type(lane.object);
        let elem = self.elem.text();
        let work = |body: &mut Body<'_>| {
            let taken = if take {
                Vec::new()
            } else {
                body.acquire("in", &input, "Consume", 1, &ty)
            };
            let made = if put {
                Vec::new()
            } else {
                body.acquire("out", &output, "Produce", 1, &ty)
            };
            body.elements(|body| {
                body.line("    %port = arith.constant 0 : i32");
                match taken.first() {
                    None => body.line("    %v0 = aie.get_stream(%port : i32) : i32"),
                    Some(object) => body.load("%v0", object, &ty),
                }
                let value = body.map(map, self.elem.wrap(map.constant()), elem);
                match made.first() {
                    None => {
                        body.line(&format!("    aie.put_stream(%port : i32, {value} : i32)"));
                    }
                    Some(object) => body.store(&value, object, &ty),
                }
            });
            if !take {
                body.release(&input, "Consume", 1);
            }
            if !put {
                body.release(&output, "Produce", 1);
            }
        };
        Body::write(
            out,
            (lane.column, self.core_row),
            lane.object,
            lane.style,
            work,
        );
    }
}

impl Map {
    pub(super) fn constant(self) -> i64 {
        match self {
            Map::Add(c) | Map::Mul(c) | Map::Xor(c) | Map::Max(c) => c,
            Map::AddIndex => 0,
        }
    }
}
