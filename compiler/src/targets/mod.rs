//! Machines besides CERT's controllers: `aiec asm`, `dis` and `sim` with `-t NAME`.
//!
//! Each machine has its own flags, so each reads its own command line: a row of [`MACHINES`] has
//! for each command what reads it and what runs it. A flag that only another target has is refused
//! with the name of that target.

mod drra;
mod outcome;
mod refsi;

use std::ffi::OsString;

use aiec_diag::{Reported, did_you_mean};
use aiec_isa::{Set, finding};
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::args::general::HEADING;
use crate::io::{Exit, Io};
use crate::session::Session;

pub use outcome::{MachineRunArgs, finish};

/// Name of the controllers' target in lists of all targets.
pub const CERT: &str = "cert";

/// A command of a machine.
pub struct MachineCommand {
    /// `asm`, `dis` or `sim`.
    pub name: &'static str,
    /// Its flags.
    pub flags: fn() -> clap::Command,
    /// Runs it on a command line, the name of the program first; what is wrong with that is an
    /// error.
    pub run: fn(&[OsString], &mut Io<'_>) -> Result<Exit, clap::Error>,
}

impl MachineCommand {
    const fn new(
        name: &'static str,
        flags: fn() -> clap::Command,
        run: fn(&[OsString], &mut Io<'_>) -> Result<Exit, clap::Error>,
    ) -> MachineCommand {
        MachineCommand { name, flags, run }
    }
}

/// A machine.
pub struct MachineRow {
    /// Name of the target.
    pub name: &'static str,
    /// Description, one line.
    pub summary: &'static str,
    /// Title of the page about its instructions.
    pub title: &'static str,
    /// Its instruction set.
    pub set: fn() -> &'static Set,
    /// Facts for `aiec devices`: name and value.
    pub facts: fn() -> Vec<(&'static str, String)>,
    /// Its commands.
    pub commands: &'static [MachineCommand],
}

/// The machines.
pub static MACHINES: &[&MachineRow] = &[&refsi::ROW, &drra::ROW];

/// The machine of a name.
pub fn by_name(name: &str) -> Option<&'static MachineRow> {
    MACHINES.iter().copied().find(|row| row.name == name)
}

/// Runs a command line that names a machine as its target; `None` if it names none.
pub fn run(args: &[OsString], io: &mut Io<'_>) -> Option<Result<Exit, clap::Error>> {
    let (_, command) = named(args)?;
    Some((command.run)(args, io))
}

/// Help of `asm`, `dis` and `sim` about their flags for other machines.
pub fn flags_of(args: &[OsString]) -> String {
    let wanted = args.first().and_then(|first| first.to_str());
    if named(args).is_some() {
        return String::new();
    }
    let mut text = String::new();
    for machine in MACHINES {
        let command = machine.commands.iter().find(|c| Some(c.name) == wanted);
        let Some(command) = command else {
            continue;
        };
        text += &format!("\nWith -t {} ({}):\n", machine.name, machine.summary);
        let flags = (command.flags)();
        for flag in flags
            .get_arguments()
            .filter(|flag| !flag.is_positional() && flag.get_help_heading() != Some(HEADING))
        {
            let Some(long) = flag.get_long().filter(|long| *long != "target") else {
                continue;
            };
            let values = flag.get_value_names().unwrap_or_default();
            let value = match (flag.get_action().takes_values(), values) {
                (true, [value, ..]) => format!(" <{value}>"),
                _ => String::new(),
            };
            let help = flag.get_help().map(|help| help.to_string());
            text += &format!(
                "      --{long}{value}\n          {}\n",
                help.unwrap_or_default()
            );
        }
    }
    text
}

/// The machine and the command that a command line names.
fn named(args: &[OsString]) -> Option<(&'static MachineRow, &'static MachineCommand)> {
    let (first, rest) = args.split_first()?;
    let command = |row: &'static MachineRow| row.commands.iter().find(|c| first == c.name);
    let machine = by_name(target(rest)?)?;
    Some((machine, command(machine)?))
}

/// The value of `-t` or `--target`.
fn target(args: &[OsString]) -> Option<&str> {
    let mut words = args.iter().filter_map(|arg| arg.to_str());
    while let Some(word) = words.next() {
        match word {
            "-t" | "--target" => return words.next(),
            _ => {}
        }
        let joined = word.strip_prefix("--target=");
        let short = word.strip_prefix("-t").filter(|_| !word.starts_with("--"));
        if let Some(name) = joined.or(short) {
            return Some(name.trim_start_matches('='));
        }
    }
    None
}

/// Message about a flag that a command lacks for this target, but has for another; `cli` is the
/// command line of the controllers.
pub fn foreign_flag(args: &[OsString], error: &clap::Error, cli: &clap::Command) -> Option<String> {
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let command = args.first()?.to_str()?;
    let flag = flag.split('=').next()?;
    if let ("-t" | "--target", Some(name)) = (flag, target(args.get(1..)?)) {
        return Some(no_such_machine(command, name));
    }
    let here = named(args).map_or(CERT, |(machine, _)| machine.name);
    let mut owners: Vec<&str> = Vec::new();
    let of_cert = cli.find_subcommand(command)?;
    if here != CERT && has_flag(of_cert, flag) {
        owners.push("the controllers (-t aie2ps, aie4)");
    }
    for machine in MACHINES.iter().filter(|machine| machine.name != here) {
        let mut commands = machine.commands.iter();
        if commands.any(|c| c.name == command && has_flag(&(c.flags)(), flag)) {
            owners.push(machine.name);
        }
    }
    if owners.is_empty() {
        return None;
    }
    let here = match here {
        CERT => "the controllers".to_owned(),
        name => format!("-t {name}"),
    };
    let owners = owners.join(" and of ");
    Some(format!(
        "{flag} is a flag of {owners}; `aiec {command}` for {here} has none of this name"
    ))
}

/// Message about a target that a command doesn't have.
fn no_such_machine(command: &str, name: &str) -> String {
    let (machines, near) = machines_of(command, name);
    let machines = machines.join(" and ");
    format!("'{name}' isn't a target of `aiec {command}`: {machines} are{near}")
}

/// The machines that have a command, and a question for one that is spelled almost like a name.
fn machines_of(command: &str, name: &str) -> (Vec<&'static str>, String) {
    let offers = |row: &&&MachineRow| row.commands.iter().any(|c| c.name == command);
    let machines: Vec<&str> = MACHINES.iter().filter(offers).map(|row| row.name).collect();
    let near = did_you_mean(name, machines.iter().copied());
    let near = near.map(|near| format!("; did you mean '{near}'?"));
    (machines, near.unwrap_or_default())
}

fn has_flag(command: &clap::Command, flag: &str) -> bool {
    let mut flags = command.get_arguments();
    flags.any(|arg| match flag.strip_prefix("--") {
        Some(long) => arg.get_long() == Some(long),
        None => flag.chars().nth(1) == arg.get_short() && arg.get_short().is_some(),
    })
}

/// Text to add when the value of `--target` isn't one of the controllers': the machines.
pub fn unknown_target(args: &[OsString], error: &clap::Error) -> Option<String> {
    let of_target = matches!(
        error.get(ContextKind::InvalidArg),
        Some(ContextValue::String(flag)) if flag.contains("--target")
    );
    let command = args.first()?.to_str()?;
    let name = target(args.get(1..)?)?;
    let (machines, near) = machines_of(command, name);
    let is_wrong = of_target && !machines.is_empty();
    is_wrong.then(|| format!("other machines are {}{near}", machines.join(", ")))
}

/// A number of a command line: decimal, or hexadecimal with `0x`.
pub fn number(text: &str) -> Result<u64, String> {
    let help = "write it in decimal, or in hexadecimal with 0x";
    aiec_isa::number::parse(text).map_err(|_| format!("'{text}' isn't a number; {help}"))
}

/// The set of a description, with the meanings that it gives instructions.
pub fn own_set(
    path: &std::path::Path,
    session: &mut Session,
    io: &mut Io<'_>,
) -> Result<Set, Reported> {
    let bytes = session.read(path, io)?;
    let help = "a description is a JSON file; `aiec isa --format=json` prints one";
    if let Some(diag) = finding::not_text(&path.display().to_string(), &bytes, help) {
        return Err(session.fail(diag));
    }
    let (file, text) = session.file_and_text(path, bytes)?;
    aiec_drra::read_own_set(&text, file).map_err(|diags| {
        session.diags.extend(diags);
        Reported
    })
}
