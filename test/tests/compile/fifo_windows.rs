//! Object fifos in cores: random bodies (loops with known and unknown bounds, conditions, while
//! loops, jumps, sliding windows) are lowered and then executed, and must take, touch and give exactly
//! what the unlowered body takes, touches and gives.

use std::collections::BTreeMap;
use std::fmt::Write;

use aiec_aie::ir::{Attr, Block, Module, Op, Value};
use aiec_aie::ops::enums::{FifoPort, LockAction};
use aiec_aie::ops::netlist::operand_group;
use aiec_aie::ops::{
    ArithCmpI, ArithConstant, Core, ObjectFifoAcquire, ObjectFifoRelease, ObjectFifoSubviewAccess,
    OpKind, OpView, UseLock,
};
use aiec_diag::{Diags, SourceFile, SourceMap};
use aiec_passes::infra::manager::{PassStep, run};
use aiec_test::seeds::{Random, cases, first_seed};
use arbitrary::{Result as Draw, Unstructured};

/// A fifo of the design: its name, depth and what it means to the core under test.
const FIFOS: [(&str, i64, &str); 4] = [
    ("p", 2, "Produce"),
    ("q", 3, "Produce"),
    ("c", 2, "Consume"),
    ("d", 4, "Consume"),
];

/// Observable effect of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Event {
    Take(String, i64),
    Give(String, i64),
    Store(String, i64),
}

// ---- random bodies ----

struct Writer<'u, 'd> {
    draw: &'u mut Unstructured<'d>,
    text: String,
    names: usize,
    statements: usize,
}

impl Writer<'_, '_> {
    fn name(&mut self) -> String {
        self.names += 1;
        format!("%v{}", self.names)
    }

    fn block(&mut self, depth: usize) -> Draw<()> {
        for _ in 0..self.draw.int_in_range(1..=3)? {
            if self.statements == 0 {
                return Ok(());
            }
            self.statements -= 1;
            match self.draw.int_in_range(0..=if depth < 3 { 8 } else { 3 })? {
                0..=3 => self.window()?,
                4 | 5 => self.for_loop(depth)?,
                6 => self.condition(depth)?,
                7 if depth == 0 => self.jumps()?,
                _ => self.while_loop(depth)?,
            }
        }
        Ok(())
    }

    /// Acquires n, stores into some of them, releases at most n.
    fn window(&mut self) -> Draw<()> {
        let (fifo, depth, port) = *self.draw.choose(&FIFOS)?;
        let n = self.draw.int_in_range(1..=depth)?;
        let ty = "!aie.objectfifosubview<memref<4xi32>>";
        let view = self.name();
        writeln!(
            self.text,
            "{view} = aie.objectfifo.acquire @{fifo} ({port}, {n}) : {ty}"
        )
        .unwrap();
        for _ in 0..self.draw.int_in_range(0..=2)? {
            let (i, element, tag) = (self.draw.int_in_range(0..=n - 1)?, self.name(), self.names);
            writeln!(
                self.text,
                "{element} = aie.objectfifo.subview.access {view}[{i}] : {ty} -> memref<4xi32>\n\
                 %t{tag} = arith.constant {tag} : i32\n\
                 memref.store %t{tag}, {element}[%c0] : memref<4xi32>"
            )
            .unwrap();
        }
        let released = self.draw.int_in_range(0..=n)?;
        if released > 0 {
            writeln!(
                self.text,
                "aie.objectfifo.release @{fifo} ({port}, {released})"
            )
            .unwrap();
        }
        Ok(())
    }

    /// A number that only the memory knows.
    fn unknown(&mut self) -> Draw<String> {
        let (at, value, index) = (self.draw.int_in_range(0..=7)?, self.name(), self.name());
        writeln!(
            self.text,
            "{value}a = arith.constant {at} : index\n\
             {value} = memref.load %params[{value}a] : memref<8xi32>\n\
             {index} = arith.index_cast {value} : i32 to index"
        )
        .unwrap();
        Ok(index)
    }

    fn for_loop(&mut self, depth: usize) -> Draw<()> {
        let (lower, upper, step) = (
            self.draw.int_in_range(0..=2)?,
            self.draw.int_in_range(0..=9)?,
            self.draw.int_in_range(1..=3)?,
        );
        let bound = if self.draw.ratio(1, 3)? {
            self.unknown()?
        } else {
            format!("%c{upper}")
        };
        let iv = self.name();
        writeln!(
            self.text,
            "scf.for {iv} = %c{lower} to {bound} step %c{step} {{"
        )
        .unwrap();
        let element = self.name();
        writeln!(
            self.text,
            "{element} = arith.index_cast {iv} : index to i32\n\
             memref.store {element}, %log[%c0] : memref<4xi32>"
        )
        .unwrap();
        self.block(depth + 1)?;
        writeln!(self.text, "}}").unwrap();
        Ok(())
    }

    fn condition(&mut self, depth: usize) -> Draw<()> {
        let value = self.unknown()?;
        let flag = self.name();
        writeln!(self.text, "{flag} = arith.cmpi sgt, {value}, %c3 : index").unwrap();
        writeln!(self.text, "scf.if {flag} {{").unwrap();
        self.block(depth + 1)?;
        if self.draw.arbitrary()? {
            writeln!(self.text, "}} else {{").unwrap();
            self.block(depth + 1)?;
        }
        writeln!(self.text, "}}").unwrap();
        Ok(())
    }

    /// A loop of blocks and jumps, some of which leave it early; only at the top of a core.
    fn jumps(&mut self) -> Draw<()> {
        let bound = self.draw.int_in_range(0..=7)?;
        let (at, arg, again) = (self.names, self.name(), self.name());
        let (next, flag, leave) = (self.name(), self.name(), self.name());
        writeln!(
            self.text,
            "cf.br ^head{at}(%c0 : index)\n^head{at}({arg}: index):\n\
             {flag} = arith.cmpi sgt, %c{bound}, {arg} : index\n\
             cf.cond_br {flag}, ^body{at}, ^exit{at}\n^body{at}:"
        )
        .unwrap();
        self.block(1)?;
        let unknown = self.unknown()?;
        writeln!(
            self.text,
            "{leave} = arith.cmpi sgt, {unknown}, %c5 : index\n\
             cf.cond_br {leave}, ^exit{at}, ^tail{at}({arg} : index)\n^tail{at}({again}: index):"
        )
        .unwrap();
        self.block(1)?;
        writeln!(
            self.text,
            "{next} = arith.addi {again}, %c1 : index\n\
             cf.br ^head{at}({next} : index)\n^exit{at}:"
        )
        .unwrap();
        Ok(())
    }

    fn while_loop(&mut self, depth: usize) -> Draw<()> {
        let start = self.unknown()?;
        let (result, arg, flag, next) = (self.name(), self.name(), self.name(), self.name());
        writeln!(
            self.text,
            "{result} = scf.while ({arg} = {start}) : (index) -> index {{"
        )
        .unwrap();
        if self.draw.ratio(1, 4)? {
            self.window()?;
        }
        writeln!(
            self.text,
            "{flag} = arith.cmpi sgt, {arg}, %c0 : index\n\
             scf.condition({flag}) {arg} : index\n}} do {{\n^bb0({arg}b: index):"
        )
        .unwrap();
        self.block(depth + 1)?;
        writeln!(
            self.text,
            "{next} = arith.subi {arg}b, %c1 : index\nscf.yield {next} : index\n}}"
        )
        .unwrap();
        Ok(())
    }
}

fn design(draw: &mut Unstructured<'_>) -> Draw<String> {
    let mut writer = Writer {
        statements: draw.int_in_range(3..=14)?,
        draw,
        text: String::new(),
        names: 0,
    };
    while writer.statements > 0 {
        writer.block(0)?;
    }
    let dynamic = writer.draw.ratio(1, 3)?;
    let constants: String = (0..=9)
        .map(|n| format!("%c{n} = arith.constant {n} : index\n"))
        .collect();
    let body = &writer.text;
    Ok(format!(
        "module {{ aie.device(npu2) {{
         %a = aie.tile(0, 2)
         %b = aie.tile(0, 3)
         aie.objectfifo @p (%b, {{%a}}, 2 : i32) : !aie.objectfifo<memref<4xi32>>
         aie.objectfifo @q (%b, {{%a}}, [3, 3]) {{repeat_count = 3 : i32}} : !aie.objectfifo<memref<4xi32>>
         aie.objectfifo @c (%a, {{%b}}, 2 : i32) : !aie.objectfifo<memref<4xi32>>
         aie.objectfifo @d (%a, {{%b}}, [1, 4]) {{via_DMA = true}} : !aie.objectfifo<memref<4xi32>>
         %params = aie.buffer(%b) {{sym_name = \"params\"}} : memref<8xi32>
         %log = aie.buffer(%b) {{sym_name = \"log\"}} : memref<4xi32>
         %core = aie.core(%b) {{
         {constants}{body}aie.end
         }} {{dynamic_objfifo_lowering = {dynamic}}}
         }} }}"
    ))
}

// ---- execution ----

#[derive(Clone, Debug)]
enum Datum {
    Int(i64),
    Buffer(String),
    /// A fifo and the index of its oldest acquired object.
    View(usize, i64),
}

struct Machine<'m> {
    m: &'m Module,
    params: [i64; 8],
    values: BTreeMap<Value, Datum>,
    events: Vec<Event>,
    /// For each fifo: index and objects held.
    windows: [(i64, i64); 4],
    fuel: usize,
    /// The jump that the block just run ended with.
    jump: Option<Op>,
}

impl Machine<'_> {
    fn int(&self, op: Op, n: usize) -> i64 {
        let value = self.m.operand(op, n).unwrap();
        match self.values.get(&value) {
            Some(Datum::Int(v)) => *v,
            other => panic!("{} wants a number, not {other:?}", self.m.op_name(op)),
        }
    }

    fn set(&mut self, op: Op, datum: Datum) {
        self.values.insert(self.m.result(op, 0).unwrap(), datum);
    }

    fn buffer(&self, value: Value) -> String {
        match self.values.get(&value) {
            Some(Datum::Buffer(name)) => name.clone(),
            _ => {
                let op = self.m.def_op(value).unwrap();
                self.m.str_attr(op, "sym_name").unwrap().to_string()
            }
        }
    }

    fn data(&self, op: Op) -> Vec<Datum> {
        let one = |v| match self.values.get(&v) {
            Some(datum) => datum.clone(),
            None => Datum::Buffer(self.buffer(v)),
        };
        self.m.operands(op).map(one).collect()
    }

    fn enter(&mut self, block: Block, args: Vec<Datum>) {
        assert_eq!(self.m.block_args(block).len(), args.len());
        for (arg, datum) in self.m.block_args(block).iter().zip(args) {
            self.values.insert(*arg, datum);
        }
    }

    /// Runs a block; returns its terminator's kind and operands.
    fn block(&mut self, block: Block) -> (OpKind, Vec<Datum>) {
        let m = self.m;
        for op in m.ops_in(block) {
            let kind = m.kind(op);
            if matches!(kind, OpKind::CfBr | OpKind::CfCondBr) {
                self.jump = Some(op);
                return (kind, self.data(op));
            }
            if matches!(kind, OpKind::ScfYield | OpKind::ScfCondition | OpKind::End) {
                return (kind, self.data(op));
            }
            self.op(op, kind);
        }
        (OpKind::ScfYield, Vec::new())
    }

    /// Runs the blocks of a core from its first to its end.
    fn blocks(&mut self, first: Block) {
        let mut at = first;
        loop {
            let (kind, mut data) = self.block(at);
            let Some(jump) = self.jump.take() else {
                return;
            };
            let targets = self.m.successors(jump).to_vec();
            let mut target = targets[0];
            if kind == OpKind::CfCondBr {
                let Datum::Int(go) = data.remove(0) else {
                    panic!("no condition");
                };
                let to_true = operand_group(self.m, jump, 1).unwrap().len();
                let to_false = data.split_off(to_true);
                if go == 0 {
                    (target, data) = (targets[1], to_false);
                }
            }
            self.enter(target, data);
            at = target;
        }
    }

    fn results(&mut self, op: Op, data: Vec<Datum>) {
        assert_eq!(self.m.num_results(op), data.len());
        for (result, datum) in self.m.results(op).zip(data) {
            self.values.insert(result, datum);
        }
    }

    fn op(&mut self, op: Op, kind: OpKind) {
        self.fuel -= 1;
        let m = self.m;
        let binary = |f: fn(i64, i64) -> i64| Datum::Int(f(self.int(op, 0), self.int(op, 1)));
        match kind {
            OpKind::ArithConstant => {
                let value = ArithConstant(op).value(m).and_then(|a| a.as_int());
                self.set(op, Datum::Int(value.unwrap()));
            }
            OpKind::ArithAddI => self.set(op, binary(|a, b| a + b)),
            OpKind::ArithSubI => self.set(op, binary(|a, b| a - b)),
            OpKind::ArithMulI => self.set(op, binary(|a, b| a * b)),
            OpKind::ArithMaxSI => self.set(op, binary(i64::max)),
            OpKind::ArithRemUI => self.set(op, binary(|a, b| a % b)),
            OpKind::ArithDivSI => self.set(op, binary(|a, b| a / b)),
            OpKind::ArithCeilDivSI => self.set(op, binary(|a, b| -(-a).div_euclid(b))),
            OpKind::ArithIndexCast => self.set(op, Datum::Int(self.int(op, 0))),
            OpKind::ArithCmpI => {
                let predicate = ArithCmpI(op).predicate(m);
                let datum = match predicate {
                    4 => binary(|a, b| (a > b).into()),
                    5 => binary(|a, b| (a >= b).into()),
                    other => panic!("predicate {other} isn't used"),
                };
                self.set(op, datum);
            }
            OpKind::ArithSelect => {
                let taken = if self.int(op, 0) != 0 { 1 } else { 2 };
                self.set(op, Datum::Int(self.int(op, taken)));
            }
            OpKind::MemrefLoad => {
                self.set(op, Datum::Int(self.params[self.int(op, 1) as usize]));
            }
            OpKind::MemrefStore => {
                let to = self.buffer(m.operand(op, 1).unwrap());
                self.events.push(Event::Store(to, self.int(op, 0)));
            }
            OpKind::UseLock => {
                let lock = UseLock(op).lock_op(m).unwrap();
                let name = m.str_attr(lock.op(), "sym_name").unwrap().to_string();
                let amount = self.int(op, 1);
                match UseLock(op).action(m) {
                    _ if amount == 0 => {}
                    LockAction::Release => self.events.push(Event::Give(name, amount)),
                    _ => self.events.push(Event::Take(name, amount)),
                }
            }
            OpKind::ScfFor => self.for_loop(op),
            OpKind::ScfIf => {
                let region = usize::from(self.int(op, 0) == 0);
                let data = match m.entry(op, region) {
                    Some(block) => self.block(block).1,
                    None => Vec::new(),
                };
                self.results(op, data);
            }
            OpKind::ScfIndexSwitch => {
                let Some(Attr::DenseArray(cases)) = m.attr(op, "cases") else {
                    panic!("no cases");
                };
                let arg = self.int(op, 0);
                let case = cases.values.iter().position(|c| *c == arg);
                let region = case.map_or(0, |c| c + 1);
                let data = self.block(m.entry(op, region).unwrap()).1;
                self.results(op, data);
            }
            OpKind::ScfWhile => {
                let mut data = self.data(op);
                loop {
                    self.enter(m.entry(op, 0).unwrap(), data);
                    let (_, mut out) = self.block(m.entry(op, 0).unwrap());
                    let Datum::Int(go) = out.remove(0) else {
                        panic!("no condition");
                    };
                    if go == 0 {
                        self.results(op, out);
                        break;
                    }
                    self.enter(m.entry(op, 1).unwrap(), out);
                    data = self.block(m.entry(op, 1).unwrap()).1;
                }
            }
            _ => self.fifo_op(op, kind),
        }
    }

    fn for_loop(&mut self, op: Op) {
        let (lower, upper, step) = (self.int(op, 0), self.int(op, 1), self.int(op, 2));
        let mut data: Vec<Datum> = self.data(op).split_off(3);
        let body = self.m.entry(op, 0).unwrap();
        let mut iv = lower;
        while iv < upper {
            let mut args = vec![Datum::Int(iv)];
            args.extend(data);
            self.enter(body, args);
            data = self.block(body).1;
            iv += step;
        }
        self.results(op, data);
    }

    /// Executes a fifo operation by its meaning, without any lowering.
    fn fifo_op(&mut self, op: Op, kind: OpKind) {
        let m = self.m;
        let fifo = |name: &str| FIFOS.iter().position(|f| f.0 == name).unwrap();
        match kind {
            OpKind::ObjectFifoAcquire => {
                let view = ObjectFifoAcquire(op);
                let at = fifo(&view.objFifo_name(m));
                let (index, held) = self.windows[at];
                let size = i64::from(view.size(m));
                let produces = view.port(m) == FifoPort::Produce;
                let missing = (size - held).max(0);
                if missing > 0 {
                    self.events
                        .push(Event::Take(lock(at, produces), missing * tokens(at)));
                }
                self.windows[at].1 = held.max(size);
                self.set(op, Datum::View(at, index));
            }
            OpKind::ObjectFifoSubviewAccess => {
                let view = m.operand(op, 0).unwrap();
                let Some(Datum::View(at, index)) = self.values.get(&view).cloned() else {
                    panic!("not a view");
                };
                let element = i64::from(ObjectFifoSubviewAccess(op).index(m));
                let (name, depth, _) = FIFOS[at];
                let end = if name == "d" { "d_cons" } else { name };
                let object = (index + element) % depth;
                self.set(op, Datum::Buffer(format!("{end}_buff_{object}")));
            }
            OpKind::ObjectFifoRelease => {
                let view = ObjectFifoRelease(op);
                let at = fifo(&view.objFifo_name(m));
                let size = i64::from(view.size(m));
                let produces = view.port(m) == FifoPort::Produce;
                self.events
                    .push(Event::Give(lock(at, !produces), size * tokens(at)));
                let (index, held) = self.windows[at];
                self.windows[at] = ((index + size) % FIFOS[at].1, held - size);
            }
            _ => panic!("can't execute {}", m.op_name(op)),
        }
    }
}

fn lock(fifo: usize, prod: bool) -> String {
    let end = match FIFOS[fifo].0 {
        "d" => "d_cons",
        other => other,
    };
    format!("{end}_{}_lock_0", if prod { "prod" } else { "cons" })
}

/// Tokens of an object on the core's side: `@q` repeats each object three times.
fn tokens(fifo: usize) -> i64 {
    if FIFOS[fifo].0 == "q" { 3 } else { 1 }
}

fn execute(m: &Module, params: [i64; 8]) -> Vec<Event> {
    let core = m.find_all::<Core>(m.top())[0];
    let mut machine = Machine {
        m,
        params,
        values: BTreeMap::new(),
        events: Vec::new(),
        windows: [(0, 0); 4],
        fuel: 5_000_000,
        jump: None,
    };
    machine.blocks(m.entry(core.op(), 0).unwrap());
    machine.events
}

fn check(text: &str, params: [i64; 8]) {
    let mut sources = SourceMap::new();
    let file = sources.add(SourceFile::new("design", text));
    let mut diags = Diags::new();
    let mut module = aiec_aie::text::parse(file, &sources, &mut diags);
    let lines: Vec<String> = diags.iter().map(|d| d.one_line(&sources)).collect();
    assert!(!diags.has_errors(), "{}\n{text}", lines.join("\n"));
    let expected = execute(&module, params);
    let steps = [PassStep::new(&aiec_passes::objectfifo::PASS)];
    let done = run(&mut module, &steps, &mut diags, &mut |_, _, _| {});
    let lines: Vec<String> = diags.iter().map(|d| d.one_line(&sources)).collect();
    assert!(done.is_ok(), "{}\n{text}", lines.join("\n"));
    aiec_aie::verify::verify(&module, &mut diags);
    let lines: Vec<String> = diags.iter().map(|d| d.one_line(&sources)).collect();
    assert!(!diags.has_errors(), "{}\n{text}", lines.join("\n"));
    let printed = aiec_aie::text::print(&module, Default::default());
    assert_eq!(execute(&module, params), expected, "{text}\n{printed}");
}

/// Designs drawn by default.
const DESIGNS: u64 = 300;
/// Bytes of randomness for one design.
const ENTROPY_BYTES: usize = 1024;

#[test]
fn lowered_bodies_do_what_the_fifos_mean() {
    let mut random = Random::new(first_seed());
    for _ in 0..cases(DESIGNS) {
        let bytes = random.bytes(ENTROPY_BYTES);
        let mut draw = Unstructured::new(&bytes);
        let mut params = [0i64; 8];
        for p in &mut params {
            *p = draw.int_in_range(0..=7).unwrap();
        }
        check(&design(&mut draw).unwrap(), params);
    }
}
