//! `demo`: the main job with nothing to configure.

use super::setup::Setup;
use super::{Global, review};
use crate::act::render;
use crate::error::Error;
use crate::scope::{self, Scope};
use crate::ui::printer::Printer;

/// Review the last commit of the repository you are in, with the checks alone: no key, no model, nothing to set
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(_args: &Args, global: &Global, printer: &Printer) -> Result<u8, Error> {
    let args = review::Args::checks_alone();
    let mut setup = Setup::new(global, args.layers())?;
    let change = scope::read(&scope::Request {
        folder: setup.folder.clone(),
        scope: Scope::Commit("HEAD".to_owned()),
        pathspecs: Vec::new(),
        options: setup.config.scope_options(),
    })?;
    let change = setup.narrow(change)?;
    let outcome = review::review(&args, &setup, change, printer)?;
    review::write(&args, &outcome, printer)?;
    Ok(render::exit_code(&outcome))
}
