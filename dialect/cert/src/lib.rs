//! CERT control code: the vocabulary between compiler, assembler and simulator.
//!
//! | module | owns |
//! |---|---|
//! | [`asm`] | text to program |
//! | [`isa`] | the instruction table; enum, encoder, decoder derive from it |
//! | [`names`] | targets, tile ids, token actors |
//! | [`bd`] | uC-DMA descriptors |
//! | [`program`] | the program model: groups, scopes, jobs, data |
//! | [`pager`] | which job and which data go to which page |
//! | [`image`] | bytes of the pages and the places the host patches |
//! | [`page`] | page header and reading pages |
//! | [`elf`] | the file: writer and reader |
//! | [`debug`] | names and source lines beside the code |
//! | [`patch`] | what the host adds to which words |
//!
//! Addresses and sizes are in bytes unless a name says words (32 bits). Numbers are
//! little-endian. Readers are total: any bytes give a value or a typed error.

pub mod asm;
pub mod bd;
pub mod debug;
pub mod elf;
pub mod error;
pub mod image;
pub mod isa;
pub mod names;
pub mod page;
pub mod pager;
pub mod patch;
pub mod print;
pub mod program;
