//! The lines that changed between two texts, as `git diff` cuts them. libgit2 compares them, in memory: where two ways lead
//! from one text to the other, git's own choice is what a reader knows, and this is git's own code for it.

use git2::{DiffOptions, Patch};
use review_loop_core::subject::{Change, Hunk, Line};

/// What changed between two texts.
#[derive(Debug, Default)]
pub(super) struct TextChange {
    pub(super) hunks: Vec<Hunk>,
    pub(super) added: u32,
    pub(super) removed: u32,
}

/// Compares two texts; where `hunks` is not wanted, only counts lines.
///
/// # Errors
/// libgit2 could not: its words.
pub(super) fn compare(old: &[u8], new: &[u8], context: u32, hunks: bool) -> Result<TextChange, String> {
    if old == new {
        return Ok(TextChange::default());
    }
    if old.is_empty() || new.is_empty() {
        return Ok(one_sided(old, new, hunks));
    }
    changed(old, new, context, hunks).map_err(|error| error.message().to_owned())
}

fn changed(old: &[u8], new: &[u8], context: u32, hunks: bool) -> Result<TextChange, git2::Error> {
    let mut options = DiffOptions::new();
    options.context_lines(context).indent_heuristic(true).force_text(true);
    let patch = Patch::from_buffers(old, None, new, None, Some(&mut options))?;
    let (_, added, removed) = patch.line_stats()?;
    let hunks =
        if hunks { (0..patch.num_hunks()).map(|at| hunk(&patch, at)).collect::<Result<_, _>>()? } else { Vec::new() };
    Ok(TextChange { hunks, added: count(added), removed: count(removed) })
}

/// A file that became another kind of thing: git prints it as gone and come.
pub(super) fn replaced(old: &[u8], new: &[u8], hunks: bool) -> TextChange {
    let (gone, came) = (one_sided(old, &[], hunks), one_sided(&[], new, hunks));
    let hunks = gone.hunks.into_iter().chain(came.hunks).collect();
    TextChange { hunks, added: came.added, removed: gone.removed }
}

/// A text that came, or went, as a whole.
fn one_sided(old: &[u8], new: &[u8], hunks: bool) -> TextChange {
    let (content, change) = if old.is_empty() { (new, Change::Added) } else { (old, Change::Removed) };
    let of = |kind| if change == kind { count(lines_of(content).count()) } else { 0 };
    let (added, removed) = (of(Change::Added), of(Change::Removed));
    let hunks = if hunks && !content.is_empty() {
        vec![Hunk { header: String::new(), lines: whole(content, change) }]
    } else {
        Vec::new()
    };
    TextChange { hunks, added, removed }
}

fn whole(content: &[u8], change: Change) -> Vec<Line> {
    let numbered = lines_of(content).zip(1_u32..);
    let line = |(text, number): (&[u8], u32)| {
        let (old, new) = if change == Change::Added { (None, Some(number)) } else { (Some(number), None) };
        line(change, old, new, text)
    };
    numbered.map(line).collect()
}

fn lines_of(content: &[u8]) -> impl Iterator<Item = &[u8]> {
    content.split_inclusive(|&byte| byte == b'\n')
}

fn hunk(patch: &Patch<'_>, at: usize) -> Result<Hunk, git2::Error> {
    let (hunk, count) = patch.hunk(at)?;
    let header = header(hunk.header());
    let mut lines = Vec::with_capacity(count);
    for index in 0..count {
        let found = patch.line_in_hunk(at, index)?;
        let change = match found.origin() {
            ' ' => Change::Context,
            '+' => Change::Added,
            '-' => Change::Removed,
            // The remark that a file does not end in a line feed; the line itself shows it.
            _ => continue,
        };
        lines.push(line(change, found.old_lineno(), found.new_lineno(), found.content()));
    }
    Ok(Hunk { header, lines })
}

fn line(change: Change, old: Option<u32>, new: Option<u32>, content: &[u8]) -> Line {
    let text = content.strip_suffix(b"\n");
    let unterminated = text.is_none();
    Line { change, old, new, text: String::from_utf8_lossy(text.unwrap_or(content)).into_owned(), unterminated }
}

/// What stands behind the second `@@`.
fn header(line: &[u8]) -> String {
    let line = String::from_utf8_lossy(line);
    line.splitn(3, "@@").nth(2).map(|rest| rest.trim().to_owned()).unwrap_or_default()
}

fn count(lines: usize) -> u32 {
    u32::try_from(lines).unwrap_or(u32::MAX)
}
