//! What the model can look at, and how much of it.
//!
//! Every line of the repository goes to the model with its number and a bar in front, so that no text in a file can
//! pass for anything else. The declarations are the same for every lens, to the byte: providers cache what stands first.

use std::fmt::Write as _;

use crate::json::{self, Value};
use crate::llm::{Tool, ToolCall, ToolResult};
use crate::source::{self, Query, Syntax};
use crate::text::{clip, in_line};
use crate::types::Side;

/// How often the model may look around before it has to answer.
pub const MAX_LOOKUPS: usize = 8;

const MAX_LINES: usize = 400;
const MAX_LINE: usize = 400;
const MAX_MATCHES: u32 = 60;
const MAX_PATHS: usize = 300;
/// Bytes of one result, and of all results of a conversation.
const MAX_RESULT: usize = 24 * 1024;
const MAX_RESULTS: usize = 192 * 1024;

/// The tools, as the model is told of them.
pub(super) fn declared() -> Vec<Tool> {
    let tool = |name: &str, description: &str, properties: &str, required: &str| Tool {
        name: name.to_owned(),
        description: description.to_owned(),
        input_schema: format!(
            r#"{{"type":"object","properties":{{{properties},"side":{{"type":"string","enum":["new","old"],"description":"The text after the change (default) or before it."}}}},"required":[{required}]}}"#
        ),
    };
    vec![
        tool(
            "read_file",
            "Reads a file of the repository, with line numbers: at most 400 lines, from first_line on.",
            r#""path":{"type":"string","description":"From the repository's root."},"first_line":{"type":"integer"},"last_line":{"type":"integer"}"#,
            r#""path""#,
        ),
        tool(
            "search",
            "Finds lines in all files of the repository, or in those that a glob names: at most 60.",
            r#""pattern":{"type":"string"},"syntax":{"type":"string","enum":["word","literal","regex"],"description":"word (default): the pattern with no word character on either side."},"glob":{"type":"string","description":"For example src/**/*.rs"}"#,
            r#""pattern""#,
        ),
        tool(
            "list_files",
            "Lists the repository's paths, or those that a glob names: at most 300.",
            r#""glob":{"type":"string","description":"* stays inside a folder, ** does not."}"#,
            "",
        ),
    ]
}

/// How much of its look-ups a conversation has used.
#[derive(Default)]
pub(super) struct Lookups {
    pub(super) rounds: usize,
    bytes: usize,
}

impl Lookups {
    /// What a call shows, or why it shows nothing. Never an error: the model is told, and goes on.
    pub(super) fn answer(&mut self, call: &ToolCall) -> ToolResult {
        let result = if self.rounds >= MAX_LOOKUPS || self.bytes >= MAX_RESULTS {
            Err("there are no look-ups left".to_owned())
        } else {
            look_up(&call.name, &call.input)
        };
        let failed = result.is_err();
        let output = result.unwrap_or_else(|why| why);
        self.bytes += output.len();
        ToolResult { id: call.id.clone(), output, failed }
    }
}

fn look_up(name: &str, input: &str) -> Result<String, String> {
    let input = if input.trim().is_empty() { "{}" } else { input };
    let input = json::read(input).map_err(|error| format!("the input is not JSON: {error}"))?;
    match name {
        "read_file" => read_file(&input),
        "search" => search(&input),
        "list_files" => list_files(&input),
        _ => Err("there is no such tool; there are read_file, search and list_files".to_owned()),
    }
}

fn read_file(input: &Value) -> Result<String, String> {
    let path = text(input, "path")?.ok_or("`path` is missing")?;
    let first = number(input, "first_line")?.unwrap_or(1).max(1);
    let last = number(input, "last_line")?.unwrap_or(usize::MAX);
    let content = source::read(path, side(input)?).map_err(|error| source_words(&error))?;
    let total = content.lines().count();
    let mut out = format!("{total} lines in all\n");
    for (index, line) in content.lines().enumerate().take(last).skip(first - 1).take(MAX_LINES) {
        if out.len() > MAX_RESULT {
            break;
        }
        numbered(&mut out, index + 1, line);
    }
    Ok(out)
}

fn search(input: &Value) -> Result<String, String> {
    let pattern = text(input, "pattern")?.filter(|pattern| !pattern.is_empty()).ok_or("`pattern` is missing")?;
    let syntax = match text(input, "syntax")?.unwrap_or("word") {
        "word" => Syntax::Word,
        "literal" => Syntax::Literal,
        "regex" => Syntax::Regex,
        _ => return Err("`syntax` is word, literal or regex".to_owned()),
    };
    let query = Query {
        patterns: vec![pattern.to_owned()],
        syntax,
        globs: globs(input)?,
        side: side(input)?,
        max: MAX_MATCHES,
    };
    let matches = source::search(&query).map_err(|error| source_words(&error))?;
    let mut out = String::new();
    for found in matches.found.iter().take(MAX_MATCHES as usize) {
        push_path(&mut out, &found.path);
        out.push(':');
        numbered(&mut out, found.line as usize, &found.text);
    }
    Ok(finished(out, matches.complete))
}

fn list_files(input: &Value) -> Result<String, String> {
    let listing = source::paths(&globs(input)?, side(input)?).map_err(|error| source_words(&error))?;
    let mut out = String::new();
    for path in listing.paths.iter().take(MAX_PATHS) {
        push_path(&mut out, path);
        out.push('\n');
    }
    Ok(finished(out, listing.complete && listing.paths.len() <= MAX_PATHS))
}

fn finished(mut out: String, complete: bool) -> String {
    if out.is_empty() {
        out.push_str(if complete { "nothing\n" } else { "nothing in the part that was looked through\n" });
    } else if !complete {
        out.push_str("and more: narrow it down\n");
    }
    out
}

/// Appends a line with its number and a bar in front, so that it cannot pass for anything but a line of a file.
pub fn numbered(out: &mut String, number: usize, line: &str) {
    let shown = clip(line, MAX_LINE);
    let _ = writeln!(out, "{number}| {}", shown.trim_end_matches('\r'));
}

/// A path cannot begin a line of its own. It is spelled as the description of the change spells it.
fn push_path(out: &mut String, path: &str) {
    out.push_str(&in_line(path));
}

fn text<'a>(input: &'a Value, key: &str) -> Result<Option<&'a str>, String> {
    input.get(key).map(|value| value.as_str().ok_or_else(|| format!("`{key}` is not text"))).transpose()
}

fn number(input: &Value, key: &str) -> Result<Option<usize>, String> {
    let number =
        |value: &Value| value.as_u32().map(|n| n as usize).ok_or_else(|| format!("`{key}` is not a line number"));
    input.get(key).map(number).transpose()
}

fn globs(input: &Value) -> Result<Vec<String>, String> {
    Ok(text(input, "glob")?.map(str::to_owned).into_iter().collect())
}

fn side(input: &Value) -> Result<Side, String> {
    match text(input, "side")?.unwrap_or("new") {
        "new" => Ok(Side::New),
        "old" => Ok(Side::Old),
        _ => Err("`side` is new or old".to_owned()),
    }
}

fn source_words(error: &source::Error) -> String {
    match error {
        source::Error::NotFound => "there is no such file on this side of the change".to_owned(),
        source::Error::NotText => "it is not text".to_owned(),
        source::Error::TooLarge(size) => format!("it is too large: {size} bytes"),
        source::Error::LimitReached => "there are no look-ups left".to_owned(),
        source::Error::Invalid(why) => format!("the pattern cannot be read: {why}"),
        source::Error::Unavailable(why) => format!("the sources cannot be read: {why}"),
    }
}
