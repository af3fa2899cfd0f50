//! The host buffers of a run: which bytes each argument of the runtime sequence starts with, and
//! where they go afterwards.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use aiec_cert::debug::{Argument, ArgumentType};
use aiec_cert::elf::{ControlElf, PatchSymbol};
use aiec_diag::{Diag, Reported};
use aiec_sim::HostBuffer;

use crate::args::RunArgs;
use crate::codes;
use crate::inputs::element::ElementType;
use crate::inputs::npy::Array;
use crate::io::Io;
use crate::io::output::Outputs;
use crate::session::{Session, input_name};

/// Ending of the names of NumPy files.
const NPY: &str = "npy";

/// Arguments of an ELF, as far as its sections and code show them.
#[derive(Debug, Default)]
pub struct KnownArguments {
    /// Those that it declares.
    pub declared: Vec<Argument>,
    /// Numbers of all that its code uses, declared or not.
    used: BTreeSet<u32>,
}

impl KnownArguments {
    /// The arguments of a control code file.
    pub fn of(control: &ControlElf) -> KnownArguments {
        let declared = control.debug.as_ref().map(|debug| debug.arguments.clone());
        let patches = control.instances.iter().flat_map(|i| &i.patches);
        let used = patches.filter_map(|patch| match patch.symbol {
            PatchSymbol::Argument(index) => Some(index),
            _ => None,
        });
        KnownArguments {
            declared: declared.unwrap_or_default(),
            used: used.collect(),
        }
    }

    /// The program uses these too.
    pub fn add_used(&mut self, used: BTreeSet<u32>) {
        self.used.extend(used);
    }

    /// Warnings about arguments of the command line that the program neither declares nor uses.
    pub fn unused(&self, run: &RunArgs) -> Vec<Diag> {
        let files = run.args.iter().chain(&run.outs).chain(&run.expected);
        let named = files.map(|(index, _)| *index);
        let named: BTreeSet<u32> = named
            .chain(run.sizes.iter().map(|(index, _)| *index))
            .collect();
        let is_unused = |index: &u32| !self.used.contains(index) && self.get(*index).is_none();
        let unused = named.into_iter().filter(is_unused);
        let used: Vec<String> = self.used.iter().map(u32::to_string).collect();
        unused
            .map(|index| {
                let message = format!("the program doesn't use argument {index}");
                let diag = Diag::warning(&codes::ARGUMENT_INDEX, message);
                diag.help(if used.is_empty() {
                    "it uses none".to_string()
                } else {
                    format!("it uses {}", used.join(", "))
                })
            })
            .collect()
    }

    /// The declaration of an argument.
    pub fn get(&self, index: u32) -> Option<&Argument> {
        self.declared
            .iter()
            .find(|argument| argument.index == index)
    }

    fn has(&self, index: u32) -> bool {
        self.declared.is_empty() || self.used.contains(&index) || self.get(index).is_some()
    }

    /// The contents of a file as the bytes of an argument: those of a `.npy` file are checked.
    pub fn contents(
        &self,
        index: u32,
        path: &Path,
        bytes: Vec<u8>,
        session: &mut Session,
    ) -> Result<Vec<u8>, Reported> {
        if path.extension().is_none_or(|extension| extension != NPY) {
            return Ok(bytes);
        }
        let array = Array::parse(&bytes).map_err(|error| {
            let message = format!("{} cannot be used: {error}", path.display());
            let help = "save the array with numpy.save in C order with a plain number type, or \
                        give raw bytes in a file whose name doesn't end in .npy";
            let diag = Diag::error(&codes::ARGUMENT_FILE, message).help(help);
            session.fail(diag)
        })?;
        let Some((ty, element)) = self.get(index).and_then(element_of) else {
            return Ok(array.data);
        };
        if element.npy.contains(&array.descr.as_str()) {
            return Ok(array.data);
        }
        let message = format!(
            "{} holds elements of type '{}', and argument {index} is {ty}",
            path.display(),
            array.descr
        );
        let wanted: Vec<String> = element.npy.iter().map(|npy| format!("'{npy}'")).collect();
        let diag = Diag::error(&codes::ARGUMENT_FILE, message);
        Err(session.fail(diag.help(format!("convert it to {}", wanted.join(" or ")))))
    }

    fn describe(&self) -> String {
        let declared = self.declared.iter().map(|argument| {
            let Argument {
                index,
                bytes,
                name,
                ty,
            } = argument;
            match ty {
                Some(ty) => format!("{index} '{name}' of {bytes} bytes ({ty})"),
                None => format!("{index} '{name}' of {bytes} bytes"),
            }
        });
        let others = self.used.iter().filter(|index| self.get(**index).is_none());
        let others = others.map(|index| format!("{index}, whose size only its user knows"));
        declared.chain(others).collect::<Vec<_>>().join(", ")
    }
}

/// The type of an argument, and of its elements if they are numbers.
pub fn element_of(argument: &Argument) -> Option<(&ArgumentType, &'static ElementType)> {
    let ty = argument.ty.as_ref()?;
    Some((ty, ElementType::by_name(&ty.element)?))
}

/// Bytes that an argument without a file may have: those that a BD's 32-bit address low word reaches
/// (AM025: shim DMA BD, base address), far more than any design uses.
const MAX_ARGUMENT_BYTES: usize = u32::MAX as usize;

/// The buffers of a run by argument number.
#[derive(Debug, Default)]
pub struct Arguments {
    /// Bytes before the run.
    pub buffers: BTreeMap<u32, Vec<u8>>,
}

impl Arguments {
    /// Reads the files of the command line.
    pub fn read(
        run: &RunArgs,
        known: &KnownArguments,
        session: &mut Session,
        io: &mut Io<'_>,
    ) -> Result<Arguments, Reported> {
        let mut arguments = Arguments::default();
        let sizes = sizes(run, &known.declared, session);
        let files = run.args.iter().chain(&run.outs).chain(&run.expected);
        let named = files.map(|(index, _)| *index);
        let mut reported = BTreeSet::new();
        for index in named.chain(run.sizes.iter().map(|(index, _)| *index)) {
            if !known.has(index) && reported.insert(index) {
                session.push(no_such_argument(index, known));
            }
        }
        for (option, files) in [("--arg", &run.args), ("--expect", &run.expected)] {
            let mut seen = BTreeSet::new();
            let twice = files.iter().filter(|(index, _)| !seen.insert(*index));
            for (index, path) in twice {
                session.push(given_twice(option, *index, path));
            }
        }
        session.diags.check()?;
        for (index, path) in &run.args {
            // all files are tried, so that one run reports what is wrong with each
            let bytes = session.read_data(path, io);
            let bytes = bytes.and_then(|bytes| known.contents(*index, path, bytes, session));
            let Ok(bytes) = bytes else {
                continue;
            };
            let size = sizes.get(index).copied().unwrap_or(bytes.len() as u64);
            match size.cmp(&(bytes.len() as u64)) {
                Ordering::Equal => {}
                Ordering::Greater => {
                    session.push(too_small(*index, path, bytes.len(), size, known))
                }
                Ordering::Less => session.push(larger(*index, path, bytes.len(), size)),
            }
            arguments.buffers.insert(*index, bytes);
        }
        session.diags.check()?;
        arguments.zeros(run, known, &sizes, session)?;
        Ok(arguments)
    }

    /// Buffers of zeros for the arguments without a file.
    fn zeros(
        &mut self,
        run: &RunArgs,
        known: &KnownArguments,
        sizes: &BTreeMap<u32, u64>,
        session: &mut Session,
    ) -> Result<(), Reported> {
        let declared = known.declared.iter().map(|argument| argument.index);
        let outs = run
            .outs
            .iter()
            .chain(&run.expected)
            .map(|(index, _)| *index);
        // A set, as several options may name one argument.
        let wanted: BTreeSet<u32> = declared.chain(outs).chain(sizes.keys().copied()).collect();
        for index in wanted {
            if self.buffers.contains_key(&index) {
                continue;
            }
            let size = sizes
                .get(&index)
                .and_then(|size| usize::try_from(*size).ok());
            match size {
                Some(size) if size > MAX_ARGUMENT_BYTES => {
                    session.push(too_large(index, size));
                }
                Some(size) => {
                    self.buffers.insert(index, vec![0; size]);
                }
                None => session.push(unknown_size(index)),
            }
        }
        session.diags.check()
    }

    /// Adds the outputs of a finished run.
    pub fn write(
        run: &RunArgs,
        known: &KnownArguments,
        results: &[HostBuffer],
        outputs: &mut Outputs,
    ) {
        for (index, path) in &run.outs {
            let Some(buffer) = results.iter().find(|buffer| buffer.index == *index) else {
                continue;
            };
            outputs.add(path.clone(), encode(path, known.get(*index), &buffer.bytes));
        }
    }
}

/// The message about arguments that a run read and that were not given.
pub fn not_given(run: &RunArgs, known: &KnownArguments, read: &[u32]) -> Vec<Diag> {
    let given = |index: u32| run.args.iter().any(|(given, _)| *given == index);
    let missing = read.iter().filter(|index| !given(**index));
    let describe = |index: &u32| {
        let name = known
            .get(*index)
            .map(|argument| format!(" '{}'", argument.name));
        let name = name.unwrap_or_default();
        let message = format!("the run read argument {index}{name}, which was not given: zeros");
        Diag::warning(&codes::ARGUMENT_NOT_GIVEN, message)
            .help(format!("add --arg {index}=FILE, raw bytes or .npy"))
    };
    missing.map(describe).collect()
}

/// The content of the file of an output: raw, or an array of the argument's type and shape; of
/// bytes, if these aren't known.
fn encode(path: &Path, declared: Option<&Argument>, bytes: &[u8]) -> Vec<u8> {
    if path.extension().is_none_or(|extension| extension != NPY) {
        return bytes.to_vec();
    }
    let (ty, element) = match declared.and_then(element_of) {
        Some((ty, element)) if bytes.len().is_multiple_of(element.bytes) => (Some(ty), element),
        _ => (None, ElementType::BYTE),
    };
    let count = bytes.len() / element.bytes;
    let shape: Option<Vec<usize>> = ty.and_then(|ty| {
        let extents = ty.shape.iter().map(|extent| usize::try_from(*extent).ok());
        extents.collect()
    });
    // A buffer that is larger than the type has one dimension.
    let shape = shape.filter(|shape| shape.iter().product::<usize>() == count);
    let array = Array {
        descr: element.npy.first().copied().unwrap_or_default().to_string(),
        shape: shape.unwrap_or_else(|| vec![count]),
        data: bytes.to_vec(),
    };
    array.to_bytes()
}

/// Sizes in bytes: as the ELF says, or else the command line, which may make arguments larger: designs of others move
/// more than the type of an argument holds.
fn sizes(run: &RunArgs, declared: &[Argument], session: &mut Session) -> BTreeMap<u32, u64> {
    let mut sizes: BTreeMap<u32, u64> = declared
        .iter()
        .map(|argument| (argument.index, argument.bytes))
        .collect();
    for (index, size) in &run.sizes {
        match sizes.get(index) {
            Some(known) if size < known => {
                let message = format!(
                    "--arg-size {index}={size} contradicts the ELF: argument {index} has {known} \
                     bytes"
                );
                let diag = Diag::error(&codes::ARGUMENT_SIZE, message);
                session.push(diag.help("leave --arg-size out, or allow at least as many"));
            }
            _ => {
                sizes.insert(*index, *size);
            }
        }
    }
    sizes
}

fn given_twice(option: &str, index: u32, path: &Path) -> Diag {
    let message = format!(
        "{option} {index}={} is the second file for argument {index}",
        path.display()
    );
    Diag::error(&codes::ARGUMENT_INDEX, message).help("leave one of them out")
}

fn no_such_argument(index: u32, known: &KnownArguments) -> Diag {
    let message = format!("the runtime sequence has no argument {index}");
    Diag::error(&codes::ARGUMENT_INDEX, message)
        .help(format!("its arguments are {}", known.describe()))
}

fn too_small(index: u32, path: &Path, bytes: usize, size: u64, known: &KnownArguments) -> Diag {
    let from = input_name(path);
    let message = format!(
        "{from} has {bytes} bytes, and argument {index} of the runtime sequence has {size}"
    );
    Diag::error(&codes::ARGUMENT_SIZE, message).help(if known.declared.is_empty() {
        format!("give a file of {size} bytes, or another --arg-size")
    } else {
        format!(
            "give a file of {size} bytes; the arguments are {}",
            known.describe()
        )
    })
}

fn larger(index: u32, path: &Path, bytes: usize, size: u64) -> Diag {
    let from = input_name(path);
    let message = format!(
        "{from} has {bytes} bytes, more than the {size} of argument {index} of the runtime sequence"
    );
    Diag::warning(&codes::ARGUMENT_LARGER, message).help(format!(
        "all of them are given to the run; a file of {size} bytes would be enough for the type"
    ))
}

/// A size that only a number says must not take all of the machine's memory.
fn too_large(index: u32, size: usize) -> Diag {
    let message = format!(
        "argument {index} has {size} bytes; the simulator fills at most {MAX_ARGUMENT_BYTES} with zeros"
    );
    Diag::error(&codes::ARGUMENT_SIZE, message).help(format!(
        "declare a smaller type, or give its contents with --arg {index}=FILE"
    ))
}

fn unknown_size(index: u32) -> Diag {
    let message = format!("the size of argument {index} is not known");
    Diag::error(&codes::ARGUMENT_MISSING, message).help(format!(
        "add --arg {index}=FILE or --arg-size {index}=BYTES"
    ))
}

/// The files `argN.bin` and `expectedN.bin`, or `.npy`, of an example's folder, by number.
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
