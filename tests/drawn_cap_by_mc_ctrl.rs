//! What is drawn ahead and the speed limit, for a vehicle that is driven by McCtrl.

mod rig;

use broomstick::profile::Profile;
use broomstick::vehicle::Options;
use rig::Rig;

#[test]
fn a_drawn_cap_lowers_the_motors_speed() {
    let profile =
        Profile::from_json(r#"{"map": {"fence_limits_speed": true}, "drive": {"via": "mc_ctrl"}}"#)
            .expect("a profile");
    let mut rig = Rig::online_with(profile, Options::default());
    rig.arm();
    rig.press(1.0, 0.0);
    rig.run(1500);
    let rpm = |rig: &Rig, from| {
        rig.mc_since(from)
            .iter()
            .map(|message| message.rpm)
            .max()
            .unwrap_or_default()
    };
    let free = rpm(&rig, rig.now - broomstick::units::millis(300));
    rig.lease.drawn_cap = Some(150);
    rig.run(100);
    let from = rig.now;
    rig.run(500);
    let capped = rpm(&rig, from);
    assert!(capped > 0 && capped < free, "{capped} of {free}");
    rig.lease.drawn_cap = Some(0);
    rig.run(100);
    let from = rig.now;
    rig.lift();
    rig.run(1000);
    let rest = rig.mc_since(from);
    assert!(
        rest.iter().skip(1).all(|message| message.rpm == 0),
        "{rest:?}"
    );
}
