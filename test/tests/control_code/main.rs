//! Control code: `aiec asm`, `aiec dis` and `aiec isa`, and what assembled programs do.

mod disassemble;
mod fix_pages;
mod golden;
mod isa;
mod runs;
mod wrong;
