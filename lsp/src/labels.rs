//! Labels of control code in assembly, with their uses.

use rustc_hash::FxHashMap;

/// A label with the places of its name.
#[derive(Clone, Debug, Default)]
struct Label {
    definition: Option<(usize, usize)>,
    places: Vec<(usize, usize)>,
}

/// The labels of a text. A label of each name is one of the file: the same name in two scopes is shown as one.
#[derive(Debug, Default)]
pub struct AssemblyNames {
    labels: FxHashMap<String, Label>,
    /// Names in the order of their definitions.
    defined: Vec<String>,
}

/// A label at a place.
pub struct FoundLabel<'n> {
    /// Its name.
    pub name: &'n str,
    /// Where it is defined.
    pub definition: (usize, usize),
    /// Where its name is.
    pub places: &'n [(usize, usize)],
    /// Its name at the place.
    pub here: (usize, usize),
}

impl AssemblyNames {
    /// Of a text.
    pub fn of(text: &str) -> AssemblyNames {
        let mut names = AssemblyNames::default();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            names.line(line, start);
            start += line.len();
        }
        names
    }

    fn line(&mut self, line: &str, start: usize) {
        let code = line.split([';', '#']).next().unwrap_or("");
        let word = code.trim_start();
        let indent = code.len() - word.len();
        let end = word.find(|c: char| !is_name(c)).unwrap_or(word.len());
        let name = word.get(..end).unwrap_or("");
        if !name.is_empty() && word.get(end..).is_some_and(|rest| rest.starts_with(':')) {
            let place = (start + indent, start + indent + end);
            let label = self.labels.entry(name.to_string()).or_default();
            if label.definition.is_none() {
                label.definition = Some(place);
                self.defined.push(name.to_string());
            }
            label.places.push(place);
        }
        for (at, _) in code.match_indices('@') {
            let rest = code.get(at + 1..).unwrap_or("");
            let end = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
            let name = rest.get(..end).unwrap_or("");
            if !name.is_empty() {
                let from = start + at + 1;
                let label = self.labels.entry(name.to_string()).or_default();
                label.places.push((from, from + end));
            }
        }
    }

    /// The names of labels in the order of their definitions.
    pub fn defined(&self) -> impl Iterator<Item = &String> {
        self.defined.iter()
    }

    /// The bytes of the definition of a label.
    pub fn definition(&self, name: &str) -> Option<(usize, usize)> {
        self.labels.get(name)?.definition
    }

    /// The label whose name is at a byte offset, if it is defined.
    pub fn at<'n>(&'n self, text: &str, offset: usize) -> Option<FoundLabel<'n>> {
        let (start, end) = word_at(text, offset)?;
        let word = text.get(start..end)?;
        let (name, label) = self.labels.get_key_value(word)?;
        let here = (start, end);
        label.places.contains(&here).then_some(())?;
        Some(FoundLabel {
            name,
            definition: label.definition?,
            places: &label.places,
            here,
        })
    }
}

/// Whether a character may be in a name of assembly.
pub fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_.$".contains(c)
}

/// The word at a byte offset.
pub fn word_at(text: &str, offset: usize) -> Option<(usize, usize)> {
    let before = text.get(..offset)?;
    let start = offset - before.len()
        + before.rfind(|c| !is_name(c)).map_or(0, |at| {
            at + before
                .get(at..)
                .and_then(|r| r.chars().next())
                .map_or(1, char::len_utf8)
        });
    let rest = text.get(start..)?;
    let end = start + rest.find(|c| !is_name(c)).unwrap_or(rest.len());
    (start < end).then_some((start, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_found_where_they_are_defined_and_used() {
        let text = "START_JOB 1\n  UC_DMA_WRITE_DES_SYNC @bds ; @no\nEND_JOB\nbds:\n  UC_DMA_BD 0, 0, @data, 4, 0, 0\ndata:\n  .long 1\n";
        let names = AssemblyNames::of(text);
        let used = text.find("@bds").expect("the use") + 2;
        let found = names.at(text, used).expect("a label");
        assert_eq!(found.name, "bds");
        assert_eq!(found.definition.0, text.find("bds:").expect("the label"));
        assert_eq!(found.places.len(), 2);
        assert!(names.at(text, text.find("START").expect("there")).is_none());
        for offset in 0..=text.len() {
            // Every place has an answer or none.
            let _ = names.at(text, offset);
        }
        assert_eq!(word_at("é x", 3), Some((3, 4)));
    }
}
