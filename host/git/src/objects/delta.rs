//! Deltas: an object as pieces of another one and bytes of its own. Format: git's `gitformat-pack`, "Deltified
//! representation".

use crate::error::Malformed;

/// The two sizes that a delta begins with: of its base, and of what it makes.
pub(super) fn sizes(delta: &[u8]) -> Result<(u64, u64, &[u8]), Malformed> {
    let (base, rest) = size(delta)?;
    let (result, rest) = size(rest)?;
    Ok((base, result, rest))
}

/// What a delta makes of its base. `most` bounds the size of it.
pub(super) fn apply(base: &[u8], delta: &[u8], most: u64) -> Result<Vec<u8>, Malformed> {
    let (base_size, result_size, mut rest) = sizes(delta)?;
    if base_size != base.len() as u64 {
        return Err(Malformed::new("a delta of another base"));
    }
    if result_size > most {
        return Err(Malformed::new("a delta that makes more than is read"));
    }
    let size = usize::try_from(result_size).map_err(|_| Malformed::new("a delta of a size that cannot be"))?;
    let mut result = Vec::with_capacity(size);
    while let Some((&code, after)) = rest.split_first() {
        rest = if code & 0x80 != 0 { copy(base, code, after, &mut result)? } else { insert(code, after, &mut result)? };
        if result.len() > size {
            return Err(Malformed::new("a delta that makes more than it says"));
        }
    }
    if result.len() != size {
        return Err(Malformed::new("a delta that makes less than it says"));
    }
    Ok(result)
}

/// A piece of the base: the bits of the code say which bytes of its place and length follow.
fn copy<'a>(base: &[u8], code: u8, mut rest: &'a [u8], result: &mut Vec<u8>) -> Result<&'a [u8], Malformed> {
    let mut number = |bits: std::ops::Range<u32>| {
        let mut value = 0_usize;
        for (shift, bit) in bits.enumerate() {
            if code & (1 << bit) != 0 {
                let (&byte, after) = rest.split_first()?;
                value |= usize::from(byte) << (8 * shift);
                rest = after;
            }
        }
        Some(value)
    };
    let place = number(0..4).zip(number(4..7));
    let (from, length) = place.ok_or_else(|| Malformed::new("a delta that is cut off"))?;
    let length = if length == 0 { 0x10000 } else { length };
    let piece = from.checked_add(length).and_then(|end| base.get(from..end));
    result.extend_from_slice(piece.ok_or_else(|| Malformed::new("a delta that copies what its base does not have"))?);
    Ok(rest)
}

fn insert<'a>(code: u8, rest: &'a [u8], result: &mut Vec<u8>) -> Result<&'a [u8], Malformed> {
    match rest.split_at_checked(usize::from(code)) {
        Some((piece, after)) if code != 0 => {
            result.extend_from_slice(piece);
            Ok(after)
        }
        _ => Err(Malformed::new("a delta with a code that means nothing")),
    }
}

/// A size in pieces of seven bits, the lowest first.
fn size(bytes: &[u8]) -> Result<(u64, &[u8]), Malformed> {
    let mut value = 0_u64;
    for (at, &byte) in bytes.iter().enumerate().take(10) {
        let bits = u64::from(byte & 0x7f);
        value |= bits.checked_shl(7 * u32::try_from(at).unwrap_or(u32::MAX)).unwrap_or_default();
        if byte & 0x80 == 0 {
            return Ok((value, bytes.get(at + 1..).unwrap_or_default()));
        }
    }
    Err(Malformed::new("a delta without its sizes"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn pieces_of_the_base_and_bytes_of_its_own() {
        let delta = [6, 9, 0x91, 2, 4, 3, b'x', b'y', b'z', 0x90, 2];
        assert_eq!(apply(b"abcdef", &delta, 100), Ok(b"cdefxyzab".to_vec()));
    }

    #[test]
    fn what_no_delta_is() {
        let check = |delta: &[u8]| assert!(apply(b"abcdef", delta, 100).is_err(), "{delta:?}");
        check(&[]);
        check(&[7, 1, 1, b'x']);
        check(&[6, 2, 1, b'x']);
        check(&[6, 1, 2, b'x', b'y']);
        check(&[6, 1, 0]);
        check(&[6, 3, 0x91, 4, 3]);
        check(&[6, 101, 101]);
        check(&[0xff; 20]);
    }

    proptest! {
        #[test]
        fn no_bytes_panic(base in prop::collection::vec(any::<u8>(), 0..300), delta in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = apply(&base, &delta, 1 << 16);
        }
    }
}
