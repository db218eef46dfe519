#!/usr/bin/env bash
# Installs what is missing to build and test, and nothing twice.
#
#   scripts/setup.sh [rust] [tools] [npm] [browser]      (no word: all four)
#
#   rust      a compiler with the std of wasm32-unknown-unknown, clippy and rustfmt
#   tools     trunk and wasm-bindgen, built into ~/.cache/broomstick (BROOMSTICK_TOOLS)
#   npm       Leaflet and wasm-opt, from package-lock.json
#   browser   Chromium, its driver and Chinese fonts, and the npm packages of tests/browser
#
# With rustup it asks rustup for the target. Where that cannot be downloaded, or there is no
# rustup, it takes Debian's own newest compiler and builds the target's std from Debian's source.
set -euo pipefail
# shellcheck source=scripts/env.sh
. "$(dirname "$0")/env.sh"

main() {
  local part
  [ $# -gt 0 ] || set -- rust tools npm browser
  for part in "$@"; do
    case "$part" in
      rust) set_up_rust ;;
      tools) set_up_tools ;;
      npm) set_up_npm ;;
      browser) set_up_browser ;;
      -h | --help) sed -n '2,/^set /{/^#/s/^# \{0,1\}//p;}' "$0" && exit 0 ;;
      *) die "unknown part '$part'" "known: rust tools npm browser" ;;
    esac
  done
}

# ---- rust

set_up_rust() {
  set_up_linker
  if ! pick_rust; then
    if [ "${BROOMSTICK_RUST:-}" != debian ] && rust_from_rustup; then
      :
    else
      rust_from_debian
    fi
    pick_rust || die "the compiler still cannot build for $WASM_TARGET" \
      "try it by hand: echo 'fn main() {}' | rustc --target $WASM_TARGET -o /tmp/probe.wasm -"
  fi
  if ! cargo clippy --version >/dev/null 2>&1 || ! cargo fmt --version >/dev/null 2>&1; then
    if have rustup && [ "${RUSTUP_TOOLCHAIN:-}" != "$DEBIAN_TOOLCHAIN" ]; then
      say "adding clippy and rustfmt, which scripts/test.sh runs"
      rustup component add clippy rustfmt ||
        die "rustup could not add clippy and rustfmt" "try: rustup component add clippy rustfmt"
    else
      apt_install "clippy and rustfmt, which scripts/test.sh runs" rust-web-clippy rustfmt-web
    fi
  fi
  if ! builds_small_std && have rustup && [ "${RUSTUP_TOOLCHAIN:-}" != "$DEBIAN_TOOLCHAIN" ]; then
    say "rustup: adding the source of std, which makes the release page smaller"
    twice timeout 300 rustup component add rust-src || say "not to be had; the page will be larger"
  fi
  # The page is built without asking the network.
  fetch_crates "$ROOT" || say "could not fetch all that the page is built from; it may not build"
  if builds_small_std; then
    RUSTC_BOOTSTRAP=1 fetch_crates "$(rustc --print sysroot)/lib/rustlib/src/rust/library" ||
      say "could not fetch all that std is built from; the page may not build without it"
  fi
  say "rust $(rust_version) builds for $WASM_TARGET"
}

# fetch_crates FOLDER: all that its Cargo.lock names, for every target, because a std of one's own
# makes Cargo ask for more than those of the page.
fetch_crates() {
  (
    cd "$1" || exit 1
    cargo fetch --quiet --locked --offline 2>/dev/null || twice cargo fetch --quiet --locked
  )
}

set_up_linker() {
  have cc || apt_install "a C compiler, which links native programs" build-essential
}

rust_from_rustup() {
  have rustup || return 1
  local version
  version="$(rust_version || true)"
  if [ -z "$version" ] || ! at_least "$version" "$RUST_MINIMUM"; then
    say "rustup: installing the stable toolchain (found ${version:-none}, need $RUST_MINIMUM)"
    timeout 600 rustup toolchain install stable --profile minimal || return 1
    export RUSTUP_TOOLCHAIN=stable
  fi
  say "rustup: adding the target $WASM_TARGET, for the page"
  if twice timeout 300 rustup target add "$WASM_TARGET"; then return 0; fi
  say "rustup cannot download the target here; taking Debian's compiler instead"
  return 1
}

rust_from_debian() {
  have apt-get || die "no Rust toolchain that can build for $WASM_TARGET" \
    "install rustup (https://rustup.rs), then run this again"
  if ! builds_with_debian; then
    apt_install "Debian's newest Rust compiler and the source of its std" \
      rustc-web cargo-web rust-web-src rust-web-llvm rust-web-clippy rustfmt-web lld-22
  fi
  at_least "$(rust_version /usr/bin/rustc)" "$RUST_MINIMUM" ||
    die "/usr/bin/rustc is $(rust_version /usr/bin/rustc), and the page needs $RUST_MINIMUM" \
      "install rustup (https://rustup.rs), then run this again"
  if have rustup && ! rustup toolchain list | grep -q "^$DEBIAN_TOOLCHAIN\b"; then
    say "rustup: naming Debian's compiler '$DEBIAN_TOOLCHAIN'"
    rustup toolchain link "$DEBIAN_TOOLCHAIN" /usr
  fi
  use_debian_rust
  builds_wasm /usr/bin/rustc || build_std
}

builds_with_debian() {
  [ -x /usr/bin/rustc ] && [ -x /usr/bin/cargo ] && [ -x /usr/bin/cargo-clippy ] && have rust-lld &&
    [ -e "$(/usr/bin/rustc --print sysroot)/lib/rustlib/src/rust/library/std/Cargo.toml" ] &&
    at_least "$(rust_version /usr/bin/rustc)" "$RUST_MINIMUM"
}

# Debian ships no std for the target; cargo builds it from Debian's source once, into the sysroot.
build_std() {
  local crate lib
  crate="$(mktemp -d)"
  lib="$(/usr/bin/rustc --print sysroot)/lib/rustlib/$WASM_TARGET/lib"
  say "building the std of $WASM_TARGET once, into $lib (about a minute)"
  mkdir -p "$crate/src"
  printf '[package]\nname = "probe"\nversion = "0.0.0"\nedition = "2021"\n' >"$crate/Cargo.toml"
  echo 'fn main() {}' >"$crate/src/main.rs"
  # embed-bitcode: without it the release profile's link time optimisation finds no bitcode in std.
  (
    cd "$crate"
    export RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Cembed-bitcode=yes CARGO_TARGET_DIR="$crate/target"
    unset CARGO_BUILD_TARGET
    twice env PATH="/usr/bin:$PATH" /usr/bin/cargo build --quiet --release \
      -Zbuild-std=std,panic_abort --target "$WASM_TARGET"
  ) || die "could not build the std of $WASM_TARGET (it needs the crates registry)"
  as_root mkdir -p "$lib"
  as_root find "$lib" -name '*.rlib' -delete
  as_root cp "$crate/target/$WASM_TARGET/release/deps/"*.rlib "$lib/"
  rm -rf "$crate"
}

# ---- tools

set_up_tools() {
  pick_rust || die "no compiler yet" "run: scripts/setup.sh rust"
  if [ "$(wasm-bindgen --version 2>/dev/null | awk '{print $2}')" = "$WASM_BINDGEN_VERSION" ] &&
    have wasm-bindgen-test-runner; then
    say "wasm-bindgen $WASM_BINDGEN_VERSION is there"
  else
    # Not --locked: that version's own lock file names a crate that has been withdrawn.
    cargo_install "$WASM_BINDGEN_ROOT" "it makes the JavaScript around the page's wasm" \
      wasm-bindgen-cli --version "$WASM_BINDGEN_VERSION"
  fi
  if [ "$(trunk --version 2>/dev/null | awk '{print $2}')" = "$TRUNK_VERSION" ]; then
    say "trunk $TRUNK_VERSION is there"
  else
    cargo_install "$TRUNK_ROOT" "it puts the page together and serves it" \
      --locked trunk --version "$TRUNK_VERSION"
  fi
}

cargo_install() {
  local root="$1" why="$2" log="$BROOMSTICK_TOOLS/install.log"
  shift 2
  mkdir -p "$BROOMSTICK_TOOLS"
  say "building ${*/--locked/} from source: $why (some minutes, once; log: $log)"
  # Built to be built quickly: these tools run for a second or two.
  CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
    CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_DEBUG=0 \
    CARGO_TARGET_DIR="$BROOMSTICK_TOOLS/build" RUSTFLAGS='' \
    twice cargo install --root "$root" "$@" >"$log" 2>&1 || {
    tail -n 30 "$log" >&2
    die "cargo install $* failed" "the whole output is in $log"
  }
  rm -rf "$BROOMSTICK_TOOLS/build"
}

# ---- npm

set_up_npm() {
  set_up_node
  npm_ci "$ROOT" "Leaflet and wasm-opt, as package-lock.json says"
}

set_up_node() {
  if ! have npm; then apt_install "Node.js, which fetches Leaflet and runs wasm-opt" nodejs npm; fi
  node_is_new_enough && return 0
  say "fetching Node.js $NODE_MINIMUM into $NODE_ROOT, because $(node --version 2>/dev/null || echo none) is too old"
  mkdir -p "$NODE_ROOT"
  twice npm install --no-audit --no-fund --loglevel error --prefix "$NODE_ROOT" "node@$NODE_MINIMUM" ||
    die "no Node.js $NODE_MINIMUM or newer" "install it (https://nodejs.org), then run this again"
  export PATH="$NODE_ROOT/node_modules/.bin:$PATH"
  node_is_new_enough || die "node is still $(node --version)" "install Node.js $NODE_MINIMUM or newer"
}

# Once per lock file: the stamp holds what the modules were installed from.
npm_ci() {
  local folder="$1" what="$2" stamp hash
  stamp="$folder/node_modules/.installed-from"
  hash="$(cat "$folder/package.json" "$folder/package-lock.json" | sha256sum | cut -d' ' -f1)"
  if [ "$(cat "$stamp" 2>/dev/null)" = "$hash" ]; then
    say "npm packages of ${folder/#$ROOT/.} are there"
    return 0
  fi
  say "npm ci in ${folder/#$ROOT/.}: $what"
  twice npm ci --no-audit --no-fund --loglevel error --prefix "$folder" ||
    die "npm ci failed in $folder" "is the npm registry reachable? try: npm ci --prefix $folder"
  echo "$hash" >"$stamp"
}

# ---- browser

set_up_browser() {
  set_up_node
  if ! find_browser >/dev/null || ! have "${CHROMEDRIVER:-chromedriver}"; then
    if is_debian; then
      apt_install "Chromium and its driver, which run the page's tests" chromium chromium-driver
    else
      die "Chromium and chromedriver of the same version are needed for the page's tests" \
        "install both, or name them in CHROMIUM and CHROMEDRIVER"
    fi
  fi
  if ! has_chinese_font; then
    if is_debian; then
      apt_install "a Chinese font, so that both languages are drawn in the tests" fonts-noto-cjk
    else
      say "no Chinese font found: the Chinese page is tested with empty boxes for its letters"
    fi
  fi
  npm_ci "$ROOT/tests/browser" "what drives the browser in the end-to-end tests"
  say "$("$(find_browser)" --version 2>/dev/null) is there"
}

has_chinese_font() {
  if have fc-list; then
    [ -n "$(fc-list :lang=zh 2>/dev/null | head -n 1)" ]
  else
    dpkg -s fonts-noto-cjk >/dev/null 2>&1
  fi
}

is_debian() { have apt-get && grep -qs '^ID=debian$' /etc/os-release; }

# ---- helpers

# apt_install WHY PACKAGE...
apt_install() {
  local why="$1"
  shift
  have apt-get || die "missing: $why" "install the equivalent of: $*"
  say "apt-get install $*: $why"
  may_be_root || die "root is needed to install packages, and there is no sudo that asks nothing" \
    "run this, then try again: apt-get update && apt-get install -y $*"
  twice as_root apt-get -q update >/dev/null ||
    die "apt-get update failed" "are the package sources reachable? see /etc/apt/sources.list*"
  twice as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends "$@" >/dev/null </dev/null ||
    die "apt-get could not install: $*" "$why"
}

may_be_root() {
  [ "$(id -u)" = 0 ] || { have sudo && { sudo -n true 2>/dev/null || [ -t 0 ]; }; }
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# Once more after a pause, because registries have bad moments.
twice() {
  "$@" && return 0
  say "failed, trying once more: $*" >&2
  sleep 5
  "$@"
}

main "$@"
