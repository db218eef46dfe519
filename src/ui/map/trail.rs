//! Draws the line that the vehicle left: one polyline a chunk on a canvas, so that a new point
//! redraws a hundred points and not all of them.

use std::collections::VecDeque;

use js_sys::Array;
use leaflet::{Canvas, LatLng, Map, PathOptions, Polyline, PolylineOptions};
use wasm_bindgen::JsCast;

use crate::rtk::track::{Change, Chunk, Track, TrackSettings};

const WEIGHT_PX: f64 = 4.0;

/// The line on the map and behind it.
pub(super) struct Trail {
    track: Track,
    drawn: VecDeque<(u64, Polyline)>,
    renderer: Canvas,
    color: String,
}

impl Trail {
    pub(super) fn new(renderer: Canvas) -> Self {
        Self {
            track: Track::new(TrackSettings::default()),
            drawn: VecDeque::new(),
            renderer,
            color: String::new(),
        }
    }

    /// The vehicle is at `(lat, lon)`, WGS84.
    pub(super) fn push(
        &mut self,
        map: &Map,
        position: (f64, f64),
        draw: impl Fn((f64, f64)) -> LatLng,
    ) {
        match self.track.push(position) {
            Change::Nothing => {}
            Change::Appended(point) => {
                if let Some((_, line)) = self.drawn.back() {
                    line.add_lat_lng(&draw(point));
                }
            }
            Change::Began { chunk, forgotten } => {
                self.drawn.retain(|(id, line)| {
                    let is_kept = !forgotten.contains(id);
                    if !is_kept {
                        line.remove();
                    }
                    is_kept
                });
                let line = Polyline::new_with_options(&corners(&chunk, draw), &self.options());
                line.add_to(map);
                self.drawn.push_back((chunk.id, line));
            }
        }
    }

    /// The fix was lost.
    pub(super) fn break_line(&mut self) {
        self.track.break_line();
    }

    /// Draws everything anew, in another datum.
    pub(super) fn redraw(&self, draw: impl Fn((f64, f64)) -> LatLng + Copy) {
        for (chunk, (_, line)) in self.track.chunks().zip(&self.drawn) {
            line.set_lat_lngs(&corners(chunk, draw));
        }
    }

    pub(super) fn recolor(&mut self, color: String) {
        if self.color == color {
            return;
        }
        self.color = color;
        let options = PathOptions::new();
        options.set_color(self.color.clone());
        for (_, line) in &self.drawn {
            line.set_style(&options);
        }
    }

    fn options(&self) -> PolylineOptions {
        let options = PolylineOptions::new();
        options.set_renderer(self.renderer.clone().unchecked_into());
        options.set_interactive(false);
        options.set_weight(WEIGHT_PX);
        options.set_opacity(0.9);
        options.set_color(self.color.clone());
        options.set_line_cap("round".into());
        options
    }
}

fn corners(chunk: &Chunk, draw: impl Fn((f64, f64)) -> LatLng) -> Array {
    chunk.points.iter().map(|&point| draw(point)).collect()
}
