//! STOP, and stops that are made up for after a loss (rules 12, 13, 15–17).

use std::time::Duration;

use super::event::Event;
use super::heartbeat::{Heartbeat, StopMark};
use super::snapshot::{Delivery, LinkState};
use super::{Path, Pilot};
use crate::drive::kinematics::Velocity;
use crate::drive::settings::Via;
use crate::reason::Reason;
use crate::rosbridge::session::Subscription;
use crate::tools::state::ToolsState;
use crate::units::Moment;

/// How long zeros are sent on a new connection when standing is not seen.
const MAKE_UP_FOR: Duration = Duration::from_secs(1);

/// A console that is not heard for so long does not hold its STOP any more.
const HELD_FOR: Duration = Duration::from_secs(2);

/// A latched STOP.
#[derive(Debug)]
pub(super) struct Stop {
    pub mark: StopMark,
    /// The other console that pressed it.
    pub by: Option<String>,
    /// Number of its first zero on the present connection.
    first_zero: Option<u64>,
    is_published: bool,
    is_done: bool,
}

impl Stop {
    /// Zeros still have to be sent.
    pub(super) fn is_pending(&self) -> bool {
        !self.is_done
    }

    pub(super) fn is_published(&self) -> bool {
        self.is_published
    }

    /// Say it again: it was pressed again, or somebody else sends against it.
    pub(super) fn resume(&mut self) {
        self.is_done = false;
    }

    pub(super) fn link_lost(&mut self) {
        if !self.is_done {
            self.first_zero = None;
            self.is_published = false;
        }
    }
}

/// A STOP that another console holds, heard last at this moment: who pressed it there counts on it,
/// whatever was reset here.
#[derive(Debug)]
pub(super) struct StopElsewhere {
    console: String,
    name: String,
    at: Moment,
}

/// A stop that is sent on a new connection because the last one was lost in motion.
#[derive(Debug)]
pub(super) struct MakeUp {
    since: Moment,
    /// The drive was in motion; else only the tools were.
    drive: bool,
}

impl Pilot {
    pub(super) fn latch_stop_here(&mut self, now: Moment) {
        if self.stop.as_ref().is_some_and(|stop| stop.by.is_none()) {
            // Pressed again: say it again.
            self.stop.iter_mut().for_each(Stop::resume);
            self.next_tick = now;
            return;
        }
        let by = self.start.console.id.clone();
        let seq = (self.start.unix_ms_at_start + now.as_millis()).max(0.0) as u64;
        self.event(Event::StopPressed);
        self.latch_stop(StopMark { by, seq }, None, now);
    }

    /// Rule 17: another console's heartbeat carries a STOP.
    pub(super) fn heard_stop_mark(&mut self, heartbeat: &Heartbeat, now: Moment) {
        let name = heartbeat.name.clone();
        let Some(mark) = &heartbeat.stop else {
            self.stop_elsewhere
                .take_if(|stop| stop.console == heartbeat.console);
            return;
        };
        self.stop_elsewhere = Some(StopElsewhere {
            console: heartbeat.console.clone(),
            name: name.clone(),
            at: now,
        });
        if self.stop.is_some() {
            return;
        }
        if self.settled_stops.contains(mark) {
            let reason = Reason::StopElsewhere { name };
            self.stop_tools(reason.clone(), now);
            self.block_drive(reason, now);
            return;
        }
        self.event(Event::StopByOther { name: name.clone() });
        self.latch_stop(mark.clone(), Some(name), now);
    }

    /// No other console holds a STOP.
    pub(super) fn no_stop_elsewhere(&self, now: Moment) -> Result<(), Reason> {
        match &self.stop_elsewhere {
            Some(stop) if now.since(stop.at) < HELD_FOR => Err(Reason::StopElsewhere {
                name: stop.name.clone(),
            }),
            _ => Ok(()),
        }
    }

    fn latch_stop(&mut self, mark: StopMark, by: Option<String>, now: Moment) {
        self.stop = Some(Stop {
            mark,
            by,
            first_zero: None,
            is_published: false,
            is_done: false,
        });
        self.lease.stick = None;
        self.lease.holds = Default::default();
        self.confirm = None;
        self.make_up = None;
        self.driving.machine.latch_stop();
        self.motor.is_confirmed = false;
        if self.tools_concern_stop(now) {
            self.begin_safe_stop(now);
        }
        self.tooling.state = ToolsState::Stopped;
        self.tooling.reason = Some(Reason::StopLatched);
        self.send_zeros(now);
        self.next_tick = now;
        self.is_dirty = true;
    }

    pub(super) fn reset_stop(&mut self, now: Moment) {
        let Some(stop) = self.stop.take() else { return };
        if !self.foreign.is_driving(now) {
            // STOP took the vehicle from whoever drove it.
            self.foreign.end_claim();
        }
        self.settled_stops.push(stop.mark);
        if self.settled_stops.len() > 64 {
            self.settled_stops.remove(0);
        }
        self.driving.machine.reset_stop();
        self.tooling.state = ToolsState::Disarmed;
        self.tooling.reason = None;
        self.event(Event::StopReset);
    }

    /// Zeros of a STOP or of a stop that is made up for, with every tick.
    pub(super) fn stop_tick(&mut self, now: Moment) {
        self.make_up_tick(now);
        let Some(stop) = &self.stop else { return };
        let is_opposed = self.stop_is_opposed(now);
        if stop.is_done {
            return;
        }
        let is_published = stop.is_published;
        self.listen_to_velocity();
        if !is_published {
            self.publish_zero_via_telemetry(now);
        }
        if is_opposed {
            self.oppose_attitude(now);
        }
        if self.publish_twist(Velocity::ZERO, now)
            && let Some(stop) = &mut self.stop
        {
            stop.first_zero.get_or_insert(self.driving.echoes.count());
        }
        let is_standing = self.is_standing(now);
        let tools_are_done = self
            .tooling
            .safe_stop
            .as_ref()
            .is_none_or(|safe| safe.is_done());
        let mut events = Vec::new();
        if let Some(stop) = &mut self.stop
            && is_published
            && is_standing
            && !is_opposed
            && tools_are_done
            && !stop.is_done
        {
            stop.is_done = true;
            events.push(Event::StopStanding);
        }
        events.into_iter().for_each(|event| self.event(event));
    }

    pub(super) fn note_zero_published(&mut self, number: u64) {
        let Some(stop) = &mut self.stop else { return };
        if !stop.is_published && stop.first_zero.is_some_and(|first| number >= first) {
            stop.is_published = true;
            self.event(Event::StopPublished);
        }
    }

    /// Somebody drives against a STOP: it is said again, on both topics (rule 16).
    pub(super) fn oppose(&mut self, now: Moment) {
        let Some(stop) = &mut self.stop else { return };
        stop.resume();
        if self.tooling.safe_stop.is_none() && self.tools_concern_stop(now) {
            self.begin_safe_stop(now);
        }
    }

    pub(super) fn stop_is_opposed(&self, now: Moment) -> bool {
        self.stop.is_some() && self.foreign.is_driving(now)
    }

    /// How far a latched STOP has got.
    pub(super) fn stop_delivery(&self, stop: &Stop, now: Moment) -> Delivery {
        match self.link_state(now) {
            _ if stop.is_published => Delivery::Published,
            LinkState::Online | LinkState::Slow if stop.first_zero.is_some() => Delivery::Sent,
            _ => Delivery::NotDelivered,
        }
    }

    pub(super) fn begin_make_up(&mut self, now: Moment) {
        if self.unsettled.is_settled() || self.stop.is_some() {
            return;
        }
        self.make_up = Some(MakeUp {
            since: now,
            drive: self.unsettled.drive,
        });
        if self.unsettled.tools {
            self.begin_safe_stop(now);
        }
        self.listen_to_velocity();
        self.event(Event::MadeUpStop);
    }

    fn make_up_tick(&mut self, now: Moment) {
        let Some(make_up) = &self.make_up else { return };
        let is_over = now.since(make_up.since) >= MAKE_UP_FOR
            || (self.is_standing(now) && self.unsettled.is_settled())
            || self.foreign.is_driving(now);
        if is_over {
            self.make_up = None;
        } else if make_up.drive {
            self.publish_velocity(Velocity::ZERO, now);
        }
    }

    /// A whole stop at once, on a socket that is about to be closed (rule 12) or instead of one that
    /// is cut.
    pub(super) fn say_stop(&mut self, over: Path, now: Moment) {
        let has_driven = self.driving.sent_at.is_some();
        let by_mc_ctrl = self.drives_by_mc_ctrl();
        if self.unsettled.drive || (has_driven && !by_mc_ctrl) || self.stop.is_some() {
            for _ in 0..3 {
                match over {
                    Path::Control if self.start.profile.drive.via == Via::Attitude => {
                        self.publish_attitude(Velocity::ZERO, now);
                    }
                    Path::Control => {
                        self.publish_twist(Velocity::ZERO, now);
                    }
                    Path::Telemetry => {
                        self.level_via_telemetry(now);
                        self.publish_zero_via_telemetry(now);
                    }
                }
            }
        }
        if self.unsettled.tools || self.tooling.was_ever_armed || (has_driven && by_mc_ctrl) {
            self.say_safe_mc_ctrl(over, now);
        }
    }

    /// Listens to the velocity topic with the assumed type when nothing better is known, so that
    /// a stop can be seen to be published.
    fn listen_to_velocity(&mut self) {
        let topic = self.start.profile.bridge.cmd_vel_topic();
        let kind = self.velocity_type_or_assumed();
        self.session
            .subscribe(Subscription::every(&topic, kind.name()));
        if self.velocity_type().is_ok() {
            self.session.advertise(&topic, kind.name());
        }
    }
}
