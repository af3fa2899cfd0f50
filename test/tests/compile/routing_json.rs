//! `--emit=routing-json` keeps to its schema, and the schema refuses other things.

use aiec_test::driver::aiec;
use aiec_test::routing_bench::families::FAMILIES;
use aiec_test::routing_bench::netlist::netlist;
use aiec_test::schema::violations;
use serde_json::Value;

/// Circuits, packets with a kept header, a shim mux.
const DESIGN: &str = "
aie.device(npu2) {
  %s = aie.tile(0, 0)
  %a = aie.tile(0, 2)
  %b = aie.tile(1, 3)
  aie.flow(%s, DMA : 0, %a, DMA : 0)
  aie.packet_flow(4) {
    aie.packet_source<%a, DMA : 0>
    aie.packet_dest<%s, DMA : 1>
    aie.packet_dest<%b, DMA : 1>
  } {keep_pkt_header = true}
}
";

fn emitted(design: &str, kind: &str) -> Value {
    let run = aiec(
        ["-", &format!("--emit={kind}"), "-o", "-"],
        design.as_bytes(),
    );
    let bytes = run.output().unwrap_or_else(|error| panic!("{error}"));
    serde_json::from_slice(&bytes).expect("JSON")
}

#[test]
fn routings_keep_to_their_schema() {
    let schema = emitted(DESIGN, "routing-json-schema");
    assert_eq!(
        violations(&schema, &emitted(DESIGN, "routing-json")),
        Vec::<String>::new()
    );
    for name in ["npu1/packet-24", "npu2/broadcast-32", "npu1/fan-in-8"] {
        let family = FAMILIES.iter().find(|family| family.name() == name);
        let problem = family.and_then(|family| family.problem(1)).expect(name);
        let routing = emitted(&netlist(&problem), "routing-json");
        assert_eq!(
            violations(&schema, &routing),
            Vec::<String>::new(),
            "{name}"
        );
    }
}

#[test]
fn the_schema_refuses_other_things() {
    let schema = emitted(DESIGN, "routing-json-schema");
    let sound = emitted(DESIGN, "routing-json");
    let changes: [(&str, Value); 8] = [
        ("/devices/0/flows/0/kind", "bundle".into()),
        ("/devices/0/flows/0/hops", Value::Array(Vec::new())),
        ("/devices/0/flows/0/source/bundle", "Dma".into()),
        ("/devices/0/flows/0/source/col", (-1).into()),
        ("/devices/0/switches/0/use/outputs", Value::Null),
        ("/devices/0/switches/0/mux/0/from/channel", "0".into()),
        ("/devices/0/totals", serde_json::json!({"flows": 1})),
        ("/devices", serde_json::json!([{"extra": 1}])),
    ];
    for (place, value) in changes {
        let mut wrong = sound.clone();
        *wrong.pointer_mut(place).expect(place) = value;
        assert!(!violations(&schema, &wrong).is_empty(), "{place}");
    }
}
