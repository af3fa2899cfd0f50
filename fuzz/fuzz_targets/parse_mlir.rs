//! Any text: parsing, verifying and printing end without a panic, and what was read without an
//! error is printed as text that reads back to the same text.
#![no_main]

use aiec_aie::text::{PrintOptions, parse_text, print};
use aiec_aie::verify::verify;
use aiec_diag::{Diags, FileId};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut diags = Diags::new();
    let module = parse_text(FileId(0), text, &mut diags);
    let read = !diags.has_errors();
    verify(&module, &mut diags);
    let options = PrintOptions::default();
    let printed = print(&module, options);
    if !read {
        return;
    }
    let mut again = Diags::new();
    let second = parse_text(FileId(0), &printed, &mut again);
    assert!(!again.has_errors(), "{printed}\n{:?}", again.iter().next());
    assert_eq!(print(&second, options), printed);
});
