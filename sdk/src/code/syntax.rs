//! What comments, strings and keywords look like, language by language: data, read by the lexer.

/// The lexical shape of one language.
pub(super) struct Syntax {
    pub(super) name: &'static str,
    /// What starts a comment that ends with its line.
    pub(super) line_comments: &'static [&'static str],
    pub(super) block_comments: &'static [(&'static str, &'static str)],
    /// Longest opening first.
    pub(super) strings: &'static [Quote],
    /// What may stand right before a quote and belongs to the literal, separated by spaces.
    pub(super) prefixes: &'static str,
    /// Characters of a name besides letters, digits and `_`. A name may start with them, except with `-`.
    pub(super) name_characters: &'static str,
    /// Separated by spaces.
    pub(super) keywords: &'static str,
    pub(super) traits: &'static [Trait],
}

/// How a string opens and closes.
pub(super) struct Quote {
    pub(super) open: &'static str,
    pub(super) close: &'static str,
    pub(super) escape: Escape,
    /// Whether it may go over the end of a line. One that may not ends there, whatever is missing.
    pub(super) multiline: bool,
}

/// How a string can hold its own closing mark.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Escape {
    None,
    Backslash,
    /// `''` inside of `'...'`.
    Doubled,
}

/// What a table of marks cannot say.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Trait {
    /// Block comments hold block comments.
    NestedComments,
    /// `r#"..."#`, and `'a` is a lifetime where `'a'` is a character.
    RustLiterals,
    /// `R"x(...)x"`.
    CppRawStrings,
    /// `#"..."#`.
    SwiftRawStrings,
    /// Template strings with `${...}`, and `/.../` where a value may stand.
    JsLiterals,
    /// A line comment starts only where a word may start: `$#` and `a#b` are none.
    CommentAtWordStart,
    /// A line comment starts only at the start of a line.
    CommentAtLineStart,
    /// `<<NAME` and the lines up to `NAME`.
    HereDocuments,
    /// A string that stands alone at the start of a block documents it.
    DocStrings,
    /// Code stands between `<?` and `?>`.
    PhpTags,
    /// A quote opens a string only where a value may start: `don't` holds none.
    QuoteAtValueStart,
    KeywordsIgnoreCase,
}

const fn quote(open: &'static str, escape: Escape, multiline: bool) -> Quote {
    Quote { open, close: open, escape, multiline }
}

const C_LINE: &[&str] = &["//"];
const HASH: &[&str] = &["#"];
const C_BLOCK: &[(&str, &str)] = &[("/*", "*/")];
const SINGLE: Quote = quote("'", Escape::Backslash, false);
const DOUBLE: Quote = quote("\"", Escape::Backslash, false);
const SINGLE_LONG: Quote = quote("'", Escape::Backslash, true);
const DOUBLE_LONG: Quote = quote("\"", Escape::Backslash, true);
const TRIPLE_DOUBLE: Quote = quote("\"\"\"", Escape::Backslash, true);
const TRIPLE_DOUBLE_RAW: Quote = quote("\"\"\"", Escape::None, true);
const TRIPLE_SINGLE: Quote = quote("'''", Escape::Backslash, true);
const BACKTICK_RAW: Quote = quote("`", Escape::None, true);

const BASE: Syntax = Syntax {
    name: "",
    line_comments: C_LINE,
    block_comments: C_BLOCK,
    strings: &[DOUBLE, SINGLE],
    prefixes: "",
    name_characters: "",
    keywords: "",
    traits: &[],
};

pub(super) static RUST: Syntax = Syntax {
    name: "Rust",
    strings: &[DOUBLE_LONG],
    prefixes: "b c",
    keywords: "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod \
               move mut pub ref return self Self static struct super trait true type unsafe use where while yield",
    traits: &[Trait::NestedComments, Trait::RustLiterals],
    ..BASE
};

pub(super) static JAVASCRIPT: Syntax = Syntax {
    name: "JavaScript",
    name_characters: "$",
    keywords: "async await break case catch class const continue debugger default delete do else export extends false \
               finally for from function if import in instanceof let new null of return static super switch this throw \
               true try typeof undefined var void while with yield",
    traits: &[Trait::JsLiterals],
    ..BASE
};

pub(super) static TYPESCRIPT: Syntax = Syntax {
    name: "TypeScript",
    name_characters: "$",
    keywords: "abstract any as async await boolean break case catch class const continue debugger declare default \
               delete do else enum export extends false finally for from function if implements import in infer \
               instanceof interface is keyof let namespace never new null number of private protected public readonly \
               return satisfies static string super switch this throw true try type typeof undefined unknown var void \
               while with yield",
    traits: &[Trait::JsLiterals],
    ..BASE
};

pub(super) static PYTHON: Syntax = Syntax {
    name: "Python",
    line_comments: HASH,
    block_comments: &[],
    strings: &[TRIPLE_DOUBLE, TRIPLE_SINGLE, DOUBLE, SINGLE],
    prefixes: "r b f u t br rb fr rf R B F U BR Br bR Rb RB rB FR Fr fR RF Rf rF",
    keywords: "False None True and as assert async await break class continue def del elif else except finally for \
               from global if import in is lambda nonlocal not or pass raise return try while with yield",
    traits: &[Trait::DocStrings],
    ..BASE
};

pub(super) static GO: Syntax = Syntax {
    name: "Go",
    strings: &[BACKTICK_RAW, DOUBLE, SINGLE],
    keywords: "break case chan const continue default defer else fallthrough false for func go goto if import \
               interface map nil package range return select struct switch true type var",
    ..BASE
};

pub(super) static JAVA: Syntax = Syntax {
    name: "Java",
    strings: &[TRIPLE_DOUBLE, DOUBLE, SINGLE],
    name_characters: "$",
    keywords: "abstract assert boolean break byte case catch char class const continue default do double else enum \
               extends false final finally float for goto if implements import instanceof int interface long native \
               new null package private protected public return short static strictfp super switch synchronized this \
               throw throws transient true try var void volatile while",
    ..BASE
};

pub(super) static KOTLIN: Syntax = Syntax {
    name: "Kotlin",
    strings: &[TRIPLE_DOUBLE_RAW, DOUBLE, SINGLE, quote("`", Escape::None, false)],
    keywords: "as break by class companion const continue data do else enum false finally for fun if import in init \
               inline interface internal is lateinit null object open override package private protected public \
               return sealed super suspend this throw true try typealias val var when while",
    traits: &[Trait::NestedComments],
    ..BASE
};

pub(super) static SCALA: Syntax = Syntax {
    name: "Scala",
    // A lone `'` may be a symbol or a type variable: characters are not worth the risk.
    strings: &[TRIPLE_DOUBLE_RAW, DOUBLE, quote("`", Escape::None, false)],
    prefixes: "s f raw",
    keywords: "abstract case catch class def do else enum extends false final finally for given if implicit import \
               lazy match new null object override package private protected return sealed super then this throw \
               trait true try type using val var while with yield",
    traits: &[Trait::NestedComments],
    ..BASE
};

pub(super) static C: Syntax = Syntax {
    name: "C",
    prefixes: "L u U u8",
    keywords: "auto bool break case char const continue default do double else enum extern false float for goto if \
               inline int long NULL register restrict return short signed sizeof static struct switch true typedef \
               union unsigned void volatile while",
    ..BASE
};

pub(super) static CPP: Syntax = Syntax {
    name: "C++",
    prefixes: "L u U u8",
    keywords: "alignas alignof auto bool break case catch char class concept const const_cast consteval constexpr \
               constinit continue co_await co_return co_yield decltype default delete do double dynamic_cast else enum \
               explicit export extern false final float for friend goto if inline int long mutable namespace new \
               noexcept nullptr operator override private protected public register reinterpret_cast requires return \
               short signed sizeof static static_assert static_cast struct switch template this thread_local throw \
               true try typedef typeid typename union unsigned using virtual void volatile while",
    traits: &[Trait::CppRawStrings],
    ..BASE
};

pub(super) static CSHARP: Syntax = Syntax {
    name: "C#",
    strings: &[
        TRIPLE_DOUBLE_RAW,
        Quote { open: "$@\"", close: "\"", escape: Escape::Doubled, multiline: true },
        Quote { open: "@$\"", close: "\"", escape: Escape::Doubled, multiline: true },
        Quote { open: "@\"", close: "\"", escape: Escape::Doubled, multiline: true },
        Quote { open: "$\"", close: "\"", escape: Escape::Backslash, multiline: false },
        DOUBLE,
        SINGLE,
    ],
    keywords: "abstract as async await base bool break byte case catch char checked class const continue decimal \
               default delegate do double else enum event explicit extern false finally fixed float for foreach get \
               goto if implicit in init int interface internal is lock long namespace new null object operator out \
               override params private protected public readonly record ref return sbyte sealed set short sizeof \
               static string struct switch this throw true try typeof uint ulong unchecked unsafe ushort using var \
               virtual void volatile when where while yield",
    ..BASE
};

pub(super) static SWIFT: Syntax = Syntax {
    name: "Swift",
    strings: &[TRIPLE_DOUBLE, DOUBLE],
    keywords: "actor as associatedtype async await break case catch class continue default defer deinit do else enum \
               extension fallthrough false fileprivate for func guard if import in init inout internal is let nil open \
               operator override private protocol public repeat rethrows return self Self static struct subscript \
               super switch throw throws true try typealias var where while",
    traits: &[Trait::NestedComments, Trait::SwiftRawStrings],
    ..BASE
};

pub(super) static RUBY: Syntax = Syntax {
    name: "Ruby",
    line_comments: HASH,
    block_comments: &[("\n=begin", "\n=end")],
    strings: &[DOUBLE_LONG, SINGLE_LONG, quote("`", Escape::Backslash, false)],
    name_characters: "@$",
    keywords: "alias and begin break case class def defined? do else elsif end ensure extend false for if in include \
               module next nil not or private protected public raise redo require require_relative rescue retry \
               return self super then true undef unless until when while yield",
    traits: &[Trait::CommentAtWordStart, Trait::HereDocuments],
    ..BASE
};

pub(super) static PHP: Syntax = Syntax {
    name: "PHP",
    line_comments: &["//", "#"],
    strings: &[DOUBLE_LONG, SINGLE_LONG],
    name_characters: "$",
    keywords: "abstract and array as break callable case catch class clone const continue declare default do echo else \
               elseif empty enum extends false final finally fn for foreach function global goto if implements include \
               include_once instanceof insteadof interface isset list match namespace new null or print private \
               protected public readonly require require_once return static switch throw trait true try unset use var \
               while yield",
    traits: &[Trait::PhpTags],
    ..BASE
};

pub(super) static SHELL: Syntax = Syntax {
    name: "Shell",
    line_comments: HASH,
    block_comments: &[],
    strings: &[DOUBLE_LONG, quote("'", Escape::None, true)],
    keywords: "case do done elif else esac export fi for function if in local readonly return select then until while",
    traits: &[Trait::CommentAtWordStart, Trait::HereDocuments],
    ..BASE
};

pub(super) static LUA: Syntax = Syntax {
    name: "Lua",
    line_comments: &["--"],
    block_comments: &[("--[[", "]]"), ("--[=[", "]=]")],
    strings: &[Quote { open: "[[", close: "]]", escape: Escape::None, multiline: true }, DOUBLE, SINGLE],
    keywords: "and break do else elseif end false for function goto if in local nil not or repeat return then true \
               until while",
    ..BASE
};

pub(super) static PERL: Syntax = Syntax {
    name: "Perl",
    line_comments: HASH,
    block_comments: &[("\n=pod", "\n=cut"), ("\n=head", "\n=cut")],
    strings: &[DOUBLE_LONG, SINGLE_LONG],
    name_characters: "$@",
    keywords: "and cmp continue do else elsif eq for foreach ge gt if last le local lt my ne next no not or our package \
               return sub unless until use while",
    traits: &[Trait::CommentAtWordStart],
    ..BASE
};

pub(super) static DART: Syntax = Syntax {
    name: "Dart",
    strings: &[TRIPLE_DOUBLE, TRIPLE_SINGLE, DOUBLE, SINGLE],
    prefixes: "r",
    keywords: "abstract as assert async await break case catch class const continue default do dynamic else enum \
               export extends extension external factory false final finally for get if implements import in is late \
               library mixin new null on operator part required rethrow return sealed set static super switch sync \
               this throw true try typedef var void while with yield",
    traits: &[Trait::NestedComments],
    ..BASE
};

pub(super) static ELIXIR: Syntax = Syntax {
    name: "Elixir",
    line_comments: HASH,
    block_comments: &[],
    strings: &[TRIPLE_DOUBLE, TRIPLE_SINGLE, DOUBLE_LONG, SINGLE],
    prefixes: "",
    name_characters: "@",
    keywords: "after alias and case catch cond def defmacro defmodule defp defstruct do else end false fn for if import \
               in nil not or quote raise receive require rescue true try unless unquote use when with",
    traits: &[Trait::CommentAtWordStart],
};

pub(super) static HASKELL: Syntax = Syntax {
    name: "Haskell",
    line_comments: &["--"],
    block_comments: &[("{-", "-}")],
    // `'` is also part of names.
    strings: &[DOUBLE],
    name_characters: "'",
    keywords: "case class data default deriving do else family forall foreign if import in infix infixl infixr instance \
               let module newtype of then type where",
    traits: &[Trait::NestedComments],
    ..BASE
};

pub(super) static R: Syntax = Syntax {
    name: "R",
    line_comments: HASH,
    block_comments: &[],
    strings: &[DOUBLE_LONG, SINGLE_LONG],
    name_characters: ".",
    keywords: "break else FALSE for function if in Inf NA NaN next NULL repeat return TRUE while",
    ..BASE
};

pub(super) static SQL: Syntax = Syntax {
    name: "SQL",
    line_comments: &["--"],
    strings: &[
        quote("'", Escape::Doubled, true),
        quote("\"", Escape::Doubled, false),
        quote("`", Escape::Doubled, false),
    ],
    prefixes: "E N B X e n b x",
    keywords: "add all alter and as asc begin between by cascade case check column commit constraint create cross \
               database declare default delete desc distinct drop else end exists foreign from full function grant \
               group having if in index inner insert into is join key left like limit not null offset on or order \
               outer primary procedure references returning returns right rollback select set table then to trigger \
               union unique update using values view when where with",
    traits: &[Trait::KeywordsIgnoreCase],
    ..BASE
};

pub(super) static CSS: Syntax =
    Syntax { name: "CSS", line_comments: C_LINE, name_characters: "-$@", traits: &[Trait::CommentAtWordStart], ..BASE };

pub(super) static HTML: Syntax = Syntax {
    name: "HTML",
    line_comments: &[],
    block_comments: &[("<!--", "-->")],
    strings: &[quote("\"", Escape::None, false)],
    name_characters: "-",
    ..BASE
};

pub(super) static TOML: Syntax = Syntax {
    name: "TOML",
    line_comments: HASH,
    block_comments: &[],
    strings: &[TRIPLE_DOUBLE, quote("'''", Escape::None, true), DOUBLE, quote("'", Escape::None, false)],
    name_characters: "-",
    keywords: "true false",
    ..BASE
};

pub(super) static YAML: Syntax = Syntax {
    name: "YAML",
    line_comments: HASH,
    block_comments: &[],
    strings: &[DOUBLE_LONG, quote("'", Escape::Doubled, true)],
    name_characters: "-",
    keywords: "true false null",
    traits: &[Trait::CommentAtWordStart, Trait::QuoteAtValueStart],
    ..BASE
};

pub(super) static JSON: Syntax = Syntax { name: "JSON", strings: &[DOUBLE], keywords: "true false null", ..BASE };

pub(super) static INI: Syntax = Syntax {
    name: "INI",
    line_comments: &["#", ";", "!"],
    block_comments: &[],
    strings: &[DOUBLE],
    name_characters: "-.",
    traits: &[Trait::CommentAtLineStart],
    ..BASE
};

pub(super) static MAKEFILE: Syntax = Syntax {
    name: "Makefile",
    line_comments: HASH,
    block_comments: &[],
    name_characters: "-",
    keywords: "define else endef endif export ifdef ifeq ifndef ifneq include",
    traits: &[Trait::CommentAtWordStart],
    ..BASE
};

pub(super) static DOCKERFILE: Syntax = Syntax {
    name: "Dockerfile",
    line_comments: HASH,
    block_comments: &[],
    keywords: "ADD ARG AS CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL ONBUILD RUN SHELL STOPSIGNAL USER VOLUME \
               WORKDIR",
    traits: &[Trait::CommentAtLineStart],
    ..BASE
};

pub(super) static TERRAFORM: Syntax = Syntax {
    name: "Terraform",
    line_comments: &["//", "#"],
    strings: &[DOUBLE],
    name_characters: "-",
    keywords: "data false for if in locals module null output provider resource terraform true variable",
    traits: &[Trait::HereDocuments],
    ..BASE
};
