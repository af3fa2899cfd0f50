//! The pages of the book as tests: their designs are written to files, their commands are run, and what
//! they show must be in what the commands write.
//!
//! * A block `mlir NAME` (or `asm NAME`, `c NAME`) is the content of a file of that name.
//! * A block `diff NAME OTHER` makes a file of another one: lines with `-` are taken out, those with
//!   `+` put in, others only say where.
//! * A block `sh` holds commands, one a line; ` # exits with N` behind one says how it ends, if not
//!   with 0. Commands of other programs are for the reader only.
//! * A block `text` behind commands shows lines of what they write; `…` stands for anything.

use std::fs;
use std::path::{Path, PathBuf};

use crate::driver::aiec;

/// A block of code of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// What it is in, for example `mlir`.
    pub language: String,
    /// The file that it is the content of.
    pub file: Option<String>,
    /// The file that it changes.
    pub from: Option<String>,
    /// The text.
    pub text: String,
}

/// The blocks of a page, in order.
pub fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for line in page.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(info), None) => {
                let mut words = info.split_whitespace().map(str::to_string);
                open = Some(Block {
                    language: words.next().unwrap_or_default(),
                    file: words.next(),
                    from: words.next(),
                    text: String::new(),
                });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some(block)) => {
                block.text += line;
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    blocks
}

/// A command of `aiec`, and the exit code that the page says it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The arguments, without the program's name.
    pub args: Vec<String>,
    /// The exit code.
    pub exit: u8,
}

/// The commands of a block that call `aiec`.
pub fn commands(block: &str) -> Vec<Command> {
    let lines = block.replace("\\\n", " ");
    let lines = lines.lines().filter_map(|line| {
        let (words, comment) = line.split_once(" #").unwrap_or((line, ""));
        let mut words = words.split_whitespace().map(str::to_string);
        let exit = comment.trim().strip_prefix("exits with ");
        let exit = exit.and_then(|exit| exit.split_whitespace().next()?.parse().ok());
        (words.next()? == "aiec").then(|| Command {
            args: words.collect(),
            exit: exit.unwrap_or(0),
        })
    });
    lines.collect()
}

/// Endings of words that name files.
const FILES: [&str; 10] = [
    ".mlir", ".elf", ".bin", ".npy", ".json", ".html", ".svg", ".asm", ".txt", ".vcd",
];

impl Command {
    /// The command with names of files without a folder in this one, and others from the root of
    /// the repository.
    pub fn within(&self, folder: &Path, root: &Path) -> Vec<String> {
        let placed = |arg: &String| {
            let (before, name) = match arg.rfind('=') {
                Some(at) => arg.split_at(at + 1),
                None => ("", arg.as_str()),
            };
            match FILES.iter().any(|ending| name.ends_with(ending)) {
                false if !name.starts_with("examples/") => arg.clone(),
                _ if name.contains('/') => format!("{before}{}", root.join(name).display()),
                _ => format!("{before}{}", folder.join(name).display()),
            }
        };
        self.args.iter().map(placed).collect()
    }
}

/// Runs a page in a folder, which is emptied first; `given` are files that are there. What is wrong.
pub fn run(page: &Path, folder: &Path, root: &Path, given: &[PathBuf]) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(failed)?;
    }
    fs::create_dir_all(folder).map_err(failed)?;
    for file in given {
        let name = file.file_name().unwrap_or_default();
        fs::copy(file, folder.join(name)).map_err(failed)?;
    }
    let text = fs::read_to_string(page).map_err(|e| format!("{}: {e}", page.display()))?;
    let mut said = String::new();
    let mut ran = 0;
    for block in blocks(&text) {
        match (block.language.as_str(), &block.file) {
            ("diff", Some(name)) => {
                let from = folder.join(block.from.unwrap_or_default());
                let old = fs::read_to_string(&from);
                let old = old.map_err(|e| format!("{}: {e}", from.display()))?;
                fs::write(folder.join(name), changed(&old, &block.text)?).map_err(failed)?;
            }
            (_, Some(name)) => fs::write(folder.join(name), &block.text).map_err(failed)?,
            ("sh", None) => {
                said.clear();
                for command in commands(&block.text) {
                    let run = aiec(command.within(folder, root), b"");
                    let (out, exit) = (String::from_utf8_lossy(&run.stdout), run.exit.code());
                    if exit != command.exit {
                        let args = command.args.join(" ");
                        let wanted = command.exit;
                        let error = run.stderr;
                        return Err(format!(
                            "aiec {args}\nexit code {exit}, not {wanted}\n{out}{error}"
                        ));
                    }
                    said += &out;
                    said += &run.stderr;
                    ran += 1;
                }
            }
            ("text", None) if ran > 0 => shown(&block.text, &said)?,
            _ => {}
        }
    }
    match ran {
        0 => Err(format!("{} has no commands", page.display())),
        _ => Ok(()),
    }
}

/// A text with the changes of a `diff` block.
fn changed(old: &str, diff: &str) -> Result<String, String> {
    let mut rest = old.lines();
    let mut new = Vec::new();
    for line in diff.lines() {
        if let Some(added) = line.strip_prefix('+') {
            new.push(added);
            continue;
        }
        let wanted = line.strip_prefix(['-', ' ']).unwrap_or(line).trim();
        loop {
            let next = rest.next().ok_or_else(|| format!("no line '{wanted}'"))?;
            let found = next.trim() == wanted;
            if !found || !line.starts_with('-') {
                new.push(next);
            }
            if found {
                break;
            }
        }
    }
    new.extend(rest);
    Ok(new.join("\n") + "\n")
}

/// Whether each line of a text is in what commands wrote, in this order.
fn shown(text: &str, said: &str) -> Result<(), String> {
    let mut lines = said.lines();
    for wanted in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let holds = |line: &str| {
            let mut rest = line;
            wanted.split('…').map(str::trim).all(|part| {
                let found = rest.find(part);
                rest = found.map_or("", |at| &rest[at + part.len()..]);
                found.is_some()
            })
        };
        if wanted != "…" && !lines.any(holds) {
            return Err(format!("'{wanted}' is not what is written:\n{said}"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_have_files_commands_and_outputs() {
        let page = "a\n```mlir d.mlir\nmodule {}\n```\n```sh\naiec d.mlir \\\n  -o d.elf # exits with 3\nls\n```\n";
        let blocks = blocks(page);
        assert_eq!(blocks[0].file.as_deref(), Some("d.mlir"));
        let commands = commands(&blocks[1].text);
        assert_eq!(commands.len(), 1);
        assert_eq!(commands[0].exit, 3);
        let placed = commands[0].within(Path::new("/t"), Path::new("/r"));
        assert_eq!(placed, ["/t/d.mlir", "-o", "/t/d.elf"]);
    }

    #[test]
    fn changes_take_out_and_put_in() {
        let old = "a\nb\nc\n";
        assert_eq!(changed(old, " a\n-b\n+d\n").as_deref(), Ok("a\nd\nc\n"));
        assert!(changed(old, "-c\n-b\n").is_err());
    }

    #[test]
    fn what_is_shown_must_be_written_in_that_order() {
        assert!(shown("a … c\nd\n", "x\na b c\nd e\n").is_ok());
        assert!(shown("d\na\n", "a\nd\n").is_err());
    }
}
