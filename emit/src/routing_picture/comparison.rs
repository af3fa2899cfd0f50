//! Differences between two routings of a design.

use aiec_passes::route::trace::{FoundFlow, Hop};
use rustc_hash::FxHashMap;

use super::names::{NamedFlow, named_flows};
use crate::dataflow::graph::Dataflow;
use crate::routing_view::DeviceView;

/// Another routing beside that of a picture.
pub struct RoutingComparison<'a> {
    /// The other routing.
    pub view: &'a DeviceView,
    /// Its file.
    pub file: &'a str,
    /// The difference of each flow of the picture.
    pub flows: Vec<FlowDifference>,
    /// The other's flows that the picture's routing doesn't have.
    pub removed: Vec<(usize, NamedFlow)>,
}

/// Difference of a flow between two routings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowDifference {
    /// The other routing takes the same way.
    Same,
    /// The other routing has the flow, by its number, on another way or between other ports.
    Moved(usize),
    /// The other routing doesn't have it.
    Added,
}

impl<'a> RoutingComparison<'a> {
    /// Compares a routing with another one: flows are the same if they carry the same link of the
    /// dataflow, in the order of their sources where it has several.
    pub fn new(
        (view, dataflow): (&DeviceView, &Dataflow),
        (other, other_dataflow): (&'a DeviceView, &Dataflow),
        file: &'a str,
    ) -> RoutingComparison<'a> {
        let (names, other_names) = (
            named_flows(view, dataflow),
            named_flows(other, other_dataflow),
        );
        let mut left: FxHashMap<_, Vec<usize>> = FxHashMap::default();
        for (at, (flow, named)) in other.flows.iter().zip(&other_names).enumerate() {
            left.entry((&named.name, &flow.ids)).or_default().push(at);
        }
        let mut flows = vec![FlowDifference::Added; view.flows.len()];
        // Flows between the same ports first, so that the rest are those that moved.
        for same_ends in [true, false] {
            for (number, (flow, named)) in view.flows.iter().zip(&names).enumerate() {
                if flows[number] != FlowDifference::Added {
                    continue;
                }
                let Some(candidates) = left.get_mut(&(&named.name, &flow.ids)) else {
                    continue;
                };
                let fits = |at: &usize| {
                    let found = &other.flows[*at];
                    !same_ends || (flow.source == found.source && flow.sinks == found.sinks)
                };
                let Some(place) = candidates.iter().position(fits) else {
                    continue;
                };
                let at = candidates.remove(place);
                flows[number] = if sorted_hops(flow) == sorted_hops(&other.flows[at]) {
                    FlowDifference::Same
                } else {
                    FlowDifference::Moved(at)
                };
            }
        }
        let mut removed: Vec<usize> = left.into_values().flatten().collect();
        removed.sort_unstable();
        let removed = removed.into_iter();
        let removed = removed.map(|at| (at, other_names[at].clone())).collect();
        RoutingComparison {
            view: other,
            file,
            flows,
            removed,
        }
    }

    /// Fate of a flow, in words.
    pub fn text(&self, number: usize, flow: &FoundFlow) -> String {
        match self.flows.get(number) {
            Some(FlowDifference::Same) => format!("routed as in {}", self.file),
            Some(FlowDifference::Moved(at)) => {
                let before = self.view.flows[*at].hops.len();
                format!(
                    "{} connections through switches, {before} in {}",
                    flow.hops.len(),
                    self.file
                )
            }
            _ => format!("not in {}", self.file),
        }
    }

    /// All differences in one line.
    pub fn summary(&self, flows: &[FoundFlow]) -> String {
        let count = |wanted: fn(&FlowDifference) -> bool| {
            self.flows.iter().filter(|found| wanted(found)).count()
        };
        let total = |flows: &[FoundFlow]| flows.iter().map(|flow| flow.hops.len()).sum::<usize>();
        format!(
            "compared with {}: {} flows as there, {} on another way, {} new, {} gone; \
             {} connections through switches, {} there",
            self.file,
            count(|found| *found == FlowDifference::Same),
            count(|found| matches!(found, FlowDifference::Moved(_))),
            count(|found| *found == FlowDifference::Added),
            self.removed.len(),
            total(flows),
            total(&self.view.flows),
        )
    }
}

/// The hops of a flow whatever the order in which they were found.
fn sorted_hops(flow: &FoundFlow) -> Vec<Hop> {
    let mut hops = flow.hops.clone();
    hops.sort_unstable();
    hops
}
