//! Loops that count up to a bound count down to 0 as well: the end of a loop is then one instruction, or a hardware loop.

use aiec_vcode::Opcode;

use super::width::{Range, Widths, pure as pure_range};
use super::{Action, Block, Function, Graph, Step, Target, Terminator, Value};

/// A loop that ends with `next < bound` for the value `next` of its counter.
struct CountedLoop {
    /// Where it is entered from.
    before: Block,
    header: Block,
    latch: Block,
    init: Value,
    bound: Value,
    step: u64,
}

/// Gives loops of known counts a counter that goes down to 0. `widths` are those of the function, and
/// get the ranges of the new values: no branch bounds the old counters any more.
pub(crate) fn count_down(function: &mut Function, graph: &Graph, widths: &mut Widths) {
    let constants = function.constants();
    let loops: Vec<CountedLoop> = (0..graph.loops.len())
        .filter_map(|number| find(function, graph, &constants, number))
        .collect();
    for counted in loops {
        add_counter(function, graph, widths, &constants, &counted);
    }
}

fn find(
    function: &Function,
    graph: &Graph,
    constants: &[Option<u64>],
    number: usize,
) -> Option<CountedLoop> {
    let header = graph.loops[number].header;
    let before = graph.preheader(function, number)?;
    let latch = graph.only_latch(number)?;
    let (at, next, bound) = ending(function, header, latch)?;
    let counter = *function.block(header).params.get(at)?;
    let steps = graph.loops[number].blocks.iter();
    let mut steps = steps.flat_map(|block| &function.block(*block).steps);
    let is_inside = |value: Value| {
        graph.loops[number].blocks.iter().any(|block| {
            let data = function.block(*block);
            let mut results = data.steps.iter().flat_map(|step| &step.results);
            data.params.contains(&value) || results.any(|result| *result == value)
        })
    };
    let add = steps.find(|step| step.results[..] == [next])?;
    let sums = matches!(
        add.action,
        Action::Pure {
            op: Opcode::Add64,
            ..
        }
    );
    let step = constants[add.args.get(1)?.index()]?;
    let outside = constants[bound.index()].is_some() || !is_inside(bound);
    if !sums || add.args[0] != counter || !outside || step == 0 || step >= 1 << 31 {
        return None;
    }
    let entry = function.block(before).terminator.targets().first()?;
    Some(CountedLoop {
        before,
        header,
        latch,
        init: *entry.args.get(at)?,
        bound,
        step,
    })
}

/// The end of a loop that goes on while its counter's next value is below a bound: the counter's place among the
/// header's parameters, that value and the bound.
pub(super) fn ending(
    function: &Function,
    header: Block,
    latch: Block,
) -> Option<(usize, Value, Value)> {
    let Terminator::Branch {
        op: Opcode::Lts,
        args: [next, bound],
        targets: [back, exit],
    } = &function.block(latch).terminator
    else {
        return None;
    };
    if back.block != header || exit.block == header {
        return None;
    }
    let at = back.args.iter().position(|arg| arg == next)?;
    Some((at, *next, *bound))
}

/// Iterations of a loop from `init` on while its counter's next value is below `bound`: the body is executed before
/// that is compared. `None` if they are more than 32 bits count. `step` is above 0.
pub(super) fn turns(init: i64, bound: i64, step: i64) -> Option<u32> {
    let distance = (i128::from(bound) - i128::from(init)).max(1);
    let step = i128::from(step);
    u32::try_from((distance + step - 1) / step).ok()
}

/// Whether the first value is below the second where a block begins, because of a branch before it.
fn is_below(function: &Function, graph: &Graph, block: Block, first: Value, second: Value) -> bool {
    let mut at = block;
    while let [before] = graph.predecessors[at.index()][..] {
        if let Terminator::Branch { op, args, targets } = &function.block(before).terminator
            && targets[0].block != targets[1].block
        {
            let holds = targets[0].block == at;
            let below = match (op, holds) {
                (Opcode::Lts, true) => *args == [first, second],
                (Opcode::Les, false) => *args == [second, first],
                _ => false,
            };
            if below {
                return true;
            }
        }
        at = before;
    }
    false
}

fn add_counter(
    function: &mut Function,
    graph: &Graph,
    widths: &mut Widths,
    constants: &[Option<u64>],
    counted: &CountedLoop,
) {
    let CountedLoop {
        before,
        header,
        latch,
        init,
        bound,
        step,
    } = *counted;
    let constant = |value: Value| constants[value.index()].map(|bits| bits as i64);
    let source = function.block(before).source;
    let mut steps = Vec::new();
    let ranges = [init, bound].map(|value| widths.ranges[value.index()]);
    let mut add = |function: &mut Function, action: Action, args: &[Value]| {
        let value = function.value();
        let of = |arg: &Value| widths.ranges[arg.index()];
        let range = match &action {
            Action::Const(bits) => Range::of(*bits as i64),
            Action::Pure { op, number } => {
                pure_range(*op, &args.iter().map(of).collect::<Vec<_>>(), *number)
            }
            _ => Range::FULL,
        };
        widths.ranges.push(range);
        steps.push(Step::value(action, args, value, source));
        value
    };
    let pure = |op| Action::Pure { op, number: 0 };
    let count = match (constant(init), constant(bound)) {
        (Some(init), Some(bound)) => {
            let Some(turns) = turns(init, bound, step as i64) else {
                return;
            };
            add(function, Action::Const(turns.into()), &[])
        }
        _ => {
            let small = Range::new(0, i64::from(i32::MAX) - step as i64);
            let known = ranges.iter().all(|range| range.is_in(small));
            if !known || !step.is_power_of_two() {
                return;
            }
            let mut count = add(function, pure(Opcode::Sub64), &[bound, init]);
            if step > 1 {
                let round = add(function, Action::Const(step - 1), &[]);
                count = add(function, pure(Opcode::Add64), &[count, round]);
                let amount = add(function, Action::Const(step.trailing_zeros().into()), &[]);
                count = add(function, pure(Opcode::Shrs), &[count, amount]);
            }
            if !is_below(function, graph, before, init, bound) {
                let one = add(function, Action::Const(1), &[]);
                count = add(function, pure(Opcode::Maxs), &[count, one]);
            }
            count
        }
    };
    function.blocks[before.index()].steps.extend(steps);
    let counter = function.value();
    function.blocks[header.index()].params.push(counter);
    let entry = function.blocks[before.index()].terminator.targets_mut();
    entry.iter_mut().for_each(|target| target.args.push(count));
    let source = function.block(latch).source;
    let [one, next, zero] = [0; 3].map(|_| function.value());
    let added = [Range::U32, Range::of(-1), Range::U32, Range::of(0)];
    widths.ranges.extend(added);
    let mut push = |action, args: &[Value], result| {
        let steps = &mut function.blocks[latch.index()].steps;
        steps.push(Step::value(action, args, result, source));
    };
    push(Action::Const(u64::MAX), &[], one);
    push(pure(Opcode::Add64), &[counter, one], next);
    push(Action::Const(0), &[], zero);
    let terminator = &mut function.blocks[latch.index()].terminator;
    if let Terminator::Branch { op, args, targets } = terminator {
        *op = Opcode::Ne;
        *args = [next, zero];
        let [back, _]: &mut [Target; 2] = targets;
        back.args.push(next);
    }
}
