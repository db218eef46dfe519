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

say "building the page, build $BROOMSTICK_BUILD (the first time some minutes)"
# Colours off where Trunk would refuse their setting; nothing but its own words is wanted.
env -u NO_COLOR trunk build --release --locked --skip-version-check

# The licences of what is compiled in ask for their notices wherever the page is copied.
node "$ROOT/scripts/licences.mjs" --notices dist/THIRD-PARTY.txt
cp LICENSE-MIT LICENSE-APACHE dist/
node "$ROOT/scripts/size.mjs" dist
