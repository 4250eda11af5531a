//! `review`: the main job, once.

use std::fs;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use review_loop_core::outcome::Outcome;
use review_loop_core::secrets;
use review_loop_core::subject::Mode;

use super::Global;
use super::setup::Setup;
use crate::act::render::{self, Format};
use crate::config::{Config, FailOn, Layer, Preset};
use crate::error::Error;
use crate::lenses::{self, Selection, Step, Watch};
use crate::llm::choose::{self, Choice, Wanted};
use crate::llm::replay::Record;
use crate::llm::retry;
use crate::pipeline::{self, Tools};
use crate::runtime::{Event, Interrupter, Level};
use crate::scope::{self, Scope};
use crate::ui::printer::Printer;
use crate::ui::progress::Progress;
use crate::ui::sanitise;

/// Review a change: uncommitted work, untracked files included, unless a flag names another
#[derive(Debug, Clone, Default, clap::Args)]
#[command(
    next_help_heading = "Review",
    after_help = "\
Examples:
  review-loop review                          uncommitted work
  review-loop review --branch                 what this branch committed since it left its base
  review-loop review --commit HEAD -- src     one commit, one folder of it
  review-loop review --model none             the checks alone, no model
  review-loop review --output sarif=out.sarif --fail-on high"
)]
pub(super) struct Args {
    #[command(flatten)]
    scope: ScopeArgs,
    /// Who is asked: auto, anthropic, openai, none, or replay:FILE
    #[arg(long, value_name = "BACKEND")]
    model: Option<String>,
    /// Write every model call and its answer to this cassette, secrets removed
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Run these lenses and no others
    #[arg(long, value_name = "LENS", value_delimiter = ',')]
    only: Vec<String>,
    /// Fail from this severity on [default: medium]
    #[arg(long, value_name = "SEVERITY")]
    fail_on: Option<FailOn>,
    /// Take what the project's own settings skip for not reviewed
    #[arg(long)]
    fail_on_skipped: bool,
    /// The judge's numbers [default: measured]
    #[arg(long, value_name = "PRESET")]
    preset: Option<Preset>,
    /// What is printed [default: text]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    /// Say which findings were merged into one, and what they share
    #[arg(long)]
    explain: bool,
    /// Write the result to a file too; may be given more than once
    #[arg(long, value_name = "FORMAT=FILE")]
    output: Vec<Output>,
}

#[derive(Debug, Clone, Default, clap::Args)]
struct ScopeArgs {
    /// What is staged
    #[arg(long, group = "what", help_heading = "Scope")]
    staged: bool,
    /// One commit, against its first parent
    #[arg(long, value_name = "REV", group = "what", help_heading = "Scope")]
    commit: Option<String>,
    /// All that differs between two revisions, or with `...` what the second changed since it left the first
    #[arg(long, value_name = "A..B", group = "what", help_heading = "Scope")]
    range: Option<String>,
    /// What the current branch committed since it left its base
    #[arg(long, group = "what", help_heading = "Scope")]
    branch: bool,
    /// What the branch is compared with [default: its upstream, else the default branch]
    #[arg(long, value_name = "REF", requires = "branch", help_heading = "Scope")]
    base: Option<String>,
    /// Review what changed inside of submodules and other repositories that lie in this one, too
    #[arg(long, help_heading = "Scope")]
    submodules: bool,
    /// The part of the change to review: files, folders, or git's pathspecs
    #[arg(value_name = "PATHSPEC", help_heading = "Scope")]
    pathspecs: Vec<String>,
}

/// `sarif=out.sarif`
#[derive(Debug, Clone)]
struct Output {
    format: Format,
    file: PathBuf,
}

pub(super) fn run(args: &Args, global: &Global, printer: &Printer) -> Result<u8, Error> {
    let mut setup = Setup::new(global, args.layers())?;
    let change = scope::read(&scope::Request {
        folder: setup.folder.clone(),
        scope: args.scope.scope()?,
        pathspecs: args.scope.pathspecs.clone(),
        options: scope::Options { submodules: args.scope.submodules, ..setup.config.scope_options() },
        environment: super::git_environment(),
    })?;
    let change = setup.narrow(change)?;
    let outcome = review(args, &setup, change, printer)?;
    write(args, &outcome, printer)?;
    Ok(render::exit_code(&outcome))
}

/// Reviews a change that was read, whatever its source.
pub(super) fn review(args: &Args, setup: &Setup, change: scope::Change, printer: &Printer) -> Result<Outcome, Error> {
    let selection = lenses::select(&setup.config, Mode::Code, &args.only)?;
    let model = choose(args, setup)?;
    printer.note(&model.line);
    let mut ready = ready(setup, selection, model, printer)?;
    ready.tools.narrowed = setup.narrowed(&change.subject, &args.only)?;
    ready.tools.notices = setup.notices.clone();
    complete(setup, change, ready, &setup.config, printer)
}

/// What a review is made with, and what ends it before its time.
pub(super) struct Ready {
    tools: Tools,
    interrupter: Interrupter,
}

/// Makes everything ready for a review that no project's settings narrow.
pub(super) fn ready(setup: &Setup, selection: Selection, model: Choice, printer: &Printer) -> Result<Ready, Error> {
    let progress = Progress::new(printer.interactive());
    let (interrupter, interrupt) = Interrupter::new();
    let tools = Tools {
        runtime: setup.runtime(printer)?,
        selection,
        model,
        watch: watch(progress, *printer),
        interrupt,
        narrowed: Vec::new(),
        notices: Vec::new(),
    };
    Ok(Ready { tools, interrupter })
}

/// Runs a review to its end, or to where it is interrupted.
pub(super) fn complete(
    setup: &Setup,
    change: scope::Change,
    Ready { tools, interrupter }: Ready,
    config: &Config,
    printer: &Printer,
) -> Result<Outcome, Error> {
    let executor = setup.executor()?;
    let reviewing = pipeline::review(change, tools, config);
    let outcome = executor.block_on(interruptible(reviewing, &interrupter, printer));
    // A compiler that is still at work when the user interrupts is not waited for.
    executor.shutdown_background();
    outcome
}

/// The first interruption ends what is at work, and what is finished is shown; the second ends everything.
async fn interruptible(
    reviewing: impl Future<Output = Outcome>,
    interrupter: &Interrupter,
    printer: &Printer,
) -> Result<Outcome, Error> {
    tokio::pin!(reviewing);
    tokio::select! {
        outcome = &mut reviewing => return Ok(outcome),
        _ = tokio::signal::ctrl_c() => interrupter.interrupt(),
    }
    printer.note("interrupted: what is finished follows; once more ends this at once");
    tokio::select! {
        outcome = reviewing => Ok(outcome),
        _ = tokio::signal::ctrl_c() => Err(Error::Interrupted),
    }
}

fn choose(args: &Args, setup: &Setup) -> Result<Choice, Error> {
    let wanted: Wanted = setup.config.model.backend.parse()?;
    let mut choice = choose::choose(&wanted, &setup.env(), &setup.config.llm, retry::random())?;
    if let Some(path) = &args.record {
        let redact = Arc::new(|text: &str| secrets::redact(text).into_owned());
        choice.model = Arc::new(Record::create(choice.model, path, redact)?);
    }
    Ok(choice)
}

/// Shows what components are at while they work, on a terminal; with `--verbose` what they log.
fn watch(progress: Progress, printer: Printer) -> Watch {
    Arc::new(move |id, step| match step {
        Step::Started => progress.start(id),
        Step::Said(Event::Progress(text)) => progress.say(id, text),
        Step::Said(Event::Spent(usage)) => progress.spent(id, &usage),
        Step::Said(Event::Log { level, message }) => match level {
            Level::Warn => printer.note(&format!("{id}: {}", sanitise::one_line(message))),
            Level::Info | Level::Debug => printer.detail(&format!("{id}: {}", sanitise::one_line(message))),
        },
        Step::Ended => progress.done(id),
    })
}

/// Prints the result and writes the files that were asked for. A file that cannot be written is an error: whoever asked
/// for it waits for it.
pub(super) fn write(args: &Args, outcome: &Outcome, printer: &Printer) -> Result<(), Error> {
    let plain = render::Options { verbosity: printer.verbosity(), explain: args.explain, ..render::Options::default() };
    for output in &args.output {
        let text = render::render(outcome, output.format, &plain);
        fs::write(&output.file, text).map_err(|error| Error::write(&output.file, &error))?;
    }
    let shown = render::Options { width: printer.width(), color: printer.color(), ..plain };
    let text = render::render(outcome, args.format.unwrap_or(Format::Text), &shown);
    printer.data(&text).map_err(Error::stdout)
}

impl Args {
    /// The settings that flags of this call set.
    pub(super) fn layers(&self) -> Vec<Layer> {
        let name = |value: Option<clap::builder::PossibleValue>| value.map(|value| value.get_name().to_owned());
        let fail_on = self.fail_on.as_ref().and_then(|value| name(clap::ValueEnum::to_possible_value(value)));
        let preset = self.preset.as_ref().and_then(|value| name(clap::ValueEnum::to_possible_value(value)));
        let flags = [
            ("--model", "model.backend", self.model.clone()),
            ("--fail-on", "review.fail-on", fail_on),
            ("--preset", "review.preset", preset),
        ];
        let texts = flags.into_iter().filter_map(|(flag, key, value)| Some(Layer::flag(flag, key, value?)));
        let skipped = self.fail_on_skipped.then(|| Layer::flag("--fail-on-skipped", "review.fail-on-skipped", true));
        texts.chain(skipped).collect()
    }

    /// The checks alone.
    pub(super) fn checks_alone() -> Self {
        Self { model: Some("none".to_owned()), ..Self::default() }
    }

    /// Saying what was merged, and why.
    pub(super) fn explaining() -> Self {
        Self { explain: true, ..Self::default() }
    }
}

impl ScopeArgs {
    fn scope(&self) -> Result<Scope, Error> {
        Ok(match self {
            Self { staged: true, .. } => Scope::Staged,
            Self { commit: Some(revision), .. } => Scope::Commit(revision.clone()),
            Self { range: Some(range), .. } => Scope::range(range)?,
            Self { branch: true, base, .. } => Scope::Branch { base: base.clone() },
            _ => Scope::Working,
        })
    }
}

impl FromStr for Output {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (format, file) = text.split_once('=').ok_or("write FORMAT=FILE, such as sarif=out.sarif")?;
        let format = format.parse().map_err(|error| format!("{error}"))?;
        Ok(Self { format, file: PathBuf::from(file) })
    }
}
