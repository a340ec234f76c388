//! Whether a system can be executed again and again.

use punctual_lang::testing::UnderTest;

use crate::plan::Plan;

/// Starts a program or a library and resets it twice: one that does not answer the second reset can not be repeated. Models can always be reset, and so can what is
/// started anew for each execution. A system that is reached over a connection is not asked, since it may know only one
/// connection; a reset of TRON's adapters is a connection each.
///
/// # Errors
/// If it can not be started, or not be reset a second time: says what happened.
pub fn resets(plan: &Plan) -> Result<(), String> {
    let reach = &plan.system.reach;
    let is_ours = matches!(reach.under_test, UnderTest::Command(_) | UnderTest::Library(_));
    if !is_ours || reach.restart || plan.system.stepped.is_some() {
        return Ok(());
    }
    let mut sut = plan.connect(0).map_err(|error| error.to_string())?;
    sut.reset().map_err(|error| error.to_string())?;
    sut.reset().map_err(|error| {
        format!(
            "the system can not be reset, and a suite with probabilities executes each case many times: {error} \
             (`restart = true` in `[system]` starts a program anew for each execution)"
        )
    })
}
