//! Routes problems and measures.

use std::time::Duration;

use aiec_aie::text::{PrintOptions, parse_text, print};
use aiec_diag::{Diag, Diags, FileId, Severity};
use aiec_passes::infra::manager::{self, PassStep};
use aiec_passes::route;
use indexmap::IndexMap;

use super::Problem;
use super::netlist::netlist;
use crate::routing_check::read::Netlist;

/// Errors that are proofs: a cut with too few wires, no path even in an empty array.
const PROOFS: [&str; 2] = ["route::congested", "route::unreachable"];

/// Outcome of a problem.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The routed netlist, if there is one.
    pub routed: Option<String>,
    /// Wall time of the router alone.
    pub time: Duration,
    /// Circuit connections and packet outputs of the routed switches.
    pub connections: usize,
    /// The router's own counters.
    pub statistics: IndexMap<&'static str, u64>,
    /// Its diagnostics.
    pub diags: Vec<Diag>,
}

impl Outcome {
    /// Whether the router proves that there is no routing, not only says that it found none.
    pub fn proved(&self) -> bool {
        let errors = self.diags.iter().filter(|d| d.severity == Severity::Error);
        let mut codes = errors.map(|diag| diag.code.id);
        self.routed.is_none() && codes.all(|id| PROOFS.contains(&id))
    }
}

/// Routes a problem.
pub fn run(problem: &Problem) -> Outcome {
    run_text(&netlist(problem))
}

/// Routes the flows of a netlist.
pub fn run_text(text: &str) -> Outcome {
    let mut diags = Diags::new();
    let mut module = parse_text(FileId(0), text, &mut diags);
    let mut outcome = Outcome {
        routed: None,
        time: Duration::ZERO,
        connections: 0,
        statistics: IndexMap::new(),
        diags: Vec::new(),
    };
    if !diags.has_errors() {
        let start = std::time::Instant::now();
        let steps = [PassStep::new(&route::PASS)];
        let result = manager::run(&mut module, &steps, &mut diags, &mut |_, _, _| {});
        outcome.time = start.elapsed();
        if let Ok(reports) = result {
            outcome.statistics = reports.into_iter().flat_map(|r| r.statistics).collect();
            let routed = print(&module, PrintOptions::default());
            outcome.connections = Netlist::read(&routed)
                .iter()
                .flatten()
                .map(Netlist::connections)
                .sum();
            outcome.routed = Some(routed);
        }
    }
    outcome.diags = diags.into_vec();
    outcome
}
