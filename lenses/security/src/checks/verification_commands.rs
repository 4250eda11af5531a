//! Checks of certificates and host keys that the change switches off on a command line or in the environment.
//!
//! Leaves alone: addresses that are variables, or of machines of one's own (there may be no certificate to check), and
//! what [`super::verification`] leaves.

use review_loop_sdk::check::{Changed, Seen};
use review_loop_sdk::text::clip;

use super::commands::{Command, commands, holds_commands};
use super::fresh::{Hit, fresh};
use super::text::Text;
use super::verification::UNVERIFIED;

const WORDS: &[&str] = &[
    "curl",
    "wget",
    "sslVerify",
    "StrictHostKeyChecking",
    "strict-ssl",
    "NODE_TLS_REJECT_UNAUTHORIZED",
    "GIT_SSL_NO_VERIFY",
    "PYTHONHTTPSVERIFY",
];

pub(crate) fn check(changed: &Changed) -> Vec<Seen> {
    let readable = holds_commands(&changed.file.path, changed.language);
    if readable && changed.adds_any(WORDS) { fresh(changed, find) } else { Vec::new() }
}

fn find(text: &Text<'_>) -> Vec<Hit> {
    let of_commands = commands(text).into_iter().filter_map(|command| {
        let (mark, follows) = switched_off(&command)?;
        Some(hit(command.line, mark, follows))
    });
    of_commands.chain(text.lines().filter_map(|(line, content)| environment(line, content))).collect()
}

fn hit(line: u32, mark: String, follows: &str) -> Hit {
    let claim = format!("`{}` {follows}.", clip(&mark, 100));
    Hit { line, mark, rule: &UNVERIFIED, claim }
}

const CERTIFICATE: &str = "does not check the certificate, so whoever stands on the way can change what is fetched";
const HOST_KEY: &str = "accepts any host key, so whoever stands on the way can take the host's place";

/// What a command does not check, and what follows.
fn switched_off(command: &Command<'_>) -> Option<(String, &'static str)> {
    let off = |option: &str| Some((format!("{} {option}", command.program()), CERTIFICATE));
    match command.program() {
        "curl" if command.has("--insecure") => command.public_url().and_then(|_| off("--insecure")),
        "curl" if command.has_short('k') => command.public_url().and_then(|_| off("-k")),
        "wget" if command.has("--no-check-certificate") => {
            command.public_url().and_then(|_| off("--no-check-certificate"))
        }
        "git" => git(command).then(|| ("git http.sslVerify=false".to_owned(), CERTIFICATE)),
        "npm" | "yarn" if command.has("strict-ssl") && command.has("false") => off("strict-ssl false"),
        "ssh" | "scp" | "rsync" | "sftp" | "autossh" => host_key(command),
        _ => None,
    }
}

fn git(command: &Command<'_>) -> bool {
    let words = || command.words.iter().map(|word| word.to_ascii_lowercase());
    let inline = words().any(|word| word == "http.sslverify=false");
    let stored = words().zip(words().skip(1)).any(|(key, value)| key == "http.sslverify" && value == "false");
    inline || stored
}

fn host_key(command: &Command<'_>) -> Option<(String, &'static str)> {
    let off = |word: &str| word.trim_matches(['"', '\'']).ends_with("StrictHostKeyChecking=no");
    let near = |word: &str| ["localhost", "127.0.0.1", "::1"].iter().any(|host| word.contains(host));
    let found = command.words.iter().any(|word| off(word)) && !command.words.iter().any(|word| near(word));
    found.then(|| (format!("{} StrictHostKeyChecking=no", command.program()), HOST_KEY))
}

/// `export GIT_SSL_NO_VERIFY=1`, `ENV NODE_TLS_REJECT_UNAUTHORIZED=0`, `NODE_TLS_REJECT_UNAUTHORIZED: "0"`.
fn environment(line: u32, content: &str) -> Option<Hit> {
    let content = content.trim();
    let (name, off) = VARIABLES.iter().find(|(name, _)| content.contains(name))?;
    let (before, behind) = content.split_once(name)?;
    let set = ["", "export", "ENV", "-", "- export", "- run: export", "set"].contains(&before.trim());
    let value = behind.trim_start_matches([' ', '=', ':']);
    let value: &str = value.split([' ', ';']).next().unwrap_or_default().trim_matches(['"', '\'']);
    let separated = behind.starts_with(['=', ':', ' ']);
    (set && separated && off.contains(&value))
        .then(|| hit(line, format!("{name}={value}"), "switches the check of certificates off for every connection"))
}

const VARIABLES: &[(&str, &[&str])] =
    &[("NODE_TLS_REJECT_UNAUTHORIZED", &["0"]), ("GIT_SSL_NO_VERIFY", &["1", "true"]), ("PYTHONHTTPSVERIFY", &["0"])];

#[cfg(test)]
mod tests {
    use super::super::testing::lines;
    use super::super::verification::check;

    #[test]
    fn what_is_switched_off_is_seen() {
        for (path, text) in [
            ("a.sh", "curl -fsSLk https://tool.dev/a.tgz -o a.tgz\n"),
            ("Dockerfile", "RUN wget --no-check-certificate https://tool.dev/a.tgz\n"),
            ("a.sh", "git config --global http.sslVerify false\n"),
            ("a.sh", "git -c http.sslVerify=false clone https://tool.dev/a\n"),
            ("a.sh", "scp -o StrictHostKeyChecking=no a \"$USER@$HOST:\"\n"),
            ("Dockerfile", "ENV NODE_TLS_REJECT_UNAUTHORIZED=0\n"),
            (".github/workflows/a.yml", "env:\n  GIT_SSL_NO_VERIFY: \"true\"\n"),
        ] {
            assert_eq!(lines(check, path, text).len(), 1, "{path}: {text}");
        }
    }

    #[test]
    fn what_looks_alike_is_not() {
        for (path, text) in [
            ("a.sh", "curl -k https://localhost:8443/x\ncurl -k \"https://$HOST/x\"\ncurl -fsSL https://tool.dev/k\n"),
            ("a.sh", "# curl -k https://tool.dev/a\necho 'curl -k https://tool.dev/a'\n"),
            ("a.sh", "ssh -o StrictHostKeyChecking=no -p 2222 root@localhost\n"),
            ("a.sh", "git config --global http.sslVerify true\nexport NODE_TLS_REJECT_UNAUTHORIZED=1\n"),
            ("a.sh", "if [ -z \"$NODE_TLS_REJECT_UNAUTHORIZED\" ]; then\n  a\nfi\n"),
            ("tests/a.sh", "curl -k https://tool.dev/a\n"),
            ("a.yaml", "args: curl -k https://tool.dev/a\n"),
        ] {
            assert_eq!(lines(check, path, text), [0; 0], "{path}: {text}");
        }
    }
}
