//! Contractions of vectors in shapes that no instruction multiplies: machine code does what the model does, within its memory.

use aiec_aie::ops::OpKind;
use aiec_aie::text::parse_text;
use aiec_codegen::machine_code;
use aiec_core::CoreArch;
use aiec_diag::{Diags, FileId};

use super::tile::{Tile, run_both};
use super::{I32, core};

/// Addresses of the factors and of the sums, which the contraction replaces.
const FACTORS: [usize; 2] = [0x4000, 0x6000];
const SUMS: usize = 0x8000;

/// Bytes of random contents of each.
const BYTES: usize = 0x1000;

const MATRICES: [&str; 3] = [
    "(m, n, k) -> (m, k)",
    "(m, n, k) -> (k, n)",
    "(m, n, k) -> (m, n)",
];

/// The second matrix and the result with their rows as columns.
const TURNED: [&str; 3] = [
    "(m, n, k) -> (m, k)",
    "(m, n, k) -> (n, k)",
    "(m, n, k) -> (n, m)",
];

/// Several products, with two dimensions of each that are summed.
const BATCHES: [&str; 3] = [
    "(b, m, n, k, l) -> (b, m, k, l)",
    "(b, m, n, k, l) -> (b, k, l, n)",
    "(b, m, n, k, l) -> (b, m, n)",
];

const DOT: [&str; 3] = ["(k) -> (k)", "(k) -> (k)", "(k) -> ()"];

/// A contraction by a kind of factors and sums of these elements, whose dimensions have these sizes.
struct Contraction {
    maps: [&'static str; 3],
    sizes: &'static [usize],
    factor: &'static str,
    sum: &'static str,
    kind: &'static str,
}

/// The names in a list in brackets.
fn names(list: &str) -> Vec<&str> {
    let names = list.trim_matches(['(', ')']).split(", ");
    names.filter(|name| !name.is_empty()).collect()
}

impl Contraction {
    /// The core that does it with vectors of its buffers.
    fn design(&self) -> String {
        let sides = |map: &'static str| map.split_once(" -> ").unwrap();
        let domain = names(sides(self.maps[0]).0);
        let size = |name: &str| self.sizes[domain.iter().position(|known| *known == name).unwrap()];
        let kept = names(sides(self.maps[2]).1);
        let iterators = domain.iter().map(|name| {
            if kept.contains(name) {
                "\"parallel\""
            } else {
                "\"reduction\""
            }
        });
        let iterators: Vec<&str> = iterators.collect();
        let maps = self.maps.map(|map| format!("affine_map<{map}>")).join(", ");
        let (mut buffers, mut loads, mut types) = (String::new(), String::new(), Vec::new());
        let mut store = String::new();
        let places = [FACTORS[0], FACTORS[1], SUMS];
        let elements = [self.factor, self.factor, self.sum];
        for (n, (element, address)) in elements.into_iter().zip(places).enumerate() {
            let sizes: Vec<usize> = names(sides(self.maps[n]).1).into_iter().map(size).collect();
            let count: usize = sizes.iter().product();
            let memref = format!("memref<{count}x{element}>");
            buffers += &format!(
                "%m{n} = aie.buffer(%tile) {{address = {address} : i32, sym_name = \"m{n}\"}} : {memref}\n"
            );
            if sizes.is_empty() {
                loads += &format!("%v{n} = memref.load %m{n}[%c0] : {memref}\n");
                store = format!("memref.store %p, %m{n}[%c0] : {memref}");
                types.push(element.to_owned());
                continue;
            }
            let flat = format!("vector<{count}x{element}>");
            let sides: String = sizes.iter().map(|size| format!("{size}x")).collect();
            let whole = format!("vector<{sides}{element}>");
            loads += &format!("%f{n} = vector.load %m{n}[%c0] : {memref}, {flat}\n");
            loads += &format!("%v{n} = vector.shape_cast %f{n} : {flat} to {whole}\n");
            store = format!(
                "%flat = vector.shape_cast %p : {whole} to {flat}
                 vector.store %flat, %m{n}[%c0] : {memref}, {flat}"
            );
            types.push(whole);
        }
        format!(
            "aie.device(npu1) {{
               %tile = aie.tile(1, 3)
               {buffers}
               %core = aie.core(%tile) {{
                 %c0 = arith.constant 0 : index
                 {loads}
                 %p = vector.contract {{indexing_maps = [{maps}], iterator_types = [{}], kind = #vector.kind<{}>}} %v0, %v1, %v2 : {}, {} into {}
                 {store}
                 aie.end
               }} {{stack_size = 16384 : i32}}
             }}",
            iterators.join(", "),
            self.kind,
            types[0],
            types[1],
            types[2]
        )
    }

    /// Runs the model and the machine code of all architectures, which must exist and leave the same data.
    fn check(&self) {
        let mut tile = Tile::default();
        let places = [FACTORS[0], FACTORS[1], SUMS];
        let elements = [self.factor, self.factor, self.sum];
        for (n, (element, at)) in elements.into_iter().zip(places).enumerate() {
            let bytes = (0..BYTES).map(|i| ((i + n * 7) * 37 % 251) as u8 ^ (i as u8) << 3);
            let mut bytes: Vec<u8> = bytes.collect();
            // The upper byte of a float has its exponent: numbers near 1.
            let size = match element {
                "bf16" | "f16" => 2,
                "f32" => 4,
                _ => 0,
            };
            if size > 0 {
                for float in bytes.chunks_exact_mut(size) {
                    float[size - 1] = 0x3E | float[0] & 0x81;
                }
            }
            tile.set(at, &bytes);
        }
        let before = tile.clone();
        let text = self.design();
        let (after, has_all) = run_both(&text, tile);
        assert!(has_all, "without machine code\n{text}");
        assert_ne!(after.difference(&before, 0), None, "{text}");
    }
}

#[test]
fn products_of_all_shapes_fit_program_memory() {
    for sizes in [&[5, 3, 7][..], &[1, 9, 13], &[6, 17, 5], &[7, 20, 3]] {
        for (factor, sum) in [
            ("i8", "i8"),
            ("i8", "i32"),
            ("i16", "i32"),
            ("i32", "i32"),
            ("i16", "i64"),
            ("bf16", "f32"),
            ("f32", "f32"),
        ] {
            let maps = if sizes[1] == 9 { TURNED } else { MATRICES };
            Contraction {
                maps,
                sizes,
                factor,
                sum,
                kind: "add",
            }
            .check();
        }
    }
}

#[test]
fn products_of_several_dimensions_and_kinds() {
    for (maps, sizes, factor, sum, kind) in [
        (BATCHES, &[2, 3, 5, 2, 3][..], "i8", "i32", "add"),
        (BATCHES, &[2, 2, 17, 3, 2], "i16", "i16", "maxsi"),
        (DOT, &[61], "i8", "i32", "add"),
        (DOT, &[40], "f32", "f32", "maximumf"),
        (MATRICES, &[5, 3, 7], "bf16", "bf16", "add"),
        (MATRICES, &[3, 18, 4], "bf16", "bf16", "add"),
        (MATRICES, &[5, 7, 4], "i8", "i8", "xor"),
        (TURNED, &[4, 5, 6], "i32", "i32", "minui"),
    ] {
        Contraction {
            maps,
            sizes,
            factor,
            sum,
            kind,
        }
        .check();
    }
}

#[test]
fn large_operations_are_named_with_their_lines() {
    let body = "%v = vector.load %a[%c0] : memref<16xi32>, vector<15xi32>
        %m = vector.shape_cast %v : vector<15xi32> to vector<3x5xi32>
        %wide = vector.broadcast %m : vector<3x5xi32> to vector<41x3x5xi32>
        %t = vector.transpose %wide, [2, 0, 1] : vector<41x3x5xi32> to vector<5x41x3xi32>
        %u = vector.transpose %t, [2, 0, 1] : vector<5x41x3xi32> to vector<3x5x41xi32>
        %flat = vector.shape_cast %u : vector<3x5x41xi32> to vector<615xi32>
        %s = vector.reduction <add>, %flat : vector<615xi32> into i32
        memref.store %s, %b[%c0] : memref<16xi32>";
    let text = core(I32, body);
    let at = text.rfind('}').unwrap();
    let at = text[..at].rfind('}').unwrap() + 1;
    let text = format!(
        "{} {{stack_size = 32768 : i32}} {}",
        &text[..at],
        &text[at..]
    );
    let mut diags = Diags::new();
    let module = parse_text(FileId(0), &text, &mut diags);
    let core = module.find(module.top(), OpKind::Core)[0];
    assert!(machine_code(&module, core, CoreArch::Aie2, &mut diags).is_err());
    let found = diags
        .iter()
        .find(|diag| diag.code.id == "core::too-large")
        .unwrap();
    let labels = found.labels.iter();
    let named = labels.filter(|label| label.text.contains("this operation"));
    let named: Vec<&str> = named
        .map(|label| &text[label.span.start as usize..label.span.end as usize])
        .collect();
    assert!(
        named
            .first()
            .is_some_and(|op| op.contains("vector.transpose")),
        "{:?} {named:?}",
        found.labels
    );
}
