// RUN: aiec opt --aie-apply-reconfig-method --aie-split-configure-entries --split-input-file --verify-diagnostics %s

// expected-error@+1 {{unrecognized reconfig_method 'often'}}
aie.device(npu2) {
  aie.runtime_sequence @one(%x: memref<8xi32>) {
    aiex.npu.load_pdi {id = 1 : i32}
  }
} {aiex.entry_device = {reconfig_method = "often"}}

// -----

aie.device(npu2) {
  // expected-error@+1 {{has no block arguments}}
  aie.runtime_sequence @one() {
    aiex.npu.load_pdi {id = 1 : i32}
  }
} {aiex.entry_device = {reconfig_method = "ctrlpkt"}}

// -----

aie.device(npu2) {
  // expected-error@+1 {{expected exactly one load_pdi in runtime sequence 'one', found 2}}
  aie.runtime_sequence @one() {
    aiex.npu.load_pdi {id = 1 : i32}
    aiex.npu.load_pdi {id = 2 : i32}
  }
} {aiex.entry_device = {reconfig_method = "write32"}}

// -----

aie.device(npu2) {
  // expected-error@+1 {{expected exactly one load_pdi in runtime sequence 'one', found 0}}
  aie.runtime_sequence @one() {
    aiex.configure @main {
    }
  }
} {aiex.entry_device = {reconfig_method = "loadpdi"}}

// -----

aie.device(npu2) {
  aie.runtime_sequence @one() {
    aiex.npu.load_pdi {id = 1 : i32}
  }
  // expected-error@+1 {{the device has a sequence `@init` already}}
  aie.runtime_sequence @init() {
  }
} {aiex.entry_device = {reconfig_method = "write32"}}

// -----

aie.device(npu2) @a {
}
aie.device(npu2) {
  aie.runtime_sequence @all() {
    aiex.configure @a {
    }
    // expected-error@+1 {{must contain only aiex.configure ops; found 'aiex.npu.load_pdi'}}
    aiex.npu.load_pdi {id = 1 : i32}
    aiex.configure @a {
    }
  }
} {aiex.entry_device = {reconfig_method = "loadpdi"}}
