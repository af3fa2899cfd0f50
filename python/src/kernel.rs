//! Functions of cores that are written in Python.
//!
//! A kernel gets numpy arrays of the buffers that the core passes, and numbers. The arrays are
//! views of the tile's memory: while a call lasts its bytes belong to an object of Python that the
//! arrays keep alive. A tile takes its bytes back if no other reference to an array is left;
//! otherwise it goes on with a copy, and the array stays as it was at the end of the call. Arrays
//! are used again by the next call at the same place.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::mem::take;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aiec_sim::core::{CallOutcome, CoreFault, Kernel, KernelArguments, KernelStep, host_function};
use aiec_vcode::{ArgumentType, ElementType, FloatFormat, Signature};
use numpy::PyArray1;
use numpy::ndarray::ArrayView1;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyTuple};

/// The exception that a kernel raised, until the run has ended.
pub type Raised = Arc<Mutex<Option<PyErr>>>;

/// A kernel as the package passes it.
#[derive(FromPyObject)]
pub struct KernelRow {
    /// Name of the function.
    pub name: String,
    /// The callable.
    pub function: Py<PyAny>,
    /// Cycles of a call: a number, or a function of the same arguments; else the model's estimate.
    pub cycles: Option<Py<PyAny>>,
    /// Makes an array of bytes an array of elements: bytes, offset, element type, extents.
    pub view: Py<PyAny>,
}

/// A kernel in Python.
#[derive(Debug)]
pub struct PythonKernel {
    name: String,
    function: Py<PyAny>,
    cycles: Option<Py<PyAny>>,
    view: Py<PyAny>,
    raised: Raised,
    /// The arrays of the last call, unless Python code kept one.
    arrays: Mutex<Option<CallArrays>>,
}

/// Where a buffer of a call lies: which range of memory, and the byte offset in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BufferPlace {
    range: usize,
    offset: usize,
}

/// A range of the addresses of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MemoryRange {
    address: u64,
    bytes: usize,
}

/// A range of a window's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct WindowRange {
    window: usize,
    inside: usize,
    bytes: usize,
    /// Where its first byte is in this process.
    start: usize,
}

/// The memory of a tile while arrays show it.
#[pyclass(frozen)]
#[derive(Debug, Default)]
struct TileMemory {
    bytes: Mutex<Vec<u8>>,
}

impl TileMemory {
    fn bytes(&self) -> MutexGuard<'_, Vec<u8>> {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The arrays of a call.
#[derive(Debug)]
struct CallArrays {
    places: Vec<BufferPlace>,
    ranges: Vec<WindowRange>,
    /// Owner of each window's memory while a call lasts.
    owners: BTreeMap<usize, Py<TileMemory>>,
    /// The bytes of each range, with the references that the views have to them.
    bytes: Vec<(Py<PyArray1<u8>>, isize)>,
    /// The array of each buffer.
    views: Vec<Py<PyAny>>,
}

impl PythonKernel {
    /// A kernel that leaves what it raises.
    pub fn new(row: KernelRow, raised: Raised) -> PythonKernel {
        PythonKernel {
            name: row.name,
            function: row.function,
            cycles: row.cycles,
            view: row.view,
            raised,
            arrays: Mutex::new(None),
        }
    }

    fn fault(&self, reason: String) -> CoreFault {
        CoreFault::Kernel {
            name: self.name.clone(),
            reason,
        }
    }

    /// The fault of an exception, which is kept for the end of the run.
    fn failed(&self, py: Python<'_>, error: PyErr) -> CoreFault {
        let reason = match line_of(py, &error) {
            Some(line) => format!("{error} ({line})"),
            None => error.to_string(),
        };
        *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        self.fault(reason)
    }

    /// The arrays for buffers that lie so: those of the last call, or new ones.
    fn arrays(
        &self,
        py: Python<'_>,
        signature: &Signature,
        places: &[BufferPlace],
        ranges: &[WindowRange],
        memories: &[Vec<u8>],
    ) -> PyResult<CallArrays> {
        let mut last = self.arrays.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(arrays) = last.take()
            && arrays.places == places
            && arrays.ranges == ranges
        {
            return Ok(arrays);
        }
        let mut owners = BTreeMap::new();
        let mut bytes = Vec::with_capacity(ranges.len());
        for range in ranges {
            let owner = match owners.entry(range.window) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(Py::new(py, TileMemory::default())?),
            };
            let shown = &memories[range.window][range.inside..range.inside + range.bytes];
            bytes.push(borrowed_array(shown, owner.bind(py).clone().into_any()));
        }
        let buffers = signature.arguments.iter().filter_map(|ty| match ty {
            ArgumentType::Buffer { shape, element } => Some((shape, element)),
            ArgumentType::Scalar(_) => None,
        });
        let views = places.iter().zip(buffers).map(|(place, (shape, element))| {
            let shape: Vec<u64> = shape.iter().map(|extent| extent.unwrap_or(1)).collect();
            let bytes = &bytes[place.range];
            let view = (bytes, place.offset, element.to_string(), shape);
            self.view.call1(py, view)
        });
        let views = views.collect::<PyResult<Vec<_>>>()?;
        let counted = |bytes: Bound<'_, PyArray1<u8>>| {
            let references = references(bytes.as_any());
            (bytes.unbind(), references)
        };
        Ok(CallArrays {
            places: places.to_vec(),
            ranges: ranges.to_vec(),
            owners,
            bytes: bytes.into_iter().map(counted).collect(),
            views,
        })
    }

    /// Calls the function: the cycles and the result in the form of an argument.
    fn call_function(
        &self,
        py: Python<'_>,
        signature: &Signature,
        values: &[u64],
        arrays: &CallArrays,
        bytes: u64,
    ) -> PyResult<(u64, u64)> {
        let mut views = arrays.views.iter();
        let mut passed = Vec::with_capacity(values.len());
        for (ty, value) in signature.arguments.iter().zip(values) {
            passed.push(match ty {
                ArgumentType::Buffer { .. } => match views.next() {
                    Some(view) => view.bind(py).clone(),
                    None => continue,
                },
                ArgumentType::Scalar(element) => scalar(py, *element, *value)?,
            });
        }
        let passed = PyTuple::new(py, passed)?;
        let cycles = match &self.cycles {
            None => host_function(bytes),
            Some(cycles) if cycles.bind(py).is_callable() => {
                cycles.bind(py).call1(&passed)?.extract()?
            }
            Some(cycles) => cycles.extract(py)?,
        };
        let result = self.function.bind(py).call1(&passed)?;
        let result = match signature.result {
            Some(element) => argument(element, &result)?,
            None => 0,
        };
        Ok((cycles, result))
    }

    fn call_attached(
        &self,
        py: Python<'_>,
        arguments: &mut KernelArguments<'_, '_>,
    ) -> Result<KernelStep, CoreFault> {
        let signature = arguments.signature;
        let failed = |error| self.failed(py, error);
        let (places, addresses) = ranges_of(signature, arguments.values);
        let Some(memories) = arguments.taken.as_deref_mut() else {
            return Err(self.fault("the core has no memories to give".to_string()));
        };
        let ranges = addresses.iter().map(|range| {
            let place = arguments.memory.window_at(range.address);
            let shown = place.and_then(|(window, inside)| {
                let end = inside.checked_add(range.bytes)?;
                Some((window, inside, memories[window].get(inside..end)?))
            });
            let address = u32::try_from(range.address).unwrap_or(u32::MAX);
            let (window, inside, shown) = shown.ok_or(CoreFault::Address { address })?;
            let (bytes, start) = (range.bytes, shown.as_ptr() as usize);
            Ok(WindowRange {
                window,
                inside,
                bytes,
                start,
            })
        });
        let ranges: Vec<WindowRange> = ranges.collect::<Result<_, CoreFault>>()?;
        let arrays = self.arrays(py, signature, &places, &ranges, &*memories);
        let arrays = arrays.map_err(failed)?;
        // Stores into the arrays can't be observed: a logged memory is compared with its former
        // contents.
        let is_logged = arguments.memory.is_logged();
        let before = ranges.iter().filter(|_| is_logged);
        let before: Vec<Vec<u8>> = before
            .map(|range| memories[range.window][range.inside..range.inside + range.bytes].to_vec())
            .collect();
        let touched = ranges.iter().map(|range| range.bytes as u64).sum();
        for (window, owner) in &arrays.owners {
            *owner.get().bytes() = take(&mut memories[*window]);
        }
        let called = self.call_function(py, signature, arguments.values, &arrays, touched);
        let is_kept = arrays.is_kept(py);
        for (window, owner) in &arrays.owners {
            let mut bytes = owner.get().bytes();
            memories[*window] = if is_kept {
                bytes.clone()
            } else {
                take(&mut *bytes)
            };
        }
        for (range, address) in ranges.iter().zip(&addresses) {
            arguments.memory.lent(address.address, range.bytes);
        }
        let buffers = signature.arguments.iter().filter_map(|ty| match ty {
            ArgumentType::Buffer { shape, element } => Some((bytes_of(shape, *element), element)),
            ArgumentType::Scalar(_) => None,
        });
        for (place, (bytes, element)) in places.iter().zip(buffers).filter(|_| is_logged) {
            let (range, inside) = (&ranges[place.range], place.offset..place.offset + bytes);
            let shown = &memories[range.window][range.inside..range.inside + range.bytes];
            let (old, new) = (&before[place.range][inside.clone()], &shown[inside]);
            let address = addresses[place.range].address + place.offset as u64;
            let element = element.memory().map_or(1, |memory| memory.bytes() as usize);
            arguments.memory.note_changes(address, element, old, new);
        }
        let (cycles, result) = called.map_err(failed)?;
        if !is_kept {
            *self.arrays.lock().unwrap_or_else(PoisonError::into_inner) = Some(arrays);
        }
        Ok(KernelStep {
            cycles,
            then: CallOutcome::Return(result),
        })
    }
}

impl CallArrays {
    /// Whether Python code kept one of the arrays, or a part of one.
    fn is_kept(&self, py: Python<'_>) -> bool {
        let own = |view: &Py<PyAny>| references(view.bind(py)) == 1;
        let same = |(bytes, before): &(Py<PyArray1<u8>>, isize)| {
            references(bytes.bind(py).as_any()) == *before
        };
        !(self.views.iter().all(own) && self.bytes.iter().all(same))
    }
}

impl Kernel for PythonKernel {
    fn call(&self, arguments: &mut KernelArguments<'_, '_>) -> Result<KernelStep, CoreFault> {
        Python::attach(|py| self.call_attached(py, arguments))
    }

    fn takes_memories(&self) -> bool {
        true
    }

    fn check(&self, signature: &Signature) -> Result<(), String> {
        let bad = signature.arguments.iter().find_map(|ty| match ty {
            ArgumentType::Buffer { shape, .. } if shape.contains(&None) => {
                Some("a kernel in Python takes buffers of known extents".to_string())
            }
            ArgumentType::Buffer { element, .. } if element.memory().is_none() => {
                Some(format!("numpy has no type for elements of {element}"))
            }
            _ => None,
        });
        bad.map_or(Ok(()), Err)
    }
}

/// An array of bytes that belong to an object, which it keeps alive.
#[expect(unsafe_code, reason = "numpy doesn't know how long bytes live")]
fn borrowed_array<'py>(bytes: &[u8], owner: Bound<'py, PyAny>) -> Bound<'py, PyArray1<u8>> {
    // SAFETY: the bytes are moved into `owner` before any other code sees the array, and stay there
    // as long as a reference to it exists: see `PythonKernel::call_attached`.
    unsafe { PyArray1::borrow_from_array(&ArrayView1::from(bytes), owner) }
}

/// The references that there are to an object.
#[expect(unsafe_code, reason = "Python counts them in its C interface only")]
fn references(object: &Bound<'_, PyAny>) -> isize {
    // SAFETY: the object lives as long as this reference to it.
    unsafe { pyo3::ffi::Py_REFCNT(object.as_ptr()) }
}

/// Where the buffers of a call lie, and the ranges of memory that they lie in.
fn ranges_of(signature: &Signature, values: &[u64]) -> (Vec<BufferPlace>, Vec<MemoryRange>) {
    let buffers = signature.arguments.iter().zip(values);
    let buffers: Vec<MemoryRange> = buffers
        .filter_map(|(ty, address)| match ty {
            ArgumentType::Buffer { shape, element } => Some(MemoryRange {
                address: *address,
                bytes: bytes_of(shape, *element),
            }),
            ArgumentType::Scalar(_) => None,
        })
        .collect();
    let mut order: Vec<usize> = (0..buffers.len()).collect();
    order.sort_by_key(|n| (buffers[*n].address, *n));
    let mut ranges: Vec<MemoryRange> = Vec::new();
    let mut places = vec![
        BufferPlace {
            range: 0,
            offset: 0
        };
        buffers.len()
    ];
    for n in order {
        let MemoryRange { address, bytes } = buffers[n];
        let offset = match ranges.last_mut() {
            Some(last) if address < last.address + last.bytes as u64 => {
                let offset = (address - last.address) as usize;
                last.bytes = last.bytes.max(offset + bytes);
                offset
            }
            _ => {
                ranges.push(MemoryRange { address, bytes });
                0
            }
        };
        let range = ranges.len() - 1;
        places[n] = BufferPlace { range, offset };
    }
    (places, ranges)
}

/// Bytes of a buffer of known extents.
fn bytes_of(shape: &[Option<u64>], element: ElementType) -> usize {
    let size = element.memory().map_or(1, |memory| memory.bytes() as usize);
    let extents = shape.iter().map(|extent| extent.unwrap_or(1) as usize);
    extents.fold(size, usize::saturating_mul)
}

/// A scalar of a core's register as a Python number.
fn scalar(py: Python<'_>, element: ElementType, value: u64) -> PyResult<Bound<'_, PyAny>> {
    Ok(match element {
        ElementType::Int { width: 1, .. } => PyBool::new(py, value & 1 == 1).to_owned().into_any(),
        ElementType::Int { width, .. } if element.is_unsigned() && width < 64 => {
            PyInt::new(py, value & ((1 << width) - 1)).into_any()
        }
        ElementType::Int { .. } if element.is_unsigned() => PyInt::new(py, value).into_any(),
        ElementType::Int { .. } | ElementType::Index => PyInt::new(py, value as i64).into_any(),
        ElementType::F64 => PyFloat::new(py, f64::from_bits(value)).into_any(),
        ElementType::F32 | ElementType::Bf16 | ElementType::F16 => {
            PyFloat::new(py, f32::from_bits(value as u32).into()).into_any()
        }
    })
}

/// A Python number in the form of an argument.
fn argument(element: ElementType, value: &Bound<'_, PyAny>) -> PyResult<u64> {
    let float = || value.extract::<f64>();
    let narrow = |format: FloatFormat| -> PyResult<u64> {
        let bits = u64::from((float()? as f32).to_bits());
        Ok(format.to_register(format.from_register(bits)))
    };
    Ok(match element {
        ElementType::F64 => float()?.to_bits(),
        ElementType::F32 => u64::from((float()? as f32).to_bits()),
        ElementType::Bf16 => narrow(FloatFormat::Bf16)?,
        ElementType::F16 => narrow(FloatFormat::F16)?,
        ElementType::Index => value.extract::<i64>()? as u64,
        ElementType::Int { width, .. } => {
            let unused = 64 - u32::from(width);
            let value = value.extract::<i128>()? as u64;
            ((value << unused) as i64 >> unused) as u64
        }
    })
}

/// File and line where an exception was raised.
fn line_of(py: Python<'_>, error: &PyErr) -> Option<String> {
    let mut traceback = error.traceback(py)?.into_any();
    while let Ok(next) = traceback.getattr("tb_next") {
        if next.is_none() {
            break;
        }
        traceback = next;
    }
    let line: u32 = traceback.getattr("tb_lineno").ok()?.extract().ok()?;
    let code = traceback.getattr("tb_frame").ok()?.getattr("f_code").ok()?;
    let file: String = code.getattr("co_filename").ok()?.extract().ok()?;
    Some(format!("{file}:{line}"))
}
