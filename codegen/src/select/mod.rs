//! Selection: machine instructions for the functions of a core.
//!
//! A function is brought into static single assignment form ([`crate::ssa`]); one that is called in one place becomes a part of its
//! caller. Then each of its steps becomes
//! instructions over virtual registers ([`crate::machine`]), by rows of the architecture's table ([`rows`]):
//!
//! * a value is one general register, or two where [`crate::ssa::width`] says so; -1 and 0, which comparisons
//!   give, are kept as 1 and 0 ([`number`]);
//! * operations without instructions call soft routines ([`crate::routines`]);
//! * vectors are in registers where each of their steps has an instruction ([`vector`]), else in the frame, with a lane in 4 or 8
//!   bytes ([`lanes`]);
//! * where blocks have parameters, those that jump to them copy (`flow`).
//!
//! # Calls
//!
//! Scalars are passed in the first general registers, a number of 64 bits in two, the lower half first; what does not fit into
//! `MAX_REGISTER_WORDS` goes to memory of the caller, whose address is passed last. A vector is passed as the
//! address of its lanes, 8 bytes each: those of an argument belong to the caller and stay as they are, those of a
//! result are written by the callee. The callee keeps no register.

mod arguments;
mod calls;
mod emit;
mod flow;
mod integer;
mod lanes;
mod memory;
mod number;
mod print;
mod pure;
mod rows;
mod sync;
#[cfg(test)]
mod tests;
mod vector;

use aiec_aie::ir::{Module, Op};
use aiec_core::CoreArch;
use aiec_diag::{Diag, Diags, InternalError, Reported, internal};
use indexmap::{IndexMap, IndexSet};

use self::arguments::FunctionForm;
use self::emit::Selector;
use self::memory::MemoryKnowledge;
use self::vector::ArrayProduct;
use crate::DataSegment;
use crate::codes::NO_MACHINE_CODE;
use crate::lower;
use crate::machine::{MachineFunction, MachineProgram};
use crate::mir::Code;
use crate::routines::{LoweredRoutine, lower_routines, routine_widths};
use crate::ssa::{self, FunctionType, PassedType, ScalarType};

/// Alignment of the stack in bytes: the largest access to memory of an instruction.
const STACK_ALIGNMENT: u32 = 64;

/// The machine form of a core and the data that it expects in its tile's memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineCore {
    /// The functions: the `aie.core`, each `func.func` that it reaches, the soft routines that these need.
    pub program: MachineProgram,
    /// Initial contents of the core's own data memory.
    pub data: Vec<DataSegment>,
    /// Byte offset in the data memory of the core's tile of each array of its own.
    pub placed: IndexMap<Op, u32>,
    /// The `aie.core` and each `func.func` that it reaches, those included that are part of their callers.
    pub sources: Vec<Op>,
    /// Whether nests of loops became products of matrices, which take more of program memory.
    pub has_products: bool,
}

/// The form of nests of loops that are contractions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NestForm {
    /// Products of matrices, where the array has these.
    Products,
    /// Loops, as they were written.
    Loops,
}

/// Feature that an operation lacks to have machine code, and the way out.
struct Missing {
    what: String,
    help: &'static str,
}

/// State that functions of a program share while they are selected.
pub(crate) struct Program {
    arch: CoreArch,
    /// The types of the core's functions, then those of routines, by number.
    types: Vec<FunctionType>,
    /// Number of the core's functions; routines have the numbers after them.
    functions: usize,
    /// The routines that are called, in the order of their numbers.
    routines: IndexSet<&'static str>,
    /// Operations without machine code, with the missing feature.
    missing: IndexMap<Op, Missing>,
    nests: NestForm,
    has_products: bool,
}

/// The machine form of an `aie.core` for an architecture. Findings of all operations go to `diags`.
///
/// # Errors
/// Something in the core can't be lowered, or has no machine code.
pub fn machine_program(
    module: &Module,
    core: Op,
    arch: CoreArch,
    nests: NestForm,
    diags: &mut Diags,
) -> Result<MachineCore, Reported> {
    let lowered = lower::lower(module, core, diags)?;
    let forms = lowered.functions.iter().map(|(op, code)| {
        let ty = ssa::function_type(module, *op);
        simplified(arch, *op, ty, code)
    });
    let mut forms: Vec<ssa::Function> = forms.collect();
    let sources: Vec<Op> = forms.iter().map(|form| form.source).collect();
    let kept = ssa::inline_single_calls(&mut forms);
    if kept.len() < sources.len() {
        for form in &mut forms {
            debug_assert_eq!(ssa::verify(form), Ok(()), "{form}");
            ssa::simplify(form);
        }
    }
    let mut program = Program {
        arch,
        types: forms.iter().map(|form| form.ty.clone()).collect(),
        functions: forms.len(),
        routines: IndexSet::new(),
        missing: IndexMap::new(),
        nests,
        has_products: false,
    };
    let mut functions = Vec::new();
    let forms = arguments::propagate(forms, &program.types);
    for (form, number) in forms.into_iter().zip(&kept) {
        let op = &sources[*number];
        let name = match module.str_attr(*op, "sym_name") {
            Some(name) => name.to_string(),
            None => format!("core_{}_{}", lowered.loc.col, lowered.loc.row),
        };
        functions.push(program.function(name, form));
    }
    let routines = program.routines();
    if !program.missing.is_empty() {
        return Err(program.refuse(module, diags));
    }
    let known = program.routines.len();
    match routines {
        Ok(routines) => functions.extend(program.select_routines(core, routines)),
        Err(error) => return Err(diags.fail(error)),
    }
    if let Some(name) = program.routines.get_index(known) {
        let error =
            internal!("a soft routine needs another one, `{name}`, for an operation of its own");
        return Err(diags.fail(error));
    }
    if !program.missing.is_empty() {
        return Err(program.refuse(module, diags));
    }
    let (start, end) = (lowered.stack.start, lowered.stack.end);
    let own = lowered.model.own_data_address(lowered.loc);
    let stack = start.next_multiple_of(STACK_ALIGNMENT);
    Ok(MachineCore {
        program: MachineProgram {
            arch,
            functions,
            program_bytes: lowered.model.arch_model().core.program_bytes,
            stack: own + stack,
            stack_bytes: end.saturating_sub(stack),
        },
        data: lowered.data,
        placed: lowered.placed,
        sources,
        has_products: program.has_products,
    })
}

/// A function in static single assignment form.
fn simplified(arch: CoreArch, op: Op, ty: FunctionType, code: &Code) -> ssa::Function {
    let code = code.with_contractions(|it| match it.product {
        Some(product) if ArrayProduct::of(arch, &product).is_some() => None,
        _ if it.in_loops.is_empty() => Some(&it.by_lanes),
        _ => Some(&it.in_loops),
    });
    let mut function = ssa::build(op, ty, &code);
    debug_assert_eq!(ssa::verify(&function), Ok(()), "{function}");
    ssa::simplify(&mut function);
    function
}

impl Program {
    /// The machine form of a function.
    fn function(&mut self, name: String, mut form: FunctionForm) -> MachineFunction {
        if self.nests == NestForm::Products {
            self.has_products |= form.contract(&self.types, self.arch);
        }
        let form = form.vectorised(&self.types, self.arch);
        let argument_zeros = form.argument_zeros();
        let FunctionForm {
            mut function,
            graph,
            mut widths,
            mut sets,
            ..
        } = form;
        let walks = ssa::walk_pointers(&mut function, &graph, &mut widths, &mut sets);
        ssa::count_down(&mut function, &graph, &mut widths);
        ssa::drop_unused(&mut function);
        widths.update_demands(&function, &self.types);
        debug_assert_eq!(ssa::verify(&function), Ok(()), "{function}");
        let memory = MemoryKnowledge::new(&function, sets, walks, argument_zeros);
        Selector::select(self, name, &function, graph, widths, memory)
    }

    /// The code of the routines that are called, and of those that they call.
    fn routines(&mut self) -> Result<Vec<LoweredRoutine>, InternalError> {
        if self.routines.is_empty() {
            return Ok(Vec::new());
        }
        let names: Vec<&str> = self.routines.iter().copied().collect();
        let lowered = lower_routines(&names)?;
        self.types.truncate(self.functions);
        for routine in &lowered {
            let ty = routine_type(&routine.name);
            let ty = ty.ok_or_else(|| internal!("`{}` has no type", routine.name))?;
            self.types.push(ty);
        }
        Ok(lowered)
    }

    fn select_routines(&mut self, core: Op, routines: Vec<LoweredRoutine>) -> Vec<MachineFunction> {
        let mut functions = Vec::new();
        for (number, mut routine) in routines.into_iter().enumerate() {
            // The routine's operations are of another module.
            routine.code.sources.fill(core);
            let calls = routine.code.nodes.iter_mut();
            calls.for_each(|node| renumber_call(node, self.functions));
            let ty = self.types[self.functions + number].clone();
            let form = FunctionForm::new(
                simplified(self.arch, core, ty, &routine.code),
                &self.types,
                Vec::new(),
            );
            functions.push(self.function(routine.name, form));
        }
        functions
    }

    /// The number and type of a routine.
    fn routine(&mut self, name: &'static str) -> Option<(u32, FunctionType)> {
        let ty = routine_type(name)?;
        let (number, _) = self.routines.insert_full(name);
        Some(((self.functions + number) as u32, ty))
    }

    /// Notes that an operation has no machine code.
    fn lacks(&mut self, op: Op, missing: Missing) {
        self.missing.entry(op).or_insert(missing);
    }

    fn refuse(&self, module: &Module, diags: &mut Diags) -> Reported {
        for (op, Missing { what, help }) in &self.missing {
            let name = module.op_name(*op);
            let message = format!("`{name}` has no machine code for {}: {what}", self.arch);
            diags.push(
                Diag::error(&NO_MACHINE_CODE, message)
                    .label(module.span(*op), "this operation")
                    .help(*help),
            );
        }
        Reported
    }
}

/// Routines call each other by their place among them.
fn renumber_call(node: &mut crate::mir::Node, by: usize) {
    use crate::mir::{Imm, Node};
    if let Node::Op {
        op: aiec_vcode::Opcode::Call,
        imm: Imm::Word(number),
        ..
    } = node
    {
        *number += by as u32;
    }
}

/// The type of a soft routine; `None` if no routine has that name.
fn routine_type(name: &str) -> Option<FunctionType> {
    let widths = routine_widths(name)?;
    let scalar = |bits| PassedType::Scalar(ScalarType::Int(bits));
    Some(FunctionType {
        arguments: widths.arguments.into_iter().map(scalar).collect(),
        results: widths.results.into_iter().map(scalar).collect(),
    })
}
