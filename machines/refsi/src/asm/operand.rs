//! Operands of commands: registers, values by field, units, flags, sums.

use aiec_diag::Diag;
use aiec_isa::finding::unknown_name;
use aiec_isa::number;
use aiec_isa::text::{Token, TokenKind};

use super::Assembler;
use super::expression::Destination;
use crate::codes;
use crate::command::MAX_OPERANDS;
use crate::register::{self, FieldForm, MODES, PERM_LETTERS};
use crate::table::{CommandInfo, FLAGS, Kind};
use crate::unit::Unit;

impl<'t> Assembler<'t, '_> {
    /// The value of an operand; 0 for one that is wrong, which is reported.
    pub(super) fn operand(
        &mut self,
        info: &'static CommandInfo,
        first: &Token<'t>,
        index: usize,
        part: &[Token<'t>],
        before: &[u64; MAX_OPERANDS],
        header: usize,
    ) -> u64 {
        let (Some(kind), Some(field)) = (info.kinds.get(index), info.operands().get(index)) else {
            return 0;
        };
        let Some(token) = part.first() else {
            let message = format!("{} is missing", field.name);
            let diag = Diag::error(&codes::OPERANDS, message).label(first.span, "");
            let syntax = info.instruction.syntax.as_deref().unwrap_or_default();
            self.fail(diag.help(format!("write {syntax}")));
            return 0;
        };
        let to = Destination {
            chunk: header + (field.position / 64) as usize,
            low: field.position % 64,
            bits: field.bits,
            field: None,
            what: &field.name,
        };
        let by_field = part.iter().any(|token| token.is_sign('='));
        match kind {
            Kind::Register if token.kind == TokenKind::Word => self.register(part, token),
            Kind::RegisterValue if by_field => self.fields(first, part, before[0], to),
            Kind::Unit if token.kind == TokenKind::Word => self.unit(part, token),
            Kind::Flags if token.kind == TokenKind::Word => self.flags(part),
            _ => self.value(first, part, to),
        }
    }

    fn register(&mut self, part: &[Token<'t>], token: &Token<'t>) -> u64 {
        match (register::by_name(token.text), part.get(1)) {
            (Some(id), None) => id,
            (_, Some(other)) => self.unexpected(other, "a register is one name or number"),
            (None, None) => {
                let names: Vec<String> = register::names().collect();
                let help = "`aiec isa --target refsi-m1` lists the registers";
                let names = names.iter().map(String::as_str);
                let mut diag = unknown_name("register", token.text, token.span, names, help);
                diag.code = &codes::REGISTER;
                self.fail(diag);
                0
            }
        }
    }

    fn unexpected(&mut self, token: &Token<'t>, help: &str) -> u64 {
        let message = format!("'{}' is not expected here", token.text);
        let diag = Diag::error(&codes::SYNTAX, message).label(token.span, "");
        self.fail(diag.help(help));
        0
    }

    fn unit(&mut self, part: &[Token<'t>], token: &Token<'t>) -> u64 {
        let mut kinds = Unit::KINDS.iter();
        let kind = kinds.find(|(name, ..)| name.eq_ignore_ascii_case(token.text));
        let Some((name, kind, _)) = kind else {
            let names = Unit::KINDS.iter().map(|(name, ..)| *name);
            let help = "units are any, external, cmp, hart:N and core:N";
            let diag = unknown_name("unit", token.text, token.span, names, help);
            self.fail(diag);
            return 0;
        };
        let indexed = matches!(
            Unit::from_kind(*kind, 0),
            Some(Unit::Hart(_) | Unit::Core(_))
        );
        let index = match part {
            [_] if !indexed => Some(0),
            [_, colon, index] if indexed && colon.is_sign(':') => match number::parse(index.text) {
                Ok(index) => u16::try_from(index).ok(),
                Err(error) => {
                    self.fail(error.diag(index.text, index.span));
                    return 0;
                }
            },
            _ => None,
        };
        match index.and_then(|index| Unit::from_kind(*kind, index)) {
            Some(unit) => unit.id(),
            None => {
                let form = if indexed {
                    format!("{name}:N, N up to 65535")
                } else {
                    (*name).to_owned()
                };
                let message = format!("this unit is written {form}");
                let diag = Diag::error(&codes::SYNTAX, message).label(token.span, "");
                self.fail(diag.help("units are any, external, cmp, hart:N and core:N"));
                0
            }
        }
    }

    fn flags(&mut self, part: &[Token<'t>]) -> u64 {
        let mut flags = 0;
        for (at, token) in part.iter().enumerate() {
            if at % 2 == 1 {
                if !token.is_sign('|') || at + 1 == part.len() {
                    return self.unexpected(token, "flags are DCACHE, ICACHE or DCACHE|ICACHE");
                }
                continue;
            }
            match FLAGS
                .iter()
                .position(|flag| flag.eq_ignore_ascii_case(token.text))
            {
                Some(bit) => flags |= 1 << bit,
                None => {
                    let help = "flags are DCACHE and ICACHE, joined by |, or a number";
                    let diag = unknown_name("cache", token.text, token.span, FLAGS, help);
                    self.fail(diag);
                }
            }
        }
        flags
    }

    /// `FIELD=VALUE …` of a register.
    fn fields(
        &mut self,
        first: &Token<'t>,
        part: &[Token<'t>],
        register: u64,
        to: Destination,
    ) -> u64 {
        let Some(row) = register::info(register) else {
            let message = format!("{} has no fields", register::Name(register));
            let diag = Diag::error(&codes::FIELD, message).label(first.span, "");
            self.fail(diag.help("write its value as a number"));
            return 0;
        };
        let mut value = 0;
        let mut given = 0u64;
        let mut rest = part;
        while let Some((name, more)) = rest.split_first() {
            let Some((sign, more)) = more.split_first().filter(|(sign, _)| sign.is_sign('='))
            else {
                self.unexpected(name, "fields are written NAME=VALUE, separated by blanks");
                return value;
            };
            // a value goes up to the name of the next field
            let next = more.windows(2).position(|pair| pair[1].is_sign('='));
            let (own, after) = more.split_at(next.unwrap_or(more.len()));
            rest = after;
            let mut fields = row.fields.iter();
            let Some(field) = fields.find(|f| f.name.eq_ignore_ascii_case(name.text)) else {
                let names = row.fields.iter().map(|f| f.name);
                let all: Vec<&str> = names.clone().collect();
                let help = format!("its fields are {}", all.join(", "));
                let what = format!("field of {}:", register::Name(register));
                let mut diag = unknown_name(&what, name.text, name.span, names, &help);
                diag.code = &codes::FIELD;
                self.fail(diag);
                continue;
            };
            if given >> field.low & 1 == 1 {
                let message = format!("{} is given twice", field.name);
                let diag = Diag::error(&codes::FIELD, message).label(name.span, "");
                self.fail(diag.help("remove one of them"));
                continue;
            }
            given |= 1 << field.low;
            let word = own
                .first()
                .filter(|t| t.kind == TokenKind::Word && own.len() == 1);
            let encoded = match (field.form, word) {
                (FieldForm::Mode, Some(word)) => self.mode(word),
                (FieldForm::Perms, Some(word)) => self.perms(word),
                _ => {
                    let to = Destination {
                        low: field.low,
                        field: Some(field),
                        ..to
                    };
                    self.value(sign, own, to)
                }
            };
            value |= encoded << field.low;
        }
        value
    }

    fn mode(&mut self, word: &Token<'t>) -> u64 {
        match MODES
            .iter()
            .position(|mode| mode.eq_ignore_ascii_case(word.text))
        {
            Some(mode) => mode as u64,
            None => {
                let help = "modes are SHARED, PER_HART and PER_CORE";
                let mut diag = unknown_name("mode", word.text, word.span, MODES, help);
                diag.code = &codes::WINDOW;
                self.fail(diag);
                0
            }
        }
    }

    fn perms(&mut self, word: &Token<'t>) -> u64 {
        let mut perms = 0;
        for letter in word.text.chars() {
            match PERM_LETTERS
                .iter()
                .position(|known| known.eq_ignore_ascii_case(&letter))
            {
                Some(bit) if perms >> bit & 1 == 0 => perms |= 1 << bit,
                _ => {
                    let message = format!("'{}' aren't permissions", word.text);
                    let diag = Diag::error(&codes::FIELD, message).label(word.span, "");
                    self.fail(
                        diag.help("permissions are letters of rwx, each once; 0 is unrestricted"),
                    );
                    return 0;
                }
            }
        }
        perms
    }
}
