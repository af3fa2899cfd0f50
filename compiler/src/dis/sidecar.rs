//! The files of a disassembly: the text, and what goes beside it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use aiec_cert::dis::{Disassembly, InstanceText};
use aiec_cert::names::Target;
use aiec_diag::Diag;
use serde_json::{Map, Value, json};

use super::codes;
use crate::io::output::Outputs;
use crate::session::Session;

/// Prefix of the names of files beside an output: its name up to the last dot, with the dot.
pub fn stem(output: &Path) -> Option<String> {
    let stem = output.file_stem().and_then(OsStr::to_str)?;
    Some(format!("{stem}."))
}

/// Adds the files of a disassembly. Without a stem everything goes to one output.
pub fn add(
    found: &Disassembly,
    output: &Path,
    stem: Option<&str>,
    outputs: &mut Outputs,
    session: &mut Session,
) {
    let mut writer = Writer {
        found,
        stem,
        folder: output.parent().map(Path::to_path_buf).unwrap_or_default(),
        outputs,
        left_out: Vec::new(),
    };
    if found.is_config() {
        writer.config(output)
    } else {
        writer.plain(output)
    }
    let left_out = std::mem::take(&mut writer.left_out);
    if !left_out.is_empty() {
        let message = format!("left out: {}", left_out.join(", "));
        let help = "with -o FILE.asm they are written beside it";
        session.push(Diag::warning(&codes::NEEDS_FILES, message).help(help));
    }
}

struct Writer<'a> {
    found: &'a Disassembly,
    /// Prefix of names; `None` if there is only one output.
    stem: Option<&'a str>,
    folder: PathBuf,
    outputs: &'a mut Outputs,
    /// Parts that would need a file of their own.
    left_out: Vec<String>,
}

impl Writer<'_> {
    /// Adds a file beside the output.
    fn file(&mut self, name: &str, bytes: impl Into<Vec<u8>>, what: &str) {
        match self.stem {
            Some(_) => self.outputs.add(self.folder.join(name), bytes),
            None => self.left_out.push(what.to_owned()),
        }
    }

    fn name(&self, rest: &str) -> String {
        format!("{}{rest}", self.stem.unwrap_or_default())
    }

    fn plain(&mut self, output: &Path) {
        let found = self.found;
        let Some(instance) = found.instances.first() else {
            return;
        };
        let patch = self.packets(instance, "");
        self.pads(instance);
        let name = output.file_name().and_then(OsStr::to_str);
        let name = name.filter(|_| self.stem.is_some()).unwrap_or("FILE.asm");
        let patch = patch.map(|patch| format!(" --patch {patch}"));
        let text = format!(
            "; aiec asm {name}{}{} -o {}elf\n{}{}",
            leniency(found),
            patch.unwrap_or_default(),
            self.stem.unwrap_or("FILE."),
            instance.text,
            embedded(found),
        );
        self.outputs.add(output, text);
    }

    fn pads(&mut self, instance: &InstanceText) {
        for (name, bytes) in &instance.files {
            self.file(name, bytes.clone(), &format!("contents of the pad {name}"));
        }
    }

    /// The description of an instance's control packets and their contents; its name.
    fn packets(&mut self, instance: &InstanceText, prefix: &str) -> Option<String> {
        let buffers = &instance.program.ctrl_packets;
        if buffers.is_empty() {
            return None;
        }
        let mut described = Map::new();
        for buffer in buffers {
            let id = buffer.id;
            let path = self.name(&format!("{prefix}ctrlpkt-{id}.bin"));
            let what = format!("control packets {id}");
            self.file(&path, buffer.bytes.clone(), &what);
            let value = json!({ "xrt_id": id, "ctrl_pkt_buffer": true, "path": path });
            described.insert(format!("packets_{id}"), value);
        }
        // a location names the address in the packet, a relocation the word `back` bytes before it
        let back = match self.found.target {
            Target::Aie2ps => 8,
            Target::Aie4 => 4,
        };
        let patches = buffers.iter().flat_map(|buffer| {
            let patches = buffer.patches.iter();
            patches.map(move |patch| (buffer.id, patch))
        });
        for (index, (id, patch)) in patches.enumerate() {
            let location = json!({ "offset": u64::from(patch.offset) + back, "xrt_id": id });
            let value = json!({
                "xrt_id": patch.argument,
                "control_packet_patch_locations": [location],
            });
            described.insert(format!("patch_{index:06}"), value);
        }
        let name = self.name(&format!("{prefix}patch.json"));
        let json = json!({ "external_buffers": described });
        let what = "the description of control packets";
        self.file(&name, format!("{json:#}\n"), what);
        Some(name)
    }

    /// A configuration file: a description, and a text for each instance.
    fn config(&mut self, output: &Path) {
        let found = self.found;
        let mut instances = Vec::new();
        let mut texts = String::new();
        let name = output.file_name().and_then(OsStr::to_str);
        let command = format!(
            "; aiec asm --config {} --target {}_config{} -o {}elf\n",
            name.filter(|_| self.stem.is_some()).unwrap_or("FILE.json"),
            found.target,
            leniency(found),
            self.stem.unwrap_or("FILE."),
        );
        for instance in &found.instances {
            let number = instance.number;
            let patch = self.packets(instance, &format!("{number}."));
            self.pads(instance);
            let name = self.name(&format!("{number}.asm"));
            match self.stem {
                Some(_) => {
                    let text = format!("{command}{}", instance.text);
                    self.outputs.add(self.folder.join(&name), text);
                }
                None => texts.push_str(&format!("; instance {number}\n{}\n", instance.text)),
            }
            instances.push((name, patch));
        }
        let kernels: Vec<Value> = found
            .kernels
            .iter()
            .map(|kernel| {
                let arguments = kernel.arguments.iter().enumerate();
                let arguments = arguments.map(|(index, kind)| {
                    json!({ "name": format!("arg{index}"), "type": kind.spelling() })
                });
                let instances = kernel.instances.iter().filter_map(|(id, at)| {
                    let (file, patch) = instances.get(*at)?;
                    let mut value = json!({ "id": id, "ctrl_code_file": file });
                    if let Some(patch) = patch {
                        value["patch_info_file"] = json!(patch);
                    }
                    Some(value)
                });
                json!({
                    "name": kernel.name,
                    "arguments": arguments.collect::<Vec<_>>(),
                    "instance": instances.collect::<Vec<_>>(),
                })
            })
            .collect();
        let mut description = json!({ "xrt-kernels": kernels });
        let mut custom = Vec::new();
        for (index, (section, bytes)) in found.file.custom.iter().enumerate() {
            let path = self.name(&format!("custom-{index}.bin"));
            self.file(&path, bytes.clone(), &format!("the section {section}"));
            custom.push(json!({ "section_name": section, "path": path }));
        }
        if !custom.is_empty() {
            description["custom_section"] = Value::Array(custom);
        }
        match self.stem {
            Some(_) => self.outputs.add(output, format!("{description:#}\n")),
            None => {
                self.left_out
                    .push("the description of kernels and instances".to_owned());
                self.outputs.add(output, texts);
            }
        }
    }
}

/// Sections without code, as comments.
fn embedded(found: &Disassembly) -> String {
    let text = found.embedded_text();
    if text.is_empty() {
        text
    } else {
        format!("\n; sections without code, which aiec asm puts back\n{text}")
    }
}

/// The flag that lets the assembler take the text, if it needs one.
fn leniency(found: &Disassembly) -> &'static str {
    match (found.compat, found.faulty) {
        (true, _) => " --compat",
        (false, true) => " --lenient",
        (false, false) => "",
    }
}
