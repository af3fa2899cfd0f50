//! Every core of every example, compiled for this machine by `llc`, computes what the simulator's
//! core does.
//!
//! Both run alone, each in the same made-up surroundings: locks are granted at once, and each
//! acquire and each call of an external function brings new contents of all buffers that the core
//! uses, streams and cascades bring words. What a core does to its surroundings is written down,
//! with the contents of the buffers: the two records must be the same, byte by byte.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard};

use aiec_aie::ir::{FloatKind, Module, Type};
use aiec_aie::ops::{Buffer, Core, Device, OpView};
use aiec_aie::text::parse_text;
use aiec_codegen::{CoreCode, lower_core};
use aiec_diag::{Diags, FileId};
use aiec_sim::core::{
    Attempt, CASCADE_WORDS, CallOutcome, CoreBus, CoreFault, CoreMachine, CoreMemory, CoreSettings,
    CoreStop, Kernel, KernelArguments, KernelStep, Kernels,
};
use aiec_vcode::{ArgumentType, ElementType, Signature};

use super::cores::{compiled_cores, for_the_host, llvm};
use super::examples_with_llvm_form;

/// Steps after which a core that goes on is stopped.
const STEPS: usize = 40;
/// Cycles that a core may take between two looks at it.
const BUDGET: u64 = 1 << 32;
/// Kinds of replies.
const GO_ON: u8 = 1;
const NEW_CONTENTS: u8 = 2;
/// A core is stopped within a kernel by this trap.
const ENOUGH: CoreFault = CoreFault::Trap { code: 0xE0 };

type Windows<'a, 'm> = &'a mut [&'m mut [u8]; 4];

/// A buffer that a core uses.
#[derive(Clone, Debug)]
struct Used {
    name: String,
    /// The window and the byte in it where the core sees it.
    window: usize,
    start: usize,
    bytes: usize,
    element: Type,
}

/// The surroundings of a core, and the record of what it did.
#[derive(Debug)]
struct Surroundings {
    buffers: Vec<Used>,
    /// First core-local address.
    first: u64,
    window_bytes: u64,
    random: fastrand::Rng,
    steps: usize,
    /// The last step has been made.
    over: bool,
    transcript: Vec<u8>,
    replies: Vec<u8>,
}

impl Surroundings {
    fn random(&mut self, below: u64) -> u64 {
        self.random.u64(..below)
    }

    /// A small number of a type: sums and products of many stay exact.
    fn number(&mut self, ty: &Type, out: &mut Vec<u8>) {
        match ty {
            Type::Vector(vector) => {
                for _ in 0..vector.shape.iter().product::<i64>() {
                    self.number(&vector.elem, out);
                }
            }
            Type::Float(kind) => {
                let value = self.random(33) as f32 / 4.0 - 4.0;
                match kind {
                    FloatKind::F32 => out.extend(value.to_le_bytes()),
                    FloatKind::F64 => out.extend(f64::from(value).to_le_bytes()),
                    FloatKind::BF16 => out.extend(&value.to_le_bytes()[2..]),
                    FloatKind::F16 => out.extend(half(value).to_le_bytes()),
                    other => panic!("no buffer holds {}", other.name()),
                }
            }
            _ => {
                let bytes = ty.elem_bytes().expect("what memory holds") as usize;
                let mut number = self.random(8).to_le_bytes()[..bytes.min(8)].to_vec();
                number.resize(bytes, 0);
                out.extend(number);
            }
        }
    }

    fn fill(&mut self, windows: Windows<'_, '_>) {
        for n in 0..self.buffers.len() {
            let used = self.buffers[n].clone();
            let mut bytes = Vec::with_capacity(used.bytes);
            while bytes.len() < used.bytes {
                self.number(&used.element, &mut bytes);
            }
            windows[used.window][used.start..][..used.bytes].copy_from_slice(&bytes);
        }
        self.replies.extend(contents(&self.buffers, windows));
    }

    /// A step of the core; whether it goes on.
    fn step(
        &mut self,
        windows: Windows<'_, '_>,
        kind: u8,
        what: &[u8],
        answer: &[u8],
        new_contents: bool,
    ) -> bool {
        if self.over {
            return false;
        }
        self.transcript.push(kind);
        self.transcript.extend(what);
        self.transcript.extend(contents(&self.buffers, windows));
        self.over = self.steps == 0;
        if self.over {
            return false;
        }
        self.steps -= 1;
        let how = if new_contents { NEW_CONTENTS } else { GO_ON };
        self.replies.push(how);
        self.replies.extend(answer);
        if new_contents {
            self.fill(windows);
        }
        true
    }

    /// A core-local address as the number of a buffer and the place in it.
    fn place(&self, address: u64) -> i64 {
        let from = address.wrapping_sub(self.first);
        let (window, inside) = (from / self.window_bytes, from % self.window_bytes);
        let found = self.buffers.iter().position(|used| {
            let inside = inside as usize;
            window as usize == used.window
                && (used.start..used.start + used.bytes).contains(&inside)
        });
        match found {
            Some(n) => ((n as i64) << 32) + inside as i64 - self.buffers[n].start as i64,
            None => -1,
        }
    }
}

/// The bits of a half; the number is one that has some.
fn half(value: f32) -> u16 {
    if value == 0.0 {
        return 0;
    }
    let bits = value.to_bits();
    let exponent = ((bits >> 23) & 0xFF) as i32 - 127 + 15;
    let (sign, fraction) = ((bits >> 16) & 0x8000, (bits >> 13) & 0x3FF);
    sign as u16 | ((exponent as u16) << 10) | fraction as u16
}

fn contents(buffers: &[Used], windows: &[&mut [u8]; 4]) -> Vec<u8> {
    let each = buffers.iter();
    each.flat_map(|used| windows[used.window][used.start..][..used.bytes].to_vec())
        .collect()
}

fn words(values: &[i32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

/// The surroundings as the simulator's core sees them.
struct Bus {
    memories: [Vec<u8>; 4],
    around: Arc<Mutex<Surroundings>>,
}

impl Bus {
    fn with<T>(&mut self, act: impl FnOnce(&mut Surroundings, Windows<'_, '_>) -> T) -> T {
        let mut windows = self.memories.each_mut().map(|memory| &mut memory[..]);
        act(&mut lock(&self.around), &mut windows)
    }

    fn step(&mut self, kind: u8, what: &[u8], answer: &[u8], new: bool) -> Attempt<()> {
        if self.with(|around, windows| around.step(windows, kind, what, answer, new)) {
            Attempt::Done(())
        } else {
            Attempt::Later
        }
    }

    fn steps(&mut self, count: u8, kind: u8, what: &[u8], new: bool) -> Attempt<()> {
        for _ in 0..count {
            if self.step(kind, what, &[], new) == Attempt::Later {
                return Attempt::Later;
            }
        }
        Attempt::Done(())
    }
}

fn lock(around: &Mutex<Surroundings>) -> MutexGuard<'_, Surroundings> {
    around.lock().expect("no test panicked with it")
}

impl CoreBus for Bus {
    fn memory(&mut self) -> CoreMemory<'_> {
        let window_bits = lock(&self.around).window_bytes.trailing_zeros();
        CoreMemory {
            windows: self.memories.each_mut().map(|memory| &mut memory[..]),
            window_bits,
            conflicts: None,
            accesses: None,
        }
    }

    fn acquire(&mut self, _: u64, lock: u8, operand: i8) -> Attempt<()> {
        // Of several units each is a step: a core may take and give them in any way.
        let what = words(&[lock.into(), operand.max(-1).into()]);
        let count = if operand < 0 {
            operand.unsigned_abs()
        } else {
            1
        };
        self.steps(count, b'A', &what, true)
    }

    fn release(&mut self, _: u64, lock: u8, change: i8) -> Attempt<()> {
        self.steps(
            change.unsigned_abs(),
            b'R',
            &words(&[lock.into(), 1]),
            false,
        )
    }

    fn stream_get(&mut self, _: u64, _: u8) -> Attempt<u32> {
        let word = lock(&self.around).random(8) as u32;
        match self.step(b'G', &[], &word.to_le_bytes(), false) {
            Attempt::Done(()) => Attempt::Done(word),
            Attempt::Later => Attempt::Later,
        }
    }

    fn stream_put(&mut self, _: u64, _: u8, word: u32, _: bool) -> Attempt<()> {
        self.step(b'P', &word.to_le_bytes(), &[], false)
    }

    fn cascade_get(&mut self, _: u64) -> Attempt<[u32; CASCADE_WORDS]> {
        let mut words = [0; CASCADE_WORDS];
        for word in &mut words {
            *word = lock(&self.around).random(8) as u32;
        }
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        match self.step(b'D', &[], &bytes, false) {
            Attempt::Done(()) => Attempt::Done(words),
            Attempt::Later => Attempt::Later,
        }
    }

    fn cascade_put(&mut self, _: u64, words: &[u32; CASCADE_WORDS]) -> Attempt<()> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.step(b'C', &bytes, &[], false)
    }

    fn event(&mut self, _: u64, event: u8) {
        // If this was the last step, the next one doesn't happen.
        let _ = self.step(b'V', &words(&[event.into()]), &[], false);
    }
}

/// An external function as a part of the surroundings: it brings new contents.
#[derive(Debug)]
struct External(Arc<Mutex<Surroundings>>);

impl Kernel for External {
    fn call(&self, arguments: &mut KernelArguments<'_, '_>) -> Result<KernelStep, CoreFault> {
        let mut around = lock(&self.0);
        let mut what = Vec::new();
        for (ty, value) in arguments.signature.arguments.iter().zip(arguments.values) {
            what.extend(match ty {
                ArgumentType::Buffer { .. } => around.place(*value).to_le_bytes(),
                ArgumentType::Scalar(_) => value.to_le_bytes(),
            });
        }
        let result = around.random(8);
        let windows = &mut arguments.memory.windows;
        if around.step(windows, b'K', &what, &result.to_le_bytes(), true) {
            Ok(KernelStep {
                cycles: 0,
                then: CallOutcome::Return(result),
            })
        } else {
            Err(ENOUGH)
        }
    }
}

/// The routed module of a design: what `core-llvm` sees.
fn routed(printed: &str) -> Module {
    let marker = "// after aie-create-pathfinder-flows\n";
    let (_, text) = printed.split_once(marker).expect("the module");
    let (text, _) = text.split_once("\n}\n").expect("its end");
    let mut diags = Diags::new();
    let module = parse_text(FileId(0), &format!("{text}\n}}\n"), &mut diags);
    assert!(!diags.has_errors());
    module
}

/// The buffers of a device that a core's program uses.
fn used_buffers(module: &Module, device: Device, core: Core, ir: &str) -> Vec<Used> {
    let model = device.model(module).expect("a device");
    let here = core.tile_loc(module).expect("a place");
    let buffers = module.children::<Buffer>(device.op()).into_iter();
    let used = buffers.filter_map(|buffer| {
        let name = buffer.sym_name(module)?.to_string();
        ir.contains(&format!("\n@{name} = ")).then_some(())?;
        let window = model.core_window_to(here, buffer.tile_loc(module)?)?;
        let memref = module.ty(module.result(buffer.op(), 0)?).as_memref()?;
        Some(Used {
            name,
            window: window.side as usize,
            start: usize::try_from(buffer.address(module)?).ok()?,
            bytes: memref.num_bytes()? as usize,
            element: memref.elem.clone(),
        })
    });
    used.collect()
}

/// C for one core: its buffers, itself, and the functions that it calls.
fn surroundings_in_c(function: &str, ir: &str, buffers: &[Used], code: &CoreCode) -> String {
    let mut out = String::from(
        "#include <stddef.h>\n#include <string.h>\n\
         struct Buffer { unsigned char *at; size_t bytes; };\n\
         void step(char, const void *, size_t, void *, size_t);\nlong long place(const void *);\n",
    );
    let mut table = String::new();
    for (n, used) in buffers.iter().enumerate() {
        let Used { name, bytes, .. } = used;
        let outside = ir.contains(&format!("\n@{name} = external "));
        let (before, behind) = if outside {
            ("", " __attribute__((aligned(64)))")
        } else {
            ("extern ", "")
        };
        let _ = writeln!(
            out,
            "{before}unsigned char b{n}[{bytes}] __asm__(\"{name}\"){behind};"
        );
        let _ = write!(table, "{{b{n}, {bytes}}}, ");
    }
    let count = buffers.len();
    let _ = writeln!(out, "struct Buffer buffers[] = {{{table}{{0, 0}}}};");
    let _ = writeln!(out, "int buffer_count = {count};");
    let _ = writeln!(
        out,
        "void {function}(void);\nvoid core(void) {{ {function}(); }}"
    );
    let mut external = BTreeMap::new();
    for text in &code.program.kernels {
        let signature = Signature::parse(text).expect("a signature");
        external.insert(signature.name.clone(), signature);
    }
    for (name, signature) in external {
        let result = signature.result.map_or("void", c_type);
        let types = signature
            .arguments
            .iter()
            .enumerate()
            .map(|(n, ty)| match ty {
                ArgumentType::Buffer { .. } => format!("void *a{n}"),
                ArgumentType::Scalar(ty) => format!("{} a{n}", c_type(*ty)),
            });
        let types: Vec<String> = types.collect();
        let _ = writeln!(out, "{result} {name}({}) {{", types.join(", "));
        let _ = writeln!(out, "  long long what[{}], result;", types.len().max(1));
        for (n, ty) in signature.arguments.iter().enumerate() {
            let _ = match ty {
                ArgumentType::Buffer { .. } => writeln!(out, "  what[{n}] = place(a{n});"),
                ArgumentType::Scalar(ty) if ty.is_float() => {
                    writeln!(
                        out,
                        "  what[{n}] = 0; memcpy(&what[{n}], &a{n}, sizeof a{n});"
                    )
                }
                ArgumentType::Scalar(_) => writeln!(out, "  what[{n}] = a{n};"),
            };
        }
        let bytes = 8 * types.len();
        let _ = writeln!(out, "  step('K', what, {bytes}, &result, sizeof result);");
        if result != "void" {
            let _ = writeln!(out, "  return result;");
        }
        out += "}\n";
    }
    out
}

fn c_type(ty: ElementType) -> &'static str {
    match ty {
        ElementType::F32 => "float",
        ElementType::F64 => "double",
        ElementType::Index => "long long",
        ElementType::Int { width: 1..=8, .. } => "signed char",
        ElementType::Int { width: 9..=16, .. } => "short",
        ElementType::Int { width: 17..=32, .. } => "int",
        ElementType::Int { .. } => "long long",
        ElementType::Bf16 | ElementType::F16 => panic!("C here has no {ty}"),
    }
}

/// Where programs for this machine are made.
struct Workshop {
    folder: PathBuf,
}

impl Workshop {
    fn new() -> Workshop {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("numbers");
        std::fs::create_dir_all(&folder).expect("a folder");
        let workshop = Workshop { folder };
        workshop.object(include_str!("array.ll"), "intrinsics.o");
        workshop.write("array.c", include_bytes!("array.c"));
        workshop.cc(&["-c", "array.c", "-o", "array.o"]);
        workshop
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.path(name), bytes).expect("written");
    }

    fn object(&self, ir: &str, name: &str) {
        let path = self.path(name).display().to_string();
        let args = ["-filetype=obj", "-relocation-model=pic", "-o", &path];
        llvm("llc", ir, &args).unwrap_or_else(|error| panic!("{name}: {error}"));
    }

    fn cc(&self, args: &[&str]) {
        let built = Command::new("cc")
            .current_dir(&self.folder)
            .args(args)
            .output()
            .expect("the C compiler that the linker comes with");
        let said = String::from_utf8_lossy(&built.stderr);
        assert!(built.status.success(), "{args:?}: {said}");
    }

    /// Trace of a core compiled for this machine.
    fn transcript(&self, ir: &str, surroundings: &str, replies: &[u8]) -> Vec<u8> {
        self.object(&for_the_host(ir), "core.o");
        self.write("surroundings.c", surroundings.as_bytes());
        self.write("replies", replies);
        let objects = ["core.o", "array.o", "intrinsics.o"];
        let args = [&["surroundings.c"], &objects[..], &["-o", "core", "-lm"]].concat();
        self.cc(&args);
        let run = Command::new(self.path("core"))
            .current_dir(&self.folder)
            .args(["replies", "transcript"])
            .status()
            .expect("it starts");
        assert!(run.success(), "{run}");
        std::fs::read(self.path("transcript")).expect("a transcript")
    }
}

/// Runs a core both ways.
fn compare(workshop: &Workshop, module: &Module, device: Device, core: Core, ir: &str, what: &str) {
    let model = device.model(module).expect("a device");
    let here = core.tile_loc(module).expect("a place");
    let code = lower_core(module, core.op(), &mut Diags::new());
    let code = code.unwrap_or_else(|_| panic!("{what}: the simulator's core isn't compiled"));
    let buffers = used_buffers(module, device, core, ir);
    let bytes = model.arch_model().core.memory_bytes;
    let mut memories = [const { Vec::new() }; 4];
    for window in model.core_windows(here) {
        memories[window.side as usize] = vec![0; bytes as usize];
    }
    let own = model.core_window_to(here, here).expect("its own memory");
    for segment in &code.data {
        let memory = &mut memories[own.side as usize];
        memory[segment.offset as usize..][..segment.bytes.len()].copy_from_slice(&segment.bytes);
    }
    let around = Arc::new(Mutex::new(Surroundings {
        buffers: buffers.clone(),
        first: u64::from(own.base) - own.side as u64 * u64::from(bytes),
        window_bytes: bytes.into(),
        random: fastrand::Rng::with_seed(1),
        steps: STEPS,
        over: false,
        transcript: Vec::new(),
        replies: Vec::new(),
    }));
    let mut kernels = Kernels::default();
    for text in &code.program.kernels {
        let name = Signature::parse(text).expect("a signature").name;
        kernels.bind(&name, Arc::new(External(around.clone())));
    }
    let mut bus = Bus { memories, around };
    bus.with(|around, windows| around.fill(windows));
    let settings = CoreSettings::new(kernels);
    let mut machine = CoreMachine::load(&code.words, model.arch(), &settings).expect("a program");
    match machine.run(&mut bus, BUDGET).stop {
        CoreStop::Done => {
            bus.with(|around, windows| {
                around.transcript.push(b'E');
                let contents = contents(&around.buffers, windows);
                around.transcript.extend(contents);
            });
        }
        CoreStop::Waiting(_) => {}
        CoreStop::Fault(fault) if fault == ENOUGH => {}
        other => panic!("{what}: {other:?}"),
    }
    let function = format!("core_{}_{}", here.col, here.row);
    let surroundings = surroundings_in_c(&function, ir, &buffers, &code);
    let around = lock(&bus.around);
    let compiled = workshop.transcript(ir, &surroundings, &around.replies);
    let same = compiled.iter().zip(&around.transcript);
    let first = same.take_while(|(a, b)| a == b).count();
    assert!(
        compiled == around.transcript,
        "{what}: they part at byte {first} of {} and {}",
        compiled.len(),
        around.transcript.len()
    );
}

#[test]
fn compiled_cores_compute_what_simulated_ones_do() {
    let workshop = Workshop::new();
    let mut count = 0;
    for group in ["examples", "test/end_to_end"] {
        for example in examples_with_llvm_form(group) {
            let device = example.devices.first().expect("a device");
            count += example_cores(&workshop, &example.design(device), device);
        }
    }
    assert!(count > 50, "only {count} cores");
}

fn example_cores(workshop: &Workshop, design: &Path, device: &str) -> usize {
    let (files, printed) = compiled_cores(design, device);
    let module = routed(&printed);
    let devices = module.find_all::<Device>(module.top());
    let mut count = 0;
    for device in &devices {
        for core in module.children::<Core>(device.op()) {
            let here = core.tile_loc(&module).expect("a place");
            let name = format!("core_{}_{}.ll", here.col, here.row);
            let name = match (devices.len(), device.sym_name(&module)) {
                (2.., Some(device)) => format!("{device}_{name}"),
                _ => name,
            };
            let Some((_, ir)) = files.iter().find(|(file, _)| *file == name) else {
                continue;
            };
            let what = format!("{}: {name}", design.display());
            compare(workshop, &module, *device, core, ir, &what);
            count += 1;
        }
    }
    assert_eq!(count, files.len(), "{}", design.display());
    count
}
