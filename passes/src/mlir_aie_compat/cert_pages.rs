//! `cert-legalize-pages`: jobs that are too large for a page are cut
//! (`mlir-aie: lib/Dialect/AIEX/Transforms/AIENpuToCert.cpp`).
//!
//! Jobs that are in no page get one each. A page that is too large is repacked: its operations
//! in order, page after page, each as far as it goes, data counted once for a page. Jobs after a
//! cut get the next numbers. Sizes are those of the instruction set, up to the 8000 bytes that the
//! reference fills of a page's 8192. The reference cuts at half of that as long as the rest doesn't
//! fit, and so does this, unless `fill=whole` asks for the fewest pages.
//!
//! Jobs that meet at a local barrier must stay together, and so must a descriptor's patch and its
//! write: an operation that patches is never the last of a page.

use aiec_aie::ir::{InsertPoint, Module, Op, SymbolTable};
use aiec_aie::ops::{CertJob, CertPage, CertUcDmaBd, CertUcDmaChain, OpKind, OpView};
use aiec_cert::bd::UC_BD_BYTES;
use aiec_cert::page::{END_JOB_BYTES, START_JOB_BYTES, page_bytes};
use aiec_diag::{Diag, Reported};
use rustc_hash::FxHashSet;

use super::body_ops;
use crate::analysis::transfer::WORD_BYTES;
use crate::infra::pass::{OptionDef, Options, PassContext, PassDef, pass_options};
use crate::infra::regions;
use crate::infra::word_globals::words_of;
use crate::jobs::encode::PATCHED_WORDS;
use crate::jobs::operations::instruction_of;
use crate::mlir_aie_compat::npu_to_cert::PAGE;

/// The pass.
pub static PASS: PassDef = PassDef::of_device("cert-legalize-pages", |module, device, context| {
    run(module, device, &context.options()?, context)
})
.summary("Cut jobs of control code that are too large for a page")
.postconditions(&["every aiex.cert.job is in a page that holds it with its data"])
.options(<PageOptions as Options>::DEFS);

pass_options! {
    /// Options of `cert-legalize-pages`.
    pub(crate) struct PageOptions {
        /// How far pages are filled that a cut makes: `half` or `whole`.
        pub(crate) fill: String = OptionDef::one_of(
        "fill",
        "half",
        &["half", "whole"],
        "how far pages are filled that a cut makes: half (as mlir-aie does), whole",
    ),
    }
}

/// Bytes of a page that are filled, as in the reference.
const MAX_BYTES: usize = 8000;

fn run(
    module: &mut Module,
    device: Op,
    options: &PageOptions,
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    let whole = options.fill == "whole";
    let symbols = SymbolTable::of(module, device);
    // Each of these has jobs and numbers of its own.
    let mut scopes = vec![device];
    scopes.extend(module.find(device, OpKind::CertSection));
    scopes.extend(module.find(device, OpKind::CertAttachToGroup));
    let mut result = Ok(());
    for scope in scopes {
        result = result.and(legalize(module, &symbols, scope, whole, context));
    }
    result
}

fn legalize(
    module: &mut Module,
    symbols: &SymbolTable,
    scope: Op,
    whole: bool,
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    let mut result = Ok(());
    let mut cut = false;
    for job in module.children::<CertJob>(scope) {
        wrap(module, job.op());
    }
    for page in module.children::<CertPage>(scope) {
        let page = page.op();
        if bytes_of(module, symbols, page) <= MAX_BYTES {
            continue;
        }
        match refill(module, symbols, page, whole, context) {
            Ok(()) => cut = true,
            Err(Reported) => result = Err(Reported),
        }
    }
    if cut {
        number(module, scope);
    }
    result
}

/// Puts a job into a page of its own.
fn wrap(module: &mut Module, job: Op) {
    let loc = module.loc(job);
    let page = CertPage::build(module, loc).insert_ended(InsertPoint::Before(job));
    module.move_to(job, regions::inside(module, page));
}

/// Numbers the jobs of a scope from its first one's number on.
fn number(module: &mut Module, scope: Op) {
    let pages = module.children::<CertPage>(scope).into_iter();
    let jobs: Vec<CertJob> = pages
        .flat_map(|page| module.children::<CertJob>(page.op()))
        .collect();
    let first = jobs.first().map_or(0, |job| job.job_id(module));
    for (n, job) in jobs.into_iter().enumerate() {
        let id = first.saturating_add(i32::try_from(n).unwrap_or(i32::MAX));
        job.edit(module).job_id(id);
    }
}

/// A page while it is filled.
#[derive(Clone, Default)]
struct PageFill {
    text: usize,
    data: usize,
    symbols: FxHashSet<String>,
}

impl PageFill {
    fn bytes(&self) -> usize {
        page_bytes(self.text, self.data)
    }

    fn job(&mut self) {
        self.text += START_JOB_BYTES + END_JOB_BYTES;
    }

    /// Adds an operation with the data that no other of the page uses.
    fn add(&mut self, module: &Module, symbols: &SymbolTable, op: Op) {
        let Some(instruction) = instruction_of(module.kind(op)) else {
            return;
        };
        self.text += usize::from(instruction.size);
        let Some(name) = module.symbol_attr(op, "symbol") else {
            return;
        };
        let patched = module.kind(op) == OpKind::CertApplyOffset57;
        let chain = symbols
            .get(name)
            .and_then(|op| CertUcDmaChain::cast(module, op));
        let Some(chain) = chain else {
            return self.words(module, symbols, name, patched);
        };
        if !self.symbols.insert(name.to_string()) {
            return;
        }
        for bd in module.children::<CertUcDmaBd>(chain.op()) {
            self.data += UC_BD_BYTES;
            self.words(module, symbols, &bd.remote_address(module), false);
        }
    }

    /// Adds words, once. An operation that patches an image comes before the chain that sends it.
    fn words(&mut self, module: &Module, symbols: &SymbolTable, name: &str, patched: bool) {
        if !self.symbols.insert(name.to_string()) {
            return;
        }
        let words = symbols
            .get(name)
            .and_then(|global| words_of(module, global));
        let least = if patched { PATCHED_WORDS } else { 0 };
        let words = words.map_or(0, |words| words.len()).max(least);
        self.data += words * WORD_BYTES as usize;
    }
}

fn bytes_of(module: &Module, symbols: &SymbolTable, page: Op) -> usize {
    let mut fill = PageFill::default();
    for job in module.children::<CertJob>(page) {
        fill.job();
        for op in body_ops(module, job.op()) {
            fill.add(module, symbols, op);
        }
    }
    fill.bytes()
}

/// Spreads a page's jobs over as many pages as they need.
fn refill(
    module: &mut Module,
    symbols: &SymbolTable,
    page: Op,
    whole: bool,
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    let kinds = [OpKind::CertLocalBarrier, OpKind::CertLaunchJob];
    let meets = module
        .walk(page)
        .find(|op| kinds.contains(&module.kind(*op)));
    if let Some(barrier) = meets {
        let message = format!(
            "{} bytes of control code and data must be on one page of {MAX_BYTES}",
            bytes_of(module, symbols, page)
        );
        let diag = Diag::error(&PAGE, message)
            .label(module.span(barrier), "jobs meet here")
            .help("put less between two barriers, or use one job");
        return Err(context.fail(diag));
    }
    let mut unplaced = Unplaced::of(module, symbols, page);
    let mut limit = unplaced.limit(whole);
    let mut pages: Vec<Vec<PagePart>> = vec![Vec::new()];
    let mut fill = PageFill::default();
    for job in module.children::<CertJob>(page) {
        let ops = body_ops(module, job.op()).into_iter();
        let ops: Vec<Op> = ops.filter(|op| module.kind(*op) != OpKind::End).collect();
        let mut part = PagePart {
            like: job.op(),
            ops: Vec::new(),
        };
        fill.job();
        let mut rest = &ops[..];
        while !rest.is_empty() {
            let group = group_of(module, rest);
            let mut with = fill.clone();
            for op in group {
                with.add(module, symbols, *op);
            }
            let some = !part.ops.is_empty() || pages.last().is_some_and(|page| !page.is_empty());
            let more_data = with.data > fill.data && with.bytes() > limit;
            if (more_data || with.bytes() > MAX_BYTES) && some {
                let full = std::mem::take(&mut part.ops);
                if let Some(page) = pages.last_mut() {
                    page.push(PagePart {
                        like: job.op(),
                        ops: full,
                    });
                }
                pages.push(Vec::new());
                context.count("cuts", 1);
                limit = unplaced.limit(whole);
                fill = PageFill::default();
                fill.job();
                continue;
            }
            fill = with;
            unplaced.take(module, symbols, group);
            part.ops.extend(group);
            rest = &rest[group.len()..];
        }
        if let Some(page) = pages.last_mut() {
            page.push(part);
        }
    }
    for parts in pages {
        let new = open_page(module, page);
        // A job that moved as a whole leaves an empty part, which is dropped.
        let alone = parts.len() == 1;
        for part in parts
            .into_iter()
            .filter(|part| alone || !part.ops.is_empty())
        {
            let job = open_job(module, new, part.like);
            for op in part.ops {
                put(module, op, job);
            }
        }
    }
    module.erase(page);
    Ok(())
}

/// Operations of a page that no new page has yet.
struct Unplaced {
    text: usize,
    data: usize,
}

impl Unplaced {
    fn of(module: &Module, symbols: &SymbolTable, page: Op) -> Unplaced {
        let mut rest = Unplaced { text: 0, data: 0 };
        for job in module.children::<CertJob>(page) {
            rest.text += START_JOB_BYTES + END_JOB_BYTES;
            for op in body_ops(module, job.op()) {
                let alone = alone(module, symbols, op);
                rest.text += alone.text;
                rest.data += alone.data;
            }
        }
        rest
    }

    fn take(&mut self, module: &Module, symbols: &SymbolTable, ops: &[Op]) {
        for op in ops {
            let alone = alone(module, symbols, *op);
            self.text -= alone.text;
            self.data -= alone.data;
        }
    }

    /// How far the next page is filled, in bytes. Data that two operations share counts twice.
    fn limit(&self, whole: bool) -> usize {
        if whole || page_bytes(self.text, self.data) <= MAX_BYTES {
            MAX_BYTES
        } else {
            MAX_BYTES / 2
        }
    }
}

/// A page with one operation.
fn alone(module: &Module, symbols: &SymbolTable, op: Op) -> PageFill {
    let mut fill = PageFill::default();
    fill.add(module, symbols, op);
    fill
}

/// Part of a job on one page.
struct PagePart {
    /// The job.
    like: Op,
    ops: Vec<Op>,
}

/// Operations that stay together: a patch and what follows it.
fn group_of<'o>(module: &Module, ops: &'o [Op]) -> &'o [Op] {
    let patches = ops
        .iter()
        .take_while(|op| module.kind(**op) == OpKind::CertApplyOffset57);
    let count = (patches.count() + 1).min(ops.len());
    &ops[..count]
}

/// A new page in front of another.
fn open_page(module: &mut Module, other: Op) -> Op {
    let loc = module.loc(other);
    CertPage::build(module, loc).insert_ended(InsertPoint::Before(other))
}

/// A new job at the end of a page, with the marks of another.
fn open_job(module: &mut Module, page: Op, like: Op) -> Op {
    let loc = module.loc(like);
    let id = CertJob(like).job_id(module);
    let configures = module.attr(like, "configures").cloned();
    let at = regions::inside(module, page);
    let job = CertJob::build(module, loc, id).attr_opt("configures", configures);
    job.insert_ended(at)
}

/// Moves an operation to the end of a job.
fn put(module: &mut Module, op: Op, job: Op) {
    module.move_to(op, regions::inside(module, job));
}

#[cfg(test)]
mod tests {
    use aiec_aie::ir::Loc;
    use aiec_cert::isa::{Reg, SymOp};

    use super::*;
    use crate::jobs::operations;

    #[test]
    fn each_instruction_counts_its_own_bytes() {
        let mut module = Module::new();
        let at = InsertPoint::End(module.body());
        let job = CertJob::build(&mut module, Loc::UNKNOWN, 1).insert_ended(at);
        let at = regions::inside(&module, job);
        let register = Reg(1);
        let code = [
            SymOp::Nop {},
            SymOp::Read32 {
                value: register,
                address: 0,
            },
            SymOp::Add {
                dest: register,
                value: 1,
            },
        ];
        for op in code {
            operations::build(&mut module, op, &|_| String::new(), Loc::UNKNOWN, at);
        }
        let symbols = SymbolTable::of(&module, module.top());
        let mut fill = PageFill::default();
        for op in module.walk(job).skip(1).collect::<Vec<_>>() {
            fill.add(&module, &symbols, op);
        }
        assert_eq!(fill.text, 4 + 8 + 8);
    }
}
