use std::collections::BTreeMap;
use std::sync::LazyLock;

use proptest::prelude::*;

use super::*;
use crate::testing::{FORMATS, Sandbox};

/// A repository of 3,000 references in several tables, some of them deleted, moved, symbolic or of annotated tags.
fn sandbox(format: Format, block_size: &str) -> Sandbox {
    let sandbox = Sandbox::new(format, &["--ref-format=reftable"]);
    sandbox.git(&["config", "reftable.blockSize", block_size]);
    sandbox.commit("first");
    let update = |verb: &str, every: usize, to: &str| {
        let line = |number| format!("{verb} refs/heads/topic-{}/{number}{to}\n", number % 9);
        let lines: String = (0..3000).step_by(every).map(line).collect();
        sandbox.git_reads(&["update-ref", "--stdin"], lines.as_bytes());
    };
    update("create", 1, " HEAD");
    sandbox.commit("second");
    update("delete", 7, "");
    update("update", 500, " HEAD");
    sandbox.git(&["tag", "light"]);
    sandbox.git(&["tag", "-a", "-m", "annotated", "heavy"]);
    sandbox.git(&["tag", "-a", "-m", "of a tag", "heavier", "heavy"]);
    sandbox.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/heads/main"]);
    sandbox.git(&["symbolic-ref", "HEAD", "refs/heads/not/there/yet"]);
    sandbox
}

/// The tables of a repository, the oldest first.
fn tables(sandbox: &Sandbox) -> Vec<Vec<u8>> {
    let list = String::from_utf8(sandbox.read(".git/reftable/tables.list")).unwrap();
    list.lines().map(|name| sandbox.read(&format!(".git/reftable/{name}"))).collect()
}

/// What tables say together: of each name what the last one says.
fn merged(tables: &[Vec<u8>], format: Format) -> BTreeMap<Vec<u8>, Value> {
    let mut all: BTreeMap<_, _> = tables.iter().flat_map(|table| read(table, format, 5000).unwrap()).collect();
    all.retain(|_, value| *value != Value::Deleted);
    all
}

/// What git says that the references are, `HEAD` among them.
fn listed(sandbox: &Sandbox) -> BTreeMap<Vec<u8>, Value> {
    let pattern = "--format=%(refname) %(objectname) %(*objectname) %(symref)";
    let listed = String::from_utf8(sandbox.git(&["for-each-ref", pattern])).unwrap();
    let head = String::from_utf8(sandbox.git(&["symbolic-ref", "HEAD"])).unwrap();
    let head = format!("HEAD - - {}", head.trim_end());
    let value = |line: &str| match line.split(' ').collect::<Vec<_>>()[..] {
        [name, _, _, target] if !target.is_empty() => (name.into(), Value::Symbolic(target.into())),
        [name, id, "", _] => (name.into(), Value::Id(Id::from_hex(id.as_bytes()).unwrap())),
        [name, id, peeled, _] => {
            let [id, peeled] = [id, peeled].map(|hex| Id::from_hex(hex.as_bytes()).unwrap());
            (name.into(), Value::Tag { id, peeled })
        }
        _ => panic!("{line}"),
    };
    listed.lines().chain([head.as_str()]).map(value).collect()
}

#[test]
fn references_are_those_that_git_lists() {
    for (format, block_size) in FORMATS.into_iter().flat_map(|format| [(format, "4096"), (format, "512")]) {
        let sandbox = sandbox(format, block_size);
        let tables = tables(&sandbox);
        assert!(tables.len() > 5, "{}", tables.len());
        assert_eq!(merged(&tables, format), listed(&sandbox));
        let found = tables.iter().flat_map(|table| read(table, format, 5000).unwrap());
        assert_eq!(found.filter(|(_, value)| *value == Value::Deleted).count(), 3000_usize.div_ceil(7));
        sandbox.git(&["pack-refs"]);
        let packed = self::tables(&sandbox);
        assert_eq!((packed.len(), merged(&packed, format)), (1, listed(&sandbox)));
    }
}

#[test]
fn no_more_references_are_read_than_were_asked_for() {
    let sandbox = sandbox(Format::Sha1, "4096");
    sandbox.git(&["pack-refs"]);
    let table = &tables(&sandbox)[0];
    let count = listed(&sandbox).len();
    let read = |most| read(table, Format::Sha1, most).map(|found| found.len());
    assert_eq!(read(count), Ok(count));
    assert_eq!(read(count - 1), Err(Malformed::new(format!("has more than {} references", count - 1))));
}

#[test]
fn a_table_of_another_hash_is_refused() {
    for [one, other] in [FORMATS, [Format::Sha256, Format::Sha1]] {
        let table = &tables(&Sandbox::new(one, &["--ref-format=reftable"]))[0];
        assert!(read(table, one, 1).is_ok());
        assert!(read(table, other, 1).is_err());
    }
}

/// A symbolic reference to `x`, of which the name shares so many bytes with the one before.
fn record(shared: u8, suffix: &str) -> Vec<u8> {
    let length = u8::try_from(suffix.len()).unwrap() << 3 | 3;
    [&[shared, length], suffix.as_bytes(), &[0, 1, b'x']].concat()
}

/// A block, which has these bytes in front of it that count as its own.
fn block(front: usize, records: &[Vec<u8>]) -> Vec<u8> {
    let records = records.concat();
    let length = u32::try_from(front + 4 + records.len() + 5).unwrap().to_be_bytes();
    [b"r", &length[1..], &records, &[0, 0, 4, 0, 1]].concat()
}

/// A table of SHA-1 of these blocks, with these positions in its footer.
fn table(block_size: u8, blocks: &[u8], positions: [u64; 5]) -> Vec<u8> {
    let header = [b"REFT\x01\0\0".as_slice(), &[block_size], &[0; 16]].concat();
    let positions: Vec<u8> = positions.iter().flat_map(|position| position.to_be_bytes()).collect();
    [&header, blocks, &header, &positions, &[0; 4]].concat()
}

fn names(table: &[u8]) -> Result<Vec<String>, String> {
    let found = read(table, Format::Sha1, 9).map_err(|Malformed(what)| what)?;
    Ok(found.into_iter().map(|(name, _)| String::from_utf8(name).unwrap()).collect())
}

#[test]
fn blocks_may_follow_each_other_with_or_without_a_gap() {
    let blocks = [block(24, &[record(0, "abc"), record(1, "c")]), block(0, &[record(0, "b")])];
    let expected = Ok(["abc", "ac", "b"].map(String::from).to_vec());
    assert_eq!(names(&table(0, &blocks.concat(), [0; 5])), expected);
    assert_eq!(names(&table(100, &blocks.concat(), [0; 5])), expected);
    let gap = vec![0; 100 - 24 - blocks[0].len()];
    assert_eq!(names(&table(100, &[&blocks[0], &gap, &blocks[1]].map(Vec::as_slice).concat(), [0; 5])), expected);
}

#[test]
fn other_parts_end_the_references() {
    let first = block(24, &[record(0, "a")]);
    let end = u64::try_from(24 + first.len()).unwrap();
    let blocks = [first, b"anything".to_vec()].concat();
    let expected = Ok(vec!["a".to_owned()]);
    assert_eq!(names(&table(0, &blocks, [end, 0, 0, 0, 0])), expected);
    assert_eq!(names(&table(0, &blocks, [0, end << 5 | 3, 0, end + 2, 0])), expected);
    assert_eq!(names(&table(0, &blocks, [0, 0, 0, end, 0])), expected);
    assert_eq!(names(&table(0, b"g\0\0\0", [0; 5])), Ok(Vec::new()));
    assert_eq!(names(&table(0, b"", [0; 5])), Ok(Vec::new()));
}

#[test]
fn what_is_not_right_is_named() {
    let reason = |blocks: &[u8], positions| names(&table(0, blocks, positions)).unwrap_err();
    assert_eq!(reason(b"anything", [0; 5]), "has a block of the unknown kind 0x61");
    assert_eq!(reason(b"", [999, 0, 0, 0, 0]), "points at parts that it has not");
    assert_eq!(reason(b"", [23, 0, 0, 0, 0]), "points at a part inside of its header");
    assert_eq!(reason(&block(24, &[record(0, "b"), record(0, "b")]), [0; 5]), "has names that are not in order");
    assert_eq!(reason(&block(24, &[record(0, "")]), [0; 5]), "has names that are not in order");
    let shared = "has a name that shares more than there is of the one before";
    assert_eq!(reason(&block(24, &[record(0, "a"), record(2, "b")]), [0; 5]), shared);
    assert_eq!(reason(b"r\xff\xff\xff", [0; 5]), "ends too early");
    assert_eq!(reason(&block(24, &[b"\0\x0fa\0".to_vec()]), [0; 5]), "has a value of the unknown kind 7");
    assert_eq!(names(&table(0, b"", [0; 5])[..91]), Err("ends too early".to_owned()));
    let mut other = table(0, b"", [0; 5]);
    other[24 + 7] = 9;
    assert_eq!(names(&other), Err("has a footer that is not its header's".to_owned()));
}

/// Real tables of both hashes: what mutations start from.
static SAMPLES: LazyLock<Vec<(Format, Vec<u8>)>> = LazyLock::new(|| {
    let tables = |format| tables(&sandbox(format, "512")).into_iter().map(move |table| (format, table));
    FORMATS.into_iter().flat_map(tables).collect()
});

proptest! {
    #[test]
    fn arbitrary_bytes_are_read_or_refused(block_size in any::<u8>(), bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        for format in FORMATS {
            let _ = read(&bytes, format, 5000);
        }
        let _ = names(&table(block_size, &bytes, [0; 5]));
        let whole = [b"r", &u32::try_from(24 + 4 + bytes.len()).unwrap().to_be_bytes()[1..], &bytes].concat();
        let _ = read(&table(block_size, &whole, [0; 5]), Format::Sha1, 5000);
    }

    #[test]
    fn damaged_tables_are_read_or_refused(
        sample in any::<prop::sample::Index>(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let (format, mut bytes) = sample.get(&SAMPLES[..]).clone();
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Ok(found) = read(&bytes, format, 5000) {
            prop_assert!(found.is_sorted_by(|(one, _), (other, _)| one < other));
        }
    }
}
