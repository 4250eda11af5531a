//! The only place that writes to the standard streams: results go to stdout, everything about the run to stderr.

use std::io::{self, IsTerminal as _, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::Style;

use crate::ui::Verbosity;
use crate::ui::sanitise::{message, one_line};
use crate::ui::style::{ERROR, HINT, WARNING, paint};

/// Columns of a pipe, a file, a log: as many as a comment on a pull request shows.
const PIPE_WIDTH: usize = 100;
/// Columns of a terminal that does not tell its size.
const TERMINAL_WIDTH: usize = 80;

/// Writes to the standard streams, as much as was asked for.
#[derive(Debug, Clone, Copy)]
pub struct Printer {
    verbosity: Verbosity,
}

impl Printer {
    /// A printer for this process's streams.
    #[must_use]
    pub fn new(verbosity: Verbosity) -> Self {
        Self { verbosity }
    }

    /// Writes a result to stdout, however quiet the run is. The text is taken as it stands: renderers have made it safe.
    ///
    /// A reader that went away (`| head`) is no error; a full disk is one.
    pub fn data(&self, text: &str) -> io::Result<()> {
        let mut stdout = anstream::stdout().lock();
        let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
        match written {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            other => other,
        }
    }

    /// Says what went wrong, and what may be done about it.
    pub fn error(&self, text: &str, hints: &[String]) {
        self.say("error", ERROR, text);
        for hint in hints {
            self.say("hint", HINT, hint);
        }
    }

    /// Says what the user should know although the run goes on, in one line whatever it holds.
    pub fn warn(&self, text: &str) {
        self.say("warning", WARNING, &one_line(text));
    }

    /// Says what the run is about, unless it is to be quiet.
    pub fn note(&self, text: &str) {
        if self.verbosity > Verbosity::Quiet {
            self.line(&message(text));
        }
    }

    /// Says what only a curious user wants to know.
    pub fn detail(&self, text: &str) {
        if self.verbosity == Verbosity::Verbose {
            self.line(&message(text));
        }
    }

    /// Whether stdout takes colour: a terminal, or `CLICOLOR_FORCE`, and no `NO_COLOR`.
    #[must_use]
    pub fn color(&self) -> bool {
        AutoStream::choice(&io::stdout()) != ColorChoice::Never
    }

    /// The columns to fill: those of the terminal that stdout is, or 100.
    #[must_use]
    pub fn width(&self) -> usize {
        if !io::stdout().is_terminal() {
            return PIPE_WIDTH;
        }
        let columns = terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0));
        columns.unwrap_or(TERMINAL_WIDTH)
    }

    /// Whether someone watches stderr, so that progress is worth drawing.
    #[must_use]
    pub fn interactive(&self) -> bool {
        self.verbosity > Verbosity::Quiet && io::stderr().is_terminal()
    }

    /// How much is to be said.
    #[must_use]
    pub fn verbosity(&self) -> Verbosity {
        self.verbosity
    }

    fn say(&self, word: &str, style: Style, text: &str) {
        // anstream drops the colour again where stderr takes none.
        self.line(&format!("{}: {}", paint(true, style, word), message(text)));
    }

    /// A line on stderr. Where stderr is closed there is no one left to tell.
    fn line(&self, text: &str) {
        let _ = writeln!(anstream::stderr().lock(), "{text}");
    }
}
