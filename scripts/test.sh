#!/usr/bin/env bash
# Everything that is checked before a change is taken. Sets up what is missing first, goes on
# after a failure, and ends with one line: N passed, N failed.
#
# Each test of a test runner counts as one, and so does each step that is not a test runner.
# What a step printed is kept in target/test-logs.
set -uo pipefail
# shellcheck source=scripts/env.sh
. "$(dirname "$0")/env.sh"
cd "$ROOT" || exit 1

PASSED=0
FAILED=0
FAILED_STEPS=()
TARGET="${CARGO_TARGET_DIR:-$ROOT/target}"
LOGS="$ROOT/target/test-logs"
STARTED=$SECONDS
mkdir -p "$LOGS"

# The same features in every step for one target, so that what one compiled serves the next.
HOST=(--locked --features vehicle)
PAGE=(--locked --target "$WASM_TARGET" --features "ui,worker")

main() {
  step "set-up" once scripts/setup.sh
  # Again, for what the set-up has just brought.
  . "$ROOT/scripts/env.sh"
  if ! pick_rust; then
    summary
    return
  fi

  step "format" once cargo fmt --check
  step "clippy, host" once cargo clippy "${HOST[@]}" --all-targets -- -D warnings
  step "clippy, page" once cargo clippy "${PAGE[@]}" --lib --bins --test components -- -D warnings
  step "licences of the dependencies" once node scripts/licences.mjs
  step "host tests" counting_cargo cargo test "${HOST[@]}" --no-fail-fast
  step "component tests in a browser" counting_cargo component_tests
  step "release page and its size" once scripts/build.sh
  step "end-to-end tests in a browser" counting_node end_to_end_tests
  step "docs, host" once env RUSTDOCFLAGS="-D warnings" cargo doc --no-deps "${HOST[@]}"
  step "docs, page" once env RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --lib "${PAGE[@]}"
  summary
}

component_tests() {
  local driver="${CHROMEDRIVER:-chromedriver}"
  CHROMEDRIVER="$(command -v "$driver")" || {
    echo "no chromedriver: scripts/setup.sh browser" >&2
    return 1
  }
  CHROMEDRIVER="$CHROMEDRIVER" \
    CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER=wasm-bindgen-test-runner \
    WASM_BINDGEN_TEST_TIMEOUT=120 \
    cargo test "${PAGE[@]}" --test components
}

end_to_end_tests() {
  local specs
  specs=(tests/browser/*.test.mjs)
  if [ ! -e "${specs[0]}" ]; then
    echo "no end-to-end test found: tests/browser/*.test.mjs" >&2
    return 1
  fi
  if [ ! -f dist/index.html ]; then
    echo "no page in dist/: its build failed, see above" >&2
    return 1
  fi
  cargo build --quiet "${HOST[@]}" --bin vehicle || return 1
  BROOMSTICK_DIST="$ROOT/dist" BROOMSTICK_VEHICLE="$TARGET/debug/vehicle" \
    CHROMIUM="$(find_browser)" \
    node --test --test-concurrency=1 --test-reporter=spec --test-reporter-destination=stdout \
    "${specs[@]}"
}

# ---- counting

# step NAME HOW COMMAND...: announces, runs, keeps the output, counts by HOW.
step() {
  local name="$1" how="$2" from=$SECONDS log status before
  shift 2
  log="$LOGS/$(printf '%s' "$name" | tr -cs 'a-z0-9' -).log"
  before=$FAILED
  printf '\n=== %s\n' "$name"
  "$@" 2>&1 </dev/null | tee "$log"
  status=${PIPESTATUS[0]}
  "$how" "$status" "$log"
  if [ "$FAILED" -gt "$before" ]; then
    FAILED_STEPS+=("$name")
    printf '=== %s: FAILED after %s s\n' "$name" $((SECONDS - from))
  else
    printf '=== %s: passed in %s s\n' "$name" $((SECONDS - from))
  fi
}

once() {
  if [ "$1" = 0 ]; then PASSED=$((PASSED + 1)); else FAILED=$((FAILED + 1)); fi
}

# "test result: ok. 12 passed; 0 failed; ..." once per test program.
counting_cargo() {
  count "$1" \
    "$(sum_of 's/^test result: .* \([0-9]*\) passed; .*/\1/p' "$2")" \
    "$(sum_of 's/^test result: .* \([0-9]*\) failed; .*/\1/p' "$2")"
}

# "ℹ pass 12", "ℹ fail 0", "ℹ cancelled 0".
counting_node() {
  count "$1" \
    "$(sum_of 's/^[^a-z]* pass \([0-9]*\)$/\1/p' "$2")" \
    "$(sum_of 's/^[^a-z]* \(fail\|cancelled\) \([0-9]*\)$/\2/p' "$2")"
}

sum_of() {
  sed 's/\x1b\[[0-9;]*m//g' "$2" | sed -n "$1" | awk '{ sum += $1 } END { print sum + 0 }'
}

# count STATUS PASSED FAILED: a runner that failed without a failed test counts as one failure,
# and so does one that ran no test.
count() {
  local status="$1" passed="$2" failed="$3"
  if [ "$failed" = 0 ] && { [ "$status" != 0 ] || [ "$passed" = 0 ]; }; then
    [ "$status" != 0 ] || echo "no test was run"
    failed=1
  fi
  PASSED=$((PASSED + passed))
  FAILED=$((FAILED + failed))
}

summary() {
  local name
  printf '\n'
  for name in ${FAILED_STEPS[@]+"${FAILED_STEPS[@]}"}; do echo "failed: $name"; done
  echo "took $((SECONDS - STARTED)) s"
  echo "$PASSED passed, $FAILED failed"
  [ "$FAILED" = 0 ]
}

main
