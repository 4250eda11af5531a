//! Bytes that are read from front to back, and that may end anywhere.

use crate::error::Malformed;
use crate::id::{Format, Id};

/// What is left to be read. Numbers are big-endian, as in all of git's formats.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    /// Reads these bytes from their front.
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Cursor { rest: bytes }
    }

    /// How many bytes are left.
    pub(crate) const fn left(&self) -> usize {
        self.rest.len()
    }

    /// Whether no byte is left.
    pub(crate) const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next so many bytes.
    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or_else(too_short)?;
        self.rest = rest;
        Ok(taken)
    }

    /// The bytes up to the next NUL, which is read and not handed out.
    pub(crate) fn until_nul(&mut self) -> Result<&'a [u8], Malformed> {
        let count = self.rest.iter().position(|byte| *byte == 0).ok_or_else(too_short)?;
        let taken = self.take(count)?;
        self.take(1)?;
        Ok(taken)
    }

    /// A number of one byte.
    pub(crate) fn u8(&mut self) -> Result<u8, Malformed> {
        self.array().map(|[byte]| byte)
    }

    /// A number of two bytes.
    pub(crate) fn u16(&mut self) -> Result<u16, Malformed> {
        self.array().map(u16::from_be_bytes)
    }

    /// A number of three bytes.
    pub(crate) fn u24(&mut self) -> Result<u32, Malformed> {
        self.array().map(|[high, middle, low]| u32::from_be_bytes([0, high, middle, low]))
    }

    /// A number of four bytes.
    pub(crate) fn u32(&mut self) -> Result<u32, Malformed> {
        self.array().map(u32::from_be_bytes)
    }

    /// A number of eight bytes.
    pub(crate) fn u64(&mut self) -> Result<u64, Malformed> {
        self.array().map(u64::from_be_bytes)
    }

    /// A number of a varying width, as the offsets of deltas in packs have it (`gitformat-pack`): seven bits a byte, and one
    /// is added with every further byte, so that no number has two spellings.
    pub(crate) fn varint(&mut self) -> Result<u64, Malformed> {
        let mut byte = self.u8()?;
        let mut value = u64::from(byte & 0x7f);
        while byte & 0x80 != 0 {
            byte = self.u8()?;
            let higher = value.checked_add(1).and_then(|value| value.checked_mul(128));
            value = higher.ok_or_else(|| Malformed::new("has a number of more than 64 bits"))? | u64::from(byte & 0x7f);
        }
        Ok(value)
    }

    /// A [`varint`](Self::varint) that counts bytes.
    pub(crate) fn length(&mut self) -> Result<usize, Malformed> {
        usize::try_from(self.varint()?).map_err(|_| too_short())
    }

    /// The name of an object.
    pub(crate) fn id(&mut self, format: Format) -> Result<Id, Malformed> {
        Id::from_bytes(format, self.take(format.bytes())?).ok_or_else(too_short)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or_else(too_short)?;
        self.rest = rest;
        Ok(*taken)
    }
}

fn too_short() -> Malformed {
    Malformed::new("ends too early")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_gone() {
        let mut cursor = Cursor::new(b"\x01\0\x02\0\0\x03\0\0\0\x04name\0rest");
        assert_eq!(cursor.u8(), Ok(1));
        assert_eq!(cursor.u16(), Ok(2));
        assert_eq!(cursor.u24(), Ok(3));
        assert_eq!(cursor.u32(), Ok(4));
        assert_eq!(cursor.until_nul(), Ok(&b"name"[..]));
        assert_eq!(cursor.until_nul(), Err(too_short()));
        assert_eq!(cursor.u64(), Err(too_short()));
        assert_eq!((cursor.left(), cursor.take(4)), (4, Ok(&b"rest"[..])));
        assert!(cursor.is_empty());
    }

    #[test]
    fn a_varint_has_one_spelling_and_an_end() {
        assert_eq!(Cursor::new(b"\x7f").varint(), Ok(127));
        assert_eq!(Cursor::new(b"\x80\0").varint(), Ok(128));
        assert_eq!(Cursor::new(b"\xff\x7f").varint(), Ok(16511));
        assert_eq!(Cursor::new(b"\x80\x80").varint(), Err(too_short()));
        assert!(Cursor::new(&[0xff; 99]).varint().is_err());
    }
}
