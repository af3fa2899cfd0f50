//! A plain model of a core: one instruction after another, registers by name, results that land
//! some bundles later. It shares no code with the engine.

use std::collections::HashMap;

/// A result on its way to a register.
#[derive(Clone, Debug)]
pub struct Pending {
    lands: u64,
    register: String,
    bytes: Vec<u8>,
    forwards: bool,
}

/// Effect of an instruction when it is issued.
#[derive(Clone, Debug)]
pub enum Effect {
    /// Register, value, latency, whether vector operations of the move slot get it a bundle early.
    Write(String, Vec<u8>, u64, bool),
    Store(u32, Vec<u8>),
    /// The branch is taken.
    Branch,
}

/// A core between two bundles.
#[derive(Clone, Debug, Default)]
pub struct Reference {
    pub now: u64,
    registers: HashMap<String, Vec<u8>>,
    pending: Vec<Pending>,
    pub memory: Vec<u8>,
}

/// Bits of a scalar register that are kept.
fn mask(register: &str) -> u32 {
    match register.as_bytes()[0] {
        b'r' => u32::MAX,
        b's' if register != "srCarry" => 0x3F,
        b'p' | b'm' | b'd' => 0xF_FFFF,
        _ => u32::MAX,
    }
}

impl Reference {
    /// A register of `length` bytes; 0 if it was never written.
    fn bytes(&self, register: &str, length: usize) -> Vec<u8> {
        let value = self.registers.get(register).cloned();
        value.unwrap_or_else(|| vec![0; length])
    }

    /// A scalar register.
    pub fn scalar(&self, register: &str) -> u32 {
        u32::from_le_bytes(self.bytes(register, 4).try_into().unwrap())
    }

    /// Half of a vector; operations of the move slot see each other's results a bundle early.
    fn half(&self, register: &str, forwarded: bool) -> Vec<u8> {
        let mut early = self
            .pending
            .iter()
            .filter(|pending| forwarded && pending.forwards && pending.lands == self.now + 1);
        let newest = early.rfind(|pending| pending.register == register);
        newest.map_or_else(|| self.bytes(register, 32), |pending| pending.bytes.clone())
    }

    /// A vector of 512 bits.
    pub fn vector(&self, number: usize, forwarded: bool) -> Vec<u8> {
        let mut bytes = self.half(&format!("wl{number}"), forwarded);
        bytes.extend(self.half(&format!("wh{number}"), forwarded));
        bytes
    }

    /// An accumulator of 512 bits, by its quarters.
    pub fn accumulator(&self, low: &str, high: &str) -> Vec<u8> {
        let mut bytes = self.bytes(low, 32);
        bytes.extend(self.bytes(high, 32));
        bytes
    }

    pub fn load(&self, address: u32, bytes: usize) -> Vec<u8> {
        let at = (address & 0xFFFF) as usize;
        self.memory[at..at + bytes].to_vec()
    }

    /// Does what a bundle's instructions do; whether a branch is taken.
    pub fn apply(&mut self, effects: Vec<Effect>) -> bool {
        let mut branches = false;
        for effect in effects {
            match effect {
                Effect::Write(register, mut bytes, latency, forwards) => {
                    if bytes.len() == 4 {
                        let value = u32::from_le_bytes(bytes.clone().try_into().unwrap());
                        bytes = (value & mask(&register)).to_le_bytes().to_vec();
                    }
                    self.pending.push(Pending {
                        lands: self.now + latency,
                        register,
                        bytes,
                        forwards,
                    });
                }
                Effect::Store(address, bytes) => {
                    let at = (address & 0xFFFF) as usize;
                    self.memory[at..at + bytes.len()].copy_from_slice(&bytes);
                }
                Effect::Branch => branches = true,
            }
        }
        branches
    }

    /// Goes on to the next bundle. Of two results to one register the one that lands later stays:
    /// Peano's `gemm-256-1col` of tibrezus/xdna-npu-toolkit, exact on Phoenix, depends on it.
    pub fn step(&mut self) {
        self.now += 1;
        let mut landing: Vec<Pending> = Vec::new();
        let now = self.now;
        self.pending.retain(|pending| {
            let lands = pending.lands <= now;
            if lands {
                landing.push(pending.clone());
            }
            !lands
        });
        for pending in landing {
            self.registers.insert(pending.register, pending.bytes);
        }
    }
}
