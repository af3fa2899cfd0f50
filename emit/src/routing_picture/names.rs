//! Contents of the flows of a routing: the object fifos and other links of the dataflow, by the
//! names and in the colours that its page gives them.

use crate::dataflow::graph::Dataflow;
use crate::dataflow::link_hues;
use crate::routing_view::{DeviceView, flow_text, is_unrouted};

/// A flow's name and looks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedFlow {
    /// The object fifo that it carries, or the dataflow's name for it.
    pub name: String,
    /// Its hue; none for completion tokens on their way to a controller.
    pub hue: Option<usize>,
    /// File and line of the object fifo or transfer.
    pub source: Option<String>,
    /// Name, packet ids, source and destinations.
    pub text: String,
}

/// The names of all flows of a routing, in its order.
pub fn named_flows(view: &DeviceView, dataflow: &Dataflow) -> Vec<NamedFlow> {
    let tokens = view.flows.iter().map(|flow| NamedFlow {
        name: "tokens".to_string(),
        hue: None,
        source: None,
        text: format!("tokens: {}", flow_text(flow)),
    });
    let mut named: Vec<NamedFlow> = tokens.collect();
    for (link, hue) in dataflow.links.iter().zip(link_hues(dataflow)) {
        for number in &link.flows {
            let Some(flow) = view.flows.get(*number) else {
                continue;
            };
            named[*number] = NamedFlow {
                name: link.name.clone(),
                hue: Some(hue),
                source: link.source.clone(),
                text: if is_unrouted(flow) {
                    format!("{}: {} (not routed)", link.name, flow_text(flow))
                } else {
                    format!("{}: {}", link.name, flow_text(flow))
                },
            };
        }
    }
    named
}
