//! What the change takes away: names with their definitions, and files.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use review_loop_sdk::code::{
    Definition, DefinitionKind, Language, Token, TokenKind, definitions, generated_header, is_generated, is_test_path,
    is_vendored, tokens,
};
use review_loop_sdk::prelude::*;
use review_loop_sdk::subject::{Change, File, Hunk, Status};

/// What a name stood for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Thing {
    Function,
    Type,
    Constant,
    Flag,
    Variable,
}

impl Thing {
    /// In words.
    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Type => "type",
            Self::Constant => "constant",
            Self::Flag => "flag",
            Self::Variable => "environment variable",
        }
    }

    /// Whether scripts and settings name it too.
    pub(super) fn is_interface(self) -> bool {
        matches!(self, Self::Flag | Self::Variable)
    }
}

/// A name whose definition the change removes.
#[derive(Debug, Clone)]
pub(super) struct Gone {
    pub(super) name: String,
    pub(super) thing: Thing,
    /// Where it was defined, before the change.
    pub(super) path: String,
    pub(super) line: u32,
    /// Its new name, where the same line was added with another name.
    pub(super) renamed: Option<String>,
}

/// The most bytes of old text that are read.
const MOST_BYTES: usize = 16 << 20;

/// The names that the change removes, each once, in the order of their paths.
pub(super) fn names() -> Vec<Gone> {
    let mut gone: BTreeMap<String, Gone> = BTreeMap::new();
    let mut bytes = 0;
    let moved = moved_out();
    for file in subject::files() {
        if moved == MovedOut::Anything || (moved == MovedOut::Files && file.status == Status::Deleted) {
            continue;
        }
        let path = file.old_path.as_deref().unwrap_or(&file.path).to_owned();
        let Some(language) = Language::of(&path).filter(|language| language.is_program()) else { continue };
        let left_out = file.omitted.is_some() || is_test_path(&path) || is_vendored(&path) || is_generated(&path);
        if left_out || file.removed == 0 || bytes > MOST_BYTES {
            continue;
        }
        let Ok(text) = source::read(&path, Side::Old) else { continue };
        bytes += text.len();
        if generated_header(text.as_bytes()) {
            continue;
        }
        for one in in_file(&path, language, &text, &subject::hunks(&file.path).unwrap_or_default()) {
            gone.entry(one.name.clone()).or_insert(one);
        }
    }
    gone.into_values().collect()
}

/// What may have moved into another package, where it still goes by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum MovedOut {
    Nothing,
    /// The change declares another dependency: what stood in deleted files may come from there.
    Files,
    /// The change hands on all that another module has: any name may come from there.
    Anything,
}

fn moved_out() -> MovedOut {
    let moved = |file: &File| {
        let manifest = is_manifest(&file.path);
        let program = Language::of(&file.path).is_some_and(Language::is_program) && !is_test_path(&file.path);
        if !(manifest || program) || file.added == 0 {
            return MovedOut::Nothing;
        }
        let hunks = subject::hunks(&file.path).unwrap_or_default();
        let lines =
            |change: Change| hunks.iter().flat_map(|hunk| &hunk.lines).filter(move |line| line.change == change);
        let before: HashSet<&str> = lines(Change::Removed).filter_map(|line| dependency(&line.text)).collect();
        let declares = |line: &subject::Line| dependency(&line.text).is_some_and(|name| !before.contains(name));
        match manifest {
            true if lines(Change::Added).any(declares) => MovedOut::Files,
            false if lines(Change::Added).any(|line| hands_on(&line.text)) => MovedOut::Anything,
            _ => MovedOut::Nothing,
        }
    };
    subject::files().iter().map(moved).max().unwrap_or(MovedOut::Nothing)
}

fn is_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    ["Cargo.toml", "package.json", "pyproject.toml", "setup.py", "setup.cfg", "go.mod", "Gemfile", "composer.json"]
        .contains(&name)
        || name.starts_with("requirements")
}

/// The package of a line that may name one with its version.
fn dependency(line: &str) -> Option<&str> {
    let line = line.trim().trim_start_matches("[dependencies.");
    let name = line.trim_start_matches(['"', '\'', '-', ' ']);
    let name = name.split(|c: char| !c.is_alphanumeric() && !"-_./@".contains(c)).next()?;
    let versioned = line.contains(|c: char| c.is_ascii_digit()) || line.contains(['*', ']']) || line.contains("path");
    let shaped = line.contains(['=', ':', '>', '~', '^', ' ', ']']);
    (!name.is_empty() && versioned && shaped && !["version", "edition", "rust-version"].contains(&name)).then_some(name)
}

/// `pub use other::*;`, `export * from "other"`, `from other import *`, `module.exports = require("other")`.
fn hands_on(line: &str) -> bool {
    let line = line.trim();
    let named =
        |start: &str| line.strip_prefix(start).is_some_and(|rest| !rest.trim_start().starts_with(['.', '\'', '"']));
    let outside = |text: &str| text.contains(['"', '\'']) && !text.contains("\".") && !text.contains("'.");
    (line.starts_with("pub use ")
        && line.ends_with("::*;")
        && !["crate::", "self::", "super::"].iter().any(|own| line.contains(own)))
        || (line.starts_with("export *") && outside(line))
        || (named("from ") && line.ends_with("import *"))
        || (line.starts_with("module.exports = require(") && outside(line))
}

fn in_file(path: &str, language: Language, text: &str, hunks: &[Hunk]) -> Vec<Gone> {
    let lines = hunks.iter().flat_map(|hunk| &hunk.lines);
    let removed: HashSet<u32> =
        lines.filter(|line| line.change == Change::Removed).filter_map(|line| line.old).collect();
    let tokens = tokens(text, language);
    let defined = definitions(text, &tokens, language);
    let mut found: Vec<(String, Thing, u32)> = Vec::new();
    found.extend(defined.iter().filter_map(defined_thing));
    found.extend((0..tokens.len()).filter_map(|at| flag(&tokens, at).or_else(|| variable(&tokens, at))));
    let of = |(name, thing, line): (String, Thing, u32)| {
        let renamed = renamed(&name, line, hunks);
        Gone { name, thing, path: path.to_owned(), line, renamed }
    };
    found.into_iter().filter(|(_, _, line)| removed.contains(line)).map(of).collect()
}

fn defined_thing(found: &Definition<'_>) -> Option<(String, Thing, u32)> {
    let thing = match found.kind {
        DefinitionKind::Function => Thing::Function,
        DefinitionKind::Type => Thing::Type,
        DefinitionKind::Value if found.top => Thing::Constant,
        _ => return None,
    };
    is_distinctive(found.name).then(|| (found.name.to_owned(), thing, found.line))
}

/// Whether a name can hardly be another thing's name, or a word: several words in one, as `read_all`, `readAll`,
/// `READ_ALL`.
fn is_distinctive(name: &str) -> bool {
    let name = name.trim_start_matches(['_', '$', '@']);
    let humps = name.chars().zip(name.chars().skip(1)).filter(|(a, b)| a.is_lowercase() && b.is_uppercase()).count();
    let words = name.split('_').filter(|part| part.len() > 1).count();
    let long = name.chars().count() >= 8 && name.is_ascii();
    long && (humps >= 1 || words >= 2) && !KNOWN.contains(&name)
}

/// Names of several words that languages, standard libraries and frameworks have too.
const KNOWN: &[&str] = &[
    "toString",
    "valueOf",
    "hasOwnProperty",
    "isArray",
    "indexOf",
    "lastIndexOf",
    "forEach",
    "parseInt",
    "parseFloat",
    "encodeURIComponent",
    "decodeURIComponent",
    "setTimeout",
    "clearTimeout",
    "setInterval",
    "setImmediate",
    "nextTick",
    "addEventListener",
    "removeEventListener",
    "removeListener",
    "createServer",
    "readFile",
    "writeFile",
    "readFileSync",
    "writeFileSync",
    "createReadStream",
    "createElement",
    "querySelector",
    "getElementById",
    "getOwnPropertyNames",
    "defineProperty",
    "objectAssign",
    "fromEntries",
    "startsWith",
    "endsWith",
    "componentDidMount",
    "setState",
    "forceUpdate",
    "to_string",
    "from_str",
    "into_iter",
    "from_utf8",
    "as_bytes",
    "unwrap_or",
    "is_empty",
    "size_hint",
    "from_iter",
    "size_of",
    "type_name",
    "read_to_string",
    "write_all",
    "setUp",
    "tearDown",
    "setup_class",
    "teardown_class",
    "iteritems",
    "basestring",
    "string_types",
    "text_type",
    "contextmanager",
    "lru_cache",
    "defaultdict",
    "namedtuple",
    "OrderedDict",
    "StringIO",
    "BytesIO",
    "ValueError",
    "TypeError",
    "KeyError",
    "RuntimeError",
    "NotImplementedError",
    "AbortController",
    "AbortSignal",
    "URLSearchParams",
    "TextEncoder",
    "TextDecoder",
    "ReadableStream",
    "EventEmitter",
    "XMLHttpRequest",
    "HttpRequest",
    "HttpResponse",
    "ArrayBuffer",
    "Uint8Array",
    "TypedArray",
    "WeakMap",
    "BigInt",
    "HashMap",
    "HashSet",
    "BTreeMap",
    "IntoIterator",
    "ExactSizeIterator",
    "FromIterator",
    "PhantomData",
];

/// `add_argument("--name")`, `.option("--name <value>")`, `long = "name"`: a flag where it is declared.
fn flag(tokens: &[Token<'_>], at: usize) -> Option<(String, Thing, u32)> {
    const DECLARE: &[&str] =
        &["add_argument", "addArgument", "add_option", "option", "requiredOption", "Option", "addoption"];
    let token = tokens.get(at).filter(|token| token.kind == TokenKind::Str)?;
    let text = unquoted(token.text);
    let before = || tokens.iter().take(at).rev().take(6).filter(|token| token.kind == TokenKind::Ident);
    let long =
        || tokens.iter().take(at).rev().take(2).any(|token| token.kind == TokenKind::Ident && token.text == "long");
    let flag = match text.find("--").and_then(|at| text.get(at..)) {
        Some(flag) if before().any(|token| DECLARE.contains(&token.text)) => flag.to_owned(),
        None if long() => format!("--{text}"),
        _ => return None,
    };
    let name: String = flag.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    let several_words = name.trim_start_matches('-').contains('-') && name.len() >= 10;
    (several_words && !COMMON_FLAGS.contains(&name.as_str())).then_some((name, Thing::Flag, token.line))
}

/// Flags of several words that many programs have.
const COMMON_FLAGS: &[&str] = &[
    "--dry-run",
    "--no-color",
    "--no-cache",
    "--all-features",
    "--no-default-features",
    "--log-level",
    "--config-file",
    "--output-dir",
    "--save-dev",
    "--no-verify",
    "--allow-empty",
    "--no-edit",
    "--no-install",
    "--no-interactive",
    "--target-dir",
    "--manifest-path",
    "--no-deps",
    "--build-arg",
    "--frozen-lockfile",
    "--max-old-space-size",
];

/// `env::var("NAME")`, `process.env.NAME`, `os.environ["NAME"]`: an environment variable where it is read.
fn variable(tokens: &[Token<'_>], at: usize) -> Option<(String, Thing, u32)> {
    const READ: &[&str] = &["env", "environ", "getenv", "Getenv", "LookupEnv", "ENV", "var_os"];
    let token = tokens.get(at).filter(|token| matches!(token.kind, TokenKind::Str | TokenKind::Ident))?;
    let name = unquoted(token.text);
    let mut before = tokens.iter().take(at).rev().take(5).filter(|token| token.kind == TokenKind::Ident);
    let shaped = name.len() >= 8
        && name.contains('_')
        && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
    let known = [
        "NODE_", "RUST_", "CARGO_", "GITHUB_", "CI_", "HTTP_", "HTTPS_", "NO_", "npm_", "FORCE_", "PYTHON", "XDG_",
        "LC_", "COLOR",
    ];
    let own = !known.iter().any(|prefix| name.starts_with(prefix));
    (shaped && own && before.any(|token| READ.contains(&token.text)))
        .then(|| (name.to_owned(), Thing::Variable, token.line))
}

fn unquoted(text: &str) -> &str {
    text.trim_matches(['"', '\'', '`'])
}

/// The name that stands in an added line of the same hunk where the removed line has `name`, and all else is the same.
fn renamed(name: &str, line: u32, hunks: &[Hunk]) -> Option<String> {
    let has = |hunk: &&Hunk| hunk.lines.iter().any(|one| one.change == Change::Removed && one.old == Some(line));
    let hunk = hunks.iter().find(has)?;
    let old = hunk.lines.iter().find(|one| one.change == Change::Removed && one.old == Some(line))?;
    let (before, behind) = old.text.split_once(name)?;
    let other = |line: &subject::Line| {
        let middle = line.text.strip_prefix(before)?.strip_suffix(behind)?;
        let is_name = !middle.is_empty() && middle.chars().all(|c| c.is_alphanumeric() || "_-$".contains(c));
        (is_name && middle != name && before.len() + behind.len() > 5).then(|| middle.to_owned())
    };
    let found: BTreeSet<String> =
        hunk.lines.iter().filter(|line| line.change == Change::Added).filter_map(other).collect();
    found.first().filter(|_| found.len() == 1).cloned()
}

/// A file that is not at its place any more.
#[derive(Debug, Clone)]
pub(super) struct GoneFile {
    pub(super) path: String,
    /// Where it is now, of a renamed one.
    pub(super) renamed: Option<String>,
}

/// The files that the change deletes or renames.
pub(super) fn files() -> Vec<GoneFile> {
    subject::files().into_iter().filter_map(gone_file).collect()
}

fn gone_file(file: File) -> Option<GoneFile> {
    match file.status {
        Status::Deleted => Some(GoneFile { path: file.path, renamed: None }),
        Status::Renamed => file.old_path.map(|path| GoneFile { path, renamed: Some(file.path) }),
        _ => None,
    }
}
