//! Bitmaps as git compresses them (EWAH: the appendix of `gitformat-bitmap`).

use crate::cursor::Cursor;
use crate::error::Malformed;

/// Bits of a word.
const WORD: u64 = 64;

/// A set of numbers, still compressed: a few bytes may stand for more numbers than memory has room for, and only who
/// reads them knows how many there can be.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Bitmap {
    words: Vec<u64>,
}

impl Bitmap {
    /// Reads a bitmap: its number of bits, its number of words, the words, and where the last marker among them stands.
    pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Self, Malformed> {
        let _bits = cursor.u32()?;
        let count = cursor.u32()?;
        // Counted against what is left before anything is set aside for them.
        let bytes = usize::try_from(u64::from(count) * 8).map_err(|_| Malformed::new("ends too early"))?;
        let mut words = Cursor::new(cursor.take(bytes)?);
        let words = (0..count).map(|_| words.u64()).collect::<Result<_, _>>()?;
        let _last_marker = cursor.u32()?;
        Ok(Bitmap { words })
    }

    /// Its numbers in order, all of which have to be below `limit`.
    pub(super) fn numbers(&self, limit: u32) -> Result<Vec<u32>, Malformed> {
        let mut numbers = Numbers { found: Vec::new(), next: 0, limit: u64::from(limit) };
        let mut words = self.words.iter().copied();
        while let Some(marker) = words.next() {
            numbers.run(marker & 1 == 1, marker >> 1 & 0xffff_ffff)?;
            for _ in 0..marker >> 33 {
                numbers.word(words.next().ok_or_else(|| Malformed::new("has a bitmap that ends too early"))?)?;
            }
        }
        Ok(numbers.found)
    }
}

/// The numbers that were found up to a bit.
struct Numbers {
    found: Vec<u32>,
    next: u64,
    limit: u64,
}

impl Numbers {
    /// So many words with the same bit all over.
    fn run(&mut self, bit: bool, words: u64) -> Result<(), Malformed> {
        let from = self.next;
        self.next = from.saturating_add(words.saturating_mul(WORD));
        match bit && words > 0 {
            true if self.next > self.limit => Err(self.too_large()),
            true => (from..self.next).try_for_each(|number| self.push(number)),
            false => Ok(()),
        }
    }

    /// A word, its lowest bit first.
    fn word(&mut self, word: u64) -> Result<(), Malformed> {
        let from = self.next;
        self.next = from.saturating_add(WORD);
        (0..WORD).filter(|bit| word >> bit & 1 == 1).try_for_each(|bit| self.push(from.saturating_add(bit)))
    }

    fn push(&mut self, number: u64) -> Result<(), Malformed> {
        let number = u32::try_from(number).ok().filter(|number| u64::from(*number) < self.limit);
        self.found.push(number.ok_or_else(|| self.too_large())?);
        Ok(())
    }

    fn too_large(&self) -> Malformed {
        Malformed::new(format!("has a bitmap of more than the {} entries that there are", self.limit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marker(bit: u64, run: u64, literals: u64) -> u64 {
        bit | run << 1 | literals << 33
    }

    fn numbers(words: &[u64], limit: u32) -> Result<Vec<u32>, Malformed> {
        Bitmap { words: words.to_vec() }.numbers(limit)
    }

    #[test]
    fn runs_and_words_are_numbers() {
        assert_eq!(numbers(&[], 0), Ok(Vec::new()));
        assert_eq!(numbers(&[marker(0, 1, 1), 0b101], 67), Ok(vec![64, 66]));
        assert_eq!(numbers(&[marker(1, 1, 1), 1 << 63], 128), Ok((0..64).chain([127]).collect()));
        assert_eq!(numbers(&[marker(0, 1, 0), marker(0, 1, 1), 1], 129), Ok(vec![128]));
    }

    #[test]
    fn more_numbers_than_there_can_be_are_not_handed_out() {
        assert!(numbers(&[marker(0, 0, 1), 0b100], 2).is_err());
        assert!(numbers(&[marker(1, 0xffff_ffff, 0)], u32::MAX).is_err());
        assert!(numbers(&[marker(0, 0xffff_ffff, 1), 1], u32::MAX).is_err());
        assert!(numbers(&[marker(0, 0, 0x7fff_ffff), 1], 64).is_err());
    }

    #[test]
    fn a_bitmap_is_not_larger_than_its_bytes() {
        let read = |bytes: &[u8]| Bitmap::read(&mut Cursor::new(bytes));
        assert!(read(b"\0\0\0\x01\xff\xff\xff\xff\0\0\0\0").is_err());
        assert!(read(b"\0\0\0\x01\0\0\0\x01\0\0\0\0\0\0\0\x01").is_err());
        assert_eq!(read(b"\0\0\0\x01\0\0\0\x01\0\0\0\0\0\0\0\x01\0\0\0\0"), Ok(Bitmap { words: vec![1] }));
    }
}
