//! The extension module `aiec._aiec`: what the Python package needs of the driver's library.
//!
//! It hands over bytes, numbers and JSON; the package in `aiec/` makes arrays, tables and exceptions
//! of them.

mod design;
mod host_files;
mod kernel;
mod run;

use std::ffi::OsString;

use aiec::Io;
use aiec::library::{Failure, Finding};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

pyo3::create_exception!(
    _aiec,
    NativeFailure,
    PyException,
    "Arguments: what is wrong with the options, or None; findings as (JSON, text)."
);

/// A failure as a Python exception.
fn raise(failure: Failure) -> PyErr {
    match failure {
        Failure::Options(message) => {
            NativeFailure::new_err((Some(message), Vec::<(String, String)>::new()))
        }
        Failure::Findings(found) => NativeFailure::new_err((None::<String>, findings(&found))),
    }
}

/// Findings as JSON and text.
fn findings(findings: &[Finding]) -> Vec<(String, String)> {
    let findings = findings.iter();
    let pair = |finding: &Finding| (finding.value.to_string(), finding.rendered.clone());
    findings.map(pair).collect()
}

/// Runs a command of the driver in this process: its exit code and what it wrote.
#[pyfunction]
fn command<'py>(
    py: Python<'py>,
    arguments: Vec<OsString>,
    input: Vec<u8>,
) -> (u8, Bound<'py, PyBytes>, Bound<'py, PyBytes>) {
    let (code, stdout, stderr) = py.detach(|| {
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let exit = aiec::run(
            &arguments,
            &mut Io {
                stdin: &mut input.as_slice(),
                stdout: &mut stdout,
                stderr: &mut stderr,
                terminal: aiec::Terminal::default(),
                ends_process: false,
                command_line: Vec::new(),
                files_read: Vec::new(),
            },
        );
        (exit.code(), stdout, stderr)
    });
    (code, PyBytes::new(py, &stdout), PyBytes::new(py, &stderr))
}

/// Functions and classes that the Python package calls.
#[pymodule]
fn _aiec(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("NativeFailure", module.py().get_type::<NativeFailure>())?;
    module.add_class::<design::NativeDesign>()?;
    module.add_class::<host_files::NativeFiles>()?;
    module.add_function(wrap_pyfunction!(host_files::xclbin_contents, module)?)?;
    module.add_function(wrap_pyfunction!(command, module)?)?;
    module.add_function(wrap_pyfunction!(design::compile, module)?)?;
    module.add_function(wrap_pyfunction!(design::first_worker, module)?)?;
    module.add_function(wrap_pyfunction!(design::emit_kinds, module)?)
}
