//! Room for recursion over deep expressions.

/// Enough for the deepest expression that any reader lets through, also without optimisation.
/// Only what is used takes memory.
const STACK_BYTES: usize = 512 << 20;

/// Runs something on a large stack, or on the present one where no other can be had.
pub(crate) fn with_stack<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    let mut run = Some(run);
    let on_large_stack = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, || run.take().map(|run| run()));
        match thread.ok()?.join() {
            Ok(value) => value,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    });
    match (on_large_stack, run) {
        (Some(value), _) => value,
        (None, Some(run)) => run(),
        (None, None) => unreachable!("it ran and gave a value, or did not run"),
    }
}
