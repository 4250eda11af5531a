//! What a component writes to stdout and stderr: kept up to a bound, shown when it fails.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use tokio::io::AsyncWrite;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};

/// Keeps the end of what is written; accepts the rest, since a chatty component is not a broken one.
#[derive(Debug, Clone)]
pub(crate) struct Tail {
    kept: Arc<Mutex<Vec<u8>>>,
    bytes: usize,
}

impl Tail {
    pub(crate) fn new(bytes: usize) -> Self {
        Self { kept: Arc::default(), bytes }
    }

    /// The last bytes that were written, as text.
    pub(crate) fn text(&self) -> String {
        self.kept.lock().map(|kept| String::from_utf8_lossy(self.end(&kept)).trim().to_owned()).unwrap_or_default()
    }

    fn end<'a>(&self, kept: &'a [u8]) -> &'a [u8] {
        kept.get(kept.len().saturating_sub(self.bytes)..).unwrap_or(kept)
    }

    fn write(&self, written: &[u8]) {
        if let Ok(mut kept) = self.kept.lock() {
            kept.extend_from_slice(self.end(written));
            // Cut at twice the bound, so that each byte is moved once at most.
            if kept.len() > 2 * self.bytes {
                *kept = self.end(&kept).to_vec();
            }
        }
    }
}

impl IsTerminal for Tail {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Tail {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(self.clone())
    }
}

impl AsyncWrite for Tail {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, written: &[u8]) -> Poll<io::Result<usize>> {
        self.write(written);
        Poll::Ready(Ok(written.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_is_kept() {
        let tail = Tail::new(4);
        for word in ["one", "two", "three", "four"] {
            tail.write(word.as_bytes());
        }
        assert_eq!(tail.text(), "four");
    }
}
