//! Configuration files (`--config`): several kernels with several instances in one ELF
//! (aiebu: src/cpp/elf).
//!
//! `xrt-kernels` is a list of { `name`, `arguments`: list of { `type`, … }, `instance`: list of
//! { `id`, `ctrl_code_file`, optional `patch_info_file` } }; `custom_section` is an optional list
//! of { `section_name`, `path` }.

use std::path::Path;

use aiec_cert::asm::Declared;
use aiec_cert::dis::embed;
use aiec_cert::elf::{self, Config, Kernel, KernelArgument, KernelInstance};
use aiec_diag::{Diag, Reported};
use serde_json::Value;

use super::{Assembler, codes};
use crate::io::Io;
use crate::session::without_mark;

/// Assembles all instances of a description into a configuration file.
pub fn assemble(
    assembler: &mut Assembler<'_>,
    path: &Path,
    io: &mut Io<'_>,
) -> Result<Vec<u8>, Reported> {
    let json = assembler.session.read(path, io)?;
    let mut reader = Reader {
        assembler,
        path,
        declared: None,
        config: Config {
            target: None,
            columns: 0,
            kernels: Vec::new(),
            custom: Vec::new(),
        },
    };
    reader.read(&json)?;
    let config = reader.config;
    assembler.written(elf::write_config(&config))
}

struct Reader<'r, 'a> {
    assembler: &'r mut Assembler<'a>,
    path: &'r Path,
    /// Declarations of the first instance, and its name.
    declared: Option<(String, Declared)>,
    config: Config,
}

impl Reader<'_, '_> {
    fn fail(&mut self, what: impl std::fmt::Display) -> Reported {
        let message = format!("{}: {what}", self.path.display());
        let diag = Diag::error(&codes::DESCRIPTION, message);
        let diag = diag.help(codes::DESCRIPTION_HELP);
        self.assembler.session.fail(diag)
    }

    fn read(&mut self, json: &[u8]) -> Result<(), Reported> {
        let description: Value =
            serde_json::from_slice(without_mark(json)).map_err(|error| self.fail(error))?;
        if description.get("PDIs").is_some() {
            return Err(self.fail("'PDIs' is not supported: the code of a PDI is a scope"));
        }
        if description.get("compress").is_some_and(asks_for) {
            let what =
                "'compress' is not supported: how loaders unpack such sections is not public";
            return Err(self.fail(what));
        }
        let kernels = list(&description, "xrt-kernels");
        let Some(kernels) = kernels.filter(|kernels| !kernels.is_empty()) else {
            return Err(self.fail("there is no list 'xrt-kernels'"));
        };
        for kernel in kernels {
            let kernel = self.kernel(kernel)?;
            self.config.kernels.push(kernel);
        }
        for section in list(&description, "custom_section").unwrap_or_default() {
            self.custom(section)?;
        }
        Ok(())
    }

    fn text<'v>(&mut self, value: &'v Value, key: &str, of: &str) -> Result<&'v str, Reported> {
        let found = value.get(key).and_then(Value::as_str);
        found.ok_or_else(|| self.fail(format!("{of} has no '{key}'")))
    }

    fn kernel(&mut self, kernel: &Value) -> Result<Kernel, Reported> {
        let name = self.text(kernel, "name", "a kernel")?.to_owned();
        let arguments = list(kernel, "arguments").unwrap_or_default().iter();
        let arguments = arguments
            .map(|argument| {
                let kind = argument.get("type").and_then(Value::as_str);
                KernelArgument::from_name(kind.unwrap_or_default())
            })
            .collect();
        let mut instances = Vec::new();
        for instance in list(kernel, "instance").unwrap_or_default() {
            instances.push(self.instance(instance)?);
        }
        Ok(Kernel {
            name,
            arguments,
            instances,
        })
    }

    fn instance(&mut self, instance: &Value) -> Result<KernelInstance, Reported> {
        let id = self.text(instance, "id", "an instance")?.to_owned();
        let file = self.text(instance, "ctrl_code_file", "an instance")?;
        let texts = [self.file(file)?];
        let mut unit = self.assembler.parse(&texts)?;
        if let Some(patch) = instance.get("patch_info_file").and_then(Value::as_str) {
            let (_, bytes) = self.file(patch)?;
            let path = self.path;
            self.assembler.patch(&mut unit.program, path, &bytes)?;
        }
        self.agree(&id, &unit.assembled.declared)?;
        self.config.columns = unit.program.columns;
        let image = self.assembler.layout(&mut unit)?;
        let kept = || embed::section(&texts[0].1, embed::DUMP);
        let dump = self.assembler.record(&unit, &image).or_else(kept);
        Ok(KernelInstance { id, image, dump })
    }

    /// All instances must say the same of themselves.
    fn agree(&mut self, id: &str, declared: &Declared) -> Result<(), Reported> {
        let Some((first, other)) = &self.declared else {
            self.config.target.clone_from(&declared.target);
            self.declared = Some((id.to_owned(), declared.clone()));
            return Ok(());
        };
        let what = match other {
            _ if other.target != declared.target => ".target",
            _ if other.columns != declared.columns => ".partition",
            _ if other.topology != declared.topology => ".aie_row_topology",
            _ => return Ok(()),
        };
        let message = format!("the instances '{first}' and '{id}' differ in {what}");
        Err(self.fail(message))
    }

    fn custom(&mut self, section: &Value) -> Result<(), Reported> {
        let name = self
            .text(section, "section_name", "a custom section")?
            .to_owned();
        let file = self.text(section, "path", "a custom section")?;
        let (_, bytes) = self.file(file)?;
        if self.config.custom.iter().any(|(other, _)| *other == name) {
            return Err(self.fail(format!("the custom section '{name}' is there twice")));
        }
        self.config.custom.push((name, bytes));
        Ok(())
    }

    /// A file that the description names: its path and contents.
    fn file(&mut self, name: &str) -> Result<(String, Vec<u8>), Reported> {
        match self.assembler.folders.read(name, self.path) {
            Some((path, bytes)) => Ok((path.display().to_string(), bytes)),
            None => Err(self.fail(format!("cannot read '{name}'"))),
        }
    }
}

/// False for what switches something off.
fn asks_for(value: &Value) -> bool {
    !matches!(value, Value::Null | Value::Bool(false)) && value.as_str() != Some("false")
}

fn list<'v>(value: &'v Value, key: &str) -> Option<&'v [Value]> {
    value.get(key)?.as_array().map(Vec::as_slice)
}
