//! CERT control code: the vocabulary between compiler, assembler and simulator.
//!
//! | module | owns |
//! |---|---|
//! | [`asm`] | text to program |
//! | [`isa`] | the instruction table; enum, encoder, decoder derive from it |
//! | [`binary`] | findings about files, pages and instructions that cannot be read |
//! | [`names`] | targets, tile ids, token actors |
//! | [`bd`] | uC-DMA descriptors |
//! | [`program`] | the program model: groups, scopes, jobs, data |
//! | [`pager`] | which job and which data go to which page |
//! | [`finding`] | findings about programs, before their source lines are looked up |
//! | [`check`] | what cannot work on the machine, or is hardly meant |
//! | [`fix`] | splits overfull pages |
//! | [`image`] | bytes of the pages and the places the host patches |
//! | [`page`] | page header and reading pages |
//! | [`elf`] | the file: writer and reader |
//! | [`dis`] | files back to text |
//! | [`dump`] | the vendor's debug record |
//! | [`debug`] | names and source lines beside the code |
//! | [`patch`] | what the host adds to which words |
//! | [`timing`] | cycles of instructions, descriptors and pages |
//!
//! Addresses and sizes are in bytes unless a name says words (32 bits). Numbers are
//! little-endian. Readers are total: any bytes give a value or a finding.
//!
//! A program that writes nine words of data to a register and waits until they are written:
//!
//! ```
//! use aiec_cert::bd::UcDmaBd;
//! use aiec_cert::debug::DebugInfo;
//! use aiec_cert::isa::Op;
//! use aiec_cert::names::Target;
//! use aiec_cert::program::{Job, Program};
//! use aiec_cert::{elf, image, pager, print};
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
//!
//! Reading needs no knowledge of the tool that wrote the file. [`elf::read`] gives pages and the
//! places that the host patches, [`page::decode_page`] the jobs of a page:
//!
//! ```
//! # use aiec_cert::asm::{self, AsmOptions, NoFiles};
//! # use aiec_cert::{image, pager};
//! # let options = AsmOptions { target: aiec_cert::names::Target::Aie2ps, compat: false };
//! # let text = b"START_JOB 7\nWRITE_32 0x2000, 5\nEND_JOB\n.eop\nSTART_JOB 0\nNOP\nEND_JOB\nEOF\n";
//! # let program = asm::parse("a.asm", text, &NoFiles, options).program.unwrap();
//! # let image = image::assemble(&program, pager::LayoutOptions::default()).unwrap();
//! # let bytes = aiec_cert::elf::write(&image, None).unwrap();
//! use aiec_cert::isa::Op;
//! use aiec_cert::{elf, page};
//!
//! let file = elf::read(&bytes).unwrap();
//! let code = &file.instances[0].ucs[0];
//! assert_eq!((code.uc, code.pages.len()), (0, 2));
//! let first = page::decode_page(&code.pages[0]).unwrap();
//! assert_eq!(first.jobs[0].id, 7);
//! let write = first.jobs[0].ops[0].op;
//! assert_eq!(write, Op::Write32 { address: 0x2000, value: 5 });
//! // any bytes give a value or an error, never a panic
//! assert!(elf::read(&bytes[..100]).is_err());
//! ```
//!
//! Which job goes to which page can be asked before anything is encoded: [`pager::plan`] plans
//! all controllers.
//!
//! ```
//! use aiec_cert::isa::Op;
//! use aiec_cert::names::Target;
//! use aiec_cert::pager::{self, LayoutOptions};
//! use aiec_cert::program::{Job, Program};
//!
//! let mut program = Program::new(Target::Aie2ps, 1);
//! let main = program.group_mut(0).main_mut();
//! for id in 0..3 {
//!     let mut job = Job::new(id);
//!     for address in 0..300 {
//!         job.push(Op::Write32 { address: 4 * address, value: 0 }, None);
//!     }
//!     main.push_job(job);
//! }
//! // two of them fill a page
//! let (plans, errors) = pager::plan(&program, LayoutOptions::default());
//! assert!(errors.is_empty());
//! let jobs: Vec<usize> = plans[0].pages.iter().map(|page| page.jobs.len()).collect();
//! assert_eq!(jobs, [2, 1]);
//! ```
//!
//! [`dis::disassemble`] makes text of a file again, and a listing for programs.

pub mod asm;
pub mod bd;
pub mod binary;
pub mod check;
pub mod debug;
pub mod dis;
pub mod dump;
pub mod elf;
pub mod finding;
pub mod fix;
pub mod image;
pub mod instruction_set;
pub mod isa;
pub mod names;
pub mod page;
pub mod pager;
pub mod patch;
pub mod print;
pub mod probes;
pub mod program;
pub mod timing;
