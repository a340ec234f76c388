//! Scatter plots with the line of their mean, as SVG.

use std::fmt::Write as _;

/// Points, each with how often it was met.
pub(super) struct Scatter<'s> {
    pub(super) title: &'s str,
    pub(super) x: &'s str,
    pub(super) y: &'s str,
    /// x, y, weight.
    pub(super) points: Vec<(f64, f64, u64)>,
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 64.0;
const BOTTOM: f64 = 52.0;
const TOP: f64 = 40.0;
const RIGHT: f64 = 20.0;

impl Scatter<'_> {
    /// The slope and the intercept of the line of least squares.
    pub(super) fn line(&self) -> (f64, f64) {
        let (mut n, mut sx, mut sy, mut sxx, mut sxy) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for &(x, y, weight) in &self.points {
            let weight = weight as f64;
            n += weight;
            sx += weight * x;
            sy += weight * y;
            sxx += weight * x * x;
            sxy += weight * x * y;
        }
        let spread = n * sxx - sx * sx;
        let slope = if spread > 0.0 { (n * sxy - sx * sy) / spread } else { 0.0 };
        (slope, if n > 0.0 { (sy - slope * sx) / n } else { 0.0 })
    }

    /// The part of the line that is drawn: from the first to the last size that was met, as far as it is between 0 and
    /// the end of the axis. Its ends are on the line. None if nothing of it is there.
    fn drawn(&self, y_most: f64) -> Option<[(f64, f64); 2]> {
        let (slope, start) = self.line();
        let sizes = self.points.iter().map(|it| it.0);
        let (mut from, mut to) =
            (sizes.clone().fold(f64::MAX, f64::min), sizes.fold(0.0, f64::max));
        if slope != 0.0 {
            let (low, high) = (-start / slope, (y_most - start) / slope);
            (from, to) = (from.max(low.min(high)), to.min(low.max(high)));
        } else if !(0.0..=y_most).contains(&start) {
            return None;
        }
        (from <= to).then(|| [from, to].map(|x| (x, start + slope * x)))
    }

    pub(super) fn svg(&self) -> String {
        let most =
            |of: fn(&(f64, f64, u64)) -> f64| nice(self.points.iter().map(of).fold(1.0, f64::max));
        let (x_most, y_most) = (most(|it| it.0), most(|it| it.1));
        let px = |x: f64| LEFT + x / x_most * (WIDTH - LEFT - RIGHT);
        let py = |y: f64| HEIGHT - BOTTOM - y / y_most * (HEIGHT - TOP - BOTTOM);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
             <text x=\"{}\" y=\"22\" text-anchor=\"middle\" font-size=\"15\">{}</text>\n",
            WIDTH / 2.0,
            self.title
        );
        for i in 0..=5 {
            let (x, y) = (x_most * f64::from(i) / 5.0, y_most * f64::from(i) / 5.0);
            let _ = writeln!(
                svg,
                "<path d=\"M{LEFT} {0}H{1}\" stroke=\"#ddd\"/>\
                 <text x=\"{2}\" y=\"{3}\" text-anchor=\"end\">{y}</text>\
                 <text x=\"{4}\" y=\"{5}\" text-anchor=\"middle\">{x}</text>",
                py(y),
                WIDTH - RIGHT,
                LEFT - 6.0,
                py(y) + 4.0,
                px(x),
                HEIGHT - BOTTOM + 18.0,
            );
        }
        let heaviest = self.points.iter().map(|it| it.2).max().unwrap_or(1).max(2) as f64;
        for &(x, y, weight) in &self.points {
            let radius = 1.5 + 4.5 * (weight as f64).ln() / heaviest.ln();
            let _ = writeln!(
                svg,
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{radius:.1}\" fill=\"#2563eb\" \
                 fill-opacity=\"0.35\"/>",
                px(x),
                py(y.min(y_most))
            );
        }
        if let Some([(x, y), (to_x, to_y)]) = self.drawn(y_most) {
            let _ = writeln!(
                svg,
                "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=\"#b91c1c\" stroke-width=\"2\"/>",
                px(x),
                py(y),
                px(to_x),
                py(to_y)
            );
        }
        let _ = write!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n\
             <text transform=\"translate(16 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n</svg>\n",
            (WIDTH + LEFT) / 2.0,
            HEIGHT - 12.0,
            self.x,
            HEIGHT / 2.0,
            self.y
        );
        svg
    }
}

/// A round number that is not less.
fn nice(value: f64) -> f64 {
    let power = 10_f64.powf(value.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|it| it * power).find(|it| *it >= value).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::Scatter;

    /// A line that leaves the picture is cut where it does; it used to be bent to the corners.
    #[test]
    fn the_line_that_is_drawn_lies_on_the_line() {
        let points: Vec<(f64, f64, u64)> =
            vec![(5.0, 1.9, 9), (8.0, 1.0, 5), (9.0, 0.1, 3), (13.0, 0.1, 1)];
        let scatter = Scatter { title: "", x: "", y: "", points };
        let (slope, start) = scatter.line();
        assert!(start > 2.0 && start + 13.0 * slope < 0.0, "it leaves the picture at both ends");
        let [(from, above), (to, below)] = scatter.drawn(2.0).unwrap();
        assert!((above - (start + slope * from)).abs() < 1e-9);
        assert!((below - (start + slope * to)).abs() < 1e-9);
        assert!((0.0..=2.0).contains(&above) && below.abs() < 1e-9 && from >= 5.0 && to < 13.0);
    }
}
