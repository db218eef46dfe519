#!/usr/bin/env bash
# Measures the console on this machine, against the native simulated vehicle and in a real browser.
#
#   scripts/bench.sh faults [--repeats N] [--only PATTERN] [--write FILE] [--excerpt FILE]
#   scripts/bench.sh start [--repeats N]
#   scripts/bench.sh client [--seconds N] [--repeats N]
#   scripts/bench.sh map [--seconds N] [--points N]
#
#   faults   everything that is known to go wrong while driving: when the stop reached the vehicle, and
#            what came too late; some of it also against a minimal page of roslib and nipplejs.
#            --write puts the table into a file, --excerpt a short one between the marks of another
#   start    from opening the page to an armed stick, in demo mode, the page's thread slowed 4 times
#   client   whether looking slows driving: the periods of the commands as they arrived, without and with
#            a plotted topic of 1 kHz and 2 MB/s of images
#   map      what a fix costs the page's main thread with a day's track stored, and the memory an hour,
#            beside a plain Leaflet page that appends to a polyline
#
# The numbers are only as good as the machine is quiet.
set -euo pipefail
# shellcheck source=scripts/env.sh
. "$(dirname "$0")/env.sh"
cd "$ROOT"

usage() { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; }

# The page and the vehicle, unless others are named; what is there is taken as it is.
prepare() {
  "$ROOT/scripts/setup.sh" browser
  . "$ROOT/scripts/env.sh"
  if [ -z "${BROOMSTICK_DIST:-}" ]; then
    [ -f dist/index.html ] || "$ROOT/scripts/build.sh"
    export BROOMSTICK_DIST="$ROOT/dist"
  fi
  if [ -z "${BROOMSTICK_VEHICLE:-}" ]; then
    "$ROOT/scripts/setup.sh" rust
    . "$ROOT/scripts/env.sh"
    pick_rust
    cargo build --quiet --locked --release --features vehicle --bin vehicle
    export BROOMSTICK_VEHICLE="${CARGO_TARGET_DIR:-$ROOT/target}/release/vehicle"
  fi
  CHROMIUM="$(find_browser)"
  export CHROMIUM
}

# The libraries of the comparison page, exactly as its lock file says.
prepare_comparison() {
  local folder="$ROOT/tests/bench/compare"
  if [ "$folder/node_modules/.package-lock.json" -nt "$folder/package-lock.json" ]; then return 0; fi
  say "npm ci in tests/bench/compare: the libraries of the comparison page"
  npm ci --no-audit --no-fund --loglevel error --prefix "$folder"
}

command="${1:-}"
[ $# -eq 0 ] || shift
case "$command" in
  faults)
    prepare
    prepare_comparison
    exec node tests/bench/faults.mjs "$@"
    ;;
  start)
    prepare
    exec node tests/bench/start.mjs "$@"
    ;;
  client)
    prepare
    exec node tests/bench/client.mjs "$@"
    ;;
  map)
    prepare
    "$ROOT/scripts/setup.sh" npm
    exec node tests/bench/map.mjs "$@"
    ;;
  "" | help | -h | --help) usage ;;
  *) die "unknown measurement '$command'" "known: faults start client map" ;;
esac
