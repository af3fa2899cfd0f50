//! The machine code of a core's body, which must do on a tile what the model's program of it does.

use aiec_aie::ops::{Core, OpKind};
use aiec_aie::text::parse;
use aiec_codegen::machine_code;
use aiec_core::CoreArch;
use aiec_device::{Arch, DeviceModel, TileLoc};
use aiec_diag::{Diags, SourceFile, SourceMap};
use aiec_sim::core::{CoreSettings, CoreStop, StartedCore};

use super::tile::{Tile, link_kernels};

/// Cycles after which a body of a test must have ended.
const BUDGET: u64 = 50_000_000;

/// The architectures that machine code is generated for, as the array and as the code generator name them.
const ARCHITECTURES: [(Arch, CoreArch); 3] = [
    (Arch::Aie2, CoreArch::Aie2),
    (Arch::Aie2p, CoreArch::Aie2p),
    (Arch::Aie2ps, CoreArch::Aie2ps),
];

/// Beginnings of the findings that the machine code of the tests' bodies is refused for: a body with any
/// other finding is a failure.
const REFUSED: [&str; 3] = [
    "core::no-machine-code: `aievec.ups` ",
    "core::out-of-stack: ",
    "core::too-large: ",
];

/// Runs the machine code of a text's core on a copy of the tile from before, for each architecture, and
/// compares with the tile that the model's program left. Returns whether all of them had machine code; one
/// that is refused for anything but [`REFUSED`] is a failure.
pub fn compare(text: &str, before: &Tile, wanted: &Tile) -> bool {
    compare_on(&ARCHITECTURES, text, before, wanted)
}

/// Same as [`compare`], on the architecture of the device that the text is for.
pub fn compare_on_device(device: &str, text: &str, before: &Tile, wanted: &Tile) -> bool {
    let arch = DeviceModel::by_name(device).unwrap().arch();
    let own = ARCHITECTURES.into_iter().find(|(known, _)| *known == arch);
    compare_on(&[own.unwrap()], text, before, wanted)
}

fn compare_on(
    architectures: &[(Arch, CoreArch)],
    text: &str,
    before: &Tile,
    wanted: &Tile,
) -> bool {
    let mut has_all = true;
    for (arch, core_arch) in architectures.iter().copied() {
        let mut sources = SourceMap::new();
        let file = sources.add(SourceFile::new("core.mlir", text));
        let mut diags = Diags::new();
        let mut module = parse(file, &sources, &mut diags);
        link_kernels(&mut module, &mut diags);
        let core = module.find(module.top(), OpKind::Core)[0];
        let stack_bytes = Core(core).stack_bytes(&module, DeviceModel::by_name("npu1").unwrap());
        let Ok(code) = machine_code(&module, core, core_arch, &mut diags) else {
            assert!(!diags.is_empty(), "refused without a finding\n{text}");
            for diag in &diags {
                assert!(
                    diag.span().is_some() && diag.help.is_some(),
                    "{}",
                    diag.message
                );
            }
            for diag in &diags {
                let line = format!("{}: {}", diag.code.id, diag.message);
                let is_known = REFUSED.iter().any(|known| line.starts_with(known));
                assert!(is_known, "{core_arch}: {line}\n{text}");
            }
            has_all = false;
            continue;
        };
        let mut tile = before.clone();
        for segment in &code.data {
            tile.set(segment.offset as usize, &segment.bytes);
        }
        let mut words = code.bytes.clone();
        words.resize(words.len().next_multiple_of(4), 0);
        let words: Vec<u32> = words
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
            .collect();
        let mut settings = CoreSettings::default();
        settings.strict = true;
        let loc = TileLoc::new(0, 2);
        settings.old_reads.insert(loc, code.old_reads);
        let mut core = StartedCore::start(loc, &words, arch, &settings)
            .expect("machine code")
            .core;
        let run = core.run(&mut tile, BUDGET);
        let listing = || {
            let program = aiec_core::CoreProgram::of_code(core_arch, &code.bytes);
            aiec_core::listing(&program)
        };
        assert_eq!(
            run.stop,
            CoreStop::Done,
            "{core_arch} at {:?}\n{text}\n{}",
            core.position(),
            listing()
        );
        let difference = tile.difference(wanted, stack_bytes);
        assert_eq!(difference, None, "{core_arch}\n{text}\n{}", listing());
    }
    has_all
}
