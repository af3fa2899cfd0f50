//! Files of Ryzen AI of any bytes: readers never panic, and what they read is written and read again.
#![no_main]

use aiec_npu::cdo::Cdo;
use aiec_npu::txn::{self, Transaction};
use aiec_npu::xclbin::{NpuXclbin, Xclbin};
use aiec_npu::{control_packet, elf, pdi};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(read) = Transaction::read(bytes) {
        assert_eq!(Transaction::read(&read.write()), Ok(read.clone()));
        let _ = txn::parse(&txn::print(&read), Default::default());
    }
    if let Ok(read) = Cdo::read(bytes) {
        assert_eq!(Cdo::read(&read.write()), Ok(read));
    }
    if let Ok(read) = pdi::read(bytes) {
        assert_eq!(pdi::read(&pdi::write(&read)), Ok(read));
    }
    if let Ok(read) = Xclbin::read(bytes) {
        let _ = NpuXclbin::from_sections(&read);
    }
    let _ = control_packet::read(bytes);
    let _ = elf::read(bytes);
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = txn::parse(text, Default::default());
    }
});
