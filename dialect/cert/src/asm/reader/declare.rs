//! Directives that declare something: pads, partition, target and rows.

use aiec_diag::Diag;

use super::super::codes;
use super::super::lexer::LineAt;
use super::super::operand::decimal;
use super::{Reader, unquote};
use crate::names::{Target, TargetVariant};

/// Largest pad in words: what a controller's address offsets can reach.
const MAX_PAD_WORDS: u32 = 1 << 24;

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
