//! lit: runs test files whose `RUN:` lines say how.
//!
//! A test file says in comments what is to be run on it; every `RUN:` line must succeed:
//!
//! ```text
//! // RUN: aiec opt --aie-assign-lock-ids %s | FileCheck %s
//! // RUN: not aiec opt %S/Inputs/bad.mlir -o %t 2>&1 | FileCheck %s --check-prefix=ERROR
//! ```
//!
//! * [`script`] reads the lines (`RUN:`, `REQUIRES:`, `UNSUPPORTED:`, `XFAIL:`) and substitutes
//!   `%s` (the file), `%S` and `%p` (its folder), `%t` (a path for temporary files, unique to the
//!   test), `%T` (an existing folder for them), `%{root}` (the repository), `%%`;
//! * [`shell`] splits them into commands: pipes, `>`, `>>`, `<`, `2>`, `2>&1`, `&&`, `||`, `;`,
//!   quotes; a line ending in `\` continues on the next `RUN:` line;
//! * [`tools`] are the commands. All run in this process, `aiec` too ([`aiec::run`]), so that
//!   a suite needs no shell and no installed program, and a panic is a failure of its test.
//!
//! LLVM's `lit` runs the same files when it knows `aiec` and `%{root}`.

pub mod script;
pub mod shell;
pub mod stream;
pub mod suite;
pub mod tools;
