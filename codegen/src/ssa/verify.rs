//! Checks the invariants of the form, which are listed at the top of [`super`].

use super::{Action, Function, Graph, Terminator, Value};

/// The first thing that is wrong with a function, if there is one.
pub(crate) fn verify(function: &Function) -> Result<(), String> {
    let graph = Graph::of(function);
    if !graph.predecessors[0].is_empty() {
        return Err("the entry has predecessors".to_string());
    }
    // Block and place in it of each value's definition; parameters come first.
    let mut defined: Vec<Option<(usize, usize)>> = vec![None; function.values as usize];
    let mut define = |value: Value, block: usize, place: usize| {
        let known = &mut defined[value.index()];
        if known.is_some() {
            return Err(format!("{value} is defined twice"));
        }
        *known = Some((block, place));
        Ok(())
    };
    for argument in &function.arguments {
        define(*argument, 0, 0)?;
    }
    for (block, data) in function.numbered_blocks() {
        if !graph.is_reached(block) {
            return Err(format!("block b{} can't be reached", block.0));
        }
        for param in &data.params {
            define(*param, block.index(), 0)?;
        }
        for (place, step) in data.steps.iter().enumerate() {
            for result in &step.results {
                define(*result, block.index(), place + 1)?;
            }
        }
    }
    let reaches = |value: Value, block: super::Block, place: usize| {
        let Some((at, from)) = defined.get(value.index()).copied().flatten() else {
            return Err(format!("{value} in b{} is not defined", block.0));
        };
        let dominates = if at == block.index() {
            from < place
        } else {
            graph.is_dominated(block, super::Block(at as u32))
        };
        if dominates {
            Ok(())
        } else {
            Err(format!("{value} doesn't dominate its use in b{}", block.0))
        }
    };
    for (block, data) in function.numbered_blocks() {
        for (place, step) in data.steps.iter().enumerate() {
            for arg in &step.args {
                reaches(*arg, block, place + 1)?;
            }
            if !fits(step) {
                return Err(format!("wrong counts of values: {step}"));
            }
        }
        let end = data.steps.len() + 1;
        for value in data.terminator.operands() {
            reaches(*value, block, end)?;
        }
        for target in data.terminator.targets() {
            let Some(to) = function.blocks.get(target.block.index()) else {
                return Err(format!("b{} jumps to no block", block.0));
            };
            if to.params.len() != target.args.len() {
                return Err(format!("b{} passes a wrong count of values", block.0));
            }
            for value in &target.args {
                reaches(*value, block, end)?;
            }
        }
        if let Terminator::Branch { args, .. } = &data.terminator
            && args
                .iter()
                .any(|arg| arg.index() >= function.values as usize)
        {
            return Err(format!("b{} compares no values", block.0));
        }
    }
    Ok(())
}

/// Whether a step has as many arguments and results as its action takes.
fn fits(step: &super::Step) -> bool {
    let (args, results) = (step.args.len(), step.results.len());
    match &step.action {
        Action::Const(_) => (args, results) == (0, 1),
        Action::Pure { .. } => (1..=3).contains(&args) && results == 1,
        Action::Load { .. } => (args, results) == (1, 1),
        Action::Store { .. } | Action::Copy { .. } => (args, results) == (2, 0),
        Action::StreamGet { .. } => (args, results) == (0, 1),
        Action::StreamPut { .. } => (args, results) == (1, 0),
        _ => true,
    }
}
