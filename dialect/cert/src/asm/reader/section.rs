//! Sections of text and data, and annotations.

use aiec_diag::Diag;

use super::super::lexer::{self, LineAt};
use super::super::{Annotation, codes};
use super::{Reader, State};

/// An annotation whose lines come in.
#[derive(Default)]
pub(super) struct OpenAnnotation {
    id: Option<String>,
    name: Option<String>,
    description: Option<String>,
}

impl Reader<'_> {
    pub(super) fn section(&mut self, line: &LineAt<'_>, rest: &str) {
        if rest.is_empty() {
            return self.malformed(line, rest, ".section", "a section name");
        }
        // the vendor's assembler goes by how the name begins
        let sections = [
            (".ctrltext", State::Text, "ax"),
            (".ctrldata", State::Data, "aw"),
        ];
        for (section, state, flags) in sections {
            if let Some(suffix) = rest.strip_prefix(section) {
                self.states.push(state);
                if self.strict() {
                    self.check_section(line, rest, suffix, flags);
                }
                return;
            }
        }
        if rest == "annotation" || (rest.starts_with("annotation") && !self.strict()) {
            self.annotation = Some(OpenAnnotation::default());
        } else if self.strict() {
            self.unknown_section(line, rest);
        }
    }

    fn unknown_section(&mut self, line: &LineAt<'_>, rest: &str) {
        let diag = Diag::error(&codes::DIRECTIVE, format!("unknown section '{rest}'"));
        self.error_losing_all(line.span(rest), diag);
    }

    /// Checks the rest of a section's line after its name: perhaps `.N` for the controller that is
    /// chosen, and flags in quotes, which must be those of such sections.
    fn check_section(&mut self, line: &LineAt<'_>, rest: &str, suffix: &str, flags: &str) {
        let (number, found) = match suffix.split_once(',') {
            Some((number, found)) => (number.trim_end(), Some(lexer::trim(found))),
            None => (suffix, None),
        };
        let chosen = self.uc.unwrap_or(0);
        let number = number.strip_prefix('.').unwrap_or(match number {
            "" => return self.check_flags(line, found, flags),
            other => other,
        });
        match number.parse::<u32>() {
            // A text without `.attach_to_group` chooses its controller by the section.
            Ok(_) if self.uc.is_none() => {
                self.attach(line, number);
                self.check_flags(line, found, flags);
            }
            Ok(uc) if uc == chosen => self.check_flags(line, found, flags),
            Ok(uc) => {
                let message = format!("the section is of controller {uc}, the code of {chosen}");
                let diag = Diag::error(&codes::DIRECTIVE, message);
                let help = format!("`.attach_to_group {uc}` chooses the controller");
                self.error_losing_all(line.span(rest), diag.help(help));
            }
            Err(_) => self.unknown_section(line, rest),
        }
    }

    fn check_flags(&mut self, line: &LineAt<'_>, found: Option<&str>, flags: &str) {
        let Some(found) = found else { return };
        let letters = found.strip_prefix('"').and_then(|f| f.strip_suffix('"'));
        if !letters.is_some_and(|letters| letters.chars().all(|c| flags.contains(c))) {
            let message = format!("the flags of this section are \"{flags}\", not {found}");
            let diag = Diag::error(&codes::DIRECTIVE, message);
            self.error(line.span(found), diag.help("leave them out"));
        }
    }

    /// A line of an annotation.
    pub(super) fn annotate(&mut self, line: &LineAt<'_>) {
        let Some(open) = &mut self.annotation else {
            return;
        };
        let text = lexer::trim(line.raw);
        let field = text.split_once(':').and_then(|(key, value)| {
            let value = lexer::trim(value).to_owned();
            let slot = match lexer::trim(key) {
                "id" => &mut open.id,
                "name" => &mut open.name,
                "description" => &mut open.description,
                _ => return None,
            };
            *slot = Some(value);
            Some(())
        });
        if field.is_none() {
            self.annotation = None;
            let message = "an annotation has the lines 'id:', 'name:' and 'description:'";
            let diag = Diag::error(&codes::DIRECTIVE, message);
            return self.error(line.span(text), diag);
        }
        if let OpenAnnotation {
            id: Some(id),
            name: Some(name),
            description: Some(description),
        } = open
        {
            let [id, name, description] = [id, name, description].map(std::mem::take);
            self.annotation = None;
            self.annotations.extend(self.last.map(|at| Annotation {
                at,
                id,
                name,
                description,
            }));
        }
    }
}
