//! Which language a file is in, by its name.

use super::syntax::{self, Syntax};

/// A language whose texts can be split into tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Language {
    Rust,
    JavaScript,
    TypeScript,
    Python,
    Go,
    Java,
    Kotlin,
    Scala,
    C,
    Cpp,
    CSharp,
    Swift,
    Ruby,
    Php,
    Shell,
    Lua,
    Perl,
    Dart,
    Elixir,
    Haskell,
    R,
    Sql,
    Css,
    Html,
    Toml,
    Yaml,
    Json,
    Ini,
    Makefile,
    Dockerfile,
    Terraform,
}

impl Language {
    /// The language of the file at `path`; none where its name does not tell, and for prose such as Markdown.
    #[must_use]
    pub fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next()?;
        let whole = NAMES.iter().find(|(names, _)| names.contains(&name));
        let by_extension = || {
            let extension = name.trim_end().rsplit_once('.')?.1.to_ascii_lowercase();
            EXTENSIONS.iter().find(|(extensions, _)| extensions.split(' ').any(|known| known == extension))
        };
        whole.map(|(_, language)| *language).or_else(|| by_extension().map(|(_, language)| *language)).or_else(|| {
            let is_variant = |stem: &str| name.strip_prefix(stem).is_some_and(|rest| rest.starts_with('.'));
            is_variant("Dockerfile").then_some(Self::Dockerfile).or_else(|| is_variant(".env").then_some(Self::Ini))
        })
    }

    /// What people call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.syntax().name
    }

    /// The words that are not names.
    pub fn keywords(self) -> impl Iterator<Item = &'static str> {
        self.syntax().keywords.split_ascii_whitespace()
    }

    /// Data and settings: TOML, YAML, JSON, INI.
    #[must_use]
    pub fn is_config(self) -> bool {
        matches!(self, Self::Toml | Self::Yaml | Self::Json | Self::Ini)
    }

    /// Statements that run: neither settings nor markup, style sheets or queries.
    #[must_use]
    pub fn is_program(self) -> bool {
        !self.is_config() && !matches!(self, Self::Html | Self::Css | Self::Sql | Self::Terraform)
    }

    pub(super) fn syntax(self) -> &'static Syntax {
        match self {
            Self::Rust => &syntax::RUST,
            Self::JavaScript => &syntax::JAVASCRIPT,
            Self::TypeScript => &syntax::TYPESCRIPT,
            Self::Python => &syntax::PYTHON,
            Self::Go => &syntax::GO,
            Self::Java => &syntax::JAVA,
            Self::Kotlin => &syntax::KOTLIN,
            Self::Scala => &syntax::SCALA,
            Self::C => &syntax::C,
            Self::Cpp => &syntax::CPP,
            Self::CSharp => &syntax::CSHARP,
            Self::Swift => &syntax::SWIFT,
            Self::Ruby => &syntax::RUBY,
            Self::Php => &syntax::PHP,
            Self::Shell => &syntax::SHELL,
            Self::Lua => &syntax::LUA,
            Self::Perl => &syntax::PERL,
            Self::Dart => &syntax::DART,
            Self::Elixir => &syntax::ELIXIR,
            Self::Haskell => &syntax::HASKELL,
            Self::R => &syntax::R,
            Self::Sql => &syntax::SQL,
            Self::Css => &syntax::CSS,
            Self::Html => &syntax::HTML,
            Self::Toml => &syntax::TOML,
            Self::Yaml => &syntax::YAML,
            Self::Json => &syntax::JSON,
            Self::Ini => &syntax::INI,
            Self::Makefile => &syntax::MAKEFILE,
            Self::Dockerfile => &syntax::DOCKERFILE,
            Self::Terraform => &syntax::TERRAFORM,
        }
    }
}

const NAMES: &[(&[&str], Language)] = &[
    (&["Makefile", "makefile", "GNUmakefile", "Justfile", "justfile"], Language::Makefile),
    (&["Dockerfile", "Containerfile"], Language::Dockerfile),
    (&["Rakefile", "Gemfile", "Podfile", "Vagrantfile", "Brewfile"], Language::Ruby),
    (&[".bashrc", ".zshrc", ".profile", ".bash_profile", "PKGBUILD"], Language::Shell),
    (&[".env", ".editorconfig", ".npmrc", ".gitconfig", ".gitmodules", ".flake8", ".pylintrc"], Language::Ini),
    (&[".babelrc", ".eslintrc", ".prettierrc", "composer.lock", "Pipfile.lock"], Language::Json),
    (&["Cargo.lock", "poetry.lock", "uv.lock", "Pipfile"], Language::Toml),
    (&[".clang-format", ".clang-tidy"], Language::Yaml),
];

const EXTENSIONS: &[(&str, Language)] = &[
    ("rs", Language::Rust),
    ("js mjs cjs jsx", Language::JavaScript),
    ("ts mts cts tsx", Language::TypeScript),
    ("py pyi pyw", Language::Python),
    ("go", Language::Go),
    ("java", Language::Java),
    ("kt kts", Language::Kotlin),
    ("scala sc sbt", Language::Scala),
    ("c h", Language::C),
    ("cc cpp cxx c++ hh hpp hxx h++ cu cuh m mm ino", Language::Cpp),
    ("cs csx", Language::CSharp),
    ("swift", Language::Swift),
    ("rb rake gemspec ru", Language::Ruby),
    ("php phtml", Language::Php),
    ("sh bash zsh ksh bats", Language::Shell),
    ("lua", Language::Lua),
    ("pl pm t", Language::Perl),
    ("dart", Language::Dart),
    ("ex exs", Language::Elixir),
    ("hs", Language::Haskell),
    ("r", Language::R),
    ("sql ddl", Language::Sql),
    ("css scss sass less", Language::Css),
    ("html htm xml svg vue svelte xhtml xsd xsl plist", Language::Html),
    ("toml", Language::Toml),
    ("yml yaml", Language::Yaml),
    ("json jsonc json5 webmanifest ipynb", Language::Json),
    ("ini cfg conf properties env", Language::Ini),
    ("mk mak", Language::Makefile),
    ("dockerfile", Language::Dockerfile),
    ("tf tfvars hcl", Language::Terraform),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_the_language() {
        let check = |path: &str, expect: Option<Language>| assert_eq!(Language::of(path), expect, "{path}");
        check("src/a.rs", Some(Language::Rust));
        check("web/App.test.TSX", Some(Language::TypeScript));
        check("types/index.d.ts", Some(Language::TypeScript));
        check("Makefile", Some(Language::Makefile));
        check("docker/Dockerfile.alpine", Some(Language::Dockerfile));
        check(".env.production", Some(Language::Ini));
        check(".github/workflows/ci.yml", Some(Language::Yaml));
        check("README.md", None);
        check("bin/tool", None);
        check("", None);
        check(".rs", Some(Language::Rust));
    }

    #[test]
    fn every_language_has_its_own_row() {
        let names: Vec<&str> = EXTENSIONS.iter().map(|(_, language)| language.name()).collect();
        let mut unique = names.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), names.len());
    }
}
