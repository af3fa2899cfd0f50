//! The routing emitters on a small routed design.

use aiec_aie::ir::Module;
use aiec_aie::text::parse_text;
use aiec_diag::{Diags, FileId, Reported, SourceMap};
use aiec_emit::{routing_dot, routing_json, routing_svg};
use aiec_passes::infra::manager::{self, PassStep};
use aiec_passes::route;
use serde_json::Value;

/// A broadcast, a way back, and two packet ids that end in one shim channel.
const DESIGN: &str = "
aie.device(npu2) @picture {
  %shim = aie.tile(0, 0)
  %mem = aie.tile(0, 1)
  %a = aie.tile(0, 2)
  %b = aie.tile(1, 3)
  aie.flow(%shim, DMA : 0, %a, DMA : 0)
  aie.flow(%shim, DMA : 0, %b, DMA : 1)
  aie.flow(%mem, DMA : 0, %shim, DMA : 0)
  aie.packet_flow(4) {
    aie.packet_source<%a, DMA : 0>
    aie.packet_source<%b, DMA : 0>
    aie.packet_dest<%shim, DMA : 1>
  }
}
";

fn routed() -> Module {
    let mut diags = Diags::new();
    let mut module = parse_text(FileId(0), DESIGN, &mut diags);
    let steps = [PassStep::new(&route::PASS)];
    let result = manager::run(&mut module, &steps, &mut diags, &mut |_, _, _| {});
    assert!(result.is_ok(), "{:#?}", diags.into_vec());
    module
}

type Emit = fn(&Module, &SourceMap, &mut Diags) -> Result<Vec<u8>, Reported>;

fn text(emit: Emit) -> String {
    let mut diags = Diags::new();
    let sources = SourceMap::new();
    let bytes = emit(&routed(), &sources, &mut diags).unwrap();
    assert!(diags.is_empty());
    assert_eq!(
        emit(&routed(), &sources, &mut diags).unwrap(),
        bytes,
        "same input, other bytes"
    );
    String::from_utf8(bytes).unwrap()
}

#[test]
fn json_names_flows_ports_and_totals() {
    let json: Value = serde_json::from_str(&text(routing_json::emit)).unwrap();
    let device = &json["devices"][0];
    assert_eq!(
        (&device["name"], &device["device"]),
        (&"picture".into(), &"npu2".into())
    );
    let flows = device["flows"].as_array().unwrap();
    // Each packet source is a flow of its own.
    assert_eq!(flows.len(), 4);
    let broadcast = &flows[0];
    assert_eq!(broadcast["kind"], "circuit");
    assert_eq!(broadcast["source"]["bundle"], "DMA");
    assert_eq!(broadcast["destinations"].as_array().unwrap().len(), 2);
    let packets: Vec<&Value> = flows.iter().filter(|f| f["kind"] == "packet").collect();
    assert_eq!(packets.len(), 2);
    for flow in packets {
        assert_eq!(flow["ids"], serde_json::json!([4]));
        assert_eq!(flow["destinations"][0]["channel"], 1);
    }
    let shim = &device["switches"][0];
    assert_eq!(
        shim["use"]["inputs"]["South"],
        serde_json::json!({"used": 1, "of": 8})
    );
    assert_eq!(shim["mux"].as_array().unwrap().len(), 3);
    let hops: usize = device["switches"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| s["connects"].as_array().unwrap().len() + s["masters"].as_array().unwrap().len())
        .sum();
    assert_eq!(device["totals"]["connections"], hops);
}

#[test]
fn dot_has_a_cluster_per_tile_and_dashed_packets() {
    let dot = text(routing_dot::emit);
    assert!(dot.starts_with("digraph routing {") && dot.ends_with("}\n"));
    assert_eq!(dot.matches('{').count(), dot.matches('}').count());
    assert!(dot.contains("label=\"shim NOC tile (0, 0)\""));
    assert!(dot.contains("style=dashed") && dot.contains("style=solid"));
    assert!(dot.contains("// flow 0: (0, 0) DMA 0: (0, 0) DMA 0 → (0, 2) DMA 0, (1, 3) DMA 1"));
}

#[test]
fn svg_names_every_flow_and_closes_every_element() {
    let svg = text(|module, sources, diags| routing_svg::emit(module, None, sources, diags));
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    for name in ["g", "text", "title", "style", "svg"] {
        let open =
            svg.matches(&format!("<{name}>")).count() + svg.matches(&format!("<{name} ")).count();
        assert_eq!(open, svg.matches(&format!("</{name}>")).count(), "{name}");
    }
    assert_eq!(svg.matches("class=\"flow hue").count(), 4);
    // Once at the lines, once in the legend.
    assert_eq!(
        svg.matches("<title>(0, 1) DMA 0: (0, 1) DMA 0 → (0, 0) DMA 0</title>")
            .count(),
        2
    );
    assert!(svg.contains("mem tile (0, 1)") && svg.contains("stroke-dasharray"));
}
