//! Units of well-known types, after their documentation. What stands here wins over comments.

/// Last word of the type, field, unit. A unit of a message counts for the numbers inside it.
const KNOWN: &[(&str, &str, &str)] = &[
    ("Accel", "angular", "rad/s²"),
    ("Accel", "linear", "m/s²"),
    ("BatteryState", "capacity", "Ah"),
    ("BatteryState", "charge", "Ah"),
    ("BatteryState", "current", "A"),
    ("BatteryState", "design_capacity", "Ah"),
    ("BatteryState", "temperature", "°C"),
    ("BatteryState", "voltage", "V"),
    ("Duration", "nanosec", "ns"),
    ("Duration", "sec", "s"),
    ("FluidPressure", "fluid_pressure", "Pa"),
    ("Imu", "angular_velocity", "rad/s"),
    ("Imu", "linear_acceleration", "m/s²"),
    ("LaserScan", "angle_increment", "rad"),
    ("LaserScan", "angle_max", "rad"),
    ("LaserScan", "angle_min", "rad"),
    ("LaserScan", "range_max", "m"),
    ("LaserScan", "range_min", "m"),
    ("LaserScan", "ranges", "m"),
    ("LaserScan", "scan_time", "s"),
    ("LaserScan", "time_increment", "s"),
    ("MagneticField", "magnetic_field", "T"),
    ("McCtrl", "angle", "°"),
    ("McCtrl", "angle_speed", "rpm"),
    ("McCtrl", "brush_deck_pusher", "%"),
    ("McCtrl", "dust_shake", "%"),
    ("McCtrl", "roll_brush_suction", "%"),
    ("McCtrl", "rpm", "rpm"),
    ("McCtrl", "side_brush", "%"),
    ("McCtrl", "suction_squeeqee_pusher", "%"),
    ("McCtrl", "water_spray", "%"),
    ("NavSatFix", "altitude", "m"),
    ("NavSatFix", "latitude", "°"),
    ("NavSatFix", "longitude", "°"),
    ("NavSatFix", "position_covariance", "m²"),
    ("Pose", "position", "m"),
    ("PoseWithCovariance", "covariance", ""),
    ("Range", "field_of_view", "rad"),
    ("Range", "max_range", "m"),
    ("Range", "min_range", "m"),
    ("Range", "range", "m"),
    ("Rtk", "head", "°"),
    ("Rtk", "lat", "°"),
    ("Rtk", "lon", "°"),
    // A profile item: undocumented on the wire.
    ("Rtk", "speed", ""),
    ("Temperature", "temperature", "°C"),
    ("Time", "nanosec", "ns"),
    ("Time", "sec", "s"),
    ("Transform", "translation", "m"),
    ("Twist", "angular", "rad/s"),
    ("Twist", "linear", "m/s"),
    ("TwistWithCovariance", "covariance", ""),
    ("Wrench", "force", "N"),
    ("Wrench", "torque", "Nm"),
];

/// The unit of a field of a type (short or full name). `Some("")`: it is known to have none, or
/// none of its own.
#[must_use]
pub fn of(type_name: &str, field: &str) -> Option<&'static str> {
    let last = type_name.rsplit('/').next().unwrap_or_default();
    KNOWN
        .iter()
        .find(|(kind, name, _)| *kind == last && *name == field)
        .map(|(.., unit)| *unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_known_by_its_last_word() {
        assert_eq!(of("geometry_msgs/msg/Twist", "linear"), Some("m/s"));
        assert_eq!(of("any_msgs/Rtk", "head"), Some("°"));
        assert_eq!(of("any_msgs/Rtk", "speed"), Some(""));
        assert_eq!(of("std_msgs/String", "data"), None);
    }
}
