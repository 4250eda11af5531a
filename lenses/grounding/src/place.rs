//! Holding one finding against the place that it cites, and then against all sources.

use std::collections::BTreeSet;
use std::rc::Rc;

use review_loop_sdk::prelude::*;
use review_loop_sdk::source::Error;
use review_loop_sdk::text::{clip, fold, names, words};

use crate::cited::{closest, quoted_lines, speaks_of_absence};
use crate::sources::{Hits, Texts};

/// From this share of a quote on, in percent, the text is taken to be there.
const ENOUGH_QUOTED: usize = 50;
/// From this share of a quote's words on, in percent, it is taken to be miscopied and not invented.
const NEAR_ENOUGH: usize = 80;

/// What is known of a finding after a look at the cited place.
pub(crate) enum Step {
    Settled(Verdict),
    Open(Open),
}

/// What has to be searched for.
pub(crate) struct Open {
    anchor: Option<Anchor>,
    /// The cited file is there, on one side at least.
    path_exists: bool,
    /// The longest line of the quote, and the expression that finds it.
    quote: Option<(String, String)>,
    /// The names of the claim, where none of them is in the change or in the cited file.
    names: Vec<String>,
    about_absence: bool,
    /// A check saw it: a path that is not found does not disprove it.
    certain: bool,
}

/// Looks at the cited place.
pub(crate) fn look(finding: &Finding, texts: &mut Texts) -> Step {
    if finding.basis == Basis::Execution {
        return Step::Settled(Verdict::Stands);
    }
    let mut open = Open {
        anchor: finding.anchor.clone(),
        path_exists: true,
        quote: None,
        names: Vec::new(),
        about_absence: speaks_of_absence(&finding.claim),
        certain: finding.basis == Basis::Check,
    };
    let mut at_place = String::new();
    if let Some(anchor) = &finding.anchor {
        match at_anchor(anchor, texts, &mut open) {
            Ok(text) => at_place = text,
            Err(verdict) => return Step::Settled(verdict),
        }
    }
    if finding.basis == Basis::Judgement && open.quote.is_none() && open.path_exists {
        let names = names(&finding.claim);
        let there: BTreeSet<&str> = words(&at_place).collect();
        if !names.iter().any(|name| there.contains(name.as_str()) || texts.in_change(name)) {
            open.names = names.into_iter().collect();
        }
    }
    let nothing_to_search = open.path_exists && open.quote.is_none() && open.names.is_empty();
    if nothing_to_search { Step::Settled(Verdict::Stands) } else { Step::Open(open) }
}

/// The cited file's texts, or a verdict where they settle it. Notes in `open` what they do not hold.
fn at_anchor(anchor: &Anchor, texts: &mut Texts, open: &mut Open) -> Result<String, Verdict> {
    let other = if anchor.side == Side::Old { Side::New } else { Side::Old };
    let here = readable(texts.read(&anchor.path, anchor.side), anchor)?;
    let there = readable(texts.read(&anchor.path, other), anchor)?;
    open.path_exists = here.is_some() || there.is_some();
    let lines = anchor.quote.as_deref().map(quoted_lines).unwrap_or_default();
    let Some(telling) = lines.iter().max_by_key(|line| line.len()) else {
        return Ok([here, there].into_iter().flatten().map(|text| text.to_string()).collect());
    };
    for (text, side) in [(here, anchor.side), (there, other)] {
        let Some(text) = text else { continue };
        if quoted_share(&lines, &text) >= ENOUGH_QUOTED || closest(&lines, &text) >= NEAR_ENOUGH {
            return Err(if side == anchor.side {
                Verdict::Stands
            } else {
                turned(anchor, side, telling, &text, texts)
            });
        }
    }
    open.quote = Some((telling.clone(), expression(telling)));
    Ok(String::new())
}

/// None where there is no such file; undecided where it cannot be read.
fn readable(text: Result<Rc<str>, Error>, anchor: &Anchor) -> Result<Option<Rc<str>>, Verdict> {
    match text {
        Ok(text) => Ok(Some(text)),
        Err(Error::NotFound) => Ok(None),
        Err(_) => Err(Verdict::Undecided(format!("`{}` could not be read.", anchor.path))),
    }
}

/// The same place on the other side of the change, where the quote stands there on one line only.
fn turned(anchor: &Anchor, side: Side, telling: &str, text: &str, texts: &Texts) -> Verdict {
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| fold(line).contains(telling));
    match (lines.next(), lines.next()) {
        (Some((line, _)), None) => Verdict::Corrected(at(texts.path_on(&anchor.path, side), side, line, anchor)),
        _ => Verdict::Stands,
    }
}

/// How much of a quote, in percent of its length, stands in a text.
fn quoted_share(lines: &[String], text: &str) -> usize {
    let folded = fold(text);
    let found: usize = lines.iter().filter(|line| folded.contains(line.as_str())).map(String::len).sum();
    found * 100 / lines.iter().map(String::len).sum::<usize>().max(1)
}

impl Open {
    /// The expressions to search for.
    pub(crate) fn patterns(&self) -> Vec<String> {
        let quote = self.quote.iter().map(|(_, expression)| expression.clone());
        quote.chain(self.names.iter().map(|name| whole_word(name))).collect()
    }

    fn lost_path(&self) -> Option<&Anchor> {
        self.anchor.as_ref().filter(|_| !self.path_exists)
    }
}

impl Step {
    /// The verdict, with all sources searched.
    pub(crate) fn verdict(self, hits: &Hits) -> Verdict {
        match self {
            Self::Settled(verdict) => verdict,
            Self::Open(Open { quote: Some((line, expression)), anchor: Some(anchor), .. }) => {
                of_quote(&line, &expression, &anchor, hits)
            }
            Self::Open(open) => match open.lost_path() {
                Some(anchor) => match of_path(anchor) {
                    Verdict::Falsified(why) if open.certain => Verdict::Undecided(why),
                    verdict => verdict,
                },
                None => of_names(&open, hits),
            },
        }
    }
}

fn of_quote(line: &str, expression: &str, anchor: &Anchor, hits: &Hits) -> Verdict {
    let line = clip(line, 80);
    match hits.of(expression).as_slice() {
        [] if hits.complete => Verdict::Falsified(format!(
            "The quoted text `{line}` stands nowhere: not in {}, and in no other file, before or after the change.",
            anchor.path
        )),
        [] => Verdict::Undecided(format!("`{line}` is not in {}; not every file could be searched.", anchor.path)),
        [(side, found)] => Verdict::Corrected(at(found.path.clone(), *side, found.line, anchor)),
        several => Verdict::Undecided(format!(
            "`{line}` is not in {}, and stands in {} other places.",
            anchor.path,
            several.len()
        )),
    }
}

/// A path that is not there may be one that was shortened.
fn of_path(anchor: &Anchor) -> Verdict {
    let glob = format!("**/{}", literal_glob(&anchor.path));
    let mut complete = true;
    for side in [Side::New, Side::Old] {
        let listing = source::paths(std::slice::from_ref(&glob), side);
        complete &= listing.as_ref().is_ok_and(|listing| listing.complete);
        match listing.map(|listing| listing.paths).unwrap_or_default().as_slice() {
            [] => {}
            [path] => {
                return Verdict::Corrected(Anchor { path: path.clone(), side, ..anchor.clone() });
            }
            several => return Verdict::Undecided(format!("{} paths end in `{}`.", several.len(), anchor.path)),
        }
    }
    if complete {
        Verdict::Falsified(format!("There is no file `{}`, neither before nor after the change.", anchor.path))
    } else {
        Verdict::Undecided(format!("`{}` was not found; not every path could be listed.", anchor.path))
    }
}

fn of_names(open: &Open, hits: &Hits) -> Verdict {
    if open.names.iter().any(|name| !hits.of(&whole_word(name)).is_empty()) {
        return Verdict::Stands;
    }
    let names = open.names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let evidence = format!("{names}: found neither in the change nor in any file, before or after it.");
    if open.about_absence || !hits.complete { Verdict::Undecided(evidence) } else { Verdict::Falsified(evidence) }
}

fn at(path: String, side: Side, line: u32, anchor: &Anchor) -> Anchor {
    Anchor { path, side, lines: Some(LineRange { first: line, last: line }), ..anchor.clone() }
}

/// A regular expression for a folded line, whatever its white space.
fn expression(line: &str) -> String {
    const LONGEST: usize = 200;
    let mut out = String::new();
    for c in line.get(..line.floor_char_boundary(LONGEST)).unwrap_or(line).trim().chars() {
        match c {
            ' ' => out.push_str(r"\s+"),
            c if c.is_ascii_punctuation() => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}

fn whole_word(name: &str) -> String {
    format!(r"\b{name}\b")
}

fn literal_glob(path: &str) -> String {
    path.chars().map(|c| if matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '\\' | '!') { '?' } else { c }).collect()
}
