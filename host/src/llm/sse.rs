//! Server-sent events: bytes in pieces of any size in, whole events out.

/// Splits a stream into the data of its events. Names, ids and comments are dropped: both protocols say in the data
/// what an event is.
#[derive(Debug, Default)]
pub(super) struct Events {
    /// What has come since the last end of a line.
    line: Vec<u8>,
    /// The data lines of the event so far.
    data: Vec<u8>,
    has_data: bool,
    /// The last byte was a carriage return: a line feed right behind it ends no second line.
    after_return: bool,
}

impl Events {
    /// Takes a piece and hands every event that is complete with it to `each`; stops at its first error.
    pub(super) fn feed<E>(&mut self, piece: &[u8], mut each: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        for &byte in piece {
            let second = byte == b'\n' && self.after_return;
            self.after_return = byte == b'\r';
            match byte {
                b'\n' if second => {}
                b'\n' | b'\r' => self.end_line(&mut each)?,
                _ => self.line.push(byte),
            }
        }
        Ok(())
    }

    fn end_line<E>(&mut self, each: &mut impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            let data = std::mem::take(&mut self.data);
            return if std::mem::take(&mut self.has_data) { each(&data) } else { Ok(()) };
        }
        if let Some(value) = line.strip_prefix(b"data:") {
            if std::mem::replace(&mut self.has_data, true) {
                self.data.push(b'\n');
            }
            self.data.extend_from_slice(value.strip_prefix(b" ").unwrap_or(value));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {

    use proptest::prelude::*;

    use super::*;

    fn events(pieces: &[&[u8]]) -> Vec<String> {
        let mut all = Vec::new();
        let mut events = Events::default();
        for piece in pieces {
            events
                .feed(piece, |data| -> Result<(), ()> {
                    all.push(String::from_utf8_lossy(data).into_owned());
                    Ok(())
                })
                .unwrap();
        }
        all
    }

    #[test]
    fn every_kind_of_line_end_ends_a_line() {
        assert_eq!(events(&[b"event: a\ndata: 1\n\ndata:2\r\n\r\ndata: 3\r\r"]), ["1", "2", "3"]);
        assert_eq!(events(&[b"data: 1\r", b"\n\r", b"\n"]), ["1"]);
    }

    #[test]
    fn data_lines_are_joined_and_comments_dropped() {
        assert_eq!(events(&[b": ping\n\ndata: a\ndata: b\nid: 3\n\ndata\n\n"]), ["a\nb"]);
    }

    #[test]
    fn an_event_without_its_empty_line_is_not_whole() {
        assert_eq!(events(&[b"data: 1\n\ndata: 2\n"]), ["1"]);
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), Just(b'd'), Just(b':'), any::<u8>()], 0..200), cut in 0usize..200) {
            let mut text = b"data: x\n\n".to_vec();
            text.extend(bytes);
            let (a, b) = text.split_at(cut.min(text.len()));
            prop_assert_eq!(events(&[a, b]), events(&[&text]));
        }
    }
}
