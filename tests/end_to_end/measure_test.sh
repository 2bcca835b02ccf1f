#!/bin/bash
# usage: measure_test.sh SOURCE_FOLDER SCRATCH_FOLDER
# docs/benchmarks/measure.sh with a program that measures nothing: a piece that fails costs no other, the same call again
# makes what is missing and nothing else, another build begins anew, and a set has one head.
set -euo pipefail
command -v python3 >/dev/null || { echo "no python3: measure.sh cannot be tried"; exit 77; }
source=$1 scratch=$2
source "$(dirname "${BASH_SOURCE[0]}")/../support/scratch.sh"
empty_scratch "$scratch"
cd "$scratch"
touch surface.vtp

# Notes each call, fails where $fails names it, and writes what each command is asked to write.
cat >program <<'PROGRAM'
#!/bin/bash
head() { printf '# %s\n' "commit: $commit" 'gpu: one' 'driver: 1' 'cuda: 13.0' 'processor: p, 1 threads' "date: $RANDOM"; }
[[ $1 == info ]] && { head; exit; }
case "$1 $2 $*" in
  "mesh refine "*) call="mesh refine $(basename "$3")" ;;
  mesh*) call="mesh $2 $5" ;;
  "bench spmv "*--stand-in*) call="bench stand-ins" ;;
  bench*) call="bench $2 $(basename "$3")" ;;
  compare*) call="compare $(grep -o 'mesh.file=[^ ]*' <<<"$*" | xargs basename)" ;;
  run*) call="run $(grep -o 'mesh.file=[^ ]*' <<<"$*" | xargs basename)" ;;
esac
echo "$call" >>calls
[[ -n ${late-} ]] && sleep 2
[[ ,$fails, == *",$call,"* ]] && { echo "this fails" >&2; exit 3; }
words=("$@")
for ((k = 0; k < $#; ++k)); do
  file=${words[k + 1]-}
  case "$1 ${words[k]}" in
    "mesh --output") touch "$file" ;;
    "bench --csv" | "bench --row-lengths" | "bench --colors" | "bench --single-error" | "bench --locality") { head; echo -n matrix,unknowns,node_order,format,block_size,threshold,lanes,values_per_thread,slice_rows,window,
                     echo products,by_rule,correct,median_us
                     echo "$call,1,hilbert,csv,,,,,,,50,no,yes,1"; } >"$file" ;;
    "compare --csv") { head; echo configuration,side; echo heart.yaml,gpu; } >"$file" ;;
    "run --output")
      mkdir -p "$file"
      echo '{"newton_iterations": 1, "linear_iterations": 1, "device": "d", "threads": 1, "solver": "s", "spmv": "m",
        "assembly": "a", "assembly_order": "o", "mesh": {"nodes": 1, "elements": 1, "nonzeros": 1},
        "seconds": {"element": 1, "assembly": 1, "linear_solve": 1, "update": 1, "setup": 1}}' >"$file/summary.json" ;;
  esac
done
PROGRAM
chmod +x program

failures=0
fail() { echo "$*"; failures=1; }
measure() {  # EXPECTED_STATUS ARGUMENT...
  local expected=$1 status=0
  rm -f out/calls
  "$source/docs/benchmarks/measure.sh" "${@:2}" >log 2>&1 || status=$?
  [[ $status == "$expected" ]] || fail "measure.sh ${*:2}: expected exit status $expected, got $status: $(<log)"
}
calls() { sort -u out/calls 2>/dev/null | tr '\n' ';'; }
expect_files() {  # NAME...
  local got
  got=$(cd out && ls ./*.csv 2>/dev/null | xargs -r -n 1 basename | tr '\n' ' ')
  [[ $got == "$*"* && $got == "${*:+$* }" ]] || fail "expected the files '$*', got '$got'"
}

export commit=0123456789ab fails=''
measure 2 ./program surface.vtp
measure 2 ./program surface.vtp out kernel
grep -q "got 'kernel'" log || fail "of a wrong set: $(<log)"

fails='bench solver biventricle3k.msh,bench spmv human222k.msh' measure 1 ./program surface.vtp out
expect_files assembly.csv step.csv steps.csv
grep -q 'solver failed after .* s: this fails' log || fail "of a piece that failed: $(<log)"
grep -q 'missing: spmv_large solver' log || fail "of what is missing: $(<log)"

measure 0 ./program surface.vtp out
expect_files assembly.csv solver.csv spmv.csv step.csv steps.csv
[[ $(calls) == 'bench solver biventricle3k.msh;bench spmv human222k.msh;' ]] || fail "the second call called $(calls)"
[[ $(grep -c '^bench' out/spmv.csv) == 3 ]] || fail "spmv.csv: $(<out/spmv.csv)"
[[ $(cut -d, -f1 out/steps.csv | grep -c '^human') == 43 ]] || fail "steps.csv: $(<out/steps.csv)"
for file in out/*.csv; do
  [[ $(grep -c '^# ' "$file") == 6 ]] || fail "$file: $(head -8 "$file")"
done

measure 0 ./program surface.vtp out
[[ $(calls) == '' ]] || fail "with nothing missing it called $(calls)"

commit=ba9876543210 measure 0 ./program surface.vtp out
grep -q 'commit: ba9876543210' out/step.csv || fail "another build: $(head -1 out/step.csv)"
[[ $(calls) != *mesh* && $(calls) == *'bench stand-ins'* ]] || fail "another build called $(calls)"

# What only the page of the papers needs
measure 0 ./program surface.vtp paper paper
for file in assembly_sums compare_small row_lengths spmv_choices spmv_fetching spmv_single spmv_sorting steps_small; do
  [[ $(grep -c '^# ' "paper/$file.csv") == 6 ]] || fail "$file.csv: $(head -8 "paper/$file.csv")"
done
[[ $(grep -v '^#' paper/compare_small.csv | tr '\n' ' ') == 'configuration,side biventricle3k,gpu biventricle5k,gpu human53k,gpu ' ]] ||
  fail "compare_small.csv: $(<paper/compare_small.csv)"

# What the chapters on papers 003 and 004 need
measure 0 ./program surface.vtp three assembly operators ssor renumbering blocks elements counts
for file in assembly_strategies operators ssor renumbering_{spmv,solver,assembly} blocks_{spmv,assembly} elements colors single_error locality; do
  [[ $(grep -c '^# ' "three/$file.csv") == 6 ]] || fail "$file.csv: $(head -8 "three/$file.csv")"
done
[[ $(grep -c '^bench' three/assembly_strategies.csv) == 21 ]] || fail "assembly_strategies.csv: $(<three/assembly_strategies.csv)"
[[ $(cut -d, -f7 three/operators.csv | grep -c '^operator_') == 30 ]] || fail "operators.csv: $(<three/operators.csv)"

# The same files in fewer pieces, of three hearts alone; what is made so does not count for a call without --quick.
short=(assembly operators ssor renumbering blocks elements)
measure 2 --quick ./program surface.vtp out kernels
grep -q 'these sets alone' log || fail "of a set that has no quick form: $(<log)"
measure 2 --fast ./program surface.vtp out ssor
measure 0 --quick --seconds 1000 ./program surface.vtp quick "${short[@]}"
for file in assembly_strategies:20 operators:30 ssor:3 renumbering_spmv:16 renumbering_solver:8 renumbering_assembly:8 blocks_spmv:3 \
  blocks_assembly:7 elements:4; do
  lines=$(grep -vc '^# \|^mesh\|^matrix' "quick/${file%:*}.csv" || true)
  [[ $lines == "${file#*:}" ]] || fail "quick ${file%:*}.csv: expected ${file#*:} lines, got $lines: $(<"quick/${file%:*}.csv")"
done
[[ $(grep -c '^mesh' quick/calls) == 5 ]] || fail "meshes of a quick call: $(grep '^mesh' quick/calls)"
rm quick/calls
measure 0 ./program surface.vtp quick ssor
grep -q 'bench solver human34k' quick/calls || fail "pieces of a quick call were taken for those of another"

# Making the heart takes longer than there is time for.
rm -r out/meshes
late=yes commit='ba9876543210 with changes' measure 1 --seconds 1 ./program surface.vtp out
grep -q 'with changes: what it measures is not to be stored' log || fail "of changed sources: $(<log)"
[[ $(grep -c 'no time is left' log) == 9 && $(calls) != *bench* ]] || fail "without time: $(<log), $(calls)"

# Two tables that are not of one set
sed 's/# driver: 1/# driver: 2/' out/step.csv >other.csv
if "$source/docs/benchmarks/measured.py" merge both.csv out/step.csv other.csv 2>log; then
  fail "two drivers in one set were taken"
fi
grep -q "other.csv: expected driver '1' as out/step.csv has, got '2'" log || fail "of two drivers: $(<log)"
[[ ! -e both.csv ]] || fail "both.csv was written"
grep -v '# cuda' out/step.csv >other.csv
"$source/docs/benchmarks/measured.py" merge both.csv other.csv 2>log && fail "a head without cuda was taken"
grep -q "other.csv: .* none with cuda" log || fail "of a head without cuda: $(<log)"
exit $failures
