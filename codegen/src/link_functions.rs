//! Linking: functions that a design only declares get their bodies from files of functions.
//!
//! A declaration (`func.func private @scale(memref<64xi32>)` in a device or around it) that has the
//! name of a function with a body in one of the files is replaced by that function, and what this
//! one needs of its file (other functions, globals) comes along. What a file has beyond that is
//! left out. A declaration that no file has stays; in the simulator it may name a built-in kernel
//! or one of a host library.
//!
//! Checked: types of declaration and function agree; two files don't define the same name; what
//! comes along takes no name that the design has already.

use std::collections::VecDeque;

use aiec_aie::ir::{Attr, InsertPoint, Module, Op, SymbolTable, ValueMap};
use aiec_aie::ops::OpKind;
use aiec_diag::{Diag, Diags, Reported, Severity, Span, codes, did_you_mean};
use indexmap::IndexMap;
use rustc_hash::FxHashSet;

codes! {
    /// Codes of linking.
    pub static CODES;
    NOT_A_FUNCTION = "link::not-a-function",
        "A file that is linked in holds functions with bodies (func.func), declarations of others \
         and globals (memref.global). Devices and their parts belong into the design.";
    TYPES_DIFFER = "link::types-differ",
        "The design declares the function with other types than the linked file defines it with. \
         The calls in the design use the declared types, so both must be the same.";
    DEFINED_TWICE = "link::defined-twice",
        "Two linked files define a function or a global of the same name. Link one of them, or \
         give one another name.";
    NAME_TAKEN = "link::name-taken",
        "A linked function needs a function or a global of its file whose name is taken by \
         something else in the design. Give it another name in the file.";
    SHADOWED = "link::shadowed",
        "The design has a body for this function itself, so that of the linked file is not used.";
    UNUSED = "link::unused",
        "The design declares no function that the file defines, so linking it changes nothing. \
         Names of declaration and definition must be the same.";
}

/// A file of functions, parsed.
#[derive(Debug)]
pub struct Library {
    /// Its name in messages.
    pub name: String,
    /// Its contents.
    pub module: Module,
}

/// Where a symbol is defined: the library and the operation in it.
type Definition = (usize, Op);

/// Links libraries into a design.
///
/// # Errors
/// A library holds something else than functions, or a name or a type is wrong; all findings are
/// reported.
pub fn link(module: &mut Module, libraries: &[Library], diags: &mut Diags) -> Result<(), Reported> {
    let errors = diags.len();
    let definitions = definitions(libraries, diags);
    let mut linker = Linker {
        module,
        libraries,
        definitions,
        used: vec![false; libraries.len()],
        diags,
    };
    let mut tables = linker.module.find(linker.module.top(), OpKind::Device);
    tables.push(linker.module.top());
    for table in tables {
        linker.table(table);
    }
    linker.tell_unused();
    let is_error = |diag: &Diag| diag.severity == Severity::Error;
    if diags.iter().skip(errors).any(is_error) {
        Err(Reported)
    } else {
        Ok(())
    }
}

/// Definitions of the libraries, by name.
fn definitions(libraries: &[Library], diags: &mut Diags) -> IndexMap<String, Definition> {
    let mut all: IndexMap<String, Definition> = IndexMap::new();
    for (number, library) in libraries.iter().enumerate() {
        let module = &library.module;
        for op in module.ops_in(module.body()) {
            let defines = match module.kind(op) {
                OpKind::FuncFunc => module.entry(op, 0).is_some(),
                OpKind::MemrefGlobal => true,
                _ => {
                    let name = module.op_name(op);
                    let message = format!("{} holds `{name}`", library.name);
                    diags.push(
                        Diag::error(&NOT_A_FUNCTION, message)
                            .label(module.span(op), "neither a function nor a global")
                            .help("leave only func.func and memref.global in files for --link"),
                    );
                    false
                }
            };
            let Some(name) = module.str_attr(op, "sym_name").filter(|_| defines) else {
                continue;
            };
            match all.get(name) {
                Some(&(first, other)) => {
                    let message = format!("`{name}` is defined twice in what is linked");
                    let there = libraries[first].module.span(other);
                    diags.push(
                        Diag::error(&DEFINED_TWICE, message)
                            .label(module.span(op), "here again")
                            .label(there, "here first")
                            .help("link one of the files, or rename one of the two"),
                    );
                }
                None => {
                    all.insert(name.to_string(), (number, op));
                }
            }
        }
    }
    all
}

struct Linker<'a> {
    module: &'a mut Module,
    libraries: &'a [Library],
    definitions: IndexMap<String, Definition>,
    /// Which libraries gave something.
    used: Vec<bool>,
    diags: &'a mut Diags,
}

impl Linker<'_> {
    /// Gives the declarations of a device, or of the module around devices, their bodies.
    fn table(&mut self, table: Op) {
        let mut symbols = SymbolTable::of(self.module, table);
        let functions: Vec<Op> = symbols
            .iter()
            .map(|(_, op)| op)
            .filter(|op| self.module.kind(*op) == OpKind::FuncFunc)
            .collect();
        let mut found = Vec::new();
        for declared in functions {
            let name = self.module.str_attr(declared, "sym_name");
            let Some(name) = name.map(str::to_string) else {
                continue;
            };
            let Some(&definition) = self.definitions.get(&name) else {
                continue;
            };
            let (number, op) = definition;
            if self.libraries[number].module.kind(op) != OpKind::FuncFunc {
                continue;
            }
            self.used[number] = true;
            if self.module.entry(declared, 0).is_some() {
                self.shadowed(&name, declared, definition);
            } else if self.agree(&name, declared, definition) {
                found.push((name, declared, definition));
            }
        }
        self.bring(found, &mut symbols);
    }

    fn span(&self, (number, op): Definition) -> Option<Span> {
        self.libraries[number].module.span(op)
    }

    fn shadowed(&mut self, name: &str, own: Op, definition: Definition) {
        let message = format!("the design has a body for `{name}` itself");
        let diag = Diag::warning(&SHADOWED, message)
            .label(self.module.span(own), "this one is used")
            .label(self.span(definition), "this one is not")
            .help("make it a declaration (func.func private without a body) to use the linked one");
        self.diags.push(diag);
    }

    /// Whether declaration and function have the same types.
    fn agree(&mut self, name: &str, declared: Op, definition: Definition) -> bool {
        let (number, op) = definition;
        let wanted = self.module.attr(declared, "function_type");
        let given = self.libraries[number].module.attr(op, "function_type");
        if wanted == given {
            return true;
        }
        let text = |attr: Option<&Attr>| match attr {
            Some(Attr::Type(ty)) => format!("`{ty}`"),
            _ => "nothing".to_string(),
        };
        let (wanted, given) = (text(wanted), text(given));
        let message = format!("`{name}` has other types where it is defined");
        let diag = Diag::error(&TYPES_DIFFER, message)
            .label(self.module.span(declared), format!("declared as {wanted}"))
            .label(self.span(definition), format!("defined as {given}"))
            .help("give both the same types, memory spaces and signs of integers included");
        self.diags.push(diag);
        false
    }

    /// Puts definitions in the places of their declarations, followed by the definitions that they
    /// need.
    fn bring(&mut self, declared: Vec<(String, Op, Definition)>, symbols: &mut SymbolTable) {
        let libraries = self.libraries;
        let mut linked: FxHashSet<String> =
            declared.iter().map(|(name, ..)| name.clone()).collect();
        let mut open = VecDeque::new();
        for (name, declaration, definition) in declared {
            let at = InsertPoint::Before(declaration);
            let copy = self.copy(&name, definition, at, symbols);
            self.module.erase(declaration);
            open.push_back((copy, definition));
        }
        while let Some((copy, (number, op))) = open.pop_front() {
            let library = &libraries[number].module;
            let mut at = InsertPoint::After(copy);
            for wanted in needs(library, op) {
                if linked.contains(&wanted) {
                    continue;
                }
                match (self.definitions.get(&wanted).copied(), symbols.get(&wanted)) {
                    (Some(found), None) => {
                        let copy = self.copy(&wanted, found, at, symbols);
                        at = InsertPoint::After(copy);
                        open.push_back((copy, found));
                    }
                    (Some(found), Some(there)) => self.taken(&wanted, there, found),
                    // Declared only, so a kernel of the simulator; the verifier of the linked
                    // design tells if it isn't even declared.
                    (None, None) => {
                        if let Some(declaration) = declaration(library, &wanted) {
                            self.copy(&wanted, (number, declaration), at, symbols);
                        }
                    }
                    (None, Some(_)) => {}
                }
                linked.insert(wanted);
            }
        }
    }

    fn copy(
        &mut self,
        name: &str,
        (number, op): Definition,
        at: InsertPoint,
        symbols: &mut SymbolTable,
    ) -> Op {
        self.used[number] = true;
        let library = &self.libraries[number].module;
        let copy = self.module.import_op(library, op, &mut ValueMap::new(), at);
        symbols.insert(name, copy);
        copy
    }

    fn taken(&mut self, name: &str, there: Op, definition: Definition) {
        let message = format!("`{name}` is taken by something else in the design");
        let diag = Diag::error(&NAME_TAKEN, message)
            .label(self.span(definition), "a linked function needs this")
            .label(self.module.span(there), "the design has this")
            .help("give it another name in the linked file");
        self.diags.push(diag);
    }

    /// Files that gave nothing.
    fn tell_unused(&mut self) {
        let declared: Vec<String> = self
            .module
            .find(self.module.top(), OpKind::FuncFunc)
            .into_iter()
            .filter(|op| self.module.entry(*op, 0).is_none())
            .filter_map(|op| self.module.str_attr(op, "sym_name").map(str::to_string))
            .collect();
        for (number, library) in self.libraries.iter().enumerate() {
            if self.used[number] || self.diags.has_errors() {
                continue;
            }
            let mut names = self.definitions.iter();
            let near = names.find_map(|(name, (of, _))| {
                (*of == number).then_some(())?;
                did_you_mean(name, declared.iter().map(String::as_str)).map(|near| (name, near))
            });
            let help = match near {
                Some((name, near)) => format!("it has `{name}`; the design declares `{near}`"),
                None => {
                    "declare its functions in the device: func.func private @name(…)".to_string()
                }
            };
            let message = format!("nothing of {} is used", library.name);
            self.diags.push(Diag::warning(&UNUSED, message).help(help));
        }
    }
}

/// The symbols of its file that a function uses.
fn needs(library: &Module, function: Op) -> Vec<String> {
    let mut names = Vec::new();
    for op in library.walk(function) {
        let name = match library.kind(op) {
            OpKind::FuncCall => library.symbol_attr(op, "callee"),
            OpKind::MemrefGetGlobal => library.symbol_attr(op, "name"),
            _ => None,
        };
        if let Some(name) = name
            && !names.iter().any(|known| known == name)
        {
            names.push(name.to_string());
        }
    }
    names
}

/// The declaration of a function in a library.
fn declaration(library: &Module, name: &str) -> Option<Op> {
    let found = SymbolTable::of(library, library.top()).get(name)?;
    (library.kind(found) == OpKind::FuncFunc).then_some(found)
}
