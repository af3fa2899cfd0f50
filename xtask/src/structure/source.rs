//! A crate's module tree, with the paths that each module names.
//!
//! Files are read as tokens, so that comments and strings aren't taken for paths. Code that is only
//! compiled for tests (`#[cfg(test)]`) is left out. A path is followed when it begins with `crate`,
//! `self` or `super`; other paths either name items that such a `use` brought in, or another crate.

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// A path from the crate's root: its segments without the leading `crate`.
pub type ItemPath = Vec<String>;

/// A name that a module makes available under its own path: `use path as name`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The name; `*` for a glob.
    pub name: String,
    /// The path that it names.
    pub path: ItemPath,
}

/// A module and the modules below it.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// Its path.
    pub path: ItemPath,
    /// The modules that it declares.
    pub children: Vec<Module>,
    /// The items that it defines by name, macros excepted.
    pub items: Vec<String>,
    /// The imports of its `use` items, private ones too.
    pub imports: Vec<Import>,
    /// Each path that it names outside of its `use` items, and those of the items.
    pub paths: Vec<ItemPath>,
}

/// Reads the crate whose root file is `root` (`src/lib.rs`).
///
/// # Errors
/// A file that a `mod` item names and that isn't there, or that isn't Rust.
pub fn read_crate(root: &Path) -> Result<Module, String> {
    let folder = root.parent().unwrap_or(Path::new("")).to_path_buf();
    let mut module = Module::default();
    read_file(root, &folder, &mut module)?;
    Ok(module)
}

/// Reads a crate of one file from its text; `mod` items without a body are left out.
///
/// # Errors
/// Text that isn't made of Rust's tokens.
pub fn read_text(text: &str) -> Result<Module, String> {
    let mut module = Module::default();
    read_items(tokens(text)?, None, &mut module)?;
    Ok(module)
}

pub(super) fn tokens(text: &str) -> Result<TokenStream, String> {
    text.parse()
        .map_err(|error: proc_macro2::LexError| error.to_string())
}

fn read_file(file: &Path, folder: &Path, module: &mut Module) -> Result<(), String> {
    let named = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let text = fs::read_to_string(file).map_err(|error| named(&error))?;
    let stream = tokens(&text).map_err(|error| named(&error))?;
    read_items(stream, Some(folder), module)
}

/// Whether the body of an attribute restricts its item to tests.
fn is_test_only(attribute: &Group) -> bool {
    let text: String = attribute.stream().to_string();
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    text == "cfg(test)" || text == "test" || text.starts_with("cfg(all(test")
}

/// Reads the items of a module; `folder` is where the files of its children are.
fn read_items(
    stream: TokenStream,
    folder: Option<&Path>,
    module: &mut Module,
) -> Result<(), String> {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let mut imported = Vec::new();
    let mut at = 0;
    while at < trees.len() {
        if let Some(behind) = behind_attribute(&trees, at) {
            at = behind;
            continue;
        }
        match word(trees.get(at)).as_deref() {
            Some("mod") => at = read_child(&trees, at, folder, module)?,
            Some("use") if punct(trees.get(at + 1)) != Some('<') => {
                let end = at + position_of(&trees[at..], ';');
                imported.extend(use_tree(&trees[at + 1..end], &[]));
                at = end + 1;
            }
            Some("struct" | "enum" | "trait" | "type" | "const" | "static" | "fn" | "union") => {
                module.items.extend(word(trees.get(at + 1)));
                at += 1;
            }
            _ => at = read_path_or_group(&trees, at, module),
        }
    }
    // Only now are all children known, which a path may begin with.
    for (name, path) in imported {
        if let Some(path) = absolute(&path, module) {
            module.paths.push(path.clone());
            module.imports.push(Import { name, path });
        }
    }
    Ok(())
}

/// The index after the attribute at `at`, if there is one, and after its item if only tests have
/// that.
pub(super) fn behind_attribute(trees: &[TokenTree], at: usize) -> Option<usize> {
    if punct(trees.get(at)) != Some('#') {
        return None;
    }
    let TokenTree::Group(attribute) = trees.get(at + 1)? else {
        return None;
    };
    let test_only = is_test_only(attribute);
    Some(if test_only {
        end_of_item(trees, at + 2)
    } else {
        at + 2
    })
}

/// Reads `mod name;` or `mod name { … }` at `at`; gives the index after it.
fn read_child(
    trees: &[TokenTree],
    at: usize,
    folder: Option<&Path>,
    module: &mut Module,
) -> Result<usize, String> {
    let Some(name) = word(trees.get(at + 1)) else {
        return Ok(at + 1);
    };
    let mut child = Module {
        path: [module.path.as_slice(), std::slice::from_ref(&name)].concat(),
        ..Module::default()
    };
    match trees.get(at + 2) {
        Some(TokenTree::Group(body)) => {
            let below = folder.map(|folder| folder.join(&name));
            read_items(body.stream(), below.as_deref(), &mut child)?;
        }
        _ => {
            let Some(folder) = folder else {
                return Ok(at + 3);
            };
            let file = file_of(folder, &name)?;
            read_file(&file, &folder.join(&name), &mut child)?;
        }
    }
    module.children.push(child);
    Ok(at + 3)
}

fn file_of(folder: &Path, name: &str) -> Result<PathBuf, String> {
    let candidates = [
        folder.join(format!("{name}.rs")),
        folder.join(name).join("mod.rs"),
    ];
    let found = candidates.into_iter().find(|file| file.is_file());
    found.ok_or_else(|| format!("{}: no file of module `{name}`", folder.display()))
}

/// The path or the group that begins at `at` in other code; gives the index after it.
fn read_path_or_group(trees: &[TokenTree], at: usize, module: &mut Module) -> usize {
    if let TokenTree::Group(group) = &trees[at] {
        let inner: Vec<TokenTree> = group.stream().into_iter().collect();
        read_code(&inner, module);
        return at + 1;
    }
    let begins = matches!(
        word(trees.get(at)).as_deref(),
        Some("crate" | "super" | "self")
    );
    if !begins || !is_path_separator(trees, at + 1) {
        return at + 1;
    }
    let mut path = Vec::new();
    let mut next = at;
    while let Some(segment) = word(trees.get(next)) {
        path.push(segment);
        next += 1;
        if !is_path_separator(trees, next) {
            break;
        }
        next += 2;
    }
    module.paths.extend(absolute(&path, module));
    next.max(at + 1)
}

/// Paths in bodies of functions and the like; `use` items in them are paths of the module.
fn read_code(trees: &[TokenTree], module: &mut Module) {
    let mut at = 0;
    while at < trees.len() {
        let is_use = word(trees.get(at)).as_deref() == Some("use");
        if let Some(behind) = behind_attribute(trees, at) {
            at = behind;
        } else if is_use && punct(trees.get(at + 1)) != Some('<') {
            let end = at + position_of(&trees[at..], ';');
            for (_, path) in use_tree(&trees[at + 1..end], &[]) {
                module.paths.extend(absolute(&path, module));
            }
            at = end + 1;
        } else {
            at = read_path_or_group(trees, at, module);
        }
    }
}

/// The index after the item at `at`: after its `;` or its braces.
fn end_of_item(trees: &[TokenTree], at: usize) -> usize {
    let ends = |tree: &TokenTree| match tree {
        TokenTree::Punct(punct) => punct.as_char() == ';',
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        _ => false,
    };
    let length = trees[at..].iter().position(ends);
    length.map_or(trees.len(), |length| at + length + 1)
}

/// The index of the first `wanted` sign, or the length.
fn position_of(trees: &[TokenTree], wanted: char) -> usize {
    let found = trees
        .iter()
        .position(|tree| punct(Some(tree)) == Some(wanted));
    found.unwrap_or(trees.len())
}

/// The leaves of a use tree: the name that each brings in, and its path as written.
fn use_tree(trees: &[TokenTree], prefix: &[String]) -> Vec<(String, Vec<String>)> {
    let mut path = prefix.to_vec();
    let mut at = 0;
    while at < trees.len() {
        match &trees[at] {
            TokenTree::Ident(ident) if ident == "as" => {
                let name = word(trees.get(at + 1)).unwrap_or_default();
                return vec![(name, path)];
            }
            TokenTree::Ident(ident) => path.push(ident.to_string()),
            TokenTree::Group(group) => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                let branches = inner.split(|tree| punct(Some(tree)) == Some(','));
                return branches
                    .filter(|branch| !branch.is_empty())
                    .flat_map(|branch| use_tree(branch, &path))
                    .collect();
            }
            TokenTree::Punct(punct) if punct.as_char() == '*' => {
                return vec![("*".to_string(), path)];
            }
            _ => {}
        }
        at += 1;
    }
    // `use a::{self}` brings in `a`.
    if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
        path.pop();
    }
    path.last()
        .cloned()
        .map(|name| (name, path))
        .into_iter()
        .collect()
}

/// A path of this crate from its root, if it is one: `super::x` in module `a::b` is `a::x`, and so is
/// `b::x` in `a`.
fn absolute(path: &[String], module: &Module) -> Option<ItemPath> {
    let first = path.first()?;
    let mut base = match first.as_str() {
        "crate" => Vec::new(),
        "self" => module.path.clone(),
        "super" => module.path[..module.path.len().checked_sub(1)?].to_vec(),
        _ => {
            let mut children = module.children.iter();
            children
                .find(|child| child.path.last() == Some(first))?
                .path
                .clone()
        }
    };
    for segment in &path[1..] {
        if segment == "super" {
            base.pop()?;
        } else {
            base.push(segment.clone());
        }
    }
    Some(base)
}

pub(super) fn word(tree: Option<&TokenTree>) -> Option<String> {
    match tree {
        Some(TokenTree::Ident(ident)) => Some(ident.to_string()),
        _ => None,
    }
}

fn punct(tree: Option<&TokenTree>) -> Option<char> {
    match tree {
        Some(TokenTree::Punct(punct)) => Some(punct.as_char()),
        _ => None,
    }
}

pub(super) fn is_path_separator(trees: &[TokenTree], at: usize) -> bool {
    punct(trees.get(at)) == Some(':') && punct(trees.get(at + 1)) == Some(':')
}
