//! Machine functions from mnemonics, and a core to run them.

use std::sync::Arc;

use aiec_aie::ir::{Module, Op};
use aiec_codegen::machine::{
    AssembledProgram, BlockId, FunctionId, MachineAccess, MachineBlock, MachineFunction,
    MachineInst, MachineOp, MachineOperand, MachineProgram, VirtualRegister, assemble,
};
use aiec_core::{
    CoreArch, CoreIsa, OperandKind, Register, RegisterFile, TextPart, immediate_range,
};
use aiec_sim::core::isa::MachineCodeCore;
use aiec_sim::core::{Attempt, CASCADE_WORDS, CoreBus, CoreMemory, CoreStop, RegisterAccess};
use smallvec::{SmallVec, smallvec};

/// Where the core sees its own memory.
pub const OWN: u32 = 0x7_0000;
/// Where programs put their data.
pub const DATA: u32 = OWN + 0x4000;

pub fn op() -> Op {
    Module::new().top()
}

pub fn v(register: VirtualRegister) -> MachineOperand {
    MachineOperand::Virtual(register)
}

pub fn physical(name: &str) -> MachineOperand {
    MachineOperand::Physical(Register::of_name(name).unwrap())
}

pub fn imm(value: i32) -> MachineOperand {
    MachineOperand::Immediate(value)
}

/// A function under construction.
pub struct Builder {
    pub isa: &'static CoreIsa,
    pub function: MachineFunction,
}

impl Builder {
    pub fn new(arch: CoreArch, name: &str) -> Builder {
        Builder {
            isa: CoreIsa::of(arch),
            function: MachineFunction {
                name: name.to_string(),
                source: op(),
                blocks: vec![MachineBlock::default()],
                registers: Vec::new(),
                slots: Vec::new(),
                arguments: Vec::new(),
            },
        }
    }

    pub fn block(&mut self) -> BlockId {
        self.function.blocks.push(MachineBlock::default());
        BlockId(self.function.blocks.len() as u32 - 1)
    }

    pub fn register(&mut self, file: RegisterFile) -> VirtualRegister {
        self.function.register(file)
    }

    fn file(&self, operand: MachineOperand) -> Option<RegisterFile> {
        match operand {
            MachineOperand::Virtual(register) => Some(self.function.registers[register.0 as usize]),
            MachineOperand::Part(_, file) | MachineOperand::Nth(_, file, _) => Some(file),
            MachineOperand::Physical(register) => Some(register.file),
            _ => None,
        }
    }

    /// The row of a mnemonic that takes these operands, which are in the order of the text. A mnemonic with
    /// `+` moves its pointer afterwards.
    pub fn row(
        &self,
        mnemonic: &str,
        operands: &[MachineOperand],
    ) -> (u16, SmallVec<[MachineOperand; 5]>) {
        let found = self
            .isa
            .instructions
            .iter()
            .enumerate()
            .find_map(|(index, row)| {
                let walks = row.memory.is_some_and(|memory| memory.mode.walks());
                if row.mnemonic != mnemonic.trim_end_matches('+')
                    || walks != mnemonic.ends_with('+')
                {
                    return None;
                }
                let mut order = Vec::new();
                for part in &row.text {
                    if let TextPart::Operand(at) = part
                        && !order.contains(at)
                    {
                        order.push(*at);
                    }
                }
                if order.len() != operands.len() {
                    return None;
                }
                let mut placed: SmallVec<[MachineOperand; 5]> = smallvec![imm(0); order.len()];
                for (at, operand) in order.iter().zip(operands) {
                    let field = &row.operands[usize::from(*at)];
                    let fits = match (field.kind, self.file(*operand)) {
                        (OperandKind::Register { class }, Some(file)) => {
                            let mut registers = self.isa.class(class).registers();
                            registers.any(|register| register.file == file)
                        }
                        (OperandKind::Immediate { sign, scale, .. }, None) => match *operand {
                            MachineOperand::Immediate(value) => {
                                let (least, most, step) =
                                    immediate_range(sign, scale, field.width());
                                (least..=most).contains(&i64::from(value))
                                    && i64::from(value) % step == 0
                            }
                            _ => field.width() >= 20,
                        },
                        _ => false,
                    };
                    if !fits {
                        return None;
                    }
                    placed[usize::from(*at)] = *operand;
                }
                Some((index as u16, placed))
            });
        found.unwrap_or_else(|| panic!("{} has no {mnemonic} {operands:?}", self.isa.arch))
    }

    pub fn step(
        &mut self,
        block: BlockId,
        op_kind: MachineOp,
        operands: &[MachineOperand],
    ) -> &mut MachineInst {
        let insts = &mut self.function.blocks[block.0 as usize].insts;
        insts.push(MachineInst {
            op: op_kind,
            operands: operands.iter().copied().collect(),
            reads: smallvec![],
            clobbers: smallvec![],
            access: None,
            source: op(),
        });
        insts.last_mut().unwrap()
    }

    pub fn inst(
        &mut self,
        block: BlockId,
        mnemonic: &str,
        operands: &[MachineOperand],
    ) -> &mut MachineInst {
        let (row, operands) = self.row(mnemonic, operands);
        self.step(block, MachineOp::Row(row), &operands)
    }

    pub fn constant(&mut self, block: BlockId, file: RegisterFile, value: u32) -> VirtualRegister {
        let register = self.register(file);
        self.inst(block, "movxm", &[v(register), imm(value as i32)]);
        register
    }

    pub fn copy(&mut self, block: BlockId, to: MachineOperand, from: MachineOperand) {
        self.step(block, MachineOp::Copy, &[to, from]);
    }

    pub fn access(&mut self, block: BlockId, object: u32, offset: Option<i64>, bytes: u32) {
        let inst = self.function.blocks[block.0 as usize]
            .insts
            .last_mut()
            .unwrap();
        inst.access = Some(MachineAccess {
            object: Some(object),
            offset,
            walk: None,
            bytes,
        });
    }

    pub fn successors(&mut self, block: BlockId, successors: &[BlockId]) {
        self.function.blocks[block.0 as usize].successors = successors.iter().copied().collect();
    }
}

/// Name of the mnemonic for signed bytes and the like differs; what all have is `lda` and `st`.
pub fn program(arch: CoreArch, functions: Vec<Builder>) -> MachineProgram {
    MachineProgram {
        arch,
        functions: functions
            .into_iter()
            .map(|builder| builder.function)
            .collect(),
        // AM025: program memory of AIE-ML cores.
        program_bytes: 0x4000,
        stack: OWN + 0x400,
        stack_bytes: 0x1000,
    }
}

pub fn call(
    builder: &mut Builder,
    block: BlockId,
    function: u32,
    arguments: &[&str],
    results: &[&str],
) {
    let of = |names: &[&str]| -> SmallVec<[Register; 4]> {
        names
            .iter()
            .map(|name| Register::of_name(name).unwrap())
            .collect()
    };
    let inst = builder.inst(
        block,
        "jl",
        &[MachineOperand::Function(FunctionId(function))],
    );
    inst.reads = of(arguments);
    inst.clobbers = of(results);
}

/// A tile with one data memory and locks that never wait.
pub struct Tile {
    pub memory: Vec<u8>,
    pub released: Vec<(u8, i8)>,
    pub stream: Vec<u32>,
}

impl Tile {
    pub fn new() -> Tile {
        Tile {
            memory: vec![0; 0x1_0000],
            released: Vec::new(),
            stream: Vec::new(),
        }
    }

    pub fn word(&self, address: u32) -> u32 {
        let at = (address - OWN) as usize;
        u32::from_le_bytes(self.memory[at..at + 4].try_into().unwrap())
    }

    pub fn set_word(&mut self, address: u32, value: u32) {
        let at = (address - OWN) as usize;
        self.memory[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
}

impl CoreBus for Tile {
    fn memory(&mut self) -> CoreMemory<'_> {
        CoreMemory {
            windows: [&mut [], &mut [], &mut [], &mut self.memory],
            window_bits: 16,
            conflicts: None,
            accesses: None,
        }
    }

    fn acquire(&mut self, _: u64, _: u8, _: i8) -> Attempt<()> {
        Attempt::Done(())
    }

    fn release(&mut self, _: u64, lock: u8, change: i8) -> Attempt<()> {
        self.released.push((lock, change));
        Attempt::Done(())
    }

    fn stream_get(&mut self, _: u64, _: u8) -> Attempt<u32> {
        Attempt::Done(0)
    }

    fn stream_put(&mut self, _: u64, _: u8, word: u32, _: bool) -> Attempt<()> {
        self.stream.push(word);
        Attempt::Done(())
    }

    fn cascade_get(&mut self, _: u64) -> Attempt<[u32; CASCADE_WORDS]> {
        Attempt::Later
    }

    fn cascade_put(&mut self, _: u64, _: &[u32; CASCADE_WORDS]) -> Attempt<()> {
        Attempt::Done(())
    }

    fn event(&mut self, _: u64, _: u8) {}

    fn register(&mut self, _: u64, _: RegisterAccess) -> Attempt<u32> {
        Attempt::Done(0)
    }
}

pub fn listing(arch: CoreArch, bytes: &[u8]) -> String {
    let isa = CoreIsa::of(arch);
    let mut text = String::new();
    let mut at = 0;
    while at < bytes.len() {
        let Ok(bundle) = isa.decode(&bytes[at..]) else {
            text += &format!("{at:#x}: ?\n");
            break;
        };
        text += &format!("{at:#x}: {}\n", isa.bundle_text(&bundle));
        at += usize::from(bundle.length);
    }
    text
}

/// Assembles a program and runs it, strictly except for the reads of old values that it lists;
/// returns it and the bundles that it executed.
pub fn run(program: &MachineProgram, tile: &mut Tile) -> (AssembledProgram, u64) {
    let assembled = assemble(program).unwrap_or_else(|error| panic!("{error}"));
    if std::env::var_os("AIEC_TEST_LISTING").is_some() {
        println!("{}", listing(program.arch, &assembled.bytes));
    }
    let code: Arc<[u8]> = Arc::from(assembled.bytes.clone());
    let mut core = MachineCodeCore::new(program.arch, code, true);
    core.allow_old_reads(&assembled.old_reads);
    match core.run(tile, 1_000_000).stop {
        CoreStop::Done => {}
        stop => panic!(
            "{}: {stop:?} at {:#x}\n{}",
            program.arch,
            core.pc(),
            listing(program.arch, &assembled.bytes)
        ),
    }
    let bundles = core.bundles();
    (assembled, bundles)
}
