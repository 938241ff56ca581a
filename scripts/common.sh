# Shared by scripts/demo and scripts/test, which run at the root of the sources.
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}

# say_log FILE: what a log says besides the progress of ninja and the chatter of CMake.
say_log() { grep -vE '^(\[[0-9]+/[0-9]+\] |-- |ninja: (no work|Entering))' "$1" || true; }

# run_quietly LOG COMMAND...: the last line so far on a terminal; the log only if the command fails or a compiler warns.
run_quietly() {
  local log=$1 status=0 line
  shift
  mkdir -p "$(dirname "$log")"
  if [[ -t 1 ]]; then
    "$@" 2>&1 | tee "$log" | while IFS= read -r line; do printf '\r\033[K%.*s' "$((${COLUMNS:-80} - 1))" "$line"; done ||
      status=$?
    printf '\r\033[K'
  else
    "$@" >"$log" 2>&1 || status=$?
  fi
  if ((status)); then
    say_log "$log" >&2
    printf "'%s' failed, see above; everything it said is in %s.\n" "$*" "$log" >&2
  elif grep -q 'warning: ' "$log"; then
    say_log "$log" >&2
  fi
  return "$status"
}

# build PRESET [TARGET...]: configures if that was never done, or done with other presets; then builds. A first build takes several
# files at once, two thirds of the time; a directory that someone configured stays as it is.
build() {
  local preset=$1 options=()
  shift
  if [[ ! build/$preset/build.ninja -nt CMakePresets.json ]]; then
    [[ -e build/$preset/CMakeCache.txt ]] || options=(-DVARIMESH_UNITY=ON)
    run_quietly "build/logs/configure-$preset.log" cmake --preset "$preset" "${options[@]}"
  fi
  run_quietly "build/logs/build-$preset.log" cmake --build --preset "$preset" ${1:+--target "$@"}
}
