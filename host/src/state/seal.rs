//! Telling the tool's own files from all others: a secret of this user's, and what it makes of a content.

use std::io;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::Folder;

/// The secret's file. It is worth nothing but to whoever wants to run code as its user, and who can read it can do so.
const FILE: &str = "key";

/// Bytes of a seal.
const BYTES: usize = 32;

/// What seals files, and says whether a seal is its own.
pub struct Seal {
    key: [u8; 32],
}

impl Seal {
    /// The seal of whoever owns a folder, made at first use. One that is not as it was written is replaced, and with it
    /// goes the trust in everything that it sealed.
    ///
    /// # Errors
    /// There is none and none can be written.
    pub fn of(folder: &Folder) -> io::Result<Self> {
        if let Some(key) = read(folder) {
            return Ok(Self { key });
        }
        let mut key = [0; 32];
        getrandom::fill(&mut key)?;
        folder.replace(FILE, &[&key])?;
        // Of two runs that both found none, one lost: what it seals now is compiled once more.
        read(folder).map(|key| Self { key }).ok_or_else(|| io::Error::other("the key could not be read back"))
    }

    /// The seal of a content under a name. The name says what the content is for: under another one the seal is none.
    #[must_use]
    pub fn seal(&self, name: &[&str], content: &[u8]) -> [u8; BYTES] {
        self.over(name, content).finalize().into_bytes().into()
    }

    /// Whether a seal is this one's, over this content, under this name. Takes the same time wherever they differ.
    #[must_use]
    pub fn holds(&self, name: &[&str], content: &[u8], seal: &[u8; BYTES]) -> bool {
        self.over(name, content).verify_slice(seal).is_ok()
    }

    fn over(&self, name: &[&str], content: &[u8]) -> Hmac<Sha256> {
        // As HMAC itself does with a key that is shorter than a block.
        let mut block = [0; 64];
        block.iter_mut().zip(self.key).for_each(|(to, from)| *to = from);
        let mut mac = Hmac::<Sha256>::new(&block.into());
        for part in name.iter().map(|part| part.as_bytes()).chain([content]) {
            // With its length in front no part can pass for the end of the one before it.
            mac.update(&(part.len() as u64).to_le_bytes());
            mac.update(part);
        }
        mac
    }
}

fn read(folder: &Folder) -> Option<[u8; 32]> {
    folder.read(FILE, 32).ok()?.try_into().ok()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_seal_is_bound_to_its_key_its_name_and_its_content() {
        let (one, other) = (Seal { key: [1; 32] }, Seal { key: [2; 32] });
        let seal = one.seal(&["ab", "c"], b"content");
        assert!(one.holds(&["ab", "c"], b"content", &seal));
        assert!(!other.holds(&["ab", "c"], b"content", &seal));
        assert!(!one.holds(&["a", "bc"], b"content", &seal));
        assert!(!one.holds(&["ab", "c"], b"Content", &seal));
        assert!(!one.holds(&["ab"], b"ccontent", &seal));
    }

    #[test]
    fn the_key_is_made_once_and_is_for_nobody_else() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("own");
        let folder = Folder::open(&path).unwrap();
        let first = Seal::of(&folder).unwrap();
        assert_eq!(first.key, Seal::of(&folder).unwrap().key);
        assert_ne!(first.key, [0; 32]);
        assert_eq!(fs::metadata(path.join(FILE)).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_key_that_is_not_as_it_was_written_is_replaced() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("own");
        let folder = Folder::open(&path).unwrap();
        let mut last = Seal::of(&folder).unwrap().key;
        let spoils: [fn(&std::path::Path); 4] = [
            |file| fs::write(file, [7; 31]).unwrap(),
            |file| fs::set_permissions(file, fs::Permissions::from_mode(0o644)).unwrap(),
            |file| {
                fs::remove_file(file).unwrap();
                fs::create_dir(file).unwrap();
            },
            |file| {
                fs::rename(file, file.with_file_name("elsewhere")).unwrap();
                std::os::unix::fs::symlink("elsewhere", file).unwrap();
            },
        ];
        for spoil in spoils {
            spoil(&path.join(FILE));
            let key = Seal::of(&folder).unwrap().key;
            assert_ne!(key, last);
            last = key;
        }
    }
}
