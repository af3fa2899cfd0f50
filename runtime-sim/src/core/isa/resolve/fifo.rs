//! Load and store fifos.

use aiec_core::{AddressMode, Register, RegisterFile};

use super::Resolver;
use crate::core::isa::fifo::{FifoOp, Pop, Push, PushSource};
use crate::core::isa::op::{Op, Source, WalkMode};
use crate::core::isa::registers::{block_vector, load_fifo};

impl Resolver<'_> {
    /// Loads into and from load fifos, stores through the store fifo.
    pub(super) fn fifo(&self) -> Option<Op> {
        let op = match self.parts.as_slice() {
            ["vlda" | "vldb", "fill", ..] => FifoOp::Fill(load_fifo(self.register(&["fifo"])?)?),
            ["vlda" | "vldb", "pop", ..] => FifoOp::Pop(self.pop(false)?),
            ["vlda" | "vldb", "popx", ..] => FifoOp::Pop(self.pop(true)?),
            ["vst", "push", width, rest @ ..] => FifoOp::Push(Push {
                bytes: vector_bytes(width)?,
                source: self.pushed(rest)?,
                seen: self.seen(),
            }),
            ["vst", "flush", ..] => FifoOp::Flush {
                walk: self.fifo_walk()?,
                seen: self.seen(),
            },
            _ => return None,
        };
        Some(Op::Fifo(op))
    }

    /// Walk of a fifo's pointer after the access: none, unless there is a modifier.
    fn fifo_walk(&self) -> Option<Option<WalkMode>> {
        let Some(modifier) = self.register(&["mod"]) else {
            return Some(None);
        };
        let mode = match self.row.memory?.mode {
            AddressMode::Post2D => WalkMode::Post2D(modifier.number),
            AddressMode::Post3D => WalkMode::Post3D(modifier.number),
            _ => WalkMode::Post(Source::Register(self.scalar(&["mod"])?)),
        };
        Some(Some(mode))
    }

    fn pop(&self, window: bool) -> Option<Pop> {
        let register = self.register(&["dst"])?;
        let (d, exponents) = match register.file {
            RegisterFile::Ex => {
                let (d, exponents) = self.written_blocks(&["dst"])?;
                (d, Some(exponents))
            }
            _ => (self.write(&["dst"])?, None),
        };
        // AIE2PS leaves the width to the register.
        let bytes = match self.parts.get(2) {
            None | Some(&"2d" | &"3d") if exponents.is_some() => 72,
            None | Some(&"2d" | &"3d") => 64,
            Some(width) => vector_bytes(width)?,
        };
        Some(Pop {
            fifo: load_fifo(self.register(&["fifo"])?)?,
            bytes,
            d,
            exponents,
            walk: self.fifo_walk()?,
            window,
            flag_latency: self.implicit_latency(Register::control("srFifo_uf")?),
        })
    }

    fn pushed(&self, rest: &[&str]) -> Option<PushSource> {
        let register = self.register(&["src"])?;
        match rest {
            [] => Some(match block_vector(register) {
                Some((vector, exponents)) => PushSource::Vector(vector, Some(exponents)),
                None => PushSource::Vector(self.vector(&["src"])?, None),
            }),
            ["conv", "bfp16ebs8", "fp32"] => Some(PushSource::Quantized(self.vector(&["src"])?, 8)),
            ["conv", "bfp16ebs16", "fp32"] => {
                Some(PushSource::Quantized(self.vector(&["src"])?, 16))
            }
            _ => None,
        }
    }
}

/// Bytes of a vector of fifos by its width in bits. Those with sparsity masks have no model.
fn vector_bytes(width: &str) -> Option<u8> {
    match width {
        "512" => Some(64),
        "544" => Some(68),
        "576" => Some(72),
        _ => None,
    }
}
