//! `doctor`: what a review would use here, and what is in its way.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use review_loop_core::outcome::ModelUse;

use super::setup::Setup;
use super::{Global, lens};
use crate::config::PROJECT_FILE;
use crate::error::Error;
use crate::lenses;
use crate::llm::choose::{self, Wanted};
use crate::scope::{self, Scope};
use crate::state::Folder;
use crate::ui::printer::Printer;
use crate::ui::sanitise;

/// Say what a review would use here, and what is in its way
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(_args: &Args, global: &Global, printer: &Printer) -> Result<u8, Error> {
    let setup = Setup::new(global, Vec::new())?;
    let report = [
        repository(&setup),
        model(&setup),
        components(&setup, printer)?,
        cache(&setup),
        user_file(&setup),
        limits(&setup),
    ];
    let mut text = String::new();
    for line in &report {
        let mark = if line.well { "ok  " } else { "!!  " };
        let _ = writeln!(text, "{mark}{:<12}{}", line.what, sanitise::one_line(&line.says));
    }
    printer.data(&text).map_err(Error::stdout)?;
    Ok(if report.iter().all(|line| line.well) { 0 } else { 3 })
}

/// One thing that was looked at.
struct Line {
    what: &'static str,
    well: bool,
    says: String,
}

fn repository(setup: &Setup) -> Line {
    let request = scope::Request {
        folder: setup.folder.clone(),
        scope: Scope::Working,
        pathspecs: Vec::new(),
        options: setup.config.scope_options(),
        environment: super::git_environment(),
    };
    let (well, says) = match scope::read(&request) {
        Ok(change) => {
            let place = change.root.as_deref().unwrap_or(Path::new("."));
            (true, format!("{}, {} files of uncommitted work", place.display(), change.subject.files.len()))
        }
        Err(error @ scope::Error::Bare { .. }) => (true, error.to_string()),
        Err(error) => (false, error.to_string()),
    };
    Line { what: "repository", well, says }
}

fn model(setup: &Setup) -> Line {
    let chosen = setup
        .config
        .model
        .backend
        .parse::<Wanted>()
        .and_then(|wanted| choose::choose(&wanted, &setup.env(), &setup.config.llm, Arc::new(|| 0.0)));
    let (well, says) = match chosen {
        Ok(choice) => (choice.model_use != ModelUse::Unconfigured, choice.line),
        Err(error) => (false, error.to_string()),
    };
    Line { what: "model", well, says }
}

fn components(setup: &Setup, printer: &Printer) -> Result<Line, Error> {
    let all = lenses::all(&setup.config)?;
    let (lens_count, falsifier_count) = (all.lenses.len(), all.falsifiers.len());
    let entries: Vec<_> = all.lenses.into_iter().chain(all.falsifiers).collect();
    let loaded = lens::load(setup, &entries, printer)?;
    let broken = entries.iter().zip(&loaded).find_map(|(entry, loaded)| Some((entry, loaded.as_ref().err()?)));
    Ok(match broken {
        None => Line {
            what: "components",
            well: true,
            says: format!("{lens_count} lenses and {falsifier_count} falsifiers load"),
        },
        Some((entry, failure)) => Line {
            what: "components",
            well: false,
            says: format!("{} does not load: {}: {}", entry.id, failure.phase, failure.reason),
        },
    })
}

fn cache(setup: &Setup) -> Line {
    let usable = setup.cache_folder().map_err(|why| why.to_string());
    let opened = usable.and_then(|path| match Folder::open(&path) {
        Ok(_) => Ok(path.display().to_string()),
        Err(error) => Err(error.to_string()),
    });
    let (well, says) = match opened {
        Ok(says) => (true, says),
        Err(why) => (false, format!("components are compiled at every run: {why}")),
    };
    Line { what: "cache", well, says }
}

fn user_file(setup: &Setup) -> Line {
    let says = match setup.user_file() {
        Some(path) if path.exists() => format!("{}; a project's own is {PROJECT_FILE}", path.display()),
        Some(path) => format!("{} (not there: the defaults hold)", path.display()),
        None => "this user has no configuration folder: the defaults hold".to_owned(),
    };
    Line { what: "settings", well: true, says }
}

fn limits(setup: &Setup) -> Line {
    let limits = &setup.config.limits;
    let says = format!(
        "per component {} MiB, {} s of computing, {} s in all; {} tokens per run",
        limits.memory_bytes >> 20,
        limits.compute_seconds,
        limits.lens_seconds,
        setup.config.llm.budget.tokens_per_run,
    );
    Line { what: "limits", well: true, says }
}
