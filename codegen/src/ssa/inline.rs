//! Bodies of functions in place of the calls to them: of those that are called in one place, so that no code is written twice.
//!
//! The block of a call ends before it and jumps to what was the entry; what followed is a block of its own, whose
//! parameters are what the function returned. Vectors are variables, which are moved.

use super::{Action, Block, BlockData, Callee, Function, Step, Target, Terminator, VectorAction};
use crate::mir::Vector;

/// Puts each function that is called in one place there, and leaves it out; returns the numbers, before, of those that stay, which
/// get new numbers. The first function stays.
pub(crate) fn inline_single_calls(functions: &mut Vec<Function>) -> Vec<usize> {
    let mut calls = vec![0_usize; functions.len()];
    for callee in functions.iter().flat_map(callees) {
        calls[callee] += 1;
    }
    // Callees first: one that is put into its caller has all of its own callees in it.
    let mut order = Vec::with_capacity(functions.len());
    let mut seen = vec![false; functions.len()];
    for start in 0..functions.len() {
        let mut open = vec![(start, false)];
        while let Some((number, is_done)) = open.pop() {
            if is_done {
                order.push(number);
            } else if !std::mem::replace(&mut seen[number], true) {
                open.push((number, true));
                open.extend(callees(&functions[number]).map(|callee| (callee, false)));
            }
        }
    }
    let mut open: Vec<Option<Function>> = functions.drain(..).map(Some).collect();
    for number in order {
        let Some(mut caller) = open[number].take() else {
            continue;
        };
        let mut block = 0;
        while block < caller.blocks.len() {
            let mut steps = caller.blocks[block].steps.iter().enumerate();
            let found = steps.find_map(|(at, step)| {
                let callee = callee_of(step)?;
                // Functions that call each other in a circle are taken already.
                let is_single = callee != 0 && calls.get(callee) == Some(&1);
                let body = open.get_mut(callee).filter(|_| is_single)?.take()?;
                Some((at, body))
            });
            match found {
                // Steps after the call are in a later block.
                Some((at, body)) => inline(&mut caller, block, at, body),
                None => block += 1,
            }
        }
        open[number] = Some(caller);
    }
    let kept: Vec<usize> = (0..open.len())
        .filter(|number| open[*number].is_some())
        .collect();
    functions.extend(open.into_iter().flatten());
    let steps = functions.iter_mut().flat_map(|of| &mut of.blocks);
    for step in steps.flat_map(|block| &mut block.steps) {
        if let Action::Call {
            callee: Callee::Function(number),
            ..
        } = &mut step.action
            && let Ok(place) = kept.binary_search(&(*number as usize))
        {
            *number = place as u32;
        }
    }
    kept
}

/// The function that a step calls.
fn callee_of(step: &Step) -> Option<usize> {
    match step.action {
        Action::Call {
            callee: Callee::Function(number),
            ..
        } => Some(number as usize),
        _ => None,
    }
}

/// The functions that one calls, once for each call.
fn callees(function: &Function) -> impl Iterator<Item = usize> {
    let steps = function.blocks.iter().flat_map(|block| &block.steps);
    steps.filter_map(callee_of)
}

/// Puts a function in place of the call that a step is.
fn inline(caller: &mut Function, block: usize, at: usize, mut body: Function) {
    let first = caller.blocks.len() as u32;
    let rest = Block(first + body.blocks.len() as u32);
    shift(&mut body, caller, first);
    let before = &mut caller.blocks[block];
    let after = before.steps.split_off(at + 1);
    let Some(Step {
        action: Action::Call {
            arguments, results, ..
        },
        args,
        results: values,
        source,
    }) = before.steps.pop()
    else {
        before.steps.extend(after);
        return;
    };
    let moves = body.vector_arguments.iter().copied().zip(arguments);
    before.steps.extend(moved(moves.collect(), source));
    let enter = Terminator::Jump(Target {
        block: Block(first),
        args: Vec::new(),
    });
    let returned = BlockData {
        params: values.to_vec(),
        steps: after,
        terminator: std::mem::replace(&mut before.terminator, enter),
        source: std::mem::replace(&mut before.source, source),
    };
    for (argument, value) in body.arguments.clone().into_iter().zip(args) {
        body.replace(argument, value);
    }
    for mut data in body.blocks {
        if let Terminator::Return { scalars, vectors } = &mut data.terminator {
            let moves = results.iter().copied().zip(vectors.drain(..));
            data.steps.extend(moved(moves.collect(), source));
            data.terminator = Terminator::Jump(Target {
                block: rest,
                args: std::mem::take(scalars),
            });
        }
        caller.blocks.push(data);
    }
    caller.blocks.push(returned);
    caller.values = body.values;
    caller.vectors = body.vectors;
}

/// The step that moves vectors, if there are any.
fn moved(moves: Vec<(Vector, Vector)>, source: aiec_aie::ir::Op) -> Option<Step> {
    let action = VectorAction::Move(moves);
    let has_some = !matches!(&action, VectorAction::Move(moves) if moves.is_empty());
    has_some.then(|| Step::vector(action, &[], source))
}

/// Gives the values, vectors and blocks of a function the numbers after those of its caller.
fn shift(body: &mut Function, caller: &Function, blocks: u32) {
    let (values, vectors) = (caller.values, caller.vectors.len() as u32);
    body.values += values;
    body.vectors.splice(0..0, caller.vectors.iter().copied());
    let value = |value: &mut super::Value| value.0 += values;
    let vector = |vector: &mut Vector| vector.0 += vectors;
    body.arguments.iter_mut().for_each(value);
    body.vector_arguments.iter_mut().for_each(vector);
    for block in &mut body.blocks {
        block.params.iter_mut().for_each(value);
        for step in &mut block.steps {
            step.args.iter_mut().for_each(value);
            step.results.iter_mut().for_each(value);
            step.for_each_vector(vector);
        }
        block.terminator.operands_mut().iter_mut().for_each(value);
        if let Terminator::Return { vectors, .. } = &mut block.terminator {
            vectors.iter_mut().for_each(vector);
        }
        for target in block.terminator.targets_mut() {
            target.block.0 += blocks;
            target.args.iter_mut().for_each(value);
        }
    }
}
