//! `aiec man`: a manual page of each command.

use std::path::PathBuf;

use aiec_diag::Diag;
use clap::{Args, Command};
use clap_mangen::Man;

use crate::codes;
use crate::io::output::Outputs;
use crate::io::{Exit, Io};
use crate::session::Session;

/// `aiec man`
#[derive(Args, Debug)]
pub struct ManArgs {
    /// The folder to write into: aiec.1, and aiec-COMMAND.1 for each command
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

/// Writes the pages; the exit code.
pub fn run(args: &ManArgs, mut command: Command, io: &mut Io<'_>) -> Exit {
    let mut session = Session::default();
    command.build();
    let exit = match write(args, &command, io) {
        Ok(()) => Exit::Done,
        Err(diag) => {
            session.push(diag);
            Exit::BadInput
        }
    };
    session.flush_diagnostics(io);
    exit
}

fn write(args: &ManArgs, command: &Command, io: &mut Io<'_>) -> Result<(), Diag> {
    let mut outputs = Outputs::new();
    let commands = command.get_subcommands();
    let commands = commands.filter(|command| command.get_name() != "help");
    for command in std::iter::once(command).chain(commands) {
        let name = command
            .get_display_name()
            .unwrap_or(command.get_name())
            .to_string();
        let mut page = Vec::new();
        let rendered = Man::new(command.clone()).render(&mut page);
        rendered.map_err(|error| {
            Diag::error(
                &codes::CANNOT_WRITE,
                format!("cannot make {name}.1: {error}"),
            )
        })?;
        outputs.add(args.folder.join(format!("{name}.1")), page);
    }
    outputs.write_to(io)
}
