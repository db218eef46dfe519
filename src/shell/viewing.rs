//! What page, viewer and the viewer's Worker say to each other: bytes, as in
//! [`super::protocol`].
//!
//! The viewer is a program of its own. The page loads it when somebody wants to see topics or a
//! camera, and tells it by a `MessagePort` what it must know. Whatever becomes of it, the page goes on.

use serde::{Deserialize, Serialize};

use super::protocol::{build, encode};
use crate::chart::surveyor::SurveyNews;
use crate::chart::work::{WorkNews, WorkWish};
use crate::lang::Lang;
use crate::monitor::snapshot::{Conflict, Namespace};
use crate::msgs::Message;
use crate::msgs::geometry::{Twist, TwistStamped};
use crate::msgs::sweeper::McCtrl;
use crate::pilot::commissioning::CommissioningView;
use crate::pilot::snapshot::{DriveState, DriveView, LinkState, StopCheckView, ToolsView};
use crate::profile::Profile;
use crate::rtk::view::RtkView;
use crate::tools::commissioning::Seen;
use crate::tools::intent::Wanted;
use crate::viewer::snapshot::ViewerSnapshot;
use crate::viewer::{SurveyWish, ViewerStart, Wish};

/// Page → viewer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ToViewer {
    /// What it must know; all of it, whenever any of it changes. It stays the first of these, and
    /// the build its first item, so that a viewer of another build can read whom it has before it.
    Host(Box<ViewerHost>),
    /// The port to the simulated vehicle is transferred with this message.
    Vehicle,
    /// What the machine's moving parts are told, whenever it changes.
    Parts(Box<Parts>),
}

/// [`ToViewer::Vehicle`] as bytes, for a page that need not carry what writes them.
pub const VEHICLE: &[u8] = &[1];

/// What the viewer must know of the page.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ViewerHost {
    /// [`super::protocol::build`] of the page.
    pub build: String,
    /// The rosbridge in use; [`super::protocol::DEMO_URL`] for the simulated vehicle.
    pub url: String,
    /// The checked profile.
    pub profile: Profile,
    /// Language.
    pub lang: Lang,
    /// State of the commands' link.
    pub link: LinkState,
    /// How many times the topics were asked for.
    pub opened: u32,
    /// The settings lie over them.
    pub is_covered: bool,
    /// What the vehicle's definitions make impossible.
    pub conflicts: Vec<Conflict>,
    /// The vehicles that show by their topics.
    pub namespaces: Vec<Namespace>,
    /// What is set on this device.
    pub settings: Settings,
}

/// What the machine's moving parts are told, for the drawing of them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Parts {
    /// As the pilot shows them.
    pub tools: ToolsView,
    /// What the operator wants of them.
    pub wanted: Wanted,
    /// A finger drives.
    pub is_driving: bool,
    /// The engineers' page of the tools is open.
    pub has_currents: bool,
    /// A multirotor's motors run; none: not known.
    pub motors: Option<bool>,
    /// It stands on the ground; none: not known.
    pub landed: Option<bool>,
}

/// [`ToViewer::Parts`] as bytes, out of what the page has at hand.
#[must_use]
pub fn parts_bytes(
    tools: &ToolsView,
    wanted: Wanted,
    drive: &DriveView,
    has_currents: bool,
) -> Vec<u8> {
    let is_driving = drive.state == DriveState::Driving;
    let flight = (drive.motors, drive.landed);
    encode(&(2_u8, tools, wanted, is_driving, has_currents, flight))
}

/// What is set on this device, as the settings show it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Settings {
    /// The right thumb drives.
    pub is_right_hand: bool,
    /// Two pads: one for the speed, one for the steering.
    pub has_two_pads: bool,
    /// The keys that drive, as they are kept.
    pub keys: String,
    /// The calibrated gamepads, as they are kept.
    pub gamepads: String,
    /// The stop check of this vehicle.
    pub stop_check: StopCheckView,
    /// What is found out about its fields.
    pub commissioning: CommissioningView,
    /// The tools are on.
    pub has_tools: bool,
    /// The programs in force, where they are not the profile's
    /// ([`Profile::programs_taken`]).
    pub programs: String,
    /// It needs no stop check.
    pub counts_as_checked: bool,
}

/// Viewer → page: what an operator asks for in the settings. The page keeps it, ends what is held,
/// and tells it back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum FromViewer {
    /// It runs and listens.
    Hello,
    /// The thumb that drives.
    Hand {
        /// The right one.
        is_right: bool,
    },
    /// Two pads, or one.
    TwoPads(bool),
    /// The keys that drive, as they are kept.
    Keys(String),
    /// A calibrated gamepad, as it is kept.
    Gamepad(String),
    /// Gamepads are being calibrated, and drive nothing as long as the settings are open.
    Calibrates(bool),
    /// The stop check is to begin.
    StopCheck,
    /// A movement of a check on the vehicle is held
    /// ([`crate::tools::commissioning::Movement::number`]), or 0: none any more.
    Check(i8),
    /// What the operator saw it do.
    Seen(Seen),
    /// Where the vehicle is, by a topic that the page does not hear.
    Position(Box<RtkView>),
    /// Other programs, or the profile's own again ([`Profile::take_programs`]).
    Programs(String),
    /// The map's source, by its place among those that have tiles.
    MapSource(u8),
    /// mm/s that something drawn ahead asks the speed to stay below, or no more; renewed while it
    /// holds.
    DrawnCap(Option<u16>),
}

/// [`ToViewer::Host`] as bytes, out of what the page has at hand: it need not carry what would copy
/// it first. `rest`: [`ViewerHost::opened`], [`ViewerHost::is_covered`], what was found and what is set.
#[must_use]
pub fn host_bytes(
    url: &str,
    profile: &Profile,
    lang: Lang,
    link: LinkState,
    rest: (u32, bool, &[Conflict], &[Namespace], &Settings),
) -> Vec<u8> {
    encode(&(0_u8, build(), url, profile, lang, link, rest))
}

impl ViewerHost {
    /// The camera beside the map.
    #[must_use]
    pub fn camera(&self) -> Option<String> {
        let topic = self.profile.camera.topic.as_deref()?;
        Some(self.profile.bridge.topic(topic))
    }

    /// The link is slow or worse: large topics give way.
    #[must_use]
    pub fn is_slow(&self) -> bool {
        use LinkState::{Lost, Slow, Stalled};
        matches!(self.link, Slow | Stalled | Lost)
    }

    /// What the viewer begins with.
    #[must_use]
    pub fn start(&self) -> ViewerStart {
        let bridge = &self.profile.bridge;
        ViewerStart {
            url: self.url.clone(),
            rosapi: bridge.rosapi.clone(),
            reserved: vec![
                bridge.cmd_vel_topic(),
                bridge.mc_ctrl_topic(),
                bridge.heartbeat_topic(),
            ],
            image_compression: self.profile.camera.compression.clone().unwrap_or_default(),
            profile: self.profile.clone(),
            // The Worker knows best.
            seed: 0,
            namespace: bridge.namespace.clone(),
            has_tryout: self.profile.screen.engineer_tools,
            command_types: vec![
                Twist::TYPE.into(),
                TwistStamped::TYPE.into(),
                McCtrl::TYPE.into(),
                "mavros_msgs/msg/AttitudeTarget".into(),
                bridge.cmd_vel_type.clone(),
                bridge.mc_ctrl_type.clone(),
            ],
            unix_ms: 0,
        }
    }
}

/// Viewer → its Worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ToViewerWorker {
    /// The first message.
    Begin(Box<ViewerStart>),
    /// What the operator wants to see.
    Wish(Wish),
    /// The port to the simulated vehicle is transferred with this message.
    Vehicle,
}

/// The viewer's Worker → viewer. Pictures come apart, as an array of topic, media type and bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum FromViewerWorker {
    /// It runs and listens.
    Hello,
    /// What is to be seen.
    Snapshot(Box<ViewerSnapshot>),
    /// What is new in the survey. Files for the operator come apart, as an array of kind, media
    /// type, content and `true`.
    Survey(Box<SurveyNews>),
    /// What is new in the work on the map.
    Work(Box<WorkNews>),
}

/// What the operator wants to see, for the successor of a Worker that died.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Wishes(Vec<Wish>);

impl Wishes {
    /// Keeps a wish in place of the one that it replaces or takes back.
    pub fn take(&mut self, wish: &Wish) {
        self.0.retain(|kept| !replaces(wish, kept));
        let is_the_usual = matches!(
            wish,
            Wish::Unwatch(_)
                | Wish::Unplot(..)
                | Wish::Pause(false)
                | Wish::SlowLink(false)
                | Wish::Camera(None)
                | Wish::List(false)
                | Wish::Connect
                | Wish::Survey(
                    SurveyWish::Export(_)
                        | SurveyWish::Import { .. }
                        | SurveyWish::Clear
                        | SurveyWish::Commanded(false)
                )
                // Acts, not wishes: a successor must not do them again.
                | Wish::Tryout(_)
                | Wish::Services
                | Wish::Send(..)
                | Wish::Work(WorkWish::Record(false) | WorkWish::ForgetSwept)
        );
        if !is_the_usual {
            self.0.push(wish.clone());
        }
    }

    /// All, in an order in which they can be told.
    pub fn all(&self) -> impl Iterator<Item = &Wish> {
        self.0.iter()
    }

    /// Lets everything go that was looked at; what is beside the map stays.
    pub fn close(&mut self) -> Vec<Wish> {
        let open = self.0.iter().filter_map(|wish| match wish {
            Wish::Watch(topic) => Some(Wish::Unwatch(topic.clone())),
            Wish::Pause(true) => Some(Wish::Pause(false)),
            Wish::List(true) => Some(Wish::List(false)),
            _ => None,
        });
        let closing: Vec<Wish> = open.collect();
        for wish in &closing {
            self.take(wish);
        }
        closing
    }
}

fn replaces(new: &Wish, old: &Wish) -> bool {
    match (new, old) {
        (Wish::Watch(new) | Wish::Unwatch(new), Wish::Watch(old))
        | (Wish::Unwatch(new), Wish::Plot(old, _)) => new == old,
        (Wish::Plot(topic, path) | Wish::Unplot(topic, path), Wish::Plot(of, at)) => {
            topic == of && path == at
        }
        (Wish::Pause(_), Wish::Pause(_))
        | (Wish::Filter(_), Wish::Filter(_))
        | (Wish::Camera(_), Wish::Camera(_))
        | (Wish::SlowLink(_), Wish::SlowLink(_))
        | (Wish::List(_), Wish::List(_))
        | (Wish::Survey(SurveyWish::ColourBy(_)), Wish::Survey(SurveyWish::ColourBy(_)))
        | (Wish::Survey(SurveyWish::Commanded(_)), Wish::Survey(SurveyWish::Commanded(_)))
        | (Wish::Connect | Wish::Disconnect, Wish::Disconnect)
        | (Wish::Work(WorkWish::Drawn(_)), Wish::Work(WorkWish::Drawn(_)))
        | (Wish::Work(WorkWish::Record(_)), Wish::Work(WorkWish::Record(_)))
        | (
            Wish::Work(WorkWish::Swept(_) | WorkWish::ForgetSwept),
            Wish::Work(WorkWish::Swept(_)),
        ) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::protocol::decode;
    use super::*;
    use crate::chart::drawn::{Kind, Shape};
    use crate::chart::work::Swept;
    use crate::monitor::snapshot::Role;
    use crate::viewer::tryout::Target;

    fn told(wishes: &[Wish]) -> Wishes {
        let mut kept = Wishes::default();
        for wish in wishes {
            kept.take(wish);
        }
        kept
    }

    #[test]
    fn a_new_worker_is_told_what_its_predecessor_knew_and_nothing_that_was_taken_back() {
        let watch = |topic: &str| Wish::Watch(topic.into());
        let plot = |topic: &str, path: &str| Wish::Plot(topic.into(), path.into());
        let kept = told(&[
            watch("/odom"),
            watch("/battery"),
            plot("/odom", "/x"),
            plot("/battery", "/voltage"),
            Wish::Filter("o".into()),
            Wish::Filter("od".into()),
            Wish::Pause(true),
            Wish::Unwatch("/battery".into()),
            Wish::Pause(false),
            Wish::SlowLink(true),
            Wish::Disconnect,
            Wish::Connect,
            Wish::Tryout(Some(Target::Service("/sim/pause".into()))),
            Wish::Send(Vec::new(), 1000),
        ]);
        let all: Vec<&Wish> = kept.all().collect();
        assert_eq!(
            all,
            [
                &watch("/odom"),
                &plot("/odom", "/x"),
                &Wish::Filter("od".into()),
                &Wish::SlowLink(true)
            ]
        );
    }

    #[test]
    fn a_new_worker_knows_what_is_drawn_recorded_and_swept_as_it_was_last() {
        let drawn = |name: &str| {
            Wish::Work(WorkWish::Drawn(vec![Shape {
                id: 1,
                kind: Kind::Zone,
                name: name.into(),
                points: vec![(31.2, 121.5)],
            }]))
        };
        let swept = Wish::Work(WorkWish::Swept(Swept::default()));
        let kept = told(&[
            drawn("a"),
            swept.clone(),
            Wish::Work(WorkWish::Record(true)),
            drawn("b"),
            swept.clone(),
            Wish::Work(WorkWish::Record(false)),
        ]);
        assert_eq!(kept.all().collect::<Vec<_>>(), [&drawn("b"), &swept]);
        let forgotten = told(&[swept, Wish::Work(WorkWish::ForgetSwept)]);
        assert_eq!(forgotten.all().count(), 0);
    }

    #[test]
    fn closing_lets_go_of_what_was_looked_at_and_keeps_the_camera() {
        let camera = Wish::Camera(Some("/camera".into()));
        let mut kept = told(&[
            camera.clone(),
            Wish::Watch("/odom".into()),
            Wish::Pause(true),
        ]);
        assert_eq!(
            kept.close(),
            [Wish::Unwatch("/odom".into()), Wish::Pause(false)]
        );
        assert_eq!(kept.all().collect::<Vec<_>>(), [&camera]);
    }

    #[test]
    fn every_message_comes_back_as_it_was() {
        let host = ToViewer::Host(Box::new(ViewerHost {
            build: "b".into(),
            link: LinkState::Slow,
            opened: 3,
            ..ViewerHost::default()
        }));
        assert_eq!(decode::<ToViewer>(Some(&encode(&host))).unwrap(), host);
        assert_eq!(
            encode(&host)[..3],
            [0, 1, b'b'],
            "the build keeps its place for ever"
        );
        assert_eq!(encode(&ToViewer::Vehicle), VEHICLE);
        let parts = Parts {
            is_driving: true,
            landed: Some(true),
            ..Parts::default()
        };
        let drive = DriveView {
            state: DriveState::Driving,
            landed: Some(true),
            ..DriveView::default()
        };
        let told = parts_bytes(&parts.tools, parts.wanted, &drive, false);
        assert_eq!(
            decode::<ToViewer>(Some(&told)).unwrap(),
            ToViewer::Parts(Box::new(parts))
        );
        let settings = Settings {
            is_right_hand: true,
            has_two_pads: true,
            keys: "KeyI KeyK KeyJ KeyL".into(),
            gamepads: "7 1 0 -10000 10000 0 -10000 10000 Pad".into(),
            ..Settings::default()
        };
        let profile = Profile::from_json(r#"{"camera": {"topic": "/c"}}"#).unwrap();
        let conflicts = [Conflict {
            role: Role::McCtrl,
            topic: "/auto_mc_ctrl".into(),
            expected: "x/A".into(),
            found: "x/B".into(),
            fields: Vec::new(),
        }];
        let namespaces = [Namespace::default()];
        let rest = (7, true, &conflicts[..], &namespaces[..], &settings);
        let told = host_bytes("ws://v", &profile, Lang::Zh, LinkState::Lost, rest);
        assert_eq!(
            decode::<ToViewer>(Some(&told)).unwrap(),
            ToViewer::Host(Box::new(ViewerHost {
                build: build().into(),
                url: "ws://v".into(),
                profile,
                lang: Lang::Zh,
                link: LinkState::Lost,
                opened: 7,
                is_covered: true,
                conflicts: conflicts.into(),
                namespaces: namespaces.into(),
                settings,
            }))
        );
        for asked in [
            FromViewer::Hello,
            FromViewer::Hand { is_right: true },
            FromViewer::Keys("KeyI KeyK KeyJ KeyL".into()),
            FromViewer::Calibrates(true),
            FromViewer::StopCheck,
            FromViewer::Check(-3),
            FromViewer::Seen(Seen::middle(7)),
            FromViewer::Position(Box::default()),
            FromViewer::Programs("{}".into()),
            FromViewer::MapSource(2),
            FromViewer::DrawnCap(Some(300)),
        ] {
            assert_eq!(decode::<FromViewer>(Some(&encode(&asked))).unwrap(), asked);
        }
        let begin = ToViewerWorker::Begin(Box::default());
        assert_eq!(
            decode::<ToViewerWorker>(Some(&encode(&begin))).unwrap(),
            begin
        );
        for shown in [
            FromViewerWorker::Snapshot(Box::default()),
            FromViewerWorker::Survey(Box::default()),
            FromViewerWorker::Work(Box::default()),
        ] {
            assert_eq!(
                decode::<FromViewerWorker>(Some(&encode(&shown))).unwrap(),
                shown
            );
        }
    }
}
