//! Learned windows, widened or shrunk until the verdicts get no better (section 6.5).

use punctual_model::lustre::Program;

use crate::steering::measure::Measure;
use crate::steering::window::Windows;

/// Windows after tuning.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuned {
    /// The best windows that were tried.
    pub windows: Windows,
    /// How good verdicts are with these windows.
    pub measure: Measure,
    /// By how much the windows are wider than before, on both ends; negative if narrower.
    pub by: i64,
}

/// Widens all windows by one on both ends as long as the F-measure rises; if it does not rise at
/// all, shrinks them as long as it rises. `judge` gives the measure of windows, or none to stop.
pub fn tune(
    program: &Program,
    windows: &Windows,
    most: i64,
    mut judge: impl FnMut(&Windows) -> Option<Measure>,
) -> Option<Tuned> {
    let measure = judge(windows)?;
    let mut best = Tuned { windows: windows.clone(), measure, by: 0 };
    for direction in [1, -1] {
        while best.by.abs() < most {
            let by = best.by + direction;
            let tried = windows.widened(program, by);
            if tried == best.windows {
                break;
            }
            let Some(measure) = judge(&tried) else { return Some(best) };
            if measure.f_measure() <= best.measure.f_measure() {
                break;
            }
            best = Tuned { windows: tried, measure, by };
        }
        if best.by != 0 {
            break;
        }
    }
    Some(best)
}
