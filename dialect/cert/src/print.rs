//! Programs as assembly text that the vendor's assembler reads back to the same pages.
//!
//! Canonical form: lower-case names, one blank after each comma, decimal arguments, descriptors
//! before words. Named scopes are where their first operation does, closed by `.endl`.

use std::fmt::Write;

use rustc_hash::FxHashMap;

use crate::asm::symbol_text;
use crate::isa::{ArgOffset, FieldInfo, FieldKind, Op, OpInfo, Operand, Reg};
use crate::names::{ActorId, ActorTile, Target, TileId, actor_name};
use crate::program::{
    BodyItem, DataId, DataItem, FixupValue, Group, Inst, Job, JobKind, PadId, Program, RawPage,
    Scope, ScopeId, Word,
};

/// Column in which operands begin.
const OPERANDS: usize = 24;

/// Prints a program. Pads with contents cannot be written as text: they are printed as zero pads
/// of the same size, since `.setpad` takes contents only from files.
pub fn print(program: &Program) -> String {
    let mut out = String::new();
    // writing to a string cannot fail
    let _ = writeln!(out, ".target\t{}", program.target);
    let _ = writeln!(out, ".partition\t{}column", program.columns);
    for group in &program.groups {
        GroupPrinter::new(program, group, &mut out).print();
    }
    out
}

/// Prints the code of one controller; also the disassembler's pen.
pub(crate) struct GroupPrinter<'a> {
    program: &'a Program,
    group: &'a Group,
    /// Labels of the blocks of each scope.
    names: Vec<Vec<String>>,
    out: &'a mut String,
}

impl<'a> GroupPrinter<'a> {
    pub fn new(program: &'a Program, group: &'a Group, out: &'a mut String) -> Self {
        let names = group.scopes.iter().map(block_names).collect();
        Self {
            program,
            group,
            names,
            out,
        }
    }

    fn line(&mut self, text: impl AsRef<str>) {
        self.out.push_str(text.as_ref());
        self.out.push('\n');
    }

    fn op(&mut self, indent: &str, mnemonic: &str, operands: &[String]) {
        let line = op_line(indent, mnemonic, operands);
        self.line(line);
    }

    fn print(&mut self) {
        self.line("");
        self.line(format!(".attach_to_group {}", self.group.uc));
        for pad in &self.group.pads {
            let words = pad.bytes.len().div_ceil(4);
            self.line(format!(
                ".setpad {}, {words}",
                pad.name.to_ascii_lowercase()
            ));
        }
        let group = self.group;
        // the main scope's text comes first, then the others, then the main scope's data, so
        // that every scope opens in text state
        let main_first = group.scope_order.first() == Some(&ScopeId::MAIN);
        let others = group
            .scope_order
            .iter()
            .copied()
            .filter(|&id| id != ScopeId::MAIN);
        let others: Vec<ScopeId> = others.collect();
        if main_first {
            self.jobs(ScopeId::MAIN);
        }
        for id in others {
            self.line("");
            self.line(format!("{}:", scope_name(group, id)));
            self.jobs(id);
            self.data(id);
            self.line(format!(".endl {}", scope_name(group, id)));
        }
        if !main_first {
            self.jobs(ScopeId::MAIN);
        }
        self.data(ScopeId::MAIN);
    }

    fn jobs(&mut self, id: ScopeId) {
        let group = self.group;
        let regions = group.scope(id).map_or(&[][..], |s| &s.regions);
        for (i, region) in regions.iter().enumerate() {
            if i > 0 {
                self.line(".eop");
            }
            let mut seen = FxHashMap::default();
            for job in &region.jobs {
                let times: &mut usize = seen.entry((job.unit, job.id)).or_default();
                self.job(id, job, *times);
                *times += 1;
            }
            if let Some(page) = &region.raw {
                raw_page(self.out, page);
            }
        }
    }

    /// The line that begins a job. The vendor's assembler takes a number again if it is spelt
    /// otherwise: `times` says how often it was there.
    pub fn job_start(&self, job: &Job, times: usize) -> String {
        let start = match job.kind {
            JobKind::Immediate => "START_JOB",
            JobKind::Deferred => "START_JOB_DEFERRED",
            JobKind::AfterPreemption => "START_COND_JOB_PREEMPT",
        };
        let number = match times {
            0 => job.id.to_string(),
            _ => format!("0x{:0times$x}", job.id),
        };
        op_line("", start, &[number])
    }

    fn job(&mut self, scope: ScopeId, job: &Job, times: usize) {
        let start = self.job_start(job, times);
        self.line(start);
        for item in &job.body {
            match item {
                BodyItem::Inst(inst) => {
                    let line = self.inst(scope, inst);
                    self.line(line);
                }
                BodyItem::Word(word) => {
                    let line = self.word_line(scope, *word);
                    self.line(line);
                }
                BodyItem::Align(n) => self.op("  ", ".align", &[n.to_string()]),
            }
        }
        self.line("END_JOB");
    }

    /// The line of an instruction.
    pub fn inst(&self, scope: ScopeId, inst: &Inst) -> String {
        let info = inst.op.info();
        let tile = match inst.op {
            Op::WaitTcts { tile, .. } => Some(tile),
            _ => None,
        };
        let mut operands = Vec::new();
        let mut index = 0;
        inst.op.for_each_field(|field, value| {
            let fixup = inst.fixups.iter().find(|f| f.field == index);
            index += 1;
            if field.in_text() {
                operands.push(match (fixup, value) {
                    (Some(fixup), _) => self.fixup(scope, &fixup.value),
                    (None, Operand::Label(id)) => self.label(scope, id),
                    (None, Operand::Scope(id)) => format!("@{}", scope_name(self.group, id)),
                    (None, Operand::Number(n)) => self.number(info, field, n, tile),
                });
            }
        });
        operands.extend(inst.pad.map(|id| self.pad(id)));
        op_line("  ", info.mnemonic, &operands)
    }

    fn fixup(&self, scope: ScopeId, value: &FixupValue) -> String {
        match value {
            FixupValue::Symbol(symbol) => symbol.clone(),
            FixupValue::Label(id) => self.label(scope, *id),
            FixupValue::Pad(id) => self.pad(*id),
        }
    }

    fn label(&self, scope: ScopeId, id: DataId) -> String {
        format!("@{}", self.block_name(scope, id))
    }

    pub fn block_name(&self, scope: ScopeId, id: DataId) -> &str {
        let names = self
            .names
            .get(scope.0 as usize)
            .and_then(|n| n.get(id.0 as usize));
        names.map_or("?", String::as_str)
    }

    fn pad(&self, id: PadId) -> String {
        let name = self
            .group
            .pads
            .get(id.0 as usize)
            .map_or("?", |p| p.name.as_str());
        format!("@{}", name.to_ascii_lowercase())
    }

    fn number(&self, info: &OpInfo, field: &FieldInfo, n: u32, tile: Option<TileId>) -> String {
        match field.kind {
            FieldKind::Register => Reg(n as u8).to_string(),
            FieldKind::LocalBarrier if n <= field.max() => format!("$lb{n}"),
            FieldKind::RemoteBarrier if (1..=field.max()).contains(&n) => format!("$rb{}", n - 1),
            FieldKind::Argument => match ArgOffset(n as u16).index() {
                Some(index) => index.to_string(),
                None => "0xFFFF".into(),
            },
            FieldKind::Tile if n == u32::from(tile_of(n).0) => {
                format!("TILE_{}_{}", tile_of(n).column(), tile_of(n).row())
            }
            FieldKind::Actor => {
                let actor = ActorId(n as u8);
                let name = tile.and_then(|t| named_actor(self.program.target, t, actor));
                name.unwrap_or_else(|| n.to_string())
            }
            FieldKind::Address => format!("0x{n:08x}"),
            FieldKind::Number if field.bits == 32 && info.mnemonic != "SLEEP" => {
                format!("0x{n:08x}")
            }
            _ => n.to_string(),
        }
    }

    fn data(&mut self, id: ScopeId) {
        self.line("EOF");
        let group = self.group;
        let Some(scope) = group.scope(id) else { return };
        let (chains, words): (Vec<_>, Vec<_>) = (0..scope.data.len() as u32)
            .map(DataId)
            .partition(|&id| scope.block(id).is_some_and(|b| b.is_chain()));
        for (ids, align) in [(chains, "16"), (words, "4")] {
            if !ids.is_empty() {
                self.op("  ", ".align", &[align.into()]);
            }
            for block in ids {
                self.block(id, block);
            }
        }
    }

    fn block(&mut self, scope: ScopeId, id: DataId) {
        self.line(format!("{}:", self.block_name(scope, id)));
        let group = self.group;
        let items = group
            .scope(scope)
            .and_then(|s| s.block(id))
            .map_or(&[][..], |b| &b.items);
        for item in items {
            let line = self.item(scope, item);
            self.line(line);
        }
    }

    /// The line of an item of data.
    pub fn item(&self, scope: ScopeId, item: &DataItem) -> String {
        match item {
            DataItem::Word(word) => self.word_line(scope, *word),
            DataItem::Bd(bd) => {
                let operands = [
                    format!("0x{:x}", bd.remote >> 32),
                    format!("0x{:08x}", bd.remote as u32),
                    self.label(scope, bd.local),
                    bd.words.to_string(),
                    u8::from(bd.external).to_string(),
                    u8::from(bd.next).to_string(),
                ];
                op_line("  ", "UC_DMA_BD", &operands)
            }
        }
    }

    /// The line of a word.
    pub fn word_line(&self, scope: ScopeId, word: Word) -> String {
        op_line("  ", ".long", &[self.word(scope, word)])
    }

    fn word(&self, scope: ScopeId, word: Word) -> String {
        match word {
            Word::Value(value) => format!("0x{value:08x}"),
            Word::Label(id) => self.label(scope, id),
            Word::Pad(id) => self.pad(id),
        }
    }
}

/// Prints a page that is given by its bytes.
pub(crate) fn raw_page(out: &mut String, page: &RawPage) {
    let mut line = |line: String| {
        out.push_str(&line);
        out.push('\n');
    };
    line(format!(".raw_page {}", page.text_bytes));
    for patch in &page.patches {
        let operands = [
            format!("0x{:x}", patch.position),
            patch.kind.number().to_string(),
            symbol_text(&patch.symbol).into_owned(),
        ];
        line(op_line("  ", ".reloc", &operands));
    }
    for bytes in page.bytes.chunks(4) {
        let mut word = [0; 4];
        word[..bytes.len()].copy_from_slice(bytes);
        let word = format!("0x{:08x}", u32::from_le_bytes(word));
        line(op_line("  ", ".long", &[word]));
    }
    line(".end_raw_page".to_owned());
}

/// The line of an operation.
fn op_line(indent: &str, mnemonic: &str, operands: &[String]) -> String {
    let head = format!("{indent}{mnemonic}");
    if operands.is_empty() {
        head
    } else {
        format!("{head:OPERANDS$} {}", operands.join(", "))
    }
}

fn tile_of(n: u32) -> TileId {
    let n = n as u16;
    TileId::new((n >> 5) as u8, (n & 0x1F) as u8)
}

/// Name of an actor by the row of its tile: 0 shim, 1 and 2 memory, above core.
pub(crate) fn named_actor(target: Target, tile: TileId, actor: ActorId) -> Option<String> {
    let sort = match tile.row() {
        0 => ActorTile::Shim,
        1 | 2 => ActorTile::Mem,
        _ => ActorTile::Core,
    };
    actor_name(target, sort, actor)
}

/// Labels of a scope's blocks: letters, digits, underscore; a name that an earlier block has is
/// made unique by the block's number.
fn block_names(scope: &Scope) -> Vec<String> {
    let mut taken = std::collections::HashSet::new();
    let mut names = Vec::with_capacity(scope.data.len());
    for (i, block) in scope.data.iter().enumerate() {
        let mut name = identifier(&block.name);
        while name.is_empty() || !taken.insert(name.clone()) {
            name = format!("{name}_{i}");
        }
        names.push(name);
    }
    names
}

pub(crate) fn scope_name(group: &Group, id: ScopeId) -> String {
    group
        .scope(id)
        .map_or_else(|| "?".into(), |s| identifier(&s.name))
}

fn identifier(name: &str) -> String {
    let keep = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '_'
        }
    };
    name.chars().map(keep).collect()
}
