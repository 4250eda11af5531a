//! The command line: one subcommand, one file; its doc comment is its help.

mod completions;
mod config;
mod demo;
mod doctor;
mod eval;
mod lens;
mod review;
mod setup;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::error::Error;
use crate::state;
use crate::ui::Verbosity;
use crate::ui::printer::Printer;

/// Reviews a change with sandboxed lenses, has every finding attacked, and says what is left.
///
/// Without a subcommand: `review` of uncommitted work.
#[derive(Debug, Parser)]
#[command(name = "review-loop", version, max_term_width = 100, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    global: Global,
}

const EXIT_CODES: &str = "\
Exit codes:
  0    clean, or nothing to review
  1    findings at or above the gate are left
  2    the call or its configuration is wrong
  3    incomplete: something in scope was not examined
  4    stopped by a budget or limit with findings open
  130  interrupted";

/// Flags of every subcommand.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Everywhere")]
struct Global {
    /// Print the result and errors alone
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Print what was set aside, and what components say while they work
    #[arg(short, long, global = true)]
    verbose: bool,
    /// Run as if started in this folder
    #[arg(short = 'C', value_name = "FOLDER", global = true)]
    folder: Option<std::path::PathBuf>,
    /// Use this configuration file instead of the user's own
    #[arg(long, value_name = "FILE", global = true)]
    config: Option<std::path::PathBuf>,
    /// When to use colour
    #[arg(long, value_name = "WHEN", default_value = "auto", global = true)]
    color: Color,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
enum Command {
    Review(Box<review::Args>),
    Lens(lens::Args),
    Config(config::Args),
    Doctor(doctor::Args),
    Demo(demo::Args),
    Eval(eval::Args),
    Completions(completions::Args),
}

/// Runs the program and gives its exit code. The one place where errors become exit codes.
#[must_use]
pub fn main() -> ExitCode {
    state::survive_the_file_size_limit();
    let cli = Cli::parse();
    cli.global.color.apply();
    let printer = Printer::new(cli.global.verbosity());
    match run(cli, &printer) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            printer.error(&error.to_string(), error.hints());
            ExitCode::from(error.exit_code())
        }
    }
}

fn run(cli: Cli, printer: &Printer) -> Result<u8, Error> {
    let global = &cli.global;
    match cli.command {
        None => review::run(&review::Args::default(), global, printer),
        Some(Command::Review(args)) => review::run(&args, global, printer),
        Some(Command::Lens(args)) => lens::run(&args, global, printer),
        Some(Command::Config(args)) => config::run(&args, global, printer),
        Some(Command::Doctor(args)) => doctor::run(&args, global, printer),
        Some(Command::Demo(args)) => demo::run(&args, global, printer),
        Some(Command::Eval(args)) => eval::run(&args, global, printer),
        Some(Command::Completions(args)) => completions::run(&args, printer),
    }
}

/// What the user says about git through the environment: in a hook, which index and which objects it is about.
fn git_environment() -> crate::scope::Environment {
    crate::scope::Environment::read(|name| std::env::var_os(name))
}

impl Global {
    fn verbosity(&self) -> Verbosity {
        match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        }
    }
}

impl Color {
    fn apply(self) {
        match self {
            Self::Auto => {}
            Self::Always => anstream::ColorChoice::Always.write_global(),
            Self::Never => anstream::ColorChoice::Never.write_global(),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        super::Cli::command().debug_assert();
    }
}
