//! What a routing can't rule out: packets that hold each other up.

use std::collections::{BTreeMap, BTreeSet};

use aiec_aie::ir::Module;
use aiec_diag::{Diag, Span};

use super::codes;
use super::negotiate::Solution;
use super::requests::PortNet;
use super::waits::{Circle, Resource};

/// Flows that a warning shows; further ones are counted.
const MAX_LABELS: usize = 8;

/// The warnings about a routing.
pub(crate) fn warnings(module: &Module, nets: &[PortNet], solution: &Solution) -> Vec<Diag> {
    let flows = Flows { module, nets };
    let strangers = flows.strangers(&solution.strangers);
    let tangles = solution.tangles.iter().map(|circle| flows.tangle(circle));
    strangers.into_iter().chain(tangles).collect()
}

struct Flows<'a> {
    module: &'a Module,
    nets: &'a [PortNet],
}

impl Flows<'_> {
    /// Where the first flow of a net stands.
    fn span(&self, net: usize) -> Option<Span> {
        let op = self.nets.get(net)?.ops.first()?;
        self.module.span(*op)
    }

    fn strangers(&self, pairs: &BTreeSet<(u32, u32)>) -> Option<Diag> {
        let (a, b) = pairs.first()?;
        let diag = Diag::warning(
            &codes::SHARED,
            "packet flows without a common end share a port, so one that isn't accepted at its \
             destination holds up the other",
        )
        .label(self.span(*a as usize), "this flow")
        .label(self.span(*b as usize), "shares a port with this one")
        .help("make sure that both destinations always accept data, or use fewer flows here");
        Some(match pairs.len() - 1 {
            0 => diag,
            more => diag.remark(format!("and {more} more pairs")),
        })
    }

    fn tangle(&self, circle: &Circle) -> Diag {
        let mut shared: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        let mut all: BTreeSet<Resource> = BTreeSet::new();
        for (net, resource) in circle {
            shared.entry(*net).or_default().push(resource.to_string());
            all.insert(*resource);
        }
        let mut diag = Diag::warning(
            &codes::MEMORY_WAIT,
            format!(
                "{} packet flows can stop for ever: they share {}, and one that has it can wait \
                 through memory for another that needs it",
                shared.len(),
                listed(all.iter().map(ToString::to_string)),
            ),
        )
        .help(
            "make some of these flows circuits, lead some through another tile, or give the \
             buffers between them more room",
        );
        for (net, what) in shared.iter().take(MAX_LABELS) {
            let text = format!("shares {}", listed(what.iter().cloned()));
            diag = diag.label(self.span(*net), text);
        }
        match shared.len().saturating_sub(MAX_LABELS) {
            0 => diag,
            more => diag.remark(format!("and {more} more flows")),
        }
    }
}

fn listed(names: impl Iterator<Item = String>) -> String {
    let mut names: Vec<String> = names.collect();
    match names.pop() {
        Some(last) if !names.is_empty() => format!("{} and {last}", names.join(", ")),
        last => last.unwrap_or_default(),
    }
}
