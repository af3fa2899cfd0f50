//! All that a run of the simulator reports, as text to be compared.

use aiec_sim::SimResult;

/// Text of a run's outcome, its cycles, outputs, races and leftovers, and the totals of its report.
pub fn outcome(result: &SimResult) -> String {
    format!(
        "{:?}\n{} {}\n{:?}\n{:?}\n{:?}\n{:?}\n{}",
        result.status,
        result.cycles,
        result.config_cycles,
        result.outputs,
        result.races,
        result.leftovers,
        result.trace,
        aiec_sim::report(result),
    )
}
