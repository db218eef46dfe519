//! What engineers look at: every topic that there is, sans-IO.
//!
//! It runs in a Worker of its own with a third socket, so that a picture of 10 MB shares neither
//! thread nor socket with driving. It subscribes on demand, shows the newest message only, and
//! gives way when the link is slow. It publishes nothing but what an engineer has written by hand
//! ([`tryout`]), never on a command topic. Nobody can open a command topic in it: the control socket
//! listens to those, and a client that wants another packing would starve it. The work alone hears
//! them, as plain JSON like the control socket, because swept is only where the brush was published on.
//!
//! ```
//! use broomstick::rosbridge::session::{SocketEvent, SocketOutput};
//! use broomstick::units::{Moment, millis};
//! use broomstick::viewer::{Input, Output, Viewer, ViewerStart, Wish};
//!
//! let now = Moment::START;
//! let mut viewer = Viewer::new(ViewerStart { url: "ws://robot:9090".into(), ..Default::default() }, now);
//! let Some(Output::Socket(SocketOutput::Open { socket, .. })) = viewer.poll() else { panic!() };
//! viewer.handle(Input::Socket(socket, SocketEvent::Opened), now);
//! viewer.handle(Input::Wish(Wish::Watch("/odom".into())), now);
//! let frame = r#"{"op":"publish","topic":"/odom","msg":{"x":1.5}}"#;
//! viewer.handle(Input::Socket(socket, SocketEvent::Text(frame.into())), now);
//! viewer.handle(Input::Tick, now + millis(250));
//! let shown = std::iter::from_fn(|| viewer.poll())
//!     .filter_map(|output| match output { Output::Snapshot(s) => Some(s), _ => None })
//!     .last()
//!     .unwrap_or_default();
//! assert_eq!(shown.watched[0].lines[0].name, "x");
//! ```

mod catalogue;
pub mod commands;
pub mod flight;
pub mod levels;
pub mod picture;
pub mod series;
pub mod snapshot;
pub mod statistics;
pub mod summary;
mod survey;
pub mod tree;
pub mod tryout;
pub mod units;
mod watch;
mod work;

use std::collections::VecDeque;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::chart::surveyor::{FileKind, SurveyNews};
use crate::chart::thinned::ColourBy;
use crate::chart::work::{WorkNews, WorkWish};
use crate::drive::settings::Steering;
use crate::msgs::definition::short_name;
use crate::profile::Profile;
use crate::rosbridge::handle::Handles;
use crate::rosbridge::session::{
    Session, SessionEvent, SocketEvent, SocketId, SocketOutput, Subscription,
};
use crate::rosbridge::{base64, cdr, decoders, frame};
use crate::units::Moment;
use catalogue::{Catalogue, News, Topic};
use commands::Commands;
use flight::Flight;
use levels::Levels;
use snapshot::{Access, LinkState, TopicRow, ViewerSnapshot};
use survey::Survey;
use tryout::{Kept, Target, Tryout};
use watch::Watch;
use work::WorkEars;

pub use crate::chart::surveyor::Keeping;
pub use crate::rosbridge::frame::Compression;

const SNAPSHOT_PERIOD: Duration = Duration::from_millis(250);
/// A snapshot comes so much earlier with a fix.
const WAITS_FOR_FIX: Duration = Duration::from_millis(80);
/// Topics that can be looked at together.
pub const MOST_WATCHED: usize = 8;
/// Rows of the list; the filter finds the others.
const MOST_ROWS: usize = 300;
/// A topic that somebody publishes and that stays silent for so long is asked for again.
const RESUBSCRIBE_AFTER: Duration = Duration::from_secs(5);
/// After a slow link what was left to it is taken up again when it was good for so long.
const TAKE_UP_AFTER: Duration = Duration::from_secs(3);

/// Everything that a viewer needs to begin.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ViewerStart {
    /// The rosbridge to connect to.
    pub url: String,
    /// Prefix of rosapi's services.
    pub rosapi: String,
    /// Topics that the other sockets listen to: commands and the heartbeat.
    pub reserved: Vec<String>,
    /// How images come: `cbor`, `cbor-raw` or `png`; anything else: as JSON.
    pub image_compression: String,
    /// Jitters the waits between attempts to connect.
    pub seed: u64,
    /// The vehicle's namespace, whose battery, tanks and faults are listened to.
    pub namespace: String,
    /// The checked profile.
    pub profile: Profile,
    /// Unix milliseconds at the moment zero.
    pub unix_ms: u64,
    /// Engineers may publish and call by hand.
    pub has_tryout: bool,
    /// Types of which nothing is published by hand.
    pub command_types: Vec<String>,
}

/// What the operator wants to see.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Wish {
    /// Look at a topic.
    Watch(String),
    /// No more.
    Unwatch(String),
    /// Plot a number of a topic that is looked at: topic and path.
    Plot(String, String),
    /// No more.
    Unplot(String, String),
    /// Let everything stand, or move again.
    Pause(bool),
    /// Show topics whose name or type contains this.
    Filter(String),
    /// The camera picture beside the map; `None`: none.
    Camera(Option<String>),
    /// The link is slow, or is not any more: told by whoever measures it.
    SlowLink(bool),
    /// Connect (again, now).
    Connect,
    /// Close and stay closed.
    Disconnect,
    /// Somebody sees the list of topics, or not any more.
    List(bool),
    /// Of the survey.
    Survey(SurveyWish),
    /// Publish or call by hand: what; none: no more.
    Tryout(Option<Target>),
    /// List the services.
    Services,
    /// Send what was typed, by path; wait for an answer so many milliseconds.
    Send(Vec<(String, String)>, u32),
    /// Of the work on the map.
    Work(WorkWish),
}

/// What the operator wants of the survey.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum SurveyWish {
    /// What the colour of the track tells.
    ColourBy(ColourBy),
    /// The whole track as a file.
    Export(FileKind),
    /// Read a file, to be drawn beside the track.
    Import {
        /// Its name.
        name: String,
        /// Its content.
        text: String,
    },
    /// Forget the whole track.
    Clear,
    /// The command of this moment says that the vehicle moves, or not.
    Commanded(bool),
}

/// What the viewer is told.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// By one of its sockets.
    Socket(SocketId, SocketEvent),
    /// By the operator.
    Wish(Wish),
    /// What was kept of the track before; or why nothing is.
    Kept(Result<Vec<(u64, Vec<u8>)>, String>),
    /// Something of the track could not be kept, for this reason.
    NotKept(String),
    /// Another window of this browser keeps the track.
    KeptElsewhere,
    /// Time has passed.
    Tick,
}

/// What the viewer wants done.
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// Of one of its sockets.
    Socket(SocketOutput),
    /// Show this.
    Snapshot(Box<ViewerSnapshot>),
    /// The newest picture of a topic.
    Picture {
        /// The topic.
        topic: String,
        /// `image/jpeg` …
        mime: &'static str,
        /// The file.
        bytes: Vec<u8>,
    },
    /// What is new in the survey.
    Survey(Box<SurveyNews>),
    /// Keep this of the track.
    Keep(Keeping),
    /// A file to be saved by the operator.
    File {
        /// Its kind.
        kind: FileKind,
        /// Its content.
        text: String,
    },
    /// What is new in the work.
    Work(Box<WorkNews>),
}

/// The state machine.
#[derive(Debug)]
pub struct Viewer {
    start: ViewerStart,
    session: Session,
    handles: Handles,
    catalogue: Catalogue,
    tryout: Tryout,
    watched: Vec<Watch>,
    levels: Levels,
    flight: Flight,
    commands: Commands,
    is_listed: bool,
    survey: Survey,
    work: WorkEars,
    filter: String,
    is_paused: bool,
    is_slow: bool,
    good_since: Option<Moment>,
    heard_at: Moment,
    /// Bytes of pieces and pictures whose frame is not complete yet.
    wrapped_bytes: usize,
    bad_frames: u64,
    trouble: String,
    snapshots: u64,
    next_snapshot: Moment,
    is_dirty: bool,
    outputs: VecDeque<Output>,
}

impl Viewer {
    /// A viewer that begins to connect at once.
    #[must_use]
    pub fn new(start: ViewerStart, now: Moment) -> Self {
        let mut session = Session::new(&start.url, start.seed ^ 2).with_decoders(decoders::ALL);
        session.connect(now);
        let rosapi = if start.rosapi.is_empty() {
            "/rosapi"
        } else {
            &start.rosapi
        };
        let is_flown = start.profile.drive.steering == Steering::Flight;
        let odometry = is_flown.then(|| start.profile.bridge.topic("odom"));
        let mut viewer = Self {
            session,
            handles: Handles::default(),
            catalogue: Catalogue::new(rosapi),
            tryout: Tryout::new(Kept {
                is_on: start.has_tryout,
                topics: start.reserved.clone(),
                types: start.command_types.clone(),
                rosapi: rosapi.to_owned(),
            }),
            watched: Vec::new(),
            levels: Levels::default(),
            flight: Flight::of(&odometry.unwrap_or_default()),
            commands: Commands::default(),
            is_listed: false,
            survey: Survey::new(&start.profile, start.unix_ms),
            work: WorkEars::new(&start.profile),
            filter: String::new(),
            is_paused: false,
            is_slow: false,
            good_since: None,
            heard_at: now,
            wrapped_bytes: 0,
            bad_frames: 0,
            trouble: String::new(),
            snapshots: 0,
            next_snapshot: now,
            is_dirty: true,
            outputs: VecDeque::new(),
            start,
        };
        viewer.finish(now);
        viewer
    }

    /// Tells it something. Drain [`Self::poll`] afterwards.
    pub fn handle(&mut self, input: Input, now: Moment) {
        match input {
            Input::Socket(socket, event) => self.on_socket(socket, event, now),
            Input::Wish(wish) => self.on_wish(wish, now),
            Input::Kept(kept) => self.survey.surveyor.loaded(kept, now),
            Input::NotKept(cause) => self.survey.surveyor.not_kept(cause, now),
            Input::KeptElsewhere => self.survey.surveyor.kept_elsewhere(now),
            Input::Tick => {}
        }
        self.tick(now);
        self.finish(now);
    }

    /// The next thing to do.
    pub fn poll(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// When it wants [`Input::Tick`] at the latest.
    #[must_use]
    pub fn next_wakeup(&self) -> Moment {
        let waiting = self.watched.iter().filter_map(Watch::next_wakeup);
        waiting
            .chain(self.session.next_wakeup())
            .chain(self.catalogue.next_wakeup())
            .chain([self.survey.surveyor.next_wakeup()])
            .chain([self.work.work.next_wakeup()])
            .fold(self.next_snapshot, Moment::min)
    }
}

/// Frames.
impl Viewer {
    fn on_socket(&mut self, socket: SocketId, event: SocketEvent, now: Moment) {
        let mut bytes = None;
        match &event {
            SocketEvent::Text(text) => {
                self.heard_at = now;
                if let Some(topic) = published_topic(text) {
                    let is_level = self.levels.wants(topic)
                        || self.flight.wants(topic)
                        || self.commands.wants(topic);
                    let is_surveyed = self.survey.wants(topic) || self.work.wants(topic);
                    let is_always_read = is_level || is_surveyed;
                    let watch = self.watched.iter_mut().find(|w| w.topic() == topic);
                    if watch.is_none() && !is_always_read {
                        // Unsubscribed a moment ago: not worth reading.
                        return;
                    }
                    self.is_dirty |= is_level || watch.is_some();
                    if let Some(watch) = watch {
                        watch.statistics.count(text.len(), now);
                        if watch.must_wait(now) && !is_always_read {
                            let SocketEvent::Text(text) = event else {
                                return;
                            };
                            watch.wait(socket, text);
                            return;
                        }
                    }
                } else if begins_with(text, &["\"fragment\"", "\"png\""]) {
                    self.wrapped_bytes += text.len();
                    bytes = Some(self.wrapped_bytes);
                }
            }
            SocketEvent::Binary(frame) => {
                self.heard_at = now;
                bytes = Some(frame.len());
            }
            _ => {}
        }
        for event in self.session.handle(socket, event, now) {
            self.on_session(event, bytes, now);
        }
    }

    fn tick(&mut self, now: Moment) {
        for event in self.session.tick(now) {
            self.on_session(event, None, now);
        }
        for place in 0..self.watched.len() {
            let due = self.watched.get_mut(place).and_then(|w| w.due(now));
            if let Some((socket, text)) = due {
                for event in self.session.handle(socket, SocketEvent::Text(text), now) {
                    self.on_session(event, None, now);
                }
            }
        }
        if self.session.is_open() && now.since(self.heard_at) >= catalogue::SILENCE {
            // The list alone is answered every few seconds.
            for event in self.session.retry_later(now) {
                self.on_session(event, None, now);
            }
            self.is_dirty = true;
        }
        if self.is_slow
            && self
                .good_since
                .is_some_and(|since| now.since(since) >= TAKE_UP_AFTER)
        {
            self.is_slow = false;
            self.ask_for_all(now);
        }
        self.ask_again(now);
        self.survey
            .tick(&self.catalogue, &mut self.handles, &mut self.session, now);
        self.work
            .tick(&self.catalogue, &mut self.handles, &mut self.session, now);
        let watched = self.watched.iter().map(Watch::topic);
        let mut names: Vec<&str> = watched.chain(self.tryout.topic()).collect();
        let filter = &self.filter;
        let is_seen = self.is_listed || !names.is_empty();
        let is_listed = |topic: &Topic| self.is_listed && matches(topic, filter);
        names.extend(self.survey.silent_topics(now));
        self.catalogue
            .tick(&mut self.session, &names, is_listed, is_seen, now);
    }

    /// `bytes` of the frame, when they have not been counted yet.
    fn on_session(&mut self, event: SessionEvent, bytes: Option<usize>, now: Moment) {
        match event {
            SessionEvent::Opened => {
                self.heard_at = now;
                self.wrapped_bytes = 0;
                self.catalogue.begin(now);
                self.tryout.lost();
                self.flight.follow(&mut self.handles, &mut self.session);
                self.survey.opened(now);
                self.work.opened(now);
                self.is_dirty = true;
            }
            SessionEvent::Closed => {
                self.tryout.lost();
                self.work.closed(now);
                self.commands.forget();
                self.is_dirty = true;
            }
            SessionEvent::Failed { refused } => {
                if let Some(words) = refused {
                    self.trouble = words;
                }
                self.is_dirty = true;
            }
            SessionEvent::Message { topic, msg } => {
                if bytes.is_some() {
                    self.wrapped_bytes = 0;
                }
                self.on_message(&topic, msg, bytes, now);
            }
            SessionEvent::Answer { call, result } if self.tryout.is_asked(call) => {
                self.tryout.answered(result, &mut self.session, now);
                self.is_dirty = true;
            }
            SessionEvent::Answer { call, result } => {
                let news = self.catalogue.answered(call, result, now);
                if news == News::Nothing {
                    return;
                }
                if news == News::Definitions {
                    let definitions = self.catalogue.definitions();
                    for watch in &mut self.watched {
                        watch.read_again(definitions);
                    }
                }
                self.take_kinds(now);
                self.follow_vehicle();
                self.is_dirty = true;
            }
            // Only the pilot calls in this way, and not here.
            SessionEvent::OtherAnswer { .. } => {}
            SessionEvent::BadFrame(words) => self.complain(words),
            SessionEvent::Remark { level, .. } if level == "info" || level == "none" => {}
            SessionEvent::Remark { level, message } => {
                self.complain([level.as_str(), ": ", &message].concat());
            }
        }
    }

    fn on_message(&mut self, topic: &str, msg: Value, bytes: Option<usize>, now: Moment) {
        if self.survey.take(topic, &msg, now) {
            self.session.confirm_working();
            self.work.see(self.survey.surveyor.believed(now), now);
        }
        if self.work.take(topic, &msg, now) {
            self.session.confirm_working();
        }
        self.levels.take(topic, &msg, now);
        self.flight.take(topic, &msg, now);
        self.commands.take(topic, &msg, now);
        let Some(watch) = self.watched.iter_mut().find(|w| w.topic() == topic) else {
            self.session.confirm_working();
            return;
        };
        if let Some(bytes) = bytes {
            watch.statistics.count(bytes, now);
        }
        self.session.confirm_working();
        self.is_dirty = true;
        let definitions = self.catalogue.definitions();
        let msg = match raw_bytes(&msg, watch.compression()) {
            None => msg,
            Some(raw) => match cdr::decode(definitions, &short_name(watch.kind()), &raw) {
                Ok(msg) => msg,
                Err(error) => {
                    self.complain([topic, ": ", &error.to_string()].concat());
                    return;
                }
            },
        };
        let picture = watch.take(msg, definitions, self.is_paused, now);
        if let Some(picture) = picture {
            // Only the newest waits for the page.
            let is_older =
                |output: &Output| matches!(output, Output::Picture { topic: t, .. } if t == topic);
            self.outputs.retain(|output| !is_older(output));
            self.outputs.push_back(Output::Picture {
                topic: topic.to_owned(),
                mime: picture.mime,
                bytes: picture.bytes,
            });
        }
    }

    fn complain(&mut self, words: String) {
        self.bad_frames += 1;
        self.trouble = words;
        self.is_dirty = true;
    }
}

/// Wishes, and what is subscribed because of them.
impl Viewer {
    fn on_wish(&mut self, wish: Wish, now: Moment) {
        self.is_dirty = true;
        match wish {
            Wish::Watch(topic) => {
                if let Some(watch) = self.watch(&topic, now) {
                    watch.is_open = true;
                }
                self.ask_for_all(now);
                let known = self.commands.newest(&topic);
                let watch = self.watched.iter_mut().find(|w| w.topic() == topic);
                if let (Some(watch), Some((msg, at))) = (watch, known) {
                    watch.take(msg, self.catalogue.definitions(), false, at);
                }
            }
            Wish::Unwatch(topic) => {
                if let Some(watch) = self.watched.iter_mut().find(|w| w.topic() == topic) {
                    watch.is_open = false;
                }
                self.let_go();
            }
            Wish::Plot(topic, path) => {
                if let Some(watch) = self.watched.iter_mut().find(|w| w.topic() == topic) {
                    watch.plot(&path);
                }
                self.ask_for_all(now);
            }
            Wish::Unplot(topic, path) => {
                if let Some(watch) = self.watched.iter_mut().find(|w| w.topic() == topic) {
                    watch.unplot(&path);
                }
                self.ask_for_all(now);
            }
            Wish::Pause(is_paused) => {
                self.is_paused = is_paused;
                for watch in &mut self.watched {
                    watch.pause(is_paused.then_some(now));
                }
            }
            Wish::Filter(filter) => self.filter = filter.trim().to_lowercase(),
            Wish::Camera(topic) => {
                for watch in &mut self.watched {
                    watch.is_camera = false;
                }
                if let Some(topic) = topic
                    && let Some(watch) = self.watch(&topic, now)
                {
                    watch.is_camera = true;
                }
                self.let_go();
                self.ask_for_all(now);
            }
            Wish::SlowLink(true) => {
                self.good_since = None;
                if !self.is_slow {
                    self.is_slow = true;
                    self.ask_for_all(now);
                }
            }
            Wish::SlowLink(false) => {
                if self.is_slow && self.good_since.is_none() {
                    self.good_since = Some(now);
                }
            }
            Wish::List(is_listed) => self.is_listed = is_listed,
            Wish::Tryout(target) => {
                let name = match &target {
                    Some(Target::Topic { name, .. }) => name.trim(),
                    _ => "",
                };
                let name = ["/", name.trim_start_matches('/')].concat();
                let listed = self.catalogue.topic(&name).map(|topic| &*topic.kind);
                self.tryout.choose(target, listed, &mut self.session, now);
            }
            Wish::Services => self.tryout.list(&mut self.session, now),
            Wish::Send(typed, timeout_ms) => self.tryout.send(
                &typed,
                Duration::from_millis(timeout_ms.into()),
                self.catalogue.definitions(),
                &mut self.session,
                now,
            ),
            Wish::Connect => self.session.connect(now),
            Wish::Survey(wish) => self.on_survey_wish(wish),
            Wish::Work(wish) => self.work.wish(wish),
            Wish::Disconnect => {
                for event in self.session.disconnect() {
                    self.on_session(event, None, now);
                }
            }
        }
    }

    fn on_survey_wish(&mut self, wish: SurveyWish) {
        let surveyor = &mut self.survey.surveyor;
        match wish {
            SurveyWish::ColourBy(colour_by) => surveyor.colour_by(colour_by),
            SurveyWish::Export(kind) => {
                let text = surveyor.export(kind);
                self.outputs.push_back(Output::File { kind, text });
            }
            SurveyWish::Import { name, text } => surveyor.import(&name, &text),
            SurveyWish::Clear => surveyor.clear(),
            SurveyWish::Commanded(is_so) => surveyor.commanded(is_so),
        }
    }

    /// The topic's watch, made if need be; none when it must not or cannot be looked at.
    fn watch(&mut self, topic: &str, now: Moment) -> Option<&mut Watch> {
        if self.is_reserved(topic) {
            self.trouble = [topic, ": the control socket listens to it"].concat();
            return None;
        }
        let known = self.watched.iter().position(|w| w.topic() == topic);
        let place = match known {
            Some(place) => place,
            None if self.watched.len() >= MOST_WATCHED => {
                self.trouble = [topic, ": too many topics are looked at"].concat();
                return None;
            }
            None => {
                let kind = self.catalogue.topic(topic).map(|t| t.kind.as_str());
                self.watched
                    .push(Watch::new(topic, kind.unwrap_or_default(), now));
                self.watched.len() - 1
            }
        };
        self.watched.get_mut(place)
    }

    /// With and without a slash in front, a name is the same topic to ROS.
    fn is_reserved(&self, topic: &str) -> bool {
        let bare = topic.trim_start_matches('/');
        let mut reserved = self.start.reserved.iter();
        reserved.any(|name| name.trim_start_matches('/') == bare)
    }

    fn let_go(&mut self) {
        self.watched
            .retain(|watch| watch.is_open || watch.is_camera);
        self.handles.sweep(&mut self.session);
    }

    /// Subscribes what is looked at the way it should be now.
    fn ask_for_all(&mut self, now: Moment) {
        let images = match self.start.image_compression.as_str() {
            "cbor" => Compression::Cbor,
            "cbor-raw" => Compression::CborRaw,
            "png" => Compression::Png,
            _ => Compression::None,
        };
        for watch in &mut self.watched {
            let wanted = watch.wanted(self.is_slow, images);
            if watch.subscription() != wanted.as_ref() {
                let handle = wanted
                    .clone()
                    .map(|wanted| self.handles.subscribe(wanted, &mut self.session));
                watch.hold(wanted, handle, now);
            }
        }
        self.handles.sweep(&mut self.session);
    }

    /// A subscription made before a best-effort publisher appeared stays silent for ever.
    fn ask_again(&mut self, now: Moment) {
        if !self.session.is_open() {
            return;
        }
        let mut is_any = false;
        for watch in &mut self.watched {
            let topic = self.catalogue.topic(watch.topic());
            let has_publishers = topic.is_some_and(|t| t.publishers.is_some_and(|n| n > 0));
            if has_publishers && watch.is_silent_for(RESUBSCRIBE_AFTER, now) {
                watch.hold(None, None, now);
                is_any = true;
            }
        }
        if is_any {
            self.handles.sweep(&mut self.session);
            self.ask_for_all(now);
        }
    }

    /// Listens to the battery, tanks and faults that are on offer, and to what becomes of commands.
    fn follow_vehicle(&mut self) {
        let prefix = match self.start.namespace.trim_matches('/') {
            "" => String::new(),
            namespace => ["/", namespace].concat(),
        };
        let (vehicles, topics) = (self.catalogue.namespaces(), self.catalogue.topics());
        let offers = levels::offers(&prefix, vehicles, topics);
        self.levels
            .follow(offers, &mut self.handles, &mut self.session);
        self.commands
            .follow(&prefix, topics, &mut self.handles, &mut self.session);
    }

    /// The list may tell the type of a topic that was asked for before it was listed.
    fn take_kinds(&mut self, now: Moment) {
        let mut is_any = false;
        for watch in &mut self.watched {
            if let Some(topic) = self.catalogue.topic(watch.topic()) {
                is_any |= watch.take_kind(&topic.kind);
            }
        }
        if is_any {
            self.ask_for_all(now);
        }
    }
}

/// What is shown.
impl Viewer {
    fn finish(&mut self, now: Moment) {
        while let Some(output) = self.session.poll() {
            self.outputs.push_back(Output::Socket(output));
        }
        let surveyor = &mut self.survey.surveyor;
        surveyor.tick(now);
        while let Some(keeping) = surveyor.keeping() {
            self.outputs.push_back(Output::Keep(keeping));
        }
        let survey = surveyor.news(now);
        let has_fix = survey.is_some();
        if let Some(news) = survey {
            self.outputs.push_back(Output::Survey(Box::new(news)));
        }
        if let Some(news) = self.work.work.news(now) {
            self.outputs.push_back(Output::Work(Box::new(news)));
        }
        // With a fix if one is near, so that both are drawn in one frame.
        let near = if has_fix {
            WAITS_FOR_FIX
        } else {
            Duration::ZERO
        };
        let has_waited = now + near >= self.next_snapshot;
        if has_waited || (self.is_dirty && self.snapshots == 0) {
            self.is_dirty = false;
            self.next_snapshot = now + SNAPSHOT_PERIOD;
            self.snapshots += 1;
            let snapshot = Box::new(self.snapshot(now));
            self.outputs.push_back(Output::Snapshot(snapshot));
        }
    }

    fn snapshot(&self, now: Moment) -> ViewerSnapshot {
        let all = self.catalogue.topics();
        // Nobody reads a list that is not seen.
        let is_listed = |topic: &&Topic| self.is_listed && matches(topic, &self.filter);
        let matching: Vec<&Topic> = all.iter().filter(is_listed).collect();
        ViewerSnapshot {
            seq: self.snapshots,
            link: if self.session.is_open() {
                LinkState::Online
            } else if self.session.is_connecting() {
                LinkState::Connecting
            } else {
                LinkState::Offline
            },
            counts: (matching.len(), all.len()),
            topics: matching
                .into_iter()
                .take(MOST_ROWS)
                .map(|topic| self.row(topic, now))
                .collect(),
            watched: self.watched.iter().map(|w| w.view(now)).collect(),
            is_paused: self.is_paused,
            yields: self.is_slow,
            bad_frames: self.bad_frames,
            trouble: self.trouble.clone(),
            levels: self.levels.view(now),
            tryout: self.tryout.view(self.catalogue.definitions()),
            flight: self.flight.view(now),
            commands: self.commands.view(),
        }
    }

    fn row(&self, topic: &Topic, now: Moment) -> TopicRow {
        let watch = self.watched.iter().find(|w| w.topic() == topic.name);
        TopicRow {
            name: topic.name.clone(),
            kind: topic.kind.clone(),
            publishers: topic.publishers,
            access: match watch {
                Some(_) => Access::Watched,
                None if self.is_reserved(&topic.name) => Access::Reserved,
                None => Access::Free,
            },
            traffic: watch.map(|watch| watch.traffic(now)),
        }
    }
}

/// `filter` is in lower case.
fn matches(topic: &Topic, filter: &str) -> bool {
    filter.is_empty()
        || topic.name.to_lowercase().contains(filter)
        || topic.kind.to_lowercase().contains(filter)
}

/// The topic of a publish frame, told from its first letters.
fn published_topic(text: &str) -> Option<&str> {
    begins_with(text, &["\"publish\""])
        .then(|| frame::topic_hint(text))
        .flatten()
}

/// Whether one of the words stands among the first letters, where a server writes the op.
fn begins_with(text: &str, words: &[&str]) -> bool {
    let head = text.as_bytes();
    let head = head.get(..head.len().min(40)).unwrap_or_default();
    words.iter().any(|word| {
        head.windows(word.len())
            .any(|window| window == word.as_bytes())
    })
}

/// The CDR of a message that was asked for as such. The first subscriber of a topic decides for
/// all: what comes may be plain all the same.
fn raw_bytes(msg: &Value, compression: Compression) -> Option<Vec<u8>> {
    let is_raw = compression == Compression::CborRaw
        && msg.get("secs").is_some()
        && msg.get("nsecs").is_some();
    let bytes = msg.get("bytes").filter(|_| is_raw)?;
    base64::decode(bytes.as_str()?)
}

/// The plainest subscription of a topic for the viewer: the newest message is enough.
pub(crate) fn newest(topic: &str, kind: &str, throttle_ms: u32, how: Compression) -> Subscription {
    Subscription {
        throttle_ms,
        compression: how,
        ..Subscription::newest(topic, kind)
    }
}
