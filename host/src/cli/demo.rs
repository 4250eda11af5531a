//! `demo`: the main job with nothing to configure.

use super::setup::Setup;
use super::{Global, review};
use crate::demo::{self, Sample};
use crate::error::Error;
use crate::scope::{self, Scope};
use crate::ui::Verbosity;
use crate::ui::printer::Printer;

/// Review a sample with planted faults and a recorded model, then your last commit with the checks alone: no key, no
/// network, nothing to set
///
/// The exit code is 0 when it ran, whatever was found: the sample's faults are meant to be.
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(_args: &Args, global: &Global, printer: &Printer) -> Result<u8, Error> {
    let mut setup = Setup::new(global, review::Args::checks_alone().layers())?;
    sample(&setup, printer)?;
    last_commit(&mut setup, printer)?;
    Ok(0)
}

/// The whole flow. What was merged and what was disproved is shown, since that is what it is for.
fn sample(setup: &Setup, printer: &Printer) -> Result<(), Error> {
    heading(printer, "A sample change with planted faults, and a model whose answers were recorded")?;
    let Sample { change, config, selection } = Sample::new()?;
    let ready = review::ready(setup, selection, demo::recorded()?, printer)?;
    let outcome = review::complete(setup, change, ready, &config, printer)?;
    let shown = if printer.verbosity() == Verbosity::Quiet { Verbosity::Quiet } else { Verbosity::Verbose };
    review::write(&review::Args::explaining(), &outcome, &Printer::new(shown))
}

/// The same on work of the user's own, as far as that goes without a model.
fn last_commit(setup: &mut Setup, printer: &Printer) -> Result<(), Error> {
    let scope = Scope::Commit("HEAD".to_owned());
    let request = scope::Request {
        folder: setup.folder.clone(),
        scope,
        pathspecs: Vec::new(),
        options: setup.config.scope_options(),
        environment: super::git_environment(),
    };
    match scope::read(&request) {
        Ok(change) => {
            heading(printer, "\nYour last commit, with the checks alone")?;
            let args = review::Args::checks_alone();
            let change = setup.narrow(change)?;
            let outcome = review::review(&args, setup, change, printer)?;
            review::write(&args, &outcome, printer)
        }
        Err(why) => heading(printer, &format!("\nThere is no commit of yours to review: {why}")),
    }
}

fn heading(printer: &Printer, text: &str) -> Result<(), Error> {
    printer.data(&format!("{text}\n\n")).map_err(Error::stdout)
}
