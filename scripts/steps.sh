# To be sourced, from the top of the tree: long steps with a progress display, and the build.

# Threads that spin while they wait starve each other where cores are shared.
export OMP_WAIT_POLICY="${OMP_WAIT_POLICY:-passive}"

# Shows how a step proceeds, from the last "k/n" in its log: on a terminal in one line that is
# rewritten, otherwise in a line at the start and one each minute.
watch_step() {
  local message=$1 log=$2 start=$SECONDS next=2 progress
  while sleep 1; do
    ((SECONDS - start >= next)) || continue
    # No "k/n" yet is no failure.
    progress=$(tail -c 4096 "$log" 2>/dev/null | grep -oE '[0-9]+/[0-9]+(\]| Test )' |
      tail -n 1) || true
    progress=${progress%%[] ]*}
    if [[ -t 1 ]]; then
      printf '\r\033[K%s ... %s %d s' "$message" "$progress" $((SECONDS - start))
    else
      echo "$message ...${progress:+ $progress}"
      next=$((SECONDS - start + 60))
    fi
  done
}

# run_step MESSAGE LOG COMMAND...  Runs the command with its output in the log.  Silent when it is
# done at once; when it fails, shows the end of the log and returns its status.
run_step() {
  local message=$1 log=$2 status=0 start=$SECONDS
  shift 2
  mkdir -p "$(dirname "$log")"
  : >"$log"
  # The watcher is the one in the background, so that an interrupt reaches the command.
  watch_step "$message" "$log" &
  local watcher=$!
  "$@" >>"$log" 2>&1 </dev/null || status=$?
  kill $watcher 2>/dev/null || true
  wait $watcher 2>/dev/null || true
  [[ ! -t 1 ]] || printf '\r\033[K'
  if ((status != 0)); then
    tail -n 40 "$log" >&2
    echo "FAILED: $message (status $status); the whole log: $log" >&2
  elif ((SECONDS - start >= 2)); then
    echo "$message: done, $((SECONDS - start)) s"
  fi
  return $status
}

# build_preset PRESET TESTING TARGET...  Configures with BUILD_TESTING=TESTING and the array
# configure_options, if there is one, and builds the targets.  As many files at once as there are cores:
# Ninja would take two more, and longer.
build_preset() {
  local preset=$1 testing=$2
  shift 2
  if command -v ccache >/dev/null; then
    export CMAKE_CXX_COMPILER_LAUNCHER=ccache CMAKE_CUDA_COMPILER_LAUNCHER=ccache
    # or it keeps nothing that uses precompiled headers
    export CCACHE_SLOPPINESS="${CCACHE_SLOPPINESS:-pch_defines,time_macros}"
    # or a precompiled header outlives a change of comments, and g++, which knows "#pragma once" by
    # the text of the file, includes the changed one a second time
    export CCACHE_COMMENTS=1
  fi
  run_step "configuring" "build/log/$preset-configure.log" \
    cmake --preset "$preset" -D BUILD_TESTING="$testing" \
      ${configure_options[@]+"${configure_options[@]}"} || return
  sed -n 's/^-- \(CUDA backend: .*\)/\1/p' "build/log/$preset-configure.log"
  run_step "building" "build/log/$preset-build.log" \
    cmake --build --preset "$preset" --parallel "$(nproc)" --target "$@"
}
