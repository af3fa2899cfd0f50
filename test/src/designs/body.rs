//! The bodies of cores: equal work, inside the control flow of the lane's style.

use std::fmt::Write;

use super::{Form, Map, Style};

/// Loop bound of cores that never end.
const FOREVER: i64 = i64::MAX;

/// The body of a core.
pub(super) struct Body<'a> {
    out: &'a mut String,
    style: Style,
    /// Rounds of work written so far; names of one round end in its number.
    round: usize,
}

impl<'a> Body<'a> {
    /// Writes the core of a tile, which does `work` without end.
    pub(super) fn write(
        out: &'a mut String,
        (col, row): (u8, u8),
        elements: usize,
        style: Style,
        work: impl Fn(&mut Body<'_>),
    ) {
        let mut body = Body {
            out,
            style,
            round: 0,
        };
        let _ = write!(
            body.out,
            "    %core_{col}_{row} = aie.core(%t_{col}_{row}) {{\n    \
             %c0 = arith.constant 0 : index\n    %c1 = arith.constant 1 : index\n    \
             %c2 = arith.constant 2 : index\n    %c3 = arith.constant 3 : index\n    \
             %n = arith.constant {elements} : index\n    \
             %ever = arith.constant {FOREVER} : index\n"
        );
        body.form(&work);
        body.out.push_str("    aie.end\n    }");
        if style.dynamic {
            body.out.push_str(" {dynamic_objfifo_lowering = true}");
        }
        body.out.push('\n');
    }

    fn form(&mut self, work: &impl Fn(&mut Body<'_>)) {
        let once = |body: &mut Body<'_>| {
            work(body);
            body.round += 1;
        };
        match self.style.form {
            Form::Plain => self.ever(once),
            Form::Steps => {
                self.line("%c5 = arith.constant 5 : index");
                self.line("scf.for %round = %c5 to %ever step %c3 {");
                once(self);
                self.line("}");
            }
            Form::Before(count) => {
                for _ in 0..count {
                    once(self);
                }
                self.ever(once);
            }
            Form::Inner(count) => self.ever(|body| body.times(count, once)),
            Form::Siblings(first, second) => self.ever(|body| {
                body.times(first, once);
                body.times(second, once);
            }),
            Form::Twice => self.ever(|body| {
                once(body);
                once(body);
            }),
            Form::Branches => self.ever(|body| {
                body.every_second();
                body.line("scf.if %even {");
                once(body);
                body.line("} else {");
                once(body);
                once(body);
                body.line("}");
            }),
            Form::Sometimes => self.ever(|body| {
                once(body);
                body.every_second();
                body.line("scf.if %even {");
                once(body);
                body.line("}");
            }),
            Form::Never => self.ever(|body| {
                body.line("%none = arith.remui %round, %c1 : index");
                body.line("scf.for %j = %c0 to %none step %c1 {");
                once(body);
                body.line("}");
                body.line("scf.for %j = %c2 to %c2 step %c1 {");
                once(body);
                body.line("}");
                once(body);
            }),
            Form::RunTime => self.ever(|body| {
                body.line("%some = arith.remui %round, %c3 : index");
                body.line("scf.for %j = %c0 to %some step %c1 {");
                once(body);
                body.line("}");
                once(body);
            }),
            Form::While => {
                self.line("%last = scf.while (%at = %c0) : (index) -> index {");
                self.line("  %go = arith.cmpi ult, %at, %ever : index");
                self.line("  scf.condition(%go) %at : index");
                self.line("} do {");
                self.line("^bb0(%at: index):");
                once(self);
                self.line("  %next = arith.addi %at, %c1 : index");
                self.line("  scf.yield %next : index");
                self.line("}");
            }
        }
    }

    fn ever(&mut self, inside: impl Fn(&mut Body<'_>)) {
        self.line("scf.for %round = %c0 to %ever step %c1 {");
        inside(self);
        self.line("}");
    }

    fn times(&mut self, count: usize, inside: impl Fn(&mut Body<'_>)) {
        let round = self.round;
        self.line(&format!("%times_{round} = arith.constant {count} : index"));
        self.line(&format!("scf.for %j = %c0 to %times_{round} step %c1 {{"));
        inside(self);
        self.line("}");
    }

    /// Defines `%even`.
    fn every_second(&mut self) {
        self.line("%rest = arith.remui %round, %c2 : index");
        self.line("%even = arith.cmpi eq, %rest, %c0 : index");
    }

    /// Writes a line.
    pub(super) fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "    {text}");
    }

    /// Acquires objects; returns their names.
    pub(super) fn acquire(
        &mut self,
        value: &str,
        fifo: &str,
        port: &str,
        count: usize,
        ty: &str,
    ) -> Vec<String> {
        let names: Vec<String> = (0..count)
            .map(|k| format!("%{value}{k}_{}", self.round))
            .collect();
        if self.style.direct {
            let types = vec![ty; count].join(", ");
            let list = names.join(", ");
            self.line(&format!(
                "  {list} = aie.objectfifo.acquire @{fifo}({port}, {count}) : {types}"
            ));
            return names;
        }
        let view = format!("!aie.objectfifosubview<{ty}>");
        let window = format!("%w_{value}_{}", self.round);
        self.line(&format!(
            "  {window} = aie.objectfifo.acquire @{fifo}({port}, {count}) : {view}"
        ));
        for (k, name) in names.iter().enumerate() {
            self.line(&format!(
                "  {name} = aie.objectfifo.subview.access {window}[{k}] : {view} -> {ty}"
            ));
        }
        names
    }

    /// Releases objects.
    pub(super) fn release(&mut self, fifo: &str, port: &str, count: usize) {
        self.line(&format!(
            "  aie.objectfifo.release @{fifo}({port}, {count})"
        ));
    }

    /// A loop over the elements, with `%i`.
    pub(super) fn elements(&mut self, inside: impl Fn(&mut Body<'_>)) {
        if self.style.affine {
            self.line("  affine.for %i = 0 to %n {")
        } else {
            self.line("  scf.for %i = %c0 to %n step %c1 {")
        }
        inside(self);
        self.line("  }");
    }

    /// Loads element `%i` of an object.
    pub(super) fn load(&mut self, value: &str, object: &str, ty: &str) {
        let dialect = if self.style.affine {
            "affine"
        } else {
            "memref"
        };
        self.line(&format!("    {value} = {dialect}.load {object}[%i] : {ty}"));
    }

    /// Stores element `%i` of an object.
    pub(super) fn store(&mut self, value: &str, object: &str, ty: &str) {
        let dialect = if self.style.affine {
            "affine"
        } else {
            "memref"
        };
        self.line(&format!("    {dialect}.store {value}, {object}[%i] : {ty}"));
    }

    /// Applies a map to `%v0`; returns the value's name.
    pub(super) fn map(&mut self, map: Map, constant: i64, elem: &str) -> String {
        let op = match map {
            Map::Add(_) => "arith.addi",
            Map::Mul(_) => "arith.muli",
            Map::Xor(_) => "arith.xori",
            Map::Max(_) => "arith.maxsi",
            Map::AddIndex => {
                self.line(&format!("    %k = arith.index_cast %i : index to {elem}"));
                self.line(&format!("    %r = arith.addi %v0, %k : {elem}"));
                return "%r".to_string();
            }
        };
        self.line(&format!("    %k = arith.constant {constant} : {elem}"));
        self.line(&format!("    %r = {op} %v0, %k : {elem}"));
        "%r".to_string()
    }
}
