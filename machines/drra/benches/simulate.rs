//! Speed of the fabric: all cells multiply and accumulate, an item is a cycle of a cell; and the
//! convolution, in which three of sixteen cells work.

use aiec_diag::{Diags, FileId};
use aiec_drra::encode::cell_code;
use aiec_drra::fabric::FabricShape;
use aiec_drra::sim::Fabric;
use aiec_drra::{AssembleOptions, assemble, published};
use aiec_run_loop::{self as run_loop, Limits};
use divan::Bencher;
use divan::counter::ItemsCount;

fn main() {
    divan::main();
}

fn fabric(text: &str) -> Fabric {
    let mut diags = Diags::new();
    let options = AssembleOptions::default();
    let program = assemble(text, FileId(0), published(), options, &mut diags);
    let cells = program.cells.iter();
    let code = cells.map(|cell| (cell.cell, cell_code(cell, published())));
    Fabric::new(FabricShape::DEFAULT, code)
}

/// Runs to the end; the cycles of all cells.
fn run(fabric: &mut Fabric) -> u64 {
    let limits = Limits {
        max_cycles: u64::MAX,
        until: None,
    };
    run_loop::run(fabric, limits, &mut |_| {});
    fabric.cell_cycles()
}

fn bench(bencher: Bencher<'_, '_>, text: &str) {
    let cell_cycles = run(&mut fabric(text));
    bencher
        .counter(ItemsCount::new(cell_cycles))
        .with_inputs(|| fabric(text))
        .bench_values(|mut fabric| run(&mut fabric));
}

/// Each cell reads two words, multiplies, accumulates and writes one in nearly every cycle.
#[divan::bench]
fn all_cells_busy(bencher: Bencher<'_, '_>) {
    let mut text = String::from(".CODE\n");
    for (row, column) in (0..2).flat_map(|row| (0..8).map(move |column| (row, column))) {
        text += &format!(
            "CELL <{row}, {column}>\n\
             SWB src_row={row}, src_port=0, hb_index=2, v_index=2\n\
             SWB src_row={row}, src_port=1, hb_index=2, v_index=3\n\
             SWB src_row={row}, src_block=dpu, hb_index=2, v_index=0\n\
             DPU mode=mac, acc_clear=4\n\
             LOOP loopid=0, endpc=@end{row}{column}, iter=63\n\
             REFI port_no=r0, l1_iter=31, l2_iter=31\n\
             REFI port_no=r1, l1_iter=31, l2_iter=31\n\
             REFI port_no=w0, init_addr=32, l1_iter=31, l2_iter=31, l2_step=0\n\
             \"end{row}{column}\" WAIT cycle=1030\n\
             HALT\n"
        );
    }
    bench(bencher, &text);
}

#[divan::bench]
fn convolution(bencher: Bencher<'_, '_>) {
    let text = include_str!("../../../examples/drra-convolution/convolution.drra");
    bench(bencher, text);
}
