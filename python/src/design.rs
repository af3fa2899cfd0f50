//! Designs: the results of `aiec.compile`.

use std::ffi::OsString;
use std::path::PathBuf;

use aiec::library::{self, CompiledDesign, EmittedFiles};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::kernel::KernelRow;
use crate::{findings, raise, run};

/// A compiled design.
#[pyclass(frozen, module = "aiec._aiec")]
pub struct NativeDesign {
    design: CompiledDesign,
}

/// An argument: number, name, size in bytes; element type and extents, if known.
type ArgumentRow = (u32, String, u64, Option<(String, Vec<u64>)>);

/// Compiles a design.
#[pyfunction]
pub fn compile(
    py: Python<'_>,
    name: PathBuf,
    text: Vec<u8>,
    options: Vec<OsString>,
) -> PyResult<NativeDesign> {
    let design = py.detach(|| library::compile(&name, text, &options));
    Ok(NativeDesign {
        design: design.map_err(raise)?,
    })
}

/// The kinds of [`NativeDesign::emit`], with a line on each.
#[pyfunction]
pub fn emit_kinds() -> Vec<(&'static str, &'static str)> {
    library::emit_kinds().collect()
}

/// Column and row of a device's first core tile above a shim tile with a DMA.
#[pyfunction]
pub fn first_worker(device: &str) -> Option<(u8, u8)> {
    library::first_worker(device)
}

#[pymethods]
impl NativeDesign {
    /// The control code.
    fn elf<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.design.elf())
    }

    /// The arguments of its runtime sequence.
    fn arguments(&self) -> Vec<ArgumentRow> {
        let arguments = self.design.arguments().iter();
        arguments
            .map(|a| (a.index, a.name.clone(), a.bytes, a.ty.clone()))
            .collect()
    }

    /// Findings about it: JSON and text.
    fn findings(&self) -> Vec<(String, String)> {
        findings(self.design.findings())
    }

    /// Writes it in a kind of `--emit`: bytes, or a dictionary of parts.
    fn emit<'py>(&self, py: Python<'py>, kind: &str) -> PyResult<Bound<'py, PyAny>> {
        match py.detach(|| self.design.emit(kind)).map_err(raise)? {
            EmittedFiles::File(bytes) => Ok(PyBytes::new(py, &bytes).into_any()),
            EmittedFiles::Parts(parts) => {
                let dict = PyDict::new(py);
                for (name, bytes) in parts {
                    dict.set_item(name, PyBytes::new(py, &bytes))?;
                }
                Ok(dict.into_any())
            }
        }
    }

    /// Runs it: buffers by argument, kernels, options of `aiec sim`, endings of wanted traces, and
    /// whether a report is wanted.
    fn run<'py>(
        &self,
        py: Python<'py>,
        buffers: Vec<(u32, PyReadonlyArray1<'py, u8>)>,
        kernels: Vec<KernelRow>,
        options: Vec<OsString>,
        traces: Vec<String>,
        report: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let request = run::request(buffers, options, &traces, report)?;
        let start = |request, watch: &mut run::Watch<'_>| self.design.run(request, watch);
        run::run(py, start, request, kernels)
    }
}
