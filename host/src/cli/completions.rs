//! `completions`: a script for a shell.

use clap::CommandFactory;

use super::Cli;
use crate::error::Error;
use crate::ui::printer::Printer;

/// Print a completion script for a shell
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  review-loop completions bash > ~/.local/share/bash-completion/completions/review-loop"
)]
pub(super) struct Args {
    /// Which shell
    shell: clap_complete::Shell,
}

pub(super) fn run(args: &Args, printer: &Printer) -> Result<u8, Error> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "review-loop", &mut script);
    printer.data(&String::from_utf8_lossy(&script)).map_err(Error::stdout)?;
    Ok(0)
}
