//! Reading the model's report: what cannot be true is left out and named, what is too long is cut.

use crate::json::{self, Value};
use crate::text::{clip, fold};
use crate::types::{
    Anchor, Basis, Credit, Description, Finding, LineRange, Part, Reach, Report, Severity, Side, Skipped,
};

/// Bytes of one text. A replacement is never cut: half of one would be wrong code.
const MAX_CLAIM: usize = 800;
const MAX_TEXT: usize = 4000;
const MAX_REPLACEMENT: usize = 16_000;
/// A reply of more items than this is no review.
const MAX_ITEMS: usize = 200;

/// Reads a reply. An explicit empty list is an answer; anything that leaves open what was found is not.
///
/// # Errors
/// The reply is not a report, with the reason in words that the model can act on.
pub(super) fn read(text: &str, description: &Description) -> Result<Report, String> {
    let unreadable = |why: String| format!("unreadable reply: {why}");
    let reply = json::extract(text, "findings").map_err(|error| unreadable(error.to_string()))?;
    let items = reply.get("findings").and_then(Value::as_list);
    let items = items.ok_or_else(|| unreadable("`findings` is not a list".to_owned()))?;
    if items.len() > MAX_ITEMS {
        return Err(unreadable(format!("it has {} findings", items.len())));
    }
    let mut report = Report::default();
    for (number, item) in (1..).zip(items) {
        match finding(item, description) {
            Ok(finding) => report.findings.push(finding),
            Err(why) => report.skipped.push(skipped(Part::Other(format!("finding {number}")), why)),
        }
    }
    report.credits = list(&reply, "credits").iter().filter_map(|item| credit(item, description)).collect();
    report.skipped.extend(list(&reply, "not_examined").iter().map(not_examined));
    Ok(report)
}

/// The severity that a reviewer's word stands for, whichever school it is from.
#[must_use]
pub fn severity(word: &str) -> Option<Severity> {
    let is = |words: &[&str]| words.iter().any(|known| word.trim().eq_ignore_ascii_case(known));
    if is(&["critical", "blocker"]) {
        Some(Severity::Critical)
    } else if is(&["high", "major", "important", "error"]) {
        Some(Severity::High)
    } else if is(&["medium", "moderate", "minor", "warning"]) {
        Some(Severity::Medium)
    } else if is(&["low", "suggestion", "note", "info"]) {
        Some(Severity::Low)
    } else {
        None
    }
}

fn finding(item: &Value, description: &Description) -> Result<Finding, String> {
    let claim = fold(&required(item, "claim")?);
    if claim.is_empty() {
        return Err("`claim` is empty".to_owned());
    }
    let category = required(item, "category")?;
    if !description.categories.iter().any(|known| known.id == category && !known.credit) {
        return Err(format!("`{}` is not one of its categories", clip(&category, 60)));
    }
    let word = required(item, "severity")?;
    Ok(Finding {
        claim: clip(&claim, MAX_CLAIM),
        category,
        severity: severity(&word).ok_or_else(|| format!("`{}` is not a severity", clip(&word, 60)))?,
        confidence: confidence(item.get("confidence")).ok_or("`confidence` is not a number from 0 to 100")?,
        load_bearing: item.get("load_bearing").and_then(Value::as_bool).ok_or("`load_bearing` is not true or false")?,
        basis: Basis::Judgement,
        anchor: anchor(item)?,
        evidence: text(item, "evidence")?.map(|text| clip(&text, MAX_TEXT)),
        fix_hint: text(item, "fix_hint")?.map(|text| clip(&text, MAX_TEXT)),
        replacement: text(item, "replacement")?.filter(|text| text.len() <= MAX_REPLACEMENT),
        reach: match text(item, "reach")?.as_deref() {
            None | Some("tactical") => Reach::Tactical,
            Some("directional") => Reach::Directional,
            Some(_) => return Err("`reach` is not tactical or directional".to_owned()),
        },
    })
}

fn anchor(item: &Value) -> Result<Option<Anchor>, String> {
    let Some(path) = text(item, "path")? else {
        return Ok(None);
    };
    // No file's path begins with `./`. Everything else is handed on as it is: the host knows the names that there are, and
    // tidies only what is none of them.
    let path = path.trim_start_matches("./").to_owned();
    let leaves = path.trim().starts_with('/') || path.trim().split('/').any(|part| part == "..");
    if path.trim().is_empty() || path.len() > MAX_TEXT || leaves {
        return Err("`path` is not a path from the repository's root".to_owned());
    }
    let side = match text(item, "side")?.as_deref() {
        None | Some("new") => Side::New,
        Some("old") => Side::Old,
        Some(_) => return Err("`side` is not new or old".to_owned()),
    };
    let quote = text(item, "quote")?.map(|text| clip(&text, MAX_TEXT));
    Ok(Some(Anchor { path, side, lines: lines(item)?, quote, section: None }))
}

/// Lines count from 1; models write 0 for "no line".
fn lines(item: &Value) -> Result<Option<LineRange>, String> {
    let number = |key: &str| match item.get(key) {
        None => Ok(None),
        Some(value) => {
            value.as_u32().map(|n| (n > 0).then_some(n)).ok_or_else(|| format!("`{key}` is not a line number"))
        }
    };
    let Some(first) = number("line")? else { return Ok(None) };
    let last = number("end_line")?.unwrap_or(first);
    if last < first { Err("`end_line` stands before `line`".to_owned()) } else { Ok(Some(LineRange { first, last })) }
}

/// 0 to 100, or a fraction of 1 as some models write it: `0.85` is 85.
fn confidence(value: Option<&Value>) -> Option<u8> {
    let Some(Value::Number(number)) = value else {
        return None;
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let percent = match whole.parse::<u8>().ok()? {
        0 if !fraction.is_empty() => format!("{fraction}00").get(..2)?.parse().ok()?,
        1 if !fraction.is_empty() => 100,
        whole => whole,
    };
    (percent <= 100).then_some(percent)
}

fn credit(item: &Value, description: &Description) -> Option<Credit> {
    let category = item.get("category")?.as_str()?;
    let claim = fold(item.get("claim")?.as_str()?);
    let declared = description.categories.iter().any(|known| known.id == category && known.credit);
    (declared && !claim.is_empty()).then(|| Credit { category: category.to_owned(), claim: clip(&claim, MAX_CLAIM) })
}

fn not_examined(item: &Value) -> Skipped {
    let what = item.get("what").unwrap_or(item).as_str().map(fold).unwrap_or_default();
    let why = item.get("why").and_then(Value::as_str).map(fold).filter(|why| !why.is_empty());
    let why = clip(&why.unwrap_or_else(|| "the model did not say why".to_owned()), MAX_CLAIM);
    let part = if crate::subject::files().iter().any(|file| file.path == what) {
        Part::Path(what)
    } else if what.is_empty() {
        Part::Other("a part that it does not name".to_owned())
    } else {
        Part::Other(clip(&what, MAX_CLAIM))
    };
    skipped(part, why)
}

fn list<'a>(reply: &'a Value, key: &str) -> &'a [Value] {
    let items = reply.get(key).and_then(Value::as_list).unwrap_or_default();
    items.get(..MAX_ITEMS).unwrap_or(items)
}

fn skipped(what: Part, why: impl Into<String>) -> Skipped {
    Skipped { what, why: why.into() }
}

fn required(item: &Value, key: &str) -> Result<String, String> {
    text(item, key)?.ok_or_else(|| format!("`{key}` is missing"))
}

/// A field of text; blank is the same as missing.
fn text(item: &Value, key: &str) -> Result<Option<String>, String> {
    let Some(value) = item.get(key) else { return Ok(None) };
    let text = value.as_str().ok_or_else(|| format!("`{key}` is not text"))?;
    Ok(Some(text.to_owned()).filter(|text| !text.trim().is_empty()))
}
