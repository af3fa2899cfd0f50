//! The command line, as clap reads it.

use aiec_device::DeviceModel;
use aiec_dialect::diag::did_you_mean;
use clap::{Args, Parser, Subcommand, ValueEnum};

/// Compiles AI Engine netlists to control code, and simulates it.
#[derive(Debug, Parser)]
#[command(
    name = "aiec",
    version,
    about,
    after_help = "Exit codes: 0 done, 1 the input is wrong, 2 the command line is wrong, \
                  3 the simulation ended in a deadlock, a fault or at a limit."
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What `aiec` does beside compiling.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the devices, or show one
    Devices(DevicesArgs),
    /// Explain a diagnostic code, or list all
    Explain(ExplainArgs),
    /// Print the completions of a shell
    Completions(CompletionsArgs),
}

/// `aiec devices`
#[derive(Args, Debug)]
pub struct DevicesArgs {
    /// Show this device only
    #[arg(value_name = "NAME", value_parser = device)]
    pub name: Option<&'static DeviceModel>,
    /// How to print
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub format: ReportFormat,
}

/// How a table is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
}

/// `aiec explain`
#[derive(Args, Debug)]
pub struct ExplainArgs {
    /// The code, as a diagnostic shows it
    #[arg(value_name = "CODE")]
    pub code: Option<String>,
}

/// `aiec completions`
#[derive(Args, Debug)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    pub shell: clap_complete::Shell,
}

fn device(name: &str) -> Result<&'static DeviceModel, String> {
    DeviceModel::by_name(name).ok_or_else(|| {
        let names = DeviceModel::all().map(DeviceModel::name);
        match did_you_mean(name, names) {
            Some(near) => format!("no such device; did you mean '{near}'?"),
            None => "no such device; `aiec devices` lists them".to_string(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_declaration_is_consistent() {
        Cli::command().debug_assert();
    }
}
