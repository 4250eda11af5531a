//! States of a repository that generated histories do not reach.

use insta::assert_snapshot;
use review_loop::scope::{Change, Options, Scope, SourceError};
use review_loop_core::finding::Side;

use super::gits_view::assert_same;
use super::repository::{Repository, listed, patch};

#[test]
fn an_unborn_head_has_everything_added() {
    let repository = Repository::new();
    repository.write("staged.txt", "one\n");
    repository.git(["add", "staged.txt"]);
    repository.write("untracked.txt", "two");
    let change = repository.read(Scope::Working);
    assert_snapshot!(listed(&change), @"
    Added staged.txt +1 -0
    Added untracked.txt +1 -0
    ");
    assert_snapshot!(patch(&change, "untracked.txt"), @"
    @@ 
    +two (no line feed)
    ");
    assert_eq!((change.base, change.subject.branch.as_deref()), (None, Some("main")));
    assert_eq!(change.sources.paths(Side::Old).unwrap().len(), 0);
    assert_same(&repository, &Scope::Working);
    assert_same(&repository, &Scope::Staged);
}

#[test]
fn nothing_changed_is_no_file() {
    let repository = Repository::with(&[("a", "a\n")]);
    for scope in [Scope::Working, Scope::Staged, Scope::range("HEAD..HEAD").unwrap()] {
        assert_eq!(repository.read(scope).subject.files.len(), 0);
    }
}

#[test]
fn a_sparse_checkout_deletes_nothing() {
    let repository = Repository::with(&[("in/a", "a\n"), ("out/b", "b\n"), ("out/c", "c\n")]);
    repository.git(["sparse-checkout", "set", "--cone", "in"]);
    repository.write("in/a", "changed\n");
    assert!(!repository.path("out/b").exists());
    let change = repository.read(Scope::Working);
    assert_snapshot!(listed(&change), @"Modified in/a +1 -1");
    assert_eq!(change.sources.read("out/b", Side::New).unwrap(), b"b\n");
    assert_same(&repository, &Scope::Working);
}

#[test]
fn an_unresolved_merge_is_reviewed_as_it_lies_on_the_disk() {
    let repository = Repository::with(&[("a", "base\n"), ("gone", "base\n")]);
    repository.git(["checkout", "-q", "-b", "other"]);
    repository.write("a", "theirs\n");
    repository.write("gone", "theirs\n");
    repository.commit_all();
    repository.git(["checkout", "-q", "main"]);
    repository.write("a", "ours\n");
    repository.remove("gone");
    repository.commit_all();
    assert!(!repository.try_git(&repository.root, None, ["merge", "other"]).status.success());
    let change = repository.read(Scope::Working);
    assert_snapshot!(patch(&change, "a"), @"
    @@ 
    +<<<<<<< HEAD
     ours
    +=======
    +theirs
    +>>>>>>> other
    ");
    assert_snapshot!(listed(&change), @"
    Modified a +4 -0
    Added gone +1 -0
    ");
    let reason = "an unresolved merge: resolve it and `git add` the file, or review uncommitted work";
    let staged = repository.read(Scope::Staged);
    for file in &staged.subject.files {
        assert_eq!(file.omitted, Some(review_loop_core::subject::Omitted::Unreadable(reason.into())), "{}", file.path);
    }
    assert_eq!(staged.subject.files.len(), 2);
}

#[test]
fn a_merge_commit_is_compared_with_its_first_parent() {
    let repository = Repository::with(&[("a", "a\n")]);
    repository.git(["checkout", "-q", "-b", "other"]);
    repository.write("b", "b\n");
    repository.commit_all();
    repository.git(["checkout", "-q", "main"]);
    repository.write("c", "c\n");
    repository.commit_all();
    repository.git(["merge", "-q", "--no-edit", "other"]);
    assert_snapshot!(listed(&repository.read(Scope::Commit("HEAD".into()))), @"Added b +1 -0");
    assert_same(&repository, &Scope::Commit("HEAD".into()));
}

#[test]
fn a_submodule_is_the_commit_that_is_checked_out() {
    let inner = Repository::with(&[("x", "1\n")]);
    let repository = Repository::with(&[("a", "a\n")]);
    repository.git(["submodule", "--quiet", "add", inner.root.to_str().unwrap(), "lib"]);
    assert_same(&repository, &Scope::Working);
    repository.commit_all();
    assert_same(&repository, &Scope::Commit("HEAD".into()));

    repository.write("lib/x", "uncommitted\n");
    repository.write("lib/new", "untracked\n");
    let commit = |revision: &str| {
        let folder = repository.path("lib");
        String::from_utf8(repository.git_in(&folder, ["rev-parse", "--short=7", revision])).unwrap().trim().to_owned()
    };
    let why = |change: &Change| change.subject.files[0].omitted.clone().map(|why| why.to_string()).unwrap_or_default();
    assert_eq!(
        why(&repository.read(Scope::Working)),
        format!(
            "not looked into: a submodule at {} with uncommitted changes; `--submodules` looks into it",
            commit("HEAD")
        )
    );
    repository.git_in(&repository.path("lib"), ["commit", "-q", "-a", "-m", "x"]);
    let change = repository.read(Scope::Working);
    assert_eq!(
        why(&change),
        format!(
            "not looked into: a submodule that moved from {} to {}, with uncommitted changes; `--submodules` looks into it",
            commit("HEAD~1"),
            commit("HEAD")
        )
    );
    assert_eq!(patch(&change, "lib").matches("Subproject commit ").count(), 2);
    assert_same(&repository, &Scope::Working);
    assert!(!change.sources.paths(Side::New).unwrap().iter().any(|path| path.starts_with("lib")));

    repository.remove("lib");
    assert_same(&repository, &Scope::Working);
    std::fs::create_dir(repository.path("lib")).unwrap();
    assert_eq!(repository.read(Scope::Working).subject.files.len(), 0, "not checked out is not deleted");
}

#[test]
fn another_repository_inside_is_named_and_not_looked_into() {
    let repository = Repository::with(&[("a", "a\n")]);
    std::fs::create_dir(repository.path("nested")).unwrap();
    repository.git_in(&repository.path("nested"), ["init", "-q", "--template="]);
    repository.write("nested/secret", "x\n");
    let change = repository.read(Scope::Working);
    assert_snapshot!(listed(&change), @r#"Added nested/ +0 -0 OtherRepository("another repository, at no commit; `--submodules` looks into it")"#);
    assert!(change.subject.files[0].omitted.as_ref().is_some_and(review_loop_core::subject::Omitted::is_gap));
    assert!(change.sources.read("nested/secret", Side::New).is_err());
}

#[test]
fn ignored_files_are_nowhere() {
    let repository = Repository::with(&[("a", "a\n"), (".gitignore", "*.log\n/build/\n")]);
    repository.write("x.log", "x");
    repository.write("build/out", "x");
    repository.write("sub/.gitignore", "secret\n");
    repository.write("sub/secret", "x");
    repository.write(".git/info/exclude", "excluded\n");
    repository.write("excluded", "x");
    let change = repository.read(Scope::Working);
    assert_snapshot!(listed(&change), @"Added sub/.gitignore +1 -0");
    for path in ["x.log", "build/out", "sub/secret", "excluded", ".git/config"] {
        assert!(change.sources.read(path, Side::New).is_err(), "{path}");
    }
    assert_same(&repository, &Scope::Working);
}

#[test]
fn modes_count_only_where_the_repository_keeps_them() {
    let repository = Repository::with(&[("a", "a\n")]);
    repository.set_executable("a", true);
    assert_snapshot!(listed(&repository.read(Scope::Working)), @"Modified a +0 -0");
    repository.git(["config", "core.fileMode", "false"]);
    assert_eq!(repository.read(Scope::Working).subject.files.len(), 0);
    assert_same(&repository, &Scope::Working);
}

#[test]
fn files_over_the_limit_and_binary_ones_are_named_and_not_read() {
    let repository = Repository::with(&[("was-large", &"x\n".repeat(900)), ("a", "a\n")]);
    repository.write("large", "x\n".repeat(900));
    repository.write("was-large", "x\n");
    repository.write("binary", b"a\0b");
    let options = Options { max_file_bytes: 1000, max_source_bytes: 1000, ..Options::default() };
    let change = repository.read_with(options);
    assert_snapshot!(listed(&change), @"
    Added binary +0 -0 Binary
    Added large +0 -0 TooLarge
    Modified was-large +0 -0 TooLarge
    ");
    let sizes: Vec<u64> = change.subject.files.iter().map(|file| file.size).collect();
    assert_eq!(sizes, [3, 1800, 2]);
    assert_eq!(change.sources.read("large", Side::New).unwrap_err(), SourceError::TooLarge(1800));
    assert_eq!(change.sources.read("was-large", Side::Old).unwrap_err(), SourceError::TooLarge(1800));
}

#[test]
fn what_nobody_wants_reviewed_is_named_counted_and_left_out() {
    let repository = Repository::with(&[
        ("a.rs", "// @generated by x\nfn a() {}\n"),
        ("b.rs", "fn b() {}\n"),
        (".gitattributes", "made/* linguist-generated\n"),
    ]);
    repository.write("a.rs", "// @generated by x\nfn a2() {}\n");
    repository.write("b.rs", "// @generated, says the change of itself\nfn b2() {}\n");
    repository.write("Cargo.lock", "one\ntwo\n");
    repository.write("vendor/x.c", "int x;\n");
    repository.write("made/y.c", "int y;\n");
    repository.write("hidden.c", "int z;\n");
    repository.write(".gitattributes", "* linguist-generated\n");
    repository.write("notes.md", "x\n");
    let options = Options { ignore: vec!["*.md".into()], ..Options::default() };
    assert_snapshot!(listed(&repository.read_with(options)), @"
    Modified .gitattributes +1 -1
    Added Cargo.lock +2 -0 LockFile
    Modified a.rs +1 -1 Generated
    Modified b.rs +2 -1
    Added hidden.c +1 -0
    Added made/y.c +1 -0 Generated
    Added notes.md +1 -0 Ignored
    Added vendor/ +0 -0 Vendored
    ");
    let change = repository.read(Scope::Working);
    assert!(change.subject.files.iter().all(|file| file.omitted.is_none()));
}

#[test]
fn an_attribute_does_not_hide_a_text() {
    let repository = Repository::with(&[("a.rs", "fn a() {}\n"), (".gitattributes", "*.rs -diff\n*.c binary\n")]);
    repository.write("a.rs", "fn b() {}\n");
    repository.write("b.c", "int b;\n");
    assert_snapshot!(listed(&repository.read(Scope::Working)), @"
    Modified a.rs +1 -1
    Added b.c +1 -0
    ");
}

#[test]
fn renames_and_copies_are_found_up_to_the_limit() {
    let text: String = (0..40).map(|line| format!("line {line}\n")).collect();
    let repository = Repository::with(&[("one", &text), ("two", &text.replace("line", "other"))]);
    repository.remove("one");
    repository.write("renamed", text.replace("line 7\n", "line seven\n"));
    repository.write("two", text.replace("line", "other").replace("other 3\n", ""));
    repository.write("copied", text.replace("line", "other").replace("other 9\n", "other nine\n"));
    let read = |rename_limit| {
        let options = Options { rename_limit, ..Options::default() };
        listed(&repository.read_with(options))
    };
    assert_snapshot!(read(1000), @"
    Copied two -> copied +1 -1
    Renamed one -> renamed +1 -1
    Modified two +0 -1
    ");
    assert_snapshot!(read(1), @"
    Added copied +40 -0
    Deleted one +0 -40
    Added renamed +40 -0
    Modified two +0 -1
    ");
    assert_same(&repository, &Scope::Working);
}

#[test]
fn what_is_kept_in_memory_has_a_bound_and_the_rest_is_read_again() {
    let repository = Repository::with(&[("a", "a\n")]);
    let large = "0123456789abcdef".repeat(60_000);
    (0..38).for_each(|number| repository.write(format!("f{number:02}"), format!("{number:02}\n{large}")));
    let change = repository.read(Scope::Working);
    assert_eq!(change.subject.files.len(), 38);
    assert!(change.subject.files.iter().all(|file| file.added == 2));
    let last = change.sources.read("f37", Side::New).unwrap();
    assert!(last.starts_with(b"37\n0123") && last.len() == 960_003);
    repository.write("f37", "changed meanwhile\n");
    repository.write("f00", "changed meanwhile\n");
    let error = change.sources.read("f37", Side::New).unwrap_err();
    assert_eq!(error.to_string(), "it changed since the review began");
    assert!(change.sources.read("f00", Side::New).unwrap().starts_with(b"00\n0123"), "kept as it was reviewed");
}

#[test]
fn a_repository_that_does_not_tell_cases_apart_is_read_with_every_file() {
    let repository =
        Repository::with(&[("Makefile", "a\n"), ("README.md", "a\n"), ("b.rs", "b\n"), ("src/Main.rs", "c\n")]);
    repository.git(["config", "core.ignorecase", "true"]);
    for path in ["Makefile", "Zoo.py", "apple.py", "src/Main.rs", "src/lib.rs"] {
        repository.write(path, format!("{path}\n"));
    }
    repository.git(["add", "--all"]);
    assert_same(&repository, &Scope::Staged);
    assert_same(&repository, &Scope::Working);
    repository.git(["mv", "README.md", "Readme.md"]);
    assert_snapshot!(listed(&repository.read(Scope::Staged)), @"
    Modified Makefile +1 -1
    Renamed README.md -> Readme.md +0 -0
    Added Zoo.py +1 -0
    Added apple.py +1 -0
    Modified src/Main.rs +1 -1
    Added src/lib.rs +1 -0
    ");
    assert_same(&repository, &Scope::Staged);
    // Another file, for all that its name differs in case alone: this file system does tell them apart.
    repository.write("B.rs", "x\n");
    assert!(listed(&repository.read(Scope::Working)).contains("Added B.rs +1 -0"));
}

#[test]
fn a_text_is_text_in_whatever_encoding_and_in_every_scope() {
    let utf16 = |text: &str| -> Vec<u8> {
        [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
    };
    let repository = Repository::with(&[(".gitattributes", "*.ps1 working-tree-encoding=UTF-16\n"), ("a", "a\n")]);
    repository.write("told.ps1", utf16("Write-Host 1\n"));
    repository.write("plain.txt", utf16("one\ntwo\n"));
    repository.write("nul.sh", format!("#!/bin/sh\n# \0\n{}", "echo ok\n".repeat(30)));
    repository.write("image.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\0");
    repository.write("packed.js", b"\x1f\x8b\x08\0\0\0\0\0\0\x03\0\0\x01\x02");
    repository.write("unknown.ps1", "Write-Host 1\n");
    let expected = "\
Added image.png +0 -0 Binary
Added nul.sh +32 -0
Added packed.js +0 -0 Unreadable(\"it is no text, under the name of source code\")
Added plain.txt +2 -0
Added told.ps1 +1 -0
Added unknown.ps1 +0 -0 Unreadable(\"it is no UTF-16, which its attribute `working-tree-encoding` says it is\")";
    let change = repository.read_with(Options::default());
    assert_eq!(listed(&change), expected);
    assert_eq!(patch(&change, "told.ps1"), "@@ \n+Write-Host 1\n");
    repository.remove("unknown.ps1");
    repository.commit_all();
    let committed = listed(&repository.read(Scope::Commit("HEAD".into())));
    assert_eq!(committed, expected.rsplit_once('\n').unwrap().0);
}

#[test]
fn what_cannot_be_looked_at_is_a_gap_and_a_folder_left_out_is_one_line() {
    let repository = Repository::with(&[("a", "a\n"), ("dir/b", "b\n")]);
    for number in 0..300 {
        repository.write(format!("node_modules/lib/{number}.js"), "x\n");
    }
    repository.remove("a");
    let pipe = std::process::Command::new("mkfifo").arg(repository.path("a")).status().unwrap();
    assert!(pipe.success());
    assert_snapshot!(listed(&repository.read_with(Options::default())), @r#"
    Modified a +0 -0 Unreadable("not a regular file any more")
    Added node_modules/ +0 -0 Vendored
    "#);
}

#[test]
fn submodules_and_nested_repositories_are_reviewed_where_that_is_wanted() {
    let inner = Repository::with(&[("x", "1\n"), ("deep/y", "1\n")]);
    let repository = Repository::with(&[("a", "a\n")]);
    repository.git(["submodule", "--quiet", "add", inner.root.to_str().unwrap(), "lib"]);
    repository.commit_all();
    let lib = repository.path("lib");
    repository.write("lib/x", "2\n");
    repository.git_in(&lib, ["commit", "-q", "-a", "-m", "x"]);
    repository.write("lib/deep/y", "2\n");
    repository.write("nested/n", "1\n");
    repository.git_in(&repository.path("nested"), ["init", "-q", "--template="]);
    let options = Options { submodules: true, ..Options::default() };
    let change = repository.read_with(options);
    assert_snapshot!(listed(&change), @"
    Modified lib +1 -1
    Added nested/ +0 -0
    Modified lib/deep/y +1 -1
    Modified lib/x +1 -1
    Added nested/n +1 -0
    ");
    assert_eq!(change.sources.read("lib/x", Side::Old).unwrap(), b"1\n");
    assert_eq!(change.sources.read("lib/deep/y", Side::New).unwrap(), b"2\n");
    assert!(change.sources.paths(Side::New).unwrap().contains(&"nested/n".to_owned()));
}
