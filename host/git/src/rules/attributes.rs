//! `.gitattributes` and its like, as in gitattributes(5).

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use super::pattern::Pattern;
use super::table::{Hashes, Question, Table};
use super::{MAX_PATTERNS, bounded};

mod line;

use line::Line;

/// What files of attributes say about paths.
///
/// Lists are added from the weakest to the strongest: `core.attributesFile`, then the `.gitattributes` of each folder
/// with those above it first, then `info/attributes`. Those of folders beside each other may come in any order, so that
/// one value can answer for a whole repository.
///
/// ```
/// # use review_loop_git::rules::{Attributes, Value};
/// let mut attributes = Attributes::new(false);
/// attributes.push(b"", b"*.png binary\n*.c text=auto\n");
/// attributes.push(b"vendor", b"* -text\n");
/// assert_eq!(attributes.value(b"a/logo.png", "diff"), Value::Unset);
/// assert_eq!(attributes.value(b"a/main.c", "text"), Value::Is(b"auto".to_vec()));
/// assert_eq!(attributes.value(b"vendor/main.c", "text"), Value::Unset);
/// ```
#[derive(Debug)]
pub struct Attributes {
    fold: bool,
    hashes: Hashes,
    /// Attributes by name: the number that stands for them in what follows.
    names: HashMap<Vec<u8>, u32>,
    macros: HashMap<u32, Box<[Assignment]>>,
    /// By attribute: the macros that assign it.
    assigned_by: HashMap<u32, Vec<u32>>,
    size_of_macros: usize,
    lists: Vec<List>,
    by_folder: HashMap<Vec<u8>, Vec<usize>>,
    truncated: bool,
}

/// What an attribute of a path is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Value {
    /// Nothing is said about it, or it is taken back by `!name`.
    Unspecified,
    /// `name`
    Set,
    /// `-name`
    Unset,
    /// `name=value`
    Is(Vec<u8>),
}

/// The rules of one file.
#[derive(Debug)]
struct List {
    table: Table,
    assignments: Vec<Box<[Assignment]>>,
}

#[derive(Debug)]
struct Assignment {
    attribute: u32,
    value: Value,
}

/// Assignments of one file that are read: each needs more memory than its two bytes in the file.
const MAX_ASSIGNMENTS: usize = 500_000;

/// Macros that are read, and their assignments: they may have to be followed for every path.
const MAX_SIZE_OF_MACROS: usize = 1_000;

impl Attributes {
    /// Knows only the macro `binary`, which is built into git; `ignore_case` is `core.ignoreCase`.
    #[must_use]
    pub fn new(ignore_case: bool) -> Self {
        let mut attributes = Attributes {
            fold: ignore_case,
            hashes: Hashes::default(),
            names: HashMap::new(),
            macros: HashMap::new(),
            assigned_by: HashMap::new(),
            size_of_macros: 0,
            lists: Vec::new(),
            by_folder: HashMap::new(),
            truncated: false,
        };
        attributes.push(b"", b"[attr]binary -diff -merge -text");
        attributes
    }

    /// Adds a file that is about paths of a folder, `b""` for the root of the repository; it is stronger than those before.
    ///
    /// Macros are defined by files for the whole repository only, and hold for the other files too.
    pub fn push(&mut self, base: &[u8], bytes: &[u8]) {
        let folder = base.strip_suffix(b"/").unwrap_or(base);
        let (mut patterns, mut assignments, mut left) = (Vec::new(), Vec::new(), MAX_ASSIGNMENTS);
        let (bytes, cut) = bounded(bytes);
        self.truncated |= cut;
        for line in line::all(bytes) {
            match line {
                Line::Macro(..) if !folder.is_empty() => {}
                Line::Macro(name, values) => self.define(&name, &values),
                Line::Rule(..) if patterns.len() == MAX_PATTERNS => self.truncated = true,
                Line::Rule(_, values) if values.len() > left => self.truncated = true,
                Line::Rule(pattern, values) => {
                    left -= values.len();
                    patterns.push(pattern);
                    assignments.push(self.assignments(&values));
                }
            }
        }
        self.add(folder, patterns, assignments);
    }

    /// What an attribute of a path is: of all rules that match, the last one that says something about it decides.
    ///
    /// Rules are about files, and a rule for a folder says nothing about what is in it. A path with a slash at its end is
    /// that of a folder.
    #[must_use]
    pub fn value(&self, path: &[u8], name: &str) -> Value {
        let Some(&attribute) = self.names.get(name.as_bytes()) else { return Value::Unspecified };
        let (path, is_folder) = path.strip_suffix(b"/").map_or((path, false), |path| (path, true));
        let lower = if self.fold { Cow::Owned(path.to_ascii_lowercase()) } else { Cow::Borrowed(path) };
        let mut decided = Decided::of(self.that_decide(attribute));
        for (start, list) in self.lists_for(path) {
            let question = self.hashes.question(lower.get(start..).unwrap_or_default(), is_folder);
            for rule in decided.rules(list, &question) {
                decided.fill(list.assignments.get(rule).map(AsRef::as_ref).unwrap_or_default(), &self.macros);
            }
            if let Some(value) = decided.get(attribute) {
                return value.clone();
            }
        }
        Value::Unspecified
    }

    /// Whether a file had more bytes, rules or assignments than are read of one.
    #[must_use]
    pub fn truncated(&self) -> bool {
        self.truncated
    }

    fn add(&mut self, folder: &[u8], patterns: Vec<Pattern>, assignments: Vec<Box<[Assignment]>>) {
        if patterns.is_empty() {
            return;
        }
        let topics = |rule: usize| {
            let assigned = assignments.get(rule).into_iter().flatten().map(|assignment| assignment.attribute);
            assigned.collect::<BTreeSet<_>>().into_iter().collect()
        };
        let table = Table::new(self.fold, &self.hashes, patterns, topics);
        self.by_folder.entry(folder.to_vec()).or_default().push(self.lists.len());
        self.lists.push(List { table, assignments });
    }

    /// A macro of a later file, or of a later line, takes the place of one of the same name.
    fn define(&mut self, name: &[u8], values: &[(&[u8], Value)]) {
        // One more for the macro itself, which may assign nothing.
        self.size_of_macros += values.len() + 1;
        if self.size_of_macros > MAX_SIZE_OF_MACROS {
            self.truncated = true;
            return;
        }
        let (number, assignments) = (self.number(name), self.assignments(values));
        self.macros.insert(number, assignments);
        self.assigned_by.clear();
        for (&of, assignments) in &self.macros {
            for assignment in assignments {
                self.assigned_by.entry(assignment.attribute).or_default().push(of);
            }
        }
    }

    fn assignments(&mut self, values: &[(&[u8], Value)]) -> Box<[Assignment]> {
        let numbered =
            values.iter().map(|(name, value)| Assignment { attribute: self.number(name), value: value.clone() });
        numbered.collect()
    }

    fn number(&mut self, name: &[u8]) -> u32 {
        if let Some(&number) = self.names.get(name) {
            return number;
        }
        let number = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.names.insert(name.to_vec(), number);
        number
    }

    /// The attribute, and every macro that can assign it, if only by way of another one.
    fn that_decide(&self, attribute: u32) -> BTreeSet<u32> {
        let (mut all, mut left) = (BTreeSet::from([attribute]), vec![attribute]);
        while let Some(next) = left.pop() {
            let by = self.assigned_by.get(&next).into_iter().flatten();
            left.extend(by.filter(|&&other| all.insert(other)));
        }
        all
    }

    /// The lists of all folders above a path, the strongest first, each with where the path starts in its folder.
    fn lists_for(&self, path: &[u8]) -> Vec<(usize, &List)> {
        let slashes = path.iter().enumerate().filter(|&(_, &byte)| byte == b'/').map(|(at, _)| at);
        let folders = slashes.filter_map(|at| Some((at + 1, path.get(..at)?)));
        let mut found: Vec<(usize, usize)> = Vec::new();
        for (start, folder) in [(0, b"".as_slice())].into_iter().chain(folders.filter(|(_, folder)| !folder.is_empty()))
        {
            found.extend(self.by_folder.get(folder).into_iter().flatten().map(|&index| (index, start)));
        }
        found.sort_unstable();
        found.into_iter().rev().filter_map(|(index, start)| Some((start, self.lists.get(index)?))).collect()
    }
}

/// The attributes that matter for an answer, sorted, with what has been said about them.
struct Decided<'a>(Vec<(u32, Option<&'a Value>)>);

impl<'a> Decided<'a> {
    fn of(attributes: BTreeSet<u32>) -> Self {
        Decided(attributes.into_iter().map(|attribute| (attribute, None)).collect())
    }

    fn get(&self, attribute: u32) -> Option<&'a Value> {
        let at = self.0.binary_search_by_key(&attribute, |&(of, _)| of).ok()?;
        self.0.get(at)?.1
    }

    /// The rules of a list that can still say something, from the last on: for each attribute the last one about it.
    fn rules(&self, list: &List, question: &Question<'_>) -> Vec<usize> {
        let open = self.0.iter().filter(|(_, value)| value.is_none());
        let mut rules: Vec<_> =
            open.filter_map(|&(attribute, _)| list.table.last(attribute, question)).map(|(rule, _)| rule).collect();
        rules.sort_unstable();
        rules.dedup();
        rules.reverse();
        rules
    }

    /// Notes what is assigned last first, and does not change what is noted; a macro that is set is followed at once.
    fn fill(&mut self, assignments: &'a [Assignment], macros: &'a HashMap<u32, Box<[Assignment]>>) {
        let mut left: Vec<&Assignment> = assignments.iter().collect();
        while let Some(Assignment { attribute, value }) = left.pop() {
            let place = self.0.binary_search_by_key(attribute, |&(of, _)| of).ok();
            let Some((_, noted @ None)) = place.and_then(|at| self.0.get_mut(at)) else { continue };
            *noted = Some(value);
            if *value == Value::Set {
                left.extend(macros.get(attribute).into_iter().flatten());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is(value: &str) -> Value {
        Value::Is(value.as_bytes().to_vec())
    }

    fn value(bytes: &[u8], path: &str, name: &str) -> Value {
        let mut attributes = Attributes::new(false);
        attributes.push(b"", bytes);
        attributes.value(path.as_bytes(), name)
    }

    #[test]
    fn rules_are_those_of_gitattributes_5() {
        for (rules, path, expected) in [
            ("*.c text", "a/b.c", Value::Set),
            ("*.c -text", "b.c", Value::Unset),
            ("*.c text=auto", "b.c", is("auto")),
            ("*.c text=", "b.c", is("")),
            ("*.c -text=x", "b.c", Value::Unset),
            ("*.c text\nb.c !text", "b.c", Value::Unspecified),
            ("*.c text\nb.c -text", "b.c", Value::Unset),
            ("*.c text -text", "b.c", Value::Unset),
            ("*.c\ttext\r\n", "b.c", Value::Set),
            ("  *.c  diff   text", "b.c", Value::Set),
            ("# *.c text", "b.c", Value::Unspecified),
            (" #b text", "#b", Value::Unspecified),
            ("!*.c text", "b.c", Value::Unspecified),
            ("a text", "a/b", Value::Unspecified),
            ("a/ text", "a/b", Value::Unspecified),
            ("a/ text", "a/", Value::Set),
            ("a/ text", "a", Value::Unspecified),
            ("a/** text", "a/b/c", Value::Set),
            ("/a text", "b/a", Value::Unspecified),
            ("\"a b\" text", "a b", Value::Set),
            ("\"a\\042\\t\"text", "a\"\t", Value::Set),
            ("\"a text", "\"a", Value::Set),
            ("\"\\477\" text", "\"\\477\"", Value::Unspecified),
            ("\u{feff}a text", "a", Value::Set),
            ("a text -", "a", Value::Unspecified),
            ("a text b\u{e4}r", "a", Value::Unspecified),
            ("a text builtin_x", "a", Value::Unspecified),
            ("a", "a", Value::Unspecified),
        ] {
            assert_eq!(value(rules.as_bytes(), path, "text"), expected, "{rules:?} {path}");
        }
    }

    #[test]
    fn macros_expand_where_they_are_set() {
        for (rules, expected) in [
            ("a binary", Value::Unset),
            ("a binary text", Value::Set),
            ("a text binary", Value::Unset),
            ("a text\na binary", Value::Unset),
            ("a binary\na text", Value::Set),
            ("a binary\na -binary", Value::Unspecified),
            ("a binary\na !binary", Value::Unspecified),
            ("a binary=1", Value::Unspecified),
            ("[attr]binary text=x\na binary", is("x")),
            ("[attr]m binary\na m", Value::Unset),
            ("[attr]m text=1 m n\n[attr]n text=2 m\na m", is("2")),
            ("[attr]m m\na m", Value::Unspecified),
            ("[attr] text", Value::Set),
            ("\"[attr] m x\" text=y\na m", is("y")),
            ("[attr]-m text=y\na -m", Value::Unspecified),
        ] {
            assert_eq!(value(rules.as_bytes(), "a", "text"), expected, "{rules:?}");
        }
        assert_eq!(value(b"a binary", "a", "binary"), Value::Set);
    }

    #[test]
    fn macros_are_defined_for_all_or_not_at_all() {
        let mut attributes = Attributes::new(false);
        attributes.push(b"", b"a m\n");
        attributes.push(b"x", b"[attr]m text=deep\n");
        assert_eq!(attributes.value(b"x/a", "text"), Value::Unspecified);
        attributes.push(b"", b"[attr]m text=info\n");
        assert_eq!(attributes.value(b"x/a", "text"), is("info"));
    }

    #[test]
    fn later_files_win_in_their_folder() {
        let mut attributes = Attributes::new(false);
        for (folder, rules) in [
            ("", "* t=global g"),
            ("", "* t=root"),
            ("x", "* t=x\n/a u"),
            ("x/y", "* t=y"),
            ("z", "* t=z"),
            ("", "b t=info"),
        ] {
            attributes.push(folder.as_bytes(), rules.as_bytes());
        }
        for (path, expected) in [
            ("a", "root"),
            ("x/a", "x"),
            ("x/y/a", "y"),
            ("xy/a", "root"),
            ("z/a", "z"),
            ("x/y/b", "info"),
            ("X/a", "root"),
        ] {
            assert_eq!(attributes.value(path.as_bytes(), "t"), is(expected), "{path}");
            assert_eq!(attributes.value(path.as_bytes(), "g"), Value::Set, "{path}");
        }
        assert_eq!(attributes.value(b"x/a", "u"), Value::Set);
        assert_eq!(attributes.value(b"x/y/a", "u"), Value::Unspecified);
    }

    #[test]
    fn case_matters_unless_it_does_not() {
        for (ignore_case, expected) in [(false, Value::Unspecified), (true, Value::Set)] {
            let mut attributes = Attributes::new(ignore_case);
            attributes.push(b"", b"*.PNG text\n");
            assert_eq!(attributes.value(b"a.png", "text"), expected);
            assert_eq!(attributes.value(b"a.png", "Text"), Value::Unspecified);
        }
    }

    #[test]
    fn long_files_are_cut() {
        let cut = |bytes: &str| {
            let mut attributes = Attributes::new(false);
            attributes.push(b"", bytes.as_bytes());
            attributes.truncated()
        };
        assert!(!cut(&"a text\n".repeat(MAX_PATTERNS)));
        assert!(cut(&"a text\n".repeat(MAX_PATTERNS + 1)));
        assert!(cut(&format!("a{}\n", " b".repeat(999)).repeat(501)));
        assert!(cut(&format!("[attr]a{}\n", " b".repeat(900)).repeat(2)));
        assert!(cut(&(0..400_000).map(|number| format!("[attr]{number:x}\n")).collect::<String>()));
        assert!(cut(&"#".repeat(super::super::MAX_BYTES + 1)));
    }

    #[test]
    fn lines_that_git_finds_too_long_say_nothing() {
        for (blanks, expected) in [(2042, Value::Set), (2043, Value::Unspecified)] {
            assert_eq!(value(format!("a{}text", " ".repeat(blanks)).as_bytes(), "a", "text"), expected);
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_rules(bytes: Vec<u8>, folder: Vec<u8>, path: Vec<u8>, name: String, fold: bool) {
            let mut attributes = Attributes::new(fold);
            attributes.push(b"", &bytes);
            attributes.push(&folder, &bytes);
            prop_assert_eq!(attributes.value(&path, &name), attributes.value(&path, &name));
            prop_assert_eq!(attributes.value(&path, "text"), attributes.value(&path, "text"));
        }
    }
}
