//! Files that drivers of Ryzen AI load, run on buffers in memory as a host would.

use std::ops::ControlFlow;

use aiec_diag::Diag;
use aiec_npu::xclbin::{NpuXclbin, Xclbin};
use aiec_sim::npu::NpuInput;

use super::{Failure, FinishedRun, RunRequest, findings};
use crate::session::Session;

/// Files that a host has loaded: an xclbin with instructions, or an ELF.
#[derive(Debug)]
pub struct HostFiles {
    input: NpuInput,
}

/// Metadata of an xclbin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XclbinContents {
    /// By which drivers know the file, as hexadecimal digits with dashes.
    pub uuid: String,
    /// Names of its kernels, and how many arguments each has.
    pub kernels: Vec<(String, usize)>,
}

/// Reads what an xclbin says of itself.
///
/// # Errors
/// It is malformed.
pub fn xclbin_contents(bytes: &[u8]) -> Result<XclbinContents, Failure> {
    let read = || -> Result<XclbinContents, Diag> {
        let file = Xclbin::read(bytes)?;
        let kernels = NpuXclbin::from_sections(&file)?.kernels.into_iter();
        Ok(XclbinContents {
            uuid: uuid_text(file.uuid()),
            kernels: kernels
                .map(|kernel| (kernel.name, kernel.arguments.len()))
                .collect(),
        })
    };
    read().map_err(failure)
}

/// A UUID as people write it.
fn uuid_text(bytes: [u8; 16]) -> String {
    /// Bytes that a dash follows.
    const DASHES: [usize; 4] = [3, 5, 7, 9];
    let mut text = String::new();
    for (i, byte) in bytes.iter().enumerate() {
        text += &format!("{byte:02x}");
        if DASHES.contains(&i) {
            text.push('-');
        }
    }
    text
}

fn failure(diag: Diag) -> Failure {
    let mut session = Session::default();
    session.push(diag);
    Failure::Findings(findings(&mut session))
}

impl HostFiles {
    /// Reads an xclbin with its instructions (`insts.bin`, `insts.txt` or a partial ELF), or a full ELF
    /// alone; `kernel` is `NAME` or `NAME:INSTANCE` where there are several.
    ///
    /// # Errors
    /// A file is malformed, or a part is missing.
    pub fn read(
        xclbin: Option<&[u8]>,
        program: &[u8],
        kernel: Option<String>,
    ) -> Result<HostFiles, Failure> {
        let input = NpuInput::read(xclbin, Some(program), kernel);
        let input = input.and_then(|input| input.check_kernel().map(|()| input));
        input.map(|input| HostFiles { input }).map_err(failure)
    }

    /// The buffers whose addresses the program wants.
    pub fn arguments(&self) -> Vec<u32> {
        self.input.arguments_used().into_iter().collect()
    }

    /// Bytes of the table of parameters that the program reads, if it reads one.
    pub fn scratchpad_bytes(&self) -> Option<u32> {
        self.input.scratchpad_bytes()
    }

    /// Gives the program its table of parameters.
    ///
    /// # Errors
    /// It has another size than the program reads.
    pub fn give_scratchpad(&mut self, words: Vec<u8>) -> Result<(), Failure> {
        self.input.scratchpad = Some(words);
        self.input.check_scratchpad().map_err(failure)
    }

    /// Runs them on the buffers of the kernel's call, from 0. `watch` gets the cycle every now and then and
    /// may end the run.
    ///
    /// # Errors
    /// An option is wrong, or the run cannot begin.
    pub fn run(
        &self,
        request: RunRequest,
        watch: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Result<FinishedRun, Failure> {
        request.run(Session::default(), |args, buffers, mut options| {
            options.device = args.design.device.map(|model| model.name().to_owned());
            aiec_sim::simulate_npu(&self.input, None, buffers, &options, &mut |progress| {
                watch(progress.cycle)
            })
        })
    }
}
