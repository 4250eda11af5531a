//! What a change brings, and not what it moves or rewords: a place counts when the change takes no place of the same
//! kind away, in this file or in another.

use std::collections::BTreeSet;

use review_loop_sdk::check::{Changed, Rule, Seen};
use review_loop_sdk::subject::{self, Change};

use super::text::Text;

/// A place on one side of a file, before it is known to be new.
pub(crate) struct Hit {
    /// The line in its [`Text`].
    pub(crate) line: u32,
    /// What is the same wherever it stands. Looked for, without white space, in what the change removes elsewhere.
    pub(crate) mark: String,
    pub(crate) rule: &'static Rule,
    pub(crate) claim: String,
}

/// The places that the change brings, the first of each file and rule with the others in its evidence.
pub(crate) fn fresh(changed: &Changed, find: fn(&Text<'_>) -> Vec<Hit>) -> Vec<Seen> {
    let new = Text::new(changed);
    let mut hits = touched(&new, find);
    if hits.is_empty() {
        return Vec::new();
    }
    let mut gone: Vec<&Rule> = touched(&Text::old(changed), find).into_iter().map(|hit| hit.rule).collect();
    hits.retain(|hit| match gone.iter().position(|rule| std::ptr::eq(*rule, hit.rule)) {
        Some(at) => {
            gone.swap_remove(at);
            false
        }
        None => true,
    });
    let elsewhere = removed_elsewhere(changed, &hits);
    hits.retain(|hit| !elsewhere.contains(&hit.mark));
    told(changed, &new, hits)
}

fn touched(text: &Text<'_>, find: fn(&Text<'_>) -> Vec<Hit>) -> Vec<Hit> {
    find(text).into_iter().filter(|hit| text.is_touched(hit.line)).collect()
}

/// The marks that stand in lines which the change removes from other files.
fn removed_elsewhere(changed: &Changed, hits: &[Hit]) -> BTreeSet<String> {
    let marks: BTreeSet<&str> = hits.iter().map(|hit| hit.mark.as_str()).take(MARKS).collect();
    let squeezed: Vec<(&str, String)> = marks.into_iter().map(|mark| (mark, squeeze(mark))).collect();
    let mut found = BTreeSet::new();
    if squeezed.is_empty() {
        return found;
    }
    for file in subject::files().into_iter().filter(|file| file.path != changed.file.path) {
        let hunks = subject::hunks(&file.path).unwrap_or_default();
        let removed = hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.change == Change::Removed);
        for line in removed.map(|line| squeeze(&line.text)) {
            found.extend(squeezed.iter().filter(|(_, mark)| line.contains(mark)).map(|(mark, _)| (*mark).to_owned()));
        }
    }
    found
}

/// How many different marks of one file are looked for elsewhere: it bounds the time.
const MARKS: usize = 50;

fn squeeze(text: &str) -> String {
    text.split_whitespace().collect()
}

/// One [`Seen`] a rule: a file may hold any number of places, and a report may not.
fn told(changed: &Changed, new: &Text<'_>, hits: Vec<Hit>) -> Vec<Seen> {
    let mut by_rule: Vec<(Seen, BTreeSet<u32>)> = Vec::new();
    for hit in hits {
        match by_rule.iter_mut().find(|(seen, _)| std::ptr::eq(seen.rule, hit.rule)) {
            Some((_, lines)) => drop(lines.insert(new.number(hit.line))),
            None => by_rule.push(seen(changed, new, hit)),
        }
    }
    by_rule.into_iter().map(|(seen, lines)| Seen { evidence: others(&lines), ..seen }).collect()
}

fn seen(changed: &Changed, new: &Text<'_>, hit: Hit) -> (Seen, BTreeSet<u32>) {
    let line = new.number(hit.line);
    let (path, text) = (changed.file.path.clone(), new.line(hit.line).to_owned());
    let Hit { rule, claim, .. } = hit;
    let seen = Seen { rule, claim, path, line, last: line, text, quote: true, evidence: None };
    (seen, BTreeSet::from([line]))
}

fn others(lines: &BTreeSet<u32>) -> Option<String> {
    let shown: Vec<String> = lines.iter().take(LISTED).map(u32::to_string).collect();
    let more = lines.len().saturating_sub(LISTED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (lines.len() > 1).then(|| format!("Such places stand at lines {}{more}.", shown.join(", ")))
}

/// Lines listed of one file.
const LISTED: usize = 20;
