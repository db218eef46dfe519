//! Draws the metric grid under everything else of the map. Lines of SVG, not a canvas: that would be
//! copied as a whole with each frame of the page where there is no graphics card.

use web_sys::{HtmlElement, SvgElement};

use crate::rtk::grid::{Grid, Line};
use crate::shell::svg;
use crate::units::decimal;

/// The lines.
pub(super) struct GridLines {
    /// The ordinary and the strong ones.
    paths: [SvgElement; 2],
}

impl GridLines {
    /// Puts them under the panes of a map. `None` when the browser refuses to make an element.
    pub(super) fn under(container: &HtmlElement) -> Option<Self> {
        let root = svg::element("svg", "map-grid")?;
        svg::set(&root, "aria-hidden", "true");
        let path = |class| svg::child(&root, "path", class);
        let paths = [path("")?, path("major")?];
        container
            .insert_before(&root, container.first_child().as_ref())
            .ok()?;
        Some(Self { paths })
    }

    /// Draws the grid over a map of any size.
    pub(super) fn draw(&self, grid: &Grid) {
        for (path, is_major) in self.paths.iter().zip([false, true]) {
            let mut way = String::new();
            let mut add = |lines: &[Line], begin: &str, end: &str| {
                for line in lines.iter().filter(|line| line.is_major == is_major) {
                    let at = decimal(line.at.round() + 0.5, 1);
                    way = [&way, begin, &at, end].concat();
                }
            };
            add(&grid.verticals, "M", " 0v9999");
            add(&grid.horizontals, "M0 ", "h9999");
            svg::set(path, "d", &way);
        }
    }
}
