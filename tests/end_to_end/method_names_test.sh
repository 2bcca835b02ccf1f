#!/bin/bash
# usage: method_names_test.sh PROGRAM SOURCE_FOLDER
# docs/papers/names.md has every name of a method that the program takes, and every option of `bench`. The names are those
# that the program lists when it is given one that it does not know.
set -euo pipefail
program=$1 source=$2
page=$source/docs/papers/names.md
missing=0 seen=0
has() {  # NAME
  seen=$((seen + 1))
  grep -qE "\`([a-z_.]+: )?$1\`" "$page" || { echo "$page: there is no \`$1\`"; missing=1; }
}
# Of a message '... expected one of a, b, c, got ..' or '... expected a, b, c; did you mean ..' the names.
names_in() {
  sed -nE '/^error: .*: (unknown .*; )?expected /{s///; s/^one of //; s/ [(]others, .*[)]//; s/, got .*|; did you mean.*//; s/, / /g; p}'
}
listed() {  # the arguments of a call with a name that nobody has
  local name names
  names=$("$program" "$@" 2>&1 | names_in || true)
  [[ -n $names ]] || { echo "no names in the answer to: $*"; "$program" "$@" || true; exit 1; }
  for name in $names; do [[ $name == auto || $name == all ]] || has "$name"; done
}

for key in assembly.strategy assembly.order linear_solver.spmv linear_solver.path linear_solver.operator \
  linear_solver.precision linear_solver.preconditioner; do
  listed check "$source/configs/heart.yaml" --set "$key=no_such_name"
  grep -qF "$key" "$page" || { echo "$page: there is no key $key"; missing=1; }
done
listed check "$source/configs/heart.yaml" --set 'linear_solver.preconditioner={polynomial: no_such_name}'
listed bench spmv --nodes 1300 --format no_such_name
listed bench spmv --nodes 1300 --order no_such_name
listed bench assembly --nodes 1300 --strategy no_such_name
listed bench solver --nodes 1300 --preconditioner no_such_name
for command in spmv assembly solver step degrees; do
  has "$command"
  for option in $("$program" bench "$command" --help | grep -oE '^ +--[a-z-]+' | grep -v -- '--help'); do has "$option"; done
done
((seen > 140)) || { echo "expected more than 140 names, got $seen"; exit 1; }
exit $missing
