//! Room for recursion over deep expressions.

/// Enough for the deepest expression that any reader lets through, also without optimisation.
/// Only what is used takes memory.
const STACK_BYTES: usize = 512 << 20;

/// Runs something on a large stack.
pub(crate) fn with_stack<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, run);
        match thread.expect("memory for a stack can be reserved").join() {
            Ok(value) => value,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
