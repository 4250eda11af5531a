//! Credentials of well-known shape: where they stand in a text, and the text without them.
//!
//! Only shapes that their issuer fixed are known here (a prefix, an alphabet, a length), a password inside a URL, and a
//! private key's block. What reads as a placeholder is left alone: repeated characters, rows such as `abcdef`, words such
//! as `EXAMPLE`. A bare hash, a UUID, a random-looking string and a JSON web token are never hits: their shape does not
//! tell a secret from anything else.

use std::borrow::Cow;
use std::ops::Range;

use crate::work;

/// A credential in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// What it is, in words: `github token`.
    pub kind: &'static str,
    /// Its bytes in the text; both ends lie between characters. Of a URL: the password alone.
    pub range: Range<usize>,
}

/// Every credential in a text, in order, none inside another. Time linear in the text.
#[must_use]
pub fn find(text: &str) -> Vec<Hit> {
    let mut hits = Vec::new();
    let mut at = 0;
    while at < text.len() {
        match hit_at(text, at) {
            Some(hit) => {
                at = hit.range.end;
                hits.push(hit);
            }
            None => at += 1,
        }
    }
    hits
}

/// The text with every credential replaced by its kind: `[secret: github token]`. The same text again where there is
/// none. A credential that was found once is replaced wherever its characters stand, so the result never holds it.
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut out = Cow::Borrowed(text);
    // A replacement can lay a boundary beside what was not a word of its own before; a few rounds settle that.
    for _ in 0..ROUNDS {
        let hits = find(&out);
        if hits.is_empty() {
            break;
        }
        let mut secrets: Vec<(String, &str)> =
            hits.into_iter().map(|hit| (out[hit.range].to_owned(), hit.kind)).collect();
        secrets.sort_unstable();
        secrets.dedup_by(|(a, _), (b, _)| a == b);
        out = Cow::Owned(replaced(&out, &secrets));
    }
    out
}

/// The text with each of the secrets replaced wherever it stands, the longest one where several do. One pass, however many
/// they are: a change may hold a hundred thousand. `secrets` are in order, each once.
fn replaced(text: &str, secrets: &[(String, &str)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let length = match longest(rest.as_bytes(), secrets) {
            Some((secret, kind)) => {
                out.push_str(&format!("[secret: {kind}]"));
                secret.len()
            }
            None => {
                out.push(next);
                next.len_utf8()
            }
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    out
}

/// The longest of the secrets that the text starts with, found byte by byte among those that begin alike.
fn longest<'a, 'k>(text: &[u8], mut alike: &'a [(String, &'k str)]) -> Option<&'a (String, &'k str)> {
    let mut found = None;
    for (at, byte) in text.iter().enumerate() {
        work::add(1);
        let of = |one: &(String, &str)| one.0.as_bytes().get(at).copied();
        let from = alike.partition_point(|one| of(one) < Some(*byte));
        let to = alike.partition_point(|one| of(one) <= Some(*byte));
        alike = alike.get(from..to).unwrap_or_default();
        // In order, so a whole one stands before those that it begins.
        found = alike.first().filter(|one| one.0.len() == at + 1).or(found);
        if alike.is_empty() {
            break;
        }
    }
    found
}

/// Rounds of replacement in [`redact`]; each one but the first is needed only for texts made to need it.
const ROUNDS: usize = 8;

/// A shape that an issuer fixed: the prefix, then `min` to `max` characters of the alphabet, and no more of them.
struct Shape {
    kind: &'static str,
    prefix: &'static str,
    alphabet: Alphabet,
    min: usize,
    max: usize,
    /// What else the characters behind the prefix must be.
    also: fn(&str) -> bool,
}

const fn shape(kind: &'static str, prefix: &'static str, alphabet: Alphabet, min: usize, max: usize) -> Shape {
    Shape { kind, prefix, alphabet, min, max, also: |_| true }
}

impl Shape {
    const fn with(self, also: fn(&str) -> bool) -> Self {
        Self { also, ..self }
    }
}

/// Which bytes may follow a prefix.
#[derive(Clone, Copy)]
enum Alphabet {
    /// `0-9 a-f`.
    Hex,
    /// `A-Z 2-7`.
    Base32,
    /// Letters and digits.
    Base62,
    /// Letters, digits, `_`.
    Word,
    /// Letters, digits, `_`, `-`.
    Url,
    /// Letters, digits, `_`, `-`, `.`.
    Dotted,
    /// Letters, digits, `+`, `/`, `=`.
    Base64,
}

impl Alphabet {
    fn holds(self, byte: u8) -> bool {
        match self {
            Self::Hex => byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte),
            Self::Base32 => byte.is_ascii_uppercase() || (b'2'..=b'7').contains(&byte),
            Self::Base62 => byte.is_ascii_alphanumeric(),
            Self::Word => byte.is_ascii_alphanumeric() || byte == b'_',
            Self::Url => byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-',
            Self::Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
            Self::Base64 => byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='),
        }
    }
}

/// The shapes, a longer prefix before a shorter one that it starts with.
const SHAPES: &[Shape] = &[
    shape("aws access key id", "AKIA", Alphabet::Base32, 16, 16),
    shape("aws access key id", "ASIA", Alphabet::Base32, 16, 16),
    shape("github token", "ghp_", Alphabet::Base62, 36, 36),
    shape("github token", "gho_", Alphabet::Base62, 36, 36),
    shape("github token", "ghu_", Alphabet::Base62, 36, 36),
    shape("github token", "ghs_", Alphabet::Base62, 36, 36),
    shape("github token", "ghr_", Alphabet::Base62, 36, 76),
    shape("github token", "github_pat_", Alphabet::Word, 82, 82),
    shape("gitlab token", "glpat-", Alphabet::Dotted, 20, 300),
    shape("gitlab token", "gldt-", Alphabet::Url, 20, 300),
    shape("gitlab token", "glrt-", Alphabet::Dotted, 20, 300),
    shape("slack token", "xoxb-", Alphabet::Url, 40, 100).with(is_slack),
    shape("slack token", "xoxp-", Alphabet::Url, 40, 100).with(is_slack),
    shape("slack token", "xoxa-", Alphabet::Url, 40, 100).with(is_slack),
    shape("slack token", "xoxr-", Alphabet::Url, 40, 100).with(is_slack),
    shape("stripe key", "sk_live_", Alphabet::Base62, 24, 250),
    shape("stripe key", "rk_live_", Alphabet::Base62, 24, 250),
    shape(GOOGLE_API_KEY, "AIza", Alphabet::Url, 35, 35),
    shape("google client secret", "GOCSPX-", Alphabet::Url, 28, 28),
    shape("npm token", "npm_", Alphabet::Base62, 36, 36),
    shape("pypi token", "pypi-AgEIcHlwaS5vcmc", Alphabet::Url, 50, 400),
    shape("rubygems key", "rubygems_", Alphabet::Hex, 48, 48),
    shape("docker hub token", "dckr_pat_", Alphabet::Url, 27, 27),
    shape("anthropic key", "sk-ant-api03-", Alphabet::Url, 80, 120),
    shape("anthropic key", "sk-ant-admin01-", Alphabet::Url, 80, 120),
    shape("anthropic key", "sk-ant-oat01-", Alphabet::Url, 80, 120),
    shape("openai key", "sk-proj-", Alphabet::Url, 40, 250).with(is_openai),
    shape("openai key", "sk-svcacct-", Alphabet::Url, 40, 250).with(is_openai),
    shape("openai key", "sk-admin-", Alphabet::Url, 40, 250).with(is_openai),
    shape("openai key", "sk-", Alphabet::Base62, 48, 48).with(is_openai),
    shape("groq key", "gsk_", Alphabet::Base62, 52, 52),
    shape("hugging face token", "hf_", Alphabet::Base62, 34, 34),
    shape("sendgrid key", "SG.", Alphabet::Dotted, 66, 66).with(is_sendgrid),
    shape("digitalocean token", "dop_v1_", Alphabet::Hex, 64, 64),
    shape("shopify token", "shpat_", Alphabet::Hex, 32, 32),
    shape("linear key", "lin_api_", Alphabet::Base62, 40, 40),
    shape("grafana token", "glsa_", Alphabet::Word, 41, 41),
    shape("age secret key", "AGE-SECRET-KEY-1", Alphabet::Base62, 58, 58),
    shape("azure storage key", "AccountKey=", Alphabet::Base64, 88, 88).with(is_azure),
];

/// The kind of Google's API keys: those for browsers are public by design, so their presence alone is no defect.
pub const GOOGLE_API_KEY: &str = "google api key";

/// The kind of a private key under a passphrase.
pub const ENCRYPTED_KEY: &str = "encrypted private key";

fn is_slack(body: &str) -> bool {
    body.split_once('-').is_some_and(|(first, rest)| {
        first.len() >= 9 && first.bytes().all(|b| b.is_ascii_digit()) && rest.bytes().any(|b| b.is_ascii_alphabetic())
    })
}

/// Every key of this issuer holds its name in base 64.
fn is_openai(body: &str) -> bool {
    body.contains("T3BlbkFJ")
}

fn is_sendgrid(body: &str) -> bool {
    body.split_once('.').is_some_and(|(id, secret)| id.len() == 22 && secret.len() == 43 && !secret.contains('.'))
}

/// The storage emulator's key is the same on every machine, and public.
fn is_azure(body: &str) -> bool {
    body.ends_with("==") && !body.starts_with("Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1")
}

fn hit_at(text: &str, at: usize) -> Option<Hit> {
    work::add(1);
    let byte = *text.as_bytes().get(at)?;
    match byte {
        b'-' => private_key(text, at),
        b':' => url_password(text, at),
        _ if byte.is_ascii_alphabetic() && starts_word(text, at) => token(text, at),
        _ => None,
    }
}

/// Whether no word reaches over `at`. The letter of an escape (`\n`) is not part of a word, and neither is a byte order mark
/// or a quotation mark, whatever its bytes.
fn starts_word(text: &str, at: usize) -> bool {
    let mut before = text.get(..at).unwrap_or_default().chars().rev();
    match before.next() {
        Some(c) if is_word(c) => matches!(c, 'n' | 'r' | 't') && before.next() == Some('\\'),
        _ => true,
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn token(text: &str, at: usize) -> Option<Hit> {
    let rest = text.get(at..)?;
    SHAPES.iter().find_map(|shape| {
        let body = rest.strip_prefix(shape.prefix)?;
        // A row of prefixes may be one run of megabytes: it is read as far as a credential can reach.
        let most = shape.max + MAX_TAIL;
        let run = body.bytes().take(most + 1).take_while(|&b| shape.alphabet.holds(b)).count();
        work::add(run);
        if run > most {
            return None;
        }
        // A dot or dash at the end belongs to the sentence.
        let body = body.get(..run)?.trim_end_matches(['.', '-']);
        let after = rest.get(shape.prefix.len() + body.len()..).and_then(|after| after.chars().next());
        let fits = (shape.min..=shape.max).contains(&body.len()) && !after.is_some_and(is_word);
        (fits && (shape.also)(body) && !is_placeholder(body))
            .then(|| Hit { kind: shape.kind, range: at..at + shape.prefix.len() + body.len() })
    })
}

/// So many dots and dashes may follow a credential in a sentence.
const MAX_TAIL: usize = 64;

/// A password between `scheme://user:` and `@host.domain`; `at` is the first colon.
fn url_password(text: &str, at: usize) -> Option<Hit> {
    let scheme = text.as_bytes().get(at.checked_sub(1)?)?;
    let rest = text.get(at..)?.strip_prefix("://")?;
    let end = rest.bytes().take(MAX_AUTHORITY).take_while(|&b| !ends_authority(b)).count();
    let (login, host) = rest.get(..end)?.rsplit_once('@')?;
    let (user, password) = login.split_once(':')?;
    let secret = password.len() >= 10 && !is_placeholder(password) && !reads_as_words(password) && password != user;
    let start = at + 3 + user.len() + 1;
    (scheme.is_ascii_alphanumeric() && secret && is_public_host(host))
        .then(|| Hit { kind: "password in a url", range: start..start + password.len() })
}

/// No login and host together are longer, in bytes.
const MAX_AUTHORITY: usize = 512;

/// White space, a path, a query, quotes, and whatever stands for a value to be filled in.
fn ends_authority(byte: u8) -> bool {
    byte <= b' ' || byte >= 0x7f || b"/?#\"'`<>{}[]()$\\|^,;*".contains(&byte)
}

fn is_public_host(host: &str) -> bool {
    let name = host.split(':').next().unwrap_or(host);
    let last = name.rsplit('.').next().unwrap_or(name);
    name.contains('.')
        && last.len() > 1
        && last.bytes().all(|b| b.is_ascii_alphabetic())
        && !RESERVED.iter().any(|reserved| last == *reserved || name.contains("example"))
}

/// Top-level names that never reach a public host.
const RESERVED: &[&str] =
    &["test", "example", "invalid", "localhost", "local", "lan", "home", "internal", "localdomain"];

/// Words of which people make passwords for a text.
fn reads_as_words(password: &str) -> bool {
    let lower = password.to_ascii_lowercase();
    ["pass", "secret", "pwd", "token", "change", "user", "admin", "hunter", "letmein", "foo", "bar", "%"]
        .iter()
        .any(|word| lower.contains(word))
}

/// A private key's block, from its first line to its last, or as far as its characters go.
fn private_key(text: &str, at: usize) -> Option<Hit> {
    let rest = text.get(at..)?;
    let label = rest.strip_prefix("-----BEGIN ")?;
    let near = label.get(..label.floor_char_boundary(MAX_LABEL + "-----".len()))?;
    work::add(near.len());
    let label = label.get(..near.find("-----")?)?;
    if !label.ends_with("PRIVATE KEY") && label != "PGP PRIVATE KEY BLOCK" {
        return None;
    }
    let from = "-----BEGIN ".len() + label.len() + "-----".len();
    let body = rest.get(from..rest.floor_char_boundary(from + MAX_KEY))?;
    let last = format!("-----END {label}-----");
    work::add(body.find("-----").unwrap_or(body.len()));
    let (body, end) = match body.find("-----") {
        Some(end) if body.get(end..)?.starts_with(&last) => (body.get(..end)?, from + end + last.len()),
        Some(end) => (body.get(..end)?, from + end),
        None => (body, from + body.len()),
    };
    let encrypted = label.starts_with("ENCRYPTED") || body.contains("ENCRYPTED");
    let kind = if encrypted { ENCRYPTED_KEY } else { "private key" };
    holds_key(body).then(|| Hit { kind, range: at..at + end })
}

/// No key's block has a longer label, in bytes.
const MAX_LABEL: usize = 40;

/// No key's block is longer, in bytes.
const MAX_KEY: usize = 16 * 1024;

/// Whether a row of base 64 stands in the block that is no placeholder.
fn holds_key(body: &str) -> bool {
    body.split(['\n', '\r', ' ', '"', '\'', '\\', ',']).any(|row| {
        let row = row.trim_start_matches('n');
        row.len() >= 32 && row.bytes().all(|b| Alphabet::Base64.holds(b)) && !is_placeholder(row)
    })
}

/// Whether the characters were made up for a text rather than drawn at random.
fn is_placeholder(body: &str) -> bool {
    let bytes = body.as_bytes();
    let classes = [u8::is_ascii_lowercase, u8::is_ascii_uppercase, u8::is_ascii_digit];
    let mixed = classes.iter().filter(|class| bytes.iter().any(class)).count() >= 2;
    let upper = body.to_ascii_uppercase();
    !mixed || distinct(bytes) < 8 || has_row(bytes) || PLACEHOLDERS.iter().any(|word| upper.contains(word))
}

const PLACEHOLDERS: &[&str] = &[
    "EXAMPLE",
    "PLACEHOLDER",
    "REDACTED",
    "REPLACE",
    "YOUR",
    "XXXX",
    "FAKE",
    "DUMMY",
    "SAMPLE",
    "TEST",
    "INVALID",
    "SECRET",
    "TOKEN",
    "....",
    "FOOBAR",
    "DEADBEEF",
];

fn distinct(bytes: &[u8]) -> usize {
    let mut seen = [false; 256];
    for &byte in bytes {
        seen[usize::from(byte)] = true;
    }
    seen.iter().filter(|&&seen| seen).count()
}

/// Six characters in a row that are equal, or each one more or one less than the one before.
fn has_row(bytes: &[u8]) -> bool {
    [-1i16, 0, 1].iter().any(|&step| {
        let mut length = 1;
        bytes.windows(2).any(|pair| {
            let follows = pair.first().zip(pair.get(1)).is_some_and(|(&a, &b)| i16::from(b) - i16::from(a) == step);
            length = if follows { length + 1 } else { 1 };
            length >= 6
        })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Bodies apart from their prefixes, so that this file holds no credential's shape.
    const BASE62: &str = "q7Rk2ZpV9sLx4TnB8mHc3WdJ6fGyUa1eQoI5rXw0PzKvYtNbM2jS8hLgDfC4uEiA7kR3pVqZ9xWnB6mTs1Y";
    const HEX: &str = "9f3c7a1be04d82560c9e7f31ab58d4260e7c19f3a5b8d2046f1e93c7b05a8d24";
    const BASE32: &str = "Q7RK2ZPV4SLX3TNB6MHC5WDJ";

    fn made(shape: &Shape) -> Option<String> {
        let source = match shape.alphabet {
            Alphabet::Hex => HEX,
            Alphabet::Base32 => BASE32,
            _ => BASE62,
        };
        Some(format!("{}{}", shape.prefix, source.get(..shape.min)?)).filter(|_| (shape.also)(&source[..shape.min]))
    }

    fn kinds(text: &str) -> Vec<&'static str> {
        find(text).into_iter().map(|hit| hit.kind).collect()
    }

    #[test]
    fn every_plain_shape_is_found_whole_and_alone() {
        let mut tried = 0;
        for shape in SHAPES {
            let Some(secret) = made(shape) else { continue };
            tried += 1;
            let text = format!("key = \"{secret}\";\n");
            let hits = find(&text);
            assert_eq!(hits.len(), 1, "{}", shape.kind);
            assert_eq!((&text[hits[0].range.clone()], hits[0].kind), (secret.as_str(), shape.kind));
            assert_eq!(redact(&text), format!("key = \"[secret: {}]\";\n", shape.kind));
            assert_eq!(find(&format!("key = \"x{secret}\"")), [], "{} inside a word", shape.kind);
            if shape.min == shape.max {
                assert_eq!(find(&format!("key = \"{secret}A7\"")), [], "{} too long", shape.kind);
            }
            assert_eq!(find(&secret[..secret.len() - 1]).len(), 0, "{} too short", shape.kind);
        }
        assert!(tried > 25, "{tried}");
    }

    #[test]
    fn shapes_with_a_rule_of_their_own() {
        let slack = format!("xoxb-{}-{}-{}", "2840917365", "2917364805", &BASE62[..24]);
        let openai = format!("sk-proj-{}T3BlbkFJ{}", &BASE62[..20], &BASE62[20..40]);
        let sendgrid = format!("SG.{}.{}", &BASE62[..22], &BASE62[22..65]);
        let azure = format!("AccountName=a;AccountKey={}==;Suffix=b", &BASE62.repeat(2)[..86]);
        assert_eq!(kinds(&format!("{slack} {openai} {sendgrid}.")), ["slack token", "openai key", "sendgrid key"]);
        assert_eq!(kinds(&azure), ["azure storage key"]);
        assert_eq!(kinds(&format!("xoxb-not-a-token-{}", &BASE62[..30])), [""; 0]);
        assert_eq!(kinds(&format!("sk-proj-{}", &BASE62[..60])), [""; 0]);
    }

    #[test]
    fn placeholders_are_left_alone() {
        for body in ["IOSFODNN7EXAMPLE", "XXXXXXXXXXXXXXXX", "ABCDEFGHIJKLMNOP", "AAAAAAAAAAAAAAAA", "QRTYQRTYQRTYQRTY"]
        {
            assert_eq!(kinds(&format!("AKIA{body}")), [""; 0], "{body}");
        }
        for body in ["x".repeat(36), "0123456789abcdefghijklmnopqrstuvwxyz".to_owned(), "a1".repeat(18)] {
            assert_eq!(kinds(&format!("ghp_{body}")), [""; 0], "{body}");
        }
        assert_eq!(kinds("glpat-your-personal-access-token-1"), [""; 0]);
    }

    #[test]
    fn an_escape_before_a_token_is_no_part_of_its_word() {
        assert_eq!(kinds(&format!(r#""a\nghp_{}""#, &BASE62[..36])), ["github token"]);
    }

    #[test]
    fn a_password_in_a_url_needs_a_public_host_and_chance() {
        let url = |login: &str, host: &str| kinds(&format!("url = \"postgres://{login}@{host}/db\"")).len();
        assert_eq!(url("app:q7Rk2ZpV9sLx", "db.acme.io:5432"), 1);
        assert_eq!(
            redact("postgres://app:q7Rk2ZpV9sLx@db.acme.io/x"),
            "postgres://app:[secret: password in a url]@db.acme.io/x"
        );
        for (login, host) in [
            ("postgres:postgres", "db.acme.io"),
            ("app:q7Rk2ZpV9sLx", "localhost"),
            ("app:q7Rk2ZpV9sLx", "db"),
            ("app:q7Rk2ZpV9sLx", "db.example.com"),
            ("app:q7Rk2ZpV9sLx", "10.0.0.7"),
            ("app:${PASSWORD}", "db.acme.io"),
            ("app:MyPassword123", "db.acme.io"),
            ("app:<password>", "db.acme.io"),
            ("app", "db.acme.io"),
        ] {
            assert_eq!(url(login, host), 0, "{login} at {host}");
        }
        assert_eq!(kinds("see https://acme.io:8080/a and mail me@acme.io"), [""; 0]);
    }

    #[test]
    fn a_private_key_is_hidden_as_a_block() {
        let block = |kind: &str, body: &str| format!("a\n-----BEGIN {kind}-----\n{body}\n-----END {kind}-----\nb\n");
        assert_eq!(redact(&block("RSA PRIVATE KEY", BASE62)), "a\n[secret: private key]\nb\n");
        assert_eq!(redact(&block("ENCRYPTED PRIVATE KEY", BASE62)), "a\n[secret: encrypted private key]\nb\n");
        let escaped = format!(r#"{{"k": "-----BEGIN PRIVATE KEY-----\n{BASE62}\n-----END PRIVATE KEY-----\n"}}"#);
        assert_eq!(redact(&escaped), r#"{"k": "[secret: private key]\n"}"#);
        assert_eq!(kinds(&block("PUBLIC KEY", BASE62)), [""; 0]);
        assert_eq!(kinds(&block("PRIVATE KEY", "...")), [""; 0]);
        assert_eq!(kinds("if line == \"-----BEGIN PRIVATE KEY-----\" {"), [""; 0]);
        assert_eq!(redact(&format!("-----BEGIN PRIVATE KEY-----\n{BASE62}\n")), "[secret: private key]");
    }

    #[test]
    fn hashes_identifiers_and_web_tokens_are_no_hits() {
        assert_eq!(
            kinds(&format!("sha256:{HEX} 550e8400-e29b-41d4-a716-446655440000 eyJhbGciOi.eyJzdWIi.{BASE62}")),
            [""; 0]
        );
        assert_eq!(kinds("npm_config_registry, ghp_token, sk_live_mode, hf_hub_download"), [""; 0]);
    }

    #[test]
    fn a_mark_before_a_token_is_no_part_of_its_word() {
        let token = format!("ghp_{}", &BASE62[..36]);
        for (before, after) in [("\u{feff}", ""), ("\u{201c}", "\u{201d}"), ("\u{a0}", "\u{3000}"), ("=\r", "\r")] {
            assert_eq!(kinds(&format!("{before}{token}{after}")), ["github token"], "{before:?}");
        }
        assert_eq!(kinds(&format!("é{token}")), [""; 0]);
    }

    #[test]
    fn the_longest_of_the_secrets_that_stand_at_a_place_is_replaced() {
        let secrets = [("ab", "1"), ("abcd", "2"), ("b", "3")].map(|(text, kind)| (text.to_owned(), kind));
        assert_eq!(replaced("abcabcdxbéab", &secrets), "[secret: 1]c[secret: 2]x[secret: 3]é[secret: 1]");
    }

    #[test]
    fn the_work_grows_with_the_text_whatever_stands_in_it() {
        for piece in
            ["glpat-", "sk-proj-", "password = ", "-----BEGIN PRIVATE KEY-----", "-----BEGIN ", "https://a:", "ghp_"]
        {
            work::assert_linear(5_000, |n| assert_eq!(find(&piece.repeat(n)), [], "{piece}"));
        }
        let secret = |n: usize| format!("ghp_{}{:06}\n", &BASE62[..30], n * 7_919 % 1_000_000);
        work::assert_linear(1_000, |n| {
            let out = redact(&(0..n).map(secret).collect::<String>()).into_owned();
            assert!(out.matches("[secret: github token]").count() > n / 2);
        });
    }

    #[test]
    fn a_secret_that_stands_twice_goes_twice() {
        let secret = format!("ghp_{}", &BASE62[..36]);
        assert_eq!(redact(&format!("{secret} x{secret}")), "[secret: github token] x[secret: github token]");
    }

    /// Texts of credentials, pieces of them and what stands between.
    fn texts() -> impl Strategy<Value = String> {
        let pieces: Vec<String> = SHAPES
            .iter()
            .filter_map(made)
            .chain(
                [BASE62, HEX, "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "https://u:"]
                    .map(str::to_owned),
            )
            .chain(
                ["@a.io", "\n", "\\n", " ", "_", "-", ".", "[secret: github token]", "é", "ghp_", "\""]
                    .map(str::to_owned),
            )
            .collect();
        let piece = prop_oneof![9 => proptest::sample::select(pieces), 1 => ".{0,12}"];
        proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn redacting_leaves_none_of_the_hits_and_is_idempotent(text in texts()) {
            let out = redact(&text).into_owned();
            for hit in find(&text) {
                prop_assert!(!out.contains(&text[hit.range]));
            }
            prop_assert_eq!(find(&out), []);
            prop_assert_eq!(redact(&out).into_owned(), out);
        }
    }
}
