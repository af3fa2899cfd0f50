//! The object files that a core's program is linked with.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use aiec_aie::ir::{Attr, Module, Op, SymbolTable};
use aiec_aie::ops::{Core, Device, OpKind, OpView};
use aiec_diag::{Diag, Diags};

use super::NO_OBJECT;

/// Attributes of cores that list files.
const LISTS: [&str; 2] = ["link_files", "link_merge_files"];

/// Inputs that the cores of a device are linked with.
pub struct Objects<'m> {
    module: &'m Module,
    /// The device's symbols and the module's.
    symbols: [SymbolTable; 2],
    folder: &'m Path,
    /// Files that were found missing, so that each is reported once.
    missing: BTreeSet<String>,
}

impl<'m> Objects<'m> {
    /// For a device of a design in a folder.
    pub fn of(module: &'m Module, device: Device, folder: &'m Path) -> Objects<'m> {
        Objects {
            module,
            symbols: [device.op(), module.top()].map(|table| SymbolTable::of(module, table)),
            folder,
            missing: BTreeSet::new(),
        }
    }

    /// The files of a core and of the functions that it reaches, in the order in which they are
    /// named; missing ones are reported.
    pub fn of_core(&mut self, core: Core, diags: &mut Diags) -> Vec<PathBuf> {
        let module = self.module;
        let mut files: Vec<PathBuf> = Vec::new();
        let mut open = vec![core.op()];
        let mut seen: BTreeSet<Op> = open.iter().copied().collect();
        while let Some(op) = open.pop() {
            for name in self.named(op) {
                if let Some(path) = self.path(&name, op, diags)
                    && !files.contains(&path)
                {
                    files.push(path);
                }
            }
            let calls = module.find(op, OpKind::FuncCall).into_iter();
            let callees = calls.filter_map(|call| self.symbol(module.symbol_attr(call, "callee")?));
            let mut new: Vec<Op> = callees.filter(|callee| seen.insert(*callee)).collect();
            new.reverse();
            open.extend(new);
        }
        files
    }

    fn symbol(&self, name: &str) -> Option<Op> {
        self.symbols.iter().find_map(|table| table.get(name))
    }

    /// The files that a core or a function names.
    fn named(&self, op: Op) -> Vec<String> {
        let mut names = Vec::new();
        let one = self.module.str_attr(op, "link_with");
        names.extend(one.map(str::to_string));
        for key in LISTS {
            if let Some(Attr::Array(list)) = self.module.attr(op, key) {
                let each = list.iter().filter_map(Attr::as_str);
                names.extend(each.map(|name| name.to_string()));
            }
        }
        names
    }

    fn path(&mut self, name: &str, op: Op, diags: &mut Diags) -> Option<PathBuf> {
        let path = self.folder.join(name);
        match fs::canonicalize(&path) {
            Ok(path) => Some(path),
            Err(why) => {
                if self.missing.insert(name.to_string()) {
                    let message = format!("cannot read {}: {why}", path.display());
                    let help = "names of object files start at the design's folder";
                    diags.push(
                        Diag::error(&NO_OBJECT, message)
                            .label(self.module.span(op), "linked with it")
                            .help(help),
                    );
                }
                None
            }
        }
    }
}
