//! What the viewer is told: it is a program of its own, for the settings, topics and a camera, and
//! loaded when there is something to show in it.

use leptos::prelude::*;

use super::context::{Console, Phase, ToolsPage};
use crate::pilot::snapshot::{DriveState, LinkState};
use crate::shell::viewing::{host_bytes, parts_bytes};
use crate::tools::state::ToolsState;

/// Tells it whenever something changes, from when it is wanted.
pub(super) fn tell(console: Console) {
    Effect::new(move |told: Option<Vec<u8>>| {
        let host = host(console);
        if !host.is_empty() && told.as_ref() != Some(&host) {
            console.tell_viewer(&host);
        }
        host
    });
    Effect::new(move |told: Option<Vec<u8>>| {
        let parts = parts(console);
        if !parts.is_empty() && told.as_ref() != Some(&parts) {
            console.tell_viewer(&parts);
        }
        parts
    });
}

/// Empty while the viewer does not run yet.
fn parts(console: Console) -> Vec<u8> {
    if !console.has_viewer.get() {
        return Vec::new();
    }
    let is_driving = console
        .drive
        .with(|drive| drive.state == DriveState::Driving);
    let has_currents = console.tools_page.get() == ToolsPage::More;
    let wanted = console.wanted.get();
    console
        .tools
        .with(|tools| parts_bytes(tools, wanted, is_driving, has_currents))
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
    // It has the machine at a glance, and comes by itself when that cannot disturb a drive.
    let is_at_rest = state == LinkState::Online
        && !console.drive.with(|drive| drive.state.is_armed())
        && !console.tools.with(|tools| tools.state == ToolsState::Armed);
    let is_wanted = is_at_rest
        || are_settings_open
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
