//! Cases: one text file each, that says what a lens is shown and what it must report.
//!
//! ```text
//! An error of the disk is dropped.
//!
//! === before src/save.rs
//! fn save(text: &str) -> io::Result<()> { fs::write("a", text) }
//! === after src/save.rs
//! fn save(text: &str) { let _ = fs::write("a", text); }
//! === source src/main.rs
//! fn main() { save("x") }
//! === expect
//! high* silent-failure src/save.rs:1: An error of `fs::write` is dropped.
//! ```
//!
//! The sections, in any order; what stands before the first one is for the reader:
//!
//! | Section | What it holds |
//! |---|---|
//! | `before PATH`, `after PATH` | A changed file's text; one of them alone is a deleted or an added file. |
//! | `after PATH from OLDPATH` | A renamed file; its old text stands in `before OLDPATH`. |
//! | `source PATH` | A file that the change does not touch. |
//! | `omitted PATH` | Why the text of a changed file is left out of the subject, as a lock file's is. |
//! | `reply` | The model's next reply, word for word. |
//! | `reply cut-off`, `reply refused` | The same, ended by the token limit or by the model. |
//! | `reply tools` | The model's next reply: one tool call a line, `name {"json": "input"}`. |
//! | `reply error` | The call fails, with these words. |
//! | `expect`, `expect in full` | What the lens reports; in full with evidence, hint and replacement. |
//!
//! A text ends with a line feed, unless its last line is `\ No newline at end of file`. A line of a text that begins
//! with `===` is written with a backslash in front: `\===`.
//!
//! A case without a `reply` runs the checks alone; one with a reply runs the whole review. A report is written one
//! finding a line, `severity category path:line: claim`, in the lens's order: `*` behind the severity marks a
//! load-bearing one, `path@old:line` the text before the change, and `nothing` is the empty report. `UPDATE_CASES=1`
//! in the environment rewrites the `expect` sections with what was reported: read the difference before you keep it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::Lens;
use crate::bindings::lens::review_loop::lens::llm;
use crate::fake::{FakeHost, text_reply};
use crate::types::{Anchor, Basis, Failure, Finding, Part, Report, Severity, Side};

/// Runs every `cases/*.case` of the crate at `manifest_dir` (`env!("CARGO_MANIFEST_DIR")`) against a lens.
///
/// # Panics
/// A case does not report what it expects, a check reports what it could not have seen, a case cannot be read, or
/// there is none. All of them are named at once.
#[expect(clippy::panic, reason = "a test kit tells of a failure by a panic")]
pub fn cases<L: Lens>(manifest_dir: &str) {
    let folder = Path::new(manifest_dir).join("cases");
    let paths = case_files(&folder);
    assert!(!paths.is_empty(), "there is no case in {}", folder.display());
    let failed: Vec<String> = paths.iter().filter_map(|path| run::<L>(path).err()).collect();
    if !failed.is_empty() {
        panic!("{} of {} cases failed\n\n{}", failed.len(), paths.len(), failed.join("\n"));
    }
}

fn case_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "case"));
    paths.sort();
    paths
}

fn run<L: Lens>(path: &Path) -> Result<(), String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let text = fs::read_to_string(path).map_err(|error| format!("--- {name}: {error}"))?;
    let case = Case::read(&text).map_err(|problem| format!("--- {name}: {problem}"))?;
    let judged = case.host.model_available();
    let (result, host) = case.host.run(|| if judged { L::review() } else { L::checks() });
    let problems = result.as_ref().map_or_else(|_| Vec::new(), |report| problems::<L>(report, &host));
    if !problems.is_empty() {
        return Err(format!("--- {name}\n{}", problems.join("\n")));
    }
    let reported = written(&result, case.in_full);
    if reported == case.expected {
        return Ok(());
    }
    if env::var_os("UPDATE_CASES").is_some() {
        let updated = format!("{}{reported}{}", &text[..case.expect_at.0], &text[case.expect_at.1..]);
        return fs::write(path, updated).map_err(|error| format!("--- {name}: {error}"));
    }
    let difference = similar::TextDiff::from_lines(&case.expected, &reported);
    Err(format!("--- {name}: expected (-) and reported (+)\n{}", difference.unified_diff().context_radius(9)))
}

struct Case {
    host: FakeHost,
    expected: String,
    /// Where the text of the `expect` section stands in the file, in bytes.
    expect_at: (usize, usize),
    in_full: bool,
}

impl Case {
    fn read(text: &str) -> Result<Self, String> {
        let mut before: BTreeMap<&str, String> = BTreeMap::new();
        let mut after: Vec<(&str, Option<&str>, String)> = Vec::new();
        let mut omitted = Vec::new();
        let mut replies: Option<Vec<_>> = None;
        let mut host = FakeHost::new();
        let mut expect = None;
        for section in sections(text) {
            let body = section.body();
            match section.title.split_once(' ').unwrap_or((section.title, "")) {
                ("before", path) => drop(before.insert(path, body)),
                ("after", paths) => match paths.split_once(" from ") {
                    Some((path, from)) => after.push((path, Some(from), body)),
                    None => after.push((paths, None, body)),
                },
                ("source", path) => host = host.source(path, &body),
                ("omitted", path) => omitted.push((path, body.trim().to_owned())),
                ("reply", kind) => replies.get_or_insert_default().push(reply(kind, &body)?),
                ("expect", how) => expect = Some((section.raw, section.at, how == "in full")),
                (other, _) => return Err(format!("a section cannot be called `{other}`")),
            }
        }
        for (path, from, text) in after {
            host = match (before.remove(from.unwrap_or(path)), from) {
                (Some(old), Some(from)) => host.renamed(from, path, &old, &text),
                (Some(old), None) => host.edited(path, &old, &text),
                (None, Some(from)) => return Err(format!("there is no section `before {from}`")),
                (None, None) => host.added(path, &text),
            };
        }
        host = before.iter().fold(host, |host, (path, text)| host.deleted(path, text));
        host = omitted.iter().fold(host, |host, (path, why)| host.omitted(path, why));
        if let Some(replies) = replies {
            host = host.replies(replies);
        }
        let (expected, expect_at, in_full) = expect.ok_or("there is no section `expect`")?;
        Ok(Self { host, expected: expected.to_owned(), expect_at, in_full })
    }
}

struct Section<'a> {
    title: &'a str,
    raw: &'a str,
    at: (usize, usize),
}

impl Section<'_> {
    fn body(&self) -> String {
        let unescaped = self.raw.replace("\n\\===", "\n===");
        let text = unescaped.strip_prefix('\\').filter(|text| text.starts_with("===")).unwrap_or(&unescaped);
        text.strip_suffix("\n\\ No newline at end of file\n").unwrap_or(text).to_owned()
    }
}

fn sections(text: &str) -> Vec<Section<'_>> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        match (line.strip_prefix("=== "), sections.last_mut()) {
            (Some(title), _) => sections.push(Section { title: title.trim(), raw: "", at: (end, end) }),
            (None, Some(section)) => {
                section.at.1 = end;
                section.raw = &text[section.at.0..end];
            }
            (None, None) => {}
        }
        at = end;
    }
    sections
}

fn reply(kind: &str, body: &str) -> Result<Result<llm::Reply, llm::Error>, String> {
    let mut reply = text_reply(body.trim_end());
    match kind {
        "" => {}
        "cut-off" => reply.stop = llm::Stop::MaxTokens,
        "refused" => reply.stop = llm::Stop::Refusal,
        "error" => return Ok(Err(llm::Error::Failed(body.trim().to_owned()))),
        "tools" => {
            reply.stop = llm::Stop::ToolUse;
            reply.parts = body.lines().zip(1..).filter_map(|(line, id)| tool_call(line, id)).collect();
        }
        other => return Err(format!("a reply cannot be `{other}`")),
    }
    Ok(Ok(reply))
}

fn tool_call(line: &str, id: u32) -> Option<llm::Part> {
    let (name, input) = line.split_once(' ')?;
    Some(llm::Part::ToolCall(llm::ToolCall { id: id.to_string(), name: name.to_owned(), input: input.to_owned() }))
}

/// What a report of this lens can never hold, whatever the case expects.
fn problems<L: Lens>(report: &Report, host: &FakeHost) -> Vec<String> {
    let description = L::describe();
    let declared = |id: &str, credit| description.categories.iter().any(|c| c.id == id && c.credit == credit);
    let mut problems = Vec::new();
    for finding in &report.findings {
        let mut problem = |text: String| problems.push(format!("{text}: {}", line(finding).trim_end()));
        if !declared(&finding.category, false) {
            problem("a category that LENS.md does not declare".to_owned());
        }
        if finding.claim.trim().is_empty() || finding.claim.contains('\n') || finding.confidence > 100 {
            problem("a claim that is not one line, or a confidence over 100".to_owned());
        }
        if let (Basis::Check, Some(anchor)) = (finding.basis, &finding.anchor)
            && let Err(why) = stands_at(anchor, host)
        {
            problem(why);
        }
    }
    let undeclared = report.credits.iter().filter(|credit| !declared(&credit.category, true));
    problems.extend(undeclared.map(|credit| format!("a credit that LENS.md does not declare: {}", credit.category)));
    problems
}

fn stands_at(anchor: &Anchor, host: &FakeHost) -> Result<(), String> {
    let text = host.read(&anchor.path, anchor.side).map_err(|_| "a path that is not there".to_owned())?;
    let Some(lines) = anchor.lines else { return Ok(()) };
    let count = text.lines().count() as u32;
    if lines.first == 0 || lines.last < lines.first || lines.last > count {
        return Err(format!("lines {}-{} of {count}", lines.first, lines.last));
    }
    let there: Vec<&str> =
        text.lines().skip(lines.first as usize - 1).take((lines.last - lines.first + 1) as usize).collect();
    let fold = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    match &anchor.quote {
        Some(quote) if !fold(&there.join("\n")).contains(&fold(quote)) => Err(format!("not the text there, {quote:?}")),
        _ => Ok(()),
    }
}

fn written(result: &Result<Report, Failure>, in_full: bool) -> String {
    let report = match result {
        Ok(report) => report,
        Err(failure) => return format!("failed: {failure:?}\n"),
    };
    let mut out = String::new();
    for finding in &report.findings {
        out += &line(finding);
        if in_full {
            out += &details(finding);
        }
    }
    for credit in &report.credits {
        let _ = writeln!(out, "credit {}: {}", credit.category, credit.claim);
    }
    for skipped in &report.skipped {
        let _ = match &skipped.what {
            Part::Judgement => writeln!(out, "skipped judgement: {}", skipped.why),
            Part::Path(path) => writeln!(out, "skipped {path}: {}", skipped.why),
            Part::Other(what) => writeln!(out, "skipped ({what}): {}", skipped.why),
        };
    }
    if out.is_empty() { "nothing\n".to_owned() } else { out }
}

fn line(finding: &Finding) -> String {
    let severity = match finding.severity {
        Severity::Low => "low",
        Severity::Medium => "medium",
        Severity::High => "high",
        Severity::Critical => "critical",
    };
    let star = if finding.load_bearing { "*" } else { "" };
    let place = finding.anchor.as_ref().map_or_else(String::new, |anchor| format!(" {}", place(anchor)));
    format!("{severity}{star} {}{place}: {}\n", finding.category, finding.claim)
}

fn place(anchor: &Anchor) -> String {
    let side = if anchor.side == Side::Old { "@old" } else { "" };
    match anchor.lines {
        None => format!("{}{side}", anchor.path),
        Some(lines) if lines.first == lines.last => format!("{}{side}:{}", anchor.path, lines.first),
        Some(lines) => format!("{}{side}:{}-{}", anchor.path, lines.first, lines.last),
    }
}

fn details(finding: &Finding) -> String {
    let mut out = format!("  confidence: {}\n", finding.confidence);
    let quote = finding.anchor.as_ref().and_then(|anchor| anchor.quote.as_ref());
    let fields = [
        ("quote", quote),
        ("evidence", finding.evidence.as_ref()),
        ("hint", finding.fix_hint.as_ref()),
        ("replacement", finding.replacement.as_ref()),
    ];
    for (name, text) in fields.into_iter().filter_map(|(name, text)| Some((name, text?))) {
        let _ = writeln!(out, "  {name}: {}", text.replace('\n', "\n    "));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section_bodies(text: &str) -> Vec<(String, String)> {
        sections(text).iter().map(|section| (section.title.to_owned(), section.body())).collect()
    }

    #[test]
    fn a_text_is_kept_to_the_byte() {
        let text = "About.\n=== before a\nx\n\\=== y\n=== after a\n\\=== z\nno end\n\\ No newline at end of file\n=== expect\n";
        let expected = [("before a", "x\n=== y\n"), ("after a", "=== z\nno end"), ("expect", "")];
        assert_eq!(section_bodies(text), expected.map(|(title, body)| (title.to_owned(), body.to_owned())));
    }

    #[test]
    fn changes_become_a_subject() {
        let text = "=== before a\n1\n=== after b from a\n2\n=== before gone\nx\n=== after new\ny\n=== source s\nz\n=== expect\nnothing\n";
        let case = Case::read(text).unwrap();
        let (files, _) = case.host.run(crate::subject::files);
        let statuses: Vec<_> = files.iter().map(|file| (file.path.as_str(), file.status)).collect();
        use crate::subject::Status;
        assert_eq!(statuses, [("b", Status::Renamed), ("gone", Status::Deleted), ("new", Status::Added)]);
        assert_eq!(case.expected, "nothing\n");
    }

    #[test]
    fn a_section_that_is_not_known_is_named() {
        assert_eq!(Case::read("=== befor a\n").err().unwrap(), "a section cannot be called `befor`");
        assert_eq!(Case::read("=== after b from a\n=== expect\n").err().unwrap(), "there is no section `before a`");
    }
}
