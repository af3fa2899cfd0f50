//! Passes on the netlist: from a verified design to control code, with the router and the
//! allocators.
//!
//! A folder is a stage, in the order of a compilation; each folder's page says what it leaves:
//!
//! | folder | what it does |
//! | --- | --- |
//! | [`infra`], [`analysis`] | what passes are made with; facts that several stages need |
//! | [`simplify`], [`place`] | canonical forms; coordinates of tiles |
//! | [`trace`] | trace requests to register fields and flows |
//! | [`objectfifo`] | object fifos to buffers, locks, DMA programs and flows |
//! | [`allocate`] | numbers of locks and descriptors, addresses of buffers |
//! | [`flows`], [`control_packets`], [`route`] | streams, control packets, the router |
//! | [`configure`], [`sequence`] | netlist and runtime sequence to ordered register operations |
//! | [`regops`], [`reconfigure`], [`jobs`] | register operations with locations; loads of several devices; jobs and pages of control code |
//! | [`mlir_aie_compat`] | passes that only mlir-aie's pipelines run |
//!
//! [`pipelines`] lists all passes. Each pass is one file (or folder) with a `PASS` declaration that
//! states its postconditions. Passes know the IR, the device model and the control code vocabulary;
//! they open no files, print nothing, and know nothing of the simulator. They report through
//! [`aiec_diag::Diags`].

pub mod allocate;
pub mod analysis;
pub mod configure;
pub mod control_packets;
pub mod flows;
pub mod infra;
pub mod jobs;
pub mod mlir_aie_compat;
pub mod objectfifo;
pub mod pipelines;
pub mod place;
pub mod reconfigure;
pub mod regops;
pub mod route;
pub mod sequence;
pub mod simplify;
pub mod throughput;
pub mod trace;
