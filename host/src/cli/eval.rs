//! `eval`: how good the judge is, on recorded findings with labels.

use std::fs;
use std::path::{Path, PathBuf};

use review_loop_core::eval::{self, Dataset};
use serde::de::DeserializeOwned;

use super::Global;
use super::setup::Setup;
use crate::config::{Layer, Preset};
use crate::error::Error;
use crate::ui::printer::Printer;

/// Measure the judge on recorded findings with labels
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The folder holds `changes/<id>.diff` (unified diffs), `findings.jsonl` and, if there are any, `ratings.jsonl`.
What each figure means is defined in docs/judge.md. The same data gives the same figures, to the digit.

  guard       of the true, false and foreign claims (about another repository's change), which share is kept
  cluster     of the pairs that are put together, which say the same (precision), and of those that say the
              same, which are put together (recall); B-cubed: the same by finding instead of by pair
  agreement   how well the number and the independence of who says it tells right from wrong (AUC)
  placement   which share of the anchors lands in a hunk of the change
  curves      the same for other values of each threshold")]
pub(super) struct Args {
    /// The folder with the data
    #[arg(long, value_name = "FOLDER")]
    data: PathBuf,
    /// What is printed
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// The judge's numbers [default: measured]
    #[arg(long, value_name = "PRESET")]
    preset: Option<Preset>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Tables
    Text,
    /// For programs; its keys are stable
    Json,
}

pub(super) fn run(args: &Args, global: &Global, printer: &Printer) -> Result<u8, Error> {
    let preset = args.preset.as_ref().and_then(clap::ValueEnum::to_possible_value);
    let flag = preset.map(|preset| Layer::flag("--preset", "review.preset", preset.get_name()));
    let setup = Setup::new(global, flag.into_iter().collect())?;
    let report = eval::run(&read(&setup.folder.join(&args.data))?, &setup.config.judge());
    let text = match args.format {
        Format::Text => report.to_text(),
        Format::Json => {
            let json = serde_json::to_string_pretty(&report).map_err(|error| Error::Usage(error.to_string()))?;
            format!("{json}\n")
        }
    };
    printer.data(&text).map_err(Error::stdout)?;
    Ok(0)
}

fn read(folder: &Path) -> Result<Dataset, Error> {
    let mut data = Dataset { findings: lines(&folder.join("findings.jsonl"))?, ..Dataset::default() };
    let ratings = folder.join("ratings.jsonl");
    if ratings.exists() {
        data.ratings = lines(&ratings)?;
    }
    let changes = folder.join("changes");
    for entry in fs::read_dir(&changes).map_err(|error| Error::read(&changes, &error))? {
        let path = entry.map_err(|error| Error::read(&changes, &error))?.path();
        if let (Some(id), Some("diff")) = (path.file_stem(), path.extension().and_then(|e| e.to_str())) {
            let diff = fs::read(&path).map_err(|error| Error::read(&path, &error))?;
            data.changes.insert(id.to_string_lossy().into_owned(), String::from_utf8_lossy(&diff).into_owned());
        }
    }
    Ok(data)
}

/// One record a line; a line that cannot be read is named by its number.
fn lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, Error> {
    let text = fs::read_to_string(path).map_err(|error| Error::read(path, &error))?;
    let record = |(number, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| Error::Usage(format!("{}:{}: {error}", path.display(), number + 1)))
    };
    text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(record).collect()
}
