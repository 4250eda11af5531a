//! A component's permissions are its imports: read from its type, before anything of it runs.

use std::fmt;

use review_loop_core::outcome::Role;
use wasmtime::Engine;
use wasmtime::component::types;

use super::bindings::v0_1::VERSION;

const PACKAGE: &str = "review-loop:lens/";

/// What every component gets without asking: the subject, its sources, a log, a place for what is finished early.
const FREE: [&str; 4] = ["subject", "source", "log", "handover"];

/// Types alone, and no function: importing it is no permission.
const TYPES: &str = "types";

/// What of WASI is there for the standard libraries of guest languages. It leads nowhere: no arguments, an empty
/// environment, no folder. Sockets and HTTP are not in the list, so a component that imports them is refused.
const WASI: [&str; 5] = ["wasi:cli/", "wasi:clocks/", "wasi:filesystem/", "wasi:io/", "wasi:random/"];

/// What a component may import beyond what is free.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Grant {
    /// It may call the model.
    pub model: bool,
}

/// What a component is and wants, as its type says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// Lens or falsifier, by what it exports.
    pub role: Role,
    /// The interfaces of the contract that it imports, without package and version, sorted.
    pub imports: Vec<String>,
    /// The interfaces of WASI that it imports, with their versions, sorted.
    pub wasi: Vec<String>,
}

/// Why a component is refused before it is instantiated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("it imports `{0}`, which was not granted")]
    NotGranted(String),
    #[error("it imports `{0}`, which no component gets")]
    Forbidden(String),
    #[error("it was built for version {theirs} of the contract; this host speaks {VERSION}")]
    Version { theirs: String },
    #[error("it exports neither `reviewer` nor `disprover` of the contract `review-loop:lens`")]
    NoRole,
}

impl Refusal {
    /// What to do about it.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Self::NotGranted(name) => Some(format!("grant `{name}` to it, or use one that does not need it")),
            Self::Forbidden(_) => Some("build it without network access (`--stub-wasi` in many toolchains)".to_owned()),
            Self::Version { .. } => Some("use a build of it for this host, or the host it was built for".to_owned()),
            Self::NoRole => None,
        }
    }
}

/// Reads a component's type and holds it against a grant.
pub(crate) fn examine(engine: &Engine, component: &types::Component, grant: Grant) -> Result<Shape, Refusal> {
    let (mut imports, mut wasi) = (Vec::new(), Vec::new());
    for (name, _) in component.imports(engine) {
        if let Some(interface) = contract_interface(name)? {
            if interface == TYPES {
                continue;
            }
            let granted = interface == "llm" && grant.model;
            if !granted && !FREE.contains(&interface) {
                return Err(Refusal::NotGranted(interface.to_owned()));
            }
            imports.push(interface.to_owned());
        } else if WASI.iter().any(|allowed| name.starts_with(allowed)) {
            wasi.push(name.to_owned());
        } else {
            return Err(Refusal::Forbidden(name.to_owned()));
        }
    }
    imports.sort();
    wasi.sort();
    Ok(Shape { role: role(engine, component)?, imports, wasi })
}

fn role(engine: &Engine, component: &types::Component) -> Result<Role, Refusal> {
    // Language runtimes export more than the contract asks for; what is not of the contract does not matter.
    for (name, _) in component.exports(engine) {
        match contract_interface(name)? {
            Some("reviewer") => return Ok(Role::Lens),
            Some("disprover") => return Ok(Role::Falsifier),
            _ => {}
        }
    }
    Err(Refusal::NoRole)
}

/// `llm` of `review-loop:lens/llm@0.1.0`; none for a name that is not of the contract.
fn contract_interface(name: &str) -> Result<Option<&str>, Refusal> {
    let Some((interface, version)) = name.strip_prefix(PACKAGE).and_then(|rest| rest.split_once('@')) else {
        return Ok(None);
    };
    match version.strip_prefix(VERSION) {
        Some(patch) if patch.starts_with('.') => Ok(Some(interface)),
        _ => Err(Refusal::Version { theirs: version.to_owned() }),
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.imports.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_contract_are_told_from_others() {
        assert_eq!(contract_interface("review-loop:lens/llm@0.1.0"), Ok(Some("llm")));
        assert_eq!(contract_interface("review-loop:lens/llm@0.1.9"), Ok(Some("llm")));
        assert_eq!(contract_interface("wasi:cli/exit@0.2.6"), Ok(None));
        let newer = Refusal::Version { theirs: "0.2.0".to_owned() };
        assert_eq!(contract_interface("review-loop:lens/llm@0.2.0"), Err(newer));
        let far = Refusal::Version { theirs: "0.10.0".to_owned() };
        assert_eq!(contract_interface("review-loop:lens/llm@0.10.0"), Err(far));
    }
}
