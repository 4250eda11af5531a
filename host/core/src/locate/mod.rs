//! Stage 1, locate: holds every finding's place against the subject and its sources.
//!
//! A path is compared as it is, and followed through renames. A quote corrects the lines. What cannot be found keeps its
//! path alone. A path that exists nowhere, or leaves the repository, costs a model's finding its place in the list; what
//! a check saw stays, and says that its place was not found.

mod hunks;
mod path;
mod quote;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use self::hunks::Spans;
use self::path::{Paths, Resolved, is_inside, readings};
use self::quote::Text;
use crate::finding::{Anchor, Basis, Finding, Lines, Side};
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
    let (paths, mut wanted) = (Paths::new(subject), BTreeSet::new());
    for anchor in reported.iter().filter_map(|r| r.finding.anchor.as_ref()) {
        for path in readings(&anchor.path) {
            if let Some(file) = paths.file(&path) {
                wanted.insert((file.path.clone(), Side::New));
                wanted.insert((file.old_path.as_ref().unwrap_or(&file.path).clone(), Side::Old));
                break;
            }
            if is_inside(&path) {
                wanted.insert((path.clone(), Side::New));
                wanted.insert((path, Side::Old));
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
            // What was seen with certainty is not less true for a place that cannot be shown.
            Err(_) if finding.basis != Basis::Judgement => {
                let path_alone = finding.anchor.clone().map(|anchor| Anchor { lines: None, ..anchor });
                located.push(Found::nowhere(path_alone).into_located(lens, finding));
            }
            Err(reason) => {
                let judged = Found::nowhere(finding.anchor.clone()).into_located(lens, finding).into_judged();
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
    fn nowhere(anchor: Option<Anchor>) -> Self {
        let oldest_path = anchor.as_ref().map(|a| a.path.clone()).unwrap_or_default();
        Self { anchor, place: Place::Whole, oldest_path, around: String::new(), excerpt: None }
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
    let Resolved { path, file, oldest } = texts.paths.resolve(texts.sources, &anchor.path)?;
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
    let place = if texts.spans(file, anchor.side).touch(lines) { Place::InDiff } else { Place::OutOfDiff };
    let text = texts.get(file, &anchor.path, anchor.side);
    let around = text.around(lines);
    let excerpt = text.excerpt(lines);
    Ok(Found { anchor: Some(anchor), place, oldest_path, around, excerpt })
}

/// The lines that an anchor means. A quote decides, on the other side too where the said side does not hold it; without
/// one, a heading; without one, the said lines, where they exist.
fn lines_of<'a>(texts: &mut Texts<'a>, file: Option<&'a File>, anchor: &mut Anchor) -> Option<Lines> {
    let said = anchor.lines.map(|l| Lines { first: l.first.min(l.last), last: l.first.max(l.last) });
    if let Some(quote) = anchor.quote.as_deref().filter(|q| !q.trim().is_empty()) {
        for side in [anchor.side, other(anchor.side)] {
            let spans = texts.spans(file, side);
            if let Some(lines) = texts.get(file, &anchor.path, side).find(quote, said, |l| spans.touch(l)) {
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

/// The texts of a subject, each prepared for searching once.
struct Texts<'a> {
    sources: &'a SourceTexts,
    paths: Paths<'a>,
    ready: BTreeMap<(String, Side), Text>,
    spans: BTreeMap<(&'a str, Side), Rc<Spans>>,
}

impl<'a> Texts<'a> {
    fn new(subject: &'a Subject, sources: &'a SourceTexts) -> Self {
        Self { sources, paths: Paths::new(subject), ready: BTreeMap::new(), spans: BTreeMap::new() }
    }

    /// The lines of a file's hunks on one side; none where it is not a changed one.
    fn spans(&mut self, file: Option<&'a File>, side: Side) -> Rc<Spans> {
        let Some(file) = file else { return Rc::default() };
        Rc::clone(self.spans.entry((&file.path, side)).or_insert_with(|| Rc::new(Spans::of(file, side))))
    }

    /// The text of a path on one side: whole where it was fetched, else the lines of its hunks.
    fn get(&mut self, file: Option<&File>, path: &str, side: Side) -> &mut Text {
        let here = match (side, file.and_then(|f| f.old_path.as_deref())) {
            (Side::Old, Some(old)) => old,
            _ => path,
        };
        self.ready.entry((here.to_owned(), side)).or_insert_with(|| {
            let document = || self.paths.document(path).map(|d| d.text.as_str());
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
