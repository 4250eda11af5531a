//! A small change with planted faults, and a recorded conversation about it: what `demo` reviews without a key or a network.
//!
//! Only the model's answers are recorded. The sandbox, the checks, the judge and what they make of the answers are those
//! of every review. A test records the conversation again and holds the cassette against it.

use std::collections::BTreeMap;
use std::sync::Arc;

use review_loop_core::outcome::ModelUse;
use review_loop_core::subject::Mode;

use crate::config::{Config, Layers};
use crate::error::Error;
use crate::lenses::{self, Selection};
use crate::llm::Model as _;
use crate::llm::choose::Choice;
use crate::llm::replay::Replay;
use crate::scope::Change;

/// Where the conversation is kept, from the project's root.
pub const CASSETTE: &str = "host/src/demo/cassette.json";

/// Who looks: enough to show everything, and no more calls to record than that.
const LENSES: [&str; 3] = ["adversarial", "design-coherence", "ship-readiness"];

/// Path, text before, text after.
const FILES: [(&str, &str, &str); 2] = [
    ("shop/cart.py", include_str!("before/shop/cart.py"), include_str!("after/shop/cart.py")),
    ("docs/cart.md", include_str!("before/docs/cart.md"), include_str!("before/docs/cart.md")),
];

/// What a review needs, a model aside.
pub struct Sample {
    /// The change, with its sources.
    pub change: Change,
    /// The defaults: the answers were recorded with them.
    pub config: Config,
    /// Who looks and who attacks.
    pub selection: Selection,
}

impl Sample {
    /// The sample.
    ///
    /// # Errors
    /// None that a user could cause: it is part of the program, and tested.
    pub fn new() -> Result<Self, Error> {
        let config = Layers::defaults()?.resolve()?;
        let selection = lenses::select(&config, Mode::Code, &LENSES.map(str::to_owned))?;
        let side = |text: fn(&(&str, &'static str, &'static str)) -> &'static str| -> BTreeMap<String, String> {
            FILES.iter().map(|file| (file.0.to_owned(), text(file).to_owned())).collect()
        };
        let context = config.scope.context_lines;
        let change = Change::between("a sample change", &side(|file| file.1), &side(|file| file.2), context)?;
        Ok(Self { change, config, selection })
    }
}

/// A model that gives the recorded answers.
///
/// # Errors
/// As [`Sample::new`].
pub fn recorded() -> Result<Choice, Error> {
    let model = Arc::new(Replay::read("the demo's cassette", include_str!("cassette.json"))?);
    let name = model.name();
    Ok(Choice { line: format!("model: {name}"), model_use: ModelUse::Asked(name), model })
}
