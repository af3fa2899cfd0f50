//! Declarations of a checkout of mlir-aie beside ours: operations with their operands and
//! attributes, enumerations, passes with their options. A new release is followed with it.

mod tablegen;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use aiec_aie::ops::enums::{FifoPort, LockAction, LogicalTileType};
use aiec_aie::ops::{OPS, OpDef};
use aiec_device::{Bundle, DeviceModel, DmaDir};
use aiec_passes::pipelines::all_passes;

use tablegen::{Record, Records, Token, text};

/// Names, each with the names of its parts: operations with operands and attributes,
/// enumerations with cases, passes with options.
type Declared = BTreeMap<String, BTreeSet<String>>;

/// The declarations of one side.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Declarations {
    operations: Declared,
    enumerations: Declared,
    passes: Declared,
}

impl Declarations {
    /// Those below `include/aie` of a checkout.
    ///
    /// # Errors
    ///
    /// The folder has no TableGen files, or one can't be read.
    pub fn of_checkout(folder: &Path) -> Result<Self, String> {
        let include = folder.join("include/aie");
        let mut records = Records::default();
        let files = read_files(&include, &mut records)?;
        if files == 0 {
            return Err(format!(
                "{}: no TableGen files here: name a checkout of mlir-aie",
                include.display()
            ));
        }
        Ok(Self::of_records(&records))
    }

    fn of_records(records: &Records) -> Self {
        let mut found = Self::default();
        for record in records.defs.values() {
            if let Some((name, parts)) = operation(records, record) {
                found.operations.insert(name, parts);
            }
            if let Some((name, parts)) = enumeration(records, record) {
                found.enumerations.insert(name, parts);
            }
            if let Some((name, parts)) = pass(records, record) {
                found.passes.insert(name, parts);
            }
        }
        found
    }

    /// Ours.
    pub fn ours() -> Self {
        let operation = |def: &OpDef| {
            let operands = def
                .operands
                .iter()
                .map(|name| name.trim_end_matches(['?', '*']));
            let attributes = def.attrs.iter().map(|attribute| attribute.name);
            let parts = operands.chain(attributes).map(str::to_string);
            (def.name.to_string(), parts.collect())
        };
        let words = |name: &str, words: &mut dyn Iterator<Item = &str>| {
            (name.to_string(), words.map(str::to_string).collect())
        };
        let of = |all: &'static [&'static str]| all.iter().copied();
        Self {
            operations: OPS.iter().map(operation).collect(),
            enumerations: BTreeMap::from([
                words("WireBundle", &mut of(Bundle::NAMES)),
                words("DMAChannelDir", &mut of(DmaDir::NAMES)),
                words("LockAction", &mut LockAction::ALL.iter().map(|case| case.1)),
                words(
                    "ObjectFifoPort",
                    &mut FifoPort::ALL.iter().map(|case| case.1),
                ),
                words(
                    "AIETileType",
                    &mut LogicalTileType::ALL.iter().map(|case| case.1),
                ),
                words("AIEDevice", &mut DeviceModel::all().map(DeviceModel::name)),
            ]),
            passes: all_passes()
                .map(|pass| {
                    let options = pass.options.iter().map(|option| option.name.to_string());
                    (pass.name.to_string(), options.collect())
                })
                .collect(),
        }
    }

    /// Lists what `self` declares and `ours` doesn't know. Names of ours that are not upstream's
    /// aren't a difference: they are ours, or of earlier releases.
    pub fn differences(&self, ours: &Self) -> String {
        let mut page = String::new();
        for (title, theirs, ours, part) in [
            (
                "Operations",
                &self.operations,
                &ours.operations,
                "operands and attributes",
            ),
            (
                "Enumerations",
                &self.enumerations,
                &ours.enumerations,
                "cases",
            ),
            ("Passes", &self.passes, &ours.passes, "options"),
        ] {
            let known = theirs
                .keys()
                .filter(|name| ours.contains_key(*name))
                .count();
            let _ = writeln!(page, "{title}: {known} of {} known", theirs.len());
            for name in theirs.keys().filter(|name| !ours.contains_key(*name)) {
                let _ = writeln!(page, "  unknown: {name}");
            }
            for (name, parts) in theirs {
                let Some(known) = ours.get(name) else {
                    continue;
                };
                let missing: Vec<&str> = parts.difference(known).map(String::as_str).collect();
                if !missing.is_empty() {
                    let _ = writeln!(page, "  {name}: {part} unknown: {}", missing.join(", "));
                }
            }
        }
        page
    }
}

/// Reads the TableGen files of a folder and those below it; how many there are.
fn read_files(folder: &Path, records: &mut Records) -> Result<usize, String> {
    let shown = |error: std::io::Error| format!("{}: {error}", folder.display());
    let entries = std::fs::read_dir(folder).map_err(shown)?;
    let mut paths = Vec::new();
    for entry in entries {
        paths.push(entry.map_err(shown)?.path());
    }
    // Where two files define a name the last one counts, on each machine the same.
    paths.sort();
    let mut files = 0;
    for path in paths {
        if path.is_dir() {
            files += read_files(&path, records)?;
        } else if path.extension().is_some_and(|extension| extension == "td") {
            let text = std::fs::read_to_string(&path)
                .map_err(|error| format!("{}: {error}", path.display()))?;
            records.read(&text);
            files += 1;
        }
    }
    Ok(files)
}

/// The full name of an operation, and the names of its operands and attributes.
fn operation(records: &Records, record: &Record) -> Option<(String, BTreeSet<String>)> {
    let arguments = records.arguments(record, "Op")?;
    let Some([Token::Word(dialect)]) = arguments.first().map(Vec::as_slice) else {
        return None;
    };
    let dialect = records.defs.get(dialect)?.fields.get("name")?;
    let name = format!("{}.{}", text(dialect)?, text(arguments.get(1)?)?);
    let words = record
        .fields
        .get("arguments")
        .map_or(&[][..], Vec::as_slice);
    let parts = words.iter().filter_map(|token| match token {
        // `$_self` and the like belong to constraints
        Token::Name(name) if !name.starts_with('_') => Some(name.clone()),
        _ => None,
    });
    Some((name, parts.collect()))
}

/// The name of an enumeration, and its words.
fn enumeration(records: &Records, record: &Record) -> Option<(String, BTreeSet<String>)> {
    let parent = record
        .parents
        .iter()
        .find(|parent| parent.class.ends_with("EnumAttr"))?;
    let name = text(parent.arguments.first()?)?;
    let is_case = |class: &str| class.ends_with("EnumAttrCase");
    let cases = parent.arguments.get(2)?;
    let mut words = BTreeSet::new();
    for (at, token) in cases.iter().enumerate() {
        let Token::Word(word) = token else { continue };
        if is_case(word) {
            // `I32EnumAttrCase<"word", 0>`
            if let Some(Token::Text(text)) = cases.get(at + 2) {
                words.insert(text.clone());
            }
        } else if let Some(case) = records.defs.get(word) {
            let case = case.parents.iter().find(|parent| is_case(&parent.class));
            words.extend(case.and_then(|case| text(case.arguments.first()?)));
        }
    }
    Some((name, words))
}

/// The name of a pass on the command line, and its options.
fn pass(records: &Records, record: &Record) -> Option<(String, BTreeSet<String>)> {
    let name = text(records.arguments(record, "Pass")?.first()?)?;
    let options = record.fields.get("options").map_or(&[][..], Vec::as_slice);
    let mut names = BTreeSet::new();
    for (at, token) in options.iter().enumerate() {
        let Token::Word(word) = token else { continue };
        // `Option<"variable", "name", …>`
        let written = [1, 2, 3, 4].map(|more| options.get(at + more));
        if let ("Option" | "ListOption", [_, _, _, Some(Token::Text(name))]) =
            (word.as_str(), written)
        {
            names.insert(name.clone());
        }
    }
    Some((name, names))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: &str = r#"
// A dialect of one page.
def Demo_Dialect : Dialect { let name = "aie"; let description = [{ def No : Op<"no"> }]; }
class Demo_Op<string mnemonic, list<Trait> traits = []> : Op<Demo_Dialect, mnemonic, traits>;
class Demo_Named<string mnemonic> : Demo_Op<"named." # mnemonic> {}
def Demo_Tile: Demo_Op<"tile", [Pure, ParentOneOf<["A", "B"]>]> {
  let arguments = (ins ConfinedAttr<I32, [IntMinValue<0>]>:$col, I32:$row,
                       OptionalAttr<AIEI8Attr>:$shade);
  let hasVerifier = 1;
}
def Demo_New : Demo_Named<"new"> { let summary = "of a text; with a semicolon"; }
def East : I32EnumAttrCase<"East", 0>;
def WireBundle : I32EnumAttr<"WireBundle", "wires", [East, I32EnumAttrCase<"Sideways", 1>]> {
  let cppNamespace = "x";
}
def Demo_Pass : Pass<"aie-assign-lock-ids", "DeviceOp"> {
  let options = [Option<"clSeed", "seed", "int", /*default=*/"1", "seed (0 = random).">];
}
"#;

    #[test]
    fn declarations_are_read_and_compared() {
        let mut records = Records::default();
        records.read(FILES);
        let theirs = Declarations::of_records(&records);
        let list = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
        let tile: BTreeSet<String> = list(&["col", "row", "shade"]);
        assert_eq!(theirs.operations["aie.tile"], tile);
        assert!(theirs.operations.contains_key("aie.named.new"));
        assert_eq!(theirs.operations.len(), 2);
        assert_eq!(
            theirs.enumerations["WireBundle"],
            list(&["East", "Sideways"])
        );
        assert_eq!(theirs.passes["aie-assign-lock-ids"], list(&["seed"]));
        let expected = "Operations: 1 of 2 known\n  unknown: aie.named.new\n  aie.tile: operands and attributes unknown: \
                        shade\nEnumerations: 1 of 1 known\n  WireBundle: cases unknown: Sideways\n\
                        Passes: 1 of 1 known\n  aie-assign-lock-ids: options unknown: seed\n";
        assert_eq!(theirs.differences(&Declarations::ours()), expected);
        let ours = Declarations::ours();
        assert!(
            ours.differences(&ours)
                .lines()
                .all(|line| !line.starts_with(' '))
        );
    }

    #[test]
    fn broken_files_end() {
        for cut in (0..FILES.len()).filter(|at| FILES.is_char_boundary(*at)) {
            let mut records = Records::default();
            records.read(&FILES[..cut]);
            Declarations::of_records(&records);
        }
        let mut records = Records::default();
        records.read("class A : B {} class B : A {} def X : A<\"x\"> { let a = ((<[ }");
        assert!(Declarations::of_records(&records).operations.is_empty());
    }
}
