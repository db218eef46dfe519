#!/usr/bin/env bash
# Makes the release page in dist/, ready to be copied to any folder of any web server.
# Sets up what is missing first; ends with the size of the first load, and fails above 350 kB.
set -euo pipefail
# shellcheck source=scripts/env.sh
. "$(dirname "$0")/env.sh"
cd "$ROOT"

"$ROOT/scripts/setup.sh" rust tools npm
# Again, for what the set-up has just brought.
. "$ROOT/scripts/env.sh"
pick_rust

# A std of its own, compiled for size and without the words and places of panics: a fifteenth of
# the page. A Worker that panics still dies and is replaced; only the console says less of why.
if builds_small_std; then
  export RUSTC_BOOTSTRAP=1
  export CARGO_UNSTABLE_BUILD_STD=std,panic_abort
  export CARGO_UNSTABLE_BUILD_STD_FEATURES=optimize_for_size
  # In place of the ones in .cargo/config.toml.
  export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="--cfg erase_components \
    -Zunstable-options -Cpanic=immediate-abort -Zlocation-detail=none -Zfmt-debug=shallow"
  # So that these settings and those of the tests do not throw each other's work away.
  export CARGO_TARGET_DIR="$ROOT/target/page"
else
  say "this compiler cannot build std for size: the page will be larger"
fi

say "building the page, build $BROOMSTICK_BUILD (the first time some minutes)"
# Colours off where Trunk would refuse their setting; nothing but its own words is wanted.
env -u NO_COLOR trunk build --release --locked --skip-version-check

say "minifying"
node "$ROOT/scripts/minify.mjs" dist

# The licences of what is compiled in ask for their notices wherever the page is copied.
node "$ROOT/scripts/licences.mjs" --notices dist/THIRD-PARTY.txt
cp LICENSE-MIT LICENSE-APACHE dist/
node "$ROOT/scripts/size.mjs" dist
