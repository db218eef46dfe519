//! What is shown, and confirmations on offer.

use std::time::Duration;

use super::Pilot;
use super::event::Event;
use super::snapshot::{
    Confirm, ConfirmView, DriveView, FieldView, LinkView, Snapshot, StopView, ToolStatus, ToolsView,
};
use crate::drive::settings::Via;
use crate::drive::state::DriveState;
use crate::msgs::sweeper::McCtrl;
use crate::pilot::intent::Found;
use crate::reason::Reason;
use crate::tools::field::ToolField;
use crate::tools::intent::{Holds, Wanted};
use crate::tools::policy::Context;
use crate::tools::state::{FieldNote, ToolsState};
use crate::units::Moment;

/// How long a confirmation must be held.
const HOLD_FOR: Duration = Duration::from_secs(1);
/// How long it stays on offer.
const OFFER_FOR: Duration = Duration::from_secs(20);

/// A confirmation on offer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Offer {
    pub(super) what: Confirm,
    since: Moment,
    held_since: Option<Moment>,
    /// It was held already when it was offered: it must be released first.
    needs_release: bool,
}

/// How long a refused switch is spoken of.
const REFUSAL_STANDS_FOR: Duration = Duration::from_secs(8);

impl Pilot {
    pub(super) fn offer(&mut self, what: Confirm, now: Moment) {
        let needs_release = self.lease.confirm;
        self.confirm = Some(Offer {
            what,
            since: now,
            held_since: None,
            needs_release,
        });
    }

    pub(super) fn hold_confirm(&mut self, now: Moment) {
        let Some(offer) = &mut self.confirm else {
            return;
        };
        if !self.lease.confirm {
            offer.held_since = None;
            offer.needs_release = false;
            return;
        }
        if offer.needs_release {
            return;
        }
        let held_since = *offer.held_since.get_or_insert(now);
        self.is_dirty = true;
        if now.since(held_since) < HOLD_FOR {
            return;
        }
        let what = offer.what;
        self.confirm = None;
        match what {
            Confirm::DriveTypesUnverified => {
                self.driving.is_confirmed = true;
                self.arm_drive(now);
            }
            Confirm::ToolsTypesUnverified => {
                self.tooling.is_confirmed = true;
                self.arm_tools(now);
            }
            Confirm::DriveNotStanding => {
                self.motor.is_confirmed = true;
                self.arm_drive(now);
            }
            Confirm::ToolsNotStanding => self.arm_tools_with(true, now),
            Confirm::TakeOver => self.take_over(now),
            Confirm::StopCheck => self.begin_stop_check(now),
            Confirm::BrakeTurned => self.turn_brake(now),
            Confirm::StartMotors | Confirm::StopMotors => self.set_motors(what, now),
        }
    }

    pub(super) fn judge_confirm(&mut self, now: Moment) {
        let is_alive = self.lease_is_alive(now);
        self.judge_take_over(now);
        self.judge_motors(now);
        if let Some(offer) = &mut self.confirm {
            if !is_alive {
                offer.held_since = None;
            }
            if offer.held_since.is_none() && now.since(offer.since) > OFFER_FOR {
                self.confirm = None;
                self.is_dirty = true;
            }
        }
    }

    /// Rule 26: the vehicle changes hands when the other has let go and it stands.
    fn judge_take_over(&mut self, now: Moment) {
        let may_take_over = self.driving.machine.is_armed()
            && self.foreign.has_claim()
            && !self.foreign.is_driving(now)
            && self.is_standing(now);
        let is_offered = self.confirm.is_some_and(|o| o.what == Confirm::TakeOver);
        if may_take_over && self.confirm.is_none() {
            self.offer(Confirm::TakeOver, now);
            self.is_dirty = true;
        } else if is_offered && !may_take_over {
            self.confirm = None;
            self.is_dirty = true;
        }
    }

    fn take_over(&mut self, now: Moment) {
        let name = self.foreign.name();
        self.foreign.end_claim();
        self.event(Event::TookOver { name });
        self.contact(now);
    }

    pub(super) fn snapshot(&mut self, now: Moment) -> Snapshot {
        self.snapshots += 1;
        Snapshot {
            seq: self.snapshots,
            link: self.link_view(now),
            drive: self.drive_view(now),
            tools: self.tools_view(now),
            stop: self.stop.as_ref().map(|stop| StopView {
                by: stop.by.clone(),
                delivery: self.stop_delivery(stop, now),
                is_opposed: self.stop_is_opposed(now),
            }),
            motion: self.seen_motion(now),
            foreign: self.foreign.is_driving(now).then(|| self.foreign.name()),
            stop_check: self.stop_check_view(),
            confirm: self.confirm.map(|offer| ConfirmView {
                what: offer.what,
                progress: offer.held_since.map_or(0.0, |since| {
                    (now.since(since).as_secs_f64() / HOLD_FOR.as_secs_f64()).min(1.0)
                }),
            }),
            refused: self
                .refused
                .as_ref()
                .filter(|(_, at)| now.since(*at) < REFUSAL_STANDS_FOR)
                .map(|(event, _)| event.clone()),
            unsettled: self.unsettled.clone(),
        }
    }

    /// The topic that drives.
    pub(super) fn drive_topic(&self) -> String {
        let bridge = &self.start.profile.bridge;
        match self.start.profile.drive.via {
            Via::McCtrl => bridge.mc_ctrl_topic(),
            Via::Attitude => bridge.attitude_topic(),
            Via::CmdVel => bridge.cmd_vel_topic(),
        }
    }

    fn link_view(&self, now: Moment) -> LinkView {
        let in_ms = |span: Duration| span.as_secs_f64() * 1000.0;
        let round_trip = self.link.control.round_trip(now);
        LinkView {
            state: self.link_state(now),
            rtt_ms: round_trip.map(|(median, _)| in_ms(median)),
            worst_ms: round_trip.map(|(_, worst)| in_ms(worst)),
            telemetry_age_ms: self.link.telemetry.age(now).map(in_ms),
            retry_in_s: self
                .session
                .retry_at()
                .map(|at| at.since(now).as_secs_f64()),
            failed_attempts: self.session.failures(),
            trouble: self.link.trouble.clone(),
        }
    }

    fn drive_view(&self, now: Moment) -> DriveView {
        let limits = self.limits();
        let state = self.driving.machine.state();
        let waits = self
            .driving
            .waits_for_reversal
            .then_some(Reason::ReversePause);
        let reason = match state {
            DriveState::Driving if self.driving.may_not_reverse => Some(Reason::SqueegeeOut),
            DriveState::Driving if self.motor.waits_to_shift => Some(Reason::NotStanding),
            DriveState::Driving => waits,
            // Why a press would be refused now, before anyone tries.
            DriveState::Ready => self.gate(now).err(),
            _ => self.driving.reason(),
        };
        DriveView {
            state,
            reason,
            linear: self.driving.velocity.linear,
            angular: self.driving.velocity.angular,
            sent_age_ms: Self::age_ms(self.driving.sent_at, now),
            published_age_ms: Self::age_ms(self.driving.published_at, now),
            limit_linear: limits.forward,
            limit_angular: limits.angular,
            limit_percent: self.driving.limit_percent,
            unverified_cap: self
                .unverified_cap()
                .filter(|cap| *cap < self.start.profile.drive.max_linear.0),
            vigilance_stop_in_s: self.vigilance_stop_in(now),
            topic: self.drive_topic(),
            message_type: self.velocity_type_or_assumed().name().to_owned(),
            left_up: [self.driving.velocity.left, self.driving.velocity.up],
            motors: self.flight.motors(now),
            landed: self.flight.landed(now),
        }
    }

    fn tools_view(&self, now: Moment) -> ToolsView {
        let tooling = &self.tooling;
        let is_live = self.publishes_mc_ctrl();
        let would_send = self.would_send(now);
        let sent = tooling
            .last_sent
            .map(|(_, message)| message)
            .filter(|_| is_live);
        let fields = ToolField::ALL.map(|field| {
            let (min, max) = tooling.ranges.of(field);
            let heard_brake = self.heard_brake().filter(|_| field == ToolField::Brake);
            let shown = heard_brake.or(sent).unwrap_or(would_send);
            let is_same =
                |message: McCtrl| (message.value(field) - would_send.value(field)).abs() < 1e-6;
            let status = match (tooling.published, sent) {
                _ if heard_brake.is_some() => ToolStatus::Published,
                (Some(published), Some(_)) if is_same(published) => ToolStatus::Published,
                (_, Some(sent)) if is_same(sent) => ToolStatus::Sent,
                _ => ToolStatus::Wanted,
            };
            let is_unknown = field == ToolField::Brake && !is_live && tooling.last_heard.is_none();
            let unknown = is_unknown.then_some(&FieldNote::Unknown);
            let note = unknown
                .or_else(|| tooling.policy.note(field))
                .or_else(|| tooling.ranges.note(field));
            FieldView {
                field,
                value: shown.value(field),
                min,
                max,
                status,
                note: note.cloned(),
            }
        });
        ToolsView {
            state: tooling.state,
            reason: tooling.reason.clone(),
            presence_stop_in_s: self.presence_stop_in(now),
            fields: fields.into(),
            wanted: self.shown_wish(),
            is_absent: self.definitions.mc_ctrl == Found::Absent,
            commissioning: self.commissioning_view(),
            program: self.program_view(),
            offers_squeegee: self.offers_squeegee(),
        }
    }

    fn publishes_mc_ctrl(&self) -> bool {
        self.tooling.state == ToolsState::Armed
            || self.tooling.safe_stop.is_some()
            || self.drives_by_mc_ctrl() && self.driving.is_driving()
    }

    /// The brake is the one state that outlives its message: while we send none it stands as it was
    /// heard last, whoever said it.
    fn heard_brake(&self) -> Option<McCtrl> {
        let heard = self.tooling.last_heard.map(|(message, _)| message);
        heard.filter(|_| !self.publishes_mc_ctrl())
    }

    /// By McCtrl nobody sets brake, gear and wheels: what the stick sends is what is wanted.
    fn shown_wish(&self) -> Wanted {
        let mut wanted = self.tooling.wanted;
        if let Some(heard) = self.heard_brake() {
            wanted.brake = heard.brake == 1;
        }
        match self.tooling.last_sent {
            Some((_, sent)) if self.drives_by_mc_ctrl() => Wanted {
                brake: sent.brake == 1,
                gear: sent.gear,
                angle_deg: f64::from(sent.angle),
                ..wanted
            },
            _ => wanted,
        }
    }

    /// What the settings alone amount to, without holds; asked of a copy, so that looking has no
    /// effect.
    fn would_send(&self, now: Moment) -> McCtrl {
        let would = self.would_send_of_tools(now);
        match self.tooling.last_sent {
            // The stick has these, and what it sends is what it wants.
            Some((_, sent)) if self.drives_by_mc_ctrl() => McCtrl {
                brake: sent.brake,
                gear: sent.gear,
                rpm: sent.rpm,
                angle: sent.angle,
                ..would
            },
            _ => would,
        }
    }

    fn would_send_of_tools(&self, now: Moment) -> McCtrl {
        if self.tooling.state != ToolsState::Armed {
            return McCtrl {
                brake: u8::from(self.brake_is_on() || self.tooling.last_heard.is_none()),
                ..McCtrl::SAFE
            };
        }
        let context = Context {
            is_driving: self.driving.is_driving(),
            is_driving_forward: false,
            may_move: true,
            is_standing: true,
            may_not_reverse: self.may_not_reverse(),
        };
        let holds = if self.lease_is_alive(now) {
            self.lease.holds
        } else {
            Holds::default()
        };
        let mut policy = self.tooling.policy.clone();
        let settings = &self.start.profile.tools;
        policy.compose(
            &self.tooling.wanted,
            &holds,
            context,
            settings,
            &self.tooling.ranges,
            now,
        )
    }
}
