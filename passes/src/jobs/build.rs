//! Operations of a plan.

use aiec_aie::ir::{Attr, Block, InsertPoint, Loc, Module, Op, SymbolTable};
use aiec_aie::ops::OpKind;
use aiec_cert::bd::UcDmaBd;
use aiec_cert::isa::Operand;
use aiec_cert::program::{DataId, JobKind, Phase, ScopeId};

use super::plan::{ControllerPlan, DataContent, Page, Plan, PlanJob};
use super::{Jobs, operations};
use crate::infra::{regions, word_globals};

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
        plan,
        names: vec![String::new(); plan.data.len()],
    };
    let last = builder.module.last_op(body);
    builder.end = last.filter(|op| builder.module.kind(*op) == OpKind::End);
    for (n, data) in plan.data.iter().enumerate() {
        if let DataContent::Words { words, .. } = &data.content {
            let (at, loc) = (builder.at(), builder.loc(data.loc));
            let Builder {
                module,
                symbols,
                names,
                ..
            } = &mut builder;
            names[n] = word_globals::build(module, symbols, &data.name, words, at, loc);
        }
    }
    for controller in &plan.controllers {
        builder.controller(controller, jobs);
    }
}

struct Builder<'m> {
    module: &'m mut Module,
    symbols: SymbolTable,
    body: Block,
    end: Option<Op>,
    pass: &'static str,
    plan: &'m Plan,
    /// Symbols of the plan's data.
    names: Vec<String>,
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

    /// The pages of a controller. Chains are beside them, as their users name them by symbol.
    fn controller(&mut self, controller: &ControllerPlan, jobs: Jobs) {
        let plan = self.plan;
        let code = || controller.all_pages().flatten().flat_map(|job| &job.code);
        let first = code().map(|(_, loc)| *loc).next().unwrap_or(Loc::UNKNOWN);
        for (op, loc) in code() {
            op.for_each_field(|_, operand| {
                if let Operand::Label(id) = operand
                    && let DataContent::Chain(chain) = &plan.data[id.0 as usize].content
                {
                    self.chain(id, chain, *loc);
                }
            });
        }
        let (at, loc) = (self.at(), self.loc(first));
        let inside = match jobs {
            Jobs::Single => at,
            Jobs::PerColumn | Jobs::Parallel => {
                let id = Attr::i32(controller.uc as i32);
                let attrs = vec![("group_id", id)];
                let op = regions::ended(self.module, OpKind::CertAttachToGroup, loc, at, attrs);
                regions::inside(self.module, op)
            }
        };
        let sections: Vec<&str> = controller
            .sections
            .iter()
            .map(|s| s.name.as_str())
            .collect();
        self.pages(&controller.pages, loc, inside, &sections);
        for section in &controller.sections {
            let attrs = vec![("sym_name", Attr::str(section.name.as_str()))];
            let op = regions::ended(self.module, OpKind::CertSection, loc, inside, attrs);
            let inside = regions::inside(self.module, op);
            self.pages(&section.pages, loc, inside, &sections);
        }
    }

    fn pages(&mut self, pages: &[Page], loc: Loc, at: InsertPoint, sections: &[&str]) {
        for page in pages {
            let op = regions::ended(self.module, OpKind::CertPage, loc, at, Vec::new());
            let inside = regions::inside(self.module, op);
            for job in page {
                self.job(job, inside, sections);
            }
        }
    }

    fn job(&mut self, job: &PlanJob, at: InsertPoint, sections: &[&str]) {
        let loc = self.loc(job.loc);
        let mut attrs = vec![("job_id", Attr::i32(job.id.into()))];
        if job.phase == Phase::Configure {
            attrs.push(("configures", Attr::Unit));
        }
        if job.kind == JobKind::Deferred {
            attrs.push(("deferred", Attr::Unit));
        }
        let op = regions::ended(self.module, OpKind::CertJob, loc, at, attrs);
        let inside = regions::inside(self.module, op);
        for (op, loc) in &job.code {
            let loc = self.loc(*loc);
            let names = &self.names;
            let name = |operand| match operand {
                Operand::Label(DataId(id)) => names.get(id as usize).cloned(),
                Operand::Scope(ScopeId(id)) => {
                    let section = (id as usize).checked_sub(1).and_then(|n| sections.get(n));
                    section.map(|name| name.to_string())
                }
                Operand::Number(_) => None,
            };
            let name = |operand| name(operand).unwrap_or_default();
            operations::build(self.module, *op, &name, loc, inside);
        }
    }

    fn chain(&mut self, id: DataId, chain: &[UcDmaBd<DataId>], loc: Loc) {
        let name = self.unique(&self.plan.data[id.0 as usize].name);
        let (at, loc) = (self.at(), self.loc(loc));
        let attrs = vec![("sym_name", Attr::str(name.as_str()))];
        self.names[id.0 as usize] = name;
        let op = regions::ended(self.module, OpKind::CertUcDmaChain, loc, at, attrs);
        let inside = regions::inside(self.module, op);
        for (n, bd) in chain.iter().enumerate() {
            let words = self.names[bd.local.0 as usize].as_str();
            self.module
                .build(OpKind::CertUcDmaBd, loc)
                .attr("remote_address", Attr::symbol(words))
                .attr("local_address", Attr::i32(bd.remote as i32))
                .attr("length", Attr::i32(bd.words as i32))
                .attr("next_bd", Attr::Bool(n + 1 < chain.len()))
                .insert(inside);
        }
    }
}
