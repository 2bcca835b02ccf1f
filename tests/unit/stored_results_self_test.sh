#!/bin/bash
# usage: stored_results_self_test.sh SCRATCH_FOLDER
# Makes a small tree with one mistake at a time and holds the verdict of stored_results_test.sh against it.
set -euo pipefail
check=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/stored_results_test.sh
source "$(dirname "${BASH_SOURCE[0]}")/../support/scratch.sh"
empty_scratch "$1"
cd "$1"

head_lines() {  # COMMIT DRIVER
  printf '# commit: %s\n# gpu: NVIDIA H200\n# driver: %s\n# cuda: 13.0\n# processor: P, 16 threads\n' "$1" "$2"
  printf '# date: 2026-11-23T02:39:04Z\n'
}
make_tree() {
  rm -rf tree
  mkdir -p tree/docs/benchmarks/gpu tree/docs/pictures tree/tests/data
  printf '%s\t%s\t%s\n' file is 'made by' gpu/spmv.csv products 'measure.sh kernels: something' \
    gpu/step.csv steps 'measure.sh kernels: something else' gpu/beat.csv 'a beat' 'measure.sh beat' \
    ../../tests/data/tuning.csv times 'by hand' >tree/docs/benchmarks/stored.tsv
  echo '![a picture](pictures/shown.svg)' >tree/docs/page.md
  for file in docs/benchmarks/gpu/spmv.csv docs/benchmarks/gpu/step.csv; do
    { head_lines 0123456789ab 580.95.05 && echo a,b; } >tree/$file
  done
  { head_lines ba9876543210 580.95.06 && echo a,b; } >tree/docs/benchmarks/gpu/beat.csv
  printf '%s\n' '# commit: not recorded; stored with 0123456 and abcdef0' '# gpu: none' '# driver: none' '# cuda: none' \
    '# processor: not recorded' '# date: not recorded; stored on 2026-11-20 to 2026-11-22' a,b >tree/tests/data/tuning.csv
  touch tree/docs/pictures/shown.svg
}

failures=0
expect() {  # PART OF THE REPORT, empty where nothing is wrong; the mistake is made already
  local report status=0
  report=$("$check" tree) || status=$?
  if [[ -z $1 ]]; then
    [[ $status == 0 && -z $report ]] || { echo "of a tree without mistakes: $report"; failures=1; }
  elif [[ $status == 0 || $report != *"$1"* || $(wc -l <<<"$report") != 1 ]]; then
    echo "expected '$1', got status $status and '$report'"
    failures=1
  fi
  make_tree
}

make_tree
expect ''
gpu=tree/docs/benchmarks/gpu
line=0
for key in commit gpu driver cuda processor date; do
  line=$((line + 1))
  sed -i "/^# $key:/d" $gpu/beat.csv
  expect "docs/benchmarks/gpu/beat.csv:$line: expected '# $key: ...'"
  sed -i "s/^# $key: .*/# $key: /" $gpu/beat.csv
  expect "docs/benchmarks/gpu/beat.csv:$line: expected '# $key: ...'"
done
echo a,b >tree/tests/data/tuning.csv
expect "tests/data/tuning.csv:1: expected '# commit: ...'"
for wrong in 'ba9876543210 with changes' 'unknown (not built from a checkout)' 'not recorded' 'ba98'; do
  sed -i "s/ba9876543210/$wrong/" $gpu/beat.csv
  expect "docs/benchmarks/gpu/beat.csv:1: expected '# commit: ...'"
done
sed -i 's/^# driver: .*/# driver: unknown/' $gpu/beat.csv
expect "docs/benchmarks/gpu/beat.csv:3: expected '# driver: ...'"
sed -i 's/^# date: .*/# date: yesterday/' $gpu/beat.csv
expect "docs/benchmarks/gpu/beat.csv:6: expected '# date: ...'"

cp $gpu/beat.csv $gpu/other.csv
expect 'docs/benchmarks/gpu/other.csv: docs/benchmarks/stored.tsv does not say how it is made'
rm $gpu/beat.csv
expect 'docs/benchmarks/stored.tsv: there is no docs/benchmarks/gpu/beat.csv'
sed -i 's/\tby hand//' tree/docs/benchmarks/stored.tsv
expect 'docs/benchmarks/stored.tsv: expected three cells in the line of ../../tests/data/tuning.csv'
for change in 's/0123456789ab/ba9876543210/' 's/580.95.05/580.95.06/' 's/0123456789ab/not recorded; stored with 0123456/'; do
  sed -i "$change" $gpu/step.csv
  expect 'docs/benchmarks/gpu/step.csv: of one set with docs/benchmarks/gpu/spmv.csv, but not of the same build'
done
sed -i 's/0123456789ab/not recorded; stored with 0123456/' $gpu/step.csv
sed -i 's/0123456789ab/not recorded; stored with abcdef0/' $gpu/spmv.csv
expect ''
touch tree/docs/pictures/hidden.png
expect 'docs/pictures/hidden.png: no page shows it'
rm tree/docs/page.md
expect 'docs/pictures/shown.svg: no page shows it'
echo 'TUNING="docs/benchmarks/gpu/beat.csv"' >tree/tests/CMakeLists.txt
expect 'tests/CMakeLists.txt: expected the data of a test in tests/data'
exit $failures
