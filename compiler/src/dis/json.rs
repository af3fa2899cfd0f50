//! `--format=json`: the listing for programs. `schema.json` says what it holds.

use aiec_cert::dis::{Disassembly, InstanceText, ListedBlock, ListedItem, ListedPage};
use aiec_cert::elf::{Instance, PatchPlace};
use aiec_cert::isa::{Operand, RawOp};
use aiec_cert::page::PageHeader;
use aiec_cert::program::{DataItem, Word};
use serde_json::{Value, json};

/// Version of the listing's form.
const FORM: u32 = 1;

/// The listing of a file.
pub fn listing(found: &Disassembly) -> Value {
    let file = &found.file;
    let instances = found.instances.iter().zip(&file.instances);
    let instances: Vec<Value> = instances
        .map(|(text, read)| instance(found, text, read))
        .collect();
    let findings = found.findings.iter().map(|finding| &finding.message);
    let uid = file.uid.as_deref().map(hex);
    json!({
        "form": FORM,
        "os_abi": file.os_abi,
        "abi_version": file.abi_version,
        "target": found.target.name(),
        "configuration": found.is_config(),
        "columns": file.columns,
        "uid": uid,
        "device": file.debug.as_ref().and_then(|debug| debug.device.clone()),
        "compat": found.compat,
        "faulty": found.faulty,
        "instances": instances,
        "findings": findings.collect::<Vec<_>>(),
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn instance(found: &Disassembly, text: &InstanceText, read: &Instance) -> Value {
    let index = found.instances.iter().position(|i| i.number == text.number);
    let named = found.kernels.iter().find_map(|kernel| {
        let mut instances = kernel.instances.iter();
        let (id, _) = instances.find(|(_, at)| Some(*at) == index)?;
        Some((kernel.name.clone(), id.clone()))
    });
    let controllers: Vec<Value> = read
        .ucs
        .iter()
        .map(|code| {
            let pages = text.pages.iter().filter(|page| page.uc == code.uc);
            let pages: Vec<Value> = pages
                .map(|listed| {
                    let bytes = code.pages.get(listed.page as usize);
                    page(found, listed, bytes.map_or(&[][..], Vec::as_slice), read)
                })
                .collect();
            json!({ "controller": code.uc, "pad_bytes": code.pad.len(), "pages": pages })
        })
        .collect();
    let packets = read.ctrl_packets.iter();
    let packets = packets.map(|(id, bytes)| json!({ "id": id, "bytes": bytes.len() }));
    json!({
        "number": text.number,
        "kernel": named.as_ref().map(|(kernel, _)| kernel),
        "id": named.as_ref().map(|(_, id)| id),
        "controllers": controllers,
        "control_packets": packets.collect::<Vec<_>>(),
    })
}

fn page(found: &Disassembly, page: &ListedPage, bytes: &[u8], read: &Instance) -> Value {
    let header = PageHeader::parse(bytes).unwrap_or_default();
    let source = |at: usize, known: Option<&String>| {
        known.cloned().or_else(|| {
            let debug = found.file.debug.as_ref()?;
            let marks = debug.page(page.uc, page.page as u16)?;
            let at = u16::try_from(at).ok()?;
            let job = marks.jobs.iter().find(|job| job.at == at);
            let line = || marks.lines.iter().find(|line| line.at == at);
            let source = job.and_then(|job| job.source);
            debug.show(source.or_else(|| Some(line()?.source))?)
        })
    };
    let jobs: Vec<Value> = page
        .jobs
        .iter()
        .map(|job| {
            let items = job.items.iter();
            let items: Vec<Value> = items
                .map(|item| operation(item, bytes, source(item.at, item.source.as_ref())))
                .collect();
            json!({
                "id": job.id,
                "kind": job.kind.name(),
                "offset": job.at,
                "bytes": job.bytes,
                "source": source(job.at, job.source.as_ref()),
                "operations": items,
            })
        })
        .collect();
    json!({
        "page": page.page,
        "scope": page.scope_name,
        "length": header.length,
        "next_length": header.next_length,
        "raw": page.raw,
        "jobs": jobs,
        "data": page.blocks.iter().map(block).collect::<Vec<_>>(),
        "relocations": relocations(page, read),
    })
}

/// An instruction, or a word in its place.
fn operation(item: &ListedItem, page: &[u8], source: Option<String>) -> Value {
    let mut operands = Vec::new();
    let mut opcode = None;
    if item.op.is_some()
        && let Ok((op, _)) = RawOp::decode(page, item.at)
    {
        opcode = Some(op.info().opcode);
        let mut texts = item.operands();
        op.for_each_field(|field, operand| {
            if !field.in_text() {
                return;
            }
            let value = match operand {
                Operand::Number(n) => n,
                Operand::Label(n) | Operand::Scope(n) => u32::from(n),
            };
            operands.push(json!({
                "name": field.name,
                "kind": field.kind.name(),
                "value": value,
                "text": texts.next(),
            }));
        });
    }
    let mnemonic = item.op.map_or(".long", |op| op.info().mnemonic);
    json!({
        "offset": item.at,
        "bytes": item.bytes,
        "opcode": opcode,
        "mnemonic": mnemonic,
        "operands": operands,
        "source": source,
        "remark": item.remark,
    })
}

fn block(block: &ListedBlock) -> Value {
    let items = block.items.iter().map(|listed| match &listed.item {
        DataItem::Bd(bd) => json!({
            "kind": "descriptor",
            "offset": listed.at,
            "address": bd.remote,
            "payload": listed.payload,
            "words": bd.words,
            "external": bd.external,
            "next": bd.next,
            "remark": listed.remark,
        }),
        DataItem::Word(word) => {
            // labels and pads are numbers in a file
            let value = match word {
                Word::Value(value) => *value,
                Word::Label(_) | Word::Pad(_) => 0,
            };
            json!({
                "kind": "word",
                "offset": listed.at,
                "value": value,
                "remark": listed.remark,
            })
        }
    });
    json!({
        "label": block.label,
        "offset": block.at,
        "items": items.collect::<Vec<_>>(),
    })
}

fn relocations(page: &ListedPage, read: &Instance) -> Vec<Value> {
    let here = read.patches.iter().filter_map(|patch| match patch.place {
        PatchPlace::Page {
            uc,
            page: number,
            offset,
        } if uc == page.uc && number == page.page => Some((patch, offset)),
        _ => None,
    });
    here.map(|(patch, offset)| {
        json!({
            "offset": offset,
            "type": patch.kind.number(),
            "symbol": patch.symbol.to_string(),
            "addend": patch.addend,
        })
    })
    .collect()
}
