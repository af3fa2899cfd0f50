//! The commands of `RUN:` lines.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use super::stream::Stream;
use crate::filecheck;

/// Exit code of a command that is not one of ours.
pub const UNKNOWN_TOOL: u8 = 127;
/// Exit code of a command that panicked; `not` does not accept it as a failure.
pub const CRASHED: u8 = 101;

/// Columns of the stream that messages are written to: wide enough that none wraps, since where one
/// would depends on the length of the paths in it.
const UNWRAPPED: usize = 10_000;

/// Inputs of a tool.
struct Call<'a> {
    args: &'a [String],
    input: &'a [u8],
    stdout: Stream,
    stderr: Stream,
}

type Tool = fn(&mut Call<'_>) -> Result<u8, String>;

const TOOLS: &[(&str, Tool)] = &[
    ("aiec", aiec),
    ("FileCheck", filecheck),
    ("not", not),
    ("cat", cat),
    ("cmp", cmp),
    ("count", count),
    ("cp", cp),
    ("diff", diff),
    ("echo", echo),
    ("ls", ls),
    ("mkdir", mkdir),
    ("rm", rm),
    ("split-file", split_file),
    ("test", test),
    ("true", |_| Ok(0)),
    ("false", |_| Ok(1)),
];

/// Runs a command; its exit code.
pub fn run(words: &[String], input: &[u8], stdout: &Stream, stderr: &Stream) -> u8 {
    let Some((name, args)) = words.split_first() else {
        return UNKNOWN_TOOL;
    };
    let mut call = Call {
        args,
        input,
        stdout: stdout.clone(),
        stderr: stderr.clone(),
    };
    let result = match TOOLS.iter().find(|(known, _)| known == name) {
        Some((_, tool)) => tool(&mut call),
        None => {
            call.complain(&format!("{name}: not a tool of the test suite"));
            return UNKNOWN_TOOL;
        }
    };
    result.unwrap_or_else(|message| {
        call.complain(&format!("{name}: {message}"));
        1
    })
}

impl Call<'_> {
    fn say(&mut self, text: impl AsRef<[u8]>) {
        // writing to a buffer cannot fail
        let _ = self.stdout.write_all(text.as_ref());
    }

    fn complain(&mut self, text: &str) {
        let _ = writeln!(self.stderr, "{text}");
    }

    /// The arguments that aren't flags, and the flags.
    fn split_flags(&self) -> (Vec<&str>, BTreeSet<&str>) {
        let args = self.args.iter().map(String::as_str);
        let (flags, files): (Vec<&str>, Vec<&str>) =
            args.partition(|arg| arg.starts_with('-') && *arg != "-");
        (files, flags.into_iter().collect())
    }

    /// A file's bytes; `-` is standard input.
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        if path == "-" {
            return Ok(self.input.to_vec());
        }
        fs::read(path).map_err(|error| format!("{path}: {error}"))
    }

    fn read_text(&self, path: &str) -> Result<String, String> {
        Ok(String::from_utf8_lossy(&self.read(path)?).into_owned())
    }
}

fn known_flags(flags: &BTreeSet<&str>, known: &[&str]) -> Result<(), String> {
    match flags.iter().find(|flag| !known.contains(flag)) {
        Some(flag) => Err(format!("flag '{flag}' is not supported by the test suite")),
        None => Ok(()),
    }
}

fn aiec(call: &mut Call<'_>) -> Result<u8, String> {
    let args: Vec<OsString> = call.args.iter().map(OsString::from).collect();
    let mut input = call.input;
    let (mut stdout, mut stderr) = (call.stdout.clone(), call.stderr.clone());
    let run = AssertUnwindSafe(|| {
        let mut io = aiec::Io {
            stdin: &mut input,
            stdout: &mut stdout,
            stderr: &mut stderr,
            terminal: aiec::Terminal {
                width: UNWRAPPED,
                ..aiec::Terminal::default()
            },
            ends_process: false,
            command_line: Vec::new(),
            files_read: Vec::new(),
        };
        aiec::run(&args, &mut io).code()
    });
    Ok(catch_unwind(run).unwrap_or_else(|panic| {
        let message = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("no message");
        call.complain(&format!("aiec panicked: {message}"));
        CRASHED
    }))
}

fn filecheck(call: &mut Call<'_>) -> Result<u8, String> {
    let options = match filecheck::Options::parse(call.args) {
        Ok(options) => options,
        Err(error) => {
            call.complain(&error.0);
            return Ok(2);
        }
    };
    let check = call.read_text(&options.check_file)?;
    let name = options.input_file.clone().unwrap_or_else(|| "-".into());
    let input = call.read_text(&name)?;
    let shown = if name == "-" { "<stdin>" } else { &name };
    let verdict = filecheck::check(&options, &check, &options.check_file, &input, shown);
    if verdict != filecheck::Verdict::Pass {
        let blessed =
            std::env::var_os("AIEC_BLESS").and_then(|_| filecheck::bless(&options, &check, &input));
        if let Some(text) = blessed {
            let written = fs::write(&options.check_file, text);
            written.map_err(|error| format!("{}: {error}", options.check_file))?;
            return Ok(0);
        }
        call.complain(verdict.message().trim_end());
    }
    Ok(verdict.code())
}

/// `not COMMAND…`: succeeds if the command fails, but not if it crashed or does not exist.
fn not(call: &mut Call<'_>) -> Result<u8, String> {
    let code = run(call.args, call.input, &call.stdout, &call.stderr);
    match code {
        0 => Ok(1),
        CRASHED | UNKNOWN_TOOL => Ok(code),
        _ => Ok(0),
    }
}

fn cat(call: &mut Call<'_>) -> Result<u8, String> {
    let files = if call.args.is_empty() {
        vec!["-".to_string()]
    } else {
        call.args.to_vec()
    };
    for file in files {
        let bytes = call.read(&file)?;
        call.say(bytes);
    }
    Ok(0)
}

fn echo(call: &mut Call<'_>) -> Result<u8, String> {
    call.say(call.args.join(" ") + "\n");
    Ok(0)
}

fn two<'a>(files: &[&'a str]) -> Result<(&'a str, &'a str), String> {
    match files {
        [a, b] => Ok((a, b)),
        _ => Err("expected two files".into()),
    }
}

fn cmp(call: &mut Call<'_>) -> Result<u8, String> {
    let (files, flags) = call.split_flags();
    known_flags(&flags, &["-s"])?;
    let (a, b) = two(&files)?;
    let (x, y) = (call.read(a)?, call.read(b)?);
    if x == y {
        return Ok(0);
    }
    let at = x.iter().zip(&y).take_while(|(x, y)| x == y).count();
    let text = format!(
        "{a} {b} differ from byte {at} (lengths {} and {})",
        x.len(),
        y.len()
    );
    call.complain(&text);
    Ok(1)
}

/// `diff [-u] [-q] [-b] [-w] A B`: says where two texts differ first.
fn diff(call: &mut Call<'_>) -> Result<u8, String> {
    let (files, flags) = call.split_flags();
    known_flags(&flags, &["-u", "-q", "-b", "-w"])?;
    let (a, b) = two(&files)?;
    let (x, y) = (call.read_text(a)?, call.read_text(b)?);
    let blanks = |line: &str| -> String {
        if flags.contains("-w") {
            line.split_whitespace().collect()
        } else if flags.contains("-b") {
            let words: Vec<&str> = line.split_whitespace().collect();
            words.join(" ")
        } else {
            line.to_string()
        }
    };
    let (x, y): (Vec<&str>, Vec<&str>) = (x.split('\n').collect(), y.split('\n').collect());
    let same = x
        .iter()
        .zip(&y)
        .take_while(|(x, y)| blanks(x) == blanks(y))
        .count();
    if same == x.len() && same == y.len() {
        return Ok(0);
    }
    let line = |lines: &[&str]| {
        lines
            .get(same)
            .map_or("<end of file>".into(), |l| l.to_string())
    };
    let text = format!(
        "{a} and {b} differ from line {} on\n< {}\n> {}\n",
        same + 1,
        line(&x),
        line(&y)
    );
    call.say(text);
    Ok(1)
}

/// `count N`: succeeds if standard input has N lines.
fn count(call: &mut Call<'_>) -> Result<u8, String> {
    let expected: usize = match call.args {
        [number] => number
            .parse()
            .map_err(|_| format!("'{number}' isn't a number"))?,
        _ => return Err("expected one number".into()),
    };
    let lines = call.input.split_inclusive(|byte| *byte == b'\n').count();
    if lines == expected {
        return Ok(0);
    }
    Err(format!("expected {expected} lines and got {lines}"))
}

/// `split-file FILE FOLDER`: the parts of a file, which start at lines `//--- NAME`.
fn split_file(call: &mut Call<'_>) -> Result<u8, String> {
    let (files, flags) = call.split_flags();
    known_flags(&flags, &[])?;
    let (file, folder) = two(&files)?;
    let text = call.read_text(file)?;
    let mut parts: Vec<(&str, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        let marker = line.trim_end().trim_start_matches(['/', '#', ';', ' ']);
        match marker.strip_prefix("--- ") {
            Some(name) => parts.push((name.trim(), String::new())),
            None => {
                if let Some((_, part)) = parts.last_mut() {
                    part.push_str(line);
                }
            }
        }
    }
    if parts.is_empty() {
        return Err(format!("{file}: no line starts a part ('//--- NAME')"));
    }
    for (name, part) in parts {
        let path = Path::new(folder).join(name);
        let parent = path.parent().unwrap_or(Path::new(folder));
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(&path, part))
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(0)
}

fn mkdir(call: &mut Call<'_>) -> Result<u8, String> {
    let (files, flags) = call.split_flags();
    known_flags(&flags, &["-p"])?;
    for file in files {
        let result = if flags.contains("-p") {
            fs::create_dir_all(file)
        } else {
            fs::create_dir(file)
        };
        result.map_err(|error| format!("{file}: {error}"))?;
    }
    Ok(0)
}

fn rm(call: &mut Call<'_>) -> Result<u8, String> {
    let (files, flags) = call.split_flags();
    known_flags(&flags, &["-f", "-r", "-rf"])?;
    for file in files {
        let result = if Path::new(file).is_dir() && flags.iter().any(|flag| flag.contains('r')) {
            fs::remove_dir_all(file)
        } else {
            fs::remove_file(file)
        };
        if let Err(error) = result {
            let forced = flags.iter().any(|flag| flag.contains('f'));
            if !forced || error.kind() != std::io::ErrorKind::NotFound {
                return Err(format!("{file}: {error}"));
            }
        }
    }
    Ok(0)
}

fn cp(call: &mut Call<'_>) -> Result<u8, String> {
    let (files, flags) = call.split_flags();
    known_flags(&flags, &[])?;
    let (from, to) = two(&files)?;
    let name = Path::new(from).file_name().unwrap_or_default();
    let to = if Path::new(to).is_dir() {
        Path::new(to).join(name)
    } else {
        to.into()
    };
    fs::copy(from, &to).map_err(|error| format!("{from} to {}: {error}", to.display()))?;
    Ok(0)
}

/// `ls [FOLDER]`: the names in a folder, sorted.
fn ls(call: &mut Call<'_>) -> Result<u8, String> {
    let [folder] = call.args else {
        return Err("expected one folder".into());
    };
    let entries = fs::read_dir(folder).map_err(|error| format!("{folder}: {error}"))?;
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    for name in names {
        call.say(name + "\n");
    }
    Ok(0)
}

/// `test -e|-f|-d|-s FILE`
fn test(call: &mut Call<'_>) -> Result<u8, String> {
    let [flag, file] = call.args else {
        return Err("expected a flag and a file".into());
    };
    let metadata = fs::metadata(file);
    let holds = match flag.as_str() {
        "-e" => metadata.is_ok(),
        "-f" => metadata.is_ok_and(|m| m.is_file()),
        "-d" => metadata.is_ok_and(|m| m.is_dir()),
        "-s" => metadata.is_ok_and(|m| m.len() > 0),
        _ => return Err(format!("flag '{flag}' is not supported by the test suite")),
    };
    Ok(u8::from(!holds))
}

#[cfg(test)]
mod tests {
    use super::super::shell;
    use super::*;

    fn code(line: &str) -> u8 {
        shell::run(line).expect("a line that the shell reads").code
    }

    #[test]
    fn files() {
        let folder = std::env::temp_dir().join(format!("lit-tools-{}", std::process::id()));
        let t = folder.display();
        assert_eq!(
            code(&format!(
                "mkdir -p {t}/a && echo x > {t}/a/f && cp {t}/a/f {t}/g"
            )),
            0
        );
        assert_eq!(
            code(&format!(
                "cmp {t}/a/f {t}/g && diff {t}/a/f {t}/g && test -s {t}/g"
            )),
            0
        );
        assert_eq!(code(&format!("echo y >> {t}/g && cat {t}/g | count 2")), 0);
        assert_eq!(code(&format!("cmp {t}/a/f {t}/g")), 1);
        assert_eq!(code(&format!("diff {t}/a/f {t}/g")), 1);
        assert_eq!(code(&format!("ls {t} | count 2")), 0);
        assert_eq!(code(&format!("rm -rf {t} && not test -e {t}")), 0);
    }

    #[test]
    fn parts_of_a_file() {
        let folder = std::env::temp_dir().join(format!("lit-split-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let text = "x\n//--- a.mlir\n1\n2\n// --- b/c.asm\n3\n";
        fs::write(folder.join("in"), text).expect("the file");
        let t = folder.display();
        assert_eq!(code(&format!("split-file {t}/in {t}/out")), 0);
        assert_eq!(
            fs::read_to_string(folder.join("out/a.mlir")).expect("a part"),
            "1\n2\n"
        );
        assert_eq!(
            fs::read_to_string(folder.join("out/b/c.asm")).expect("a part"),
            "3\n"
        );
        fs::remove_dir_all(folder).expect("the folder goes away");
    }

    #[test]
    fn checks_in_a_pipe() {
        assert_eq!(
            code("echo 'CHECK: b' | not FileCheck - --input-file=/no/such"),
            0
        );
        assert_eq!(code("not not-a-tool"), UNKNOWN_TOOL);
        assert_eq!(code("not aiec --no-such-option"), 0);
    }
}
