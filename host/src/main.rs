//! The program; everything is in the library.

fn main() -> std::process::ExitCode {
    review_loop::cli::main()
}
