//! Runs: without the lock of the interpreter, which a kernel or a look for signals takes.

use std::ffi::OsString;
use std::ops::ControlFlow;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use aiec::library::{Failure, FinishedRun, RunRequest};
use aiec_sim::HostBuffer;
use aiec_sim::core::Kernel;
use aiec_sim::trace::Format;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::kernel::{KernelRow, PythonKernel, Raised};
use crate::{findings, raise};

/// Interval at which a run looks for signals such as Ctrl-C.
const SIGNALS: Duration = Duration::from_millis(20);

/// Inputs and options of a run, without its kernels.
pub fn request(
    buffers: Vec<(u32, PyReadonlyArray1<'_, u8>)>,
    options: Vec<OsString>,
    traces: &[String],
    report: bool,
) -> PyResult<RunRequest> {
    let buffers = buffers.into_iter().map(|(index, array)| {
        let bytes = array.as_slice()?.to_vec();
        Ok(HostBuffer { index, bytes })
    });
    let traces = traces.iter().map(|ending| {
        let unknown = || PyValueError::new_err(format!("there is no trace format '{ending}'"));
        Format::of_ending(ending).ok_or_else(unknown)
    });
    Ok(RunRequest {
        buffers: buffers.collect::<PyResult<_>>()?,
        kernels: Vec::new(),
        options,
        traces: traces.collect::<PyResult<_>>()?,
        report,
    })
}

/// Gets the cycle every now and then, and may end the run.
pub type Watch<'a> = dyn FnMut(u64) -> ControlFlow<()> + 'a;

/// Runs a design or the files of a host. What a kernel raised is in the result as `raised`; what a signal
/// raised is raised.
pub fn run<'py>(
    py: Python<'py>,
    start: impl FnOnce(RunRequest, &mut Watch<'_>) -> Result<FinishedRun, Failure> + Send,
    mut request: RunRequest,
    kernels: Vec<KernelRow>,
) -> PyResult<Bound<'py, PyDict>> {
    let raised = Raised::default();
    for row in kernels {
        let name = row.name.clone();
        let kernel: Arc<dyn Kernel> = Arc::new(PythonKernel::new(row, raised.clone()));
        request.kernels.push((name, kernel));
    }
    let mut signal = None;
    let mut looked = Instant::now();
    let finished = py.detach(|| {
        start(request, &mut |_| {
            if looked.elapsed() < SIGNALS {
                return ControlFlow::Continue(());
            }
            looked = Instant::now();
            match Python::attach(|py| py.check_signals()) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    signal = Some(error);
                    ControlFlow::Break(())
                }
            }
        })
    });
    if let Some(signal) = signal {
        return Err(signal);
    }
    let raised = raised.lock().unwrap_or_else(PoisonError::into_inner).take();
    result(py, finished.map_err(raise)?, raised)
}

fn result(
    py: Python<'_>,
    finished: FinishedRun,
    raised: Option<PyErr>,
) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("status", finished.status)?;
    dict.set_item("cycles", finished.cycles)?;
    dict.set_item("config_cycles", finished.config_cycles)?;
    let outputs = finished.outputs.into_iter();
    let outputs: Vec<_> = outputs
        .map(|buffer| (buffer.index, PyArray1::from_vec(py, buffer.bytes)))
        .collect();
    dict.set_item("outputs", outputs)?;
    dict.set_item("read_arguments", finished.read_arguments)?;
    dict.set_item("findings", findings(&finished.findings))?;
    dict.set_item("prints", finished.prints)?;
    dict.set_item("report", finished.report.map(|report| report.to_string()))?;
    let traces = finished.traces.iter();
    let traces: Vec<_> = traces.map(|trace| PyBytes::new(py, trace)).collect();
    dict.set_item("traces", traces)?;
    dict.set_item("raised", raised)?;
    Ok(dict)
}
