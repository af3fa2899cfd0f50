//! Last step: names become ids, and unresolved names are reported.

use aiec_diag::{Diag, FileId, Span, did_you_mean};
use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use super::scope::{Constants, Context, GroupBuilder, NameRef, Names, ScopeBuilder};
use super::{AsmOptions, NoFiles, codes};
use crate::finding::UnreadCounts;
use crate::program::{
    BodyItem, DataId, DataItem, FixupValue, Group, Inst, MAIN_SCOPE, Pad, PadId, Program, Scope,
    ScopeId, Word,
};

/// Id of an undefined name; only in programs with errors.
const NOTHING: u32 = u32::MAX;

/// The line that includes a file first.
type Included = FxHashMap<FileId, Span>;

/// Makes a program of the controllers' contents; `order` lists them ascending.
pub(super) fn resolve(
    groups: Vec<GroupBuilder>,
    (order, included): (&[usize], &Included),
    options: AsmOptions,
    errors: &mut Vec<Diag>,
) -> Program {
    let mut program = Program::new(options.target, 0);
    let mut groups: Vec<Option<GroupBuilder>> = groups.into_iter().map(Some).collect();
    for &at in order {
        let Some(builder) = groups.get_mut(at).and_then(Option::take) else {
            continue;
        };
        let group = resolve_group(builder, included, options, errors);
        if group.scopes.iter().any(|s| !s.is_empty()) || !group.pads.is_empty() {
            program.groups.push(group);
        }
    }
    program
}

fn resolve_group(
    builder: GroupBuilder,
    included: &Included,
    options: AsmOptions,
    errors: &mut Vec<Diag>,
) -> Group {
    let mut group = Group::new(builder.uc);
    let mut ids: FxHashMap<&str, ScopeId> = FxHashMap::default();
    ids.insert(MAIN_SCOPE, ScopeId::MAIN);
    for scope in &builder.scopes {
        let next = ScopeId(ids.len() as u32);
        ids.entry(scope.path.as_str()).or_insert(next);
    }
    group.scope_order = builder
        .scopes
        .iter()
        .filter(|s| s.first.is_some())
        .filter_map(|s| ids.get(s.path.as_str()).copied())
        .collect();
    let names = ScopeNames::new(&builder.scopes, &ids, options);
    let scope_refs: Vec<ScopeId> = builder
        .scope_refs
        .iter()
        .map(|name| names.find(name, errors))
        .collect();
    let pad_refs: Vec<PadId> = builder
        .pad_refs
        .iter()
        .map(|name| pad_ref(name, &builder, errors))
        .collect();
    let pads: FxHashMap<&str, PadId> = builder
        .pads
        .keys()
        .enumerate()
        .map(|(i, name)| (name.as_str(), PadId(i as u32)))
        .collect();
    for mut scope in builder.scopes {
        finish_scope(&mut scope, builder.uc, options, errors);
        if !options.compat {
            take_included(&mut scope, included);
        }
        let labels = Labels::new(&scope, &pads, errors);
        let is_main = scope.path == MAIN_SCOPE;
        let mut scope = scope.scope;
        Resolver {
            labels,
            scope_refs: &scope_refs,
            pad_refs: &pad_refs,
        }
        .scope(&mut scope);
        if is_main {
            group.scopes[0] = scope
        } else {
            group.scopes.push(scope)
        }
    }
    if !options.compat {
        check_pads(&builder.pads, errors);
    }
    let pads = builder.pads.into_iter();
    group.pads = pads.map(|(name, (bytes, _))| Pad { name, bytes }).collect();
    group
}

/// Pads lie one after the other by their names, their addresses are multiples of 4, but the
/// format has no filler between their contents.
fn check_pads(pads: &IndexMap<String, (Vec<u8>, Span)>, errors: &mut Vec<Diag>) {
    let mut names: Vec<&String> = pads.keys().collect();
    names.sort_unstable();
    for pair in names.windows(2) {
        let &[name, next] = pair else { continue };
        let Some((bytes, span)) = pads.get(name).filter(|(bytes, _)| bytes.len() % 4 != 0) else {
            continue;
        };
        let message = format!(
            "pad '{name}' has {} bytes, so the pad '{next}' after it would not be where its \
             address says",
            bytes.len()
        );
        let help = "fill the file up to a multiple of 4 bytes";
        let diag = Diag::error(&codes::DIRECTIVE, message).help(help);
        errors.push(diag.label(*span, ""));
    }
}

/// The scopes of a controller by their names.
struct ScopeNames<'a> {
    scopes: &'a [ScopeBuilder],
    /// By path.
    ids: &'a FxHashMap<&'a str, ScopeId>,
    /// By the last name of the path, in text order.
    by_name: FxHashMap<&'a str, Vec<ScopeId>>,
    strict: bool,
}

impl<'a> ScopeNames<'a> {
    fn new(
        scopes: &'a [ScopeBuilder],
        ids: &'a FxHashMap<&'a str, ScopeId>,
        options: AsmOptions,
    ) -> Self {
        let mut by_name: FxHashMap<&str, Vec<ScopeId>> = FxHashMap::default();
        for scope in scopes {
            let id = ids.get(scope.path.as_str()).copied();
            let name = scope.scope.name.as_str();
            by_name.entry(name).or_default().extend(id);
        }
        Self {
            scopes,
            ids,
            by_name,
            strict: !options.compat,
        }
    }

    /// A scope is looked up inside the one that names it, then in the main one, then anywhere in
    /// the controller. The vendor's assembler knows only the last name of each scope, and of
    /// several the last scope.
    fn find(&self, name: &NameRef, errors: &mut Vec<Diag>) -> ScopeId {
        let anywhere = self.by_name.get(name.name.as_str());
        let anywhere = anywhere.map_or(&[][..], |scopes| scopes);
        let from = self.scopes.get(name.from).map_or(MAIN_SCOPE, |s| &s.path);
        let near = |outer: &str| {
            let path = format!("{outer}:{}", name.name);
            self.ids.get(path.as_str()).copied()
        };
        let near = || near(from).or_else(|| near(MAIN_SCOPE));
        let found = match anywhere {
            [] => None,
            [one] => Some(*one),
            [.., last] if !self.strict => Some(*last),
            several => near().or_else(|| {
                let message = format!("there are {} scopes '{}'", several.len(), name.name);
                let diag = Diag::error(&codes::UNDEFINED, message);
                let diag = diag.help("give them different names");
                errors.push(diag.label(name.span, ""));
                Some(ScopeId(NOTHING))
            }),
        };
        found.unwrap_or_else(|| {
            let names = self.scopes.iter().map(|scope| scope.scope.name.as_str());
            undefined(name, names, errors);
            ScopeId(NOTHING)
        })
    }
}

fn pad_ref(name: &NameRef, builder: &GroupBuilder, errors: &mut Vec<Diag>) -> PadId {
    match builder.pads.get_index_of(name.name.as_str()) {
        Some(at) => PadId(at as u32),
        None => {
            undefined(name, builder.pads.keys().map(String::as_str), errors);
            PadId(NOTHING)
        }
    }
}

/// Findings that look for the name that is probably meant: each looks at all names.
const MAX_SUGGESTIONS: usize = 16;

fn undefined<'a>(name: &NameRef, names: impl Iterator<Item = &'a str>, errors: &mut Vec<Diag>) {
    let near = (errors.len() < MAX_SUGGESTIONS).then(|| did_you_mean(&name.name, names));
    let diag = codes::undefined(name.what, &name.name, near.flatten());
    errors.push(diag.label(name.span, ""));
}

/// Reports unresolved names and unfinished blocks.
fn finish_scope(scope: &mut ScopeBuilder, uc: u32, options: AsmOptions, errors: &mut Vec<Diag>) {
    let mut context = Context {
        names: Names {
            options,
            files: &NoFiles,
            constants: &Constants::default(),
        },
        errors,
        unread: &mut UnreadCounts::default(),
        scope_refs: &mut Vec::new(),
        pad_refs: &mut Vec::new(),
        points: None,
        folded: &mut String::new(),
    };
    scope.close_open(&mut context);
    scope.close_block(&mut context);
    // EOF ends pages, so a scope without any needs none
    let needs_eof = scope.has_code && !scope.has_eof;
    if let Some(first) = scope.first.filter(|_| needs_eof) {
        let message = format!("controller {uc} has no EOF in scope '{}'", scope.scope.name);
        let diag = Diag::error(&codes::NO_EOF, message).help("add EOF after the jobs");
        errors.push(diag.label(first, ""));
    }
}

/// Lets a file use labels of the files that it includes, where just one of them has the label. The
/// vendor's assembler keeps the names of files apart.
fn take_included(scope: &mut ScopeBuilder, included: &Included) {
    let is_in = |mut file: u32, outer: u32| {
        // A file is included by one that was read before it.
        while let Some(line) = included.get(&FileId(file)).filter(|l| l.file.0 < file) {
            file = line.file.0;
            if file == outer {
                return true;
            }
        }
        false
    };
    let defined = |name: &str, unit: u32| {
        let id = scope.units.get(&unit)?.get(name)?;
        scope.symbols.get(*id as usize)?.block
    };
    let mut found = Vec::new();
    let units: Vec<u32> = scope.units.keys().copied().collect();
    for (&unit, names) in scope.units.iter().filter(|_| units.len() > 1) {
        for (name, &id) in names {
            if defined(name, unit).is_some() {
                continue;
            }
            let inner = units.iter().filter(|other| is_in(**other, unit));
            let mut blocks = inner.filter_map(|other| defined(name, *other));
            if let (Some(block), None) = (blocks.next(), blocks.next()) {
                found.push((id, block));
            }
        }
    }
    for (id, block) in found {
        if let Some(symbol) = scope.symbols.get_mut(id as usize) {
            symbol.block = Some(block);
        }
    }
}

/// Definitions of the symbols of a scope.
struct Labels {
    blocks: Vec<DataId>,
    /// Pads by symbol, if any symbol is one.
    pads: FxHashMap<u32, PadId>,
}

impl Labels {
    fn new(scope: &ScopeBuilder, pads: &FxHashMap<&str, PadId>, errors: &mut Vec<Diag>) -> Self {
        let mut labels = Self {
            blocks: scope
                .symbols
                .iter()
                .map(|s| s.block.unwrap_or(DataId(NOTHING)))
                .collect(),
            pads: FxHashMap::default(),
        };
        let undefined = scope.symbols.iter().any(|s| s.block.is_none());
        if !undefined && pads.is_empty() {
            return labels;
        }
        // in the order of the text, whatever the order of the maps
        let names = scope.units.values().flatten();
        let mut names: Vec<(u32, &str)> = names.map(|(name, &id)| (id, &**name)).collect();
        names.sort_unstable();
        let is_defined = |id: u32| {
            let symbol = scope.symbols.get(id as usize);
            symbol.is_some_and(|symbol| symbol.block.is_some())
        };
        for &(id, name) in &names {
            let Some(symbol) = scope.symbols.get(id as usize) else {
                continue;
            };
            let pad = pads.get(name).copied();
            labels.pads.extend(pad.map(|pad| (id, pad)));
            if symbol.block.is_none()
                && (pad.is_none() || symbol.label_only)
                && let Some(span) = symbol.used
            {
                let defined = names.iter().filter(|(id, _)| is_defined(*id));
                let near = (errors.len() < MAX_SUGGESTIONS)
                    .then(|| did_you_mean(name, defined.map(|(_, name)| *name)));
                let diag = codes::undefined("label", name, near.flatten());
                errors.push(diag.label(span, ""));
            }
        }
        labels
    }

    fn block(&self, symbol: DataId) -> DataId {
        let found = self.blocks.get(symbol.0 as usize);
        found.copied().unwrap_or(symbol)
    }

    fn word(&self, word: &mut Word) {
        if let Word::Label(symbol) = *word {
            *word = match self.pads.get(&symbol.0) {
                Some(&pad) => Word::Pad(pad),
                None => Word::Label(self.block(symbol)),
            };
        }
    }
}

struct Resolver<'a> {
    labels: Labels,
    scope_refs: &'a [ScopeId],
    pad_refs: &'a [PadId],
}

impl Resolver<'_> {
    fn scope(&self, scope: &mut Scope) {
        for job in scope.regions.iter_mut().flat_map(|r| &mut r.jobs) {
            for item in &mut job.body {
                match item {
                    BodyItem::Inst(inst) => self.inst(inst),
                    BodyItem::Word(word) => self.labels.word(word),
                    BodyItem::Align(_) => {}
                }
            }
        }
        for item in scope.data.iter_mut().flat_map(|b| &mut b.items) {
            match item {
                DataItem::Bd(bd) => bd.local = self.labels.block(bd.local),
                DataItem::Word(word) => self.labels.word(word),
            }
        }
    }

    fn inst(&self, inst: &mut Inst) {
        let mapped = inst.op.try_map(
            |symbol| Some(self.labels.block(symbol)).ok_or(()),
            |scope| self.scope_refs.get(scope.0 as usize).copied().ok_or(()),
        );
        if let Ok(op) = mapped {
            inst.op = op;
        }
        for fixup in &mut inst.fixups {
            if let FixupValue::Label(symbol) = fixup.value {
                fixup.value = match self.labels.pads.get(&symbol.0) {
                    Some(&pad) => FixupValue::Pad(pad),
                    None => FixupValue::Label(self.labels.block(symbol)),
                };
            }
        }
        if let Some(pad) = &mut inst.pad {
            *pad = self.pad_refs.get(pad.0 as usize).copied().unwrap_or(*pad);
        }
    }
}
