//! The plan that control code operations hold.
//!
//! Pages directly in the device belong to controller 0, those of an `aiex.cert.attach_to_group` to
//! its controller. A job that is in no page has one of its own.

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::{
    CertApplyOffset57, CertAttachToGroup, CertJob, CertSection, CertUcDmaBd, CertUcDmaChain,
    Device, MemrefGlobal, OpKind, OpView,
};
use aiec_cert::bd::UcDmaBd;
use aiec_cert::program::{DataId, JobKind, Phase, ScopeId};
use aiec_diag::{Diag, Diags, Reported};
use rustc_hash::{FxHashMap, FxHashSet};

use super::NOT_CONTROL_CODE;
use super::encode::PATCHED_WORDS;
use super::operations::{self, NoInstruction};
use super::plan::{ControllerPlan, DataContent, Page, Plan, PlanData, PlanJob, Section};
use crate::infra::word_globals::words_of;

/// The controller of pages that are in no group.
const DEFAULT_UC: u32 = 0;

/// Reads the control code operations of a device.
///
/// # Errors
/// Operations that have no form in control code. All are reported.
pub fn read_plan(module: &Module, device: Device, diags: &mut Diags) -> Result<Plan, Reported> {
    let mut reader = Reader {
        module,
        diags,
        data: FxHashMap::default(),
        patched: FxHashSet::default(),
        ids: FxHashMap::default(),
        plan: Plan::default(),
        failed: false,
    };
    reader.find_data(device);
    let mut owners = vec![(DEFAULT_UC, device.op())];
    for group in module.children::<CertAttachToGroup>(device.op()) {
        match u32::try_from(group.group_id(module)) {
            Ok(uc) => owners.push((uc, group.op())),
            Err(_) => reader.refuse(group.op(), "this isn't a number of a controller"),
        }
    }
    for (uc, owner) in owners {
        reader.controller(uc, owner);
    }
    if reader.failed {
        Err(Reported)
    } else {
        Ok(reader.plan)
    }
}

struct Reader<'a> {
    module: &'a Module,
    diags: &'a mut Diags,
    /// Words and chains by symbol.
    data: FxHashMap<String, Op>,
    /// Symbols of words that the loader patches.
    patched: FxHashSet<String>,
    /// Data that the plan has.
    ids: FxHashMap<String, DataId>,
    plan: Plan,
    failed: bool,
}

impl Reader<'_> {
    /// Where the device's chains and words are.
    fn find_data(&mut self, device: Device) {
        let m = self.module;
        for global in m.children::<MemrefGlobal>(device.op()) {
            self.data
                .insert(global.sym_name(m).to_string(), global.op());
        }
        for chain in m.children::<CertUcDmaChain>(device.op()) {
            let name = chain.sym_name(m).unwrap_or_default();
            self.data.insert(name.to_string(), chain.op());
        }
        let patched = m.find_all::<CertApplyOffset57>(device.op());
        let patched = patched.iter().map(|op| op.symbol(m).to_string());
        self.patched = patched.collect();
    }

    fn refuse(&mut self, op: Op, message: impl Into<String>) {
        self.failed = true;
        let diag = Diag::error(&NOT_CONTROL_CODE, message)
            .label(self.module.span(op), self.module.op_name(op).to_string())
            .help("`aiec isa` lists what control code can do");
        self.diags.push(diag);
    }

    fn controller(&mut self, uc: u32, owner: Op) {
        let m = self.module;
        let sections = m.children::<CertSection>(owner);
        let known = self.plan.controllers.iter().find(|c| c.uc == uc);
        let before = known.map_or(0, |c| c.sections.len());
        let scopes: FxHashMap<String, ScopeId> = sections
            .iter()
            .enumerate()
            .map(|(n, s)| {
                (
                    s.sym_name(m).to_string(),
                    ControllerPlan::section_scope(before + n),
                )
            })
            .collect();
        let pages = self.pages(owner, &scopes);
        if pages.is_empty() {
            return;
        }
        let sections: Vec<Section> = sections
            .iter()
            .map(|s| Section {
                name: s.sym_name(m).to_string(),
                pages: self.pages(s.op(), &scopes),
            })
            .collect();
        let controller = self.plan.controller_mut(uc);
        controller.pages.extend(pages);
        controller.sections.extend(sections);
    }

    fn pages(&mut self, owner: Op, scopes: &FxHashMap<String, ScopeId>) -> Vec<Page> {
        let m = self.module;
        let body = m.entry(owner, 0).map(|block| m.ops_in(block));
        let mut pages = Vec::new();
        for op in body.unwrap_or_default() {
            let jobs = match m.kind(op) {
                OpKind::CertPage => m.children::<CertJob>(op),
                OpKind::CertJob => vec![CertJob(op)],
                _ => continue,
            };
            let jobs = jobs.into_iter().filter_map(|job| self.job(job, scopes));
            pages.push(jobs.collect());
        }
        pages
    }

    fn job(&mut self, job: CertJob, scopes: &FxHashMap<String, ScopeId>) -> Option<PlanJob> {
        let m = self.module;
        let number = job.job_id(m);
        let Ok(id) = u16::try_from(number) else {
            self.refuse(job.op(), format!("job number {number} is too large"));
            return None;
        };
        let flag = |name: &str| m.flag(job.op(), name);
        let mut made = PlanJob {
            id,
            kind: if flag("deferred") {
                JobKind::Deferred
            } else {
                JobKind::Immediate
            },
            phase: if flag("configures") {
                Phase::Configure
            } else {
                Phase::Run
            },
            code: Vec::new(),
            loc: m.loc(job.op()),
        };
        let body = m.entry(job.op(), 0).map(|block| m.ops_in(block));
        for op in body.unwrap_or_default() {
            if m.kind(op) == OpKind::End {
                continue;
            }
            let scope = |name: &str| {
                let found = scopes.get(name).copied();
                found.ok_or_else(|| NoInstruction::Section(name.to_string()))
            };
            match operations::read(m, op, &mut |name| self.data_of(name), &scope) {
                Ok(instruction) => made.code.push((instruction, m.loc(op))),
                Err(reason) => self.refuse(op, reason.to_string()),
            }
        }
        Some(made)
    }

    /// Words, or a chain with the words that it names, by their symbol.
    fn data_of(&mut self, name: &str) -> Result<DataId, NoInstruction> {
        let m = self.module;
        let chain = self
            .data
            .get(name)
            .copied()
            .and_then(|op| CertUcDmaChain::cast(m, op));
        let Some(chain) = chain.filter(|_| !self.ids.contains_key(name)) else {
            return self.words(name);
        };
        let mut descriptors = Vec::new();
        for bd in m.children::<CertUcDmaBd>(chain.op()) {
            match (
                self.words(&bd.remote_address(m)),
                u32::try_from(bd.length(m)),
            ) {
                (Ok(words), Ok(length)) => {
                    descriptors.push(UcDmaBd::write(bd.local_address(m), words, length));
                }
                (Err(reason), _) => self.refuse(bd.op(), reason.to_string()),
                (_, Err(_)) => self.refuse(bd.op(), "its length is negative"),
            }
        }
        Ok(self.add(name, DataContent::Chain(descriptors), chain.op()))
    }

    /// Words by their symbol, or what is known by it.
    fn words(&mut self, name: &str) -> Result<DataId, NoInstruction> {
        if let Some(id) = self.ids.get(name) {
            return Ok(*id);
        }
        let global = self.data.get(name).copied();
        let words = global.and_then(|op| Some((op, words_of(self.module, op)?)));
        let no_words = || NoInstruction::Data(name.to_string());
        let (op, mut words) = words.ok_or_else(no_words)?;
        let patched = self.patched.contains(name);
        if patched {
            words.resize(words.len().max(PATCHED_WORDS), 0);
        }
        Ok(self.add(name, DataContent::Words { words, patched }, op))
    }

    fn add(&mut self, name: &str, content: DataContent, op: Op) -> DataId {
        let id = self.plan.add(PlanData {
            name: name.to_string(),
            content,
            loc: self.module.loc(op),
        });
        self.ids.insert(name.to_string(), id);
        id
    }
}
