//! Stage 1, locate: holds every finding's place against the subject and its sources.
//!
//! A path is followed through renames. A quote corrects the lines. What cannot be found keeps its path alone; only a
//! path that exists nowhere, or leaves the repository, costs a finding its place in the list.

mod path;
mod quote;

use std::collections::{BTreeMap, BTreeSet};

use self::path::{Resolved, resolve};
use self::quote::Text;
use crate::finding::{Anchor, Finding, Lines, Side};
use crate::fingerprint;
use crate::outcome::{Excerpt, Judged, Place, Seen, SetAside, Stage};
use crate::subject::{Change, File, Subject};

/// One finding, and the lens that reported it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reported {
    /// Which lens.
    pub lens: String,
    /// What it said.
    pub finding: Finding,
}

/// A finding whose place was held against the subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// Which lens reported it.
    pub lens: String,
    /// What it said; its anchor is the place as found.
    pub finding: Finding,
    /// How the place holds up.
    pub place: Place,
    /// Its fingerprint, 32 hex digits.
    pub fingerprint: String,
    /// The lines around its place.
    pub excerpt: Option<Excerpt>,
}

/// Whole texts of files, as far as somebody fetched them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceTexts {
    old: BTreeMap<String, String>,
    new: BTreeMap<String, String>,
}

impl SourceTexts {
    /// Adds the whole text of a file, before or after the change. The path is the one on that side.
    pub fn insert(&mut self, path: String, side: Side, text: String) {
        match side {
            Side::Old => self.old.insert(path, text),
            Side::New => self.new.insert(path, text),
        };
    }

    /// The text of a file on one side.
    #[must_use]
    pub fn get(&self, path: &str, side: Side) -> Option<&str> {
        let texts = if side == Side::Old { &self.old } else { &self.new };
        texts.get(path).map(String::as_str)
    }
}

/// The texts that [`locate`] can use for these findings: every path that they name and that does not escape, on the
/// sides where it may exist. A path is the one on its side, so the old text of a renamed file is under its old path.
#[must_use]
pub fn wanted(subject: &Subject, reported: &[Reported]) -> BTreeSet<(String, Side)> {
    let mut wanted = BTreeSet::new();
    for anchor in reported.iter().filter_map(|r| r.finding.anchor.as_ref()) {
        let Ok(clean) = path::clean(&anchor.path) else { continue };
        match path::file_of(subject, &clean) {
            Some(file) => {
                wanted.insert((file.path.clone(), Side::New));
                wanted.insert((file.old_path.as_ref().unwrap_or(&file.path).clone(), Side::Old));
            }
            None => {
                wanted.insert((clean.clone(), Side::New));
                wanted.insert((clean, Side::Old));
            }
        }
    }
    wanted
}

/// Holds every finding's place against the subject. The order of the findings is kept.
#[must_use]
pub fn locate(subject: &Subject, sources: &SourceTexts, reported: Vec<Reported>) -> (Vec<Located>, Vec<SetAside>) {
    let mut texts = Texts::new(subject, sources);
    let (mut located, mut aside) = (Vec::with_capacity(reported.len()), Vec::new());
    for Reported { lens, finding } in reported {
        match place(&mut texts, finding.anchor.as_ref()) {
            Ok(found) => located.push(found.into_located(lens, finding)),
            Err(reason) => {
                let judged = Found::nowhere(finding.anchor.as_ref()).into_located(lens, finding).into_judged();
                aside.push(SetAside { judged, stage: Stage::Locate, reason });
            }
        }
    }
    (located, aside)
}

/// Moves a judged finding to the place that a falsifier says is the right one. False, and nothing changed, where
/// that place does not exist. The fingerprint follows the place.
pub fn relocate(subject: &Subject, sources: &SourceTexts, judged: &mut Judged, anchor: &Anchor) -> bool {
    let Ok(found) = place(&mut Texts::new(subject, sources), Some(anchor)) else {
        return false;
    };
    let located = found.into_located(judged.lens.clone(), judged.finding.clone());
    judged.finding = located.finding;
    judged.place = located.place;
    judged.fingerprint = located.fingerprint;
    judged.excerpt = located.excerpt;
    true
}

impl Located {
    /// The finding as it stands before any other stage has looked at it.
    #[must_use]
    pub fn into_judged(self) -> Judged {
        Judged {
            fingerprint: self.fingerprint,
            finding: self.finding,
            reported_by: vec![self.lens.clone()],
            lens: self.lens,
            place: self.place,
            actionable: false,
            advisory_because: None,
            verdicts: Vec::new(),
            excerpt: self.excerpt,
            merged: Vec::new(),
            agreement: 0,
            seen: Seen::New,
        }
    }
}

/// A place as found, and what is needed of the text there.
struct Found {
    anchor: Option<Anchor>,
    place: Place,
    /// The path that the fingerprint goes by: the oldest that is known.
    oldest_path: String,
    /// The anchored lines with their neighbours, normalised.
    around: String,
    excerpt: Option<Excerpt>,
}

impl Found {
    fn nowhere(anchor: Option<&Anchor>) -> Self {
        let oldest_path = anchor.map(|a| a.path.clone()).unwrap_or_default();
        Self { anchor: anchor.cloned(), place: Place::Whole, oldest_path, around: String::new(), excerpt: None }
    }

    fn into_located(self, lens: String, finding: Finding) -> Located {
        let fingerprint = fingerprint::of(&fingerprint::Parts {
            lens: &lens,
            category: &finding.category,
            path: &self.oldest_path,
            around: &self.around,
            claim: &finding.claim,
        });
        let finding = Finding { anchor: self.anchor, ..finding };
        Located { lens, finding, place: self.place, fingerprint, excerpt: self.excerpt }
    }
}

fn place(texts: &mut Texts<'_>, anchor: Option<&Anchor>) -> Result<Found, String> {
    let Some(anchor) = anchor else {
        return Ok(Found::nowhere(None));
    };
    let Resolved { path, file, oldest } = resolve(texts.subject, texts.sources, &anchor.path)?;
    let mut anchor = Anchor { path, ..anchor.clone() };
    let found = lines_of(texts, file, &mut anchor);
    anchor.lines = found;
    let oldest_path = oldest.to_owned();
    let Some(lines) = found else {
        return Ok(Found {
            anchor: Some(anchor),
            place: Place::FileOnly,
            oldest_path,
            around: String::new(),
            excerpt: None,
        });
    };
    let place =
        if file.is_some_and(|f| touches_hunk(f, anchor.side, lines)) { Place::InDiff } else { Place::OutOfDiff };
    let text = texts.get(file, &anchor.path, anchor.side);
    let around = text.around(lines);
    let excerpt = text.excerpt(lines);
    Ok(Found { anchor: Some(anchor), place, oldest_path, around, excerpt })
}

/// The lines that an anchor means. A quote decides, on the other side too where the said side does not hold it; without
/// one, a heading; without one, the said lines, where they exist.
fn lines_of(texts: &mut Texts<'_>, file: Option<&File>, anchor: &mut Anchor) -> Option<Lines> {
    let said = anchor.lines.map(|l| Lines { first: l.first.min(l.last), last: l.first.max(l.last) });
    if let Some(quote) = anchor.quote.as_deref().filter(|q| !q.trim().is_empty()) {
        for side in [anchor.side, other(anchor.side)] {
            let in_hunk = |l: Lines| file.is_some_and(|f| touches_hunk(f, side, l));
            if let Some(lines) = texts.get(file, &anchor.path, side).find(quote, said, in_hunk) {
                anchor.side = side;
                return Some(lines);
            }
        }
        return None;
    }
    let text = texts.get(file, &anchor.path, anchor.side);
    match (said, &anchor.section) {
        (Some(said), _) => text.existing(said),
        (None, Some(section)) => text.heading(section),
        (None, None) => None,
    }
}

fn other(side: Side) -> Side {
    match side {
        Side::Old => Side::New,
        Side::New => Side::Old,
    }
}

/// Whether any of the lines stands in a hunk of the file, on that side.
#[must_use]
pub fn touches_hunk(file: &File, side: Side, lines: Lines) -> bool {
    file.hunks.iter().any(|hunk| {
        let number = |l: &crate::subject::Line| if side == Side::Old { l.old } else { l.new };
        let first = hunk.lines.iter().find_map(number);
        let last = hunk.lines.iter().rev().find_map(number);
        matches!((first, last), (Some(first), Some(last)) if first <= lines.last && lines.first <= last)
    })
}

/// The texts of a subject, each prepared for searching once.
struct Texts<'a> {
    subject: &'a Subject,
    sources: &'a SourceTexts,
    ready: BTreeMap<(String, Side), Text>,
}

impl<'a> Texts<'a> {
    fn new(subject: &'a Subject, sources: &'a SourceTexts) -> Self {
        Self { subject, sources, ready: BTreeMap::new() }
    }

    /// The text of a path on one side: whole where it was fetched, else the lines of its hunks.
    fn get(&mut self, file: Option<&File>, path: &str, side: Side) -> &mut Text {
        let here = match (side, file.and_then(|f| f.old_path.as_deref())) {
            (Side::Old, Some(old)) => old,
            _ => path,
        };
        self.ready.entry((here.to_owned(), side)).or_insert_with(|| {
            let document = || self.subject.documents.iter().find(|d| d.path == path).map(|d| d.text.as_str());
            match self.sources.get(here, side).or_else(|| document().filter(|_| side == Side::New)) {
                Some(whole) => Text::whole(whole),
                None => Text::pieces(file.into_iter().flat_map(|f| &f.hunks).flat_map(|h| &h.lines).filter_map(|l| {
                    let number = if side == Side::Old { l.old } else { l.new }?;
                    debug_assert!(l.change != Change::Added || side == Side::New);
                    Some((number, l.text.as_str()))
                })),
            }
        })
    }
}

#[cfg(test)]
mod tests;
