use std::sync::LazyLock;

use proptest::prelude::*;

use super::*;
use crate::testing::{FORMATS, Sandbox};

/// The index of a repository, merged where it is split.
fn index(sandbox: &Sandbox, format: Format) -> Index {
    let index = parse(&sandbox.read(".git/index"), format).unwrap();
    match index.shared.as_ref().map(|shared| format!(".git/sharedindex.{}", shared.id)) {
        Some(shared) => index.merge(parse(&sandbox.read(&shared), format).unwrap()).unwrap(),
        None => index,
    }
}

/// What git says is in the index: of each entry a line, and five more lines with what `lstat` said.
fn listed(sandbox: &Sandbox) -> Vec<Entry> {
    let listed = sandbox.git(&["ls-files", "--sparse", "--stage", "--debug", "-z"]);
    let mut parts = listed.split(|byte| *byte == 0);
    let mut line = parts.next().unwrap().to_vec();
    parts
        .map(|part| {
            let end = part.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(4).unwrap().0 + 1;
            let entry = entry_of(&line, std::str::from_utf8(&part[..end]).unwrap());
            line = part[end..].to_vec();
            entry
        })
        .collect()
}

fn entry_of(line: &[u8], debug: &str) -> Entry {
    let tab = line.iter().position(|byte| *byte == b'\t').unwrap();
    let mut words = std::str::from_utf8(&line[..tab]).unwrap().split(' ');
    let mut next = || words.next().unwrap();
    let (mode, id, stage) = (u32::from_str_radix(next(), 8).unwrap(), Id::from_hex(next().as_bytes()).unwrap(), next());
    let (stat, flags) = debug.split_once("flags: ").unwrap();
    let flags = u32::from_str_radix(flags.trim(), 16).unwrap();
    Entry {
        path: line[tab + 1..].to_vec(),
        mode,
        id,
        stage: stage.parse().unwrap(),
        stat: stat_of(stat),
        assume_valid: flags & 1 << 15 != 0,
        skip_worktree: flags & 1 << 30 != 0,
        intent_to_add: flags & 1 << 29 != 0,
    }
}

fn stat_of(debug: &str) -> Stat {
    let numbers = debug.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty());
    let numbers: Vec<u32> = numbers.map(|number| number.parse().unwrap()).collect();
    let [a, b, c, d, dev, ino, uid, gid, size] = numbers[..] else { panic!("{debug}") };
    Stat { ctime: (a, b), mtime: (c, d), dev, ino, uid, gid, size }
}

/// Files in folders, of which each path shares something with the one before, and one has a very long path.
fn sandbox(format: Format) -> Sandbox {
    let sandbox = Sandbox::new(format, &[]);
    for number in 0..200 {
        sandbox.write(&format!("folder-{}/deep/er/file-{number}", number % 7), &number.to_string());
    }
    sandbox.write(&format!("{0}/{0}", "long".repeat(50)), "long");
    sandbox.write("\u{fc}n\u{ef}c\u{f6}de and space", "text");
    sandbox.commit("first");
    sandbox
}

fn version(sandbox: &Sandbox) -> u8 {
    sandbox.read(".git/index")[7]
}

#[test]
fn versions_two_to_four_are_read_as_git_reads_them() {
    for format in FORMATS {
        let sandbox = sandbox(format);
        assert_eq!((version(&sandbox), index(&sandbox, format).entries), (2, listed(&sandbox)));
        sandbox.write("folder-1/new", "new");
        sandbox.git(&["add", "--intent-to-add", "folder-1/new"]);
        sandbox.git(&["update-index", "--skip-worktree", "folder-1/deep/er/file-1"]);
        sandbox.git(&["update-index", "--assume-unchanged", "folder-2/deep/er/file-2"]);
        assert_eq!((version(&sandbox), index(&sandbox, format).entries), (3, listed(&sandbox)));
        sandbox.git(&["update-index", "--index-version", "4"]);
        assert_eq!((version(&sandbox), index(&sandbox, format).entries), (4, listed(&sandbox)));
        let entries = index(&sandbox, format).entries;
        assert_eq!(entries.len(), 203);
        let flags = entries.iter().map(|entry| [entry.intent_to_add, entry.skip_worktree, entry.assume_valid]);
        let flagged: Vec<_> = flags.filter(|flags| flags.contains(&true)).collect();
        assert_eq!(flagged, [[false, true, false], [true, false, false], [false, false, true]]);
    }
}

#[test]
fn a_path_of_more_bytes_than_its_length_field_holds_is_read_whole() {
    let sandbox = Sandbox::new(Format::Sha1, &[]);
    for (length, is_read) in [(4094, true), (4095, true), (4096, true), (4097, false)] {
        let path = "d".repeat(length);
        let line = format!("100644 {} 0\t{path}\n", "1".repeat(40));
        sandbox.git(&["read-tree", "--empty"]);
        for version in ["2", "4"] {
            sandbox.git_reads(&["update-index", "--index-version", version, "--index-info"], line.as_bytes());
            let parsed = parse(&sandbox.read(".git/index"), Format::Sha1).map(|index| index.entries[0].path.clone());
            assert_eq!(parsed.ok(), is_read.then(|| path.clone().into_bytes()), "{length}");
        }
    }
}

#[test]
fn a_conflict_has_three_stages() {
    for format in FORMATS {
        let sandbox = sandbox(format);
        sandbox.git(&["branch", "theirs"]);
        sandbox.write("folder-0/deep/er/file-0", "ours");
        sandbox.commit("ours");
        sandbox.git(&["checkout", "--quiet", "theirs"]);
        sandbox.write("folder-0/deep/er/file-0", "theirs");
        sandbox.commit("theirs");
        assert!(!sandbox.run(&["merge", "main"], b"").status.success());
        let entries = index(&sandbox, format).entries;
        assert_eq!(entries, listed(&sandbox));
        let stages = entries.iter().filter(|entry| entry.path == b"folder-0/deep/er/file-0").map(|entry| entry.stage);
        assert_eq!(stages.collect::<Vec<_>>(), [1, 2, 3]);
    }
}

/// Splits an index and then replaces, deletes, adds and conflicts entries. A share of 100 keeps git from making a new whole one.
fn split(format: Format, version: &str) -> Sandbox {
    let sandbox = sandbox(format);
    sandbox.git(&["update-index", "--index-version", version]);
    sandbox.git(&["config", "splitIndex.maxPercentChange", "100"]);
    sandbox.git(&["update-index", "--split-index"]);
    sandbox.write("folder-0/deep/er/file-0", "replaced");
    sandbox.write("folder-6/deep/er/file-188", "replaced");
    sandbox.write("a new one", "added");
    sandbox.write("zz/a new one", "added");
    sandbox.git(&["add", "--all"]);
    sandbox.git(&["rm", "--quiet", "-r", "folder-3", "folder-4/deep/er/file-4"]);
    sandbox.git(&["update-index", "--skip-worktree", "folder-5/deep/er/file-5"]);
    let (one, name) = ("1".repeat(format.digits()), "folder-1/deep/er/file-1");
    let zero = "0".repeat(format.digits());
    let lines = format!("0 {zero}\t{name}\n100644 {one} 1\t{name}\n100755 {one} 3\t{name}\n");
    sandbox.git_reads(&["update-index", "--index-info"], lines.as_bytes());
    sandbox
}

#[test]
fn a_split_index_goes_over_the_shared_one() {
    for (format, version) in FORMATS.into_iter().flat_map(|format| [(format, "2"), (format, "4")]) {
        let sandbox = split(format, version);
        let own = parse(&sandbox.read(".git/index"), format).unwrap();
        assert!(own.shared.is_some() && own.entries.len() < 10);
        assert_eq!(index(&sandbox, format).entries, listed(&sandbox));
        assert_eq!(index(&sandbox, format).shared, None);
    }
}

#[test]
fn a_shared_index_whose_every_entry_is_deleted_adds_nothing() {
    let sandbox = split(Format::Sha1, "2");
    sandbox.git(&["rm", "--quiet", "--cached", "--sparse", "-r", "."]);
    assert!(parse(&sandbox.read(".git/index"), Format::Sha1).unwrap().shared.is_some());
    assert_eq!(index(&sandbox, Format::Sha1).entries, []);
}

#[test]
fn a_split_index_does_not_go_over_another_one() {
    let sandbox = split(Format::Sha1, "2");
    let split = parse(&sandbox.read(".git/index"), Format::Sha1).unwrap();
    let whole = index(&sandbox, Format::Sha1);
    assert!(split.clone().merge(whole.clone()).is_err());
    assert!(split.clone().merge(split.clone()).is_err());
    assert_eq!(whole.clone().merge(split), Ok(whole));
}

#[test]
fn a_sparse_index_has_folders() {
    for format in FORMATS {
        let sandbox = sandbox(format);
        sandbox.git(&["sparse-checkout", "set", "--cone", "--sparse-index", "folder-0", "folder-1/deep"]);
        let index = index(&sandbox, format);
        assert!(index.is_sparse);
        assert_eq!(index.entries, listed(&sandbox));
        let is_folder = |entry: &&Entry| entry.mode == 0o040_000 && entry.path.ends_with(b"/") && entry.skip_worktree;
        assert_eq!(index.entries.iter().filter(is_folder).count(), 6);
    }
}

#[test]
fn an_index_without_a_checksum_of_its_own_is_read() {
    let sandbox = sandbox(Format::Sha1);
    sandbox.git(&["-c", "index.skipHash=true", "update-index", "--force-write-index"]);
    assert!(sandbox.read(".git/index").ends_with(&[0; 20]));
    assert_eq!(index(&sandbox, Format::Sha1).entries, listed(&sandbox));
}

/// An index of version 2 with entries of these paths and stages, and with this after them.
fn made(paths: &[(&str, u16)], extensions: &[u8]) -> Vec<u8> {
    let count = u32::try_from(paths.len()).unwrap().to_be_bytes();
    let mut bytes = [b"DIRC\0\0\0\x02".as_slice(), &count].concat();
    for (number, (path, stage)) in (1..).zip(paths) {
        let flags = (stage << 12 | u16::try_from(path.len()).unwrap()).to_be_bytes();
        let padding = &[0; 8][..8 - (62 + path.len()) % 8];
        bytes.extend([&[0; 40], [number; 20].as_slice(), &flags, path.as_bytes(), padding].concat());
    }
    bytes.extend(extensions);
    bytes.extend([0; 20]);
    bytes
}

#[test]
fn entries_are_sorted_and_the_first_of_two_is_kept() {
    let bytes = made(&[("b", 0), ("a", 2), ("B", 0), ("a", 1), ("b", 0)], b"");
    let index = parse(&bytes, Format::Sha1).unwrap();
    let entries = index.entries.iter().map(|entry| (entry.path.as_slice(), entry.stage, entry.id.as_bytes()[0]));
    let expected = [(b"B".as_slice(), 0, 3), (b"a", 1, 4), (b"a", 2, 2), (b"b", 0, 1)];
    assert_eq!(entries.collect::<Vec<_>>(), expected);
}

#[test]
fn a_split_index_counts_places_in_the_file_and_not_in_the_order() {
    let head = [0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 0];
    let bitmap = |bits: u64| [head.as_slice(), &bits.to_be_bytes(), &[0; 4]].concat();
    let link = [b"link\0\0\0\x4c".as_slice(), &[0xaa; 20], &bitmap(0b001), &bitmap(0b010)].concat();
    let own = parse(&made(&[("", 0), ("d", 0)], &link), Format::Sha1).unwrap();
    let mut shared = made(&[("c", 0), ("a", 0), ("b", 0), ("d", 1), ("d", 2)], b"");
    let end = shared.len() - 20;
    shared[end..].fill(0xaa);
    let whole = own.merge(parse(&shared, Format::Sha1).unwrap()).unwrap();
    let entries: Vec<_> = whole.entries.iter().map(|entry| (entry.path.as_slice(), entry.id.as_bytes()[0])).collect();
    assert_eq!(entries, [(b"a".as_slice(), 1), (b"b", 3), (b"d", 2)]);
}

#[test]
fn what_is_not_known_and_required_is_named() {
    let reason = |bytes: &[u8]| parse(bytes, Format::Sha1).unwrap_err().0;
    assert!(parse(&made(&[], b"QQQQ\0\0\0\x01x"), Format::Sha1).is_ok());
    assert_eq!(reason(&made(&[], b"qq\xffq\0\0\0\x01x")), "needs the extension qq\\xffq, which is not known");
    assert_eq!(reason(b"DIRC"), "is too short for an index");
    assert_eq!(reason(&made(&[("", 0)], b"")), "has an entry without a path");
    assert_eq!(reason(&made(&[], b"QQQQ\0\0\0\x02x")), "ends too early");
    let mut newer = made(&[], b"");
    newer[7] = 5;
    assert_eq!(reason(&newer), "is an index of version 5; 2 to 4 are read");
    newer[7..12].copy_from_slice(&[2, 0xff, 0xff, 0xff, 0xff]);
    assert_eq!(reason(&newer), "entry 0 ends too early");
}

#[test]
fn paths_that_share_their_front_cannot_grow_without_end() {
    let entry = |path: &[u8]| [&[0; 60], b"\x0f\xff".as_slice(), path, b"\0"].concat();
    let bytes = [entry(&[b"\0".as_slice(), &[b'a'; 4096]].concat()), entry(b"\x01b").repeat(3)].concat();
    let read = |left| {
        let entries = Entries { left, ..Entries::new(4, Format::Sha1) };
        entries.read(&mut Cursor::new(&bytes), 4).map(|entries| entries.len())
    };
    assert_eq!(read(4 * 4096), Ok(4));
    assert!(read(4 * 4096 - 1).is_err());
}

/// An index, and what it goes over if it is split.
type Sample = (Format, Vec<u8>, Option<Vec<u8>>);

/// Real files of every kind: what mutations start from.
static SAMPLES: LazyLock<Vec<Sample>> = LazyLock::new(|| {
    let mut samples = Vec::new();
    for format in FORMATS {
        for version in ["2", "4"] {
            let sandbox = split(format, version);
            let own = sandbox.read(".git/index");
            let shared = parse(&own, format).unwrap().shared.unwrap();
            samples.push((format, own, Some(sandbox.read(&format!(".git/sharedindex.{}", shared.id)))));
            sandbox.git(&["update-index", "--no-split-index"]);
            samples.push((format, sandbox.read(".git/index"), None));
        }
    }
    samples
});

/// Reads both files, and merges them where they can be.
fn read_all(format: Format, own: &[u8], shared: Option<&[u8]>) {
    let Ok(own) = parse(own, format) else { return };
    assert!(own.entries.is_sorted_by(|one, other| one.key() < other.key()));
    if let Some(Ok(shared)) = shared.map(|shared| parse(shared, format)) {
        let _ = own.merge(shared);
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes_are_read_or_refused(head in prop::option::of(2..5_u8), rest in prop::collection::vec(any::<u8>(), 0..600)) {
        let head = head.map(|version| [b"DIRC\0\0\0".as_slice(), &[version, 0, 0]].concat()).unwrap_or_default();
        let bytes = [head, rest].concat();
        for format in FORMATS {
            read_all(format, &bytes, Some(&bytes));
        }
    }

    #[test]
    fn damaged_files_are_read_or_refused(
        sample in 0..8_usize,
        in_shared in any::<bool>(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>(), any::<u8>()), 1..8),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let (format, mut own, mut shared) = SAMPLES[sample].clone();
        let bytes = if in_shared { shared.as_mut().unwrap_or(&mut own) } else { &mut own };
        for (at, is_near_the_end, byte) in damage {
            // Extensions and bitmaps stand at the end and are small next to the entries.
            let span = if is_near_the_end { bytes.len().min(300) } else { bytes.len() };
            let from = bytes.len() - span;
            bytes[from + at.index(span)] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        read_all(format, &own, shared.as_deref());
    }
}
