//! Machine code of any bytes: what decodes encodes to the same bytes, and its text assembles.
#![no_main]

use aiec_core::{CoreArch, CoreIsa};
use aiec_diag::FileId;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, code)) = bytes.split_first() else {
        return;
    };
    let arch = CoreArch::ALL[usize::from(*choice) % CoreArch::ALL.len()];
    let isa = CoreIsa::of(arch);
    let Ok(bundle) = isa.decode(code) else {
        return;
    };
    let length = usize::from(bundle.length);
    if let Ok(encoded) = isa.encode(&bundle) {
        let again = isa.decode(&encoded).expect("what was encoded decodes");
        assert_eq!(again, bundle);
        assert_eq!(encoded.len(), length);
    }
    let _ = aiec_core::asm::assemble(arch, "", FileId(0), &isa.bundle_text(&bundle));
});
