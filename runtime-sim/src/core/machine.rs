//! The interpreter.

mod bus;
mod step;

use std::ops::Range;
use std::sync::Arc;

use aiec_vcode::{BusOp, Function, Instruction, Opcode, WINDOW_LANES, WINDOW_REGISTERS};

use super::bus::{CoreBus, CoreFault, CoreMemory, CoreStop};
use super::cost::Costs;
use super::engine::{CoreRun, LoadedProgram, RunningCore};
use super::kernels::{Bound, WaitingCall};
use super::lanes::{self, Lanes};
use super::loop_body::{LoopBody, LoopEnd};
use super::scopes::ScopeLog;
use super::watch::{CoreProfile, Watch};
use bus::{acquire, release};
use step::{Flow, Step, next_round};

/// Scalar registers of all frames together.
const REGISTER_FILE: usize = 16 * WINDOW_REGISTERS;
/// Lanes of all frames together.
const LANE_FILE: usize = 2 * WINDOW_LANES;

/// A core with its program.
#[derive(Clone, Debug)]
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

/// Where a function is: its next instruction and its windows.
#[derive(Clone, Copy, Debug, Default)]
struct Frame {
    pc: usize,
    base: usize,
    lane_base: usize,
}

/// Why the inner loop hands over.
enum Pause {
    /// An operation that needs the bus, at the current instruction.
    Bus(BusOp, Instruction),
    Stop(CoreStop),
}

impl CoreMachine {
    /// A core at the start of a program.
    pub fn new(loaded: LoadedProgram) -> CoreMachine {
        let LoadedProgram {
            program,
            kernels,
            costs,
            no_loop_fusion,
            ..
        } = loaded;
        let vectors = program
            .functions
            .iter()
            .any(|function| function.granules > 0);
        let mut code = program.code.iter();
        let calls = code.any(|instruction| instruction.op == Opcode::Call);
        let mut machine = CoreMachine {
            loops: if no_loop_fusion {
                Box::default()
            } else {
                LoopBody::all(&program.code, &costs)
            },
            code: program.code.into(),
            functions: program.functions.into(),
            kernels,
            costs,
            registers: vec![
                0;
                if calls {
                    REGISTER_FILE
                } else {
                    WINDOW_REGISTERS
                }
            ],
            lanes: vec![0; if vectors { LANE_FILE } else { WINDOW_LANES }],
            frame: Frame::default(),
            callers: Vec::new(),
            unfinished: None,
            watch: None,
        };
        machine.enter();
        machine
    }

    /// Puts the core back at the start of its program.
    pub fn reset(&mut self) {
        self.registers.fill(0);
        self.lanes.fill(0);
        self.callers.clear();
        self.unfinished = None;
        self.enter();
    }

    /// Comes to the first instruction.
    fn enter(&mut self) {
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

    /// The core has waited for `cycles` at the instruction that comes next.
    pub fn stalled(&mut self, cycles: u64) {
        if let Some(watch) = &mut self.watch {
            watch.stalled(self.frame.pc, cycles);
        }
    }

    /// Runs until the core waits, ends, fails, or has used `budget` cycles (checked where it
    /// branches). A core that has ended or failed stays so until [`CoreMachine::reset`].
    pub fn run<B: CoreBus + ?Sized>(&mut self, bus: &mut B, budget: u64) -> CoreRun {
        let mut cycles = 0;
        match self.run_locks(bus, &mut cycles, budget) {
            Some(stop) => CoreRun { stop, cycles },
            None => self.run_on(bus, cycles, budget),
        }
    }

    /// [`CoreMachine::run`] after some cycles.
    #[inline(never)]
    fn run_on<B: CoreBus + ?Sized>(
        &mut self,
        bus: &mut B,
        mut cycles: u64,
        budget: u64,
    ) -> CoreRun {
        loop {
            let pause = match self.watch {
                None => self.execute::<false>(&mut bus.memory(), &mut cycles, budget),
                Some(_) => self.execute::<true>(&mut bus.memory(), &mut cycles, budget),
            };
            let stop = match pause {
                Pause::Stop(stop) => Some(stop),
                Pause::Bus(op, instruction) => {
                    let done = self.on_bus(op, instruction, &mut cycles, bus);
                    self.frame.pc += usize::from(done.is_ok());
                    done.err()
                }
            };
            if let Some(stop) = stop.or_else(|| self.run_locks(bus, &mut cycles, budget)) {
                if let Some(watch) = &mut self.watch {
                    let stays = matches!(stop, CoreStop::Waiting(_) | CoreStop::Break);
                    watch.end_run(self.frame.pc, cycles, stays);
                }
                return CoreRun { stop, cycles };
            }
        }
    }

    /// Executes operations on locks, and back edges of loops that begin with one, as long as they come next: they don't need the
    /// memories, which take longer to look up than they take. Who watches the core sees each instruction
    /// elsewhere.
    fn run_locks<B: CoreBus + ?Sized>(
        &mut self,
        bus: &mut B,
        cycles: &mut u64,
        budget: u64,
    ) -> Option<CoreStop> {
        if self.watch.is_some() {
            return None;
        }
        loop {
            let instruction = *self.code.get(self.frame.pc)?;
            // The operation takes place in a run that begins with it: without a way through the array where nothing else happens
            // before.
            if matches!(instruction.op, Opcode::Acquire | Opcode::Release)
                && *cycles > 0
                && bus.restart_at(*cycles)
            {
                *cycles = 0;
            }
            let done = match instruction.op {
                Opcode::Acquire => acquire(bus, instruction, *cycles),
                Opcode::Release => release(bus, instruction, *cycles),
                Opcode::Loop | Opcode::Loopi => {
                    let first = self.code.get(instruction.imm as usize)?;
                    if !matches!(first.op, Opcode::Acquire | Opcode::Release) {
                        return None;
                    }
                    *cycles += self.costs.of(instruction.op);
                    if !self.goes_round(instruction) {
                        self.frame.pc += 1;
                        continue;
                    }
                    self.frame.pc = instruction.imm as usize;
                    if *cycles >= budget {
                        return Some(CoreStop::Budget);
                    }
                    continue;
                }
                _ => return None,
            };
            if let Err(stop) = done {
                return Some(stop);
            }
            self.frame.pc += 1;
            *cycles += self.costs.of(instruction.op);
        }
    }

    /// Adds the step of a loop to its number; returns whether there is another round.
    fn goes_round(&mut self, edge: Instruction) -> bool {
        let base = self.frame.base;
        let step = match edge.op {
            Opcode::Loopi => edge.b.into(),
            _ => self.get(base, edge.b),
        };
        let (number, goes_on) = next_round(self.get(base, edge.a), step);
        self.set(base, edge.a, number);
        goes_on(self.get(base, edge.c))
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
            let cost = costs.of(instruction.op);
            let flow = instruction.op.visit(&mut Step {
                instruction,
                r: &mut *r,
                v: &mut *v,
                memory: &mut *memory,
                costs,
                pc,
                spent,
            });
            match flow {
                Flow::Next { extra } => {
                    spent += cost + extra;
                    pc += 1;
                }
                Flow::Jump => {
                    spent += cost;
                    pc = instruction.imm as usize;
                    if spent >= budget {
                        break Pause::Stop(CoreStop::Budget);
                    }
                }
                Flow::Repeat => {
                    let edge = pc;
                    spent += cost;
                    pc = instruction.imm as usize;
                    if spent >= budget {
                        break Pause::Stop(CoreStop::Budget);
                    }
                    if let Some(Some(body)) = loops.get(edge) {
                        let counts = match &mut watch {
                            Some(watch) if WATCHED => {
                                let Some(counts) = watch.begin_loop(pc, edge + 1 - pc, spent)
                                else {
                                    continue;
                                };
                                Some(counts)
                            }
                            _ => None,
                        };
                        let (end, rounds) = body.run(r, memory, (&mut spent, counts), budget);
                        if WATCHED && let Some(watch) = &mut watch {
                            let last = match end {
                                LoopEnd::At(next) => next.checked_sub(1),
                                LoopEnd::Budget => Some(edge),
                            };
                            watch.end_loop(rounds, last);
                        }
                        match end {
                            LoopEnd::At(next) => pc = next,
                            LoopEnd::Budget => break Pause::Stop(CoreStop::Budget),
                        }
                    }
                }
                Flow::Call => {
                    let Instruction { a, b, imm, .. } = instruction;
                    // The decoder has checked that there is one.
                    let entry = self.functions[imm as usize].entry as usize;
                    let caller = Frame {
                        pc: pc + 1,
                        ..frame
                    };
                    frame.base += usize::from(a);
                    frame.lane_base += lanes::first(b);
                    let (Some(registers), Some(lanes)) = windows(file, lane_file, frame) else {
                        frame = caller;
                        break Pause::Stop(CoreStop::Fault(CoreFault::CallDepth));
                    };
                    (r, v) = (registers, lanes);
                    self.callers.push(caller);
                    if self.callers.len() > CALL_DEPTH {
                        break Pause::Stop(CoreStop::Fault(CoreFault::CallDepth));
                    }
                    spent += cost;
                    if WATCHED && let Some(watch) = &mut watch {
                        watch.enter(pc, spent);
                    }
                    pc = entry;
                }
                Flow::Return => {
                    let Some(caller) = self.callers.pop() else {
                        break Pause::Stop(CoreStop::Done);
                    };
                    frame = caller;
                    let (Some(registers), Some(lanes)) = windows(file, lane_file, frame) else {
                        break Pause::Stop(CoreStop::Fault(CoreFault::CallDepth));
                    };
                    (r, v) = (registers, lanes);
                    spent += cost;
                    if WATCHED && let Some(watch) = &mut watch {
                        watch.leave(spent);
                    }
                    pc = frame.pc;
                }
                Flow::Stop(pause) => break pause,
            }
        };
        self.frame = Frame { pc, ..frame };
        *cycles = spent;
        pause
    }
}

impl RunningCore for CoreMachine {
    fn copied(&self) -> Box<dyn RunningCore> {
        Box::new(self.clone())
    }

    fn can_be_copied(&self) -> bool {
        let unfinished = self.unfinished.as_ref();
        unfinished.is_none_or(WaitingCall::can_be_copied)
    }

    fn run(&mut self, bus: &mut dyn CoreBus, budget: u64) -> CoreRun {
        CoreMachine::run(self, bus, budget)
    }

    fn position(&self) -> Option<(u32, Vec<u32>)> {
        Some((CoreMachine::position(self), self.calls()))
    }

    fn watch(&mut self, stops: &[u32], loops: Option<&[Range<u32>]>) {
        CoreMachine::watch(self, stops, loops);
    }

    fn stop_at(&mut self, stops: &[u32]) {
        Watch::set_stops(&mut self.watch, self.frame.pc, stops);
    }

    fn scopes(&mut self) -> Option<&mut ScopeLog> {
        CoreMachine::scopes(self)
    }

    fn profile(&self) -> Option<&CoreProfile> {
        CoreMachine::profile(self)
    }

    fn stalled(&mut self, cycles: u64) {
        CoreMachine::stalled(self, cycles);
    }
}

/// Calls inside calls that a core can make.
const CALL_DEPTH: usize = 256;

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
