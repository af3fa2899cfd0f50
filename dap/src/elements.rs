//! Arrays: bytes of a memory as elements of a type, dimension by dimension.

use aiec_cert::debug::{ArgumentType, Resource, ResourceKind};
use aiec_device::TileLoc;
use aiec_sim::LiveRun;

use crate::DebuggedProgram;
use crate::threads::tile_of;

/// Elements in the summary of an array.
const MAX_IN_SUMMARY: usize = 8;
/// Bytes of an element of an array whose type is not known.
const WORD_BYTES: usize = 4;

/// The bytes of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrayBytes {
    /// Of a tile's memory, from an address on.
    Tile(TileLoc, u32, u32),
    /// Of an argument of the runtime sequence.
    Argument(u32),
}

/// An array, or a part of one.
#[derive(Clone, Debug, PartialEq)]
pub struct TypedArray {
    bytes: ArrayBytes,
    /// Its type; words if it is not known.
    ty: Option<ArgumentType>,
    /// First element, counted from the begin of the bytes.
    first: u64,
    /// Extents, the outermost first.
    shape: Vec<u64>,
}

/// A part of an array: its index, and its value if it is an element.
pub struct TypedArrayPart {
    /// `[2]`
    pub name: String,
    /// The value, or a summary.
    pub value: String,
    /// The array that it is, unless it is an element.
    pub array: Option<TypedArray>,
    /// The place, of those of `--break`, of its bytes, if they are in a tile's memory.
    pub place: Option<String>,
}

impl TypedArray {
    /// The array of a buffer.
    pub fn of_buffer(resource: &Resource, program: &dyn DebuggedProgram) -> Option<TypedArray> {
        let ResourceKind::Buffer { address, bytes } = resource.kind else {
            return None;
        };
        let place = ArrayBytes::Tile(tile_of(resource), address, bytes);
        Some(TypedArray::new(
            place,
            resource.ty.clone(),
            bytes.into(),
            program,
        ))
    }

    /// Bytes as an array of a type; as words if that isn't known or none of numbers.
    pub fn new(
        place: ArrayBytes,
        ty: Option<ArgumentType>,
        bytes: u64,
        program: &dyn DebuggedProgram,
    ) -> TypedArray {
        let ty = ty.filter(|ty| program.element_bytes(ty).is_some());
        let shape = match &ty {
            Some(ty) if ty.shape.is_empty() => vec![1],
            Some(ty) => ty.shape.clone(),
            None => vec![bytes.div_ceil(WORD_BYTES as u64)],
        };
        TypedArray {
            bytes: place,
            ty,
            first: 0,
            shape,
        }
    }

    /// Its type in MLIR, if it is known.
    pub fn type_name(&self) -> Option<String> {
        let element = &self.ty.as_ref()?.element;
        let extents: String = self
            .shape
            .iter()
            .map(|extent| format!("{extent}x"))
            .collect();
        Some(format!("memref<{extents}{element}>"))
    }

    /// Parts of its outermost dimension.
    pub fn extent(&self) -> u64 {
        self.shape.first().copied().unwrap_or(0)
    }

    /// The place of `--break` of `count` elements from one on; none of an argument, which is in host memory.
    fn place(&self, first: u64, count: u64, program: &dyn DebuggedProgram) -> Option<String> {
        let ArrayBytes::Tile(tile, address, all) = self.bytes else {
            return None;
        };
        let size = match &self.ty {
            Some(ty) => program.element_bytes(ty)?,
            None => WORD_BYTES as u64,
        };
        let start = first.saturating_mul(size);
        let bytes = count
            .saturating_mul(size)
            .min(u64::from(all).checked_sub(start)?);
        let address = u64::from(address) + start;
        let TileLoc { col, row } = tile;
        (bytes > 0).then(|| format!("mem:({col},{row}):{address:#x}+{bytes}"))
    }

    /// The place of `--break` of all of its elements.
    pub fn whole_place(&self, program: &dyn DebuggedProgram) -> Option<String> {
        let count = self.extent().saturating_mul(self.stride());
        self.place(self.first, count, program)
    }

    /// Elements of each part.
    fn stride(&self) -> u64 {
        let inner = self.shape.iter().skip(1);
        inner.fold(1, |product: u64, extent| product.saturating_mul(*extent))
    }

    /// Its bytes in the run; fewer than the type says where the memory ends.
    fn all_bytes<'r>(&self, run: &'r LiveRun) -> &'r [u8] {
        match self.bytes {
            ArrayBytes::Tile(tile, address, bytes) => {
                let memory = run.array().data_memory(tile);
                let memory = memory.map_or(&[][..], |memory| memory.bytes());
                let start = (address as usize).min(memory.len());
                let end = start.saturating_add(bytes as usize).min(memory.len());
                &memory[start..end]
            }
            ArrayBytes::Argument(index) => run.argument(index).unwrap_or_default(),
        }
    }

    /// The values of elements from one on.
    fn values(
        &self,
        first: u64,
        count: u64,
        run: &LiveRun,
        program: &dyn DebuggedProgram,
    ) -> Vec<String> {
        let bytes = self.all_bytes(run);
        let Some(ty) = &self.ty else {
            let words = bytes
                .chunks(WORD_BYTES)
                .skip(first as usize)
                .take(count as usize);
            return words.map(hexadecimal).collect();
        };
        let size = program.element_bytes(ty).unwrap_or(1);
        let start = usize::try_from(first.saturating_mul(size)).unwrap_or(usize::MAX);
        let end = usize::try_from(first.saturating_add(count).saturating_mul(size));
        let start = start.min(bytes.len());
        let end = end.unwrap_or(usize::MAX).clamp(start, bytes.len());
        program.elements(ty, &bytes[start..end])
    }

    /// `[1, 2, 3, …]`
    pub fn summary(&self, run: &LiveRun, program: &dyn DebuggedProgram) -> String {
        let total = self.extent().saturating_mul(self.stride());
        let shown = total.min(MAX_IN_SUMMARY as u64);
        let values = self.values(self.first, shown, run, program);
        let more = if total > shown { ", …" } else { "" };
        format!("[{}{more}]", values.join(", "))
    }

    /// Its parts from one on.
    pub fn parts(
        &self,
        start: u64,
        count: u64,
        run: &LiveRun,
        program: &dyn DebuggedProgram,
    ) -> Vec<TypedArrayPart> {
        let start = start.min(self.extent());
        let count = count.min(self.extent() - start);
        if self.shape.len() <= 1 {
            let values = self.values(self.first + start, count, run, program);
            let numbered = (start..).zip(values);
            return numbered
                .map(|(index, value)| TypedArrayPart {
                    name: format!("[{index}]"),
                    value,
                    array: None,
                    place: self.place(self.first + index, 1, program),
                })
                .collect();
        }
        let part = |index: u64| {
            let array = self.part(index);
            TypedArrayPart {
                name: format!("[{index}]"),
                value: array.summary(run, program),
                place: array.whole_place(program),
                array: Some(array),
            }
        };
        (start..start + count).map(part).collect()
    }

    /// One part of several dimensions.
    fn part(&self, index: u64) -> TypedArray {
        TypedArray {
            first: self.first + index * self.stride(),
            shape: self.shape[1..].to_vec(),
            ..self.clone()
        }
    }

    /// The part that indices lead to.
    ///
    /// # Errors
    /// An index is beyond the extent, or the array has fewer dimensions.
    pub fn at(
        &self,
        indices: &[u64],
        run: &LiveRun,
        program: &dyn DebuggedProgram,
    ) -> Result<TypedArrayPart, String> {
        let mut array = self.clone();
        for (place, &index) in indices.iter().enumerate() {
            if index >= array.extent() {
                let last = array.extent().saturating_sub(1);
                return Err(format!("[{index}] is no index: the last one is [{last}]"));
            }
            if array.shape.len() > 1 {
                array = array.part(index);
                continue;
            }
            if place + 1 < indices.len() {
                let dimensions = place + 1;
                return Err(format!("the array has {dimensions} dimension(s)"));
            }
            let mut parts = array.parts(index, 1, run, program).into_iter();
            return parts.next().ok_or_else(|| "there is no memory".to_string());
        }
        Ok(TypedArrayPart {
            name: String::new(),
            value: array.summary(run, program),
            place: array.whole_place(program),
            array: Some(array),
        })
    }
}

/// The bytes of a word as a number in hexadecimal.
fn hexadecimal(bytes: &[u8]) -> String {
    let digits: String = bytes
        .iter()
        .rev()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("0x{digits}")
}
