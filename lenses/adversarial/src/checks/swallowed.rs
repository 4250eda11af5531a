//! Errors newly swallowed: handlers for every error whose body is empty and that no comment explains.
//!
//! Looks at `catch` blocks (JavaScript, TypeScript, Java, Kotlin, C#, PHP), `.catch(() => {})`, Python's `except:` and
//! `except Exception:` with `pass`, Go's `if err != nil {}` and `_ = err`, and Ruby's `rescue => e` with nothing behind.
//! Leaves alone: tests; handlers of a narrow kind of error; work that is allowed to fail (closing, removing, logging,
//! asking whether something is there); blocks with a result that stays at its default (`return`, assignments); errors
//! named as unused; any comment in or around the block.

use std::collections::BTreeSet;

use review_loop_sdk::check::{Changed, Rule, Seen};
use review_loop_sdk::code::{Language, Token, TokenKind};
use review_loop_sdk::prelude::*;

use super::code::Code;

static SWALLOWED: Rule = Rule {
    category: "silent-failure",
    severity: Severity::Medium,
    load_bearing: false,
    confidence: 95,
    several: "error handlers that are empty",
    follows: "whatever fails there goes unnoticed",
    hint: "Handle the error or pass it on; where it does not matter, say so in a comment in the handler.",
};

pub(crate) fn check(changed: &Changed) -> Vec<Seen> {
    let Some(language) = changed.language.filter(|_| !changed.test && !is_built(&changed.file.path)) else {
        return Vec::new();
    };
    let Some(row) = LANGUAGES.iter().find(|row| row.languages.contains(&language)) else { return Vec::new() };
    if !changed.adds_any(row.words) {
        return Vec::new();
    }
    let tokens = changed.new_tokens();
    let code = Code::new(changed.new_text(), &tokens);
    let comments: Vec<&Token<'_>> = tokens.iter().filter(|token| token.kind == TokenKind::Comment).collect();
    let added = changed.added_lines();
    let handlers = (0..tokens.len()).filter_map(|at| row.forms.iter().find_map(|form| form(&code, at)));
    handlers.filter_map(|handler| seen(changed, &comments, &added, &handler)).collect()
}

/// What bundlers write is nobody's to mend.
fn is_built(path: &str) -> bool {
    path.split('/').any(|part| ["dist", "build", "vendor", "third_party", "node_modules"].contains(&part))
        || path.contains(".min.")
}

struct Row {
    languages: &'static [Language],
    /// An added line holds one of them, or there is nothing to look for.
    words: &'static [&'static str],
    forms: &'static [fn(&Code<'_>, usize) -> Option<Handler>],
}

const LANGUAGES: &[Row] = &[
    Row {
        languages: &[Language::JavaScript, Language::TypeScript],
        words: &["catch", "}"],
        forms: &[catch_any, promise],
    },
    Row {
        languages: &[Language::Java, Language::Kotlin, Language::CSharp, Language::Php],
        words: &["catch", "}"],
        forms: &[catch_broad],
    },
    Row { languages: &[Language::Python], words: &["except", "pass", "..."], forms: &[except] },
    Row { languages: &[Language::Go], words: &["nil", "}", "_ ="], forms: &[go_if, go_blank] },
    Row { languages: &[Language::Ruby], words: &["rescue"], forms: &[rescue] },
];

/// An empty handler.
struct Handler {
    /// The lines of the handler itself.
    lines: (u32, u32),
    /// The first line of what it guards: comments from the line before count as an explanation.
    from: u32,
    /// The calls whose errors are lost.
    calls: Vec<String>,
}

fn seen(changed: &Changed, comments: &[&Token<'_>], added: &BTreeSet<u32>, handler: &Handler) -> Option<Seen> {
    let (first, last) = handler.lines;
    let next = comments.partition_point(|comment| comment.end_line() + 1 < handler.from);
    let explained = comments.get(next).is_some_and(|comment| comment.line <= last + 1);
    if explained || changed.is_test_line(first) {
        return None;
    }
    let line = added.range(first..=last).next().copied()?;
    let lost = match handler.calls.as_slice() {
        [] => "an error".to_owned(),
        [call] => format!("an error of `{call}`"),
        [call, ..] => format!("an error of `{call}` or of what stands beside it"),
    };
    let mut seen = Seen::at(
        &SWALLOWED,
        changed,
        line,
        format!("The handler is empty, so {lost} is dropped and nothing tells that it happened."),
    )?;
    seen.last = last;
    Some(seen)
}

/// `catch {}` in languages where it takes every error.
fn catch_any(code: &Code<'_>, at: usize) -> Option<Handler> {
    catch(code, at, |_| true)
}

/// `catch (Exception e) {}` in languages where the type says which errors.
fn catch_broad(code: &Code<'_>, at: usize) -> Option<Handler> {
    const BROAD: &[&str] = &["Exception", "Throwable", "RuntimeException", "Error"];
    catch(code, at, |what| {
        what.is_empty() || what.iter().any(|token| BROAD.contains(&token.text.trim_start_matches('\\')))
    })
}

fn catch(code: &Code<'_>, at: usize, takes_all: fn(&[Token<'_>]) -> bool) -> Option<Handler> {
    if code.text_at(at) != "catch" || code.text_at(at.checked_sub(1)?) != "}" {
        return None;
    }
    let named = if code.text_at(at + 1) == "(" { code.closing(at + 1)? } else { at };
    let what = code.tokens.get(at + 1..=named).unwrap_or_default();
    if code.text_at(named + 1) != "{" || code.text_at(named + 2) != "}" || !takes_all(what) || is_named_unused(what) {
        return None;
    }
    let open = code.opening(at - 1)?;
    let calls = calls_that_matter(code, open + 1, at - 1).filter(|_| code.text_at(open.saturating_sub(1)) == "try")?;
    Some(Handler { lines: (code.line(at), code.line(named + 2)), from: code.line(open.saturating_sub(1)), calls })
}

fn is_named_unused(what: &[Token<'_>]) -> bool {
    what.iter().filter(|token| token.kind == TokenKind::Ident).any(|token| {
        let name = token.text.trim_start_matches('$').to_ascii_lowercase();
        name.starts_with('_')
            || ["ignore", "unused", "expected", "noop", "swallow"].iter().any(|word| name.contains(word))
    })
}

/// `f(x).catch(() => {})` as a statement.
fn promise(code: &Code<'_>, at: usize) -> Option<Handler> {
    if code.text_at(at) != "catch" || code.text_at(at.checked_sub(1)?) != "." || code.text_at(at + 1) != "(" {
        return None;
    }
    let close = code.closing(at + 1).filter(|close| close - at < 9)?;
    let handler: Vec<&str> = code.tokens.get(at + 2..close)?.iter().map(|token| token.text).collect();
    let empty = matches!(handler.as_slice(), ["(", ")", "=>", "{", "}"] | ["function", "(", ")", "{", "}"])
        || matches!(handler.as_slice(), ["(", name, ")", "=>", "{", "}"] | [name, "=>", "{", "}"] | ["function", "(", name, ")", "{", "}"] if !name.starts_with('_'));
    let start = statement_start(code, at - 1)?;
    let calls = calls_that_matter(code, start, at - 1).filter(|_| empty && code.text_at(at - 2) == ")")?;
    let statement = code.tokens.get(start..at - 1)?;
    let kept = statement.iter().any(|token| matches!(token.text, "=" | "return" | "void" | "=>" | "?" | "," | ":"));
    if kept {
        return None;
    }
    Some(Handler { lines: (code.line(at), code.line(close)), from: code.line(start), calls })
}

/// The index of the first token of the statement that goes on at `at`.
fn statement_start(code: &Code<'_>, at: usize) -> Option<usize> {
    let mut index = at;
    while index > 0 {
        match code.text_at(index - 1) {
            ")" | "]" => index = code.opening(index - 1)?,
            "}" | "{" | ";" | "(" | "[" => return Some(index),
            // Its errors are handled before. So no chain is followed from each of its links.
            "catch" => return None,
            before => {
                // A line that does not start with a dot starts a statement, unless an operator goes on over the end.
                let starts = code.indent(index).is_some() && code.text_at(index) != "." && !is_operator(before);
                if starts {
                    return Some(index);
                }
                index -= 1;
            }
        }
        if code.indent(index).is_some() && code.text_at(index) != "." {
            return Some(index);
        }
    }
    Some(0)
}

fn is_operator(text: &str) -> bool {
    text.chars().all(|c| "=+-*/%&|^!<>?:,.".contains(c)) || matches!(text, "await" | "return" | "void")
}

/// `except:` or `except Exception:` with nothing but `pass`.
fn except(code: &Code<'_>, at: usize) -> Option<Handler> {
    let indent = code.indent(at).filter(|_| code.text_at(at) == "except")?;
    let head: Vec<&str> = (at + 1..at + 5).map(|index| code.text_at(index)).collect();
    let body = at
        + match head.as_slice() {
            [":", ..] => 2,
            ["Exception" | "BaseException", ":", ..] => 3,
            ["Exception" | "BaseException", "as", name, ":"] if !name.starts_with('_') => 5,
            _ => return None,
        };
    let empty = matches!(code.text_at(body), "pass" | "...");
    let alone = code.tokens.get(body + 1).is_none_or(|next| next.line > code.line(body))
        && code.indent(body + 1).is_none_or(|next| next <= indent);
    let opened = code.peer(at)?;
    let calls = calls_that_matter(code, opened + 2, at).filter(|_| empty && alone && code.text_at(opened) == "try")?;
    let may_fail = code
        .function(at)
        .is_some_and(|def| is_allowed_to_fail(code.text_at(def + 1)) || code.text_at(def + 1) == "__del__");
    (!may_fail).then(|| Handler { lines: (code.line(at), code.line(body)), from: code.line(opened), calls })
}

/// `if err != nil {}`.
fn go_if(code: &Code<'_>, at: usize) -> Option<Handler> {
    let here: Vec<&str> = (at..at + 5).map(|index| code.text_at(index)).collect();
    let [error, "!=", "nil", "{", "}"] = here[..] else { return None };
    let chained = code.text_at(at + 5) == "else";
    let line = code.line(at);
    (error.to_ascii_lowercase().contains("err") && !chained).then(|| Handler {
        lines: (line, code.line(at + 4)),
        from: line,
        calls: Vec::new(),
    })
}

/// `_ = err` on a line of its own.
fn go_blank(code: &Code<'_>, at: usize) -> Option<Handler> {
    let line = code.line(at);
    let blank = code.text_at(at) == "_" && code.text_at(at + 1) == "=" && code.text_at(at + 2) == "err";
    let whole = code.indent(at).is_some() && code.tokens.get(at + 3).is_none_or(|next| next.line > line);
    (blank && whole).then(|| Handler { lines: (line, line), from: line, calls: Vec::new() })
}

/// `rescue => e` with nothing between it and `end`: the error was wanted and never looked at.
fn rescue(code: &Code<'_>, at: usize) -> Option<Handler> {
    code.indent(at).filter(|_| code.text_at(at) == "rescue")?;
    let named = if matches!(code.text_at(at + 1), "StandardError" | "Exception") { at + 2 } else { at + 1 };
    let takes =
        code.text_at(named) == "=>" && code.text_at(named + 2) == "end" && !code.text_at(named + 1).starts_with('_');
    takes.then(|| Handler { lines: (code.line(at), code.line(named + 2)), from: code.line(at), calls: Vec::new() })
}

/// The names of the calls in a guarded block; none where the block has a default to fall back on, calls nothing, or
/// does what is allowed to fail.
fn calls_that_matter(code: &Code<'_>, from: usize, to: usize) -> Option<Vec<String>> {
    // One that holds another handler ends here, so no token is looked at for each block that it is in.
    let block = code.tokens.get(from..to).filter(|_| !code.turns(from, to))?;
    let falls_back = |at: usize, token: &Token<'_>| {
        matches!(token.text, "=" | "+=" | "||=" | "??=" | ":=" | "|=") && !is_declaration(block, at)
    };
    if block.iter().enumerate().any(|(at, token)| token.kind != TokenKind::Str && falls_back(at, token)) {
        return None;
    }
    let called = block.windows(2).filter(|pair| pair.get(1).is_some_and(|open| open.text == "("));
    let names: Vec<&str> =
        called.filter_map(|pair| pair.first()).filter(|t| t.kind == TokenKind::Ident).map(|t| t.text).collect();
    let allowed =
        block.iter().filter(|token| token.kind == TokenKind::Ident).any(|token| is_allowed_to_fail(token.text));
    (!names.is_empty() && !allowed).then(|| names.into_iter().map(str::to_owned).collect())
}

/// `const x = ` and `const { x } = `.
fn is_declaration(block: &[Token<'_>], at: usize) -> bool {
    let before: Vec<&str> =
        block.iter().take(at).rev().take_while(|t| !matches!(t.text, ";" | "=")).map(|t| t.text).collect();
    before.iter().any(|text| matches!(*text, "const" | "let" | "var" | "val"))
}

fn is_allowed_to_fail(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    MAY_FAIL.iter().any(|word| lower.contains(word))
        || lower.starts_with("end")
        || ["rm", "on", "off", "get", "end", "log"].contains(&lower.as_str())
}

/// Parts of names whose failure is most often meant not to matter.
const MAY_FAIL: &[&str] = &[
    "abort",
    "access",
    "beacon",
    "blur",
    "cache",
    "cancel",
    "chmod",
    "cleanup",
    "clear",
    "close",
    "console",
    "delete",
    "destroy",
    "detach",
    "disconnect",
    "dispose",
    "evict",
    "exist",
    "exit",
    "finish",
    "flush",
    "focus",
    "free",
    "hint",
    "history",
    "hook",
    "isavailable",
    "join",
    "kill",
    "leave",
    "localstorage",
    "logger",
    "logging",
    "logout",
    "makedir",
    "metric",
    "mkdir",
    "notify",
    "optional",
    "parse",
    "play",
    "poll",
    "prefetch",
    "preload",
    "quit",
    "release",
    "remove",
    "report",
    "reset",
    "restore",
    "revoke",
    "rmdir",
    "rollback",
    "sendbeacon",
    "sessionstorage",
    "setlocale",
    "shutdown",
    "signal",
    "sleep",
    "stat",
    "stop",
    "suppress",
    "teardown",
    "telemetry",
    "term",
    "track",
    "try",
    "uninstall",
    "unlink",
    "unlock",
    "unmount",
    "unref",
    "unregister",
    "unsubscribe",
    "utime",
    "wait",
    "warm",
    "warn",
];

#[cfg(test)]
mod tests {
    use review_loop_sdk::testing::FakeHost;

    use review_loop_sdk::testing::{lines, lines_with};

    #[test]
    fn empty_handlers_are_seen() {
        for (path, text, line) in [
            ("src/a.js", "try {\n  await save(user);\n} catch (e) {}\n", 3),
            ("src/a.ts", "try {\n  const a = load();\n  await save(a)\n} catch {\n}\n", 4),
            ("src/a.js", "async function f() {\n  await save(user).catch(() => {});\n}\n", 2),
            ("src/a.js", "save(user)\n  .then(done)\n  .catch(err => {})\n", 3),
            ("a.py", "def f():\n    try:\n        save(user)\n    except Exception:\n        pass\n    return 1\n", 4),
            ("a.py", "try:\n    save(user)\nexcept:\n    pass\n", 3),
            ("a.py", "try:\n    save(user)\nexcept Exception as e: pass\n", 3),
            ("a.go", "func f() {\n\terr := save()\n\tif err != nil {\n\t}\n}\n", 3),
            ("a.go", "func f() {\n\terr := save()\n\t_ = err\n}\n", 3),
            ("src/main/A.java", "void f() {\n  try {\n    save(user);\n  } catch (Exception e) {\n  }\n}\n", 4),
            ("a.php", "<?php\ntry {\n  save($user);\n} catch (\\Throwable $e) {\n}\n", 4),
            ("a.rb", "def f\n  save\nrescue => e\nend\n", 3),
        ] {
            assert_eq!(lines(super::check, path, text), [line], "{path}: {text}");
        }
    }

    #[test]
    fn what_looks_alike_is_not() {
        for (path, text) in [
            ("src/a.js", "try {\n  save(user);\n} catch (e) {\n  // Saved again at exit.\n}\n"),
            ("src/a.js", "// Best effort.\ntry {\n  save(user);\n} catch (e) {}\n"),
            ("src/a.js", "try {\n  fs.unlinkSync(path);\n} catch (e) {}\n"),
            ("src/a.js", "let a = null;\ntry {\n  a = load();\n} catch {}\n"),
            ("src/a.js", "function f() {\n  try {\n    return load();\n  } catch {}\n  return null;\n}\n"),
            ("src/a.js", "try { save(user) } catch (_ignored) {}\n"),
            ("src/a.js", "const s = 'try { save(user) } catch (e) {}';\n"),
            (
                "src/a.js",
                "const p = load();\np.catch(() => {});\nvoid save(user).catch(() => {});\nreader.cancel().catch(() => {});\n",
            ),
            ("src/a.js", "save(user).catch(() => null);\nsave(user).catch(report);\nreturn save(x).catch(() => {});\n"),
            ("test/a.js", "try {\n  save(user);\n} catch (e) {}\n"),
            ("dist/a.js", "try {\n  save(user);\n} catch (e) {}\n"),
            ("a.py", "try:\n    import fast\nexcept Exception:\n    pass\n"),
            ("a.py", "try:\n    save(user)\nexcept KeyError:\n    pass\n"),
            ("a.py", "try:\n    save(user)\nexcept Exception:\n    pass  # saved again at exit\n"),
            ("a.py", "try:\n    save(user)\nexcept Exception:\n    pass\n    again()\n"),
            ("a.py", "try:\n    save(user)\nexcept Exception:\n    log()\n"),
            ("a.py", "try:\n    x = load()\nexcept Exception:\n    pass\n"),
            (
                "a.py",
                "class A:\n    def __del__(self):\n        try:\n            self.save(1)\n        except Exception:\n            pass\n",
            ),
            ("a.go", "func f() {\n\tif err := save(); err != nil {\n\t\treturn err\n\t}\n\t_ = errors.New\n}\n"),
            ("a.go", "func f() {\n\tif err != nil {\n\t\t// The next round saves it.\n\t}\n}\n"),
            ("src/main/A.java", "void f() {\n  try {\n    save(user);\n  } catch (TimeoutException e) {\n  }\n}\n"),
            ("src/main/A.java", "void f() {\n  try {\n    save(user);\n  } catch (Exception ignored) {\n  }\n}\n"),
            ("a.rb", "def f\n  save\nrescue KeyError => e\nend\n"),
        ] {
            assert_eq!(lines(super::check, path, text), [0; 0], "{path}: {text}");
        }
        let old = "try {\n  save(user);\n} catch (e) {}\n";
        let host = FakeHost::new().edited("src/a.js", old, &old.replace("user", "person"));
        assert_eq!(lines_with(super::check, host), [0; 0], "the handler is older than the change");
    }
}
