//! One topic that is looked at.

use std::time::Duration;

use serde_json::Value;

use super::picture::{self, Picture};
use super::series::Series;
use super::snapshot::{Line, Plot, Traffic, Watched};
use super::statistics::Statistics;
use super::summary::{self, Summary};
use super::{Compression, tree};
use crate::msgs::definition::{Definitions, short_name};
use crate::rosbridge::handle::Handle;
use crate::rosbridge::session::{SocketId, Subscription};
use crate::units::Moment;

/// Between two messages that are read; what comes in between is counted, and the newest waits.
const READ_PERIOD: Duration = Duration::from_millis(40);
const READ_PERIOD_LARGE: Duration = Duration::from_millis(100);
/// Milliseconds between two messages that the server is asked for.
const THROTTLE: u32 = 100;
const THROTTLE_PLOTTED: u32 = 50;
const THROTTLE_LARGE: u32 = 200;
const THROTTLE_SLOW: u32 = 1000;
/// A message of more bytes is not kept for being read again.
const LARGEST_KEPT: usize = 256 * 1024;
/// Plots of one topic.
const MOST_PLOTS: usize = 6;

/// Types that give way first when the link slows.
const LARGE: &[&str] = &[
    "sensor_msgs/CompressedImage",
    "sensor_msgs/Image",
    "sensor_msgs/PointCloud2",
    "nav_msgs/OccupancyGrid",
];
const IMAGES: &[&str] = &["sensor_msgs/CompressedImage", "sensor_msgs/Image"];

/// The topic, its subscription, and what it said.
#[derive(Debug)]
pub(super) struct Watch {
    topic: String,
    kind: String,
    /// Tapped in the list.
    pub(super) is_open: bool,
    /// Beside the map.
    pub(super) is_camera: bool,
    pub(super) statistics: Statistics,
    subscription: Option<Subscription>,
    handle: Option<Handle>,
    asked_at: Moment,
    /// The newest frame, if it came too soon after the last one.
    waiting: Option<(SocketId, String)>,
    read_at: Option<Moment>,
    shown: Option<ShownMessage>,
    plots: Vec<(String, Series)>,
    paused_at: Option<Moment>,
}

#[derive(Debug)]
struct ShownMessage {
    at: Moment,
    lines: Vec<Line>,
    summary: Option<Summary>,
    /// For being read again when the definition comes.
    message: Option<Value>,
}

impl Watch {
    pub(super) fn new(topic: &str, kind: &str, now: Moment) -> Self {
        Self {
            topic: topic.to_owned(),
            kind: kind.to_owned(),
            is_open: false,
            is_camera: false,
            statistics: Statistics::new(now),
            subscription: None,
            handle: None,
            asked_at: now,
            waiting: None,
            read_at: None,
            shown: None,
            plots: Vec::new(),
            paused_at: None,
        }
    }

    pub(super) fn topic(&self) -> &str {
        &self.topic
    }

    pub(super) fn kind(&self) -> &str {
        &self.kind
    }

    /// True when the type was not known, or was another one.
    pub(super) fn take_kind(&mut self, kind: &str) -> bool {
        let is_new = self.kind != kind;
        if is_new {
            kind.clone_into(&mut self.kind);
        }
        is_new
    }

    pub(super) fn compression(&self) -> Compression {
        self.subscription
            .as_ref()
            .map_or(Compression::None, |s| s.compression)
    }

    fn is_one_of(&self, kinds: &[&str]) -> bool {
        kinds.contains(&short_name(&self.kind).as_str())
    }

    /// What should be subscribed; none while it gives way to a slow link.
    pub(super) fn wanted(&self, is_slow: bool, images: Compression) -> Option<Subscription> {
        let is_large = self.is_one_of(LARGE);
        if is_slow && is_large {
            return None;
        }
        let how = if self.is_one_of(IMAGES) {
            images
        } else {
            Compression::None
        };
        let throttle = match (is_slow, is_large, self.plots.is_empty()) {
            (true, ..) => THROTTLE_SLOW,
            (_, true, _) => THROTTLE_LARGE,
            (.., true) => THROTTLE,
            (.., false) => THROTTLE_PLOTTED,
        };
        Some(super::newest(&self.topic, &self.kind, throttle, how))
    }

    pub(super) fn subscription(&self) -> Option<&Subscription> {
        self.subscription.as_ref()
    }

    pub(super) fn hold(
        &mut self,
        subscription: Option<Subscription>,
        handle: Option<Handle>,
        now: Moment,
    ) {
        self.subscription = subscription;
        self.handle = handle;
        self.asked_at = now;
    }

    pub(super) fn is_silent_for(&self, span: Duration, now: Moment) -> bool {
        let heard = self.statistics.heard_at.unwrap_or_default();
        self.handle.is_some() && now.since(heard.max(self.asked_at)) >= span
    }

    /// The last message was read a moment ago.
    pub(super) fn must_wait(&self, now: Moment) -> bool {
        self.read_at
            .is_some_and(|at| now.since(at) < self.read_period())
    }

    pub(super) fn wait(&mut self, socket: SocketId, text: String) {
        if self.waiting.replace((socket, text)).is_some() {
            self.statistics.dropped += 1;
        }
    }

    pub(super) fn due(&mut self, now: Moment) -> Option<(SocketId, String)> {
        if self.must_wait(now) {
            return None;
        }
        self.waiting.take()
    }

    pub(super) fn next_wakeup(&self) -> Option<Moment> {
        self.waiting.as_ref()?;
        self.read_at.map(|at| at + self.read_period())
    }

    fn read_period(&self) -> Duration {
        if self.is_one_of(LARGE) {
            READ_PERIOD_LARGE
        } else {
            READ_PERIOD
        }
    }

    /// Takes the newest message; gives its picture, if it is one.
    pub(super) fn take(
        &mut self,
        message: Value,
        definitions: &Definitions,
        is_paused: bool,
        now: Moment,
    ) -> Option<Picture> {
        self.read_at = Some(now);
        if is_paused {
            return None;
        }
        for (path, series) in &mut self.plots {
            series.push(tree::number_at(&message, path), now);
        }
        let picture = self
            .is_one_of(&["sensor_msgs/CompressedImage"])
            .then(|| picture::of(&message));
        let summary = match &picture {
            Some(picture) => Some(summary::image(&message, picture.as_ref())),
            None => summary::of(&self.kind, &message),
        };
        let size = weight(&message);
        self.shown = Some(ShownMessage {
            at: now,
            lines: tree::lines(&message, &self.kind, definitions),
            summary,
            message: (size <= LARGEST_KEPT).then_some(message),
        });
        picture.flatten()
    }

    /// The definitions are others: units and order may be known now.
    pub(super) fn read_again(&mut self, definitions: &Definitions) {
        if let Some(shown) = &mut self.shown
            && let Some(message) = &shown.message
        {
            shown.lines = tree::lines(message, &self.kind, definitions);
            if shown.summary.is_none() {
                shown.summary = summary::of(&self.kind, message);
            }
        }
    }

    pub(super) fn pause(&mut self, at: Option<Moment>) {
        self.paused_at = at;
    }

    pub(super) fn plot(&mut self, path: &str) {
        let is_new = !self.plots.iter().any(|(known, _)| known == path);
        if is_new && self.plots.len() < MOST_PLOTS {
            self.plots.push((path.to_owned(), Series::default()));
        }
    }

    pub(super) fn unplot(&mut self, path: &str) {
        self.plots.retain(|(known, _)| known != path);
    }

    pub(super) fn traffic(&self, now: Moment) -> Traffic {
        let rates = self.statistics.rates(now);
        let limit = self.subscription.as_ref().map_or(0, |s| s.throttle_ms);
        Traffic {
            rate_hz: rates.map(|(rate, _)| rate),
            // What comes a little too often for the limit is let through every second time.
            is_at_limit: limit > 0
                && rates.is_some_and(|(rate, _)| rate > 0.45 * 1000.0 / f64::from(limit)),
            bytes_per_s: rates.map(|(_, bytes)| bytes),
            age_ms: self.statistics.heard_at.map(|at| age_ms(at, now)),
            received: self.statistics.received,
            dropped: self.statistics.dropped,
        }
    }

    pub(super) fn view(&self, now: Moment) -> Watched {
        let plot_end = self.paused_at.unwrap_or(now);
        let plot = |(path, series): &(String, Series)| Plot {
            path: path.clone(),
            last: series.last(),
            points: series.points(plot_end),
        };
        let shown = self.shown.as_ref();
        Watched {
            topic: self.topic.clone(),
            kind: self.kind.clone(),
            is_open: self.is_open,
            is_yielding: self.handle.is_none(),
            age_ms: shown.map(|shown| age_ms(shown.at, now)),
            lines: shown.map(|shown| shown.lines.clone()).unwrap_or_default(),
            summary: shown.and_then(|shown| shown.summary.clone()),
            plots: self.plots.iter().map(plot).collect(),
        }
    }
}

fn age_ms(at: Moment, now: Moment) -> f64 {
    now.since(at).as_secs_f64() * 1000.0
}

/// Roughly the bytes that a value takes.
fn weight(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(weight).sum::<usize>() + 8 * items.len(),
        Value::Object(map) => map.iter().map(|(k, v)| k.len() + weight(v)).sum(),
        _ => 16,
    }
}
