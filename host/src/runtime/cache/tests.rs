//! Entries that are not as they were written: each is compiled again and replaced, and none is run.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::*;
use crate::runtime::engine;

/// A cache in a place of its own, with two components in it.
struct World {
    place: tempfile::TempDir,
    engine: Engine,
}

/// A component whose one function does nothing, told apart by a name.
fn component(name: &str) -> Vec<u8> {
    wat::parse_str(format!(
        r#"(component
            (core module $m (func (export "{name}")))
            (core instance $i (instantiate $m))
            (func (export "{name}") (canon lift (core func $i "{name}"))))"#
    ))
    .unwrap()
}

impl World {
    fn new() -> Self {
        let world = Self { place: tempfile::tempdir().unwrap(), engine: engine::start().unwrap() };
        ["one", "two"].into_iter().for_each(|name| world.compile(name));
        world
    }

    fn folder(&self) -> PathBuf {
        self.place.path().join("cache")
    }

    fn shelf(&self) -> Arc<Shelf> {
        let (cache, complaint) = Cache::open(Some(&self.folder()), &self.engine);
        assert_eq!(complaint, None);
        cache.shelf.unwrap()
    }

    /// Has a component from the cache, as a run does.
    fn compile(&self, name: &str) {
        let cache = Cache { shelf: Some(self.shelf()) };
        let component = cache.compile(&self.engine, &component(name)).unwrap();
        assert!(component.get_export_index(None, name).is_some(), "another component than {name}");
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder().join(engine_key(&self.engine)).join(file_name(&digest(&component(name))))
    }

    fn is_kept(&self, name: &str) -> bool {
        self.shelf().load(&self.engine, &digest(&component(name))).is_some()
    }
}

/// What was done to an entry is noticed, and a run mends it.
fn check(spoil: impl Fn(&World, &Path)) {
    let world = World::new();
    assert!(world.is_kept("one"));
    spoil(&world, &world.file("one"));
    assert!(!world.is_kept("one"));
    world.compile("one");
    assert!(world.is_kept("one") && world.is_kept("two"));
}

#[test]
fn a_flipped_bit_anywhere() {
    let world = World::new();
    let whole = fs::read(world.file("one")).unwrap();
    for at in (0..whole.len()).step_by(whole.len() / 50) {
        let mut flipped = whole.clone();
        flipped[at] ^= 1;
        fs::write(world.file("one"), flipped).unwrap();
        assert!(!world.is_kept("one"), "byte {at}");
    }
    world.compile("one");
    assert!(world.is_kept("one"));
}

#[test]
fn one_that_is_cut_short_or_goes_on() {
    for length in [0, 31, 32, 1000] {
        check(|_, file| fs::write(file, &fs::read(file).unwrap()[..length]).unwrap());
    }
    check(|_, file| fs::write(file, [fs::read(file).unwrap(), vec![0]].concat()).unwrap());
}

#[test]
fn one_of_another_component() {
    check(|world, file| {
        fs::copy(world.file("two"), file).unwrap();
    });
}

#[test]
fn one_of_another_engine() {
    let world = World::new();
    let mine = world.shelf();
    let (own, seal) =
        (Folder::open(&world.folder()).unwrap(), Seal::of(&Folder::open(&world.folder()).unwrap()).unwrap());
    let other = Shelf { folder: own.inner("other").unwrap(), seal, engine: "other".to_owned() };
    let digest = digest(&component("one"));
    fs::copy(world.file("one"), world.folder().join("other").join(file_name(&digest))).unwrap();
    assert!(mine.load(&world.engine, &digest).is_some());
    assert!(other.load(&world.engine, &digest).is_none());
}

#[test]
fn one_of_another_user() {
    let (world, stranger) = (World::new(), World::new());
    fs::copy(stranger.file("one"), world.file("one")).unwrap();
    assert!(!world.is_kept("one"));
    fs::copy(stranger.folder().join("key"), world.folder().join("key")).unwrap();
    assert!(world.is_kept("one") && !world.is_kept("two"), "the key is what tells them apart");
}

#[test]
fn one_whose_key_is_gone() {
    let world = World::new();
    fs::remove_file(world.folder().join("key")).unwrap();
    assert!(!world.is_kept("one"));
    world.compile("one");
    assert!(world.is_kept("one") && !world.is_kept("two"));
}

#[test]
fn what_is_no_file_of_the_users_own() {
    check(|_, file| fs::set_permissions(file, fs::Permissions::from_mode(0o622)).unwrap());
    check(|_, file| {
        fs::remove_file(file).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, file, rustix::fs::Mode::RWXU).unwrap();
    });
    check(|_, file| {
        fs::remove_file(file).unwrap();
        fs::create_dir(file).unwrap();
    });
    check(|world, file| {
        fs::rename(file, world.place.path().join("elsewhere")).unwrap();
        symlink(world.place.path().join("elsewhere"), file).unwrap();
    });
    check(|_, file| {
        let large = fs::OpenOptions::new().write(true).open(file).unwrap();
        large.set_len(MOST_BYTES + 1).unwrap();
    });
}

#[test]
fn a_folder_that_cannot_be_trusted_keeps_nothing() {
    let world = World::new();
    fs::set_permissions(world.folder(), fs::Permissions::from_mode(0o777)).unwrap();
    let (cache, complaint) = Cache::open(Some(&world.folder()), &world.engine);
    assert!(cache.shelf.is_none());
    assert!(complaint.unwrap().starts_with("compiled components are not kept: "));
}
