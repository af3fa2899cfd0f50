//! The interpreter.

use aiec_device::core_program::{
    CoreProgram, DecodeError, Function, Instruction, MemoryType, Opcode, WINDOW_LANES,
    WINDOW_REGISTERS,
};

use super::bus::{Attempt, CoreBus, CoreFault, CoreMemory, CoreStop, CoreWait};
use super::cost::{COST, copy_extra};
use super::lanes::{self, Lanes};
use super::memory::{no_memory, pack_lanes, unpack_lanes};
use super::scalar::pure;

/// Scalar registers of all frames together.
const REGISTER_FILE: usize = 16 * WINDOW_REGISTERS;
/// Lanes of all frames together.
const LANE_FILE: usize = 2 * WINDOW_LANES;

/// A core with its program.
#[derive(Clone, Debug)]
pub struct CoreMachine {
    code: Box<[Instruction]>,
    functions: Box<[Function]>,
    kernels: Box<[String]>,
    registers: Vec<u64>,
    /// Empty for programs without vectors.
    lanes: Vec<u64>,
    frame: Frame,
    callers: Vec<Frame>,
}

/// Where a function is: its next instruction and its windows.
#[derive(Clone, Copy, Debug, Default)]
struct Frame {
    pc: usize,
    base: usize,
    lane_base: usize,
}

/// How a run went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreRun {
    /// Why it ended.
    pub stop: CoreStop,
    /// Cycles it took.
    pub cycles: u64,
}

/// Why the inner loop hands over.
enum Pause {
    /// An operation that needs the bus, at the current instruction.
    Bus(Instruction),
    Stop(CoreStop),
}

impl CoreMachine {
    /// Decodes the program in program memory and puts the core at its start.
    ///
    /// # Errors
    /// The words are not a core program.
    pub fn load(words: &[u32]) -> Result<CoreMachine, DecodeError> {
        Ok(Self::new(CoreProgram::decode(words)?))
    }

    fn new(program: CoreProgram) -> CoreMachine {
        let vectors = program
            .functions
            .iter()
            .any(|function| function.granules > 0);
        let mut machine = CoreMachine {
            code: program.code.into(),
            functions: program.functions.into(),
            kernels: program.kernels.into(),
            registers: vec![0; REGISTER_FILE],
            lanes: vec![0; if vectors { LANE_FILE } else { WINDOW_LANES }],
            frame: Frame::default(),
            callers: Vec::new(),
        };
        machine.reset();
        machine
    }

    /// Puts the core back at the start of its program.
    pub fn reset(&mut self) {
        self.registers.fill(0);
        self.lanes.fill(0);
        self.callers.clear();
        let entry = self
            .functions
            .first()
            .map_or(0, |function| function.entry as usize);
        self.frame = Frame {
            pc: entry,
            base: 0,
            lane_base: 0,
        };
    }

    /// The number of the instruction that comes next.
    pub fn position(&self) -> u32 {
        self.frame.pc as u32
    }

    /// Runs until the core waits, ends, fails, or has used `budget` cycles (checked where it
    /// branches). A core that has ended or failed stays so until [`CoreMachine::reset`].
    pub fn run<B: CoreBus + ?Sized>(&mut self, bus: &mut B, budget: u64) -> CoreRun {
        let mut cycles = 0;
        loop {
            let pause = self.execute(&mut bus.memory(), &mut cycles, budget);
            let stop = match pause {
                Pause::Stop(stop) => Some(stop),
                Pause::Bus(instruction) => match self.on_bus(instruction, cycles, bus) {
                    Ok(spent) => {
                        cycles += spent;
                        self.frame.pc += 1;
                        None
                    }
                    Err(stop) => Some(stop),
                },
            };
            if let Some(stop) = stop {
                return CoreRun { stop, cycles };
            }
        }
    }

    /// Performs an operation on the bus; answers its cycles.
    fn on_bus<B: CoreBus + ?Sized>(
        &mut self,
        instruction: Instruction,
        elapsed: u64,
        bus: &mut B,
    ) -> Result<u64, CoreStop> {
        let Instruction { op, a, b, c, imm } = instruction;
        let base = self.frame.base;
        let spent = u64::from(COST[usize::from(op.code())]);
        let waits = |wait| Err(CoreStop::Waiting(wait));
        match op {
            Opcode::Acquire => {
                let operand = b as i8;
                if bus.acquire(elapsed, a, operand) == Attempt::Later {
                    return waits(CoreWait::Acquire { lock: a, operand });
                }
            }
            Opcode::Release => {
                let change = b as i8;
                if bus.release(elapsed, a, change) == Attempt::Later {
                    return waits(CoreWait::Release { lock: a, change });
                }
            }
            Opcode::StreamGet => match bus.stream_get(elapsed, b) {
                Attempt::Done(word) => self.set(base, a, word as i32 as i64 as u64),
                Attempt::Later => return waits(CoreWait::StreamGet { channel: b }),
            },
            Opcode::StreamPut => {
                let word = self.get(base, a) as u32;
                if bus.stream_put(elapsed, b, word, c != 0) == Attempt::Later {
                    return waits(CoreWait::StreamPut { channel: b });
                }
            }
            Opcode::CascadeGet => match bus.cascade_get(elapsed) {
                Attempt::Done(words) => {
                    unpack_lanes(memory_type(b), &words, self.vector_mut(a, c));
                }
                Attempt::Later => return waits(CoreWait::CascadeGet),
            },
            Opcode::CascadePut => {
                let words = pack_lanes(memory_type(b), self.vector_mut(a, c));
                if bus.cascade_put(elapsed, &words) == Attempt::Later {
                    return waits(CoreWait::CascadePut);
                }
            }
            Opcode::Event => bus.event(elapsed, a),
            Opcode::CallKernel => {
                let first = base + usize::from(a);
                let arguments = self.registers.get(first..first + usize::from(b));
                let name = self.kernels.get(imm as usize).map_or("", String::as_str);
                let call = bus
                    .call_kernel(name, arguments.unwrap_or_default())
                    .map_err(CoreStop::Fault)?;
                self.set(base, a, call.result);
                return Ok(spent + call.cycles);
            }
            // The inner loop does the others itself.
            _ => {}
        }
        Ok(spent)
    }

    fn get(&self, base: usize, register: u8) -> u64 {
        self.registers
            .get(base + usize::from(register))
            .copied()
            .unwrap_or(0)
    }

    fn set(&mut self, base: usize, register: u8, value: u64) {
        if let Some(slot) = self.registers.get_mut(base + usize::from(register)) {
            *slot = value;
        }
    }

    /// The lanes of a vector.
    fn vector_mut(&mut self, register: u8, count: u8) -> &mut [u64] {
        let first = self.frame.lane_base + lanes::first(register);
        self.lanes
            .get_mut(first..first + lanes::count(count))
            .unwrap_or_default()
    }

    /// Executes until something needs the bus or the run ends. Operations on the bus are left at
    /// `self.frame.pc`, with their cycles not yet counted.
    fn execute(&mut self, memory: &mut CoreMemory<'_>, cycles: &mut u64, budget: u64) -> Pause {
        use Opcode::*;
        let code = &self.code[..];
        let file = &mut self.registers[..];
        let lane_file = &mut self.lanes[..];
        let mut frame = self.frame;
        let (Some(mut r), Some(mut v)) = (
            window(file, frame.base),
            lane_window(lane_file, frame.lane_base),
        ) else {
            return Pause::Stop(CoreStop::Fault(CoreFault::CallDepth));
        };
        let mut spent = *cycles;
        let pause = loop {
            // The decoder has checked every way to an instruction.
            let Some(&instruction) = code.get(frame.pc) else {
                break Pause::Stop(CoreStop::Done);
            };
            let Instruction { op, a, b, c, imm } = instruction;
            let (ra, rb, rc) = (usize::from(a), usize::from(b), usize::from(c));
            let mut taken = None;
            match op {
                Li => r[ra] = imm as i32 as i64 as u64,
                Lih => r[ra] = u64::from(imm) << 32 | (r[ra] & 0xFFFF_FFFF),
                Addi32 => r[ra] = (r[rb] as i32).wrapping_add(imm as i32) as i64 as u64,
                Addi64 => r[ra] = r[rb].wrapping_add_signed(imm as i32 as i64),
                Muli32 => r[ra] = (r[rb] as i32).wrapping_mul(imm as i32) as i64 as u64,
                Muli64 => r[ra] = (r[rb] as i64).wrapping_mul(imm as i32 as i64) as u64,
                Andi => r[ra] = r[rb] & imm as i32 as i64 as u64,
                Ori => r[ra] = r[rb] | imm as i32 as i64 as u64,
                Xori => r[ra] = r[rb] ^ imm as i32 as i64 as u64,
                Jmp => taken = Some(imm),
                Jnz => taken = (r[ra] != 0).then_some(imm),
                Jz => taken = (r[ra] == 0).then_some(imm),
                Beq => taken = (r[ra] == r[rb]).then_some(imm),
                Bne => taken = (r[ra] != r[rb]).then_some(imm),
                Blts => taken = ((r[ra] as i64) < r[rb] as i64).then_some(imm),
                Bles => taken = (r[ra] as i64 <= r[rb] as i64).then_some(imm),
                Bltu => taken = (r[ra] < r[rb]).then_some(imm),
                Bleu => taken = (r[ra] <= r[rb]).then_some(imm),
                Loop => {
                    r[ra] = r[ra].wrapping_add(r[rb]);
                    taken = ((r[ra] as i64) < r[rc] as i64).then_some(imm);
                }
                Loopi => {
                    r[ra] = r[ra].wrapping_add(b.into());
                    taken = ((r[ra] as i64) < r[rc] as i64).then_some(imm);
                }
                Call => {
                    let entry = self
                        .functions
                        .get(imm as usize)
                        .map_or(0, |function| function.entry);
                    let mut callee = frame;
                    callee.pc = entry as usize;
                    callee.base += ra;
                    callee.lane_base += lanes::first(b);
                    let windows = (
                        window(file, callee.base),
                        lane_window(lane_file, callee.lane_base),
                    );
                    let (Some(registers), Some(lanes)) = windows else {
                        break Pause::Stop(CoreStop::Fault(CoreFault::CallDepth));
                    };
                    (r, v) = (registers, lanes);
                    frame.pc += 1;
                    self.callers.push(frame);
                    if self.callers.len() > CALL_DEPTH {
                        break Pause::Stop(CoreStop::Fault(CoreFault::CallDepth));
                    }
                    frame = callee;
                    spent += u64::from(COST[usize::from(op.code())]);
                    continue;
                }
                Ret => {
                    let Some(caller) = self.callers.pop() else {
                        break Pause::Stop(CoreStop::Done);
                    };
                    frame = caller;
                    let windows = (
                        window(file, frame.base),
                        lane_window(lane_file, frame.lane_base),
                    );
                    let (Some(registers), Some(lanes)) = windows else {
                        break Pause::Stop(CoreStop::Fault(CoreFault::CallDepth));
                    };
                    (r, v) = (registers, lanes);
                    spent += u64::from(COST[usize::from(op.code())]);
                    continue;
                }
                End => break Pause::Stop(CoreStop::Done),
                Trap => break Pause::Stop(CoreStop::Fault(CoreFault::Trap { code: imm })),
                Acquire | Release | StreamGet | StreamPut | CascadeGet | CascadePut | Event
                | CallKernel => break Pause::Bus(instruction),
                LdAbs | LdBase | LdIdx | LdBaseIdx => {
                    let kind = access_type(imm);
                    let address = address(op, imm, r[rb], r[rc], kind);
                    match memory.load(kind, address) {
                        Some(value) => r[ra] = value,
                        None => break Pause::Stop(CoreStop::Fault(no_memory(address))),
                    }
                }
                StAbs | StBase | StIdx | StBaseIdx => {
                    let kind = access_type(imm);
                    let address = address(op, imm, r[rb], r[rc], kind);
                    if memory.store(kind, address, r[ra]).is_none() {
                        break Pause::Stop(CoreStop::Fault(no_memory(address)));
                    }
                }
                Copy => {
                    if memory.copy(r[ra], r[rb], imm as usize).is_none() {
                        break Pause::Stop(CoreStop::Fault(no_memory(r[rb])));
                    }
                    spent += copy_extra(imm);
                }
                VLd | VSt | VMap | VReduce | VSplat | VExtract | VExtractAt | VInsert
                | VInsertAt | VCopy => match vector(instruction, memory, r, v) {
                    Ok(extra) => spent += extra,
                    Err(fault) => break Pause::Stop(CoreStop::Fault(fault)),
                },
                _ => {
                    let fourth = r[(imm & 0xFF) as usize];
                    match pure(op, r[rb], r[rc], fourth, c, imm as u8) {
                        Some(value) => r[ra] = value,
                        None => break Pause::Stop(CoreStop::Fault(CoreFault::DivisionByZero)),
                    }
                }
            }
            spent += u64::from(COST[usize::from(op.code())]);
            match taken {
                None => frame.pc += 1,
                Some(target) => {
                    frame.pc = target as usize;
                    if spent >= budget {
                        break Pause::Stop(CoreStop::Budget);
                    }
                }
            }
        };
        self.frame = frame;
        *cycles = spent;
        pause
    }
}

/// Calls inside calls that a core can make.
const CALL_DEPTH: usize = 256;

/// A vector operation; answers its extra cycles.
fn vector(
    instruction: Instruction,
    memory: &mut CoreMemory<'_>,
    r: &mut [u64; WINDOW_REGISTERS],
    v: &mut Lanes,
) -> Result<u64, CoreFault> {
    let Instruction { op, a, b, c, imm } = instruction;
    let (ra, rb, rc) = (usize::from(a), usize::from(b), usize::from(c));
    match op {
        Opcode::VLd | Opcode::VSt => {
            let address = r[rb].wrapping_add_signed(offset(imm));
            return lanes::access(instruction, address, memory, v);
        }
        Opcode::VMap => return lanes::map(instruction, v),
        Opcode::VReduce => {
            let (value, extra) = lanes::reduce(instruction, r[rc], v)?;
            r[ra] = value;
            return Ok(extra);
        }
        Opcode::VSplat => lanes::splat(instruction, r[rb], v),
        Opcode::VExtract => r[ra] = lanes::extract(b, imm as usize, v),
        Opcode::VExtractAt => {
            let lane = lanes::checked_lane(r[rc], imm)?;
            r[ra] = lanes::extract(b, lane, v);
        }
        Opcode::VInsert => lanes::insert(a, imm as usize, r[rb], v),
        Opcode::VInsertAt => {
            let lane = lanes::checked_lane(r[rc], imm)?;
            lanes::insert(a, lane, r[rb], v);
        }
        // VCopy; there are no others.
        _ => lanes::copy(instruction, v),
    }
    Ok(0)
}

fn window(file: &mut [u64], base: usize) -> Option<&mut [u64; WINDOW_REGISTERS]> {
    file.get_mut(base..)?.first_chunk_mut()
}

fn lane_window(file: &mut [u64], base: usize) -> Option<&mut Lanes> {
    file.get_mut(base..)?.first_chunk_mut()
}

/// The type in a memory immediate, which the decoder has checked.
#[inline(always)]
fn access_type(imm: u32) -> MemoryType {
    memory_type((imm >> 28) as u8)
}

#[inline(always)]
fn memory_type(code: u8) -> MemoryType {
    match code {
        0 => MemoryType::I1,
        1 => MemoryType::I8,
        2 => MemoryType::I16,
        3 => MemoryType::I32,
        4 => MemoryType::I64,
        5 => MemoryType::Bf16,
        6 => MemoryType::F16,
        7 => MemoryType::F32,
        _ => MemoryType::F64,
    }
}

#[inline(always)]
fn offset(imm: u32) -> i64 {
    i64::from((imm << 4) as i32 >> 4)
}

/// The address of a scalar access, given the values of the registers b and c.
#[inline(always)]
fn address(op: Opcode, imm: u32, b: u64, c: u64, kind: MemoryType) -> u64 {
    let size = u64::from(kind.bytes());
    let base = match op {
        Opcode::LdBase | Opcode::StBase => b,
        Opcode::LdIdx | Opcode::StIdx => b.wrapping_mul(size),
        Opcode::LdBaseIdx | Opcode::StBaseIdx => b.wrapping_add(c.wrapping_mul(size)),
        _ => 0,
    };
    base.wrapping_add_signed(offset(imm))
}
