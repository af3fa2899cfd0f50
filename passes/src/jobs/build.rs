//! Builds the operations of a plan.

use std::sync::Arc;

use aiec_aie::ir::{
    Attr, Block, DenseElements, InsertPoint, Loc, Module, Op, SymbolTable, TensorType, Type,
};
use aiec_aie::ops::OpKind;

use super::Jobs;
use super::plan::{Descriptor, Group, Instruction, Job, Page, Plan};
use crate::infra::regions;

/// Register that a word passes which is read and written; private to the job, and not that of the
/// handle of a chain.
const COPY_REGISTER: i32 = 1;

/// Puts the jobs and their data at the end of the device.
pub(super) fn build(module: &mut Module, device: Op, plan: &Plan, jobs: Jobs, pass: &'static str) {
    let Some(body) = module.entry(device, 0) else {
        return;
    };
    let mut builder = Builder {
        symbols: SymbolTable::of(module, device),
        module,
        // In front of the terminator, if there is one.
        end: None,
        body,
        pass,
        data: Vec::new(),
        sections: Vec::new(),
        chains: 0,
        first_job: 1,
    };
    let last = builder.module.last_op(body);
    builder.end = last.filter(|op| builder.module.kind(*op) == OpKind::End);
    for (n, data) in plan.data.iter().enumerate() {
        let base = if data.patched { "bd_image" } else { "data" };
        let name = builder.unique(&format!("{base}_{n}"));
        builder.global(&name, &data.words, data.loc);
        builder.data.push(name);
    }
    for group in &plan.groups {
        builder.group(group, jobs);
    }
}

struct Builder<'m> {
    module: &'m mut Module,
    symbols: SymbolTable,
    body: Block,
    end: Option<Op>,
    pass: &'static str,
    /// Symbols of the plan's data.
    data: Vec<String>,
    /// Symbols of the controller's sections.
    sections: Vec<String>,
    chains: usize,
    /// Number of the page's first job.
    first_job: usize,
}

impl Builder<'_> {
    fn at(&self) -> InsertPoint {
        self.end
            .map_or(InsertPoint::End(self.body), InsertPoint::Before)
    }

    fn loc(&mut self, loc: Loc) -> Loc {
        self.module.locs.derived(self.pass, loc)
    }

    fn unique(&mut self, base: &str) -> String {
        let name = self.symbols.unique_name(base);
        if let Some(end) = self.end {
            self.symbols.insert(name.as_str(), end);
        }
        name
    }

    fn global(&mut self, name: &str, words: &[u32], loc: Loc) {
        let (at, loc) = (self.at(), self.loc(loc));
        let shape = vec![words.len() as i64];
        let dense = DenseElements {
            ty: Type::Tensor(Arc::new(TensorType {
                shape: shape.clone(),
                elem: Type::I32,
                encoding: None,
            })),
            splat: false,
            bytes: words.iter().flat_map(|word| word.to_le_bytes()).collect(),
        };
        self.module
            .build(OpKind::MemrefGlobal, loc)
            .attr("sym_name", Attr::str(name))
            .attr("sym_visibility", Attr::str("private"))
            .attr("type", Attr::Type(Type::memref(shape, Type::I32)))
            .attr("initial_value", Attr::Dense(Arc::new(dense)))
            .attr("constant", Attr::Unit)
            .insert(at);
    }

    /// The pages of a controller. Chains stand beside them, as their users name them by symbol.
    fn group(&mut self, group: &Group, jobs: Jobs) {
        let code = || group.all_pages().flatten().flat_map(|job| &job.code);
        let first = code().map(|(_, loc)| *loc).next().unwrap_or(Loc::UNKNOWN);
        let mut chains = Vec::new();
        for (instruction, loc) in code() {
            if !instruction.chain().is_empty() {
                chains.push(self.chain(instruction.chain(), *loc));
            }
        }
        let mut chains = chains.into_iter();
        let (at, loc) = (self.at(), self.loc(first));
        let inside = match jobs {
            Jobs::Single => at,
            Jobs::PerColumn | Jobs::Parallel => {
                let id = Attr::i32(i32::try_from(group.uc).unwrap_or(i32::MAX));
                let op = regions::ended(
                    self.module,
                    OpKind::CertAttachToGroup,
                    loc,
                    at,
                    vec![("group_id", id)],
                );
                regions::inside(self.module, op)
            }
        };
        let names = group.sections.iter().map(|section| section.name.as_str());
        self.sections = names
            .map(|name| match jobs {
                Jobs::Single => name.to_string(),
                Jobs::PerColumn | Jobs::Parallel => format!("{name}_{}", group.uc),
            })
            .collect();
        self.pages(&group.pages, loc, inside, &mut chains);
        for (section, name) in group.sections.iter().zip(self.sections.clone()) {
            let attrs = vec![("sym_name", Attr::str(name))];
            let op = regions::ended(self.module, OpKind::CertSection, loc, inside, attrs);
            let inside = regions::inside(self.module, op);
            self.pages(&section.pages, loc, inside, &mut chains);
        }
    }

    fn pages(
        &mut self,
        pages: &[Page],
        loc: Loc,
        inside: InsertPoint,
        chains: &mut impl Iterator<Item = String>,
    ) {
        // Jobs are numbered from 1.
        self.first_job = 1;
        for page in pages {
            let op = regions::ended(self.module, OpKind::CertPage, loc, inside, Vec::new());
            let inside = regions::inside(self.module, op);
            for (at, job) in page.iter().enumerate() {
                self.job(self.first_job + at, job, inside, chains);
            }
            self.first_job += page.len();
        }
    }

    fn job(
        &mut self,
        id: usize,
        job: &Job,
        at: InsertPoint,
        chains: &mut impl Iterator<Item = String>,
    ) {
        let first = job.code.first().map_or(Loc::UNKNOWN, |(_, loc)| *loc);
        let loc = self.loc(first);
        let mut attrs = vec![("job_id", Attr::i32(i32::try_from(id).unwrap_or(i32::MAX)))];
        if job.configures {
            attrs.push(("configures", Attr::Unit));
        }
        if job.deferred {
            attrs.push(("deferred", Attr::Unit));
        }
        let op = regions::ended(self.module, OpKind::CertJob, loc, at, attrs);
        let inside = regions::inside(self.module, op);
        for (instruction, loc) in &job.code {
            self.instruction(instruction, *loc, inside, chains);
        }
    }

    fn chain(&mut self, chain: &[Descriptor], loc: Loc) -> String {
        let name = self.unique(&format!("chain_{}", self.chains));
        self.chains += 1;
        let (at, loc) = (self.at(), self.loc(loc));
        let attrs = vec![("sym_name", Attr::str(name.as_str()))];
        let op = regions::ended(self.module, OpKind::CertUcDmaChain, loc, at, attrs);
        let inside = regions::inside(self.module, op);
        for (n, bd) in chain.iter().enumerate() {
            let data = self.data[bd.data.0].clone();
            self.module
                .build(OpKind::CertUcDmaBd, loc)
                .attr("remote_address", Attr::symbol(data))
                .attr("local_address", Attr::i32(bd.address as i32))
                .attr(
                    "length",
                    Attr::i32(i32::try_from(bd.words).unwrap_or(i32::MAX)),
                )
                .attr("next_bd", Attr::Bool(n + 1 < chain.len()))
                .insert(inside);
        }
        name
    }

    fn instruction(
        &mut self,
        instruction: &Instruction,
        loc: Loc,
        at: InsertPoint,
        chains: &mut impl Iterator<Item = String>,
    ) {
        let loc = self.loc(loc);
        for (kind, attrs) in self.operations(instruction, chains) {
            let mut op = self.module.build(kind, loc);
            for (name, attr) in attrs {
                op = op.attr(name, attr);
            }
            op.insert(at);
        }
    }

    /// The operations of an instruction, with their attributes.
    fn operations(
        &self,
        instruction: &Instruction,
        chains: &mut impl Iterator<Item = String>,
    ) -> Vec<Operation> {
        let number = |n: u32| Attr::i32(i32::try_from(n).unwrap_or(i32::MAX));
        let word = |name: &'static str, word: u32| (name, Attr::ui32(word));
        let mut chain = || ("symbol", Attr::symbol(chains.next().unwrap_or_default()));
        let one = match instruction {
            Instruction::Write { address, value } => (
                OpKind::CertWrite32,
                vec![word("address", *address), word("value", *value)],
            ),
            Instruction::Mask {
                address,
                mask,
                value,
            } => (
                OpKind::CertMaskWrite32,
                vec![
                    word("address", *address),
                    word("mask", *mask),
                    word("value", *value),
                ],
            ),
            Instruction::Poll {
                address,
                mask,
                value,
            } => (
                OpKind::CertMaskPoll32,
                vec![
                    word("address", *address),
                    word("mask", *mask),
                    word("value", *value),
                ],
            ),
            Instruction::Copy { from, add, to } => return copy(*from, *add, *to),
            Instruction::Patch { data, argument } => (
                OpKind::CertApplyOffset57,
                vec![
                    ("symbol", Attr::symbol(self.data[data.0].clone())),
                    ("num_entries", Attr::Int(1, Type::I16)),
                    ("offset", Attr::Int((*argument).into(), Type::I16)),
                ],
            ),
            Instruction::Chain(_) => (OpKind::CertUcDmaWriteDesSync, vec![chain()]),
            Instruction::StartChain { handle, .. } => (
                OpKind::CertUcDmaWriteDes,
                vec![("wait_handle", Attr::i32((*handle).into())), chain()],
            ),
            Instruction::WaitChain { handle } => (
                OpKind::CertWaitUcDma,
                vec![("wait_handle", Attr::i32((*handle).into()))],
            ),
            Instruction::LocalBarrier { id, jobs } => (
                OpKind::CertLocalBarrier,
                vec![
                    ("local_barrier_id", Attr::i32((*id).into())),
                    ("num_participants", Attr::i32((*jobs).into())),
                ],
            ),
            Instruction::Launch { job } => {
                let job = i32::try_from(self.first_job + job).unwrap_or(i32::MAX);
                (OpKind::CertLaunchJob, vec![("job_id", Attr::i32(job))])
            }
            Instruction::RemoteBarrier { id, parties } => (
                OpKind::CertRemoteBarrier,
                vec![
                    ("remote_barrier_id", Attr::i32((*id).into())),
                    ("party_mask", Attr::i32(*parties as i32)),
                ],
            ),
            Instruction::Load { pdi, section } => {
                let name = self.sections.get(*section).cloned().unwrap_or_default();
                (
                    OpKind::CertLoadPdi,
                    vec![word("pdi_id", *pdi), ("symbol", Attr::symbol(name))],
                )
            }
            Instruction::Wait {
                tile,
                actor,
                tokens,
            } => (
                OpKind::CertWaitTcts,
                vec![
                    // CERT names a tile by five bits of row and seven of column.
                    (
                        "tile_id",
                        Attr::i32(i32::from(tile.col) << 5 | i32::from(tile.row)),
                    ),
                    ("channel_id", Attr::i32((*actor).into())),
                    ("target_tcts", number(*tokens)),
                ],
            ),
        };
        vec![one]
    }
}

/// An operation with its attributes.
type Operation = (OpKind, Vec<(&'static str, Attr)>);

/// A word is read, changed and written.
fn copy(from: u32, add: u32, to: u32) -> Vec<Operation> {
    let register = || ("register", Attr::i32(COPY_REGISTER));
    let mut list = vec![(
        OpKind::CertRead32,
        vec![register(), ("address", Attr::ui32(from))],
    )];
    if add != 0 {
        list.push((
            OpKind::CertAdd,
            vec![register(), ("value", Attr::ui32(add))],
        ));
    }
    list.push((
        OpKind::CertWrite32D,
        vec![("address", Attr::ui32(to)), register()],
    ));
    list
}
