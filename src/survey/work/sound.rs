//! The sound of a warning: two short high tones a second, unlike the one of reversing. Where the
//! browser gives no sound the words and the colour stand alone.

use web_sys::AudioContext;

const EVERY_MS: f64 = 1_000.0;
const PITCH_HZ: f32 = 1_800.0;
const VOLUME: f32 = 0.15;
/// Begin and end of each tone, seconds.
const TONES: [(f64, f64); 2] = [(0.0, 0.09), (0.16, 0.25)];

/// Sounds while something is ahead.
#[derive(Default)]
pub(super) struct Sound {
    context: Option<AudioContext>,
    last: Option<f64>,
}

impl Sound {
    /// Is something ahead at this moment?
    pub(super) fn follow(&mut self, is_warned: bool, now_ms: f64) {
        if !is_warned {
            self.last = None;
            return;
        }
        if self.last.is_some_and(|last| now_ms - last < EVERY_MS) {
            return;
        }
        self.last = Some(now_ms);
        if self.context.is_none() {
            self.context = AudioContext::new().ok();
        }
        if let Some(context) = &self.context {
            // A browser that refuses to sound refuses here, and there is nobody to tell.
            context.resume().ok();
            for (from, to) in TONES {
                tone(context, from, to);
            }
        }
    }
}

fn tone(context: &AudioContext, from: f64, to: f64) -> Option<()> {
    let (tone, volume) = (
        context.create_oscillator().ok()?,
        context.create_gain().ok()?,
    );
    tone.frequency().set_value(PITCH_HZ);
    volume.gain().set_value(VOLUME);
    tone.connect_with_audio_node(&volume).ok()?;
    volume
        .connect_with_audio_node(&context.destination())
        .ok()?;
    let now = context.current_time();
    tone.start_with_when(now + from).ok()?;
    tone.stop_with_when(now + to).ok()
}
