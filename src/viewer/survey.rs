//! Which topics the survey hears: the position's, or a `NavSatFix` with a heading where no `Rtk`
//! ever comes.

use std::time::Duration;

use serde_json::Value;

use super::catalogue::Catalogue;
use crate::chart::surveyor::{Message, Surveyor};
use crate::profile::Profile;
use crate::rosbridge::handle::{Handle, Handles};
use crate::rosbridge::session::{Session, Subscription};
use crate::units::Moment;

/// So long an `Rtk` is waited for before another source is looked for; so long, too, a vehicle
/// may take to tell the topic's type.
const WAITS_FOR_RTK: Duration = Duration::from_secs(3);
/// A topic that somebody publishes and that stays silent for so long is asked for again.
const RESUBSCRIBE_AFTER: Duration = Duration::from_secs(5);
/// Of the position and of the heading beside it.
const NAV_SAT_FIX: &str = "NavSatFix";
const HEADINGS: [&str; 2] = ["QuaternionStamped", "Imu"];

/// The survey's ear.
#[derive(Debug)]
pub(super) struct Survey {
    pub(super) surveyor: Surveyor,
    profile: Profile,
    rtk: Ear,
    nav_sat: Option<Ear>,
    heading: Option<Ear>,
    opened_at: Option<Moment>,
    has_heard_rtk: bool,
}

#[derive(Debug)]
struct Ear {
    topic: String,
    kind: String,
    handle: Option<Handle>,
    heard_at: Moment,
}

impl Survey {
    pub(super) fn new(profile: &Profile, unix_ms: u64) -> Self {
        Self {
            surveyor: Surveyor::new(profile.rtk.clone(), unix_ms),
            rtk: Ear::new(&profile.bridge.rtk_topic(), ""),
            profile: profile.clone(),
            nav_sat: None,
            heading: None,
            opened_at: None,
            has_heard_rtk: false,
        }
    }

    /// A connection opened.
    pub(super) fn opened(&mut self, now: Moment) {
        self.opened_at = Some(now);
        self.has_heard_rtk = false;
    }

    /// What is listened to, and does not come.
    pub(super) fn silent_topics(&self, now: Moment) -> impl Iterator<Item = &str> {
        let silent = self
            .ears()
            .filter(move |ear| ear.handle.is_some() && ear.is_silent(now));
        silent.map(|ear| ear.topic.as_str())
    }

    /// Every message of this topic is wanted.
    pub(super) fn wants(&self, topic: &str) -> bool {
        self.ears()
            .any(|ear| ear.topic == topic && ear.handle.is_some())
    }

    /// A message came; true when it is one of these topics'.
    pub(super) fn take(&mut self, topic: &str, msg: &Value, now: Moment) -> bool {
        let is_rtk = topic == self.rtk.topic;
        let ears = [
            Some(&mut self.rtk),
            self.nav_sat.as_mut(),
            self.heading.as_mut(),
        ];
        let mut listening = ears
            .into_iter()
            .flatten()
            .filter(|ear| ear.handle.is_some());
        let Some(ear) = listening.find(|ear| ear.topic == topic) else {
            return false;
        };
        ear.heard_at = now;
        if is_kind(&ear.kind, NAV_SAT_FIX) {
            self.surveyor.receive(Message::NavSatFix(msg), now);
        } else if is_rtk {
            self.has_heard_rtk = true;
            self.surveyor.receive(Message::Rtk(msg), now);
        } else {
            self.surveyor.receive(Message::Heading(&ear.kind, msg), now);
        }
        true
    }

    /// Subscribes what is to be heard now.
    pub(super) fn tick(
        &mut self,
        catalogue: &Catalogue,
        handles: &mut Handles,
        session: &mut Session,
        now: Moment,
    ) {
        let Some(opened_at) = self.opened_at.filter(|_| session.is_open()) else {
            return;
        };
        let has_waited = now.since(opened_at) >= WAITS_FOR_RTK;
        let told = catalogue.topic(&self.rtk.topic).map(|t| t.kind.clone());
        let is_untold = catalogue.topics().is_empty() && has_waited;
        let kind = told.or_else(|| is_untold.then(|| self.profile.bridge.rtk_type.clone()));
        if let Some(kind) = kind {
            self.rtk.listen(&kind, handles, session, now);
        }
        let is_elsewhere =
            has_waited && !self.has_heard_rtk && !is_kind(&self.rtk.kind, NAV_SAT_FIX);
        if !is_elsewhere {
            self.nav_sat = None;
        } else if self.nav_sat.is_none() {
            self.nav_sat = self.find(catalogue, &[NAV_SAT_FIX]);
        }
        let wants_heading = self.nav_sat.is_some() || is_kind(&self.rtk.kind, NAV_SAT_FIX);
        if !wants_heading {
            self.heading = None;
        } else if self.heading.is_none() {
            self.heading = self.find_heading(catalogue);
        }
        for ear in [
            Some(&mut self.rtk),
            self.nav_sat.as_mut(),
            self.heading.as_mut(),
        ]
        .into_iter()
        .flatten()
        {
            if ear.handle.is_none() && !ear.kind.is_empty() {
                let kind = ear.kind.clone();
                ear.listen(&kind, handles, session, now);
            }
            let publishers = catalogue.topic(&ear.topic).and_then(|t| t.publishers);
            if ear.is_silent(now) && publishers.is_some_and(|count| count > 0) {
                // A subscription made before a best-effort publisher appeared stays silent for ever.
                ear.handle = None;
                handles.sweep(session);
                let kind = ear.kind.clone();
                ear.listen(&kind, handles, session, now);
            }
        }
        handles.sweep(session);
    }

    fn ears(&self) -> impl Iterator<Item = &Ear> {
        [
            Some(&self.rtk),
            self.nav_sat.as_ref(),
            self.heading.as_ref(),
        ]
        .into_iter()
        .flatten()
    }

    fn find_heading(&self, catalogue: &Catalogue) -> Option<Ear> {
        match &self.profile.bridge.heading {
            None => self.find(catalogue, &HEADINGS),
            Some(name) => {
                let topic = self.profile.bridge.topic(name);
                let kind = catalogue.topic(&topic)?.kind.clone();
                Some(Ear::new(&topic, &kind))
            }
        }
    }

    /// A topic of one of these types, the vehicle's own before others'.
    fn find(&self, catalogue: &Catalogue, kinds: &[&str]) -> Option<Ear> {
        let own = self.profile.bridge.topic("");
        let all = || {
            kinds.iter().flat_map(|kind| {
                let topics = catalogue.topics().iter();
                topics.filter(move |topic| is_kind(&topic.kind, kind))
            })
        };
        let found = all()
            .find(|topic| topic.name.starts_with(&own))
            .or_else(|| all().next())?;
        Some(Ear::new(&found.name, &found.kind))
    }
}

impl Ear {
    fn new(topic: &str, kind: &str) -> Self {
        Self {
            topic: topic.to_owned(),
            kind: kind.to_owned(),
            handle: None,
            heard_at: Moment::START,
        }
    }

    fn is_silent(&self, now: Moment) -> bool {
        now.since(self.heard_at) >= RESUBSCRIBE_AFTER
    }

    fn listen(&mut self, kind: &str, handles: &mut Handles, session: &mut Session, now: Moment) {
        if self.handle.is_some() && self.kind == kind {
            return;
        }
        self.kind = kind.to_owned();
        self.heard_at = now;
        self.handle = None;
        let wanted = Subscription::every(&self.topic, kind);
        self.handle = Some(handles.subscribe(wanted, session));
    }
}

/// `package/Name` and `package/msg/Name` alike.
fn is_kind(kind: &str, name: &str) -> bool {
    kind.rsplit('/').next() == Some(name)
}
