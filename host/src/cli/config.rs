//! `config`: the settings and where they come from.

use toml::Value;

use super::Global;
use super::setup::Setup;
use crate::error::Error;
use crate::scope::{self, Scope};
use crate::ui::printer::Printer;
use crate::ui::sanitise;

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
        environment: super::git_environment(),
    };
    if let Ok(change) = scope::read(&request) {
        setup.narrow(change)?;
        setup.notices.iter().for_each(|notice| printer.warn(notice));
    }
    let mut text = String::new();
    for setting in setup.settings()? {
        let comment =
            if origin { format!("  # {}", sanitise::name(&setting.origin.to_string())) } else { String::new() };
        text +=
            &sanitise::inert_start(&format!("{} = {}{comment}", sanitise::name(&setting.key), value(&setting.value)));
        text.push('\n');
    }
    printer.data(&text).map_err(Error::stdout)?;
    Ok(0)
}

/// A value as TOML, in one line: TOML has a form for text of several lines, and they may be a reviewed project's.
fn value(value: &Value) -> String {
    sanitise::one_line(&toml(value)).into_owned()
}

fn toml(value: &Value) -> String {
    match value {
        Value::String(text) if text.contains(['\n', '\r', '\t']) => serde_json::Value::from(text.as_str()).to_string(),
        Value::Array(items) => format!("[{}]", items.iter().map(toml).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_one_line_of_toml() {
        let check = |text: &str, expect: &str| {
            let table: toml::Table = text.parse().unwrap();
            assert_eq!(value(&table["a"]), expect);
        };
        check("a = 3", "3");
        check("a = \"x\"", "\"x\"");
        check("a = [\"x\", 'y']", "[\"x\", \"y\"]");
        check("a = \"\"\"x\n::error::y\"\"\"", r#""x\n::error::y""#);
        check("a = ['##[error]x']", r#"["\u{23}#[error]x"]"#);
    }
}
