//! A tile that a core program runs on: two memories, and a record of what the core did.

use std::collections::VecDeque;

use aiec_aie::ops::OpKind;
use aiec_aie::text::parse;
use aiec_codegen::{CoreCode, lower_core};
use aiec_device::Arch;
use aiec_diag::{Diags, SourceFile, SourceMap};
use aiec_sim::core::{
    Attempt, CASCADE_WORDS, CoreBus, CoreMachine, CoreMemory, CoreSettings, CoreStop,
};

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

/// Lowers the only core of a text; findings as `code: message`.
pub fn lower(text: &str) -> Result<CoreCode, Vec<String>> {
    let mut sources = SourceMap::new();
    let file = sources.add(SourceFile::new("core.mlir", text));
    let mut diags = Diags::new();
    let module = parse(file, &sources, &mut diags);
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

/// Lowers the core of a text and runs it to its end. With upstream MLIR its compiled form must do the
/// same.
pub fn run(text: &str, tile: Tile) -> Tile {
    #[cfg(feature = "mlir")]
    let before = tile.clone();
    let (code, tile) = run_built_in(text, tile);
    #[cfg(feature = "mlir")]
    compiled(text, &code, before, &tile);
    #[cfg(not(feature = "mlir"))]
    drop(code);
    tile
}

/// Runs the core of a text with the built-in engine only.
pub fn run_built_in(text: &str, mut tile: Tile) -> (CoreCode, Tile) {
    let code = lower(text).unwrap_or_else(|found| panic!("{}\n{text}", found.join("\n")));
    for segment in &code.data {
        tile.set(segment.offset as usize, &segment.bytes);
    }
    let mut machine = CoreMachine::load(&code.words, Arch::Aie2, &CoreSettings::default()).unwrap();
    let run = machine.run(&mut tile, 1_000_000);
    assert_eq!(
        run.stop,
        CoreStop::Done,
        "at {}\n{}",
        machine.position(),
        code.program
    );
    (code, tile)
}

/// Operations of designs that only the built-in engine knows; upstream's conversion takes loads of
/// vectors with several rows neither.
#[cfg(feature = "mlir")]
const BUILT_IN_ONLY: &[&str] = &[
    "aievec.",
    "vector.multi_reduction",
    "strided<[4, 1]>>, vector<2x",
    // Texts keep a rounding mode as a word, upstream takes a number.
    "to_nearest_away",
    // Upstream's counter wraps and the loop begins anew; ours ends there.
    "%past_the_last",
    // The engine of the feature widens to f32, which rounds such a sum once more.
    "math.fma",
];

/// Where the buffers of the texts begin: below lies what an engine keeps for itself.
#[cfg(feature = "mlir")]
const BUFFERS: usize = 0x400;

/// Runs the core of a text as upstream compiles it, and compares the tile.
#[cfg(feature = "mlir")]
fn compiled(text: &str, code: &CoreCode, mut tile: Tile, wanted: &Tile) {
    for segment in &code.data {
        tile.set(segment.offset as usize, &segment.bytes);
    }
    use aiec_sim::core::{Kernels, LoadedProgram};

    if BUILT_IN_ONLY.iter().any(|name| text.contains(name)) {
        return;
    }
    ::aiec::mlir::install();
    let mut sources = SourceMap::new();
    let file = sources.add(SourceFile::new("core.mlir", text));
    let mut diags = Diags::new();
    let module = parse(file, &sources, &mut diags);
    let engine = ::aiec::mlir::core_engine(&module, &Kernels::default(), &mut diags);
    let found: Vec<String> = diags.iter().map(|diag| diag.one_line(&sources)).collect();
    let engine = engine.unwrap_or_else(|_| panic!("{}\n{text}", found.join("\n")));
    let settings = CoreSettings::default();
    let loaded = LoadedProgram::load(&code.words, Arch::Aie2, &settings).unwrap();
    let mut core = engine.start(loaded).unwrap();
    let run = core.run(&mut tile, 1_000_000);
    assert_eq!(run.stop, CoreStop::Done, "compiled by upstream\n{text}");
    let differs = |a: &[u8], b: &[u8]| {
        let (a, b) = (with_one_nan(text, a), with_one_nan(text, b));
        a.iter().zip(&b).position(|(a, b)| a != b)
    };
    assert_eq!(
        differs(&tile.own[BUFFERS..], &wanted.own[BUFFERS..]),
        None,
        "compiled by upstream\n{text}"
    );
    assert_eq!(
        differs(&tile.north, &wanted.north),
        None,
        "compiled by upstream\n{text}"
    );
    assert_eq!(tile.trace, wanted.trace, "compiled by upstream\n{text}");
    assert_eq!(tile.stream, wanted.stream, "compiled by upstream\n{text}");
    assert_eq!(tile.cascade, wanted.cascade, "compiled by upstream\n{text}");
}

/// Memory of a text's floats with one NaN for all: which one an operation makes, MLIR leaves open.
#[cfg(feature = "mlir")]
fn with_one_nan(text: &str, memory: &[u8]) -> Vec<u8> {
    // Width in bytes, and the bits of the exponent at the top of the value behind its sign.
    let formats: [(&str, usize, u64); 4] = [
        ("xf64>", 8, 0x7FF0_0000_0000_0000),
        ("xf32>", 4, 0x7F80_0000),
        ("xbf16>", 2, 0x7F80),
        ("xf16>", 2, 0x7C00),
    ];
    let mut memory = memory.to_vec();
    let format = formats.into_iter().find(|(name, ..)| text.contains(name));
    let Some((_, bytes, infinity)) = format else {
        return memory;
    };
    for value in memory.chunks_exact_mut(bytes) {
        let mut wide = [0; 8];
        wide[..bytes].copy_from_slice(value);
        let sign = 1 << (8 * bytes - 1);
        if u64::from_le_bytes(wide) & !sign > infinity {
            value.copy_from_slice(&infinity.to_le_bytes()[..bytes]);
            value[0] = 1;
        }
    }
    memory
}
