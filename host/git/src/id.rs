//! Names of objects: a SHA-1 of 40 hex digits, or a SHA-256 of 64.

use std::fmt;

use sha1::{Digest as _, Sha1};
use sha2::Sha256;

/// Which hash a repository names its objects by (`extensions.objectFormat`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Format {
    /// 20 bytes; what every repository has unless it says otherwise.
    #[default]
    Sha1,
    /// 32 bytes.
    Sha256,
}

impl Format {
    /// Bytes of a name.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Format::Sha1 => 20,
            Format::Sha256 => 32,
        }
    }

    /// Hex digits of a name.
    #[must_use]
    pub const fn digits(self) -> usize {
        self.bytes() * 2
    }
}

/// The name of an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id {
    format: Format,
    bytes: [u8; 32],
}

impl Id {
    /// The name that these bytes are; none where they are too few or too many.
    #[must_use]
    pub fn from_bytes(format: Format, bytes: &[u8]) -> Option<Self> {
        let mut id = Id::zero(format);
        if bytes.len() != format.bytes() {
            return None;
        }
        id.bytes.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(id)
    }

    /// The name that a full row of hex digits is, by its length of either format.
    #[must_use]
    pub fn from_hex(hex: &[u8]) -> Option<Self> {
        let format = [Format::Sha1, Format::Sha256].into_iter().find(|format| format.digits() == hex.len())?;
        let mut id = Id::zero(format);
        for (byte, pair) in id.bytes.iter_mut().zip(hex.chunks_exact(2)) {
            let &[high, low] = pair else { return None };
            *byte = digit(high)? << 4 | digit(low)?;
        }
        Some(id)
    }

    /// The name of nothing: all zeros.
    #[must_use]
    pub const fn zero(format: Format) -> Self {
        Id { format, bytes: [0; 32] }
    }

    /// The name that git gives to an object of this kind and content.
    #[must_use]
    pub fn of(format: Format, kind: &str, content: &[u8]) -> Self {
        let head = format!("{kind} {}\0", content.len());
        let mut id = Id::zero(format);
        match format {
            Format::Sha1 => {
                let sum = Sha1::new().chain_update(head.as_bytes()).chain_update(content).finalize();
                id.bytes.iter_mut().zip(sum).for_each(|(to, from)| *to = from);
            }
            Format::Sha256 => {
                let sum = Sha256::new().chain_update(head.as_bytes()).chain_update(content).finalize();
                id.bytes.iter_mut().zip(sum).for_each(|(to, from)| *to = from);
            }
        }
        id
    }

    /// Which hash it is.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// Its bytes, 20 or 32.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.format.bytes()).unwrap_or(&self.bytes)
    }

    /// Whether it is the name of nothing.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.bytes == [0; 32]
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_bytes().iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The value of a hex digit of either case.
pub(crate) fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_blob_has_gits_names() {
        assert_eq!(Id::of(Format::Sha1, "blob", b"").to_string(), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(
            Id::of(Format::Sha256, "blob", b"").to_string(),
            "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"
        );
    }

    #[test]
    fn hex_is_read_by_its_length() {
        let sha1 = Id::from_hex(b"E69de29bb2d1d6434b8b29ae775ad8c2e48c5391").map(|id| id.format());
        assert_eq!(sha1, Some(Format::Sha1));
        assert_eq!(Id::from_hex(&[b'0'; 64]).map(|id| id.format()), Some(Format::Sha256));
        assert_eq!(Id::from_hex(b"e69d"), None);
        assert_eq!(Id::from_hex(&[b'g'; 40]), None);
    }
}
