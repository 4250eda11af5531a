//! `lens`: which lenses and falsifiers there are, what they may do, what they may report.

use std::fmt::Write;

use futures_util::future::join_all;
use review_loop_core::outcome::{Failure, Role};

use super::Global;
use super::setup::Setup;
use crate::error::Error;
use crate::lenses::{self, Entry};
use crate::runtime::{Component, digest};
use crate::ui::printer::Printer;
use crate::ui::sanitise;

/// Show the lenses and falsifiers
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List every lens and falsifier with its permissions
    List,
    /// Show one: what it is, what it may do, what it may report
    Show {
        /// Its name
        name: String,
    },
}

pub(super) fn run(args: &Args, global: &Global, printer: &Printer) -> Result<u8, Error> {
    let setup = Setup::new(global, Vec::new())?;
    let all = lenses::all(&setup.config)?;
    let entries: Vec<Entry> = all.lenses.into_iter().chain(all.falsifiers).collect();
    let wanted = match &args.command {
        Command::List => entries,
        Command::Show { name } => vec![find(entries, name)?],
    };
    let loaded = load(&setup, &wanted, printer)?;
    let text = match args.command {
        Command::List => list(&wanted, &loaded),
        Command::Show { .. } => wanted.iter().zip(&loaded).map(|(entry, loaded)| show(entry, loaded)).collect(),
    };
    printer.data(&sanitise::listing(&text)).map_err(Error::stdout)?;
    Ok(if loaded.iter().all(Result::is_ok) { 0 } else { 2 })
}

type Loaded = Result<Component, Failure>;

/// Loads components, all at once.
pub(super) fn load(setup: &Setup, entries: &[Entry], printer: &Printer) -> Result<Vec<Loaded>, Error> {
    let runtime = setup.runtime(printer)?;
    let nothing = lenses::nothing();
    let loading = entries.iter().map(|entry| runtime.load(&entry.bytes, entry.role, entry.grant, &nothing));
    Ok(setup.executor()?.block_on(join_all(loading)))
}

fn find(entries: Vec<Entry>, name: &str) -> Result<Entry, Error> {
    let known: Vec<String> = entries.iter().map(|entry| sanitise::name(&entry.id)).collect();
    let found = entries.into_iter().find(|entry| entry.id == name);
    found.ok_or_else(|| Error::Usage(format!("there is no component `{name}`; there are {}", known.join(", "))))
}

fn list(entries: &[Entry], loaded: &[Loaded]) -> String {
    let width = entries.iter().map(|entry| entry.id.len()).max().unwrap_or_default();
    let mut text = String::new();
    for (entry, loaded) in entries.iter().zip(loaded) {
        let rest = match loaded {
            Ok(component) => {
                let summary = sanitise::one_line(&component.description.summary);
                format!("{:<7} {}", component.description.version, summary)
            }
            Err(failure) => format!("cannot be used: {}: {}", failure.phase, sanitise::one_line(&failure.reason)),
        };
        let _ = writeln!(text, "{:<width$}  {:<9}  {rest}", sanitise::name(&entry.id), role(entry.role));
    }
    text
}

fn show(entry: &Entry, loaded: &Loaded) -> String {
    let mut text = String::new();
    let component = match loaded {
        Ok(component) => component,
        Err(failure) => {
            let _ = writeln!(
                text,
                "{} cannot be used: {}: {}",
                entry.id,
                failure.phase,
                sanitise::one_line(&failure.reason)
            );
            return text;
        }
    };
    let description = &component.description;
    let _ = writeln!(text, "{} {} ({}, built in)", description.id, description.version, role(entry.role));
    let _ = writeln!(text, "  {}", sanitise::one_line(&description.summary));
    let _ = writeln!(text, "  modes        {}", sanitise::one_line(&description.modes.join(", ")));
    let _ = writeln!(text, "  permissions  {}", component.shape);
    let _ = writeln!(text, "  size         {} bytes", entry.bytes.len());
    let _ = writeln!(text, "  digest       sha256:{}", digest(&entry.bytes));
    if entry.role == Role::Lens {
        let _ = writeln!(text, "  reports      at most {} findings, of these categories:", description.max_findings);
    }
    let width = description.categories.iter().map(|category| category.id.len()).max().unwrap_or_default();
    for category in &description.categories {
        let praise = if category.credit { " (praise)" } else { "" };
        let _ = writeln!(text, "    {:<width$}  {}{praise}", category.id, sanitise::one_line(&category.summary));
    }
    text
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Lens => "lens",
        Role::Falsifier => "falsifier",
    }
}
