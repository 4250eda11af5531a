//! Which files of a change nobody wants reviewed: generated ones, other people's code, lock files.
//!
//! Everything here goes by names and first lines, and is meant to be right rather than complete: what is missed costs a
//! little money, what is left out wrongly is not reviewed. Left-out files are counted and named in every output.

use globset::GlobMatcher;

pub use crate::globs::BadGlob;
use crate::globs::{Globs, anchored, parsed};
use crate::subject::Omitted;

/// The rules of one review: what the user ignores, what the repository marks, and the lists below.
#[derive(Debug, Default, Clone)]
pub struct Rules {
    ignored: Globs,
    marks: Vec<(GlobMatcher, Mark)>,
}

/// No more marks of a `.gitattributes` are read: each is matched against every path.
const MAX_MARKS: usize = 2_000;

/// What a `.gitattributes` says of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mark {
    kind: Marked,
    set: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Marked {
    Generated,
    Vendored,
}

impl Rules {
    /// Rules with the user's own globs, as in a `.gitignore`: without a `/` they match at any depth, a folder stands for
    /// all that is in it.
    ///
    /// # Errors
    /// [`BadGlob`] names the first one that cannot be read, and the first one with wildcards that is too many.
    pub fn new(ignore: &[String]) -> Result<Self, BadGlob> {
        Ok(Rules { ignored: Globs::new(ignore)?, marks: Vec::new() })
    }

    /// Adds `linguist-generated` and `linguist-vendored` of the repository's top `.gitattributes`. Lines that cannot be
    /// read are passed over, as git does. To be read from before the change, so that no change can hide itself.
    #[must_use]
    pub fn with_attributes(mut self, text: &str) -> Self {
        self.marks.extend(text.lines().flat_map(marks).take(MAX_MARKS));
        self
    }

    /// Why a file is left out, by its path alone.
    #[must_use]
    pub fn omitted(&self, path: &str) -> Option<Omitted> {
        if self.ignored.match_path(path) {
            return Some(Omitted::Ignored);
        }
        if is_lock_file(path) {
            return Some(Omitted::LockFile);
        }
        if self.marked(path, Marked::Vendored).unwrap_or_else(|| is_vendored(path)) {
            return Some(Omitted::Vendored);
        }
        self.marked(path, Marked::Generated).unwrap_or_else(|| is_generated(path)).then_some(Omitted::Generated)
    }

    /// Why everything in a folder is left out, whatever it is called; none where something in it may not be. A folder that is
    /// left out so need not be looked into.
    #[must_use]
    pub fn omitted_folder(&self, folder: &str) -> Option<Omitted> {
        let taken_back = self.marks.iter().any(|(_, mark)| mark.kind == Marked::Vendored && !mark.set);
        (VENDORED_FOLDERS.contains(&file_name(folder)) && !taken_back).then_some(Omitted::Vendored)
    }

    /// What the last line that speaks of the path says; none where no line does.
    fn marked(&self, path: &str, kind: Marked) -> Option<bool> {
        let mut speaking = self.marks.iter().rev().filter(|(glob, mark)| mark.kind == kind && glob.is_match(path));
        speaking.next().map(|(_, mark)| mark.set)
    }
}

/// What one line of a `.gitattributes` marks.
fn marks(line: &str) -> Vec<(GlobMatcher, Mark)> {
    let mut words = line.split_ascii_whitespace();
    let pattern = words.next().filter(|pattern| !pattern.starts_with(['#', '"', '[', '!']) && !pattern.ends_with('/'));
    let marks: Vec<Mark> = words.filter_map(mark).collect();
    let Some(glob) = pattern.filter(|_| !marks.is_empty()).and_then(|pattern| parsed(&anchored(pattern)).ok()) else {
        return Vec::new();
    };
    let matcher = glob.compile_matcher();
    marks.into_iter().map(|mark| (matcher.clone(), mark)).collect()
}

fn mark(word: &str) -> Option<Mark> {
    let (name, set) = match word.split_once('=') {
        Some((name, value)) => (name, value != "false"),
        None => (word.trim_start_matches(['-', '!']), !word.starts_with(['-', '!'])),
    };
    let kind = match name {
        "linguist-generated" => Marked::Generated,
        "linguist-vendored" => Marked::Vendored,
        _ => return None,
    };
    Some(Mark { kind, set })
}

/// Lock files of package managers, by name.
const LOCK_FILES: [&str; 40] = [
    ".terraform.lock.hcl",
    "Cargo.lock",
    "Cartfile.resolved",
    "Gemfile.lock",
    "MODULE.bazel.lock",
    "Package.resolved",
    "Pipfile.lock",
    "Podfile.lock",
    "bun.lock",
    "bun.lockb",
    "cabal.project.freeze",
    "composer.lock",
    "conan.lock",
    "conda-lock.yml",
    "deno.lock",
    "devbox.lock",
    "flake.lock",
    "gems.locked",
    "go.sum",
    "go.work.sum",
    "gradle.lockfile",
    "mix.lock",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "packages.lock.json",
    "paket.lock",
    "pdm.lock",
    "pixi.lock",
    "pnpm-lock.yaml",
    "poetry.lock",
    "pubspec.lock",
    "pylock.toml",
    "rebar.lock",
    "renv.lock",
    "shard.lock",
    "stack.yaml.lock",
    "symfony.lock",
    "uv.lock",
    "vcpkg-lock.json",
    "yarn.lock",
];

/// Whether a package manager wrote the file to record what it resolved.
#[must_use]
pub fn is_lock_file(path: &str) -> bool {
    LOCK_FILES.contains(&file_name(path))
}

/// Folders that hold other people's code, at any depth.
const VENDORED_FOLDERS: [&str; 12] = [
    ".bundle",
    ".venv",
    "Carthage",
    "Pods",
    "bower_components",
    "jspm_packages",
    "node_modules",
    "site-packages",
    "third-party",
    "third_party",
    "thirdparty",
    "vendor",
];

/// Files and folders that a tool puts into a repository, by the end of their paths.
const VENDORED_ENDS: [&str; 7] = [
    ".pnp.cjs",
    ".pnp.loader.mjs",
    "gradlew",
    "gradlew.bat",
    "gradle/wrapper/gradle-wrapper.properties",
    "mvnw",
    "mvnw.cmd",
];

/// Whether the file is somebody else's code, kept in the repository.
#[must_use]
pub fn is_vendored(path: &str) -> bool {
    let mut folders = path.rsplit('/').skip(1);
    folders.any(|folder| VENDORED_FOLDERS.contains(&folder))
        || path.split_once(".yarn/").is_some_and(|(before, _)| before.is_empty() || before.ends_with('/'))
        || VENDORED_ENDS.iter().any(|end| path.strip_suffix(end).is_some_and(is_at_part))
}

/// Ends of the names of files that a program writes.
const GENERATED_ENDS: [&str; 27] = [
    ".css.map",
    ".designer.cs",
    ".freezed.dart",
    ".g.cs",
    ".g.dart",
    ".generated.cs",
    ".generated.go",
    ".generated.js",
    ".generated.rs",
    ".generated.swift",
    ".generated.ts",
    ".js.map",
    ".min.css",
    ".min.js",
    ".min.mjs",
    ".mocks.dart",
    ".pb.cc",
    ".pb.dart",
    ".pb.go",
    ".pb.gw.go",
    ".pb.h",
    ".pbjson.dart",
    ".snap",
    "_grpc_pb.js",
    "_pb.js",
    "_pb2.py",
    "_pb2_grpc.py",
];

/// Folders that hold what a program writes, at any depth.
const GENERATED_FOLDERS: [&str; 2] = ["__generated__", "__snapshots__"];

/// Whether a program wrote the file, by its path. Snapshots of tests count: they are a program's output.
#[must_use]
pub fn is_generated(path: &str) -> bool {
    let mut folders = path.rsplit('/').skip(1);
    folders.any(|folder| GENERATED_FOLDERS.contains(&folder))
        || GENERATED_ENDS.iter().any(|end| path.to_ascii_lowercase().ends_with(end))
}

/// Ends of the names of files that hold a program, in lower case.
const SOURCE_ENDS: [&str; 56] = [
    "bash", "bat", "c", "cc", "cjs", "clj", "cmake", "cmd", "cpp", "cs", "css", "cts", "cxx", "dart", "ex", "exs",
    "fish", "fs", "go", "gradle", "groovy", "h", "hpp", "hs", "html", "java", "jl", "js", "jsx", "kt", "kts", "lua",
    "m", "mjs", "ml", "mm", "mts", "php", "pl", "pm", "ps1", "py", "r", "rb", "rs", "scala", "sh", "sql", "svelte",
    "swift", "tf", "ts", "tsx", "vue", "zig", "zsh",
];

/// Names of files that hold a program and have no such end.
const SOURCE_NAMES: [&str; 7] =
    ["Dockerfile", "Gemfile", "Jenkinsfile", "Justfile", "Makefile", "Rakefile", "Vagrantfile"];

/// Whether the file holds a program, by its name.
#[must_use]
pub fn is_source(path: &str) -> bool {
    let name = file_name(path);
    let end = name.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase());
    SOURCE_NAMES.contains(&name) || end.is_some_and(|end| SOURCE_ENDS.contains(&end.as_str()))
}

/// Lines at the start of a file in which its mark is looked for.
const HEADER_LINES: usize = 40;
/// What a line of a comment starts with.
const COMMENT_STARTS: [&str; 13] = ["//", "/*", "*", "#", "--", ";", "%", "<!", "<?", "\"\"\"", "'''", "{-", "(*"];

/// Whether the comment at the start of a file says that a program wrote it: `@generated`, or `generated` with `do not
/// edit`. A mark behind the first line of code does not count, and neither does one in the code: generators hold it too.
#[must_use]
pub fn generated_header(content: &[u8]) -> bool {
    let start = content.get(..8192).unwrap_or(content);
    let lines = start.split(|&byte| byte == b'\n').take(HEADER_LINES).map(String::from_utf8_lossy);
    let comment = lines.take_while(|line| is_comment(line.trim_start_matches('\u{feff}').trim()));
    let comment: Vec<String> = comment.map(|line| line.to_ascii_lowercase()).collect();
    comment.iter().any(|line| says_generated(line)) || comment.windows(2).any(|two| says_generated(&two.join(" ")))
}

fn is_comment(line: &str) -> bool {
    line.is_empty() || COMMENT_STARTS.iter().any(|start| line.starts_with(start))
}

fn says_generated(line: &str) -> bool {
    let mark =
        line.split_ascii_whitespace().any(|word| word.trim_end_matches(['.', '*', '/', '-', '>']) == "@generated");
    let warned = ["do not edit", "don't edit", "do not modify", "do not change"].iter().any(|it| line.contains(it));
    mark || (warned && line.contains("generated"))
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether what comes before ends a part of a path.
fn is_at_part(before: &str) -> bool {
    before.is_empty() || before.ends_with('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_by_the_lists() {
        let check =
            |path: &str, expected: Option<Omitted>| assert_eq!(Rules::default().omitted(path), expected, "{path}");
        check("src/main.rs", None);
        check("Cargo.lock", Some(Omitted::LockFile));
        check("sub/package-lock.json", Some(Omitted::LockFile));
        check("src/lock.rs", None);
        check("vendor/x/y.go", Some(Omitted::Vendored));
        check("web/node_modules/x.js", Some(Omitted::Vendored));
        check("src/vendor.rs", None);
        check("vendor", None);
        check("gradlew", Some(Omitted::Vendored));
        check("notgradlew", None);
        check("tools/.yarn/releases/yarn.cjs", Some(Omitted::Vendored));
        check("a/app.min.js", Some(Omitted::Generated));
        check("Form1.Designer.cs", Some(Omitted::Generated));
        check("api/v1/x.pb.go", Some(Omitted::Generated));
        check("test/__snapshots__/a.txt", Some(Omitted::Generated));
        check("generated.md", None);
    }

    #[test]
    fn the_users_globs_come_first() {
        let rules = Rules::new(&["docs/".into(), "*.sql".into(), "/a/*.txt".into()]).unwrap();
        let check = |path: &str, expected: bool| {
            assert_eq!(rules.omitted(path) == Some(Omitted::Ignored), expected, "{path}");
        };
        check("docs/a/b.md", true);
        check("sub/docs/b.md", true);
        check("db/1.sql", true);
        check("a/b.txt", true);
        check("a/b/c.txt", false);
        check("x/a/b.txt", false);
        let error = Rules::new(&["[".into()]).unwrap_err();
        assert_eq!(error.to_string(), "ignore glob `[`: unclosed character class; missing ']'");
    }

    #[test]
    fn attributes_of_the_repository_decide_last_line_first() {
        let rules = Rules::default().with_attributes(
            "*.gen.c linguist-generated\nsrc/vendor/** -linguist-vendored\n# x linguist-generated\nlib/* linguist-vendored=true text\nlib/own.c linguist-vendored=false",
        );
        let check = |path: &str, expected: Option<Omitted>| assert_eq!(rules.omitted(path), expected, "{path}");
        check("deep/x.gen.c", Some(Omitted::Generated));
        check("src/vendor/ours.rb", None);
        check("vendor/theirs.rb", Some(Omitted::Vendored));
        check("lib/a.c", Some(Omitted::Vendored));
        check("lib/own.c", None);
        check("x", None);
    }

    #[test]
    fn first_lines_of_a_generated_file() {
        let check = |text: &str, expected: bool| assert_eq!(generated_header(text.as_bytes()), expected, "{text}");
        check("// Code generated by protoc-gen-go. DO NOT EDIT.\npackage x", true);
        check("/* eslint-disable */\n/**\n * @generated SignedSource<<x>>\n */", true);
        check("# This file is automatically @generated by Cargo.\n", true);
        check("<!-- Generated file.\n     Do not edit. -->", false);
        check("# Generated by x.\n# Do not edit by hand.", true);
        check("fn main() {}\n// @generated", false);
        check("const HEADER: &str = \"// @generated\";", false);
        check("# ids are generated here\n", false);
        check("# mail me@generated.org\n", false);
        check("", false);
    }
}
