//! A tile that a core program runs on: two memories, and a record of what the core did.

use std::collections::VecDeque;

use aiec_aie::ir::Module;
use aiec_aie::ops::OpKind;
use aiec_aie::text::parse;
use aiec_codegen::kernels::library;
use aiec_codegen::link_functions::link;
use aiec_codegen::{CoreCode, lower_core};
use aiec_device::Arch;
use aiec_diag::{Diags, SourceFile, SourceMap};
use aiec_sim::core::{
    Attempt, CASCADE_WORDS, CoreBus, CoreFault, CoreMachine, CoreMemory, CoreSettings, CoreStop,
};

use crate::machine;

/// Own memory and that of the tile to the north; streams loop back.
#[derive(Clone)]
pub struct Tile {
    own: Vec<u8>,
    north: Vec<u8>,
    pub stream: VecDeque<u32>,
    pub cascade: VecDeque<[u32; CASCADE_WORDS]>,
    pub trace: Vec<String>,
}

impl Default for Tile {
    fn default() -> Tile {
        Tile {
            own: vec![0; 0x1_0000],
            north: vec![0; 0x1_0000],
            stream: VecDeque::new(),
            cascade: VecDeque::new(),
            trace: Vec::new(),
        }
    }
}

fn i32s(memory: &[u8], at: usize, count: usize) -> Vec<i32> {
    let words = memory[at..at + 4 * count].chunks_exact(4);
    words
        .map(|word| i32::from_le_bytes(word.try_into().unwrap()))
        .collect()
}

impl Tile {
    pub fn set(&mut self, at: usize, bytes: &[u8]) {
        self.own[at..at + bytes.len()].copy_from_slice(bytes);
    }

    pub fn set_north(&mut self, at: usize, bytes: &[u8]) {
        self.north[at..at + bytes.len()].copy_from_slice(bytes);
    }

    pub fn set_i32(&mut self, at: usize, values: &[i32]) {
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        self.set(at, &bytes);
    }

    pub fn bytes(&self, at: usize, count: usize) -> &[u8] {
        &self.own[at..at + count]
    }

    pub fn i32s(&self, at: usize, count: usize) -> Vec<i32> {
        i32s(&self.own, at, count)
    }

    /// A difference between two tiles, except for the cores' stacks at the start of their own
    /// memories; `None` if they are equal.
    pub fn difference(&self, other: &Tile, stack_bytes: u64) -> Option<String> {
        let memories = [
            ("own", &self.own, &other.own),
            ("north", &self.north, &other.north),
        ];
        for (name, ours, theirs) in memories {
            let start = if name == "own" {
                stack_bytes as usize
            } else {
                0
            };
            let at = (start..ours.len()).find(|at| ours[*at] != theirs[*at]);
            if let Some(at) = at {
                let word = |memory: &[u8]| i32s(memory, at & !3, 1)[0];
                return Some(format!(
                    "{name} memory at {:#x}: {:#010x}, not {:#010x}",
                    at & !3,
                    word(ours),
                    word(theirs)
                ));
            }
        }
        let records = (&self.trace, &self.stream, &self.cascade);
        let wanted = (&other.trace, &other.stream, &other.cascade);
        (records != wanted).then(|| format!("{records:?}, not {wanted:?}"))
    }

    pub fn north_i32s(&self, at: usize, count: usize) -> Vec<i32> {
        i32s(&self.north, at, count)
    }
}

impl CoreBus for Tile {
    fn memory(&mut self) -> CoreMemory<'_> {
        CoreMemory {
            windows: [&mut [], &mut [], &mut self.north, &mut self.own],
            window_bits: 16,
            conflicts: None,
            accesses: None,
        }
    }

    fn acquire(&mut self, _: u64, lock: u8, operand: i8) -> Attempt<()> {
        self.trace.push(format!("acquire {lock} {operand}"));
        Attempt::Done(())
    }

    fn release(&mut self, _: u64, lock: u8, change: i8) -> Attempt<()> {
        self.trace.push(format!("release {lock} {change}"));
        Attempt::Done(())
    }

    fn stream_get(&mut self, _: u64, _: u8) -> Attempt<u32> {
        self.stream
            .pop_front()
            .map_or(Attempt::Later, Attempt::Done)
    }

    fn stream_put(&mut self, _: u64, _: u8, word: u32, _: bool) -> Attempt<()> {
        self.trace.push(format!("put {word}"));
        Attempt::Done(())
    }

    fn cascade_get(&mut self, _: u64) -> Attempt<[u32; CASCADE_WORDS]> {
        self.cascade
            .pop_front()
            .map_or(Attempt::Later, Attempt::Done)
    }

    fn cascade_put(&mut self, _: u64, words: &[u32; CASCADE_WORDS]) -> Attempt<()> {
        self.cascade.push_back(*words);
        Attempt::Done(())
    }

    fn event(&mut self, _: u64, event: u8) {
        self.trace.push(format!("event {event}"));
    }
}

/// Gives declared functions the kernels of the library that have their names.
pub fn link_kernels(module: &mut Module, diags: &mut Diags) {
    let libraries = library(module);
    if !libraries.is_empty() {
        let _ = link(module, &libraries, diags);
    }
}

/// Lowers the only core of a text; findings as `code: message`.
pub fn lower(text: &str) -> Result<CoreCode, Vec<String>> {
    let mut sources = SourceMap::new();
    let file = sources.add(SourceFile::new("core.mlir", text));
    let mut diags = Diags::new();
    let mut module = parse(file, &sources, &mut diags);
    link_kernels(&mut module, &mut diags);
    let found: Vec<String> = diags.iter().map(|diag| diag.one_line(&sources)).collect();
    assert!(found.is_empty(), "{}\n{text}", found.join("\n"));
    let core = module.find(module.top(), OpKind::Core)[0];
    let lowered = lower_core(&module, core, &mut diags);
    for diag in &diags {
        assert!(
            diag.span().is_some() && diag.help.is_some(),
            "{}",
            diag.message
        );
    }
    lowered.map_err(|_| {
        diags
            .iter()
            .map(|diag| format!("{}: {}", diag.code.id, diag.message))
            .collect()
    })
}

/// Lowers the core of a text and runs it to its end, as the model's program and as machine code, which must do the
/// same.
pub fn run(text: &str, tile: Tile) -> Tile {
    run_both(text, tile).0
}

/// Same as [`run`]; also returns whether all architectures had machine code.
pub fn run_both(text: &str, tile: Tile) -> (Tile, bool) {
    let before = tile.clone();
    let after = run_model(text, tile);
    let has_all = machine::compare(text, &before, &after);
    (after, has_all)
}

/// Runs the model's program of a text's core to its end.
pub fn run_model(text: &str, mut tile: Tile) -> Tile {
    let (stop, place) = stop_of_model(text, &mut tile);
    assert_eq!(stop, CoreStop::Done, "at {place}");
    tile
}

/// Runs the model's program of a text's core to the fault that ends it.
pub fn fault(text: &str, mut tile: Tile) -> CoreFault {
    match stop_of_model(text, &mut tile) {
        (CoreStop::Fault(fault), _) => fault,
        (other, place) => panic!("{other:?} at {place}"),
    }
}

/// The reason for which the model's program of a text's core stops, and its place with the program.
fn stop_of_model(text: &str, tile: &mut Tile) -> (CoreStop, String) {
    let code = lower(text).unwrap_or_else(|found| panic!("{}\n{text}", found.join("\n")));
    for segment in &code.data {
        tile.set(segment.offset as usize, &segment.bytes);
    }
    let mut machine = CoreMachine::load(&code.words, Arch::Aie2, &CoreSettings::default()).unwrap();
    let run = machine.run(tile, 1_000_000);
    (
        run.stop,
        format!("{}\n{}", machine.position(), code.program),
    )
}
