//! The host buffers of a run: which bytes each argument of the runtime sequence starts with, and
//! where they go afterwards.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use aiec_cert::debug::Argument;
use aiec_diag::{Diag, Reported};

use crate::args::RunArgs;
use crate::codes;
use crate::io::Io;
use crate::npy::Array;
use crate::output::{Outputs, STANDARD_STREAM};
use crate::session::Session;

/// Ending of the names of NumPy files.
const NPY: &str = "npy";

/// The buffers of a run by argument number.
#[derive(Debug, Default)]
pub struct Arguments {
    /// Bytes before the run.
    pub buffers: BTreeMap<u32, Vec<u8>>,
    /// The arrays that came from `.npy` files, for the type and shape of outputs.
    arrays: BTreeMap<u32, Array>,
}

impl Arguments {
    /// Reads the files of the command line. `declared` is what the ELF says of its arguments;
    /// empty if it says nothing.
    pub fn read(
        run: &RunArgs,
        declared: &[Argument],
        session: &mut Session,
        io: &mut Io<'_>,
    ) -> Result<Arguments, Reported> {
        let mut arguments = Arguments::default();
        let sizes = sizes(run, declared, session);
        let known = |index: u32| declared.iter().any(|argument| argument.index == index);
        let named = run.args.iter().chain(&run.outs).map(|(index, _)| *index);
        for index in named.chain(run.sizes.iter().map(|(index, _)| *index)) {
            if !declared.is_empty() && !known(index) {
                session.diags.push(no_such_argument(index, declared));
            }
        }
        session.diags.check()?;
        for (index, path) in &run.args {
            // all files are tried, so that one run reports what is wrong with each
            let Ok(bytes) = arguments.read_file(*index, path, session, io) else {
                continue;
            };
            if let Some(size) = sizes.get(index).filter(|size| **size != bytes.len() as u64) {
                session
                    .diags
                    .push(wrong_size(*index, path, bytes.len(), *size, declared));
            }
            arguments.buffers.insert(*index, bytes);
        }
        session.diags.check()?;
        arguments.zeros(run, declared, &sizes, session)?;
        Ok(arguments)
    }

    fn read_file(
        &mut self,
        index: u32,
        path: &Path,
        session: &mut Session,
        io: &mut Io<'_>,
    ) -> Result<Vec<u8>, Reported> {
        let bytes = session.read(path, io)?;
        if path.extension().is_none_or(|extension| extension != NPY) {
            return Ok(bytes);
        }
        match Array::parse(&bytes) {
            Ok(array) => {
                let data = array.data.clone();
                self.arrays.insert(index, array);
                Ok(data)
            }
            Err(error) => {
                let message = format!("{} cannot be used: {error}", path.display());
                Err(session
                    .diags
                    .fail(Diag::error(&codes::ARGUMENT_FILE, message).help(
                    "save the array with numpy.save in C order with a plain number type, or give \
                     raw bytes in a file whose name doesn't end in .npy",
                )))
            }
        }
    }

    /// Buffers of zeros for the arguments without a file.
    fn zeros(
        &mut self,
        run: &RunArgs,
        declared: &[Argument],
        sizes: &BTreeMap<u32, u64>,
        session: &mut Session,
    ) -> Result<(), Reported> {
        let declared = declared.iter().map(|argument| argument.index);
        let outs = run.outs.iter().map(|(index, _)| *index);
        for index in declared.chain(outs).chain(sizes.keys().copied()) {
            if self.buffers.contains_key(&index) {
                continue;
            }
            let size = sizes
                .get(&index)
                .and_then(|size| usize::try_from(*size).ok());
            match size {
                Some(size) => {
                    self.buffers.insert(index, vec![0; size]);
                }
                None => session.diags.push(unknown_size(index)),
            }
        }
        session.diags.check()
    }

    /// Adds the outputs of a finished run.
    pub fn write(&self, run: &RunArgs, results: &BTreeMap<u32, Vec<u8>>, outputs: &mut Outputs) {
        for (index, path) in &run.outs {
            let Some(bytes) = results.get(index) else {
                continue;
            };
            outputs.add(path.clone(), self.encode(*index, path, bytes));
        }
    }

    /// The content of the file of an output: raw, or an array of the type and shape that came in
    /// for the argument, else of bytes.
    fn encode(&self, index: u32, path: &Path, bytes: &[u8]) -> Vec<u8> {
        if path.extension().is_none_or(|extension| extension != NPY) {
            return bytes.to_vec();
        }
        let array = match self.arrays.get(&index) {
            Some(array) => Array {
                data: bytes.to_vec(),
                ..array.clone()
            },
            None => Array {
                descr: "|u1".to_string(),
                shape: vec![bytes.len()],
                data: bytes.to_vec(),
            },
        };
        array.to_bytes()
    }
}

/// Sizes in bytes: as the ELF says, or else the command line.
fn sizes(run: &RunArgs, declared: &[Argument], session: &mut Session) -> BTreeMap<u32, u64> {
    let mut sizes: BTreeMap<u32, u64> = declared
        .iter()
        .map(|argument| (argument.index, argument.bytes))
        .collect();
    for (index, size) in &run.sizes {
        match sizes.get(index) {
            Some(known) if known != size => {
                let message = format!(
                    "--arg-size {index}={size} contradicts the ELF: argument {index} has {known} \
                     bytes"
                );
                let diag = Diag::error(&codes::ARGUMENT_SIZE, message);
                session.diags.push(diag.help("leave --arg-size out"));
            }
            _ => {
                sizes.insert(*index, *size);
            }
        }
    }
    sizes
}

fn describe(declared: &[Argument]) -> String {
    let list: Vec<String> = declared
        .iter()
        .map(|argument| {
            format!(
                "{} '{}' of {} bytes",
                argument.index, argument.name, argument.bytes
            )
        })
        .collect();
    list.join(", ")
}

fn no_such_argument(index: u32, declared: &[Argument]) -> Diag {
    let message = format!("the runtime sequence has no argument {index}");
    Diag::error(&codes::ARGUMENT_INDEX, message)
        .help(format!("its arguments are {}", describe(declared)))
}

fn wrong_size(index: u32, path: &Path, bytes: usize, size: u64, declared: &[Argument]) -> Diag {
    let from = match path.as_os_str() == STANDARD_STREAM {
        true => "standard input".to_string(),
        false => path.display().to_string(),
    };
    let message = format!(
        "{from} has {bytes} bytes, and argument {index} of the runtime sequence has {size}"
    );
    Diag::error(&codes::ARGUMENT_SIZE, message).help(match declared.is_empty() {
        true => format!("give a file of {size} bytes, or another --arg-size"),
        false => format!(
            "give a file of {size} bytes; the arguments are {}",
            describe(declared)
        ),
    })
}

fn unknown_size(index: u32) -> Diag {
    let message = format!("the size of argument {index} is not known");
    Diag::error(&codes::ARGUMENT_MISSING, message).help(format!(
        "add --arg {index}=FILE or --arg-size {index}=BYTES"
    ))
}

/// The files `argN.bin` (or `.npy`) and `expectedN.bin` of an example's folder, by number.
pub fn numbered_files(folder: &Path, stem: &str) -> std::io::Result<BTreeMap<u32, PathBuf>> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let number = name
            .strip_prefix(stem)
            .and_then(|number| number.parse().ok());
        let data = path
            .extension()
            .is_some_and(|extension| extension == "bin" || extension == NPY);
        if let Some(number) = number.filter(|_| data) {
            files.insert(number, path);
        }
    }
    Ok(files)
}
