//! What a build downloads and runs unseen: `curl ... | sh` and its like, in CI, container files and their scripts.
//!
//! Leaves alone: addresses that name a version or a commit, machines of one's own, variables, documents and examples, and
//! what is downloaded to be read, unpacked or checked.

use review_loop_sdk::check::{Changed, Rule, Seen};
use review_loop_sdk::code::Language;
use review_loop_sdk::prelude::*;

use super::commands::{Command, commands, holds_commands, is_ci};
use super::fresh::{Hit, fresh};
use super::is_shown;
use super::text::Text;

static FETCHED: Rule = Rule {
    category: "supply-chain",
    severity: Severity::Low,
    load_bearing: false,
    confidence: 96,
    several: "downloads that are run unseen",
    follows: "whoever answers at those addresses runs code in the build",
    hint: "Pin a version and compare a checksum before running it, or install it from a package.",
};

pub(crate) fn check(changed: &Changed) -> Vec<Seen> {
    let path = changed.file.path.as_str();
    let builds = match changed.language {
        Some(Language::Dockerfile) => true,
        Some(Language::Shell) => is_ci(path) || is_install_script(path),
        language => is_ci(path) && holds_commands(path, language),
    };
    let any = || changed.adds_any(&["curl", "wget", "irm ", "iwr ", "Invoke-"]);
    if builds && !changed.test && !is_shown(path) && any() { fresh(changed, find) } else { Vec::new() }
}

/// A script in a folder for building, that sets a machine up.
fn is_install_script(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    ["install", "setup", "bootstrap", "provision"].iter().any(|word| name.contains(word)) && path.contains('/')
}

fn find(text: &Text<'_>) -> Vec<Hit> {
    let all = commands(text);
    let pairs = all.iter().zip(all.iter().skip(1));
    let piped = pairs.filter(|(fetch, run)| run.piped && is_fetch(fetch) && is_run(run)).map(|(fetch, _)| fetch);
    let inner = all.iter().filter(|command| runs_output(command));
    piped.chain(inner).filter_map(hit).collect()
}

fn hit(fetch: &Command<'_>) -> Option<Hit> {
    let url = fetch.public_url().filter(|url| !is_pinned(url))?;
    let shown = review_loop_sdk::text::clip(url, 80);
    let claim = format!(
        "The build runs whatever `{shown}` answers at that time, so whoever can change that answer runs code in it."
    );
    Some(Hit { line: fetch.line, mark: url.to_owned(), rule: &FETCHED, claim })
}

fn is_fetch(command: &Command<'_>) -> bool {
    match command.program() {
        "curl" => !command.has_short('o') && !command.has_short('O') && !command.has("--output"),
        "wget" => command
            .words
            .iter()
            .any(|word| word.starts_with('-') && (word.ends_with("O-") || word.ends_with('O') || *word == "-")),
        "irm" | "iwr" | "Invoke-WebRequest" | "Invoke-RestMethod" => true,
        _ => false,
    }
}

fn is_run(command: &Command<'_>) -> bool {
    let reads_data = ["-c", "-m", "-e", "-n", "-ne", "-pe", "-ce"].iter().any(|option| command.has(option));
    let names_file = command.words.get(1).is_some_and(|word| !word.starts_with('-') && !word.contains('>'));
    match command.program() {
        "sh" | "bash" | "zsh" | "dash" | "ksh" | "iex" | "Invoke-Expression" => !command.has("-c") && !names_file,
        "python" | "python3" | "node" | "perl" | "ruby" | "php" => !reads_data && !names_file,
        _ => false,
    }
}

/// `bash <(curl ...)`, `sh -c "$(curl ...)"`, `eval "$(curl ...)"`.
fn runs_output(command: &Command<'_>) -> bool {
    let runs = matches!(command.program(), "sh" | "bash" | "zsh" | "dash" | "ksh" | "source" | "." | "eval");
    let argument = command.words.iter().skip(1).find(|word| !word.starts_with('-'));
    let fetches = argument.is_some_and(|word| {
        let inner = word.trim_start_matches(['<', '$', '(', '"', '`']);
        inner.len() < word.len() && (inner == "curl" || inner.starts_with("curl ") || inner.starts_with("wget "))
    });
    runs && fetches
}

/// Whether the address names a commit or a version.
fn is_pinned(url: &str) -> bool {
    let path = url.splitn(4, '/').nth(3).unwrap_or_default();
    let commit =
        path.split(['/', '.', '?', '=']).any(|part| part.len() == 40 && part.bytes().all(|b| b.is_ascii_hexdigit()));
    let version = path.split(['/', '-', '_', '@', '=', '?']).any(|part| {
        let digits = part.trim_start_matches(['v', 'V']);
        let is_version =
            digits.split('.').take(2).filter(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit())).count();
        is_version == 2
    });
    commit || version || path.contains('$')
}

#[cfg(test)]
mod tests {
    use super::super::testing::lines;

    const WORKFLOW: &str = ".github/workflows/ci.yml";

    #[test]
    fn a_download_that_is_run_is_seen() {
        for (path, text) in [
            (WORKFLOW, "      - run: curl -sSf https://get.tool.dev/install.sh | sh\n"),
            ("Dockerfile", "RUN curl -fsSL https://deb.nodesource.com/setup_lts.x | sudo -E bash -\n"),
            ("Dockerfile", "\u{feff}RUN apt-get update \\\n && wget -qO- https://get.tool.dev | bash\n"),
            (".ci/install.sh", "bash <(curl -s https://codecov.io/bash)\n"),
            (".ci/install.sh", "sh -c \"$(curl -fsSL https://get.tool.dev/x.sh)\"\n"),
            (WORKFLOW, "        run: irm https://get.tool.dev/x.ps1 | iex\n"),
            (".ci/a.sh", "echo a\rcurl https://get.tool.dev/x | sh\r"),
        ] {
            assert_eq!(lines(super::check, path, text).len(), 1, "{path}: {text}");
        }
    }

    #[test]
    fn what_looks_alike_is_not() {
        for (path, text) in [
            (WORKFLOW, "# curl -sSf https://get.tool.dev | sh\n"),
            (WORKFLOW, "- run: curl -s https://api.tool.dev/v | python -m json.tool\n"),
            (WORKFLOW, "- run: curl -s https://api.tool.dev/v | python3 -c 'import sys'\n"),
            (WORKFLOW, "- run: curl -sL https://tool.dev/releases/v1.2.3/install.sh | sh\n"),
            (WORKFLOW, "- run: curl -s http://localhost:8080/x | sh\n- run: curl $URL | sh\n"),
            (WORKFLOW, "- run: curl -s https://tool.dev/a.tgz | tar xz\n"),
            ("Dockerfile", "RUN echo \"curl https://tool.dev/x | sh\"\n"),
            ("docs/Dockerfile", "RUN curl https://tool.dev/x | sh\n"),
            ("README.md", "curl https://tool.dev/x | sh\n"),
            ("run.sh", "curl https://tool.dev/x | sh\n"),
        ] {
            assert_eq!(lines(super::check, path, text), [0; 0], "{path}: {text}");
        }
    }
}
