#!/usr/bin/env bash
# Sets up what is missing, builds the page, serves it, and prints the address of the demo.
#
#   scripts/serve.sh [--vehicle] [--lan] [--port N] [--debug]
#
#   --vehicle   also start the native simulated vehicle: /rosbridge on the page's own address,
#               and ws://127.0.0.1:9090
#   --lan       listen on every network interface, so that a tablet can open the page
#   --port N    the page's port (8080)
#   --debug     build quickly instead of small
#
# Ctrl-C ends it, and the vehicle with it.
set -euo pipefail
# shellcheck source=scripts/env.sh
. "$(dirname "$0")/env.sh"
cd "$ROOT"

vehicle=no
address=127.0.0.1
port=8080
release=--release
while [ $# -gt 0 ]; do
  case "$1" in
    --vehicle) vehicle=yes ;;
    --lan) address=0.0.0.0 ;;
    --port) port="${2:?--port needs a number}" && shift ;;
    --debug) release= ;;
    -h | --help) sed -n '2,/^set /{/^#/s/^# \{0,1\}//p;}' "$0" && exit 0 ;;
    *) die "unknown option '$1'" "see: scripts/serve.sh --help" ;;
  esac
  shift
done

"$ROOT/scripts/setup.sh" rust tools npm
# Again, for what the set-up has just brought.
. "$ROOT/scripts/env.sh"
pick_rust

children=()
# Both run in the background, where Ctrl-C does not reach them.
end_children() {
  local child
  for child in ${children[@]+"${children[@]}"}; do kill "$child" 2>/dev/null || true; done
}
trap end_children EXIT
trap 'exit 130' INT TERM

if [ "$vehicle" = yes ]; then
  say "building the simulated vehicle"
  cargo build --locked --quiet --features vehicle --bin vehicle
  "${CARGO_TARGET_DIR:-target}/debug/vehicle" --port 9090 --mc-timeout 0.5 &
  children+=($!)
  sleep 0.5
  kill -0 "$!" 2>/dev/null ||
    die "the simulated vehicle did not start" "is port 9090 in use?"
fi

say "building the page (the first time some minutes), then serving it; Ctrl-C ends it"
say "the demo:         http://127.0.0.1:$port/?demo=1"
if [ "$vehicle" = yes ]; then
  say "with the vehicle: http://127.0.0.1:$port/   (through /rosbridge, or ?url=ws://127.0.0.1:9090)"
fi
if [ "$address" != 127.0.0.1 ]; then
  for ip in $(hostname -I 2>/dev/null || true); do
    case "$ip" in *:*) ;; *) say "from a tablet:    http://$ip:$port/" ;; esac
  done
fi
# Its own folder, so that dist/ is always what scripts/build.sh made.
mkdir -p target/serve
env -u NO_COLOR trunk serve $release --locked --skip-version-check --dist target/serve \
  --address "$address" --port "$port" &
children+=($!)
wait "$!"
