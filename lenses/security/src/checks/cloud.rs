//! Rights in a cloud: a policy that allows everything on everything, and remote logins that are open to the world.

use review_loop_sdk::code::{Language, Token, TokenKind};

use super::fresh::Hit;
use super::pattern::{matches, opening};
use super::permissions::WIDENED;
use super::text::Text;

pub(crate) fn find(text: &Text<'_>) -> Vec<Hit> {
    // A service control policy only bounds what other policies give.
    let bounds = ["scp", "service-control", "service_control", "guardrail", "boundary"];
    if !matches!(text.language, Some(Language::Json | Language::Terraform))
        || bounds.iter().any(|word| text.path.contains(word))
    {
        return Vec::new();
    }
    let all = text.tokens();
    let tokens: Vec<&Token<'_>> = all.iter().filter(|token| token.kind != TokenKind::Comment).collect();
    let candidates = (0..tokens.len()).filter(|at| is_candidate(text, &tokens, *at)).take(MOST);
    candidates.filter_map(|at| everything(&tokens, at).or_else(|| open_login(&tokens, at))).collect()
}

/// How many places of a file are looked at: each look takes some time, and more are generated.
const MOST: usize = 200;

fn is_candidate(text: &Text<'_>, tokens: &[&Token<'_>], at: usize) -> bool {
    let fits = |patterns: &[&str]| patterns.iter().any(|pattern| matches(tokens, at, pattern).is_some());
    tokens.get(at).is_some_and(|token| text.is_touched(token.line)) && (fits(ACTIONS) || fits(WORLD))
}

/// The tokens of the block around `at`.
fn block<'a>(tokens: &'a [&'a Token<'a>], at: usize) -> &'a [&'a Token<'a>] {
    let mut open = opening(tokens, at);
    while let Some(index) = open.filter(|index| tokens.get(*index).is_some_and(|token| token.text != "{")) {
        open = opening(tokens, index);
    }
    let Some(start) = open else { return &[] };
    let rest = tokens.get(start + 1..).unwrap_or_default();
    let mut depth = 1_i32;
    let length = rest.iter().take(400).take_while(|token| {
        depth += i32::from(token.text == "{") - i32::from(token.text == "}");
        depth > 0
    });
    let length = length.count();
    rest.get(..length).unwrap_or_default()
}

fn has(block: &[&Token<'_>], patterns: &[&str]) -> bool {
    (0..block.len()).any(|at| patterns.iter().any(|pattern| matches(block, at, pattern).is_some()))
}

fn everything(tokens: &[&Token<'_>], at: usize) -> Option<Hit> {
    ACTIONS.iter().find_map(|pattern| matches(tokens, at, pattern))?;
    let block = block(tokens, at);
    let denies = has(
        block,
        &[
            "'Effect' : 'Deny'",
            "Effect = 'Deny'",
            "effect = 'Deny'",
            "'Principal'",
            "Principal",
            "principals",
            "'Condition'",
            "Condition",
            "condition",
        ],
    );
    let claim = "The policy allows every action on every resource, so whoever holds it holds the whole account.";
    let line = tokens.get(at)?.line;
    (!denies && has(block, RESOURCES)).then(|| Hit {
        line,
        mark: "every action on every resource".to_owned(),
        rule: &WIDENED,
        claim: claim.to_owned(),
    })
}

const ACTIONS: &[&str] =
    &["'Action' : '*'", "'Action' : [ '*' ]", "Action = '*'", "Action = [ '*' ]", "actions = [ '*' ]"];
const RESOURCES: &[&str] =
    &["'Resource' : '*'", "'Resource' : [ '*' ]", "Resource = '*'", "Resource = [ '*' ]", "resources = [ '*' ]"];

fn open_login(tokens: &[&Token<'_>], at: usize) -> Option<Hit> {
    WORLD.iter().find_map(|pattern| matches(tokens, at, pattern))?;
    let around = block(tokens, at);
    let port = PORTS.iter().find(|(patterns, _)| patterns.iter().all(|pattern| has(around, &[pattern])))?.1;
    let enters = is_named(tokens, at, "ingress")
        || has(around, &["type = 'ingress'"])
        || is_named(tokens, at, "'aws_vpc_security_group_ingress_rule'");
    let claim = format!("{port} is open to every address, so anybody can try to log in.");
    enters.then(|| Hit {
        line: tokens.get(at).map_or(1, |token| token.line),
        mark: port.to_owned(),
        rule: &WIDENED,
        claim,
    })
}

const WORLD: &[&str] =
    &["cidr_blocks = [ '0.0.0.0/0' ]", "cidr_ipv4 = '0.0.0.0/0'", "cidr_blocks = [ '0.0.0.0/0' , '::/0' ]"];

const PORTS: &[(&[&str], &str)] = &[
    (&["from_port = 22", "to_port = 22"], "Port 22 (SSH)"),
    (&["from_port = 3389", "to_port = 3389"], "Port 3389 (remote desktop)"),
    (&["from_port = 0", "to_port = 65535"], "Every port"),
];

/// Whether the block around `at` is called so.
fn is_named(tokens: &[&Token<'_>], at: usize, name: &str) -> bool {
    let mut open = opening(tokens, at);
    while let Some(index) = open.filter(|index| tokens.get(*index).is_some_and(|token| token.text != "{")) {
        open = opening(tokens, index);
    }
    let Some(open) = open else { return false };
    (1..=3).any(|back| open.checked_sub(back).is_some_and(|at| matches(tokens, at, name).is_some()))
}

#[cfg(test)]
mod tests {
    use super::super::permissions::check;
    use super::super::testing::lines;

    #[test]
    fn what_is_open_is_seen() {
        for (path, text, line) in [
            ("p.json", "{\"Statement\": [{\"Effect\": \"Allow\",\n\"Action\": \"*\", \"Resource\": \"*\"}]}\n", 2),
            ("p.tf", "statement {\n  actions = [\"*\"]\n  resources = [\"*\"]\n}\n", 2),
            (
                "p.tf",
                "resource \"aws_security_group\" \"a\" {\n  ingress {\n    from_port = 22\n    to_port = 22\n    cidr_blocks = [\"0.0.0.0/0\"]\n  }\n}\n",
                5,
            ),
        ] {
            assert_eq!(lines(check, path, text), [line], "{path}: {text}");
        }
    }

    #[test]
    fn what_looks_alike_is_not() {
        for (path, text) in [
            ("p.json", "{\"Effect\": \"Deny\", \"Action\": \"*\", \"Resource\": \"*\"}\n"),
            ("p.json", "{\"Effect\": \"Allow\", \"Principal\": \"*\", \"Action\": \"*\", \"Resource\": \"*\"}\n"),
            ("p.json", "{\"Effect\": \"Allow\", \"Action\": \"s3:*\", \"Resource\": \"*\"}\n"),
            ("p.tf", "ingress {\n  from_port = 443\n  to_port = 443\n  cidr_blocks = [\"0.0.0.0/0\"]\n}\n"),
            ("p.tf", "egress {\n  from_port = 22\n  to_port = 22\n  cidr_blocks = [\"0.0.0.0/0\"]\n}\n"),
            ("p.tf", "ingress {\n  from_port = 22\n  to_port = 22\n  cidr_blocks = [\"10.0.0.0/8\"]\n}\n"),
        ] {
            assert_eq!(lines(check, path, text), [0; 0], "{path}: {text}");
        }
    }
}
