//! Paths into the home folder of one person's machine, in string literals and settings.
//!
//! Only a path that goes on the way home folders do counts: `/home/x/y` is a route of many web applications. Leaves
//! alone: comments, documents, tests, examples, shell scripts, container files and YAML under `/home/` (the user is one
//! of the image), placeholders and the users that images and build servers come with.

use review_loop_sdk::check::{Changed, Rule, Seen};
use review_loop_sdk::code::{Language, Token, TokenKind};
use review_loop_sdk::prelude::*;

use super::is_shown;

static PATH: Rule = Rule {
    category: "hardcoded",
    severity: Severity::Medium,
    load_bearing: false,
    confidence: 96,
    several: "paths into one person's home folder",
    follows: "they work on that machine alone",
    hint: "Take the path from configuration, the environment or the location of the program.",
};

pub(crate) fn check(changed: &Changed) -> Vec<Seen> {
    let Some(language) = changed.language else {
        return Vec::new();
    };
    let path = &changed.file.path;
    let left_alone = changed.test || is_shown(path) || path.ends_with(".ipynb") || path.ends_with(".map");
    if left_alone
        || LEFT_ALONE.contains(&language)
        || !changed.adds_any(&["/home/", "/Users/", "\\Users\\", ":/Users/"])
    {
        return Vec::new();
    }
    let tokens = changed.new_tokens();
    let mut lines = Vec::new();
    for token in literals(&tokens, language) {
        for (line, text) in (token.line..).zip(token.text.lines()) {
            if let Some(found) = home_path(text, language).filter(|_| !changed.is_test_line(line)) {
                lines.push((line, found));
            }
        }
    }
    let claim = |found: &str| {
        format!("`{found}` is a path into one person's home folder, so this works on that machine alone.")
    };
    lines.iter().filter_map(|(line, found)| Seen::at(&PATH, changed, *line, claim(found))).collect()
}

/// String literals. In a program those of one line: longer ones are most often documentation.
fn literals<'a>(tokens: &'a [Token<'a>], language: Language) -> impl Iterator<Item = &'a Token<'a>> {
    tokens
        .iter()
        .filter(move |token| token.kind == TokenKind::Str && (!language.is_program() || !token.text.contains('\n')))
}

/// Languages whose paths are most often those of an image, or that are prose.
const LEFT_ALONE: &[Language] =
    &[Language::Shell, Language::Dockerfile, Language::Makefile, Language::Html, Language::Css];

/// The start of such a path: up to the folder below the user's.
fn home_path(text: &str, language: Language) -> Option<&str> {
    let homes: &[&str] = if language == Language::Yaml { &["/Users/"] } else { &["/home/", "/Users/"] };
    let unix = homes
        .iter()
        .find_map(|home| text.match_indices(home).find_map(|(at, _)| path_at(text, at, home.len(), FOLDERS)));
    unix.or_else(|| {
        ["C:\\Users\\", "C:\\\\Users\\\\", "C:/Users/", "D:\\Users\\"]
            .iter()
            .find_map(|home| text.match_indices(home).find_map(|(at, _)| path_at(text, at, home.len(), &[])))
    })
}

/// `folders`: what the folder below the user's may be; empty: any.
fn path_at<'a>(text: &'a str, at: usize, home: usize, folders: &[&str]) -> Option<&'a str> {
    let before = text.get(..at)?.chars().next_back();
    let starts = before.is_none_or(|c| "\"'`=,;( ".contains(c)) || text.get(..at)?.ends_with("file://");
    let rest = text.get(at + home..)?;
    let name_length = |text: &str| text.find(|c: char| !(c.is_ascii_alphanumeric() || "._-".contains(c)));
    let user = rest.get(..name_length(rest)?)?;
    let below = rest.get(user.len()..)?.trim_start_matches(['/', '\\']);
    let parted = below.len() < rest.len() - user.len();
    let folder = below.get(..name_length(below).unwrap_or(below.len()))?;
    let known = if folders.is_empty() { !folder.is_empty() } else { folders.contains(&folder) };
    let end = text.len() - below.len() + folder.len();
    (starts && parted && known && is_person(user)).then(|| text.get(at..end)).flatten()
}

fn is_person(user: &str) -> bool {
    let lower = user.to_ascii_lowercase();
    lower.len() > 1
        && lower.starts_with(|c: char| c.is_ascii_alphabetic())
        && !USERS.contains(&lower.as_str())
        && !["user", "test", "your", "name", "example", "runner", "admin"].iter().any(|word| lower.contains(word))
}

/// Users of images, build servers, services and examples.
const USERS: &[&str] = &[
    "airflow",
    "alice",
    "all",
    "anaconda",
    "app",
    "azureuser",
    "bar",
    "bob",
    "build",
    "builder",
    "carol",
    "centos",
    "circleci",
    "coder",
    "conda",
    "dave",
    "deck",
    "default",
    "deploy",
    "dev",
    "developer",
    "docker",
    "ec2-user",
    "eve",
    "fedora",
    "foo",
    "git",
    "gitpod",
    "guest",
    "jane",
    "janedoe",
    "jdoe",
    "jenkins",
    "joe",
    "john",
    "johndoe",
    "jovyan",
    "kali",
    "linuxbrew",
    "me",
    "node",
    "nonroot",
    "opc",
    "pi",
    "postgres",
    "project",
    "public",
    "pwuser",
    "root",
    "sandbox",
    "shared",
    "site",
    "somebody",
    "someone",
    "steam",
    "travis",
    "ubuntu",
    "vagrant",
    "vsts",
    "vscode",
    "web",
    "work",
    "www",
    "www-data",
    "you",
];

/// Folders that people have below their own.
const FOLDERS: &[&str] = &[
    ".aws",
    ".bashrc",
    ".bun",
    ".cache",
    ".cargo",
    ".conda",
    ".config",
    ".gnupg",
    ".gradle",
    ".kube",
    ".local",
    ".m2",
    ".npm",
    ".nvm",
    ".pyenv",
    ".rbenv",
    ".rustup",
    ".ssh",
    ".venv",
    ".vscode",
    ".zshrc",
    "Applications",
    "Code",
    "Desktop",
    "Developer",
    "Documents",
    "Downloads",
    "Dropbox",
    "GitHub",
    "IdeaProjects",
    "Library",
    "Music",
    "OneDrive",
    "Pictures",
    "Projects",
    "PycharmProjects",
    "Repos",
    "Sites",
    "Workspace",
    "anaconda3",
    "code",
    "dev",
    "development",
    "git",
    "github",
    "go",
    "miniconda3",
    "projects",
    "repos",
    "src",
    "venv",
    "workspace",
    "workspaces",
];

#[cfg(test)]
mod tests {
    use review_loop_sdk::testing::lines;

    #[test]
    fn a_path_into_a_home_folder_is_seen() {
        for (path, text) in [
            ("src/a.rs", "const DATA: &str = \"/home/mkowalski/projects/x/data.csv\";\n"),
            ("a.py", "DATA = '/Users/mkowalski/Documents/data.csv'\n"),
            ("a.json", "{\"path\": \"C:\\\\Users\\\\mkowalski\\\\data\"}\n"),
            ("a.yaml", "path: \"/Users/mkowalski/dev/x\"\n"),
            ("a.ts", "const a = `file:///home/mkowalski/.cache/x`\n"),
            ("a.toml", "path = 'C:\\Users\\mkowalski\\x'\n"),
        ] {
            assert_eq!(lines(super::check, path, text), [1], "{path}: {text}");
        }
    }

    #[test]
    fn what_looks_alike_is_not() {
        for (path, text) in [
            ("a.ts", "router.get('/home/dashboard/settings')\nget('/Users/me/messages')\n"),
            ("a.ts", "fetch('https://x.org/home/mkowalski/projects/')\n"),
            ("a.rs", "// \"/home/mkowalski/projects/x\"\nconst A: &str = \"/home/user/projects/x\";\n"),
            ("a.rs", "const A: &str = \"/home/{user}/projects\"; const B: &str = \"/home/runner/.cache/x\";\n"),
            ("a.py", "A = '/home/ubuntu/.ssh/id'\nB = r'C:\\Users\\<you>\\x'\nC = 'C:/Users/Public/x'\n"),
            ("a.py", "DOC = \"\"\"\nsample: /home/mkowalski/.ssh/id\n\"\"\"\n"),
            ("tests/a.rs", "const A: &str = \"/home/mkowalski/projects/x\";\n"),
            ("docs/a.py", "A = '/home/mkowalski/projects/x'\n"),
            ("a.yaml", "path: \"/home/mkowalski/dev/x\"\n"),
            ("Dockerfile", "COPY \"/home/mkowalski/src/x\" /x\n"),
            ("README.md", "/home/mkowalski/projects/x\n"),
        ] {
            assert_eq!(lines(super::check, path, text), [0; 0], "{path}: {text}");
        }
    }
}
