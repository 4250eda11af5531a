//! What may be wrong with a folder, and with a file in it.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

/// A private folder in a place of its own, and the place.
fn folder() -> (tempfile::TempDir, Folder) {
    let place = tempfile::tempdir().unwrap();
    let folder = Folder::open(&place.path().join("own")).unwrap();
    (place, folder)
}

fn names(folder: &Folder) -> Vec<String> {
    let mut names: Vec<String> =
        folder.dir.entries().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_folder_that_others_can_write_to_is_not_trusted() {
    let (_place, folder) = folder();
    let inner = folder.inner("inner").unwrap();
    assert_eq!(fs::metadata(&inner.path).unwrap().permissions().mode() & 0o777, 0o700);
    fs::set_permissions(&inner.path, fs::Permissions::from_mode(0o770)).unwrap();
    assert!(folder.inner("inner").is_err());
    fs::set_permissions(&folder.path, fs::Permissions::from_mode(0o777)).unwrap();
    assert!(Folder::open(&folder.path).is_err());
}

#[test]
fn what_belongs_to_another_user_is_not_trusted() {
    assert_eq!(private(1000, 1000, 0), None);
    assert_eq!(private(0, 1000, 0), Some("belongs to another user"));
    assert!(private(1000, 1000, 0o020).is_some());
}

#[test]
fn a_relative_folder_is_refused() {
    assert!(Folder::open(Path::new("cache")).is_err());
    assert!(Folder::open(Path::new("")).is_err());
}

#[test]
fn replacing_leaves_no_other_file_behind() {
    let (_place, folder) = folder();
    folder.replace("state", &[b"old"]).unwrap();
    folder.replace("state", &[b"n", b"ew"]).unwrap();
    assert_eq!(folder.read("state", 10).unwrap(), b"new");
    assert_eq!(names(&folder), ["state"]);
}

#[test]
fn only_a_regular_private_file_of_a_bounded_size_is_read() {
    let (_place, folder) = folder();
    let path = |name: &str| folder.path.join(name);
    folder.replace("good", &[b"12345"]).unwrap();
    assert_eq!(folder.read("good", 5).unwrap(), b"12345");
    assert!(folder.read("good", 4).is_err());
    symlink(path("good"), path("link")).unwrap();
    symlink("good", path("inner-link")).unwrap();
    fs::create_dir(path("folder")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, path("pipe"), rustix::fs::Mode::RUSR).unwrap();
    for name in ["link", "inner-link", "folder", "pipe", "missing", "../own/good"] {
        assert!(folder.read(name, 5).is_err(), "{name}");
    }
    fs::set_permissions(path("good"), fs::Permissions::from_mode(0o620)).unwrap();
    assert!(folder.read("good", 5).is_err());
}

#[test]
fn whatever_is_in_the_way_is_replaced() {
    let (_place, folder) = folder();
    let path = |name: &str| folder.path.join(name);
    fs::create_dir_all(path("folder").join("full")).unwrap();
    fs::write(path("target"), "kept").unwrap();
    symlink(path("target"), path("link")).unwrap();
    for name in ["folder", "link"] {
        folder.replace(name, &[b"new"]).unwrap();
        assert_eq!(folder.read(name, 3).unwrap(), b"new");
    }
    assert_eq!(fs::read(path("target")).unwrap(), b"kept");
}

#[test]
fn what_a_killed_run_left_is_swept_and_what_another_is_at_is_not() {
    let (_place, folder) = folder();
    fs::write(folder.path.join(".tmpAbCdEf"), "half").unwrap();
    folder.replace("state", &[b"whole"]).unwrap();
    let at_work = Unfinished::create(&folder.dir).unwrap();
    folder.sweep();
    assert_eq!(names(&folder), [at_work.name.as_str(), "state"]);
    drop(at_work);
    assert_eq!(names(&folder), ["state"]);
}
