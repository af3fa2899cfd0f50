//! Files that the drivers of Ryzen AI load (npu1, npu2): transactions, configurations (CDO), PDIs,
//! xclbin and ELF files, control packets. Readers, writers and text forms; nothing is executed here.
//!
//! | module | file | holds |
//! |---|---|---|
//! | [`txn`] | `insts.bin`, `insts.txt` | the register program of a runtime sequence |
//! | [`cdo`] | `*_aie_cdo_*.bin` | the configuration of the array, a list of commands |
//! | [`pdi`] | `*.pdi` | one image with one partition of commands |
//! | [`xclbin`] | `*.xclbin` | PDIs and the signatures of kernels |
//! | [`elf`] | `insts.elf`, `aie.elf` | transactions, with or without PDIs, and what the host patches |
//! | [`control_packet`] | `ctrlpkt.bin` | stream data that write registers |
//!
//! All readers are total: any bytes give a value or a finding with an offset.

mod bytes;
pub mod cdo;
pub mod codes;
pub mod control_packet;
pub mod elf;
pub mod pdi;
pub mod txn;
pub mod xclbin;

pub use bytes::{word_bytes, words};
