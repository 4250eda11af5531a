//! How much work a function does, counted in tests: growth is told by numbers there and not by a clock. Outside of them
//! nothing is counted.

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// So many steps were taken.
#[cfg(test)]
pub(crate) fn add(steps: usize) {
    STEPS.set(STEPS.get() + steps);
}

/// So many steps were taken.
#[cfg(not(test))]
pub(crate) const fn add(_steps: usize) {}

/// The steps that `work` takes for inputs of sizes `n`, `2n` and `4n` grow no faster than the sizes, give or take a tenth.
#[cfg(test)]
pub(crate) fn assert_linear(n: usize, work: impl Fn(usize)) {
    let steps = |n: usize| {
        STEPS.set(0);
        work(n);
        STEPS.get()
    };
    let (one, two, four) = (steps(n), steps(2 * n), steps(4 * n));
    assert!(one > 0, "nothing was counted");
    assert!(two <= 2 * one + two / 10 && four <= 4 * one + four / 10, "{one}, {two}, {four} steps for n, 2n, 4n");
}
