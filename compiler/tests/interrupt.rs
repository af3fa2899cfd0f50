//! Ctrl-C on the real process: the run ends with report, trace and the exit code of a limit.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A core that computes for hours.
const DESIGN: &str = "module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %tile = aie.tile(0, 2)
    aie.objectfifo @out(%tile, {%shim}, 1 : i32) : !aie.objectfifo<memref<8xi32>>
    aie.core(%tile) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant 1000000000000 : index
      scf.for %i = %c0 to %n step %c1 {
        %x = arith.addi %i, %i : index
      }
      %o = aie.objectfifo.acquire @out(Produce, 1) : memref<8xi32>
      aie.objectfifo.release @out(Produce, 1)
      aie.end
    }
    aie.runtime_sequence(%a: memref<8xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 8][0, 0, 0, 1]) {id = 0 : i64, metadata = @out, issue_token = true} : memref<8xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
";

/// Time that the process gets to report that it computes, and to end.
const PATIENCE: Duration = Duration::from_secs(60);

fn interrupt(child: &Child) {
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &id]).status();
    assert!(sent.expect("a signal").success());
}

#[test]
fn the_first_interrupt_ends_the_run_with_its_report() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("interrupt");
    // It may not be there yet.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("design.mlir"), DESIGN).expect("the design");
    let stderr = fs::File::create(folder.join("stderr")).expect("a file");
    let mut child = Command::new(env!("CARGO_BIN_EXE_aiec"))
        .current_dir(&folder)
        .args(["sim", "design.mlir", "--out", "0=out.bin"])
        .args(["--report", "report.json", "--trace", "trace.txt"])
        .stderr(Stdio::from(stderr))
        .spawn()
        .expect("the process");
    let said = || fs::read_to_string(folder.join("stderr")).unwrap_or_default();
    let began = Instant::now();
    while !said().contains("no word has moved") {
        assert!(began.elapsed() < PATIENCE, "{}", said());
        std::thread::sleep(Duration::from_millis(20));
    }
    interrupt(&child);
    let status = child.wait().expect("an end");
    assert_eq!(status.code(), Some(3), "{}", said());
    assert!(said().contains("sim::interrupted"), "{}", said());
    let report = fs::read_to_string(folder.join("report.json")).expect("the report");
    assert!(report.contains("\"status\": \"limit\""), "{report}");
    let names = fs::read_dir(&folder).expect("the folder").flatten();
    let mut names: Vec<_> = names.map(|entry| entry.file_name()).collect();
    names.sort();
    assert_eq!(names, ["design.mlir", "report.json", "stderr", "trace.txt"]);
}
