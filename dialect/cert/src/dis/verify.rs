//! Assembles the text again and compares the file.

use aiec_diag::Diag;

use super::{DisOptions, Disassembly, InstanceText, embed, instance_text, lift_instance, lost};
use crate::asm::{self, AsmOptions, Files, FoundFile};
use crate::check;
use crate::debug::DebugInfo;
use crate::elf::{self, Config, ExtraSections, Kernel, KernelInstance};
use crate::finding::{Finding, UnreadCounts};
use crate::image::{self, Image};
use crate::pager::{self, LayoutOptions};

/// The files beside a text.
struct Sidecars<'a>(&'a [(String, Vec<u8>)]);

impl Files for Sidecars<'_> {
    fn find(&self, name: &str, _from: &str) -> Option<FoundFile> {
        let found = self.0.iter().find(|(file, _)| file == name)?;
        Some(FoundFile {
            path: found.0.clone(),
            bytes: found.1.clone(),
        })
    }
}

/// Finds out how the text must be assembled, and says where the file doesn't come back.
pub(super) fn verify(made: &mut Disassembly, bytes: &[u8], options: &DisOptions<'_>) {
    // what assembles strictly assembles to the same otherwise
    let strict = assemble(made, false);
    made.compat = strict.is_err();
    let mut again = match strict {
        Err(_) => assemble(made, true),
        done => done,
    };
    if again.is_err() {
        keep_refused(made, options);
        again = assemble(made, true);
    }
    let columns = made.file.columns;
    made.faulty = made.instances.iter().any(|text| is_faulty(text, columns));
    let what = match again {
        Ok(again) if again == bytes => return,
        Ok(again) => {
            let same = again.iter().zip(bytes).take_while(|(a, b)| a == b).count();
            format!(
                "the text gives the code, but not this file: it differs at byte 0x{same:X}, \
                 another assembler may have written it (OS/ABI 0x{:02X}, version 0x{:02X})",
                made.file.os_abi, made.file.abi_version
            )
        }
        Err(why) => format!("the text does not assemble: {}", why.message),
    };
    made.findings.push(lost(None, what));
}

/// A text that is refused is of no use: keeps all pages of its instance as words.
fn keep_refused(made: &mut Disassembly, options: &DisOptions<'_>) {
    for index in 0..made.instances.len() {
        let Err(why) = image(made, index, true) else {
            continue;
        };
        let why = format!("the assembler refuses its text: {}", why.message);
        let Some(instance) = made.file.instances.get(index) else {
            continue;
        };
        let lifted = lift_instance(&made.file, instance, made.target, Some(&why));
        let text = instance_text(&made.file, index, lifted, made.target, options);
        if let Some(slot) = made.instances.get_mut(index) {
            *slot = text;
        }
    }
}

/// The file that the text gives.
fn assemble(made: &Disassembly, compat: bool) -> Result<Vec<u8>, Diag> {
    let mut images = Vec::new();
    for index in 0..made.instances.len() {
        images.push(image(made, index, compat)?);
    }
    if made.is_config() {
        elf::write_config(&config(made, images))
    } else {
        let text = made.embedded_text();
        let section = |name| embed::section(text.as_bytes(), name);
        let debug = section(crate::debug::SECTION);
        let debug = debug.and_then(|bytes| DebugInfo::parse(&bytes).ok());
        let dump = section(elf::SECTION_DUMP);
        let extras = ExtraSections {
            debug: debug.as_ref(),
            dump: dump.as_deref(),
        };
        let none = || lost(None, "there is no code".to_owned());
        let image = images.first().ok_or_else(none)?;
        elf::write_with(image, extras)
    }
}

/// The image that the text of an instance gives.
fn image(made: &Disassembly, index: usize, compat: bool) -> Result<Image, Diag> {
    let none = || lost(None, "there is no such instance".to_owned());
    let instance = made.instances.get(index).ok_or_else(none)?;
    let options = AsmOptions {
        target: made.target,
        compat,
    };
    let files = Sidecars(&instance.files);
    let assembled = asm::parse("", instance.text.as_bytes(), &files, options);
    let mut program = assembled.program.map_err(first)?;
    program
        .ctrl_packets
        .clone_from(&instance.program.ctrl_packets);
    image::assemble(&program, LayoutOptions { compat }).map_err(|findings| {
        let diags = findings.into_iter().map(|f| f.into_diag(|_| None));
        first(diags.collect())
    })
}

/// Whether the checks refuse the program of an instance.
fn is_faulty(instance: &InstanceText, columns: Option<u32>) -> bool {
    let (plans, _) = pager::plan(&instance.program, LayoutOptions::default());
    let findings = check::check(&instance.program, &plans, columns, UnreadCounts::default());
    findings.iter().any(Finding::is_error)
}

fn first(errors: Vec<Diag>) -> Diag {
    let first = errors.into_iter().next();
    first.unwrap_or_else(|| lost(None, "the assembler gives no reason".to_owned()))
}

fn config(made: &Disassembly, images: Vec<Image>) -> Config {
    let target = made.instances.iter().find_map(|instance| {
        let line = instance
            .text
            .lines()
            .find_map(|l| l.strip_prefix(".target\t"));
        line.map(str::to_owned)
    });
    let kernel = |kernel: &super::KernelText| Kernel {
        name: kernel.name.clone(),
        arguments: kernel.arguments.clone(),
        instances: kernel
            .instances
            .iter()
            .filter_map(|(id, at)| {
                let text = made.instances.get(*at)?.text.as_bytes();
                Some(KernelInstance {
                    id: id.clone(),
                    image: images.get(*at)?.clone(),
                    dump: embed::section(text, elf::SECTION_DUMP),
                })
            })
            .collect(),
    };
    Config {
        target,
        columns: made.file.columns.unwrap_or(super::DEFAULT_COLUMNS),
        kernels: made.kernels.iter().map(kernel).collect(),
        custom: made.file.custom.clone(),
    }
}
