//! Machines besides CERT. `aiec asm|dis|sim -t NAME` is read with the command line of that machine,
//! so that each has the options that mean something to it, and no other's.

pub mod drra;
mod machine_run;

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Command, CommandFactory, FromArgMatches};

use crate::cli::Cli;
use crate::io::{Exit, Io};

/// A machine that control streams are written for.
#[derive(Debug)]
pub struct MachineTarget {
    /// Name for `--target`, and for `aiec devices`.
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// What it consists of: name and value.
    pub parts: fn() -> Vec<(&'static str, String)>,
    /// What can be done with it.
    pub commands: &'static [MachineCommand],
}

/// A command for a machine.
#[derive(Debug)]
pub struct MachineCommand {
    /// Name of the subcommand of `aiec`.
    pub name: &'static str,
    /// Its command line.
    pub command: fn() -> Command,
    /// Does it.
    pub run: fn(&ArgMatches, &mut Io<'_>) -> Result<Exit, clap::Error>,
}

/// All machines besides CERT.
pub static MACHINES: &[MachineTarget] = &[drra::TARGET];

/// The machine of a name.
pub fn machine(name: &str) -> Option<&'static MachineTarget> {
    MACHINES.iter().find(|machine| machine.name == name)
}

/// The command line of a command for a machine.
pub fn command_of<A: clap::Args>(name: &'static str, about: &'static str) -> Command {
    A::augment_args(
        Command::new(name)
            .about(about)
            .bin_name(format!("aiec {name}")),
    )
}

/// Reads the command line and runs it.
pub fn run_with<A: FromArgMatches>(
    matches: &ArgMatches,
    io: &mut Io<'_>,
    run: fn(&A, &mut Io<'_>) -> Exit,
) -> Result<Exit, clap::Error> {
    Ok(run(&A::from_arg_matches(matches)?, io))
}

/// Runs a command line that names one of the machines; `None` for all others.
pub fn dispatch(args: &[OsString], io: &mut Io<'_>) -> Option<Exit> {
    let name = args.first()?.to_str()?;
    let target = target_name(args.get(1..)?)?;
    let machine = machine(&target)?;
    let Some(command) = machine.commands.iter().find(|command| command.name == name) else {
        // clap says of other commands that they have no --target
        return None;
    };
    let matches = (command.command)().try_get_matches_from(args);
    let result = matches.and_then(|matches| (command.run)(&matches, io));
    Some(
        result.unwrap_or_else(|error| match foreign_flag(name, &error, machine.name) {
            Some(message) => {
                // When the error stream is gone there is nobody left to tell.
                let _ = writeln!(io.stderr, "error: {message}");
                Exit::BadCommandLine
            }
            None => crate::command_line_error(&error, io),
        }),
    )
}

/// The value of `-t` or `--target`.
fn target_name(args: &[OsString]) -> Option<String> {
    let mut args = args.iter().map(|arg| arg.to_str());
    while let Some(arg) = args.next() {
        let arg = arg.unwrap_or_default();
        match arg {
            "--" => return None,
            "-t" | "--target" => return args.next().flatten().map(str::to_owned),
            _ => {}
        }
        let joined = arg.strip_prefix("--target=").or_else(|| {
            let value = arg.strip_prefix("-t")?;
            Some(value.strip_prefix('=').unwrap_or(value))
        });
        if let Some(value) = joined {
            return Some(value.to_owned());
        }
    }
    None
}

/// What to say of an option that a command doesn't have for one target but has for others.
pub fn foreign_flag(command: &str, error: &clap::Error, target: &str) -> Option<String> {
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let has_flag = |known: &Command| {
        known.get_arguments().any(|arg| {
            let long = arg.get_long().map(|long| format!("--{long}"));
            let short = arg.get_short().map(|short| format!("-{short}"));
            long.as_ref() == Some(flag) || short.as_ref() == Some(flag)
        })
    };
    let mut owners = Vec::new();
    if Cli::command()
        .find_subcommand(command)
        .is_some_and(has_flag)
    {
        owners.push("AI Engines (aie2ps and others)");
    }
    for machine in MACHINES {
        let mut commands = machine.commands.iter();
        let known = commands.find(|known| known.name == command);
        if known.is_some_and(|known| has_flag(&(known.command)())) {
            owners.push(machine.name);
        }
    }
    if owners.is_empty() {
        return None;
    }
    Some(format!(
        "'{flag}' is an option of `aiec {command}` for {}, not for {target}; \
         `aiec {command} -t NAME --help` lists those of a target",
        owners.join(" and ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_lines_of_machines_are_consistent() {
        for machine in MACHINES {
            for command in machine.commands {
                (command.command)().debug_assert();
            }
        }
    }

    #[test]
    fn the_target_is_found_wherever_it_is() {
        let found = |args: &[&str]| {
            let args: Vec<OsString> = args.iter().map(OsString::from).collect();
            target_name(&args)
        };
        let wanted = Some("x".to_owned());
        assert_eq!(found(&["a", "-t", "x"]), wanted);
        assert_eq!(found(&["-tx", "a"]), wanted);
        assert_eq!(found(&["--target=x"]), wanted);
        assert_eq!(found(&["--target", "x"]), wanted);
        assert_eq!(found(&["a", "--", "-t", "x"]), None);
    }
}
