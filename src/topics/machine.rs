//! The machine at a glance, in the page's own place for it: a drawing of its moving parts, and
//! battery, tanks and faults where the vehicle offers them. Nothing here can be pressed.

use leptos::prelude::*;

use super::View;
use super::patch::set_inside;
use crate::drive::settings::{SteeredAxle, Steering, Via};
use crate::screen::drawing::{Shown, card};
use crate::screen::horizon::horizon;
use crate::screen::machine::{Glance, Machine};

pub(super) fn machine(view: View) {
    // Of a pusher the last push is remembered.
    let parts = Memo::new(move |before: Option<&Machine>| {
        let host = view.host.get_value();
        let drive = &host.profile.drive;
        view.parts.with(|parts| {
            before.cloned().unwrap_or_default().next(
                &parts.tools,
                &parts.wanted,
                view.commands_link.get(),
                parts.tools.commissioning.steering_sign,
                drive.via == Via::CmdVel && parts.is_driving,
            )
        })
    });
    let levels = Memo::new(move |_| view.snapshot.with(|seen| seen.levels.clone()));
    let flight = Memo::new(move |_| view.snapshot.with(|seen| seen.flight));
    Effect::new(move |drawn: Option<String>| {
        // What is told of the vehicle comes with the page's first word.
        let is_known = view.is_known.get();
        let host = view.host.get_value();
        let (motors, landed) = view.parts.with(|parts| (parts.motors, parts.landed));
        let shown = view.parts.with(|parts| Shown {
            has_drawing: host.profile.vehicle.kind == "sweeper" && !parts.tools.is_absent,
            is_rear_steered: host.profile.drive.steered_axle == SteeredAxle::Rear,
            has_currents: parts.has_currents,
        });
        let glance = Glance {
            machine: parts.get(),
            levels: levels.get(),
        };
        let lang = view.lang.get();
        let mut inside = String::new();
        if is_known && host.profile.drive.steering == Steering::Flight {
            inside = horizon(flight.get(), motors, landed, lang);
        }
        if is_known {
            inside += &card(&glance, shown, lang);
        }
        if drawn.as_ref() != Some(&inside)
            && let Ok(Some(place)) = document().query_selector(".machine")
        {
            set_inside(&place, &inside);
        }
        inside
    });
}
