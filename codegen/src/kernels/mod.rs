//! The library of kernels: functions that designs of mlir-aie declare and link from C++, as MLIR
//! texts.
//!
//! A text holds functions over type aliases: `!e` is an element of the first buffer, each buffer has an alias with the
//! name of its parameter. [`library`] makes the functions that a design declares without a body: it finds the kernel by
//! its name, with or without what IRON puts in front of it, picks the function for the types of the buffers, binds the aliases
//! and puts a function with the declared name and types around it. [`crate::link_functions::link`] takes the result.
//!
//! Names and parameters are those of the simulator's built-in kernels, and so are the results: integers wrap, floats are computed in f32
//! and rounded where they are stored. Matrices of `matmul` lie in blocks as in the library of C++ ([`Arch::product_blocks`]).
//! Sources of the meanings: `mlir-aie: aie_kernels`.

use std::fmt::Write;

use aiec_aie::ir::{Attr, Module, Op, Type};
use aiec_aie::ops::{BFP16_PRODUCTS, Device, OpKind};
use aiec_aie::text::parse_text;
use aiec_device::{Arch, BFP16_BLOCKS};
use aiec_diag::{Diag, Diags, FileId, Reported};
use aiec_vcode::{ArgumentType, ElementType, Signature, plain_name, product_sides};
use rustc_hash::FxHashSet;

use crate::codes::NO_WHOLE_BLOCKS;
use crate::link_functions::Library;
use crate::signature::external_signature;

mod products;
mod rows;
#[cfg(test)]
mod tests;

use rows::{Row, Variants, find};

/// The texts.
const TEXTS: [&str; 5] = [
    include_str!("elementwise.mlir"),
    include_str!("reduce.mlir"),
    include_str!("matrix.mlir"),
    include_str!("activation.mlir"),
    include_str!("convolution.mlir"),
];

/// The file of texts of the program itself: none of the sources, so that findings and lines name no place in those.
pub(crate) const NO_FILE: FileId = FileId(u32::MAX);

/// A buffer that a kernel is called with.
struct Buffer {
    element: ElementType,
    /// Elements in all.
    len: u64,
}

/// The kernels of the library for the functions that a design declares without a body; a function that is none of them, or has
/// types that none is written for, stays without.
pub fn library(module: &Module) -> Vec<Library> {
    let products = blocked_products(module);
    let declared = declared_functions(module);
    declared
        .filter_map(|op| kernel(module, op, products))
        .collect()
}

/// Those of [`library`] that the design permits to round factors to blocks, which the simulator's built-in kernels don't; without
/// those to which one of the files in `given` gives a body.
///
/// # Errors
/// Matrices of such a kernel that aren't whole blocks: no other kernel has its matrices in blocks of that size.
pub fn products_in_blocks(
    module: &Module,
    given: &[Library],
    diags: &mut Diags,
) -> Result<Vec<Library>, Reported> {
    let mut bodies = FxHashSet::default();
    for Library { module, .. } in given {
        let functions = module.find(module.top(), OpKind::FuncFunc).into_iter();
        let functions = functions.filter(|op| module.entry(*op, 0).is_some());
        bodies.extend(functions.filter_map(|op| module.str_attr(op, "sym_name")));
    }
    let permitted = declared_functions(module).filter(|op| {
        let name = module.str_attr(*op, "sym_name");
        module.attr(*op, BFP16_PRODUCTS).is_some() && name.is_none_or(|name| !bodies.contains(name))
    });
    let products = blocked_products(module);
    let (mut made, mut good) = (Vec::new(), Ok(()));
    for function in permitted {
        made.extend(kernel(module, function, products));
        if let Some(diag) = no_whole_blocks(module, function) {
            diags.push(diag);
            good = Err(Reported);
        }
    }
    good.map(|()| made)
}

/// The finding about a product in blocks whose matrices aren't whole blocks.
fn no_whole_blocks(module: &Module, function: Op) -> Option<Diag> {
    let (signature, row) = declared_row(module, function)?;
    let in_blocks = has_blocks(module, function)?.1;
    let [
        ArgumentType::Buffer {
            shape: a,
            element: ElementType::Bf16,
        },
        ArgumentType::Buffer { shape: b, .. },
        ArgumentType::Buffer { shape: c, .. },
    ] = &signature.arguments[..]
    else {
        return None;
    };
    if !in_blocks || row.variants != (Variants::Product { blocked: true }) {
        return None;
    }
    let [rows, inner, columns] = BFP16_BLOCKS;
    let message = match [a, b, c].map(|shape| element_count(shape)) {
        [Some(a), Some(b), Some(c)] => {
            // Sizes that fit no product are found where the kernel is called.
            let sides = product_sides(a, b, c)?;
            let mut parts = sides.iter().zip(BFP16_BLOCKS);
            if parts.all(|(side, block)| side.is_multiple_of(block)) {
                return None;
            }
            let [m, k, n] = sides;
            format!(
                "matrices of {m}×{k} and {k}×{n} aren't whole blocks of {rows}×{inner} and {inner}×{columns}"
            )
        }
        _ => format!(
            "matrices of unknown size may not be whole blocks of {rows}×{inner} and {inner}×{columns}"
        ),
    };
    let without = Arch::Aie2p.product_blocks(16, true)?;
    let [rows, inner, columns] = without;
    let help = format!(
        "make all sides multiples of 8, with zeros where nothing is, or leave {BFP16_PRODUCTS} out: then factors aren't rounded, and \
         matrices lie in blocks of {rows}×{inner} and {inner}×{columns}"
    );
    let diag = Diag::error(&NO_WHOLE_BLOCKS, message)
        .label(module.span(function), "this kernel multiplies blocks")
        .help(help);
    Some(diag)
}

fn declared_functions(module: &Module) -> impl Iterator<Item = Op> {
    let functions = module.find(module.top(), OpKind::FuncFunc).into_iter();
    functions.filter(|op| module.entry(*op, 0).is_none())
}

/// The stems of the names of all kernels, with their parameters: buffers with a star, optional ones
/// in brackets.
pub fn kernel_names() -> impl Iterator<Item = (&'static str, &'static str)> {
    rows::ROWS.iter().map(|row| (row.stem, row.parameters))
}

/// Declared functions that are products of matrices in blocks. Those of a core share its program memory; which functions a
/// core calls isn't known here.
fn blocked_products(module: &Module) -> u64 {
    let is_product = |op: &Op| {
        let row = declared_row(module, *op);
        row.is_some_and(|(_, row)| row.variants == Variants::Product { blocked: true })
    };
    declared_functions(module).filter(is_product).count() as u64
}

/// The signature of a declared function, and the row of the table that it is a kernel of.
fn declared_row(module: &Module, function: Op) -> Option<(Signature, &'static Row)> {
    let signature = external_signature(module, function)?;
    let row = find(plain_name(&signature.name))?;
    Some((signature, row))
}

/// The kernel for one declared function of a design with `products` [`blocked_products`].
fn kernel(module: &Module, function: Op, products: u64) -> Option<Library> {
    let (signature, row) = declared_row(module, function)?;
    let types = match module.attr(function, "function_type") {
        Some(Attr::Type(Type::Function(types))) => types.inputs.clone(),
        _ => return None,
    };
    let form = has_blocks(module, function)?;
    let text = text(row, &signature, &types, form, products)?;
    let mut diags = Diags::default();
    let module = parse_text(NO_FILE, &text, &mut diags);
    debug_assert!(!diags.has_errors(), "{diags:?}\n{text}");
    let name = format!("the kernel library ({})", row.stem);
    (!diags.has_errors()).then_some(Library { name, module })
}

/// The architecture that a function is for, and whether its products are by block floating point.
fn has_blocks(module: &Module, function: Op) -> Option<(Arch, bool)> {
    let device = Device::around(module, function).or_else(|| {
        let devices = module.find(module.top(), OpKind::Device);
        devices.first().map(|op| Device(*op))
    });
    let arch = device?.model(module)?.arch();
    let is_permitted = module.attr(function, BFP16_PRODUCTS).is_some();
    Some((arch, arch == Arch::Aie2p && is_permitted))
}

/// Elements of a buffer; `None` if a size is unknown.
fn element_count(shape: &[Option<u64>]) -> Option<u64> {
    shape
        .iter()
        .try_fold(1u64, |len, size| len.checked_mul((*size)?))
}

/// The design of a kernel: aliases, the function of the library, a function with the declared name around it.
fn text(
    row: &Row,
    signature: &Signature,
    types: &[Type],
    (arch, in_blocks): (Arch, bool),
    products: u64,
) -> Option<String> {
    let arguments = &signature.arguments;
    if signature.result.is_some() || arguments.len() > row.parameter_list().count() {
        return None;
    }
    let mut out = String::new();
    let (mut buffers, mut passed) = (Vec::new(), Vec::new());
    let mut counts = Vec::new();
    for (n, parameter) in row.parameter_list().enumerate() {
        match (parameter.strip_suffix('*'), arguments.get(n)) {
            (Some(name), Some(ArgumentType::Buffer { shape, element })) => {
                let len = element_count(shape)?;
                buffers.push((
                    n,
                    name,
                    Buffer {
                        element: *element,
                        len,
                    },
                ));
            }
            (None, Some(ArgumentType::Scalar(element))) if !element.is_float() => {
                counts.push((n, *element));
            }
            (None, None) if parameter.starts_with('[') => {}
            _ => return None,
        }
    }
    let shapes = shapes(row, &buffers, (arch, in_blocks))?;
    let name = row.function_for(buffers.iter().map(|(_, _, buffer)| buffer.element))?;
    let _ = writeln!(out, "!e = {}", buffers.first()?.2.element);
    if let Some((_, _, last)) = buffers.last() {
        let alias = if row.variants == Variants::Scale {
            "!f"
        } else {
            "!s"
        };
        let _ = writeln!(out, "{alias} = {}", last.element);
    }
    for ((_, name, buffer), shape) in buffers.iter().zip(&shapes) {
        let sizes: String = shape.iter().map(|size| format!("{size}x")).collect();
        let _ = writeln!(out, "!{} = memref<{sizes}{}>", alias(name), buffer.element);
    }
    // A name may begin with a digit, which takes quotes.
    let implementation = format!("@\"{}__{name}\"", signature.name);
    let elements = (buffers.first()?.2.element, buffers.last()?.2.element);
    let tiles = match row.variants {
        Variants::Product { blocked: true } => {
            products::tiles(&name, elements, &shapes, (arch, in_blocks), products)
        }
        _ => None,
    };
    let body = match tiles {
        Some(text) => text,
        None => function_text(&name)?.to_owned(),
    };
    out += &body.replace(&format!("@{name}("), &format!("{implementation}("));
    let declared = types.iter().enumerate();
    let declared: Vec<String> = declared.map(|(n, ty)| format!("%arg{n}: {ty}")).collect();
    let _ = writeln!(
        out,
        "func.func @\"{}\"({}) {{",
        signature.name,
        declared.join(", ")
    );
    out += "  aie.event(0)\n";
    for ((n, name, _), shape) in buffers.iter().zip(&shapes) {
        let mut stride = 1;
        let mut strides: Vec<u64> = Vec::new();
        for size in shape.iter().rev() {
            strides.insert(0, stride);
            stride *= size;
        }
        let _ = writeln!(
            out,
            "  %{name} = memref.reinterpret_cast %arg{n} to offset: [0], sizes: {shape:?}, strides: {strides:?} : {} to !{}",
            types.get(*n)?,
            alias(name)
        );
        passed.push((format!("%{name}"), format!("!{}", alias(name))));
    }
    let (counts, numbers) = counts.split_at(counts.len().checked_sub(row.numbers)?);
    if row.counts {
        let _ = write!(out, "{}", count_text(counts, buffers.last()?.2.len));
        passed.push(("%count".to_owned(), "index".to_owned()));
    }
    for (n, element) in numbers {
        let number = index_text(*n, *element, &mut out);
        passed.push((number, "index".to_owned()));
    }
    let (values, types): (Vec<String>, Vec<String>) = passed.into_iter().unzip();
    let _ = writeln!(
        out,
        "  func.call {implementation}({}) : ({}) -> ()\n  aie.event(1)\n  return\n}}",
        values.join(", "),
        types.join(", ")
    );
    Some(out)
}

/// The alias of a buffer's type: inputs are the first buffer.
fn alias(parameter: &str) -> &str {
    if parameter == "in" { "a" } else { parameter }
}

/// The count of elements: the product of the sizes that are passed, or all of the output.
fn count_text(counts: &[(usize, ElementType)], all: u64) -> String {
    let mut out = String::new();
    if counts.is_empty() {
        let _ = writeln!(out, "  %count = arith.constant {all} : index");
    }
    let mut names = Vec::new();
    for (n, element) in counts {
        names.push(index_text(*n, *element, &mut out));
    }
    let one = "%one".to_owned();
    if let Some(first) = names.first() {
        let second = names.get(1).unwrap_or(&one);
        let _ = writeln!(out, "  %one = arith.constant 1 : index");
        let _ = writeln!(out, "  %count = arith.muli {first}, {second} : index");
    }
    out
}

/// The name of a whole number that was passed as an `index`.
fn index_text(n: usize, element: ElementType, out: &mut String) -> String {
    if element == ElementType::Index {
        return format!("%arg{n}");
    }
    let _ = writeln!(
        out,
        "  %size{n} = arith.index_cast %arg{n} : {element} to index"
    );
    format!("%size{n}")
}

/// The text of a function of the library.
fn function_text(name: &str) -> Option<&'static str> {
    let head = format!("func.func @{name}(");
    TEXTS.iter().find_map(|text| {
        let start = text.find(&head)?;
        let end = start + text[start..].find("\n}\n")? + "\n}\n".len();
        Some(&text[start..end])
    })
}

/// The shapes that the functions of a kernel see buffers in: rows, or blocks of matrices.
fn shapes(
    row: &Row,
    buffers: &[(usize, &str, Buffer)],
    (arch, in_blocks): (Arch, bool),
) -> Option<Vec<Vec<u64>>> {
    let blocked = match row.variants {
        Variants::Product { blocked } => blocked,
        _ => {
            return Some(
                buffers
                    .iter()
                    .map(|(_, _, buffer)| vec![buffer.len])
                    .collect(),
            );
        }
    };
    let [(.., a), (.., b), (.., c)] = buffers else {
        return None;
    };
    let [m, k, n] = product_sides(a.len, b.len, c.len)?;
    let [r, s, t] = match (blocked, a.element) {
        (false, _) => [m, k, n],
        (true, ElementType::Int { width, .. }) => arch.product_blocks(width.into(), false)?,
        (true, ElementType::Bf16) if in_blocks => BFP16_BLOCKS,
        (true, ElementType::Bf16) => arch.product_blocks(16, true)?,
        (true, _) => return None,
    };
    let whole = m.is_multiple_of(r) && k.is_multiple_of(s) && n.is_multiple_of(t);
    let blocks = |rows: u64, columns: u64, high: u64, wide: u64| {
        vec![rows / high, columns / wide, high, wide]
    };
    whole.then(|| vec![blocks(m, k, r, s), blocks(k, n, s, t), blocks(m, n, r, t)])
}
