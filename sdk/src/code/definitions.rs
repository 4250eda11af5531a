//! What a text defines: functions, types and constants, by the words in front of their names.

use super::{Language, Token, TokenKind, indents};
use crate::work;

/// A name that a text gives a meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Definition<'a> {
    /// The name.
    pub name: &'a str,
    /// What it names.
    pub kind: DefinitionKind,
    /// The line of the name, from 1.
    pub line: u32,
    /// The last line of what it names, as far as brackets or indentation tell; else that of the name.
    pub last_line: u32,
    /// Where the name stands among the tokens.
    pub token: usize,
    /// Whether it stands at the outermost level: in no brackets, and in Python and Ruby without indentation.
    pub top: bool,
}

/// What a definition defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DefinitionKind {
    /// A function, a method, a macro.
    Function,
    /// A class, a structure, an interface, an alias.
    Type,
    /// A constant, or a variable of the outermost level.
    Value,
    /// A module or a namespace.
    Module,
}

/// The definitions in a text, in its order. Local variables, parameters and fields are none. What is found is nearly
/// always a definition; not every definition is found.
#[must_use]
pub fn definitions<'a>(text: &str, tokens: &[Token<'a>], language: Language) -> Vec<Definition<'a>> {
    let code: Vec<usize> = (0..tokens.len()).filter(|at| tokens[*at].kind != TokenKind::Comment).collect();
    let of_line = |indent: &mut usize, own: Option<usize>| {
        *indent = own.unwrap_or(*indent);
        Some(*indent)
    };
    let starts = indents(text, tokens);
    let indents: Vec<usize> = starts.iter().copied().scan(0, of_line).collect();
    let outer = outer(tokens, &code, &starts, &indents);
    let reader = Reader { tokens, code: &code, closers: closers(tokens, &code), indents, outer, language };
    let mut depth = 0_usize;
    let mut found = Vec::new();
    for at in 0..code.len() {
        let Some(token) = reader.get(at) else { break };
        match (token.kind, token.text) {
            (TokenKind::Punct, "(" | "[" | "{") => depth += 1,
            (TokenKind::Punct, ")" | "]" | "}") => depth = depth.saturating_sub(1),
            _ => found.extend(reader.definition(at, depth)),
        }
    }
    found
}

/// So many tokens are looked at for the end of what is defined. Most ends are near, and where there is none every definition
/// would be followed to the end of the text.
const FARTHEST: usize = 500;

struct Reader<'t, 'a> {
    tokens: &'t [Token<'a>],
    /// The tokens that are no comments.
    code: &'t [usize],
    closers: Vec<usize>,
    /// For each token, the indentation of its line.
    indents: Vec<usize>,
    /// For each token that is no comment, the next that starts a line indented no deeper.
    outer: Vec<usize>,
    language: Language,
}

impl<'a> Reader<'_, 'a> {
    fn get(&self, at: usize) -> Option<&Token<'a>> {
        self.code.get(at).and_then(|index| self.tokens.get(*index))
    }

    fn is(&self, at: usize, text: &str) -> bool {
        self.get(at).is_some_and(|token| token.kind == TokenKind::Punct && token.text == text)
    }

    fn definition(&self, at: usize, depth: usize) -> Option<Definition<'a>> {
        let token = self.get(at)?;
        if token.text == "define"
            && matches!(self.language, Language::C | Language::Cpp)
            && self.is(at.wrapping_sub(1), "#")
        {
            return self
                .named(at + 1, DefinitionKind::Value, depth)
                .filter(|found| self.tokens[found.token].kind == TokenKind::Ident);
        }
        if token.kind == TokenKind::Ident {
            let kind = self.with_body(at).or_else(|| self.assigned(at, depth))?;
            return self.named(at, kind, depth);
        }
        let kind = keyword_kind(self.language, token)?;
        if kind == DefinitionKind::Value
            && depth > 0
            && !matches!(self.language, Language::Rust | Language::C | Language::Cpp)
        {
            return None;
        }
        let name = self.name_behind(at)?;
        let kind = if kind == DefinitionKind::Value && self.is_function_value(name + 1) {
            DefinitionKind::Function
        } else {
            kind
        };
        self.named(name, kind, depth)
    }

    fn named(&self, at: usize, kind: DefinitionKind, depth: usize) -> Option<Definition<'a>> {
        let token = self.get(at)?;
        let indented = matches!(self.language, Language::Python | Language::Ruby) && self.indentation(at) > 0;
        let last_line = self.last_line(at).unwrap_or(token.line);
        Some(Definition {
            name: token.text,
            kind,
            line: token.line,
            last_line,
            token: *self.code.get(at)?,
            top: depth == 0 && !indented,
        })
    }

    fn indentation(&self, at: usize) -> usize {
        self.code.get(at).and_then(|index| self.indents.get(*index)).copied().unwrap_or(0)
    }

    /// Where the name stands that the keyword at `at` introduces.
    fn name_behind(&self, at: usize) -> Option<usize> {
        let keyword = self.get(at)?.text;
        let mut name = at + 1;
        // `function* name`.
        while self.is(name, "*") {
            name += 1;
        }
        if self.language == Language::Go && keyword == "func" && self.is(name, "(") {
            name = self.closing(name)? + 1;
        }
        // `def self.name`, `function module.name`.
        if matches!(self.language, Language::Ruby | Language::Lua) && (self.is(name + 1, ".") || self.is(name + 1, ":"))
        {
            name += 2;
        }
        let token = self.get(name)?;
        // `const fn f`, `static mut X`, `fun <T> f` and the like: the name is further on or there is none.
        let named = token.kind == TokenKind::Ident && !token.text.starts_with('\'');
        let typed = matches!(self.language, Language::C | Language::Cpp) && !self.is(name + 1, "{");
        let member = self.is(name + 1, ".") && self.language == Language::Kotlin;
        (named && !typed && !member).then_some(name)
    }

    /// `name(...) {`, with a type or the start of a statement in front.
    fn with_body(&self, at: usize) -> Option<DefinitionKind> {
        let braces = matches!(
            self.language,
            Language::JavaScript
                | Language::TypeScript
                | Language::Java
                | Language::CSharp
                | Language::Dart
                | Language::C
                | Language::Cpp
                | Language::Shell
        );
        if !braces || !self.is(at + 1, "(") || !self.may_precede_definition(at) {
            return None;
        }
        let mut end = self.closing(at + 1)? + 1;
        if matches!(self.language, Language::Java) && self.get(end)?.text == "throws" {
            while self.get(end).is_some_and(|token| token.kind != TokenKind::Punct || matches!(token.text, "," | ".")) {
                end += 1;
            }
        }
        while self
            .get(end)
            .is_some_and(|token| matches!(token.text, "const" | "noexcept" | "override" | "final" | "async"))
        {
            end += 1;
        }
        if self.language == Language::TypeScript && self.is(end, ":") {
            return self.typed_body(end + 1);
        }
        self.is(end, "{").then_some(DefinitionKind::Function)
    }

    /// The return type of a TypeScript method, then its body.
    fn typed_body(&self, mut at: usize) -> Option<DefinitionKind> {
        let start = at;
        while at < start + 40 {
            let token = self.get(at)?;
            match token.text {
                "{" if at > start => return Some(DefinitionKind::Function),
                ";" | "}" | "{" | ")" | "," | "=" => return None,
                "(" | "[" => at = self.closing(at)?,
                _ => {}
            }
            at += 1;
        }
        None
    }

    fn may_precede_definition(&self, at: usize) -> bool {
        let typed = !matches!(self.language, Language::JavaScript | Language::TypeScript | Language::Shell);
        let Some(before) = at.checked_sub(1).and_then(|before| self.get(before)) else {
            return !typed;
        };
        let own_line = self.get(at).is_some_and(|token| token.line > before.line);
        match (before.kind, before.text) {
            (TokenKind::Punct, "{" | "}" | ";") => !typed,
            (TokenKind::Punct, ">" | "*" | "&" | "]") => typed,
            (TokenKind::Keyword, "async" | "static" | "get" | "set" | "public" | "private" | "protected") => true,
            (TokenKind::Keyword, word) => {
                typed && !matches!(word, "return" | "new" | "else" | "throw" | "await" | "case" | "in")
            }
            (TokenKind::Ident, _) => typed,
            _ => !typed && own_line && matches!(before.text, "," | ")"),
        }
    }

    /// `NAME = ...` of Python, Ruby and R at the outermost level.
    fn assigned(&self, at: usize, depth: usize) -> Option<DefinitionKind> {
        let token = self.get(at)?;
        let assigns = self.is(at + 1, "=") && matches!(self.language, Language::Python | Language::Ruby);
        let arrow = self.language == Language::R && self.is(at + 1, "<") && self.is(at + 2, "-");
        let starts = at == 0 || self.get(at - 1).is_some_and(|before| before.line < token.line);
        if depth > 0 || !starts || self.indentation(at) > 0 || !(assigns || arrow) {
            return None;
        }
        let function = arrow && self.get(at + 3).is_some_and(|token| token.text == "function");
        Some(if function { DefinitionKind::Function } else { DefinitionKind::Value })
    }

    /// `= function`, `= (...) =>`, `= async`, `= name =>` behind the name of a value.
    fn is_function_value(&self, at: usize) -> bool {
        if !matches!(self.language, Language::JavaScript | Language::TypeScript) || !self.is(at, "=") {
            return false;
        }
        let value = if self.get(at + 1).is_some_and(|token| token.is("async")) { at + 2 } else { at + 1 };
        let arrow_behind = |end: usize| self.is(end, "=>") || self.is(end, ":");
        self.get(value).is_some_and(|token| token.is("function"))
            || (self.is(value, "(") && self.closing(value).is_some_and(|end| arrow_behind(end + 1)))
            || self.is(value + 1, "=>")
    }

    /// The bracket that closes the one at `at`.
    fn closing(&self, at: usize) -> Option<usize> {
        self.closers.get(at).copied().filter(|end| *end > at)
    }

    /// The last line of what the name at `at` stands for.
    fn last_line(&self, at: usize) -> Option<u32> {
        if matches!(self.language, Language::Python | Language::Ruby) {
            return self.last_indented_line(at);
        }
        let mut next = at + 1;
        for _ in 0..FARTHEST {
            work::add(1);
            let token = self.get(next)?;
            match (token.kind, token.text) {
                (TokenKind::Punct, ";") => return Some(token.line),
                (TokenKind::Punct, "{") => return self.get(self.closing(next)?).map(|token| token.line),
                (TokenKind::Punct, "(" | "[") => next = self.closing(next)? + 1,
                (TokenKind::Punct, ")" | "]" | "}") => return None,
                _ => next += 1,
            }
        }
        None
    }

    /// The last line that is indented deeper than the definition, or its `end`.
    fn last_indented_line(&self, at: usize) -> Option<u32> {
        let Some(next) = self.outer.get(at).copied().filter(|next| *next > at) else {
            return self.get(self.code.len().checked_sub(1)?).map(Token::end_line);
        };
        let token = self.get(next)?;
        let before = if next == at + 1 { self.get(at)?.line } else { self.get(next - 1)?.end_line() };
        Some(if token.is("end") { token.line } else { before })
    }
}

/// For each token the next one that starts a line which is indented no deeper, lines that begin with a closing bracket
/// aside; 0 where there is none. One pass: what waits for its end stands on a stack.
fn outer(tokens: &[Token<'_>], code: &[usize], starts: &[Option<usize>], indents: &[usize]) -> Vec<usize> {
    let mut outer = vec![0; code.len()];
    let mut waiting: Vec<(usize, usize)> = Vec::new();
    let mut closes = false;
    for (at, index) in code.iter().enumerate() {
        let (Some(token), Some(indent)) = (tokens.get(*index), indents.get(*index).copied()) else { continue };
        if starts.get(*index).copied().flatten().is_some() {
            closes = matches!(token.text, ")" | "]" | "}");
            while let Some((_, opened)) = waiting.pop_if(|(deep, _)| !closes && *deep >= indent) {
                work::add(1);
                outer[opened] = at;
            }
        }
        if !closes {
            waiting.push((indent, at));
        }
    }
    outer
}

/// For each token that opens a bracket, the index of the one that closes it; 0 for the others.
fn closers(tokens: &[Token<'_>], code: &[usize]) -> Vec<usize> {
    let mut closers = vec![0; code.len()];
    let mut open = Vec::new();
    for (at, token) in code.iter().filter_map(|index| tokens.get(*index)).enumerate() {
        match (token.kind, token.text) {
            (TokenKind::Punct, "(" | "[" | "{") => open.push(at),
            (TokenKind::Punct, ")" | "]" | "}") => {
                if let Some(opening) = open.pop().and_then(|opening| closers.get_mut(opening)) {
                    *opening = at;
                }
            }
            _ => {}
        }
    }
    closers
}

fn keyword_kind(language: Language, token: &Token<'_>) -> Option<DefinitionKind> {
    use DefinitionKind::{Function, Module, Type, Value};
    if token.kind != TokenKind::Keyword {
        return None;
    }
    let kind = match token.text {
        "fn" | "func" | "fun" | "def" | "function" | "sub" | "defp" | "defmacro" => Function,
        "struct" | "enum" | "trait" | "class" | "interface" | "protocol" | "record" | "union" | "typealias"
        | "actor" | "mixin" => Type,
        "type" if !matches!(language, Language::Haskell | Language::Python) => Type,
        "object" if matches!(language, Language::Kotlin | Language::Scala) => Type,
        "mod" | "module" | "namespace" | "defmodule" => Module,
        "const"
            if !matches!(
                language,
                Language::C | Language::Cpp | Language::CSharp | Language::Java | Language::Dart
            ) =>
        {
            Value
        }
        "static" if language == Language::Rust => Value,
        "let" if !matches!(language, Language::Rust | Language::Haskell) => Value,
        "var" | "val" if !matches!(language, Language::CSharp | Language::Java | Language::Dart) => Value,
        _ => return None,
    };
    let no_definitions =
        matches!(language, Language::R | Language::Sql | Language::Css | Language::Html | Language::Makefile);
    let php_match = language == Language::Php && kind == Value && token.text == "var";
    (!no_definitions && !php_match).then_some(kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_definition_is_followed_to_the_end_of_a_text_that_does_not_end_it() {
        for (language, piece) in
            [(Language::JavaScript, "let a\n"), (Language::Python, "def a "), (Language::Python, "a = 1\n")]
        {
            work::assert_linear(piece, 4 * FARTHEST, |n| {
                let text = piece.repeat(n);
                let _ = definitions(&text, &super::super::tokens(&text, language), language);
            });
        }
    }
    use crate::code::tokens;

    /// The names, each with the first letter of its kind; in brackets where it is not at the outermost level.
    fn check(language: Language, text: &str, expect: &str) {
        let show = |found: &Definition<'_>| {
            let name = format!("{:?}:{}", found.kind, found.name);
            if found.top { name } else { format!("({name})") }
        };
        let found: Vec<String> = definitions(text, &tokens(text, language), language).iter().map(show).collect();
        assert_eq!(found.join(" "), expect, "{}", language.name());
    }

    #[test]
    fn what_is_defined_is_found() {
        check(
            Language::Rust,
            "pub const fn a<'b>() {} const C: u8 = 1; impl D { fn e(f: fn(u8)) { let g = 1; } } struct H; mod i;",
            "Function:a Value:C (Function:e) Type:H Module:i",
        );
        check(
            Language::TypeScript,
            "export function a() {}\nconst b = async (c) => { const d = 1; };\nclass E {\n  f(g: H): Promise<I> {\n    if (j()) { k(); }\n  }\n}\ntype L = M; const N = 3",
            "Function:a Function:b Type:E (Function:f) Type:L Value:N",
        );
        check(
            Language::Python,
            "A = 1\nclass B:\n    c = 2\n    def d(self, e=3):\n        f = g(h=4)\ndef i(): pass\n",
            "Value:A Type:B (Function:d) Function:i",
        );
        check(
            Language::Go,
            "func (a *B) C(d int) {}\nfunc e() { f := 1 }\ntype G struct {}\nvar H = 1",
            "Function:C Function:e Type:G Value:H",
        );
        check(
            Language::Java,
            "class A {\n  private List<B> c(D e) throws F, G { return h(i); }\n  A() { new J() { }; }\n}",
            "Type:A (Function:c)",
        );
        check(
            Language::C,
            "#define M 1\nstruct a b;\nstatic int *c(int d) { e(f); return 0; }\nstruct g { int h; };",
            "Value:M Function:c Type:g",
        );
        check(
            Language::Ruby,
            "class A\n  def self.b; end\n  def c?; end\nend\nD = 1",
            "Type:A (Function:b) (Function:c) Value:D",
        );
        check(Language::Shell, "a() { b; }\nfunction c { d; }", "Function:a Function:c");
        check(Language::Kotlin, "fun a() { val b = 1 }\nclass C\nval d = 1", "Function:a Type:C Value:d");
    }

    #[test]
    fn the_end_of_a_definition_is_found() {
        let ends = |language, text: &str| -> Vec<(u32, u32)> {
            definitions(text, &tokens(text, language), language)
                .iter()
                .map(|found| (found.line, found.last_line))
                .collect()
        };
        assert_eq!(ends(Language::Rust, "fn a(\n) {\n  b[{ 1 }]\n}\nconst C: u8 =\n  1;\n"), [(1, 4), (5, 6)]);
        assert_eq!(ends(Language::Python, "def a(\n):\n  if b:\n    c\n\n  d\n\ne\n"), [(1, 6)]);
        assert_eq!(ends(Language::Ruby, "def a\n  b\nend\nc"), [(1, 3)]);
    }
}
