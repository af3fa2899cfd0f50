//! Descriptions of instruction sets: no text makes the reader panic; what is refused says why and
//! where, what is taken is printed as it was read.
#![no_main]

use aiec_diag::FileId;
use aiec_isa::{description, print, schema};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    match description::read(text, FileId(0)) {
        Ok(set) => {
            let printed = print::description(&set);
            assert!(schema::violations(&schema::base(), &printed).is_empty());
            assert_eq!(description::from_value(&printed).as_ref(), Ok(&set));
            let _ = print::markdown(&set, "Set");
        }
        Err(diags) => assert!(diags.iter().all(|d| d.help.is_some() && d.span().is_some())),
    }
});
