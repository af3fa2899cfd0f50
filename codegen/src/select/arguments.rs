//! Facts about the arguments of functions, from all calls of each: the numbers and the buffers that they may be, and
//! their alignment. A core's functions are called from nowhere else.

use aiec_core::CoreArch;
use aiec_vcode::Opcode;

use super::rows::{Row, Rows};
use super::vector::{Alignment, plan, product_shapes};
use crate::ssa::width::{Range, Widths};
use crate::ssa::{
    Action, AddressSet, Callee, Function, FunctionType, Graph, Step, VECTOR_BYTES, VectorAction,
    address_sets, candidates, contract, contractions, simplify, vectorise, verify,
};

/// Facts about an argument.
#[derive(Clone, Debug)]
pub(super) struct KnownArgument {
    set: AddressSet,
    /// Zero bits at its end.
    zeros: u32,
}

/// A function with the facts about its values.
pub(super) struct FunctionForm {
    pub function: Function,
    pub graph: Graph,
    pub widths: Widths,
    pub sets: Vec<AddressSet>,
    arguments: Vec<KnownArgument>,
}

impl FunctionForm {
    /// Finds out about the values of a function. `arguments` is empty, or has one for each argument.
    pub(super) fn new(
        mut function: Function,
        types: &[FunctionType],
        arguments: Vec<KnownArgument>,
    ) -> FunctionForm {
        set_constants(&mut function, &arguments);
        FunctionForm::analysed(function, types, arguments)
    }

    fn analysed(
        function: Function,
        types: &[FunctionType],
        arguments: Vec<KnownArgument>,
    ) -> FunctionForm {
        let graph = Graph::of(&function);
        let ranges = arguments
            .iter()
            .map(|known| known.set.hull().unwrap_or(Range::FULL));
        let ranges: Vec<Range> = ranges.collect();
        let widths = Widths::of(&function, &graph, types, &ranges);
        let sets: Vec<AddressSet> = arguments.iter().map(|known| known.set.clone()).collect();
        FunctionForm {
            sets: address_sets(&function, &graph, &widths.ranges, &sets),
            function,
            graph,
            widths,
            arguments,
        }
    }

    /// Zero bits at the end of each argument.
    pub(super) fn argument_zeros(&self) -> Vec<u32> {
        self.arguments.iter().map(|known| known.zeros).collect()
    }

    /// Makes products of matrices of the contractions whose vectors find registers; whether there are any.
    pub(super) fn contract(&mut self, types: &[FunctionType], arch: CoreArch) -> bool {
        let mut is_changed = false;
        let (rows, shapes) = (Rows::of(arch), product_shapes(arch));
        let found = contractions(&self.function, &self.graph, &self.widths, &self.sets);
        for store in found {
            let alignment = Alignment::of(&self.function, &self.argument_zeros());
            let changed = contract(
                &self.function,
                &self.graph,
                &self.widths,
                &self.sets,
                (store, &shapes),
                |value| alignment.zeros(value),
            );
            let Some(mut changed) = changed else { continue };
            let known = self.function.vectors.len();
            simplify(&mut changed);
            debug_assert_eq!(verify(&changed), Ok(()), "{changed}");
            let form = FunctionForm::analysed(changed, types, self.arguments.clone());
            if form.is_placed(known, (rows, arch)) {
                *self = form;
                is_changed = true;
            }
        }
        is_changed
    }

    /// Whether the vectors from `known` on are in registers, and loaded and stored as such.
    fn is_placed(&self, known: usize, (rows, arch): (&Rows, CoreArch)) -> bool {
        let alignment = Alignment::of(&self.function, &self.argument_zeros());
        let forms = plan(&self.function, &self.widths, &alignment, (rows, arch));
        let are_placed = forms.iter().skip(known).all(Option::is_some);
        are_placed && are_aligned(&self.function, known, &alignment)
    }

    /// Vectorises the loops whose vectors find registers.
    pub(super) fn vectorised(mut self, types: &[FunctionType], arch: CoreArch) -> FunctionForm {
        let rows = Rows::of(arch);
        let mut tried = Vec::new();
        loop {
            let found = candidates(&self.function, &self.graph, &self.widths, &self.sets);
            let next = found.into_iter().find_map(|header| {
                let source = self.function.block(header).source;
                (!tried.contains(&source)).then_some((header, source))
            });
            let Some((header, source)) = next else {
                return self;
            };
            tried.push(source);
            let known = self.function.vectors.len();
            for bytes in VECTOR_BYTES {
                let changed = vectorise(
                    &self.function,
                    &self.graph,
                    &self.widths,
                    &self.sets,
                    header,
                    bytes,
                );
                let Some(mut changed) = changed else { continue };
                if bytes > VECTOR_BYTES[1] && !fills_no_bundles(&changed, known, rows) {
                    continue;
                }
                simplify(&mut changed);
                debug_assert_eq!(verify(&changed), Ok(()), "{changed}");
                let form = FunctionForm::analysed(changed, types, self.arguments.clone());
                if form.is_placed(known, (rows, arch)) {
                    self = form;
                    break;
                }
            }
        }
    }
}

/// Whether the vectors from `known` on are loaded and stored at multiples of an access: others are moved by elements.
fn are_aligned(function: &Function, known: usize, alignment: &Alignment) -> bool {
    let mut steps = function.blocks.iter().flat_map(|block| &block.steps);
    steps.all(|step| match step.action {
        Action::Vector(
            VectorAction::Load {
                to: vector, offset, ..
            }
            | VectorAction::Store {
                from: vector,
                offset,
                ..
            },
        ) => {
            (vector.0 as usize) < known || alignment.is_multiple(step.args[0], offset, ACCESS_BYTES)
        }
        _ => true,
    })
}

/// Bytes of the smallest access of a vector on all architectures: half a register.
const ACCESS_BYTES: u32 = 32;
/// Operations of a loop of vectors in one register that take less than the two bundles which a loop has at least.
const MAX_SHORT_OPERATIONS: usize = 2;
/// Operations of a loop with one sum of floats, with which two registers of its vectors find room.
const MAX_AROUND_SUM: usize = 6;

/// Whether a loop with one register for each of its vectors, those from `known` on, would be shorter than loops are: by
/// two registers it does more in the same time. Elsewhere these only take registers.
fn fills_no_bundles(function: &Function, known: usize, rows: &Rows) -> bool {
    let steps = function.blocks.iter().flat_map(|block| &block.steps);
    let operations = steps.filter_map(|step| match &step.action {
        Action::Vector(VectorAction::Map { op, to, .. }) if to.0 as usize >= known => Some(*op),
        _ => None,
    });
    let operations: Vec<Opcode> = operations.collect();
    // Sums of floats read their accumulators late, so that one register for each value is taken for longer than two bundles.
    let sums = operations
        .iter()
        .filter(|op| matches!(op, Opcode::AddF | Opcode::SubF))
        .count();
    if sums == 1 && operations.len() <= MAX_AROUND_SUM && rows.get(Row::LoadWhole).is_some() {
        return true;
    }
    rows.get(Row::LoadWhole).is_some()
        && operations.len() <= MAX_SHORT_OPERATIONS
        // Products take several operations, and sums of floats the one unit that loads into accumulators.
        && !operations.contains(&Opcode::Mul32)
        && !operations.contains(&Opcode::AddF)
        && !operations.contains(&Opcode::SubF)
}

/// Puts constants in place of arguments that all callers pass.
fn set_constants(function: &mut Function, arguments: &[KnownArgument]) {
    let mut steps = Vec::new();
    for (at, known) in arguments.iter().enumerate() {
        let (Some(constant), Some(argument)) =
            (known.set.as_constant(), function.arguments.get(at).copied())
        else {
            continue;
        };
        let value = function.value();
        let action = Action::Const(constant as u64);
        steps.push(Step::value(action, &[], value, function.source));
        function.replace(argument, value);
    }
    if !steps.is_empty() {
        function.blocks[0].steps.splice(0..0, steps);
        simplify(function);
    }
}

/// Finds out about the values of a core's functions, callers first. The first one is the core's own.
pub(super) fn propagate(functions: Vec<Function>, types: &[FunctionType]) -> Vec<FunctionForm> {
    let calls = |function: &Function| -> Vec<usize> {
        let steps = function.blocks.iter().flat_map(|block| &block.steps);
        let called = steps.filter_map(|step| match step.action {
            Action::Call {
                callee: Callee::Function(number),
                ..
            } => Some(number as usize),
            _ => None,
        });
        called.filter(|number| *number < functions.len()).collect()
    };
    let callees: Vec<Vec<usize>> = functions.iter().map(calls).collect();
    let mut callers = vec![0_usize; functions.len()];
    for callee in callees.iter().flatten() {
        callers[*callee] += 1;
    }
    let mut order: Vec<usize> = (0..functions.len())
        .filter(|number| callers[*number] == 0)
        .collect();
    let mut next = 0;
    while let Some(number) = order.get(next).copied() {
        next += 1;
        for callee in &callees[number] {
            callers[*callee] -= 1;
            if callers[*callee] == 0 {
                order.push(*callee);
            }
        }
    }
    // Functions in a circle are refused later: nothing is known of their arguments.
    let in_circle: Vec<usize> = (0..functions.len())
        .filter(|number| callers[*number] != 0)
        .collect();
    let mut known: Vec<Vec<KnownArgument>> = vec![Vec::new(); functions.len()];
    let mut open: Vec<Option<Function>> = functions.into_iter().map(Some).collect();
    let mut forms: Vec<Option<FunctionForm>> = open.iter().map(|_| None).collect();
    for number in order.iter().chain(&in_circle) {
        let Some(function) = open[*number].take() else {
            continue;
        };
        let arguments = if in_circle.contains(number) {
            Vec::new()
        } else {
            std::mem::take(&mut known[*number])
        };
        let form = FunctionForm::new(function, types, arguments);
        pass_arguments(&form, &mut known);
        forms[*number] = Some(form);
    }
    forms.into_iter().flatten().collect()
}

/// Joins the arguments that a function passes into those of its callees.
fn pass_arguments(form: &FunctionForm, known: &mut [Vec<KnownArgument>]) {
    let alignment = Alignment::of(&form.function, &form.argument_zeros());
    for block in &form.graph.order {
        for step in &form.function.block(*block).steps {
            let Action::Call {
                callee: Callee::Function(number),
                ..
            } = step.action
            else {
                continue;
            };
            let Some(arguments) = known.get_mut(number as usize) else {
                continue;
            };
            let passed = step.args.iter().map(|value| KnownArgument {
                set: form.sets[value.index()].clone(),
                zeros: alignment.zeros(*value),
            });
            if arguments.is_empty() {
                arguments.extend(passed);
                continue;
            }
            for (argument, passed) in arguments.iter_mut().zip(passed) {
                argument.set.join(&passed.set);
                argument.zeros = argument.zeros.min(passed.zeros);
            }
        }
    }
}
