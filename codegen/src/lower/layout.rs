//! Memrefs that are parts or other shapes of memrefs, and data of the core's own.

use aiec_aie::ir::{Attr, DYNAMIC, Module, Op};
use aiec_aie::ops::OpKind;
use aiec_aie::ops::netlist::operand_group;
use aiec_diag::Reported;

use super::Lowered;
use super::function::Function;
use super::memory::val_of;
use super::value::{Address, MemRef, Num, Val};
use crate::codes::UNSUPPORTED_LAYOUT;

impl Function<'_, '_, '_> {
    // ---- layouts ----

    pub(crate) fn alloc(&mut self, op: Op) -> Lowered<Val> {
        let ty = self.result_memref(op)?;
        let Some(bytes) = ty.num_bytes() else {
            return Err(self.open_layout(op));
        };
        let offset = self.low.stack_bytes(op, bytes)?;
        self.low.placed.insert(op, offset);
        let start = Address {
            offset: self.low.own_address(offset),
            scalar: None,
        };
        self.memref_at(op, self.result_type(op).as_ref(), start)
    }

    pub(crate) fn get_global(&mut self, op: Op) -> Lowered<Val> {
        let ty = self.result_type(op).ok_or(Reported)?;
        let name = self
            .low
            .module
            .symbol_attr(op, "name")
            .unwrap_or_default()
            .to_string();
        let global = self
            .low
            .symbol(&name)
            .filter(|global| self.low.module.kind(*global) == OpKind::MemrefGlobal);
        let Some(global) = global else {
            let message = format!("there is no memref.global `{name}`");
            let help = "declare it in the device or the module";
            return Err(self
                .low
                .report(&crate::codes::NO_FUNCTION, op, message, help));
        };
        let offset = self.low.global(global, op, &ty)?;
        let start = Address {
            offset: self.low.own_address(offset),
            scalar: None,
        };
        self.memref_at(op, Some(&ty), start)
    }

    /// A list of numbers that is partly static; dynamic entries come from an operand group.
    fn mixed(&mut self, op: Op, attr: &str, group: usize) -> Lowered<Vec<Num>> {
        let module = self.low.module;
        let Some(fixed) = static_list(module, op, attr) else {
            return Err(self.unsupported(op));
        };
        let mut dynamic = operand_group(module, op, group)
            .unwrap_or_default()
            .into_iter();
        let mut nums = Vec::new();
        for value in fixed {
            nums.push(match value {
                DYNAMIC => {
                    let value = dynamic.next().ok_or(Reported)?;
                    self.num(value)?
                }
                value => Num::Const(value),
            });
        }
        Ok(nums)
    }

    pub(crate) fn subview(&mut self, op: Op) -> Lowered<Val> {
        let source = self.operand_memref(op, 0)?;
        let ty = self.result_memref(op)?;
        let offsets = self.mixed(op, "static_offsets", 1)?;
        let sizes = self.mixed(op, "static_sizes", 2)?;
        let steps = self.mixed(op, "static_strides", 3)?;
        let mut start = source.start;
        let mut strides = Vec::new();
        for ((offset, step), stride) in offsets.iter().zip(&steps).zip(&source.strides) {
            let elements = self.product(*offset, *stride)?;
            start = self.advance(start, elements, source.elem_bytes)?;
            strides.push(self.product(*step, *stride)?);
        }
        // The result may leave out dimensions of size 1: keep those whose sizes are its own. A size that is an
        // operand is open in the type, whatever the operand is known to be.
        let in_type = static_list(self.low.module, op, "static_sizes").unwrap_or_default();
        let mut kept = (Vec::new(), Vec::new());
        let mut wanted = ty.shape.iter().peekable();
        let mut spare = sizes.len().saturating_sub(ty.shape.len());
        for ((size, stride), in_type) in sizes.into_iter().zip(strides).zip(in_type) {
            let fits = wanted.peek() == Some(&&in_type);
            if !fits && spare > 0 {
                spare -= 1;
                continue;
            }
            wanted.next();
            kept.0.push(size);
            kept.1.push(stride);
        }
        let (sizes, strides) = kept;
        Ok(Val::MemRef(Box::new(MemRef {
            start,
            sizes,
            strides,
            ..source
        })))
    }

    pub(crate) fn reinterpret_cast(&mut self, op: Op) -> Lowered<Val> {
        let source = self.operand_memref(op, 0)?;
        let offset = self.mixed(op, "static_offsets", 1)?.first().copied();
        let sizes = self.mixed(op, "static_sizes", 2)?;
        let strides = self.mixed(op, "static_strides", 3)?;
        let offset = offset.unwrap_or(Num::Const(0));
        let Some(origin) = source.origin else {
            let message = "the offset of a `memref.reinterpret_cast` counts from the start of the buffer, which isn't \
                           known of a view with an open offset that came through a call or a loop";
            let help = "pass the buffer itself, or give the view's type its offset";
            return Err(self
                .low
                .report(&UNSUPPORTED_LAYOUT, op, message.to_string(), help));
        };
        let start = self.advance(origin, offset, source.elem_bytes)?;
        Ok(Val::MemRef(Box::new(MemRef {
            start,
            sizes,
            strides,
            ..source
        })))
    }

    pub(crate) fn view(&mut self, op: Op) -> Lowered<Val> {
        let source = self.operand_memref(op, 0)?;
        let shift = self.low.module.operand(op, 1).ok_or(Reported)?;
        let shift = self.num(shift)?;
        let start = self.advance(source.start, shift, 1)?;
        self.memref_at(op, self.result_type(op).as_ref(), start)
    }

    pub(crate) fn dim(&mut self, op: Op) -> Lowered<Val> {
        let source = self.operand_memref(op, 0)?;
        let index = self.known(op, 1, "the dimension of memref.dim")?;
        let size = usize::try_from(index)
            .ok()
            .and_then(|index| source.sizes.get(index));
        size.map(|size| val_of(*size))
            .ok_or_else(|| self.unsupported(op))
    }

    /// Shapes whose type fixes their layout.
    pub(crate) fn reshape(&mut self, op: Op) -> Lowered<Val> {
        let source = self.operand_memref(op, 0)?;
        let ty = self.result_memref(op)?;
        let open = || {
            ty.shape
                .iter()
                .map(|size| Num::Const(*size))
                .collect::<Vec<_>>()
        };
        let Some((strides, _)) = ty.strides_and_offset() else {
            return Err(self.open_layout(op));
        };
        if strides.contains(&DYNAMIC) || ty.shape.contains(&DYNAMIC) {
            return Err(self.open_layout(op));
        }
        let strides = strides.into_iter().map(Num::Const).collect();
        Ok(Val::MemRef(Box::new(MemRef {
            sizes: open(),
            strides,
            ..source
        })))
    }

    /// Another type for the same memref: sizes and strides are unchanged.
    pub(crate) fn recast(&mut self, op: Op) -> Lowered<Val> {
        let source = self.operand_memref(op, 0)?;
        match self.result_type(op) {
            Some(ty) if ty.as_memref().is_none() => Err(self.unsupported(op)),
            _ => Ok(Val::MemRef(Box::new(source))),
        }
    }
}

/// The static part of a list of sizes, offsets or strides, with marks where operands are.
fn static_list(module: &Module, op: Op, attr: &str) -> Option<Vec<i64>> {
    match module.attr(op, attr)? {
        Attr::DenseArray(fixed) => Some(fixed.values.clone()),
        Attr::Array(list) => list.iter().map(Attr::as_int).collect(),
        _ => None,
    }
}
