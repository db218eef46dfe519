//! What the viewer is told: it is a program of its own, for everything that is not needed to drive. It
//! is loaded when there is something to show in it, and by itself a while after the vehicle is
//! online, so that it is there when it is wanted.

use std::time::Duration;

use leptos::prelude::*;

use super::context::{Console, Phase, ToolsPage};
use crate::pilot::snapshot::{DriveState, LinkState};
use crate::shell::viewing::{host_bytes, parts_bytes};

/// Time that who has just connected, or let go, has to drive first.
const LOADED_AFTER: Duration = Duration::from_secs(2);

/// Tells it whenever something changes, from when it is wanted.
pub(super) fn tell(console: Console) {
    let is_idle = Memo::new(move |_| {
        let is_online = console
            .link
            .with(|link| matches!(link.state, LinkState::Online | LinkState::Slow));
        is_online && console.drive.with(|drive| drive.state) != DriveState::Driving
    });
    Effect::new(move |_| {
        if is_idle.get() && !console.has_viewer.get_untracked() {
            let load = move || {
                // Loading takes the link's and the page's time: nobody drives when it begins, and
                // `loader.js` does not start it under a press.
                if is_idle.get_untracked() {
                    console.has_viewer.set(true);
                }
            };
            set_timeout(load, LOADED_AFTER);
        }
    });
    Effect::new(move |told: Option<(u32, [Vec<u8>; 2])>| {
        // One that has just begun knows nothing, whatever its predecessor was told.
        let hellos = console.viewer_hellos.get();
        let told = told.filter(|(before, _)| *before == hellos);
        let told = told.map(|(_, told)| told).unwrap_or_default();
        let now = [host(console), parts(console, hellos)];
        for (now, told) in now.iter().zip(&told) {
            if !now.is_empty() && now != told {
                console.tell_viewer(now);
            }
        }
        (hellos, now)
    });
}

/// Empty while the viewer does not run yet.
fn parts(console: Console, hellos: u32) -> Vec<u8> {
    if hellos == 0 {
        return Vec::new();
    }
    let has_currents = console.tools_page.get() == ToolsPage::More;
    let wanted = console.wanted.get();
    console.drive.with(|drive| {
        console
            .tools
            .with(|tools| parts_bytes(tools, wanted, drive, has_currents))
    })
}

/// Empty while nothing is to be shown in it, or there is no link yet.
fn host(console: Console) -> Vec<u8> {
    let Phase::Running(profile) = console.phase.get() else {
        return Vec::new();
    };
    let opened = console.topics_opened.get();
    let are_settings_open = console.settings_open.get();
    if !are_settings_open {
        // Should it have broken before it could say so itself.
        console.calibrate(false);
        console.hold_check(0);
    }
    let state = console.link.with(|link| link.state);
    let is_wanted = are_settings_open
        || opened > 0
        || console.has_viewer.get()
        || profile.camera.topic.is_some();
    let url = console.address.get();
    if url.is_empty() || !is_wanted {
        return Vec::new();
    }
    let settings = console.settings();
    console.with_checks(|_, (conflicts, namespaces)| {
        let rest = (
            opened,
            are_settings_open,
            &conflicts[..],
            &namespaces[..],
            &settings,
        );
        host_bytes(&url, &profile, console.lang.get(), state, rest)
    })
}
