//! Which components there are, and which of them a run uses.

use std::sync::Arc;

use review_loop_core::outcome::Role;
use review_loop_core::subject::Mode;

use super::BUILT_IN;
use crate::config::Config;
use crate::runtime::Grant;

/// One component that can run.
#[derive(Debug, Clone)]
pub struct Entry {
    /// What it is called: in the configuration, on the command line, in every output.
    pub id: String,
    /// Lens or falsifier.
    pub role: Role,
    /// The component file.
    pub bytes: Arc<[u8]>,
    /// What it may import.
    pub grant: Grant,
}

/// A lens or falsifier that was named and is not there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no {kind} `{name}`; there are {known}")]
pub struct Unknown {
    kind: &'static str,
    name: String,
    known: String,
}

/// The components of a run, in the order in which they are shown.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Run at once.
    pub lenses: Vec<Entry>,
    /// Run one after the other, cheap ones first.
    pub falsifiers: Vec<Entry>,
}

/// Every component that can run, falsifiers last.
///
/// # Errors
/// The configuration names a component that is not there.
pub fn all(config: &Config) -> Result<Selection, Unknown> {
    let lenses =
        config.lenses.of_mode(Mode::Code).iter().map(|name| entry(name, Role::Lens)).collect::<Result<_, _>>()?;
    let falsifiers = config.falsifiers.run.iter().map(|name| entry(name, Role::Falsifier)).collect::<Result<_, _>>()?;
    Ok(Selection { lenses, falsifiers })
}

/// The components for a subject of this mode: those of the configuration that are not switched off; of the lenses, with
/// `only`, those and no others.
///
/// # Errors
/// A name that is not there.
pub fn select(config: &Config, mode: Mode, only: &[String]) -> Result<Selection, Unknown> {
    let of_mode = config.lenses.of_mode(mode);
    if let Some(unknown) = only.iter().chain(&config.lenses.disabled).find(|name| !of_mode.contains(name)) {
        return Err(Unknown { kind: "lens", name: unknown.clone(), known: of_mode.join(", ") });
    }
    let wanted =
        |entry: &Entry| !config.lenses.disabled.contains(&entry.id) && (only.is_empty() || only.contains(&entry.id));
    let mut selection = all(config)?;
    selection.lenses.retain(wanted);
    Ok(selection)
}

fn entry(name: &str, role: Role) -> Result<Entry, Unknown> {
    let Some((_, bytes)) = BUILT_IN.iter().find(|(built_in, _)| *built_in == name) else {
        let known: Vec<&str> = BUILT_IN.iter().map(|(name, _)| *name).collect();
        return Err(Unknown { kind: "component", name: name.to_owned(), known: known.join(", ") });
    };
    Ok(Entry { id: name.to_owned(), role, bytes: Arc::from(*bytes), grant: Grant { model: true } })
}
