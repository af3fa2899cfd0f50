// What compiled cores share: the memories that a core sees, its clock, and the checks that are
// before what could go wrong. `sandbox.rs` puts calls of the functions in; `jit.rs` fills the
// globals and is behind the functions without a body. WINDOW_BITS, WINDOW_MASK and
// FIRST_ADDRESS are numbers of the device.

// Host address and size in bytes of each window: south, west, north, east.
llvm.mlir.global external @aiec.windows() {alignment = 8 : i64} : !llvm.array<8 x i64> {
  %zero = llvm.mlir.zero : !llvm.array<8 x i64>
  llvm.return %zero : !llvm.array<8 x i64>
}

// Cycles since the start of the run, and those at which the core stops for others.
llvm.mlir.global external @aiec.clock() {alignment = 8 : i64} : !llvm.array<2 x i64> {
  %zero = llvm.mlir.zero : !llvm.array<2 x i64>
  llvm.return %zero : !llvm.array<2 x i64>
}

// The words of a transfer of the cascade.
llvm.mlir.global external @aiec.words() {alignment = 64 : i64} : !llvm.array<16 x i32> {
  %zero = llvm.mlir.zero : !llvm.array<16 x i32>
  llvm.return %zero : !llvm.array<16 x i32>
}

llvm.func @aiec.no_memory(i64)
llvm.func @aiec.division()
llvm.func @aiec.no_lane(i64, i64)
llvm.func @aiec.pause()

// The host address of a core-local address behind which there are so many bytes.
llvm.func internal @aiec.at(%address: i64, %bytes: i64) -> i64 attributes {passthrough = ["alwaysinline"]} {
  %first = llvm.mlir.constant(FIRST_ADDRESS : i64) : i64
  %bits = llvm.mlir.constant(WINDOW_BITS : i64) : i64
  %mask = llvm.mlir.constant(WINDOW_MASK : i64) : i64
  %count = llvm.mlir.constant(4 : i64) : i64
  %past = llvm.sub %address, %first : i64
  %window = llvm.lshr %past, %bits : i64
  %exists = llvm.icmp "ult" %window, %count : i64
  llvm.cond_br %exists, ^window, ^nothing
^window:
  %table = llvm.mlir.addressof @aiec.windows : !llvm.ptr
  %row = llvm.getelementptr %table[%window] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.struct<(i64, i64)>
  %size_at = llvm.getelementptr %row[0, 1] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(i64, i64)>
  %size = llvm.load %size_at : !llvm.ptr -> i64
  %inside = llvm.and %address, %mask : i64
  %room = llvm.sub %size, %inside : i64
  %begins = llvm.icmp "ule" %inside, %size : i64
  %ends = llvm.icmp "ule" %bytes, %room : i64
  %fits = llvm.and %begins, %ends : i1
  llvm.cond_br %fits, ^memory, ^nothing
^memory:
  %base = llvm.load %row : !llvm.ptr -> i64
  %host = llvm.add %base, %inside : i64
  llvm.return %host : i64
^nothing:
  llvm.call @aiec.no_memory(%address) : (i64) -> ()
  llvm.unreachable
}

// So many cycles pass.
llvm.func internal @aiec.tick(%cycles: i64) attributes {passthrough = ["alwaysinline"]} {
  %clock = llvm.mlir.addressof @aiec.clock : !llvm.ptr
  %before = llvm.load %clock : !llvm.ptr -> i64
  %now = llvm.add %before, %cycles : i64
  llvm.store %now, %clock : i64, !llvm.ptr
  %end_at = llvm.getelementptr %clock[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %end = llvm.load %end_at : !llvm.ptr -> i64
  %over = llvm.icmp "uge" %now, %end : i64
  llvm.cond_br %over, ^stop, ^on
^stop:
  llvm.call @aiec.pause() : () -> ()
  llvm.br ^on
^on:
  llvm.return
}

// Stops the core if a divisor is zero.
llvm.func internal @aiec.divisor(%is_zero: i1) attributes {passthrough = ["alwaysinline"]} {
  llvm.cond_br %is_zero, ^zero, ^good
^zero:
  llvm.call @aiec.division() : () -> ()
  llvm.unreachable
^good:
  llvm.return
}

// Stops the core if a vector has no such lane.
llvm.func internal @aiec.lane(%lane: i64, %lanes: i64) attributes {passthrough = ["alwaysinline"]} {
  %exists = llvm.icmp "ult" %lane, %lanes : i64
  llvm.cond_br %exists, ^good, ^none
^none:
  llvm.call @aiec.no_lane(%lane, %lanes) : (i64, i64) -> ()
  llvm.unreachable
^good:
  llvm.return
}
