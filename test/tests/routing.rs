//! Routings of the benchmark's problems, held to a verifier that shares nothing with the router.

use std::collections::BTreeMap;

use aiec_test::routing_bench::families::FAMILIES;
use aiec_test::routing_bench::netlist::netlist;
use aiec_test::routing_bench::run::run_text;
use aiec_test::routing_check::verify;

/// Findings that the router is known to leave: see the fidelity registry.
const KNOWN: &str = "packets can wait in a circle";

/// All that is wrong but for what is known.
fn findings(flows: &str, routed: &str) -> Vec<String> {
    let mut list = verify(flows, routed);
    list.retain(|finding| !finding.starts_with(KNOWN));
    list
}

#[test]
fn routings_are_what_the_flows_ask_for_whatever_their_order() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for family in FAMILIES {
        for seed in 1..=family.tested {
            let Some(mut problem) = family.problem(seed) else {
                continue;
            };
            let mut ends = Vec::new();
            for _ in 0..2 {
                let text = netlist(&problem);
                let outcome = run_text(&text);
                let end = match &outcome.routed {
                    Some(routed) => {
                        let found = findings(&text, routed);
                        wrong.extend(found.iter().map(|f| format!("{}: {f}", problem.name)));
                        "routed"
                    }
                    None if outcome.proved() => "proved impossible",
                    None => "given up",
                };
                ends.push(end);
                problem.flows.reverse();
            }
            if ends[0] != ends[1] {
                wrong.push(format!("{}: {ends:?} by order of the flows", problem.name));
            }
            *counts.entry(ends[0]).or_default() += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(counts["routed"] > 20, "{counts:?}");
    assert_eq!(counts.get("given up"), None, "{counts:?}");
}

#[test]
fn the_verifier_notices_what_is_changed() {
    let flows = "aie.device(npu1) {
  %a = aie.tile(0, 2)
  %b = aie.tile(1, 3)
  aie.flow(%a, DMA : 0, %b, DMA : 1)
  aie.packet_flow(3) {
    aie.packet_source<%b, DMA : 0>
    aie.packet_dest<%a, DMA : 0>
  }
}
";
    let routed = run_text(flows).routed.expect("a routing");
    assert_eq!(verify(flows, &routed), Vec::<String>::new());
    let changes = [
        ("DMA : 1>", "DMA : 0>"),
        ("aie.rule(31, 3,", "aie.rule(31, 2,"),
        ("<DMA : 0, ", "<DMA : 1, "),
    ];
    for (from, to) in changes {
        assert!(routed.contains(from), "{from} in\n{routed}");
        let changed = routed.replacen(from, to, 1);
        assert!(!verify(flows, &changed).is_empty(), "{from} to {to}");
    }
}
