//! Checks of certificates and host keys that the change switches off, in code: see [`super::verification_table`] for what,
//! and [`super::verification_commands`] for the command line.
//!
//! Leaves alone: tests, examples, documents, built files; loopback addresses in the statement; a condition or a name
//! nearby that says somebody asked for it; servers that want no certificate from their clients; a checker of its own; a
//! linter told that it is meant.

use std::collections::BTreeMap;

use review_loop_sdk::check::{Changed, Rule, Seen};
use review_loop_sdk::code::{Token, TokenKind};
use review_loop_sdk::prelude::*;

use super::fresh::{Hit, fresh};
use super::pattern::{matches, opening};
use super::text::Text;
use super::verification_table::{Guard, ROWS, Row};
use super::{is_built, is_shown, verification_commands};

pub(crate) static UNVERIFIED: Rule = Rule {
    category: "crypto-misuse",
    severity: Severity::High,
    // What it says is so, but half of the places that real changes had were meant: it is for a reader to weigh.
    load_bearing: false,
    confidence: 90,
    several: "checks of the other side's identity that are switched off",
    follows: "whoever stands on the way can read and change what is sent",
    hint: "Verify it: trust the certificate authority or the host key that the other side really has.",
};

pub(crate) fn check(changed: &Changed) -> Vec<Seen> {
    let path = changed.file.path.as_str();
    if changed.test || is_shown(path) || is_built(path) || talks_to_strangers(path) {
        return Vec::new();
    }
    let mut seen = if has_word(changed) { fresh(changed, in_code) } else { Vec::new() };
    seen.extend(verification_commands::check(changed));
    seen.retain(|seen| !changed.is_test_line(seen.line));
    seen
}

/// A scanner has to talk to whatever is there: its work is not to trust it.
fn talks_to_strangers(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    ["scan", "vuln", "brute", "exploit", "fuzz"].iter().any(|word| path.contains(word))
}

fn has_word(changed: &Changed) -> bool {
    let rows = ROWS.iter().filter(|row| changed.language.is_some_and(|language| row.languages.contains(&language)));
    rows.flat_map(|row| row.words).any(|word| changed.adds_any(&[word]))
}

fn in_code(text: &Text<'_>) -> Vec<Hit> {
    let Some(language) = text.language else { return Vec::new() };
    let all = text.tokens();
    let tokens: Vec<&Token<'_>> = all.iter().filter(|token| token.kind != TokenKind::Comment).collect();
    let whole = text.whole();
    let fits = |row: &&Row| {
        row.languages.contains(&language)
            && (row.needs.is_empty() || row.needs.iter().any(|word| whole.contains(word)))
            && !row.unless.iter().any(|word| whole.contains(word))
    };
    let rows: Vec<&Row> = ROWS.iter().filter(fits).collect();
    if rows.is_empty() {
        return Vec::new();
    }
    let mut meant = BTreeMap::new();
    let found = (0..tokens.len()).filter_map(|at| rows.iter().find_map(|row| place(text, &tokens, at, row)));
    let unmeant = found.filter(|(first, last, _)| {
        // Many places on one line share the answer.
        !*meant.entry((*first, *last)).or_insert_with(|| is_meant(text, *first, *last))
    });
    unmeant.map(|(_, _, hit)| hit).collect()
}

/// The first and last line of what a row describes, and the hit that it is.
fn place(text: &Text<'_>, tokens: &[&Token<'_>], at: usize, row: &Row) -> Option<(u32, u32, Hit)> {
    let end = row.patterns.iter().find_map(|pattern| matches(tokens, at, pattern))?;
    let (first, last) = (tokens.get(at)?.line, tokens.get(end - 1)?.end_line());
    let line = (first..=last).find(|line| text.is_touched(*line))?;
    let claim = format!("`{}` {}.", row.shown, row.follows);
    let hit = Hit { line, mark: row.shown.to_owned(), rule: &UNVERIFIED, claim };
    guarded(tokens, at, end, row.guard).then_some((first, last, hit))
}

fn guarded(tokens: &[&Token<'_>], at: usize, end: usize, guard: Guard) -> bool {
    let before = at.checked_sub(1).and_then(|before| tokens.get(before)).map_or("", |token| token.text);
    let after = tokens.get(end).map_or("", |token| token.text);
    match guard {
        Guard::None => true,
        Guard::Argument => ["(", ","].contains(&before) && is_call(tokens, at, |_| true),
        Guard::Request => ["(", ","].contains(&before) && is_call(tokens, at, |name| REQUESTS.contains(&name)),
        Guard::Assigned => before == "." && !["or", "and", "if", "else"].contains(&after),
    }
}

/// Whether the innermost bracket that is open at `at` belongs to a call, and of a name that fits.
fn is_call(tokens: &[&Token<'_>], at: usize, fits: fn(&str) -> bool) -> bool {
    let Some(open) = opening(tokens, at).filter(|open| tokens.get(*open).is_some_and(|token| token.text == "(")) else {
        return false;
    };
    let back = |by: usize| open.checked_sub(by).and_then(|at| tokens.get(at));
    let defines = back(2).is_some_and(|token| matches!(token.text, "def" | "class" | "function" | "fun" | "func"));
    back(1).is_some_and(|name| name.kind == TokenKind::Ident && fits(name.text)) && !defines
}

/// What sends a request, or is made to send them.
const REQUESTS: &[&str] = &[
    "get",
    "post",
    "put",
    "patch",
    "delete",
    "head",
    "options",
    "request",
    "send",
    "stream",
    "Client",
    "AsyncClient",
    "client",
    "resource",
    "ws_connect",
    "TCPConnector",
    "ClientSession",
];

/// Whether something nearby says that it was asked for, or that it cannot do harm.
fn is_meant(text: &Text<'_>, first: u32, last: u32) -> bool {
    let below = last.saturating_sub(first);
    text.says_around(first, (1, below + 1), LOOPBACK)
        || text.says_around(first, (1, below), EXCUSES)
        || text.around(first, 7, below).any(is_condition)
}

const LOOPBACK: &[&str] = &["localhost", "127.0.0.1", "[::1]", "'::1'", "\"::1\""];

/// Comments that tell a linter to let it pass.
const EXCUSES: &[&str] =
    &["nosec", "nolint", "noqa: s", "nosem", "codeql", "lgtm", "nosonar", "eslint-disable", "#[allow"];

/// Whether a line asks a question about it: `if args.insecure:`.
fn is_condition(line: &str) -> bool {
    let line = line.get(..line.floor_char_boundary(1_000)).unwrap_or(line).to_ascii_lowercase();
    let mut words = line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let asks = words.any(|word| CONDITIONS.contains(&word)) || line.contains(" ? ") || line.contains("&&");
    let named = || {
        [
            "insecure",
            "verif",
            "skip",
            "ssl",
            "tls",
            "cert",
            "self_sign",
            "selfsign",
            "unsafe",
            "disable",
            "ignore",
            "strict",
            "trust",
            "allow",
            "known_hosts",
            "host_key",
            "hostkey",
            "danger",
            "unauthorized",
        ]
        .iter()
        .any(|word| line.contains(word))
    };
    asks && (named() || line.trim_start().starts_with("else") || line.trim_start().starts_with("} else"))
}

const CONDITIONS: &[&str] =
    &["if", "elif", "else", "unless", "match", "case", "switch", "when", "then", "and", "or", "default"];

#[cfg(test)]
mod tests {
    use review_loop_sdk::testing::FakeHost;

    use super::super::testing::{lines, lines_with};

    #[test]
    fn what_is_switched_off_is_seen() {
        for (path, text, line) in [
            ("a.py", "import requests\nrequests.get(url,\n    verify=False)\n", 3),
            ("a.py", "import requests\ns = requests.Session()\ns.verify = False\n", 3),
            ("a.py", "import ssl\nctx = ssl._create_unverified_context()\n", 2),
            ("a.py", "import ssl\nctx.check_hostname = False\nctx.verify_mode = ssl.CERT_NONE\n", 3),
            ("a.py", "configuration.verify_ssl = False\n", 1),
            ("a.py", "client.set_missing_host_key_policy(paramiko.AutoAddPolicy())\n", 1),
            ("a.js", "const agent = new https.Agent({ rejectUnauthorized: false });\n", 1),
            ("a.ts", "process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';\n", 1),
            ("a.go", "c := &tls.Config{InsecureSkipVerify: true}\n", 1),
            ("a.go", "cfg.HostKeyCallback = ssh.InsecureIgnoreHostKey()\n", 1),
            ("src/a.rs", "let c = Client::builder().danger_accept_invalid_certs(true).build()?;\n", 1),
            ("a.php", "<?php\ncurl_setopt($ch, CURLOPT_SSL_VERIFYPEER, false);\n", 2),
            ("a.c", "curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 0L);\n", 1),
            (
                "A.java",
                "class A {\n  public void checkServerTrusted(X509Certificate[] c, String t) throws CertificateException {}\n}\n",
                2,
            ),
            ("a.cs", "h.ServerCertificateCustomValidationCallback = (a, b, c, d) => true;\n", 1),
            ("a.rb", "http.verify_mode = OpenSSL::SSL::VERIFY_NONE\n", 1),
            ("a.py", "\u{feff}import requests\rrequests.get(url, verify=False)\r", 1),
        ] {
            assert_eq!(lines(super::check, path, text), [line], "{path}: {text}");
        }
    }

    #[test]
    fn what_looks_alike_is_not() {
        for (path, text) in [
            ("a.py", "import requests\nrequests.get(url, verify=args.verify)\n# requests.get(u, verify=False)\n"),
            ("a.py", "import requests\ndef get(url, verify=False):\n    pass\n"),
            ("a.py", "import requests\nrequests.get('https://localhost:8443/x', verify=False)\n"),
            ("a.py", "import requests\nif args.insecure:\n    session.verify = False\n"),
            ("a.py", "import jwt\njwt.decode(token, verify=False)\n"),
            ("a.py", "import requests\nmodel.save(verify=False)\n"),
            ("a.py", "import ssl\nctx = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)\nctx.verify_mode = ssl.CERT_NONE\n"),
            ("tests/a.py", "import requests\nrequests.get(url, verify=False)\n"),
            ("examples/a.py", "import requests\nrequests.get(url, verify=False)\n"),
            ("a.js", "// rejectUnauthorized: false\nconst o = { rejectUnauthorized: !insecure };\n"),
            ("a.js", "const o = { rejectUnauthorized: opts.strict ? true : false };\n"),
            ("a.js", "tls.createServer({ requestCert: true, rejectUnauthorized: false });\n"),
            ("a.go", "c := &tls.Config{InsecureSkipVerify: true} //nolint:gosec\n"),
            ("a.go", "c := &tls.Config{InsecureSkipVerify: true, VerifyConnection: check}\n"),
            ("src/a.rs", "#[cfg(test)]\nmod tests {\n  fn a() { b.danger_accept_invalid_certs(true); }\n}\n"),
            ("src/a.rs", "if tls.skip_verify {\n    b = b.danger_accept_invalid_certs(true);\n}\n"),
            ("lib/scan/a.py", "import requests\nrequests.get(url, verify=False)\n"),
            ("dist/a.js", "new https.Agent({ rejectUnauthorized: false });\n"),
            ("README.md", "requests.get(url, verify=False)\n"),
        ] {
            assert_eq!(lines(super::check, path, text), [0; 0], "{path}: {text}");
        }
    }

    #[test]
    fn what_was_off_before_is_no_news() {
        let import = "import requests\n";
        let call = |url: &str| format!("requests.get({url}, verify=False)\n");
        let edited =
            FakeHost::new().edited("a.py", &format!("{import}{}", call("a")), &format!("{import}{}", call("b")));
        assert_eq!(lines_with(super::check, edited), [0; 0]);
        let moved = FakeHost::new()
            .edited("a.py", &format!("{import}{}", call("a")), import)
            .added("b.py", &format!("{import}def b():\n    {}", call("other")));
        assert_eq!(lines_with(super::check, moved), [0; 0]);
    }
}
