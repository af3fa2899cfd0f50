//! Directives that declare something: pads, partition, target and rows.

use aiec_diag::Diag;

use super::super::codes;
use super::super::lexer::LineAt;
use super::super::operand::{self, Value, decimal};
use super::super::scope::{Constant, Names};
use super::{Reader, unquote};
use crate::isa::OPS;
use crate::names::{self, Target, TargetVariant};

/// Largest pad in words: what a controller's address offsets can reach.
const MAX_PAD_WORDS: u32 = 1 << 24;

/// Whether `.equ` may define the name: one that means something else wouldn't be read as the constant.
fn is_constant_name(name: &str) -> bool {
    let letter = |b: u8| b.is_ascii_alphabetic() || b == b'_';
    let bytes = name.as_bytes();
    let known = names::is_actor_like(name)
        || operand::is_tile(name)
        || OPS.iter().any(|op| op.mnemonic.eq_ignore_ascii_case(name));
    bytes.first().is_some_and(|&b| letter(b))
        && bytes.iter().all(|&b| letter(b) || b.is_ascii_digit())
        && !known
}

impl Reader<'_> {
    pub(super) fn set_pad(&mut self, line: &LineAt<'_>, rest: &str) {
        let mut words = rest.split([' ', '\t', ',']).filter(|w| !w.is_empty());
        let (Some(written), Some(size)) = (words.next(), words.next()) else {
            let wanted = "a name and a number of words or a file";
            return self.malformed(line, rest, ".setpad", wanted);
        };
        if let Some(more) = words.next().filter(|_| self.strict()) {
            return self.malformed(line, more, ".setpad", "only a name and a size or a file");
        }
        let number = match size.strip_prefix("0x") {
            Some(hex) => u32::from_str_radix(hex, 16).ok(),
            None => size.parse::<u32>().ok(),
        };
        let looks_numeric = size.bytes().all(|b| b.is_ascii_digit());
        let bytes = match number {
            Some(words) if words <= MAX_PAD_WORDS => vec![0; words as usize * 4],
            None if !looks_numeric => match self.find(line, unquote(size)) {
                Some(found) => found.bytes,
                None => return,
            },
            _ => return self.malformed(line, size, ".setpad", "at most 16777216 words"),
        };
        let name = self.folded(written);
        let (group, strict, span) = (self.group(), self.strict(), line.span(written));
        let Some(group) = self.groups.get_mut(group) else {
            return;
        };
        let before = group.pads.get(&name);
        // a file that is included twice says the same twice
        if let Some((_, first)) = before.filter(|(known, _)| strict && *known != bytes) {
            let diag = codes::duplicate("pad", &name).label(span, "");
            self.errors.push(diag.label(*first, "first here"));
            return;
        }
        group.pads.insert(name, (bytes, span));
    }

    /// `.equ NAME, VALUE`
    pub(super) fn constant(&mut self, line: &LineAt<'_>, rest: &str) {
        const WANTED: &str =
            "a name and a number, which a register (TILE_c_r.NAME) or a tile gives, too";
        let mut words = rest.split([' ', '\t', ',']).filter(|w| !w.is_empty());
        let (Some(name), Some(text), None) = (words.next(), words.next(), words.next()) else {
            return self.malformed(line, rest, ".equ", WANTED);
        };
        if !is_constant_name(name) {
            let wanted =
                "a name of letters, digits and _ that isn't that of a tile, actor or operation";
            return self.malformed(line, name, ".equ", wanted);
        }
        let names = Names {
            options: self.options,
            files: self.files,
            constants: &self.constants,
        };
        let value = match names.value(text) {
            Ok(Value::Number(value)) => value,
            Ok(_) => return self.malformed(line, text, ".equ", WANTED),
            Err(diag) => return self.error(line.span(text), diag),
        };
        let (folded, span) = (self.folded(name), line.span(name));
        let before = self.constants.get(&folded).copied();
        // a file that is included twice says the same twice
        if let Some(before) = before.filter(|before| before.value != value) {
            let diag = codes::duplicate("constant", name).label(span, "");
            self.errors.push(diag.label(before.span, "first here"));
            return;
        }
        self.constants.insert(folded, Constant { value, span });
    }

    pub(super) fn partition(&mut self, line: &LineAt<'_>, rest: &str) {
        let columns = rest.strip_suffix("column").and_then(decimal).or_else(|| {
            let (cores, mems) = rest.split_once(':')?;
            decimal::<u32>(mems.strip_suffix("mem")?)?;
            decimal(cores.strip_suffix("core")?)
        });
        match columns {
            Some(columns) => self.declared.columns = Some(columns),
            None => self.malformed(line, rest, ".partition", "Ncolumn or Ncore:Mmem"),
        }
    }

    pub(super) fn target(&mut self, line: &LineAt<'_>, rest: &str) {
        let plain = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_alphanumeric());
        let (family, sub) = rest.split_once('-').unwrap_or((rest, "x"));
        if !plain(family) || !plain(sub) {
            let wanted = "a family, such as aie2ps or aie4-a";
            return self.malformed(line, rest, ".target", wanted);
        }
        let wanted = self.options.target;
        if family != wanted.name() {
            let message =
                format!(".target names '{family}', the program is assembled for {wanted}");
            let diag = Diag::error(&codes::TARGET, message);
            self.error(
                line.span(rest),
                diag.help("choose the target with --target"),
            );
        }
        // One letter names the silicon, of which new ones come; the code is that of the family.
        let letter = sub.len() == 1 && sub.bytes().all(|b| b.is_ascii_lowercase());
        let of_family = wanted == Target::Aie4 && rest != family && letter;
        let known = of_family || TargetVariant::from_name(rest).is_some();
        if self.strict() && family == wanted.name() && !known {
            let wanted = "aie2ps, aie4, aie4-a or aie4-z";
            self.malformed(line, rest, ".target", wanted);
        }
        self.declared.target = Some(rest.to_owned());
    }

    pub(super) fn topology(&mut self, line: &LineAt<'_>, rest: &str) {
        let numbers: Vec<_> = rest.split('-').collect();
        let plain = |s: &&str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
        if numbers.len() != 4 || !numbers.iter().all(plain) {
            let wanted = "four numbers, such as 1-2-4-0";
            return self.malformed(line, rest, ".aie_row_topology", wanted);
        }
        self.declared.topology = Some(rest.to_owned());
    }
}
