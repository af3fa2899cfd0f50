//! The text of a program.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::{
    Block, Element, Id, MEMORY, MEMORY_AT, Operation, Program, RESULTS, RESULTS_AT, STACK, Step,
    Type,
};

/// The whole design: a core of tile (1, 3) of npu1.
pub fn text(program: &Program) -> String {
    let mut text = format!(
        "aie.device(npu1) {{
  %tile = aie.tile(1, 3)
  %a = aie.buffer(%tile) {{address = {MEMORY_AT} : i32, sym_name = \"a\"}} : memref<{MEMORY}xi32>
  %b = aie.buffer(%tile) {{address = {RESULTS_AT} : i32, sym_name = \"b\"}} : memref<{RESULTS}xi32>
"
    );
    for (from, at) in views(&program.body) {
        let _ = writeln!(
            text,
            "func.func @view{from}_{at}(%v: {view}) -> i32 {{
  %w = memref.reinterpret_cast %v to offset: [{at}], sizes: [1], strides: [1] : {view} to memref<1xi32, strided<[1], offset: {at}>>
  %c = arith.constant 0 : index
  %x = memref.load %w[%c] : memref<1xi32, strided<[1], offset: {at}>>
  return %x : i32
}}",
            view = view(from),
        );
    }
    for (number, function) in program.functions.iter().enumerate() {
        let parameters = list(program, &function.parameters, |id, ty| {
            format!("%v{id}: {ty}")
        });
        let results = types(program, &function.body.yields);
        let _ = writeln!(text, "func.func @f{number}({parameters}) -> ({results}) {{");
        block(&mut text, program, &function.body, "return");
        text.push_str("}\n");
    }
    text.push_str("%core = aie.core(%tile) {\n");
    for step in &program.body.steps {
        write_step(&mut text, program, step);
    }
    store_values(&mut text, program);
    let _ = writeln!(text, "aie.end\n}} {{stack_size = {STACK} : i32}}\n}}");
    text
}

/// The lanes that are stored at the end, as many as the buffer takes: the first and the last of
/// each value.
pub fn stored(program: &Program) -> Vec<(Id, usize)> {
    let lanes = program.body.yields.iter().flat_map(|id| {
        let last = program.types[*id].lanes.map(|lanes| (*id, lanes - 1));
        [(*id, 0)].into_iter().chain(last)
    });
    // A lane has one word, or two.
    lanes.take(RESULTS / 2).collect()
}

/// The views that functions take, each once.
fn views(body: &Block) -> BTreeSet<(u64, u64)> {
    let inner = |step: &Step| match step {
        Step::Compute {
            operation: Operation::OfView { from, at },
            ..
        } => BTreeSet::from([(*from, *at)]),
        Step::If {
            then, otherwise, ..
        } => [Some(then), otherwise.as_ref()]
            .into_iter()
            .flatten()
            .flat_map(views)
            .collect(),
        Step::For { body, .. } | Step::ExecuteRegion { body, .. } => views(body),
        Step::While { before, after, .. } => [before, after].into_iter().flat_map(views).collect(),
        Step::Switch { cases, default, .. } => {
            let cases = cases.iter().map(|(_, block)| block);
            cases.chain([default]).flat_map(views).collect()
        }
        _ => BTreeSet::new(),
    };
    body.steps.iter().flat_map(inner).collect()
}

/// The type of a part of the memory from a word on.
fn view(from: u64) -> String {
    format!("memref<2xi32, strided<[1], offset: {from}>>")
}

fn store_values(text: &mut String, program: &Program) {
    let mut at = 0;
    for (number, (id, lane)) in stored(program).into_iter().enumerate() {
        let ty = program.types[id];
        let mut name = format!("v{id}");
        let mut convert = |text: &mut String, step: &str, operation: &str, types: String| {
            let next = format!("s{number}{step}");
            let _ = writeln!(text, "%{next} = {operation} %{name}{types}");
            name = next;
        };
        if ty.lanes.is_some() {
            let types = format!("[{lane}] : {} from {}", element(ty.element), type_text(ty));
            convert(text, "e", "vector.extract", types);
        }
        let bits = ty.element.bits();
        let from = element(ty.element);
        match ty.element {
            Element::Float(_) => {
                convert(text, "b", "arith.bitcast", format!(" : {from} to i{bits}"));
            }
            Element::Index => {
                convert(
                    text,
                    "b",
                    "arith.index_cast",
                    format!(" : {from} to i{bits}"),
                );
            }
            Element::Int(_) => {}
        }
        if bits < 32 {
            convert(text, "w", "arith.extui", format!(" : i{bits} to i32"));
        }
        let whole = name.clone();
        for half in 0..bits.div_ceil(32) {
            let mut word = whole.clone();
            if bits == 64 {
                word = format!("s{number}_{half}");
                let _ = writeln!(
                    text,
                    "%k{word} = arith.constant {} : i64\n\
                     %r{word} = arith.shrui %{whole}, %k{word} : i64\n\
                     %{word} = arith.trunci %r{word} : i64 to i32",
                    32 * half
                );
            }
            let _ = writeln!(
                text,
                "%at{at} = arith.constant {at} : index\n\
                 memref.store %{word}, %b[%at{at}] : memref<{RESULTS}xi32>"
            );
            at += 1;
        }
    }
}

fn element(element: Element) -> String {
    match element {
        Element::Int(bits) => format!("i{bits}"),
        Element::Index => "index".to_string(),
        Element::Float(format) => format.name().to_string(),
    }
}

fn type_text(ty: Type) -> String {
    match ty.lanes {
        Some(lanes) => format!("vector<{lanes}x{}>", element(ty.element)),
        None => element(ty.element),
    }
}

fn list(program: &Program, ids: &[Id], one: impl Fn(Id, String) -> String) -> String {
    let all = ids.iter().map(|id| one(*id, type_text(program.types[*id])));
    all.collect::<Vec<_>>().join(", ")
}

fn types(program: &Program, ids: &[Id]) -> String {
    list(program, ids, |_, ty| ty)
}

fn names(program: &Program, ids: &[Id]) -> String {
    list(program, ids, |id, _| format!("%v{id}"))
}

/// `%v1, %v2 = ` or nothing.
fn results_text(program: &Program, results: &[Id]) -> String {
    match results {
        [] => String::new(),
        _ => format!("{} = ", names(program, results)),
    }
}

/// ` -> (i32, i8)` or nothing.
fn result_types(program: &Program, results: &[Id]) -> String {
    match results {
        [] => String::new(),
        _ => format!(" -> ({})", types(program, results)),
    }
}

/// The steps of a block and what ends it.
fn block(text: &mut String, program: &Program, block: &Block, end: &str) {
    for step in &block.steps {
        write_step(text, program, step);
    }
    if !block.yields.is_empty() {
        let (values, types) = (names(program, &block.yields), types(program, &block.yields));
        let _ = writeln!(text, "{end} {values} : {types}");
    }
}

fn write_step(text: &mut String, program: &Program, step: &Step) {
    match step {
        Step::Compute {
            result,
            operation,
            operands,
        } => compute(text, program, *result, operation, operands),
        Step::Store { value, at } => {
            let _ = writeln!(
                text,
                "memref.store %v{value}, %a[%v{at}] : memref<{MEMORY}xi32>"
            );
        }
        Step::Write { value, at } => {
            let ty = type_text(program.types[*value]);
            let _ = writeln!(
                text,
                "vector.transfer_write %v{value}, %a[%v{at}] : {ty}, memref<{MEMORY}xi32>"
            );
        }
        Step::If {
            results,
            condition,
            then,
            otherwise,
        } => {
            let (names, ty) = (
                results_text(program, results),
                result_types(program, results),
            );
            let _ = writeln!(text, "{names}scf.if %v{condition}{ty} {{");
            block(text, program, then, "scf.yield");
            if let Some(otherwise) = otherwise {
                text.push_str("} else {\n");
                block(text, program, otherwise, "scf.yield");
            }
            text.push_str("}\n");
        }
        Step::For { .. } | Step::While { .. } => loops(text, program, step),
        Step::Switch {
            results,
            on,
            cases,
            default,
        } => {
            let (names, ty) = (
                results_text(program, results),
                result_types(program, results),
            );
            let _ = writeln!(
                text,
                "{names}scf.index_switch %v{on}{}",
                ty.replace(['(', ')'], "")
            );
            for (case, body) in cases {
                let _ = writeln!(text, "case {case} {{");
                block(text, program, body, "scf.yield");
                text.push_str("}\n");
            }
            text.push_str("default {\n");
            block(text, program, default, "scf.yield");
            text.push_str("}\n");
        }
        Step::ExecuteRegion { results, body } => {
            let (names, ty) = (
                results_text(program, results),
                result_types(program, results),
            );
            let _ = writeln!(text, "{names}scf.execute_region{ty} {{");
            block(text, program, body, "scf.yield");
            if body.yields.is_empty() {
                text.push_str("scf.yield\n");
            }
            text.push_str("}\n");
        }
        Step::Call {
            results,
            function,
            operands,
        } => {
            let _ = writeln!(
                text,
                "{}func.call @f{function}({}) : ({}) -> ({})",
                results_text(program, results),
                names(program, operands),
                types(program, operands),
                types(program, results)
            );
        }
    }
}

fn loops(text: &mut String, program: &Program, step: &Step) {
    let assigned = |arguments: &[Id], initial: &[Id]| {
        let pairs = arguments.iter().zip(initial);
        let all = pairs.map(|(to, from)| format!("%v{to} = %v{from}"));
        all.collect::<Vec<_>>().join(", ")
    };
    match step {
        Step::For {
            results,
            range: [lower, upper, step],
            unsigned,
            counter,
            arguments,
            initial,
            body,
        } => {
            let (names, ty) = (
                results_text(program, results),
                result_types(program, results),
            );
            let carried = match &arguments[..] {
                [] => String::new(),
                _ => format!(" iter_args({}){ty}", assigned(arguments, initial)),
            };
            let order = if *unsigned { "unsigned " } else { "" };
            let index = match program.types[*counter].element {
                Element::Index => String::new(),
                other => format!(" : {}", element(other)),
            };
            let _ = writeln!(
                text,
                "{names}scf.for {order}%v{counter} = %v{lower} to %v{upper} step %v{step}{carried}{index} {{"
            );
            block(text, program, body, "scf.yield");
            text.push_str("}\n");
        }
        Step::While {
            results,
            arguments,
            initial,
            before,
            forwarded,
            after,
        } => {
            let _ = writeln!(
                text,
                "{}scf.while ({}) : ({}) -> ({}) {{",
                results_text(program, results),
                assigned(arguments, initial),
                types(program, arguments),
                types(program, results)
            );
            for step in &before.steps {
                write_step(text, program, step);
            }
            let (condition, values) = before.yields.split_first().unwrap();
            let (values, ty) = (names(program, values), types(program, values));
            let _ = writeln!(
                text,
                "scf.condition(%v{condition}) {values} : {ty}\n}} do {{"
            );
            let arguments = list(program, forwarded, |id, ty| format!("%v{id}: {ty}"));
            let _ = writeln!(text, "^bb0({arguments}):");
            block(text, program, after, "scf.yield");
            text.push_str("}\n");
        }
        other => panic!("{other:?} is no loop"),
    }
}

fn compute(
    text: &mut String,
    program: &Program,
    result: Id,
    operation: &Operation,
    operands: &[Id],
) {
    let ty = type_text(program.types[result]);
    let from = operands.last().map(|id| type_text(program.types[*id]));
    let from = from.unwrap_or_else(|| ty.clone());
    let names = names(program, operands);
    let rest = match operation {
        Operation::Constant(bits) => constant(program.types[result], *bits, &ty),
        Operation::Integer(name) | Operation::Float(name) => format!("{name} {names} : {ty}"),
        Operation::CompareIntegers(predicate) => {
            format!("arith.cmpi {predicate}, {names} : {from}")
        }
        Operation::CompareFloats(predicate) => format!("arith.cmpf {predicate}, {names} : {from}"),
        Operation::Select => {
            let condition = program.types[operands[0]];
            let mask = match condition.lanes {
                Some(_) => format!("{}, ", type_text(condition)),
                None => String::new(),
            };
            format!("arith.select {names} : {mask}{ty}")
        }
        Operation::Convert(name) => format!("{name} {names} : {from} to {ty}"),
        Operation::Broadcast => format!("vector.broadcast {names} : {from} to {ty}"),
        Operation::Extract(lane) => format!("vector.extract {names}[{lane}] : {ty} from {from}"),
        Operation::Load => format!("memref.load %a[{names}] : memref<{MEMORY}xi32>"),
        Operation::Read => {
            let [at, padding] = operands[..] else {
                panic!("a transfer has an index and padding")
            };
            format!("vector.transfer_read %a[%v{at}], %v{padding} : memref<{MEMORY}xi32>, {ty}")
        }
        Operation::OfView { from, at } => {
            let view = view(*from);
            let _ = writeln!(
                text,
                "%p{result} = memref.subview %a[{from}] [2] [1] : memref<{MEMORY}xi32> to {view}"
            );
            format!("func.call @view{from}_{at}(%p{result}) : ({view}) -> i32")
        }
    };
    let _ = writeln!(text, "%v{result} = {rest}");
}

fn constant(ty: Type, bits: u64, text: &str) -> String {
    let number = match ty.element {
        Element::Float(_) => {
            let digits = ty.element.bits() as usize / 4;
            format!("0x{bits:0digits$X}")
        }
        Element::Int(1) => ["false", "true"][bits as usize & 1].to_string(),
        _ => {
            let unused = 64 - ty.element.bits();
            ((bits << unused) as i64 >> unused).to_string()
        }
    };
    match ty.lanes {
        Some(_) => format!("arith.constant dense<{number}> : {text}"),
        None if ty.element == Element::Int(1) => format!("arith.constant {number}"),
        None => format!("arith.constant {number} : {text}"),
    }
}
