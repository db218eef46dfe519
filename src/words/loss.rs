//! What becomes of the tools when something ends; reached by the later program alone.

use std::borrow::Cow;

use super::{InWords, Label, Lang};
use crate::drive::settings::Via;
use crate::tools::field::ToolField;
use crate::tools::loss::{Ending, Outcome, grouped};
use crate::tools::settings::SprayWhile;

impl InWords for Ending {
    fn in_words(&self, lang: Lang) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::StickLifted => lang.pick("The finger leaves the pad", "手指离开操纵盘"),
            Self::ButtonReleased => {
                lang.pick("A held button or program is let go", "松开按住的按钮或程序")
            }
            Self::PageGone => lang.pick(
                "The page is hidden, closed or hangs",
                "页面被隐藏、关闭或卡住",
            ),
            Self::LinkGone => lang.pick("The link stalls or is lost", "连接停滞或断开"),
            Self::Stop => lang.pick("STOP", "停车"),
            Self::NobodyThere => lang.pick("Nobody touches the screen", "无人触碰屏幕"),
            Self::Reconnected => lang.pick("The connection comes back", "连接恢复"),
        })
    }
}

impl InWords for Outcome {
    fn in_words(&self, lang: Lang) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Stays => lang.pick("stays as it was", "保持不变"),
            Self::Off => lang.pick("to 0", "归零"),
            Self::BrakeOn => {
                lang.pick("on, once it stands or after 1.5 s", "停住后或 1.5 秒后制动")
            }
            Self::OffUnlessHeld => lang.pick(
                "to 0, except while its button is held",
                "归零（按住其按钮时除外）",
            ),
            Self::OffUnlessForward => lang.pick(
                "to 0, except while driving forward",
                "归零（前进行驶时除外）",
            ),
            Self::Least => lang.pick("to its least", "降至最低"),
            Self::NotSent => lang.pick(
                "nothing is sent until the tools are switched on; shown is what was last heard",
                "启用作业装置之前不发送任何内容；显示的是最后收到的值",
            ),
        })
    }
}

/// All of it in one text; what the stick has by McCtrl is not the tools'.
#[must_use]
pub fn loss(ending: Ending, via: Via, water: SprayWhile, lang: Lang) -> String {
    let is_asked = |field| match field {
        // It goes with its duty, under one name.
        ToolField::RollBrushSuctionDirection => false,
        ToolField::Brake | ToolField::Gear | ToolField::Rpm | ToolField::Angle => {
            via != Via::McCtrl
        }
        _ => true,
    };
    let groups = grouped(ending, water, is_asked);
    let (between, colon, end) = match lang {
        Lang::En => (", ", ": ", ". "),
        Lang::Zh => ("、", "：", "。"),
    };
    let mut text = String::new();
    for (becomes, fields) in &groups {
        if groups.len() == 1 && via == Via::McCtrl {
            text += lang.pick("Everything else", "其余全部");
        } else if groups.len() == 1 {
            text += lang.pick("Everything", "全部");
        } else {
            let names: Vec<_> = fields.iter().map(|field| name(*field).text(lang)).collect();
            text += &names.join(between);
        }
        text += colon;
        text += &becomes.in_words(lang);
        text += end;
    }
    text.trim_end().to_owned()
}

/// What becomes of the fields that the stick has by McCtrl.
#[must_use]
pub fn of_the_stick(via: Via, lang: Lang) -> Option<&'static str> {
    (via == Via::McCtrl).then(|| {
        lang.pick(
            "Brake, gear, motor speed and steering are the stick's: every end of a press stops the motor at once.",
            "制动、挡位、电机转速和转向由操纵杆控制：每次按压结束都会立即停止电机。",
        )
    })
}

fn name(field: ToolField) -> Label {
    match field {
        ToolField::Brake => Label::Brake,
        ToolField::Gear => Label::Gear,
        ToolField::Rpm => Label::MotorSpeed,
        ToolField::Angle => Label::SteeringAngle,
        ToolField::AngleSpeed => Label::SteeringSpeed,
        ToolField::RollBrushSuctionDirection | ToolField::RollBrushSuction => Label::RollBrush,
        ToolField::SideBrush => Label::SideBrush,
        ToolField::DustShake => Label::DustShaker,
        ToolField::BrushDeckPusher => Label::BrushDeck,
        ToolField::SuctionSqueeqeePusher => Label::Squeegee,
        ToolField::WaterSpray => Label::Water,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::check;

    #[test]
    fn every_ending_says_in_both_languages_what_becomes_of_the_tools() {
        for ending in Ending::ALL {
            check::both_languages(&ending, &["STOP"]);
            for via in [Via::CmdVel, Via::McCtrl] {
                for lang in Lang::ALL {
                    for water in [SprayWhile::Held, SprayWhile::DrivingForward] {
                        check::sentence(&loss(ending, via, water, lang), lang, &[]);
                    }
                    if let Some(text) = of_the_stick(via, lang) {
                        check::sentence(text, lang, &[]);
                    }
                }
            }
        }
    }

    #[test]
    fn letting_go_of_a_button_ends_what_is_held_and_leaves_the_brushes() {
        let text = loss(
            Ending::ButtonReleased,
            Via::CmdVel,
            SprayWhile::Held,
            Lang::En,
        );
        assert_eq!(
            text,
            "Brake, Gear, Steering angle, Steering speed, Roll brush & suction, Side brush, Dust shaker: \
             stays as it was. Motor speed, Brush deck, Squeegee, Water: to 0."
        );
    }

    #[test]
    fn water_that_flows_while_driving_is_said_to_end_with_it() {
        let water = SprayWhile::DrivingForward;
        let text = loss(Ending::StickLifted, Via::McCtrl, water, Lang::En);
        assert!(
            text.ends_with("Water: to 0, except while its button is held."),
            "{text}"
        );
    }

    #[test]
    fn what_the_stick_has_is_not_promised_to_stay() {
        let text = loss(Ending::StickLifted, Via::McCtrl, SprayWhile::Held, Lang::En);
        assert_eq!(text, "Everything else: stays as it was.");
        let text = loss(Ending::Stop, Via::McCtrl, SprayWhile::Held, Lang::En);
        assert!(!text.contains("Motor") && !text.contains("Brake"), "{text}");
    }
}
