//! First step: which line belongs to which controller, scope and state.

use indexmap::IndexMap;

use super::lexer::{self, Line, Piece};
use super::{AsmError, AsmErrorKind, AsmOptions, Files, Source, Span};
use crate::program::MAIN_SCOPE;

/// Deepest nesting of includes.
const MAX_DEPTH: usize = 32;
/// Columns of a partition when the text does not say.
const DEFAULT_COLUMNS: u32 = 4;
/// Lines of an annotation block.
const ANNOTATION_LINES: usize = 3;

/// An operation with its operands.
#[derive(Debug, Clone)]
pub(super) struct Statement {
    pub word: Piece,
    pub operands: Vec<Piece>,
}

/// A line of a scope's data.
#[derive(Debug, Clone)]
pub(super) enum DataLine {
    Label(Piece),
    Item(Statement),
}

/// What a scope of a controller collects.
#[derive(Debug, Default)]
pub(super) struct ScopeParts {
    /// Operations of the text, `.eop` and EOF included.
    pub text: Vec<Statement>,
    pub data: Vec<DataLine>,
    pub has_eof: bool,
    /// Where it was first used.
    pub span: Option<Span>,
}

/// What a controller collects.
#[derive(Debug, Default)]
pub(super) struct GroupParts {
    /// By full name, `default` or `default:NAME`, in order of first use.
    pub scopes: IndexMap<String, ScopeParts>,
    pub pads: IndexMap<String, Vec<u8>>,
}

/// What a text collects.
#[derive(Debug)]
pub(super) struct Parts {
    pub groups: std::collections::BTreeMap<u32, GroupParts>,
    pub columns: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Text,
    Data,
}

pub(super) struct Reader<'a> {
    files: &'a dyn Files,
    options: AsmOptions,
    parts: Parts,
    errors: Vec<AsmError>,
    sources: Vec<Source>,
    uc: Option<u32>,
    /// Names of the open scopes behind `default`.
    scopes: Vec<String>,
    states: Vec<State>,
    /// Files being read, outermost first.
    depth: Vec<u32>,
    /// Lines of an annotation still to come.
    annotation: usize,
}

impl<'a> Reader<'a> {
    pub fn new(files: &'a dyn Files, options: AsmOptions) -> Self {
        Self {
            files,
            options,
            parts: Parts {
                groups: Default::default(),
                columns: DEFAULT_COLUMNS,
            },
            errors: Vec::new(),
            sources: Vec::new(),
            uc: None,
            scopes: Vec::new(),
            states: Vec::new(),
            depth: Vec::new(),
            annotation: 0,
        }
    }

    pub fn read_main(&mut self, name: &str, text: &[u8]) {
        let file = self.add_source(name, text);
        self.read_file(file);
        if !self.options.compat
            && let Some(open) = self.scopes.last().cloned()
        {
            let span = self.end_of(file);
            self.error(span, AsmErrorKind::OpenScope(open));
        }
    }

    pub fn finish(self) -> (Parts, Vec<AsmError>, Vec<Source>) {
        (self.parts, self.errors, self.sources)
    }

    fn error(&mut self, span: Span, kind: AsmErrorKind) {
        self.errors.push(AsmError { kind, span });
    }

    fn end_of(&self, file: u32) -> Span {
        let text = self
            .sources
            .get(file as usize)
            .map_or("", |s| s.text.as_str());
        let line = text.lines().count().max(1) as u32;
        Span {
            file,
            line,
            start: text.len() as u32,
            len: 0,
            column: 1,
        }
    }

    /// The number of a file; one name is one file, however often it is included.
    fn add_source(&mut self, name: &str, text: &[u8]) -> u32 {
        if let Some(at) = self.sources.iter().position(|s| s.name == name) {
            return at as u32;
        }
        let text = String::from_utf8_lossy(text).into_owned();
        self.sources.push(Source {
            name: name.to_owned(),
            text,
        });
        self.sources.len() as u32 - 1
    }

    fn read_file(&mut self, file: u32) {
        self.depth.push(file);
        let text = self
            .sources
            .get(file as usize)
            .map(|s| s.text.clone())
            .unwrap_or_default();
        for (line, span) in lexer::lines(file, &text) {
            if self.annotation > 0 && !line.is_empty() {
                self.annotation -= 1;
                continue;
            }
            match lexer::classify(&line, span, self.options.compat) {
                Line::Empty => {}
                Line::Directive(name, rest) => self.directive(name, rest, span),
                Line::Label(name) => self.label(name),
                Line::Operation(word, operands) => self.operation(Statement { word, operands }),
                Line::Unknown if self.options.compat => {}
                Line::Unknown => self.error(span, AsmErrorKind::UnknownLine),
            }
        }
        self.depth.pop();
    }

    fn state(&self) -> State {
        self.states.last().copied().unwrap_or(State::Text)
    }

    fn scope_name(&self) -> String {
        let mut name = MAIN_SCOPE.to_owned();
        for scope in &self.scopes {
            name.push(':');
            name.push_str(scope);
        }
        name
    }

    fn group(&mut self) -> &mut GroupParts {
        let uc = *self.uc.get_or_insert(0);
        self.parts.groups.entry(uc).or_default()
    }

    fn scope(&mut self, span: Span) -> &mut ScopeParts {
        let name = self.scope_name();
        let scope = self.group().scopes.entry(name).or_default();
        scope.span.get_or_insert(span);
        scope
    }

    fn label(&mut self, name: Piece) {
        match self.state() {
            State::Data => {
                let span = name.span;
                self.scope(span).data.push(DataLine::Label(name));
            }
            State::Text => {
                let fold = !self.options.compat;
                let name = if fold {
                    name.text.to_ascii_lowercase()
                } else {
                    name.text
                };
                self.scopes.push(name);
                self.states.push(State::Text);
            }
        }
    }

    fn operation(&mut self, statement: Statement) {
        let span = statement.word.span;
        let is_data = matches!(
            statement.word.text.as_str(),
            ".long" | ".align" | "uc_dma_bd"
        );
        if statement.word.text == "eof" {
            self.states.push(State::Data);
            let scope = self.scope(span);
            scope.has_eof = true;
            scope.text.push(statement);
        } else if is_data && self.state() == State::Data {
            self.scope(span).data.push(DataLine::Item(statement));
        } else {
            self.scope(span).text.push(statement);
        }
    }

    fn directive(&mut self, name: &'static str, rest: Piece, line: Span) {
        match name {
            ".attach_to_group" => self.attach(rest),
            ".section" => self.section(rest, line),
            ".include" => self.include(rest, line),
            ".endl" => self.end_scope(rest),
            ".setpad" => self.set_pad(rest, line),
            ".partition" => self.partition(rest, line),
            ".target" => self.target(rest, line),
            _ => self.topology(rest, line),
        }
    }

    fn malformed(&mut self, span: Span, directive: &'static str, wanted: &'static str) {
        self.error(span, AsmErrorKind::Directive { directive, wanted });
    }

    fn attach(&mut self, rest: Piece) {
        // leading digits count, as in the vendor's assembler ("0x1" is 0 there)
        let digits = rest.text.bytes().take_while(u8::is_ascii_digit).count();
        let whole = digits == rest.text.len();
        let number = rest.text.get(..digits).and_then(|d| d.parse().ok());
        let Some(uc) = number.filter(|_| whole || self.options.compat) else {
            let wanted = "the decimal number of a controller";
            return self.malformed(rest.span, ".attach_to_group", wanted);
        };
        if !self.options.compat
            && let Some(open) = self.scopes.last().cloned()
        {
            self.error(rest.span, AsmErrorKind::OpenScope(open));
        }
        let name = self.scope_name();
        if let Some(scope) = self.group().scopes.get_mut(&name) {
            scope.has_eof = true;
        }
        self.uc = Some(uc);
        self.states.push(State::Text);
    }

    fn section(&mut self, rest: Piece, line: Span) {
        if rest.text.is_empty() {
            return self.malformed(line, ".section", "a section name");
        }
        if rest.text.starts_with(".ctrltext") {
            self.states.push(State::Text);
        } else if rest.text.starts_with(".ctrldata") {
            self.states.push(State::Data);
        } else if rest.text.starts_with("annotation") {
            self.annotation = ANNOTATION_LINES;
        } else if !self.options.compat {
            self.error(rest.span, AsmErrorKind::UnknownSection(rest.text));
        }
    }

    fn include(&mut self, rest: Piece, line: Span) {
        let name = unquote(&rest.text);
        let Some(text) = self.files.read(name) else {
            return self.error(line, AsmErrorKind::MissingFile(name.to_owned()));
        };
        let file = self.add_source(name, &text);
        if self.depth.contains(&file) || self.depth.len() >= MAX_DEPTH {
            return self.error(line, AsmErrorKind::IncludeDepth(name.to_owned()));
        }
        self.states.push(State::Text);
        self.read_file(file);
        self.states.pop();
    }

    fn end_scope(&mut self, rest: Piece) {
        let fold = !self.options.compat;
        let found = if fold {
            rest.text.to_ascii_lowercase()
        } else {
            rest.text
        };
        match self.scopes.last() {
            Some(open) if *open == found => {
                self.scopes.pop();
                self.states.pop();
            }
            open => {
                let open = open.map_or(MAIN_SCOPE, String::as_str).to_owned();
                self.error(rest.span, AsmErrorKind::ScopeMismatch { found, open });
            }
        }
    }

    fn set_pad(&mut self, rest: Piece, line: Span) {
        let mut words = rest.text.split([' ', '\t', ',']).filter(|w| !w.is_empty());
        let (Some(name), Some(size)) = (words.next(), words.next()) else {
            return self.malformed(line, ".setpad", "a name and a number of words or a file");
        };
        let number = match size.strip_prefix("0x") {
            Some(hex) => u32::from_str_radix(hex, 16).ok(),
            None => size.parse::<u32>().ok(),
        };
        /// Largest pad in words: what a controller's address offsets can reach.
        const MAX_WORDS: u32 = 1 << 24;
        let bytes = match number {
            Some(words) if words <= MAX_WORDS => vec![0; words as usize * 4],
            Some(_) => return self.malformed(line, ".setpad", "at most 16777216 words"),
            None => match self.files.read(unquote(size)) {
                Some(bytes) => bytes,
                None => {
                    let file = unquote(size).to_owned();
                    return self.error(line, AsmErrorKind::MissingFile(file));
                }
            },
        };
        let fold = !self.options.compat;
        let name = if fold {
            name.to_ascii_lowercase()
        } else {
            name.to_owned()
        };
        self.group().pads.insert(name, bytes);
    }

    fn partition(&mut self, rest: Piece, line: Span) {
        let number = |text: &str| -> Option<u32> {
            let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
            plain.then(|| text.parse().ok()).flatten()
        };
        let columns = rest
            .text
            .strip_suffix("column")
            .and_then(number)
            .or_else(|| {
                let (cores, mems) = rest.text.split_once(':')?;
                number(mems.strip_suffix("mem")?)?;
                number(cores.strip_suffix("core")?)
            });
        match columns {
            Some(columns) => self.parts.columns = columns,
            None => self.malformed(line, ".partition", "Ncolumn or Ncore:Mmem"),
        }
    }

    fn target(&mut self, rest: Piece, line: Span) {
        let plain = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_alphanumeric());
        let (family, sub) = rest.text.split_once('-').unwrap_or((&rest.text, "x"));
        if !plain(family) || !plain(sub) {
            return self.malformed(line, ".target", "a family, such as aie2ps or aie4-a");
        }
        let wanted = self.options.target;
        if family != wanted.name() {
            let found = family.to_owned();
            self.error(rest.span, AsmErrorKind::TargetMismatch { found, wanted });
        }
    }

    fn topology(&mut self, rest: Piece, line: Span) {
        let numbers: Vec<_> = rest.text.split('-').collect();
        let plain = |s: &&str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
        if numbers.len() != 4 || !numbers.iter().all(plain) {
            self.malformed(line, ".aie_row_topology", "four numbers, such as 1-2-4-0");
        }
    }
}

fn unquote(text: &str) -> &str {
    text.trim().trim_matches('"')
}
