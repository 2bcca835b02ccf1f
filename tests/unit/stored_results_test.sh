#!/bin/bash
# usage: stored_results_test.sh ROOT
# Holds what is stored of measurements against what docs/benchmarks/stored.tsv says of it, and fails with a line for each
# - CSV file that does not say in its first lines of which commit, GPU, driver, CUDA, processor and day it is,
# - CSV file that stored.tsv does not say how to make, and row of the table whose file is not there,
# - file of a set that is of another build or machine than the others of its set (measure.sh SET in the column "made by"),
# - picture that no page shows,
# - test that reads what is stored in docs: its data is in tests/data.
set -euo pipefail
CDPATH= cd -- "$1"
list=docs/benchmarks/stored.tsv
failures=0
complain() { echo "$*"; failures=1; }

hash='[0-9a-f]{12}'
day='20[0-9]{2}-[01][0-9]-[0-3][0-9]'
declare -A allowed=(
  [commit]="$hash|not recorded; stored with [0-9a-f]{7}\b.*"
  [gpu]='.+' [driver]='[0-9.]+|none|not recorded' [cuda]='[0-9.]+|none|not recorded' [processor]='.+'
  [date]="${day}T[0-9:]{8}Z|not recorded; stored on $day( to $day)?"
)
keys=(commit gpu driver cuda processor date)

# made_by[file]: the third cell of a line FILE, tab, what it is, tab, what makes it.
declare -A made_by
while IFS=$'\t' read -r file is made; do
  [[ -n $is && -n $made ]] || complain "$list: expected three cells in the line of $file"
  made_by[$(realpath -ms --relative-to=. "docs/benchmarks/$file")]=${made:-nothing}
done < <(tail -n +2 "$list")
for file in "${!made_by[@]}"; do
  [[ -f $file ]] || complain "$list: there is no $file"
done

declare -A head_of first_of
while read -r file; do
  head='' line=0
  for key in "${keys[@]}"; do
    line=$((line + 1))
    text=$(sed -n "${line}p" "$file")
    if ! grep -Eqx -- "# $key: (${allowed[$key]})" <<<"$text"; then
      complain "$file:$line: expected '# $key: ...' as docs/benchmarks/README.md says, got '${text:0:60}'"
      continue 2
    fi
    [[ $key == date ]] || head+="$text; "
  done
  [[ -n ${made_by[$file]-} ]] || { complain "$file: $list does not say how it is made"; continue; }
  [[ ${made_by[$file]} =~ measure\.sh\ [a-z_]+ ]] || continue
  set="$(dirname "$file") ${BASH_REMATCH[0]}"
  # Of files from before commits were recorded nobody knows whether they are of one build.
  [[ $head == '# commit: not'* ]] && head='not recorded'
  if [[ -z ${head_of[$set]-} ]]; then
    head_of[$set]=$head first_of[$set]=$file
  elif [[ ${head_of[$set]} != "$head" ]]; then
    complain "$file: of one set with ${first_of[$set]}, but not of the same build and machine"
  fi
done < <(find docs tests -name '*.csv' | LC_ALL=C sort)

while read -r picture; do
  name=$(basename "$picture")
  grep -rqsF --include='*.md' -e "/$name)" -e "($name)" README.md docs || complain "$picture: no page shows it"
done < <(find docs \( -name '*.svg' -o -name '*.png' \) | LC_ALL=C sort)
while read -r file; do
  complain "$file: expected the data of a test in tests/data, got a file in docs"
done < <(grep -rlE --include=CMakeLists.txt --include='*.cpp' --include='*.cu' 'docs/[^ "]*\.csv' tests)
exit $failures
