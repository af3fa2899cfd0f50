//! Which line belongs to which controller, scope and state.

mod declare;
mod preempt;
mod raw_page;
mod section;

pub(crate) use raw_page::symbol_text;

use std::borrow::Cow;
use std::collections::BTreeMap;

use aiec_diag::{Diag, FileId, SourceFile, SourceMap, Span};
use rustc_hash::FxHashMap;

use super::lexer::{self, Line, LineAt, Operands};
use super::scope::{Constants, Context, GroupBuilder, Names, ScopeBuilder, Statement};
use super::{Annotation, AsmOptions, Assembled, Declared, Files, codes, resolve};
use crate::finding::UnreadCounts;
use crate::isa::{FlowClass, find_mnemonic};
use crate::program::{MAIN_SCOPE, Program, SourceLoc};
use raw_page::OpenRawPage;
use section::OpenAnnotation;

/// Deepest nesting of includes.
const MAX_DEPTH: usize = 32;
/// Columns of a partition when the text does not say.
const DEFAULT_COLUMNS: u32 = 4;
/// Highest number of a controller: two for each of 128 columns.
const MAX_CONTROLLER: u32 = 255;
/// Mark that some editors put at the start of UTF-8 texts; it is skipped.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Text,
    Data,
}

pub(super) struct Reader<'a> {
    files: &'a dyn Files,
    options: AsmOptions,
    errors: Vec<Diag>,
    sources: SourceMap,
    first_file: FileId,
    /// The line that includes a file first.
    included: FxHashMap<FileId, Span>,
    /// Sources by name.
    by_name: FxHashMap<String, FileId>,
    declared: Declared,
    annotations: Vec<Annotation>,
    annotation: Option<OpenAnnotation>,
    groups: Vec<GroupBuilder>,
    by_uc: BTreeMap<u32, usize>,
    uc: Option<u32>,
    /// Names of the open scopes after `default`, and where they were opened.
    scopes: Vec<(String, Span)>,
    states: Vec<State>,
    /// Group and scope that lines go to, if known.
    current: Option<(usize, usize)>,
    /// Files being read, outermost first.
    depth: Vec<FileId>,
    /// The last operation in text.
    last: Option<SourceLoc>,
    unread: UnreadCounts,
    folded: String,
    constants: Constants,
    /// A page whose words come in.
    raw: Option<OpenRawPage>,
}

impl<'a> Reader<'a> {
    pub fn new(files: &'a dyn Files, options: AsmOptions, sources: SourceMap) -> Self {
        let known = (0..).take_while(|&file| sources.file(FileId(file)).is_some());
        Self {
            files,
            options,
            errors: Vec::new(),
            first_file: FileId(known.count() as u32),
            sources,
            included: FxHashMap::default(),
            by_name: FxHashMap::default(),
            declared: Declared::default(),
            annotations: Vec::new(),
            annotation: None,
            groups: Vec::new(),
            by_uc: BTreeMap::new(),
            uc: None,
            scopes: Vec::new(),
            states: Vec::new(),
            current: None,
            depth: Vec::new(),
            last: None,
            unread: UnreadCounts::default(),
            folded: String::new(),
            constants: Constants::default(),
            raw: None,
        }
    }

    pub fn read_main(&mut self, name: &str, text: &[u8]) {
        self.uc = None;
        self.scopes.clear();
        self.states.clear();
        self.current = None;
        let file = self.add_source(name, text, None);
        self.read_file(file);
        self.close_raw_page();
        if self.strict()
            && let Some((open, _)) = self.scopes.last().cloned()
        {
            let span = self.end_of(file);
            self.error(span, codes::open_scope(&open));
        }
    }

    pub fn finish(mut self) -> Assembled {
        self.add_save_restore();
        let columns = self.declared.columns.unwrap_or(DEFAULT_COLUMNS);
        let groups = std::mem::take(&mut self.groups);
        let order: Vec<usize> = self.by_uc.values().copied().collect();
        let mut program = resolve::resolve(
            groups,
            (&order, &self.included),
            self.options,
            &mut self.errors,
        );
        if self.errors.is_empty() && program.groups.is_empty() {
            self.report_no_code();
        }
        program.columns = columns;
        let sources = (0..).map_while(|file| self.sources.file(FileId(file)));
        program.files = sources.map(|source| source.name.clone()).collect();
        // errors of names come last; readers want them where they are
        self.errors
            .sort_by_key(|error| error.span().map(|span| (span.file, span.start)));
        self.errors.dedup();
        let loses_all = |error: &Diag| codes::LOSE_ALL.contains(&error.code);
        if self.errors.iter().any(loses_all) {
            self.unread = UnreadCounts::ALL;
        }
        let empty = Program::new(self.options.target, 0);
        let mut assembled = Assembled {
            program: Ok(empty),
            rest: None,
            sources: self.sources,
            first_file: self.first_file,
            included: self.included,
            declared: self.declared,
            annotations: self.annotations,
        };
        if self.errors.is_empty() {
            assembled.program = Ok(program);
        } else {
            let errors = self.errors.into_iter();
            let errors = errors.map(|error| assembled.with_includes(error));
            assembled.program = Err(errors.collect());
            assembled.rest = Some((program, self.unread));
        }
        assembled
    }

    /// Reports a text without any code: loaders take no such file.
    fn report_no_code(&mut self) {
        let file = self.first_file;
        let text = self.sources.file(file).map_or("", |source| &source.text);
        let help = if text.trim_start().starts_with(['{', '[']) {
            "this looks like JSON: --config takes the description of a configuration file, \
             --patch that of control packets"
        } else {
            "add a job: START_JOB, operations, END_JOB and EOF"
        };
        let diag = Diag::error(&codes::NO_CODE, "there is no control code in this");
        self.error(Span::new(file, 0, 0), diag.help(help));
    }

    fn strict(&self) -> bool {
        !self.options.compat
    }

    /// A name as it is compared: without regard to case, except for compatible texts.
    fn folded(&self, name: &str) -> String {
        if self.strict() {
            name.to_ascii_lowercase()
        } else {
            name.to_owned()
        }
    }

    pub(super) fn error(&mut self, span: Span, diag: Diag) {
        self.errors.push(diag.label(span, ""));
    }

    /// An error that may have cost more than its line.
    fn error_losing_all(&mut self, span: Span, diag: Diag) {
        self.unread = UnreadCounts::ALL;
        self.error(span, diag);
    }

    /// The end of the last line with text.
    fn end_of(&self, file: FileId) -> Span {
        let text = self.sources.file(file).map_or("", |source| &source.text);
        let end = text.trim_end().len();
        Span::new(file, end, end)
    }

    /// The file of a name; one name is one file, however often it is included.
    fn add_source(&mut self, name: &str, text: &[u8], included: Option<Span>) -> FileId {
        if let Some(&file) = self.by_name.get(name) {
            return file;
        }
        let file = self.push_source(name, text, included);
        self.by_name.insert(name.to_owned(), file);
        file
    }

    fn push_source(&mut self, name: &str, text: &[u8], included: Option<Span>) -> FileId {
        // the vendor's assembler doesn't know the line that begins with one
        let text = if self.options.compat {
            text
        } else {
            text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
        };
        // most texts are sound, and checking is much faster than replacing
        let text = match std::str::from_utf8(text) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => String::from_utf8_lossy(text),
        };
        let clean = self.options.compat.then(|| lexer::clean(&text)).flatten();
        let file = SourceFile::new(name, clean.unwrap_or_else(|| text.into_owned()));
        let file = self.sources.add(file);
        self.included.extend(included.map(|line| (file, line)));
        file
    }

    fn read_file(&mut self, file: FileId) {
        let Some(source) = self.sources.file(file).cloned() else {
            return;
        };
        self.depth.push(file);
        let mut rest = source.text.as_str();
        let (mut start, mut number) = (0, 0);
        loop {
            let end = rest.find('\n');
            let raw = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            number += 1;
            self.line(&LineAt {
                file,
                number,
                start,
                raw,
            });
            let Some(end) = end else { break };
            start += end as u32 + 1;
            rest = rest.get(end + 1..).unwrap_or_default();
        }
        self.depth.pop();
    }

    fn line(&mut self, line: &LineAt<'_>) {
        if self.raw.is_some() {
            return self.raw_line(line);
        }
        if self.annotation.is_some() && !lexer::trim(line.raw).is_empty() {
            return self.annotate(line);
        }
        match lexer::classify(line.raw, self.options.compat) {
            Line::Empty => {}
            Line::Operation(word, rest) => self.operation(line, word, rest),
            Line::Label(name) => self.label(line, name),
            Line::Directive(info, rest) => self.directive(line, info.name, rest),
            Line::Unknown(piece) if self.strict() => {
                let message = "this is neither an operation, a label nor a directive";
                let diag = Diag::error(&codes::UNKNOWN_LINE, message);
                self.error(
                    line.span(piece),
                    diag.help("comments begin with ';' or '#'"),
                );
            }
            Line::Unknown(_) => {}
        }
    }

    fn state(&self) -> State {
        self.states.last().copied().unwrap_or(State::Text)
    }

    fn scope_path(&self) -> String {
        let mut path = MAIN_SCOPE.to_owned();
        for (scope, _) in &self.scopes {
            path.push(':');
            path.push_str(scope);
        }
        path
    }

    /// Index of the current group; makes it if need be.
    fn group(&mut self) -> usize {
        let uc = *self.uc.get_or_insert(0);
        if let Some(&at) = self.by_uc.get(&uc) {
            return at;
        }
        self.by_uc.insert(uc, self.groups.len());
        self.groups.push(GroupBuilder::new(uc));
        self.groups.len() - 1
    }

    /// Runs something on the current scope; makes it if need be.
    pub(super) fn in_scope(&mut self, run: impl FnOnce(&mut ScopeBuilder, &mut Context<'_>)) {
        let (group, scope) = match self.current {
            Some(at) => at,
            None => {
                let group = self.group();
                let path = self.scope_path();
                let scope = self.groups[group].scope_at(path);
                self.current = Some((group, scope));
                (group, scope)
            }
        };
        let Some(group) = self.groups.get_mut(group) else {
            return;
        };
        let mut context = Context {
            names: Names {
                options: self.options,
                files: self.files,
                constants: &self.constants,
            },
            errors: &mut self.errors,
            unread: &mut self.unread,
            scope_refs: &mut group.scope_refs,
            pad_refs: &mut group.pad_refs,
            points: self.files.has_save_restore().then_some(&mut group.points),
            folded: &mut self.folded,
        };
        if let Some(scope) = group.scopes.get_mut(scope) {
            run(scope, &mut context);
        }
    }

    /// Number of the job that is open in the current scope.
    pub(super) fn open_job(&self) -> Option<u16> {
        let (group, scope) = self.current?;
        self.groups.get(group)?.scopes.get(scope)?.open_job()
    }

    fn operation(&mut self, line: &LineAt<'_>, word: &str, rest: &str) {
        let name = if self.options.compat {
            word
        } else {
            codes::name_of_today(word)
        };
        let statement = Statement {
            line,
            word,
            name,
            operands: Operands::split(rest, self.options.compat),
        };
        let is = |other: &str| name.eq_ignore_ascii_case(other);
        let is_data = is(".long") || is(".align") || is("uc_dma_bd");
        if is_data && self.state() == State::Data {
            return self.in_scope(|scope, context| scope.data(&statement, context));
        }
        let info = find_mnemonic(word);
        if info.is_none() && !is_data && !is(".eop") && self.state() == State::Data {
            self.in_scope(|scope, _| scope.stray());
        }
        let begins_job = info.is_some_and(|info| info.flow == FlowClass::JobStart);
        if begins_job && self.state() == State::Data && self.strict() {
            let message = "a job begins where data are wanted";
            let diag = Diag::error(&codes::JOB, message).help(
                "jobs are before EOF and `.section .ctrldata`; `.section .ctrltext` goes back to \
                 text",
            );
            self.error(line.span(word), diag);
        }
        if !is(".eop") {
            self.last = Some(line.loc(word));
        }
        if is("eof") {
            self.states.push(State::Data);
            return self.in_scope(|scope, context| scope.eof(&statement, context));
        }
        self.in_scope(|scope, context| scope.text(&statement, info, context));
    }

    fn label(&mut self, line: &LineAt<'_>, name: &str) {
        if self.state() == State::Data {
            return self.in_scope(|scope, context| scope.define(line, name, context));
        }
        let span = line.span(name);
        if let Some(job) = self.open_job().filter(|_| self.strict()) {
            return self.error(span, codes::inside_job("a scope opens", job));
        }
        let name = self.folded(name);
        self.scopes.push((name, span));
        self.states.push(State::Text);
        self.current = None;
    }

    fn directive(&mut self, line: &LineAt<'_>, name: &'static str, rest: &str) {
        match name {
            ".attach_to_group" => self.attach(line, rest),
            ".section" => self.section(line, rest),
            ".include" => self.include(line, rest),
            ".endl" => self.end_scope(line, rest),
            ".setpad" => self.set_pad(line, rest),
            ".partition" => self.partition(line, rest),
            ".raw_page" | ".end_raw_page" => self.raw_page(line, name, rest),
            ".target" => self.target(line, rest),
            ".equ" => self.constant(line, rest),
            _ => self.topology(line, rest),
        }
    }

    pub(super) fn malformed(
        &mut self,
        line: &LineAt<'_>,
        rest: &str,
        directive: &'static str,
        wanted: &'static str,
    ) {
        let span = line.span_or_whole(rest);
        let diag = codes::malformed(directive, wanted);
        match directive {
            ".attach_to_group" | ".section" | ".include" => self.error_losing_all(span, diag),
            _ => self.error(span, diag),
        }
    }

    pub(super) fn attach(&mut self, line: &LineAt<'_>, rest: &str) {
        // leading digits count, as in the vendor's assembler ("0x1" is 0 there)
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let whole = digits == rest.len();
        let number = rest.get(..digits).and_then(|d| d.parse().ok());
        let number = number.filter(|&uc| uc <= MAX_CONTROLLER && (whole || !self.strict()));
        let Some(uc) = number else {
            let wanted = "the decimal number of a controller, 0 to 255";
            return self.malformed(line, rest, ".attach_to_group", wanted);
        };
        let group = self.group();
        let path = self.scope_path();
        let known = self
            .groups
            .get(group)
            .map(|group| group.find(&path).is_some());
        if known == Some(true) {
            let strict = self.strict();
            self.in_scope(|scope, context| {
                scope.has_eof = true;
                if strict {
                    scope.close_open(context);
                }
            });
        }
        self.uc = Some(uc);
        self.current = None;
        self.states.push(State::Text);
    }

    /// A file that the text names.
    fn find(&mut self, line: &LineAt<'_>, name: &str) -> Option<super::FoundFile> {
        let from = self.sources.file(line.file);
        let found = self.files.find(name, from.map_or("", |s| &s.name));
        if found.is_none() {
            let diag = Diag::error(&codes::INCLUDE, format!("cannot read file '{name}'"));
            let help =
                "it is looked up as it is, beside the file that names it, and in each -I folder";
            self.error(line.span(name), diag.help(help));
        }
        found
    }

    fn include(&mut self, line: &LineAt<'_>, rest: &str) {
        let name = unquote(rest);
        if name.is_empty() {
            return self.malformed(line, rest, ".include", "a file name");
        }
        let Some(found) = self.find(line, name) else {
            return;
        };
        let file = self.add_source(&found.path, &found.bytes, Some(line.span(name)));
        if self.depth.contains(&file) || self.depth.len() >= MAX_DEPTH {
            let message = format!("'{name}' includes itself, or includes are nested too deeply");
            return self.error(line.span(name), Diag::error(&codes::INCLUDE, message));
        }
        self.states.push(State::Text);
        self.read_file(file);
        self.states.pop();
    }

    fn end_scope(&mut self, line: &LineAt<'_>, rest: &str) {
        let found = self.folded(rest);
        match self.scopes.last() {
            Some((open, _)) if *open == found => {
                if self.strict() && self.current.is_some() {
                    self.in_scope(|scope, context| scope.close_open(context));
                }
                self.scopes.pop();
                self.states.pop();
                self.current = None;
            }
            open => {
                let open_span = open.map(|(_, span)| *span);
                let open = open.map_or(MAIN_SCOPE, |(name, _)| name);
                let message = format!(".endl {found} does not close the open scope '{open}'");
                let diag = Diag::error(&codes::SCOPE, message);
                let span = line.span_or_whole(rest);
                self.errors
                    .push(diag.label(span, "").label(open_span, "opened here"));
            }
        }
    }
}

fn unquote(text: &str) -> &str {
    text.trim().trim_matches('"')
}
