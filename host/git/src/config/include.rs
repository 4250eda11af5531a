//! Files of settings that include each other.

use super::{Level, MAX_BYTES_INCLUDED, MAX_DEPTH, MAX_FILES, MAX_SETTINGS, Setting, parse};
use crate::error::Malformed;
use crate::rules::glob;

/// A file that is to be included: `include.path` and `includeIf.<condition>.path`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Include {
    /// What has to hold, see [`holds`]; none for `include.path`.
    pub condition: Option<Vec<u8>>,
    /// As it is written: see [`Include::place`].
    pub path: Vec<u8>,
    /// How many files include the one that this is written in: zero for what was given to be read.
    pub depth: usize,
}

/// What conditions on includes are about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// The repository's own folder, absolute and without symbolic links; empty where there is none. Git also tries it with
    /// them: so can the caller.
    pub git_dir: Vec<u8>,
    /// What `~` stands for, without symbolic links.
    pub home: Option<Vec<u8>>,
    /// The branch that is checked out, without `refs/heads/`; none where there is none.
    pub branch: Option<Vec<u8>>,
    /// The folder of the file that the condition is written in, absolute and without symbolic links; empty where it is not
    /// in a file.
    pub including_folder: Vec<u8>,
}

impl Include {
    /// Where the file is, for settings that are in a folder, or for an empty one that are in none.
    ///
    /// None where git could not tell either. Git also knows `~user/`, which is not looked up here, and `%(prefix)/`.
    #[must_use]
    pub fn place(&self, including_folder: &[u8], home: Option<&[u8]>) -> Option<Vec<u8>> {
        match self.path.as_slice() {
            [] => None,
            [b'/', ..] => Some(self.path.clone()),
            [b'~', rest @ ..] => rest.starts_with(b"/").then(|| joined(home?, rest)).flatten(),
            [b'%', b'(', ..] => None,
            _ if including_folder.is_empty() => None,
            path => Some([without_slash(including_folder), b"/", path].concat()),
        }
    }

    /// Its path for a message, which a repository must not make as long as it likes.
    fn shown(&self) -> String {
        self.path.get(..200).unwrap_or(&self.path).escape_ascii().to_string()
    }

    pub(super) fn of(setting: &Setting) -> Option<Include> {
        let path = setting.value.as_deref().filter(|_| *setting.name == *b"path")?.to_vec();
        let condition = match setting.section.strip_prefix(b"include".as_slice())? {
            [] => None,
            rest => Some(rest.strip_prefix(b"if.")?.to_vec()),
        };
        Some(Include { condition, path, depth: setting.depth })
    }
}

/// Whether the condition of an `includeIf` holds: `gitdir:`, `gitdir/i:` and `onbranch:`.
///
/// `hasconfig:` never holds: it asks for remotes of files that are read later, which may not have any if it does. Conditions
/// that are not known do not hold, as in git.
#[must_use]
pub fn holds(condition: &[u8], facts: &Facts) -> bool {
    if let Some(pattern) = condition.strip_prefix(b"gitdir:") {
        is_git_dir(pattern, facts, false)
    } else if let Some(pattern) = condition.strip_prefix(b"gitdir/i:") {
        is_git_dir(pattern, facts, true)
    } else if let (Some(pattern), Some(branch)) = (condition.strip_prefix(b"onbranch:"), &facts.branch) {
        glob::matches(&with_all_below(pattern.to_vec()), branch, false)
    } else {
        false
    }
}

fn is_git_dir(pattern: &[u8], facts: &Facts, fold: bool) -> bool {
    let Some((plain, pattern)) = absolute(pattern, facts).filter(|_| !facts.git_dir.is_empty()) else { return false };
    let pattern = with_all_below(pattern);
    let (Some((folder, pattern)), Some((start, rest))) =
        (pattern.split_at_checked(plain), facts.git_dir.split_at_checked(plain))
    else {
        return false;
    };
    let below = if fold { folder.eq_ignore_ascii_case(start) } else { folder == start };
    below && glob::matches(pattern, rest, fold)
}

/// A pattern of whole paths, and how much of it is to be compared as it is: the folder of the file is no pattern.
fn absolute(pattern: &[u8], facts: &Facts) -> Option<(usize, Vec<u8>)> {
    match (pattern, &facts.home) {
        ([b'.', b'/', ..], _) if facts.including_folder.is_empty() => None,
        ([b'.', b'/', rest @ ..], _) => {
            let folder = [without_slash(&facts.including_folder), b"/"].concat();
            Some((folder.len(), [&folder, rest].concat()))
        }
        ([b'/', ..], _) => Some((0, pattern.to_vec())),
        (b"~" | [b'~', b'/', ..], Some(home)) => Some((0, joined(home, pattern.get(1..)?)?)),
        _ => Some((0, [b"**/", pattern].concat())),
    }
}

/// A pattern that ends with a slash is about all that is below.
fn with_all_below(mut pattern: Vec<u8>) -> Vec<u8> {
    if pattern.ends_with(b"/") {
        pattern.extend(b"**");
    }
    pattern
}

fn joined(folder: &[u8], rest: &[u8]) -> Option<Vec<u8>> {
    (!folder.is_empty()).then(|| [without_slash(folder), rest].concat())
}

fn without_slash(folder: &[u8]) -> &[u8] {
    folder.strip_suffix(b"/").unwrap_or(folder)
}

/// Files that are read into one row of settings.
pub(super) struct Reading<'a> {
    pub(super) settings: Vec<Setting>,
    level: Level,
    read: &'a mut dyn FnMut(&Include) -> Option<Vec<u8>>,
    files: usize,
    bytes: usize,
}

impl<'a> Reading<'a> {
    pub(super) fn new(level: Level, read: &'a mut dyn FnMut(&Include) -> Option<Vec<u8>>) -> Self {
        Reading { settings: Vec::new(), level, read, files: 0, bytes: 0 }
    }

    /// Adds the settings of a file, and after each include those of the other file. It calls itself for that one, so that
    /// the depth is looked at first.
    pub(super) fn file(&mut self, bytes: &[u8], from: Option<&Include>) -> Result<(), Malformed> {
        let depth = from.map_or(0, |include| include.depth + 1);
        self.bytes += bytes.len();
        if self.bytes > MAX_BYTES_INCLUDED {
            return Err(Malformed::new(format!("settings that include more than {MAX_BYTES_INCLUDED} bytes")));
        }
        let named = |why: Malformed| match from {
            Some(include) => Malformed::new(format!("{why} in the included {}", include.shown())),
            None => why,
        };
        for setting in parse::settings(bytes, self.level, depth).map_err(named)? {
            let include = Include::of(&setting);
            self.settings.push(setting);
            if self.settings.len() > MAX_SETTINGS {
                return Err(Malformed::new(format!("more than {MAX_SETTINGS} settings in files that are included")));
            }
            if let Some(include) = include {
                self.include(&include)?;
            }
        }
        Ok(())
    }

    fn include(&mut self, include: &Include) -> Result<(), Malformed> {
        let Some(bytes) = (self.read)(include) else { return Ok(()) };
        let shown = include.shown();
        self.files += 1;
        if self.files > MAX_FILES {
            return Err(Malformed::new(format!(
                "settings that include more than {MAX_FILES} files, the last is {shown}"
            )));
        }
        if include.depth >= MAX_DEPTH {
            return Err(Malformed::new(format!("settings that include {shown} more than {MAX_DEPTH} files deep")));
        }
        self.file(&bytes, Some(include))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Config;
    use super::*;

    fn facts() -> Facts {
        Facts {
            git_dir: b"/home/u/Work/r/.git".to_vec(),
            home: Some(b"/home/u".to_vec()),
            branch: Some(b"feature/x/y".to_vec()),
            including_folder: b"/home/u/Work".to_vec(),
        }
    }

    #[test]
    fn conditions_are_those_of_git_config_1() {
        for (condition, expected) in [
            ("gitdir:/home/u/Work/r/.git", true),
            ("gitdir:/home/u/Work/r", false),
            ("gitdir:/home/u/Work/r/", true),
            ("gitdir:/home/u/Work/", true),
            ("gitdir:/home/u/work/", false),
            ("gitdir/i:/home/u/work/", true),
            ("gitdir:~/Work/", true),
            ("gitdir:~/*/r/.git", true),
            ("gitdir:~/*/.git", false),
            ("gitdir:~/**/.git", true),
            ("gitdir:./", true),
            ("gitdir:./r/.git", true),
            ("gitdir:./R/.git", false),
            ("gitdir/i:./R/.git", true),
            ("gitdir:./x", false),
            ("gitdir:r/", true),
            ("gitdir:Work/", true),
            ("gitdir:work/", false),
            ("gitdir:.git", true),
            ("gitdir:ork/", false),
            ("gitdir:~u/", false),
            ("gitdir:", true),
            ("onbranch:", false),
            ("onbranch:feature/x/y", true),
            ("onbranch:feature/", true),
            ("onbranch:feature/*", false),
            ("onbranch:feature/**", true),
            ("onbranch:*", false),
            ("onbranch:**", true),
            ("onbranch:y", false),
            ("hasconfig:remote.*.url:**", false),
            ("GitDir:/", false),
            ("", false),
        ] {
            assert_eq!(holds(condition.as_bytes(), &facts()), expected, "{condition}");
        }
        assert!(!holds(b"gitdir:./", &Facts { including_folder: Vec::new(), ..facts() }));
        assert!(!holds(b"gitdir:~/", &Facts { home: None, ..facts() }));
        assert!(!holds(b"onbranch:**", &Facts { branch: None, ..facts() }));
    }

    #[test]
    fn the_folder_of_the_file_is_no_pattern() {
        let facts = Facts { git_dir: b"/a/r/.git".to_vec(), including_folder: b"/?".to_vec(), ..Facts::default() };
        assert!(!holds(b"gitdir:./r/", &facts));
        assert!(holds(b"gitdir:./r/", &Facts { git_dir: b"/?/r/.git".to_vec(), ..facts }));
    }

    #[test]
    fn paths_are_relative_to_the_file() {
        let place = |path: &str, folder: &str, home: Option<&[u8]>| {
            let include = Include { condition: None, path: path.as_bytes().to_vec(), depth: 0 };
            include.place(folder.as_bytes(), home).map(|place| String::from_utf8_lossy(&place).into_owned())
        };
        assert_eq!(place("x", "/a/b", None).as_deref(), Some("/a/b/x"));
        assert_eq!(place("../x", "/", None).as_deref(), Some("/../x"));
        assert_eq!(place("/x", "", None).as_deref(), Some("/x"));
        assert_eq!(place("~/x", "", Some(b"/h")).as_deref(), Some("/h/x"));
        for path in ["~/x", "~u/x", "%(prefix)/x", "x", ""] {
            assert_eq!(place(path, "", None), None, "{path}");
        }
    }

    /// Files by what they are called in `path =`, with each include's depth noted.
    fn read(top: &str, files: &[(&str, &str)]) -> Result<(Vec<String>, Vec<usize>), Malformed> {
        let mut depths = Vec::new();
        let config = Config::parse_with(top.as_bytes(), Level::Global, &mut |include| {
            depths.push(include.depth);
            let wanted = |(name, text): &&(&str, &str)| (name.as_bytes() == include.path).then_some(text).is_some();
            files.iter().find(wanted).map(|(_, text)| text.as_bytes().to_vec())
        })?;
        Ok((config.all("a.b").map(|(value, _)| String::from_utf8_lossy(value).into_owned()).collect(), depths))
    }

    #[test]
    fn files_are_included_in_their_place() {
        let files = [("x", "[a]b=2\n[include]path=y\n[a]b=4"), ("y", "[a]b=3")];
        let top = "[a]b=1\n[include]\npath=x\npath=missing\n[a]b=5\n[includeIf \"gitdir:/A.b/\"]path=y";
        let (values, depths) = read(top, &files).expect("files that git reads");
        assert_eq!(values, ["1", "2", "3", "4", "5", "3"]);
        assert_eq!(depths, [0, 1, 0, 0]);
        let includes: Vec<_> = Config::parse(top.as_bytes(), Level::Local).expect("a file").includes().collect();
        assert_eq!(includes.len(), 3);
        assert_eq!(includes[2].condition.as_deref(), Some(b"gitdir:/A.b/".as_slice()));
    }

    #[test]
    fn a_setting_of_another_section_is_no_include() {
        let top = "[includex]path=x\n[include \"s\"]path=x\n[includeIf]path=x\n[include]path\nother=x";
        assert_eq!(read(top, &[("x", "[a]b=1")]), Ok((vec![], vec![])));
    }

    #[test]
    fn circles_of_files_end() {
        let own = read("[include]path=x", &[("x", "[include]path=x")]);
        assert_eq!(own, Err(Malformed::new("settings that include x more than 10 files deep")));
        let tree = "[include]path=x\npath=x\n";
        assert!(read(tree, &[("x", tree)]).is_err());
        let wide = "[include]\n".to_owned() + &"path=x\n".repeat(1001);
        assert!(read(&wide, &[("x", "")]).is_err());
        let (wide, long) = ("[include]\n".to_owned() + &"path=x\n".repeat(5), "#".repeat(super::super::MAX_BYTES));
        assert!(read(&wide, &[("x", &long)]).is_err());
        let many = "[include]path=x\npath=x\n";
        assert!(read(many, &[("x", &"a\n".repeat(MAX_SETTINGS / 2 + 1))]).is_err());
    }

    #[test]
    fn what_is_wrong_is_said_with_its_file() {
        let error = read("[include]path=x", &[("x", "\n[include]path=y"), ("y", "\n[a")]);
        let text = "line 2: a section with something after its name that is not in quotes in the included y";
        assert_eq!(error, Err(Malformed::new(text)));
    }
}
