//! Times of the router: whole-array designs and random netlists, by size.
//!
//! `cargo bench -p aiec-passes --bench route`

#[path = "../tests/support/netlist.rs"]
mod netlist;
#[path = "../tests/support/problems.rs"]
mod problems;

use aiec_diag::Diags;
use netlist::Netlist;

fn main() {
    divan::main();
}

fn route(bencher: divan::Bencher<'_, '_>, build: impl Fn() -> Netlist + Sync) {
    bencher.with_inputs(build).bench_values(|mut netlist| {
        let mut diags = Diags::new();
        let result = netlist.route(&mut diags);
        assert!(result.is_ok(), "{:?}", diags.into_vec());
        netlist
    });
}

/// A device, how many columns are used and how many flows each has.
#[divan::bench(args = [("npu2", 8), ("xcve3858", 8), ("xcve3858", 36), ("xcve2802", 38)])]
fn whole_array(bencher: divan::Bencher<'_, '_>, (device, columns): (&str, u8)) {
    route(bencher, || problems::whole_array(device, columns));
}

/// Circuits between random ports of the largest first-generation device.
#[divan::bench(args = [10, 50, 200, 400])]
fn random_circuits(bencher: divan::Bencher<'_, '_>, flows: usize) {
    route(bencher, || problems::circuits("xcvc1902", flows, 1));
}
