//! The text of shapes without a core of their own: links of tiles, constant contents, registered
//! processes.

use std::fmt::Write;

use super::text::Fifo;
use super::{Design, Hop, Lane};

impl Design {
    pub(super) fn forward(
        &self,
        out: &mut String,
        n: usize,
        lane: &Lane,
        (hops, fifos): (&[Hop], &[(usize, usize, usize)]),
    ) {
        let shim = format!("%t_{}_0", lane.column);
        let tile = |hop: &Hop| match hop {
            Hop::Mem => format!("%t_{}_1", lane.column),
            Hop::Core(row) => self.core_tile(lane, *row),
        };
        let name = |i: usize| match i {
            0 => format!("in{n}"),
            i if i == hops.len() => format!("out{n}"),
            i => format!("f{n}_{i}"),
        };
        for (i, (from, to, depth)) in fifos.iter().enumerate() {
            let init = if from == to {
                String::new()
            } else {
                format!(" -> !aie.objectfifo<{}>", self.object_type(*to))
            };
            self.fifo(
                out,
                Fifo {
                    name: name(i),
                    from: i.checked_sub(1).map_or(shim.clone(), |i| tile(&hops[i])),
                    to: vec![hops.get(i).map_or(shim.clone(), tile)],
                    depth: format!("{depth} : i32"),
                    object: *from,
                    attrs: "",
                    to_stream: String::new(),
                    init,
                },
            );
        }
        for i in 0..hops.len() {
            let (from, to) = (name(i), name(i + 1));
            let _ = writeln!(out, "    aie.objectfifo.link [@{from}] -> [@{to}]([] [])");
        }
    }

    pub(super) fn constants(
        &self,
        out: &mut String,
        n: usize,
        lane: &Lane,
        objects: &[Vec<i64>],
        rounds: Option<usize>,
    ) {
        let attrs = match rounds {
            Some(rounds) => format!("iter_count = {rounds} : i32"),
            None => "disable_synchronization = true".to_string(),
        };
        self.fifo(
            out,
            Fifo {
                name: format!("out{n}"),
                from: format!("%t_{}_1", lane.column),
                to: vec![format!("%t_{}_0", lane.column)],
                depth: format!("{} : i32", objects.len()),
                object: lane.object,
                attrs: &attrs,
                to_stream: String::new(),
                init: self.contents(objects, lane.object),
            },
        );
    }

    pub(super) fn process(
        &self,
        out: &mut String,
        n: usize,
        lane: &Lane,
        ((acquire, release), depth, made): ((usize, usize), usize, usize),
    ) {
        self.fifo(
            out,
            Fifo {
                name: format!("out{n}"),
                from: self.core_tile(lane, 0),
                to: vec![format!("%t_{}_0", lane.column)],
                depth: format!("[{depth}, 1]"),
                object: lane.object,
                attrs: "",
                to_stream: String::new(),
                init: String::new(),
            },
        );
        let (ty, elem) = (self.object_type(lane.object), self.elem.text());
        let args: Vec<String> = (0..acquire).map(|k| format!("%o{k}: {ty}")).collect();
        let _ = writeln!(out, "    func.func @fill{n}({}) {{", args.join(", "));
        let _ = writeln!(
            out,
            "      %c0 = arith.constant 0 : index\n      %c1 = arith.constant 1 : index\n      \
             %n = arith.constant {} : index\n      scf.for %i = %c0 to %n step %c1 {{\n        \
             %v = arith.index_cast %i : index to {elem}",
            lane.object
        );
        for k in 0..acquire {
            let _ = writeln!(
                out,
                "        %k{k} = arith.constant {} : {elem}\n        \
                 %r{k} = arith.addi %v, %k{k} : {elem}\n        \
                 memref.store %r{k}, %o{k}[%i] : {ty}",
                k * 16
            );
        }
        out.push_str("      }\n      return\n    }\n");
        let _ = writeln!(
            out,
            "    %acquire{n} = arith.constant dense<{acquire}> : tensor<1xi32>\n    \
             %release{n} = arith.constant dense<{release}> : tensor<1xi32>\n    \
             %length{n} = arith.constant {} : index\n    \
             aie.objectfifo.register_process @out{n}(Produce, %acquire{n} : tensor<1xi32>, \
             %release{n} : tensor<1xi32>, @fill{n}, %length{n})",
            made / release
        );
    }

    /// Initial contents of objects, as written after a fifo's type.
    pub(super) fn contents(&self, objects: &[Vec<i64>], object: usize) -> String {
        let ty = self.object_type(object);
        let values = |o: &Vec<i64>| {
            let list: Vec<String> = o.iter().map(i64::to_string).collect();
            format!("dense<[{}]> : {ty}", list.join(", "))
        };
        let list: Vec<String> = objects.iter().map(values).collect();
        if list.is_empty() {
            String::new()
        } else {
            format!(" = [{}]", list.join(", "))
        }
    }
}
