//! `config`: the settings and where they come from.

use std::fmt::Write;

use super::Global;
use super::setup::Setup;
use crate::error::Error;
use crate::scope::{self, Scope};
use crate::ui::printer::Printer;

/// Show the settings
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Print every setting with its value, as TOML
    Show {
        /// Say behind each where its value comes from
        #[arg(long)]
        origin: bool,
    },
}

pub(super) fn run(args: &Args, global: &Global, printer: &Printer) -> Result<u8, Error> {
    let Command::Show { origin } = args.command;
    let mut setup = Setup::new(global, Vec::new())?;
    // Outside of a repository there is no project to narrow anything.
    let request = scope::Request {
        folder: setup.folder.clone(),
        scope: Scope::Working,
        pathspecs: Vec::new(),
        options: setup.config.scope_options(),
    };
    if let Ok(change) = scope::read(&request) {
        setup.narrow(change)?;
        setup.notices.iter().for_each(|notice| printer.warn(notice));
    }
    let mut text = String::new();
    for setting in setup.settings()? {
        let comment = if origin { format!("  # {}", setting.origin) } else { String::new() };
        let _ = writeln!(text, "{} = {}{comment}", setting.key, setting.value);
    }
    printer.data(&text).map_err(Error::stdout)?;
    Ok(0)
}
