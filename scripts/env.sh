# shellcheck shell=bash
# Sourced by the other scripts: where the tools are, which Rust toolchain is used, and a few helpers.
# It installs nothing (scripts/setup.sh does) and prints nothing.

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
export ROOT

# Kept outside the checkout, so that a fresh clone does not build the tools again.
BROOMSTICK_TOOLS="${BROOMSTICK_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/broomstick}"
export BROOMSTICK_TOOLS

RUST_MINIMUM="$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$ROOT/Cargo.toml")"
NODE_MINIMUM=20
TRUNK_VERSION=0.21.14
# The command line tool must be of exactly the version of the library that it post-processes.
WASM_BINDGEN_VERSION="$(sed -n '/^name = "wasm-bindgen"$/{n;s/^version = "\(.*\)"/\1/p;}' "$ROOT/Cargo.lock")"
WASM_TARGET=wasm32-unknown-unknown
DEBIAN_TOOLCHAIN=broomstick

TRUNK_ROOT="$BROOMSTICK_TOOLS/trunk-$TRUNK_VERSION"
WASM_BINDGEN_ROOT="$BROOMSTICK_TOOLS/wasm-bindgen-cli-$WASM_BINDGEN_VERSION"
NODE_ROOT="$BROOMSTICK_TOOLS/node-$NODE_MINIMUM"

say() { printf '%s: %s\n' "${0##*/}" "$*"; }

die() {
  printf '%s: %s\n' "${0##*/}" "$1" >&2
  shift
  local line
  for line in "$@"; do printf '    %s\n' "$line" >&2; done
  exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# Is version $1 at least $2?
at_least() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$2" ]; }

rust_version() { "${1:-rustc}" --version 2>/dev/null | awk '{print $2}'; }

# Compiles one line for the target with the rustc given, because a directory of the right name
# can hold a std of another compiler, and an empty one after an upgrade.
builds_wasm() {
  local rustc="$1" out
  have "$rustc" || return 1
  at_least "$(rust_version "$rustc")" "$RUST_MINIMUM" || return 1
  out="$(mktemp -d)" || return 1
  if echo 'fn main() {}' | "$rustc" --target "$WASM_TARGET" -C panic=abort -o "$out/probe.wasm" - \
    >/dev/null 2>&1; then
    rm -rf "$out"
    return 0
  fi
  rm -rf "$out"
  return 1
}

# Puts Debian's compiler in front of any other, through rustup where there is one: its proxies
# would otherwise answer to `cargo clippy` with another compiler's clippy.
use_debian_rust() {
  if have rustup && rustup toolchain list 2>/dev/null | grep -q "^$DEBIAN_TOOLCHAIN\b"; then
    export RUSTUP_TOOLCHAIN="$DEBIAN_TOOLCHAIN"
  elif [ "$(command -v rustc)" != /usr/bin/rustc ]; then
    export PATH="/usr/bin:$PATH"
  fi
}

# The toolchain that can build the page, or a failure when setup.sh has not yet run.
# BROOMSTICK_RUST=debian asks for Debian's compiler although another would do.
pick_rust() {
  if [ "${BROOMSTICK_RUST:-}" != debian ] && builds_wasm rustc; then return 0; fi
  if builds_wasm /usr/bin/rustc; then
    use_debian_rust
    return 0
  fi
  return 1
}

# Can this compiler build the page with a std of its own, for size? It needs the source of std and
# a setting that is not stable yet.
builds_small_std() {
  [ -e "$(rustc --print sysroot)/lib/rustlib/src/rust/library/std/Cargo.toml" ] &&
    RUSTC_BOOTSTRAP=1 rustc -Zunstable-options -Cpanic=immediate-abort --target "$WASM_TARGET" \
      --print cfg >/dev/null 2>&1
}

# A node of the least version: the one on PATH, or the one that setup.sh fetched.
node_is_new_enough() { have node && at_least "$(node --version | tr -d v)" "$NODE_MINIMUM"; }

find_browser() {
  local name
  for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable; do
    if [ -n "$name" ] && have "$name"; then
      command -v "$name"
      return 0
    fi
  done
  return 1
}

[ -f "$HOME/.cargo/env" ] && ! have cargo && PATH="$HOME/.cargo/bin:$PATH"
[ -x "$NODE_ROOT/node_modules/.bin/node" ] && PATH="$NODE_ROOT/node_modules/.bin:$PATH"
# wasm-opt comes from npm, and Trunk takes the one on PATH.
PATH="$TRUNK_ROOT/bin:$WASM_BINDGEN_ROOT/bin:$ROOT/node_modules/.bin:$PATH"
export PATH

# Both programs carry it, so that a page and a Worker of different builds notice each other.
if [ -z "${BROOMSTICK_BUILD:-}" ]; then
  BROOMSTICK_BUILD="$(git -C "$ROOT" describe --always --dirty --abbrev=12 2>/dev/null ||
    sed -n 's/^version = "\(.*\)"/\1/p' "$ROOT/Cargo.toml" | head -n 1)"
fi
export BROOMSTICK_BUILD
