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
//! | [`check`] | what cannot work on the machine, or is hardly meant |
//! | [`fix`] | splits overfull pages |
//! | [`image`] | bytes of the pages and the places the host patches |
//! | [`page`] | page header and reading pages |
//! | [`elf`] | the file: writer and reader |
//! | [`dis`] | files back to text |
//! | [`dump`] | the vendor's debug record |
//! | [`debug`] | names and source lines beside the code |
//! | [`patch`] | what the host adds to which words |
//!
//! Addresses and sizes are in bytes unless a name says words (32 bits). Numbers are
//! little-endian. Readers are total: any bytes give a value or a typed error.
//!
//! A program that writes nine words of data to a register and waits until they are written:
//!
//! ```
//! use aiec_ctrlcode::bd::UcDmaBd;
//! use aiec_ctrlcode::debug::DebugInfo;
//! use aiec_ctrlcode::isa::Op;
//! use aiec_ctrlcode::names::Target;
//! use aiec_ctrlcode::program::{Job, Program};
//! use aiec_ctrlcode::{elf, image, pager, print};
//!
//! let mut program = Program::new(Target::Aie2ps, 4);
//! let main = program.group_mut(0).main_mut();
//! let image_words = main.add_words("bd_image", [0x40, 0, 0, 0, 0, 0, 0, 0x8000_0000, 0]);
//! let chain = main.add_chain("chain", [UcDmaBd::write(0x9000, image_words, 9)]);
//! let mut job = Job::new(0);
//! job.push(Op::UcDmaWriteDesSync { descriptor: chain }, None);
//! main.push_job(job);
//!
//! let text = print::print(&program);
//! assert!(text.contains("UC_DMA_WRITE_DES_SYNC"));
//! let image = image::assemble(&program, pager::LayoutOptions::default()).unwrap();
//! let debug = DebugInfo::of_image(&image, program.files.clone());
//! let file = elf::write(&image, Some(&debug)).unwrap();
//! assert_eq!(elf::read(&file).unwrap().instances[0].ucs[0].pages.len(), 1);
//! ```

pub mod asm;
pub mod bd;
pub mod check;
pub mod debug;
pub mod dis;
pub mod dump;
pub mod elf;
pub mod error;
pub mod fix;
pub mod image;
pub mod isa;
pub mod names;
pub mod page;
pub mod pager;
pub mod patch;
pub mod print;
pub mod program;
