//! Reads a unified diff, as git prints it, into the files of a subject.
//!
//! For diffs that come as text (data sets, replies of a forge); a repository is read by the host through git itself.
//! Nothing here fails: what is not a diff yields no files, and a broken hunk ends where it breaks.

use crate::subject::{Change, File, Hunk, Kind, Line, Status};

/// The changed files of a diff, in the order in which they stand there.
#[must_use]
pub fn parse(diff: &str) -> Vec<File> {
    let mut reader = Reader::default();
    diff.split('\n').for_each(|line| reader.line(line));
    reader.finish_hunk();
    reader.files
}

#[derive(Default)]
struct Reader {
    files: Vec<File>,
    hunk: Option<Open>,
}

/// A hunk that is being read.
struct Open {
    hunk: Hunk,
    /// The next line's number, and how many are still to come.
    old: (u32, u32),
    new: (u32, u32),
}

impl Reader {
    fn line(&mut self, line: &str) {
        if self.hunk.as_ref().is_some_and(Open::full) && !line.starts_with('\\') {
            self.finish_hunk();
        }
        if let Some(open) = &mut self.hunk {
            if !open.take(line) {
                self.finish_hunk();
                self.header(line);
            }
        } else {
            self.header(line);
        }
    }

    fn header(&mut self, line: &str) {
        if let Some(rest) = line.strip_prefix("diff --git ") {
            let (old, new) = both(rest);
            self.files.push(file(old, new));
            return;
        }
        if let Some(rest) = line.strip_prefix("--- ") {
            // A plain diff has no line of git's own before it.
            if self.files.last().is_none_or(|f| !f.hunks.is_empty()) {
                self.files.push(file(side(rest), side(rest)));
            }
        }
        let Some(file) = self.files.last_mut() else { return };
        match line.split_once(' ') {
            Some(("@@", rest)) => self.hunk = Open::new(rest),
            Some(("---", "/dev/null")) => added(file),
            Some(("+++", "/dev/null")) => deleted(file),
            Some(("+++", rest)) => file.path = side(rest),
            Some(("Binary", _)) => file.binary = true,
            Some(("new", rest)) if rest.starts_with("file mode") => added(file),
            Some(("deleted", rest)) if rest.starts_with("file mode") => deleted(file),
            Some(("rename", rest)) => moved(file, rest, Status::Renamed),
            Some(("copy", rest)) => moved(file, rest, Status::Copied),
            _ if line == "GIT binary patch" => file.binary = true,
            _ => {}
        }
    }

    fn finish_hunk(&mut self) {
        let (Some(open), Some(file)) = (self.hunk.take(), self.files.last_mut()) else {
            return;
        };
        let count = |change| open.hunk.lines.iter().filter(|l| l.change == change).count() as u32;
        file.added = file.added.saturating_add(count(Change::Added));
        file.removed = file.removed.saturating_add(count(Change::Removed));
        if !open.hunk.lines.is_empty() {
            file.hunks.push(open.hunk);
        }
    }
}

impl Open {
    /// `-1,2 +3,4 @@ header`, the first `@@ ` aside.
    fn new(rest: &str) -> Option<Self> {
        let (ranges, header) = rest.split_once(" @@")?;
        let (old, new) = ranges.split_once(' ')?;
        let header = header.strip_prefix(' ').unwrap_or(header).to_owned();
        let hunk = Hunk { header, lines: Vec::new() };
        Some(Self { hunk, old: range(old.strip_prefix('-')?)?, new: range(new.strip_prefix('+')?)? })
    }

    fn full(&self) -> bool {
        self.old.1 == 0 && self.new.1 == 0
    }

    /// Takes one line; false where it does not belong to the hunk.
    fn take(&mut self, line: &str) -> bool {
        let (mark, text) = match line.chars().next() {
            // Some tools drop the blank of an empty context line.
            None => (' ', ""),
            Some(mark) => (mark, line.get(mark.len_utf8()..).unwrap_or_default()),
        };
        let change = match mark {
            ' ' => Change::Context,
            '+' => Change::Added,
            '-' => Change::Removed,
            '\\' => {
                self.hunk.lines.last_mut().into_iter().for_each(|last| last.unterminated = true);
                return true;
            }
            _ => return false,
        };
        let (wants_old, wants_new) = (change != Change::Added, change != Change::Removed);
        if wants_old && self.old.1 == 0 || wants_new && self.new.1 == 0 {
            return false;
        }
        let old = wants_old.then(|| step(&mut self.old));
        let new = wants_new.then(|| step(&mut self.new));
        self.hunk.lines.push(Line { change, old, new, text: text.to_owned(), unterminated: false });
        true
    }
}

fn step((next, left): &mut (u32, u32)) -> u32 {
    let here = *next;
    *next = next.saturating_add(1);
    *left = left.saturating_sub(1);
    here
}

fn range(text: &str) -> Option<(u32, u32)> {
    match text.split_once(',') {
        Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    }
}

/// The two paths of `a/x b/x`. A path may hold blanks: where both halves are the same that decides.
fn both(rest: &str) -> (String, String) {
    let halves = rest.match_indices(" b/").find(|(at, _)| {
        let (old, new) = rest.split_at(*at);
        old.strip_prefix("a/").is_some_and(|old| new.strip_prefix(" b/") == Some(old))
    });
    let cut = halves.or_else(|| rest.match_indices(" b/").last()).map(|(at, _)| at);
    let (old, new) = cut.map_or((rest, rest), |at| rest.split_at(at));
    (side(old), side(new.trim_start()))
}

/// A path of one side: without `a/` or `b/`, quotes, and what some tools write behind a tab.
fn side(path: &str) -> String {
    let path = path.split('\t').next().unwrap_or(path).trim_end_matches('\r');
    let path = path.strip_prefix('"').and_then(|p| p.strip_suffix('"')).unwrap_or(path);
    path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).unwrap_or(path).to_owned()
}

fn file(old: String, new: String) -> File {
    File {
        old_path: (old != new).then_some(old),
        path: new,
        status: Status::Modified,
        old_kind: Some(Kind::Regular),
        new_kind: Some(Kind::Regular),
        binary: false,
        omitted: None,
        added: 0,
        removed: 0,
        size: 0,
        hunks: Vec::new(),
    }
}

fn added(file: &mut File) {
    (file.status, file.old_kind, file.old_path) = (Status::Added, None, None);
}

fn deleted(file: &mut File) {
    (file.status, file.new_kind) = (Status::Deleted, None);
}

fn moved(file: &mut File, rest: &str, status: Status) {
    file.status = status;
    match rest.split_once(' ') {
        Some(("from", path)) => file.old_path = Some(side(&format!("a/{path}"))),
        Some(("to", path)) => file.path = side(&format!("b/{path}")),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(diff: &str, expect: &str) {
        let show = |f: File| {
            let lines = |h: &Hunk| {
                h.lines
                    .iter()
                    .map(|l| format!("{:?}/{:?}", l.old.unwrap_or(0), l.new.unwrap_or(0)))
                    .collect::<Vec<_>>()
                    .join(" ")
            };
            let hunks: Vec<String> = f.hunks.iter().map(|h| format!("[{}: {}]", h.header, lines(h))).collect();
            format!("{:?} {:?}->{} +{} -{} {}", f.status, f.old_path, f.path, f.added, f.removed, hunks.join(" "))
        };
        assert_eq!(parse(diff).into_iter().map(show).collect::<Vec<_>>().join("\n"), expect);
    }

    #[test]
    fn git_diff_with_a_header_line_that_looks_like_a_removed_one() {
        check(
            "diff --git a/a b.rs b/a b.rs\nindex 1..2 100644\n--- a/a b.rs\n+++ b/a b.rs\n@@ -1,3 +1,3 @@ fn f()\n x\n--- y\n+++ z\n w\n",
            "Modified None->a b.rs +1 -1 [fn f(): 1/1 2/0 0/2 3/3]",
        );
    }

    #[test]
    fn renamed_added_deleted_binary() {
        check(
            "diff --git a/x b/y\nsimilarity index 90%\nrename from x\nrename to y\n@@ -5 +7 @@\n-a\n+b\n\\ No newline at end of file\ndiff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+n\ndiff --git a/d b/d\ndeleted file mode 100644\n--- a/d\n+++ /dev/null\n@@ -1 +0,0 @@\n-d\n",
            "Renamed Some(\"x\")->y +1 -1 [: 5/0 0/7]\nAdded None->n +1 -0 [: 0/1]\nDeleted None->d +0 -1 [: 1/0]",
        );
    }

    #[test]
    fn plain_diff_and_rubbish() {
        check("--- a/x\t2020\n+++ b/x\t2020\n@@ -1,2 +1 @@\n a\n-b\n", "Modified None->x +0 -1 [: 1/1 2/0]");
        check("nothing\n@@ here @@\n+a\n", "");
        check("diff --git a/x b/x\n@@ -1,9 +1,9 @@\n a\nrubbish\n", "Modified None->x +0 -0 [: 1/1]");
    }
}
