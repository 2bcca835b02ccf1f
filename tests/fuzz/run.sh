#!/bin/bash
# usage: run.sh SECONDS | --executions N [TARGET[:PROCESSES]...]
# Builds the fuzzers with clang and gives each of them (all, or those named) so many seconds, or so many executions, two
# at a time. TARGET:PROCESSES starts as many of a target, which share what they find. A fuzzer that has found an input
# goes on, four times at most. FUZZ_BUILD is the build folder (build/fuzz), FUZZ_WORK where what is found stays
# (FUZZ_BUILD/work): the inputs that take new ways through the code, and those that end a parser, which are printed.
# FUZZ_PROGRAMS is a folder with fuzzers that were built elsewhere; FUZZ_JOBS how many processes run at a time; FUZZ_SEED
# begins the same campaign again; FUZZ_MAX_LEN is the longest input (64 bytes for a quantity, 256 for a word, else 4096).
# An input that has no end within a minute is found as one; a fuzzer that has too little of the processors to end half a
# minute after its time is ended. FUZZ_NICE (19) says how far others come first.
# Prints one line of CSV a target: executions, crashes (also what takes longer than 5 s or more than 1 GB), the slowest
# input in seconds, peak memory in MB. Fails where something was found.
set -uo pipefail
CDPATH= cd -- "$(dirname "$0")/../.."

usage() { sed -n '2s/^# //p' "$0" >&2; exit 2; }
targets=(cellml checkpoint command_line configuration gmsh_text gzip legacy_vtk matrix_market medit msh netgen node_list opencarp polygons quantity read tetgen
  vtu yaml)
case ${1-} in
  --executions) [[ ${2-} =~ ^[0-9]+$ ]] || usage; limit=-runs amount=$2; shift 2 ;;
  *) [[ ${1-} =~ ^[0-9]+$ ]] || usage; limit=-max_total_time amount=$1; shift ;;
esac
(($# == 0)) || targets=("$@")
names=("${targets[@]%%:*}")
build=${FUZZ_BUILD:-build/fuzz} work=${FUZZ_WORK:-${FUZZ_BUILD:-build/fuzz}/work} corpus=$PWD/tests/data/fuzz

if [[ -z ${FUZZ_PROGRAMS-} ]]; then
  mkdir -p "$(dirname "$build")"
  cmake -G Ninja -B "$build" -DCMAKE_CXX_COMPILER=clang++-14 -DCMAKE_C_COMPILER=clang-14 -DCARDIOWARP_FUZZ=ALONE \
    -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_FLAGS_RELWITHDEBINFO='-O1 -gline-tables-only' \
    -DCARDIOWARP_CUDA=OFF -DCARDIOWARP_PETSC=OFF -DCARDIOWARP_METIS=OFF -DCARDIOWARP_WARNINGS_AS_ERRORS=OFF \
    >"$build.log" 2>&1 && cmake --build "$build" --target "${names[@]/#/fuzz_}" >>"$build.log" 2>&1 ||
    { tail -40 "$build.log" >&2; exit 1; }
  FUZZ_PROGRAMS=$build/tests/fuzz
fi

# Executions, the slowest input and the peak memory of one target by its logs.
figures() {  # LOG...
  awk 'FNR == 1 { executions += count; count = 0 }
    /^#[0-9]+/ { count = substr($1, 2) }
    /^stat::number_of_executed_units:/ { count = $2 }
    /^stat::slowest_unit_time_sec:/ && $2 > slowest { slowest = $2 }
    /^stat::peak_rss_mb:/ && $2 > peak { peak = $2 }
    END { printf "%d %d %d\n", executions + count, slowest, peak }' "$@"
}

# The address sanitizer of clang 14 cannot start, or never ends to say so, where the system spreads addresses over more bits
# than it knows of (vm.mmap_rnd_bits above 28): they are fixed where that is allowed, and what does not start starts again.
fixed=()
! setarch "$(uname -m)" -R true 2>/dev/null || fixed=(setarch "$(uname -m)" -R)

# Runs a fuzzer with its words, and returns its status.
start() {  # LOG WORD...
  local log=$1 try process waited status
  shift
  for ((try = 1; try <= 20; ++try)); do
    "$@" >"$log" 2>&1 &
    process=$!
    for ((waited = 0; waited < 600; ++waited)); do  # up to a minute
      kill -0 "$process" 2>/dev/null || break
      ! grep -qs '^INFO: Seed' "$log" || break
      [[ $(grep -cs DEADLYSIGNAL "$log") -lt 3 ]] || break
      sleep 0.1
    done
    grep -qs '^INFO: Seed' "$log" || kill "$process" 2>/dev/null
    wait "$process"
    status=$?
    ! grep -qs '^INFO: Seed' "$log" || return $status
  done
  return 1
}

# One process of a target. Its logs are WORK/TARGET/NUMBER.ROUND.log.
fuzz() {  # TARGET NUMBER
  local name=$1 number=$2 own=$work/$1 began=$SECONDS left=$amount round log status executions rest
  local longest=4096 hard_end=99999999
  case $name in quantity) longest=64 ;; command_line) longest=256 ;; esac
  local seed=$((${FUZZ_SEED:-0} ? FUZZ_SEED + 100 * number : 0))
  for ((round = 1; round <= 5 && left > 0; ++round)); do
    log=$own/$number.$round.log
    [[ $limit == -runs ]] || hard_end=$((left + 30))
    # One thread: a whole read of a small mesh starts none. Leaks of libraries that are not ours do not count.
    OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive \
      LSAN_OPTIONS=suppressions=$PWD/tests/support/leak_suppressions.txt:print_suppressions=0 \
      start "$log" "${fixed[@]}" nice -n "${FUZZ_NICE:-19}" timeout -k 5 "$hard_end" "$FUZZ_PROGRAMS/fuzz_$name" "$limit=$left" -timeout=60 -report_slow_units=5 \
      -rss_limit_mb=1024 -malloc_limit_mb=1024 \
      -max_len="${FUZZ_MAX_LEN:-$longest}" -seed=$((seed ? seed + round : 0)) -dict="$corpus/$name.dict" \
      -print_final_stats=1 -artifact_prefix="$own/found/" "$own/corpus" "$corpus/$name"
    status=$?
    ((status != 0)) || return
    if grep -q 'run interrupted' "$log"; then
      echo "fuzz_$name has not ended in time" >&2
      return
    fi
    grep -q 'Test unit written to' "$log" || echo "status $status" >"$own/found/no_input_$number.$round"
    read -r executions rest < <(figures "$log")
    [[ $limit == -runs ]] && left=$((left - executions)) || left=$((amount - SECONDS + began))
  done
}

# The line of a target in the table.
line() {  # TARGET
  local name=$1 own=$work/$1 slow executions slowest peak
  # A fuzzer goes by the clock. Alone, an input has 5 s of a processor, however busy the machine is.
  for slow in "$own"/found/slow-unit-* "$own"/found/timeout-*; do
    [[ -e $slow ]] || continue
    (ulimit -t 5 && start "$own/slow" "${fixed[@]}" timeout -k 5 60 "$FUZZ_PROGRAMS/fuzz_$name" "$slow") && rm "$slow"
  done
  read -r executions slowest peak < <(figures "$own"/*.log)
  echo "$name,$executions,$(find "$own/found" -type f | wc -l),$slowest,$peak"
}

for name in "${names[@]}"; do
  mkdir -p "$work/$name/corpus" "$work/$name/found"
  rm -f "$work/$name"/found/* "$work/$name"/*.log
done
for target in "${targets[@]}"; do
  [[ $target == *:* ]] && processes=${target#*:} || processes=1
  for ((number = 1; number <= processes; ++number)); do
    while (($(jobs -rp | wc -l) >= ${FUZZ_JOBS:-2})); do wait -n; done
    fuzz "${target%%:*}" "$number" &
  done
done
wait

bad=0
echo target,executions,crashes,slowest_s,peak_mb
for name in "${names[@]}"; do
  IFS=, read -r _ executions crashes times < <(line "$name")
  echo "$name,$executions,$crashes,$times"
  [[ $crashes == 0 ]] || { bad=1; tail -n 60 "$work/$name"/*.log >&2; ls "$work/$name"/found/* >&2; }
done
exit $bad
