//! Unpacking a zlib stream out of a file, to a size that is known beforehand.

use flate2::{Decompress, FlushDecompress, Status};

use crate::error::{Error, Malformed};
use crate::files::File;

/// Bytes that are read of the file at a time. Most objects are smaller.
const CHUNK: usize = 8 << 10;

/// A stream in a file, being unpacked.
pub(super) struct Stream<'a> {
    file: &'a File,
    at: u64,
    chunk: Vec<u8>,
    used: usize,
    inflate: Decompress,
    done: bool,
}

impl<'a> Stream<'a> {
    /// The stream that begins at a byte of the file.
    pub(super) fn at(file: &'a File, at: u64) -> Self {
        Stream { file, at, chunk: Vec::new(), used: 0, inflate: Decompress::new(true), done: false }
    }

    /// Fills the buffer, or as much of it as the stream has. How much that is.
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        let mut filled = 0;
        while filled < buffer.len() && !self.done {
            if self.used == self.chunk.len() {
                self.refill()?;
            }
            let before = (self.inflate.total_in(), self.inflate.total_out());
            let input = self.chunk.get(self.used..).unwrap_or_default();
            let output = buffer.get_mut(filled..).unwrap_or_default();
            let status = self.inflate.decompress(input, output, FlushDecompress::None);
            let status = status.map_err(|error| self.broken(&error.to_string()))?;
            let (read, written) = (self.inflate.total_in() - before.0, self.inflate.total_out() - before.1);
            self.used += usize::try_from(read).unwrap_or_default();
            filled += usize::try_from(written).unwrap_or_default();
            self.done = status == Status::StreamEnd;
            if !self.done && read == 0 && written == 0 && !input.is_empty() {
                return Err(self.broken("the stream does not go on"));
            }
        }
        Ok(filled)
    }

    /// All of the stream, which has to be of this size.
    pub(super) fn whole(mut self, size: u64) -> Result<Vec<u8>, Error> {
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let mut content = vec![0; size];
        let filled = self.read(&mut content)?;
        // A stream that goes on has one byte more.
        if filled < size || self.read(&mut [0])? > 0 {
            return Err(self.broken("its size is not what its head says"));
        }
        Ok(content)
    }

    fn refill(&mut self) -> Result<(), Error> {
        self.chunk.resize(CHUNK, 0);
        let read = self.file.read_some_at(self.at, &mut self.chunk)?;
        self.chunk.truncate(read);
        (self.at, self.used) = (self.at + read as u64, 0);
        if read == 0 {
            return Err(self.broken("it is cut off"));
        }
        Ok(())
    }

    fn broken(&self, reason: &str) -> Error {
        Error::broken(self.file.place().display().to_string())(Malformed::new(reason))
    }
}
