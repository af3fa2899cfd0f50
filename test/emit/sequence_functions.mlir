// RUN: aiec translate --aie-npu-to-cpp %s | FileCheck %s
// RUN: aiec translate --aie-npu-to-python %s | FileCheck %s --check-prefix=PYTHON
// RUN: aiec translate --aie-npu-to-cpp --aie-sequence-name=checked %s | FileCheck %s --check-prefix=ONE
// RUN: not aiec translate --aie-npu-to-cpp --aie-sequence-name=missing %s 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: aiec translate --aie-npu-to-cpp --aie-npu-fold-ddr-addr-offset=false %s | FileCheck %s --check-prefix=UNFOLDED

// Names are those of mlir-aie's functions; memrefs are no arguments.
// CHECK: inline std::optional<std::vector<uint32_t>> generate_txn_main_writes(int32_t arg1, int64_t arg2) {
// CHECK: aiec_sequence::Transaction transaction{{[{][{]}}0x06040100, 0x00000108, 0x00000000, 0x00000010{{[}][}]}};
// CHECK-NEXT: uint64_t [[N:v[0-9]+]] = aiec_sequence::low(uint64_t(arg1), 32);
// CHECK-NEXT: uint64_t [[WIDE:v[0-9]+]] = aiec_sequence::low(uint64_t(arg2), 64);
// CHECK-NEXT: transaction.append({0x0, 0x0, 0x200010, 0x0, aiec_sequence::field([[N]], 0, 0xffffffff, 0), 0x18});
// A tile beside a number: the number is an offset in it.
// CHECK-NEXT: transaction.append({0x0, 0x0, 0x6400000 | aiec_sequence::field([[N]], 0, 0xfffff, 0), 0x0, 0x7, 0x18});
// CHECK-NEXT: transaction.append({0x3, 0x0, 0x200010, 0x0, 0x7, aiec_sequence::field([[N]], 0, 0xffffffff, 0), 0x1c});
// CHECK-NEXT: transaction.append({0x4, 0x0, 0x200010, 0x0, aiec_sequence::field([[N]], 0, 0xffffffff, 0), 0x7, 0x20, 0x0});
// CHECK-NEXT: transaction.append({0x80, 0x10, aiec_sequence::field([[N]], 0, 0xff, 16), 0x10100});
// Patches have 64 bits; those of the sixth argument on get the offset of host memory.
// CHECK-NEXT: transaction.append({0x81, 0x30, 0x0, 0x0, 0x0, 0x0, 0x1d004, 0x0, 0x0, 0x0, aiec_sequence::field([[WIDE]], 0, 0xffffffff, 0), aiec_sequence::field([[WIDE]], 32, 0xffffffff, 0)});
// CHECK-NEXT: [[SUM:v[0-9]+]] = aiec_sequence::add([[WIDE]], uint64_t(2147483648u), 64);
// CHECK-NEXT: 0x5, 0x0, aiec_sequence::field([[SUM]], 0, 0xffffffff, 0), aiec_sequence::field([[SUM]], 32, 0xffffffff, 0)});
// CHECK-NEXT: return transaction.finish();

// UNFOLDED: generate_txn_main_writes
// UNFOLDED: [[WIDE:v[0-9]+]] = aiec_sequence::low(uint64_t(arg2), 64);
// UNFOLDED: 0x5, 0x0, aiec_sequence::field([[WIDE]], 0, 0xffffffff, 0), aiec_sequence::field([[WIDE]], 32, 0xffffffff, 0)});

// CHECK: generate_txn_main_checked(int32_t arg0) {
// CHECK: aiec_sequence::Pool pool0{{[{][{]}}1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15{{[}][}]}}; // tile (0, 0)
// CHECK: if (!{{v[0-9]+}}) return aiec_sequence::refused("\"n\" must be a multiple of 64");
// CHECK: for (uint64_t [[ROUND:r[0-9]+]] = 0, [[ROUNDS:n[0-9]+]] = aiec_sequence::rounds({{.*}}, 32, 1); [[ROUND]] < [[ROUNDS]]; ++[[ROUND]]) {
// CHECK: if (!pool0.pop([[BD:v[0-9]+]])) return aiec_sequence::refused("no buffer descriptor is free");
// CHECK: pool0.push([[BD]]);
// CHECK: const uint64_t next0 =
// CHECK-NEXT: = next0;
// CHECK-NEXT: {{^  [}]}}

// PYTHON: def generate_txn_main_writes(arg1, arg2):
// PYTHON: transaction = _Transaction([0x06040100, 0x00000108, 0x00000000, 0x00000010])
// PYTHON: def generate_txn_main_checked(arg0):
// PYTHON: pool0 = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]  # tile (0, 0)
// PYTHON: raise ValueError("\"n\" must be a multiple of 64")
// PYTHON: for [[ROUND:r[0-9]+]] in range(_rounds(

// Descriptors of the netlist's programs, and those that the sequence writes by their numbers, aren't in a pool.
// CHECK: generate_txn_main_beside()
// CHECK: aiec_sequence::Pool pool0{{[{][{]}}1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15{{[}][}]}}; // tile (0, 0)

// ONE-NOT: generate_txn_main_writes
// ONE: generate_txn_main_checked

// MISSING: there is no such runtime sequence
// MISSING: write one, or name another

aie.device(npu2) {
  aie.runtime_sequence @writes(%a: memref<64xi32>, %n: i32, %wide: i64) {
    %c7 = arith.constant 7 : i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %address = arith.constant 0x200010 : i32
    aiex.npu.write32(%address, %n) : i32, i32
    aiex.npu.write32(%n, %c7) {column = 3 : i32, row = 4 : i32} : i32, i32
    aiex.npu.maskwrite32(%address, %c7, %n) : i32, i32, i32
    aiex.npu.maskpoll(%address, %n, %c7) : i32, i32, i32
    aiex.npu.sync(%n, %c0, %c0, %c0, %c1, %c1) : i32, i32, i32, i32, i32, i32
    aiex.npu.address_patch(%wide : i64) {addr = 0x1D004 : ui32, arg_idx = 0 : i32}
    aiex.npu.address_patch(%wide : i64) {addr = 0x1D004 : ui32, arg_idx = 5 : i32}
  }
  aie.runtime_sequence @checked(%n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %rest = arith.remsi %n, %c64 : i32
    %ok = arith.cmpi eq, %rest, %c0 : i32
    cf.assert %ok, "\22n\22 must be a multiple of 64"
    %address = arith.constant 0x200010 : i32
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c0) -> (i32) : i32 {
      %bd = aiex.dma_bd_pool_pop(0, 0) : i32
      %more = arith.addi %sum, %bd : i32
      aiex.npu.write32(%address, %more) : i32, i32
      aiex.dma_bd_pool_push(0, 0) bd_id %bd : i32
      scf.yield %more : i32
    }
    aiex.npu.write32(%address, %last) : i32, i32
  }
  %shim = aie.tile(0, 0)
  %host = aie.external_buffer {sym_name = "host"} : memref<8xi32>
  aie.shim_dma(%shim) {
      aie.dma_start(MM2S, 0, ^bd0, ^end)
    ^bd0:
      aie.dma_bd(%host : memref<8xi32> offset = 0 len = 4) {bd_id = 0 : i32}
      aie.next_bd ^end
    ^end:
      aie.end
  }
  aie.runtime_sequence @beside() {
    %address = arith.constant 0x200010 : i32
    %of_bd_4 = arith.constant 0x1D080 : i32
    %c4 = arith.constant 4 : i32
    %bd = aiex.dma_bd_pool_pop(0, 0) : i32
    aiex.npu.write32(%address, %bd) : i32, i32
    aiex.npu.write32(%of_bd_4, %c4) : i32, i32
    aiex.dma_bd_pool_push(0, 0) bd_id %bd : i32
  }
}
