//! The interpreter.

mod bus;

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use aiec_device::{Arch, TileLoc};
use aiec_vcode::{DecodeError, Function, Instruction, Opcode, WINDOW_LANES, WINDOW_REGISTERS};

use super::bound::BoundCore;
use super::bus::{CoreBus, CoreFault, CoreMemory, CoreStop};
use super::cost::{Costs, copy_extra};
use super::engine::{CoreEngine, Interpreter, LoadedProgram};
use super::immediate::{access_type, address, is_i32, offset, size};
use super::kernels::{Bound, Kernels, NoKernel, WaitingCall};
use super::lanes::{self, Lanes};
use super::loop_body::{LoopBody, LoopEnd};
use super::memory::no_memory;
use super::scalar::pure;
use super::scopes::ScopeLog;
use super::watch::{CoreProfile, Watch};

/// Scalar registers of all frames together.
const REGISTER_FILE: usize = 16 * WINDOW_REGISTERS;
/// Lanes of all frames together.
const LANE_FILE: usize = 2 * WINDOW_LANES;

/// A core with its program.
#[derive(Debug)]
pub struct CoreMachine {
    code: Box<[Instruction]>,
    /// Loops by the instruction that closes them; empty if each instruction is to be looked at.
    loops: Box<[Option<Box<LoopBody>>]>,
    functions: Box<[Function]>,
    kernels: Box<[Bound]>,
    costs: Arc<Costs>,
    registers: Vec<u64>,
    /// Empty for programs without vectors.
    lanes: Vec<u64>,
    frame: Frame,
    callers: Vec<Frame>,
    /// The kernel called by the next instruction is at work and wants the cascade.
    unfinished: Option<WaitingCall>,
    /// Who observes it.
    watch: Option<Box<Watch>>,
}

/// What cores get besides their programs.
#[derive(Clone, Debug)]
pub struct CoreSettings {
    /// What they can call.
    pub kernels: Kernels,
    /// Who executes them.
    pub engine: Rc<dyn CoreEngine>,
    /// What operations cost.
    pub(crate) costs: Arc<Costs>,
    /// Machine code that depends on latencies, alignment or missing memory is a fault.
    pub strict: bool,
    /// Instructions are executed one by one, not in loops: slower, with the same outcome.
    pub singly: bool,
    /// Cores that don't execute what is in their program memory.
    pub bound: BTreeMap<TileLoc, BoundCore>,
}

impl Default for CoreSettings {
    fn default() -> CoreSettings {
        CoreSettings::new(Kernels::default())
    }
}

impl CoreSettings {
    /// With the kernels and the cycles that the user named, and the built-in engine.
    pub fn new(kernels: Kernels) -> CoreSettings {
        let costs = kernels.costs();
        CoreSettings {
            kernels,
            engine: Rc::new(Interpreter),
            costs,
            strict: false,
            singly: false,
            bound: BTreeMap::new(),
        }
    }
}

/// Why a core can't start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// Program memory holds no program.
    #[error(transparent)]
    Program(#[from] DecodeError),
    /// The program calls functions that have no body.
    #[error("it calls functions that can't run")]
    NoKernels(Vec<NoKernel>),
    /// The engine can't execute the program.
    #[error("{0}")]
    Engine(String),
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
    /// Decodes the program in program memory, finds the kernels that it calls, and puts the core
    /// at its start.
    ///
    /// # Errors
    /// The words are not a core program, or kernels have no body.
    pub fn load(words: &[u32], arch: Arch, cores: &CoreSettings) -> Result<CoreMachine, LoadError> {
        Ok(Self::new(LoadedProgram::load(words, arch, cores)?))
    }

    /// A core at the start of a program.
    pub fn new(loaded: LoadedProgram) -> CoreMachine {
        let LoadedProgram {
            program,
            kernels,
            costs,
            singly,
            ..
        } = loaded;
        let vectors = program
            .functions
            .iter()
            .any(|function| function.granules > 0);
        let mut machine = CoreMachine {
            loops: if singly {
                Box::default()
            } else {
                LoopBody::all(&program.code, &costs)
            },
            code: program.code.into(),
            functions: program.functions.into(),
            kernels,
            costs,
            registers: vec![0; REGISTER_FILE],
            lanes: vec![0; if vectors { LANE_FILE } else { WINDOW_LANES }],
            frame: Frame::default(),
            callers: Vec::new(),
            unfinished: None,
            watch: None,
        };
        machine.reset();
        machine
    }

    /// Puts the core back at the start of its program.
    pub fn reset(&mut self) {
        self.registers.fill(0);
        self.lanes.fill(0);
        self.callers.clear();
        self.unfinished = None;
        // The decoder lets no program pass that has no function.
        self.frame = Frame {
            pc: self.functions[0].entry as usize,
            base: 0,
            lane_base: 0,
        };
    }

    /// The number of the instruction that comes next.
    pub fn position(&self) -> u32 {
        self.frame.pc as u32
    }

    /// The numbers of the calls that the core is in, the innermost first.
    pub fn calls(&self) -> Vec<u32> {
        let callers = self.callers.iter().rev();
        callers
            .map(|caller| caller.pc.saturating_sub(1) as u32)
            .collect()
    }

    /// Counts cycles by instruction from the start of the program on, and stops in front of some. With the loops of
    /// the program its calls and loops are recorded.
    pub fn watch(&mut self, stops: &[u32], loops: Option<&[Range<u32>]>) {
        self.watch = Some(Box::new(Watch::new(stops, loops)));
    }

    /// Its calls and loops, if they are recorded.
    pub fn scopes(&mut self) -> Option<&mut ScopeLog> {
        self.watch.as_mut()?.scopes.as_mut()
    }

    /// Cycles by instruction, if they are counted.
    pub fn profile(&self) -> Option<&CoreProfile> {
        self.watch.as_ref().map(|watch| watch.profile())
    }

    /// The core has waited for so many cycles at the instruction that comes next.
    pub fn stalled(&mut self, cycles: u64) {
        if let Some(watch) = &mut self.watch {
            watch.stalled(self.frame.pc, cycles);
        }
    }

    /// Runs until the core waits, ends, fails, or has used `budget` cycles (checked where it
    /// branches). A core that has ended or failed stays so until [`CoreMachine::reset`].
    pub fn run<B: CoreBus + ?Sized>(&mut self, bus: &mut B, budget: u64) -> CoreRun {
        let mut cycles = 0;
        loop {
            let pause = match self.watch {
                None => self.execute::<false>(&mut bus.memory(), &mut cycles, budget),
                Some(_) => self.execute::<true>(&mut bus.memory(), &mut cycles, budget),
            };
            let stop = match pause {
                Pause::Stop(stop) => Some(stop),
                Pause::Bus(instruction) => {
                    let done = match instruction.op {
                        Opcode::CallKernel => self.call_kernel(instruction, &mut cycles, bus),
                        _ => self
                            .on_bus(instruction, cycles, bus)
                            .map(|()| cycles += self.costs.of(instruction.op)),
                    };
                    self.frame.pc += usize::from(done.is_ok());
                    done.err()
                }
            };
            if let Some(stop) = stop {
                if let Some(watch) = &mut self.watch {
                    let stays = matches!(stop, CoreStop::Waiting(_) | CoreStop::Break);
                    watch.end_run(self.frame.pc, cycles, stays);
                }
                return CoreRun { stop, cycles };
            }
        }
    }

    /// A register of the function whose window begins at `base`; a call goes on only with a whole
    /// window ([`windows`]).
    fn get(&self, base: usize, register: u8) -> u64 {
        self.registers[base + usize::from(register)]
    }

    fn set(&mut self, base: usize, register: u8, value: u64) {
        self.registers[base + usize::from(register)] = value;
    }

    /// The lanes of a vector; the decoder has checked that they are in the window.
    fn vector_mut(&mut self, register: u8, count: u8) -> &mut [u64] {
        let first = self.frame.lane_base + lanes::first(register);
        &mut self.lanes[first..first + lanes::count(count)]
    }

    /// Executes until something needs the bus or the run ends. Operations on the bus are left at
    /// `self.frame.pc`, with their cycles not yet counted.
    fn execute<const WATCHED: bool>(
        &mut self,
        memory: &mut CoreMemory<'_>,
        cycles: &mut u64,
        budget: u64,
    ) -> Pause {
        use Opcode::*;
        let mut watch = self.watch.as_deref_mut();
        let code = &self.code[..];
        let loops = &self.loops[..];
        let costs = &*self.costs;
        let file = &mut self.registers[..];
        let lane_file = &mut self.lanes[..];
        let mut frame = self.frame;
        let (Some(mut r), Some(mut v)) = windows(file, lane_file, frame) else {
            return Pause::Stop(CoreStop::Fault(CoreFault::CallDepth));
        };
        let mut pc = frame.pc;
        let mut spent = *cycles;
        let pause = loop {
            // The decoder has checked every way to an instruction.
            let Some(&instruction) = code.get(pc) else {
                break Pause::Stop(CoreStop::Done);
            };
            if WATCHED
                && let Some(watch) = &mut watch
                && watch.arrive(pc, spent)
            {
                break Pause::Stop(CoreStop::Break);
            }
            let Instruction { op, a, b, c, imm } = instruction;
            let (ra, rb, rc) = (usize::from(a), usize::from(b), usize::from(c));
            let (at, cost) = (pc, costs.of(op));
            // Ends the run before this instruction has any effect.
            macro_rules! stop {
                ($pause:expr) => {
                    break $pause
                };
            }
            macro_rules! fault {
                ($fault:expr) => {
                    stop!(Pause::Stop(CoreStop::Fault($fault)))
                };
            }
            macro_rules! branch_if {
                ($condition:expr) => {
                    if $condition {
                        spent += cost;
                        pc = imm as usize;
                        if spent >= budget {
                            break Pause::Stop(CoreStop::Budget);
                        }
                        continue;
                    }
                };
            }
            // With the operation known here, the compiler keeps only its own code of `pure`.
            macro_rules! pure {
                ($op:ident) => {
                    match pure(Opcode::$op, r[rb], r[rc], 0, c, 0) {
                        Some(value) => r[ra] = value,
                        None => fault!(CoreFault::DivisionByZero),
                    }
                };
            }
            macro_rules! load {
                ($base:expr) => {{
                    let address = address($base, imm);
                    memory.set_instruction(pc as u32, spent);
                    let value = match is_i32(imm) {
                        true => memory.load_i32(address),
                        false => memory.load(access_type(imm), address),
                    };
                    match value {
                        Some(value) => r[ra] = value,
                        None => fault!(no_memory(address)),
                    }
                    spent += memory.wait(address, imm, spent);
                }};
            }
            macro_rules! store {
                ($base:expr) => {{
                    let address = address($base, imm);
                    memory.set_instruction(pc as u32, spent);
                    let done = match is_i32(imm) {
                        true => memory.store_i32(address, r[ra]),
                        false => memory.store(access_type(imm), address, r[ra]),
                    };
                    if done.is_none() {
                        fault!(no_memory(address));
                    }
                    spent += memory.wait(address, imm, spent);
                }};
            }
            match op {
                Li => r[ra] = imm as i32 as i64 as u64,
                Lih => r[ra] = (u64::from(imm) << 32) | (r[ra] & 0xFFFF_FFFF),
                Addi32 => r[ra] = (r[rb] as i32).wrapping_add(imm as i32) as i64 as u64,
                Addi64 => r[ra] = r[rb].wrapping_add_signed(imm as i32 as i64),
                Muli32 => r[ra] = (r[rb] as i32).wrapping_mul(imm as i32) as i64 as u64,
                Muli64 => r[ra] = (r[rb] as i64).wrapping_mul(imm as i32 as i64) as u64,
                Andi => r[ra] = r[rb] & imm as i32 as i64 as u64,
                Ori => r[ra] = r[rb] | imm as i32 as i64 as u64,
                Xori => r[ra] = r[rb] ^ imm as i32 as i64 as u64,
                Jmp => branch_if!(true),
                Jnz => branch_if!(r[ra] != 0),
                Jz => branch_if!(r[ra] == 0),
                Beq => branch_if!(r[ra] == r[rb]),
                Bne => branch_if!(r[ra] != r[rb]),
                Blts => branch_if!((r[ra] as i64) < r[rb] as i64),
                Bles => branch_if!(r[ra] as i64 <= r[rb] as i64),
                Bltu => branch_if!(r[ra] < r[rb]),
                Bleu => branch_if!(r[ra] <= r[rb]),
                Loop | Loopi => {
                    let step = if op == Loop { r[rb] } else { b.into() };
                    let (number, past_all) = (r[ra] as i64).overflowing_add(step as i64);
                    r[ra] = number as u64;
                    spent += cost;
                    if past_all || number >= r[rc] as i64 {
                        pc += 1;
                        continue;
                    }
                    pc = imm as usize;
                    if spent >= budget {
                        break Pause::Stop(CoreStop::Budget);
                    }
                    if !WATCHED && let Some(Some(body)) = loops.get(at) {
                        match body.run(r, memory, &mut spent, budget) {
                            LoopEnd::At(next) => pc = next,
                            LoopEnd::Budget => break Pause::Stop(CoreStop::Budget),
                        }
                    }
                    continue;
                }
                Call => {
                    // The decoder has checked that there is one.
                    let entry = self.functions[imm as usize].entry as usize;
                    let caller = Frame {
                        pc: pc + 1,
                        ..frame
                    };
                    frame.base += ra;
                    frame.lane_base += lanes::first(b);
                    let (Some(registers), Some(lanes)) = windows(file, lane_file, frame) else {
                        frame = caller;
                        fault!(CoreFault::CallDepth);
                    };
                    (r, v) = (registers, lanes);
                    self.callers.push(caller);
                    if self.callers.len() > CALL_DEPTH {
                        fault!(CoreFault::CallDepth);
                    }
                    spent += cost;
                    if WATCHED && let Some(watch) = &mut watch {
                        watch.enter(pc, spent);
                    }
                    pc = entry;
                    continue;
                }
                Ret => {
                    let Some(caller) = self.callers.pop() else {
                        stop!(Pause::Stop(CoreStop::Done));
                    };
                    frame = caller;
                    let (Some(registers), Some(lanes)) = windows(file, lane_file, frame) else {
                        fault!(CoreFault::CallDepth);
                    };
                    (r, v) = (registers, lanes);
                    spent += cost;
                    if WATCHED && let Some(watch) = &mut watch {
                        watch.leave(spent);
                    }
                    pc = frame.pc;
                    continue;
                }
                End => stop!(Pause::Stop(CoreStop::Done)),
                Trap => fault!(CoreFault::Trap { code: imm }),
                Acquire | Release | StreamGet | StreamPut | CascadeGet | CascadePut | Event
                | CallKernel | Print | VPrint => {
                    memory.set_instruction(pc as u32, spent);
                    stop!(Pause::Bus(instruction))
                }
                LdAbs => load!(0),
                LdBase => load!(r[rb]),
                LdIdx => load!(r[rb].wrapping_mul(size(imm))),
                LdBaseIdx => load!(r[rb].wrapping_add(r[rc].wrapping_mul(size(imm)))),
                StAbs => store!(0),
                StBase => store!(r[rb]),
                StIdx => store!(r[rb].wrapping_mul(size(imm))),
                StBaseIdx => store!(r[rb].wrapping_add(r[rc].wrapping_mul(size(imm)))),
                Copy => {
                    memory.set_instruction(pc as u32, spent);
                    if memory.copy(r[ra], r[rb], imm as usize).is_none() {
                        fault!(no_memory(r[rb]));
                    }
                    spent += memory.wait_for_banks(r[rb], imm, spent);
                    spent += copy_extra(imm);
                }
                VLd | VSt => {
                    let address = r[rb].wrapping_add_signed(offset(imm));
                    memory.set_instruction(pc as u32, spent);
                    match lanes::access(instruction, address, memory, v) {
                        Ok(extra) => spent += extra,
                        Err(fault) => fault!(fault),
                    }
                    let bytes = access_type(imm).bytes() * lanes::count(c) as u32;
                    spent += memory.wait_for_banks(address, bytes, spent);
                }
                VMap | VReduce | VSplat | VExtract | VExtractAt | VInsert | VInsertAt | VCopy => {
                    match vector(instruction, r, v, costs) {
                        Ok(extra) => spent += extra,
                        Err(fault) => fault!(fault),
                    }
                }
                Mov => pure!(Mov),
                Add32 => pure!(Add32),
                Sub32 => pure!(Sub32),
                Mul32 => pure!(Mul32),
                Add64 => pure!(Add64),
                Sub64 => pure!(Sub64),
                Mul64 => pure!(Mul64),
                And => pure!(And),
                Or => pure!(Or),
                Xor => pure!(Xor),
                Shli32 => pure!(Shli32),
                Shli64 => pure!(Shli64),
                Shrsi => pure!(Shrsi),
                Shrui => pure!(Shrui),
                Sext => pure!(Sext),
                Zext => pure!(Zext),
                Mins => pure!(Mins),
                Maxs => pure!(Maxs),
                Eq => pure!(Eq),
                Ne => pure!(Ne),
                Lts => pure!(Lts),
                Les => pure!(Les),
                AddF => pure!(AddF),
                SubF => pure!(SubF),
                MulF => pure!(MulF),
                _ => {
                    let fourth = r[(imm & 0xFF) as usize];
                    match pure(op, r[rb], r[rc], fourth, c, imm as u8) {
                        Some(value) => r[ra] = value,
                        None => fault!(CoreFault::DivisionByZero),
                    }
                }
            }
            spent += cost;
            pc += 1;
        };
        self.frame = Frame { pc, ..frame };
        *cycles = spent;
        pause
    }
}

/// Calls inside calls that a core can make.
const CALL_DEPTH: usize = 256;

/// A vector operation; answers its extra cycles.
fn vector(
    instruction: Instruction,
    r: &mut [u64; WINDOW_REGISTERS],
    v: &mut Lanes,
    costs: &Costs,
) -> Result<u64, CoreFault> {
    let Instruction { op, a, b, c, imm } = instruction;
    let (ra, rb, rc) = (usize::from(a), usize::from(b), usize::from(c));
    match op {
        Opcode::VMap => return lanes::map(instruction, v, costs),
        Opcode::VReduce => {
            let (value, extra) = lanes::reduce(instruction, r[rc], v, costs)?;
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

/// The windows of a function on the registers and the lanes.
type Windows<'a> = (
    Option<&'a mut [u64; WINDOW_REGISTERS]>,
    Option<&'a mut Lanes>,
);

fn windows<'a>(registers: &'a mut [u64], lanes: &'a mut [u64], frame: Frame) -> Windows<'a> {
    let registers = registers
        .get_mut(frame.base..)
        .and_then(|rest| rest.first_chunk_mut());
    let lanes = lanes
        .get_mut(frame.lane_base..)
        .and_then(|rest| rest.first_chunk_mut());
    (registers, lanes)
}
