//! The ears of the work on the map: what is published on the command topics, whoever publishes it.

use std::time::Duration;

use serde_json::Value;

use super::catalogue::Catalogue;
use super::newest;
use crate::chart::told::Wheels;
use crate::chart::work::{Work, WorkFix, WorkSettings, WorkWish};
use crate::profile::Profile;
use crate::rosbridge::frame::Compression;
use crate::rosbridge::handle::{Handle, Handles};
use crate::rosbridge::session::Session;
use crate::rtk::view::RtkView;
use crate::tools::commissioning::Commissioned;
use crate::units::Moment;

/// A vehicle that told no topic after so long is taken at the profile's word.
const WAITS_FOR_TYPES: Duration = Duration::from_secs(3);

/// The work, and what it listens to.
#[derive(Debug)]
pub(super) struct WorkEars {
    pub(super) work: Work,
    ears: [Ear; 2],
    opened_at: Moment,
    /// Somebody works on the map: only then is anything listened to.
    is_wanted: bool,
}

#[derive(Debug)]
struct Ear {
    topic: String,
    kind: String,
    /// As the profile has it.
    usual_kind: String,
    is_velocity: bool,
    handle: Option<Handle>,
}

impl WorkEars {
    pub(super) fn new(profile: &Profile) -> Self {
        let (vehicle, bridge) = (&profile.vehicle, &profile.bridge);
        let ear = |topic, usual: &str, is_velocity| Ear {
            topic,
            kind: String::new(),
            usual_kind: usual.to_owned(),
            is_velocity,
            handle: None,
        };
        Self {
            work: Work::new(WorkSettings {
                is_on_wheels: vehicle.kind == "sweeper",
                ..WorkSettings::new(
                    profile.drive.clone(),
                    Wheels::of(&Commissioned::default(), &profile.tools),
                    &vehicle.outline,
                    (vehicle.deck_width.0, vehicle.deck_forward.0),
                )
            }),
            ears: [
                ear(bridge.cmd_vel_topic(), &bridge.cmd_vel_type, true),
                ear(bridge.mc_ctrl_topic(), &bridge.mc_ctrl_type, false),
            ],
            opened_at: Moment::START,
            is_wanted: false,
        }
    }

    /// Every message of this topic is wanted.
    pub(super) fn wants(&self, topic: &str) -> bool {
        let mut ears = self.ears.iter();
        ears.any(|ear| ear.topic == topic && ear.handle.is_some())
    }

    /// A message came; true when it is one of these topics'.
    pub(super) fn take(&mut self, topic: &str, msg: &Value, now: Moment) -> bool {
        if !self.wants(topic) {
            return false;
        }
        match self.ears.iter().find(|ear| ear.topic == topic) {
            Some(ear) if ear.is_velocity => self.work.velocity(msg, now),
            Some(_) => self.work.mc_ctrl(msg, now),
            None => return false,
        }
        true
    }

    /// A position came; `None`: one that may not be believed.
    pub(super) fn see(&mut self, view: Option<RtkView>, now: Moment) {
        let fix = view.and_then(|view| {
            Some(WorkFix {
                position: view.position?,
                heading: view.heading.filter(|_| view.heading_is_good),
                quality: u8::try_from(view.p_quality.unwrap_or_default()).unwrap_or_default(),
            })
        });
        self.work.fix(fix, now);
    }

    /// The operator wants something.
    pub(super) fn wish(&mut self, wish: WorkWish) {
        self.is_wanted = true;
        self.work.wish(wish);
    }

    /// A connection opened.
    pub(super) fn opened(&mut self, now: Moment) {
        self.opened_at = now;
    }

    /// The connection is gone.
    pub(super) fn closed(&mut self, now: Moment) {
        self.work.disconnected(now);
    }

    /// Subscribes a topic once the vehicle has told its type, or tells none of any.
    pub(super) fn tick(
        &mut self,
        catalogue: &Catalogue,
        handles: &mut Handles,
        session: &mut Session,
        now: Moment,
    ) {
        if !self.is_wanted || !session.is_open() {
            return;
        }
        let is_mute = catalogue.topics().is_empty() && now.since(self.opened_at) >= WAITS_FOR_TYPES;
        for ear in &mut self.ears {
            let told = catalogue.topic(&ear.topic).map(|topic| &topic.kind);
            let Some(kind) = told.or(is_mute.then_some(&ear.usual_kind)) else {
                continue;
            };
            if ear.handle.is_none() || ear.kind != *kind {
                ear.kind.clone_from(kind);
                ear.handle = None;
                let wanted = newest(&ear.topic, &ear.kind, 0, Compression::None);
                ear.handle = Some(handles.subscribe(wanted, session));
            }
        }
        handles.sweep(session);
    }
}
