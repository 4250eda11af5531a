//! Credentials of well-known shape in added lines: the shapes of [`review_loop_sdk::secrets`].
//!
//! A finding says the kind and the lines, never the text. Leaves alone: tests, examples, fixtures and documents (their
//! credentials are made up), API keys for browsers (public by design) and private keys under a passphrase.

use std::iter::once;

use review_loop_sdk::check::{Changed, Rule, Seen};
use review_loop_sdk::prelude::*;
use review_loop_sdk::secrets::{self, ENCRYPTED_KEY, GOOGLE_API_KEY};
use review_loop_sdk::subject::{Change, Hunk};

use super::is_shown;

static CREDENTIAL: Rule = Rule {
    category: "secrets-risk",
    severity: Severity::High,
    load_bearing: true,
    confidence: 97,
    several: "credentials in the clear",
    follows: "whoever reads the repository or its history can use them",
    hint: "Revoke it where it was issued, then read its successor from the environment or a secret store.",
};

pub(crate) fn check(changed: &Changed) -> Vec<Seen> {
    if changed.test || is_shown(&changed.file.path) || is_prose(&changed.file.path) {
        return Vec::new();
    }
    let mut removed = Removed { text: changed.removed().flat_map(|(_, text)| [text, "\n"]).collect(), asked: 0 };
    changed.hunks.iter().flat_map(|hunk| in_hunk(changed, hunk, &mut removed)).collect()
}

/// What the change removes from the file.
struct Removed {
    text: String,
    asked: usize,
}

impl Removed {
    /// Whether a text was there before. Each question reads all of it, so only so many are answered: of a file with
    /// more credentials than that, moved ones are told of too.
    fn holds(&mut self, text: &str) -> bool {
        self.asked += 1;
        self.asked <= MOST_ASKED && self.text.contains(text)
    }
}

const MOST_ASKED: usize = 500;

fn is_prose(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    [".md", ".markdown", ".mdx", ".rst", ".adoc", ".ipynb", ".snap"].iter().any(|end| name.ends_with(end))
        || name.starts_with("changelog")
}

/// Kinds that are no defect by their presence alone.
const LEFT_ALONE: &[&str] = &[GOOGLE_API_KEY, ENCRYPTED_KEY];

fn in_hunk(changed: &Changed, hunk: &Hunk, removed: &mut Removed) -> Vec<Seen> {
    let lines: Vec<_> = hunk.lines.iter().filter(|line| line.change != Change::Removed).collect();
    let text: String = lines.iter().flat_map(|line| [line.text.as_str(), "\n"]).collect();
    let starts: Vec<usize> = once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let mut found = Vec::new();
    for hit in secrets::find(&text).into_iter().filter(|hit| !LEFT_ALONE.contains(&hit.kind)) {
        let Some(secret) = text.get(hit.range.clone()) else {
            continue;
        };
        let before = starts.partition_point(|start| *start <= hit.range.start).saturating_sub(1);
        let span = lines.iter().skip(before).take(secret.matches('\n').count() + 1);
        let added: Vec<u32> = span.filter(|line| line.change == Change::Added).filter_map(|line| line.new).collect();
        // Of a key's block the first line is the same for every key.
        let telling = secret.lines().max_by_key(|line| line.len()).unwrap_or(secret);
        let was_there = removed.holds(telling);
        if let (Some(first), Some(last), false) = (added.first(), added.last(), was_there) {
            let told = |seen: Seen| Seen { text: telling.to_owned(), ..seen };
            found.extend(seen(changed, hit.kind, *first, *last).map(told));
        }
    }
    found
}

fn seen(changed: &Changed, kind: &str, first: u32, last: u32) -> Option<Seen> {
    let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "An" } else { "A" };
    let claim = format!(
        "{article} {kind} stands here in the clear, so whoever reads the repository or its history can use it."
    );
    if changed.is_test_line(first) {
        return None;
    }
    let mut seen = Seen::at(&CREDENTIAL, changed, first, claim)?;
    seen.last = last;
    seen.quote = false;
    seen.evidence =
        Some(format!("The text has the exact form of {} {kind}; it is not repeated here.", article.to_lowercase()));
    Some(seen)
}

#[cfg(test)]
mod tests {
    use review_loop_sdk::check;
    use review_loop_sdk::testing::{FakeHost, lines, lines_with};

    const BODY: &str = "q7Rk2ZpV9sLx4TnB8mHc3WdJ6fGyUa1eQoI5";

    fn token() -> String {
        format!("ghp_{BODY}")
    }

    fn key() -> String {
        format!("-----BEGIN {}-----\n{BODY}{BODY}\n-----END {0}-----\n", "RSA PRIVATE KEY")
    }

    #[test]
    fn a_credential_is_seen_and_never_repeated() {
        let host = FakeHost::new().added("src/a.rs", &format!("fn a() {{\n    login(\"{}\");\n}}\n", token()));
        let report = host.run(|| check::report(&[super::check], 5)).0;
        assert_eq!(report.findings.len(), 1);
        let shown = format!("{report:?}");
        assert!(!shown.contains(BODY) && shown.contains("A github token stands here"), "{shown}");
        assert_eq!(lines(super::check, "deploy/id_rsa", &key()), [1]);
        assert_eq!(lines(super::check, ".env", &format!("A=1\nTOKEN={}\n", token())), [2]);
    }

    #[test]
    fn what_looks_alike_is_not() {
        let line = format!("token = \"{}\"\n", token());
        for path in ["tests/a.rs", "docs/a.toml", "README.md", "examples/a.py", "src/a.test.ts", "config.example.toml"]
        {
            assert_eq!(lines(super::check, path, &line), [0; 0], "{path}");
        }
        for text in [
            format!("#[cfg(test)]\nmod tests {{\n  const A: &str = \"{}\";\n}}\n", token()),
            format!("const KEY: &str = \"AIza{BODY}\";\n").replace("I5\"", "I\""),
            "const TOKEN: &str = \"ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\";\n".to_owned(),
            "const BEGIN: &str = \"-----BEGIN RSA PRIVATE KEY-----\";\n".to_owned(),
        ] {
            assert_eq!(lines(super::check, "src/a.rs", &text), [0; 0], "{text}");
        }
        let known = format!("a = \"{}\"\n", token());
        assert_eq!(
            lines_with(super::check, FakeHost::new().edited("a.toml", &known, &format!("b = 1\n  {known}"))),
            [0; 0]
        );
        let other = key().replace("q7Rk2", "Zt4Wm");
        let rotated = FakeHost::new().edited("deploy/id_rsa", &key(), &other);
        assert_eq!(lines_with(super::check, rotated).len(), 1, "another key is a new one");
        let beside = format!("{known}b = 1\n");
        assert_eq!(lines_with(super::check, FakeHost::new().edited("a.toml", &known, &beside)), [0; 0]);
    }
}
