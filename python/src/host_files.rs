//! Files that drivers of Ryzen AI load: what the stand-in for XRT's module is made of.

use std::ffi::OsString;

use aiec::library::{self, HostFiles};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::kernel::KernelRow;
use crate::{raise, run};

/// Files that a host has loaded.
#[pyclass(module = "aiec._aiec")]
pub struct NativeFiles {
    files: HostFiles,
}

/// The UUID of an xclbin, and its kernels with the number of their arguments.
#[pyfunction]
pub fn xclbin_contents(bytes: Vec<u8>) -> PyResult<(String, Vec<(String, usize)>)> {
    let contents = library::xclbin_contents(&bytes).map_err(raise)?;
    Ok((contents.uuid, contents.kernels))
}

#[pymethods]
impl NativeFiles {
    /// An xclbin with instructions, or an ELF, and the name of the kernel.
    #[new]
    fn new(xclbin: Option<Vec<u8>>, program: Vec<u8>, kernel: Option<String>) -> PyResult<Self> {
        let files = HostFiles::read(xclbin.as_deref(), &program, kernel).map_err(raise)?;
        Ok(NativeFiles { files })
    }

    /// The buffers whose addresses the program wants.
    fn arguments(&self) -> Vec<u32> {
        self.files.arguments()
    }

    /// Bytes of the table of parameters that the program reads, if it reads one.
    fn scratchpad_bytes(&self) -> Option<u32> {
        self.files.scratchpad_bytes()
    }

    /// Gives the program its table of parameters.
    fn give_scratchpad(&mut self, words: Vec<u8>) -> PyResult<()> {
        self.files.give_scratchpad(words).map_err(raise)
    }

    /// Runs them: buffers by argument, kernels, options of `aiec sim`, and whether a report is wanted.
    fn run<'py>(
        &self,
        py: Python<'py>,
        buffers: Vec<(u32, PyReadonlyArray1<'py, u8>)>,
        kernels: Vec<KernelRow>,
        options: Vec<OsString>,
        report: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let request = run::request(buffers, options, &[], report)?;
        let start = |request, watch: &mut run::Watch<'_>| self.files.run(request, watch);
        run::run(py, start, request, kernels)
    }
}
