//! What a text that people read is about: the present, or the past on purpose.

/// A document for people, by its name.
pub(super) fn is_document(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    match extension.as_deref() {
        Some(known) => ["md", "mdx", "markdown", "rst", "txt", "adoc", "asciidoc", "textile", "pod"].contains(&known),
        None => ["README", "CONTRIBUTING", "INSTALL", "USAGE", "HACKING"].contains(&name),
    }
}

/// Whether the file tells what was, by its path: a change log, release notes, a migration guide, an archive.
pub(super) fn tells_history(path: &str) -> bool {
    const WORDS: &[&str] = &[
        "change",
        "history",
        "news",
        "release",
        "migrat",
        "upgrad",
        "archive",
        "deprecat",
        "whatsnew",
        "whats-new",
        "whats_new",
        "adr",
        "adrs",
        "rfc",
        "rfcs",
        "blog",
        "legacy",
        "old",
        "proposal",
        "proposals",
        "decisions",
        "roadmap",
        "todo",
        "authors",
        "contributors",
        "license",
        "copying",
        "notice",
        "requirements",
        "versions",
        "security",
        "handoffs",
        "porting",
        "removed",
        "breaking",
    ];
    let lower = path.to_ascii_lowercase();
    let words = || lower.split(|c: char| !c.is_ascii_alphanumeric());
    let stem =
        |word: &str| ["change", "migrat", "upgrad", "deprecat", "release"].iter().any(|stem| word.starts_with(stem));
    let numbered = |part: &str| {
        let version = part.trim_start_matches('v');
        version.starts_with(|c: char| c.is_ascii_digit()) && version.contains(['.', '-'])
    };
    words().any(|word| WORDS.contains(&word) || stem(word)) || lower.split('/').any(numbered)
}

/// Whether the lines around an index speak of a change on purpose: they say that something is gone, or was, or compare.
pub(super) fn speaks_of_change(lines: &[&str], at: usize) -> bool {
    let from = at.saturating_sub(3);
    let near = lines.iter().skip(from).take(at + 4 - from);
    let heading = lines.iter().take(at + 1).rev().find(|line| line.starts_with('#'));
    near.chain(heading).any(|line| has_change_word(&line.to_lowercase()) || is_version_heading(line))
}

fn has_change_word(line: &str) -> bool {
    const STEMS: &[&str] = &[
        "remov",
        "deprecat",
        "renam",
        "former",
        "previous",
        "replac",
        "migrat",
        "upgrad",
        "obsolete",
        "breaking",
        "histor",
        "original",
        "supersed",
        "backward",
        "compatib",
        "unsupported",
        "versionadded",
        "versionchanged",
        "dropp",
        "equivalent",
        "borrow",
        "inspir",
        "adapt",
        "legac",
    ];
    const WORDS: &[&str] = &[
        "old", "older", "instead", "prior", "was", "were", "changed", "moved", "existed", "ported", "unlike", "longer",
        "gone",
    ];
    let mut words = line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.any(|word| WORDS.contains(&word) || STEMS.iter().any(|stem| word.starts_with(stem)))
}

/// `## 1.2.0`, `## v3`.
fn is_version_heading(line: &str) -> bool {
    let Some(heading) = line.strip_prefix('#') else { return false };
    heading.trim_start_matches(['#', ' ', '[', 'v']).starts_with(|c: char| c.is_ascii_digit()) && heading.contains('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn history_is_known_by_its_name() {
        for path in [
            "CHANGELOG.md",
            "docs/migrating-to-2.md",
            "docs/releases/1.2.txt",
            "docs/v1.4/api.md",
            "UPGRADING",
            "HISTORY.rst",
        ] {
            assert!(tells_history(path), "{path}");
        }
        for path in ["README.md", "docs/guide/exchange.md", "docs/usage.rst", "v2/README.md"] {
            assert!(!tells_history(path), "{path}");
        }
    }

    #[test]
    fn a_line_that_says_so_speaks_of_change() {
        let lines = ["# API", "", "`read_all` reads.", "", "", "", "", "`read_one` was removed."];
        assert!(!speaks_of_change(&lines, 2));
        assert!(speaks_of_change(&lines, 7));
        assert!(!speaks_of_change(&["Set `CACHE_FOLDER` to another folder."], 0));
        assert!(speaks_of_change(&["## 1.2.0", "", "a", "b", "c", "d", "`x`"], 6));
    }
}
