//! Definitions as the vehicle tells them: `.msg` texts.

/// Field names and types of the first definition of a `.msg` text, in order: what stands before
/// the first line of `=`, without constants and comments.
///
/// ```
/// use broomstick::msgs::schema::fields_of;
///
/// let text = "uint8 OFF=0\nuint8 brake # 0 released\nfloat32 angle 0.0\n====\nMSG: x/Y\nint8 z";
/// let fields: Vec<_> = fields_of(text).collect();
/// assert_eq!(fields, [("brake", "uint8"), ("angle", "float32")]);
/// ```
pub fn fields_of(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines()
        .take_while(|line| !line.starts_with("===="))
        .map(|line| line.split('#').next().unwrap_or_default())
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            let (kind, name) = (words.next()?, words.next()?);
            // `TYPE NAME=value` and `TYPE NAME = value` are constants, `TYPE name default` is not.
            let is_constant =
                name.contains('=') || words.next().is_some_and(|w| w.starts_with('='));
            (!is_constant).then_some((name, kind))
        })
}
