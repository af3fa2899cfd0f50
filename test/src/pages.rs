//! The pages of the book as tests: their designs are written to files, their commands are run, and
//! the shown lines must be in the commands' output.
//!
//! * A block `mlir NAME` (or `asm NAME`, `c NAME`) is the content of a file of that name.
//! * A block `diff NAME OTHER` makes a file of another one: lines with `-` are taken out, those with
//!   `+` put in, others only say where.
//! * A block `sh` or `console` holds commands, one a line, in a `console` after `$`; ` # exits with
//!   N` after one is its exit code, if not 0. Commands of other programs are for the reader only.
//! * A block `text` after commands shows lines of their output; `…` matches anything.

use std::fs;
use std::path::{Path, PathBuf};

use crate::driver::aiec;

/// A block of code of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its language, for example `mlir`.
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
        // A shell takes quotes away; none of them holds blanks.
        let words = words
            .split_whitespace()
            .map(|word| word.replace(['\'', '"'], ""));
        let mut words = words.skip_while(|word| word == "$");
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
const FILES: [&str; 16] = [
    ".mlir", ".elf", ".bin", ".npy", ".json", ".html", ".svg", ".asm", ".txt", ".vcd", ".s", ".o",
    ".drra", ".cb", ".xclbin", ".folded",
];

impl Command {
    /// The command with names of files without a folder in this one, and others from the root of
    /// the repository, unless the folder has that one. All that is written goes into the folder.
    pub fn within(&self, folder: &Path, root: &Path) -> Vec<String> {
        let mut is_output = false;
        let placed = |arg: &String| {
            let output = std::mem::replace(&mut is_output, arg == "-o");
            let (before, name) = match arg.rfind('=') {
                Some(at) => arg.split_at(at + 1),
                None => ("", arg.as_str()),
            };
            let names_file =
                FILES.iter().any(|ending| name.ends_with(ending)) || name.starts_with("examples/");
            if output && arg != "-" {
                folder.join(arg).display().to_string()
            } else if !names_file {
                arg.clone()
            } else if name.contains('/') && !folder.join(name).exists() {
                format!("{before}{}", root.join(name).display())
            } else {
                format!("{before}{}", folder.join(name).display())
            }
        };
        let mut args: Vec<String> = self.args.iter().map(placed).collect();
        if args.first().is_some_and(|command| command == "build") && !args.contains(&"-o".into()) {
            args.extend(["-o".into(), folder.display().to_string()]);
        }
        args
    }
}

/// An empty folder with copies of files: the name there, and the file.
///
/// # Errors
/// A folder can't be written, or a file be read.
pub fn folder_with(folder: &Path, given: &[(&str, PathBuf)]) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(failed)?;
    }
    fs::create_dir_all(folder).map_err(failed)?;
    for (name, file) in given {
        let copied = fs::copy(file, folder.join(name));
        copied.map_err(|error| format!("{}: {error}", file.display()))?;
    }
    Ok(())
}

/// Runs a page in a folder, where files may be that it needs, except for the commands to skip. Its
/// blocks of text are compared with what the commands write, if `compared`.
///
/// # Errors
/// A command ends otherwise than the page says, or writes something else.
pub fn run(
    page: &Path,
    (folder, root): (&Path, &Path),
    compared: bool,
    mut skipped: impl FnMut(&Command) -> bool,
) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
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
            ("sh" | "console", None) => {
                said.clear();
                for command in commands(&block.text) {
                    ran += 1;
                    if skipped(&command) {
                        continue;
                    }
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
                }
            }
            ("text", None) if ran > 0 && compared => shown(&block.text, &said)?,
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
