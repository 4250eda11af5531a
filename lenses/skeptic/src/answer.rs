//! Reading the skeptic's answer. What cannot be read, or rests on nothing shown, settles nothing.

use review_loop_sdk::json::{self, Value};
use review_loop_sdk::judgement::text_of;
use review_loop_sdk::prelude::*;
use review_loop_sdk::text::{clip, fold};

use crate::exhibit::Exhibit;

/// The form of the answer.
pub(crate) const SCHEMA: &str = r#"{"type":"object","additionalProperties":false,"required":["verdict","evidence","quote","path","line"],
"properties":{"verdict":{"type":"string","enum":["stands","falsified","corrected","undecided"]},"evidence":{"type":"string"},
"quote":{"type":["string","null"]},"path":{"type":["string","null"]},"line":{"type":["integer","null"]}}}"#;

const MAX_EVIDENCE: usize = 1000;

/// The verdict that a reply amounts to.
pub(crate) fn read(reply: &llm::Reply, exhibit: &Exhibit) -> Verdict {
    verdict(reply, exhibit).unwrap_or_else(Verdict::Undecided)
}

fn verdict(reply: &llm::Reply, exhibit: &Exhibit) -> Result<Verdict, String> {
    let text = text_of(reply)?;
    let answer = json::extract(&text, "verdict").map_err(|error| format!("unreadable reply: {error}"))?;
    let evidence = clip(&fold(field(&answer, "evidence").unwrap_or_default()), MAX_EVIDENCE);
    let quote = field(&answer, "quote").unwrap_or_default().trim();
    let shown = exhibit.shows(quote);
    match field(&answer, "verdict").unwrap_or_default() {
        "undecided" => Err(if evidence.is_empty() { "the model could not tell".to_owned() } else { evidence }),
        "stands" if shown => Ok(Verdict::Stands),
        "falsified" if shown && !evidence.is_empty() => {
            Ok(Verdict::Falsified(format!("{evidence} (`{}`)", clip(quote, 200))))
        }
        "falsified" if shown => Err("the model disproved it without a reason".to_owned()),
        "corrected" if shown => corrected(&answer, quote, exhibit),
        word @ ("stands" | "falsified" | "corrected") => {
            Err(format!("the model said `{word}` and pointed at no line that it was shown: {evidence}"))
        }
        _ => Err("unreadable reply: `verdict` is not one of its words".to_owned()),
    }
}

fn corrected(answer: &Value, quote: &str, exhibit: &Exhibit) -> Result<Verdict, String> {
    let anchor = exhibit.anchor();
    let path = field(answer, "path").or(anchor.map(|anchor| anchor.path.as_str()));
    let path =
        path.filter(|path| exhibit.shows_path(path)).ok_or("the model corrected it to a file that it was not shown")?;
    let line = answer.get("line").and_then(Value::as_u32).filter(|line| *line > 0);
    Ok(Verdict::Corrected(Anchor {
        path: path.to_owned(),
        side: anchor.map_or(Side::New, |anchor| anchor.side),
        lines: line.map(|line| LineRange { first: line, last: line }),
        quote: Some(quote.to_owned()),
        section: None,
    }))
}

fn field<'a>(answer: &'a Value, key: &str) -> Option<&'a str> {
    answer.get(key).and_then(Value::as_str)
}
