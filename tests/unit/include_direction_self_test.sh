#!/bin/sh
# usage: include_direction_self_test.sh SCRATCH_FOLDER
# Puts one include at a time into an otherwise empty tree with a table of rooms of its own and holds the verdict of
# include_direction_test.sh against the drawing.
unset CDPATH
check=$(cd "$(dirname "$0")" && pwd)/include_direction_test.sh
. "$(dirname "$0")/../support/scratch.sh"
empty_scratch "$1" && cd "$1" && mkdir -p kernels/low kernels/high fem assembly solver meshes app/inner || exit 2

table() {
  cat <<'TABLE'
| room | what lives there | may include |
|---|---|---|
| `kernels/low/` | ground | |
| `kernels/high/` | above it | `kernels/low/` |
| `fem/` | one header of the ground | `kernels/low/types.hpp` |
| `assembly/` | | `fem/` `kernels/high/` |
| `solver/` | | `kernels/low/` |
| `meshes/` | | `fem/` |
| `app/inner/` | | all above |
| `app/` | | all above |
TABLE
}

may_include() {  # ROOM HEADER: the expected answer
  case "$1:$2" in
    kernels/low:kernels/low/* | kernels/high:kernels/*/* | fem:fem/* | fem:kernels/low/types.hpp) ;;
    assembly:assembly/* | assembly:fem/* | assembly:kernels/high/*) ;;
    solver:solver/* | solver:kernels/low/* | meshes:meshes/* | meshes:fem/*) ;;
    app/inner:app/a.hpp) return 1 ;;
    app/inner:*/* | app:*/*) ;;
    *) return 1 ;;
  esac
}

failures=0
fail() { echo "$1"; failures=1; }

table >CONTRIBUTING.md
for room in kernels/low kernels/high fem assembly solver meshes app/inner app; do
  for header in kernels/low/types.hpp kernels/low/other.hpp kernels/high/h.hpp fem/mesh.hpp assembly/a.hpp solver/s.hpp \
    meshes/m.hpp app/inner/i.hpp app/a.hpp ../fem/mesh.hpp bare.hpp; do
    case "$header" in ../* | bare.hpp) expected=1 ;; *) may_include $room $header; expected=$? ;; esac
    printf '// a comment\n#include <vector>\n#  include "%s"\n' $header >$room/file.hpp
    report=$("$check" .)
    verdict=$?
    [ $expected = 1 ] && place="$room/file.hpp:3: " || place=
    case "$verdict:$report" in
      "$expected:$place"*) ;;
      *) fail "$room/ with #include \"$header\": expected exit $expected, got $verdict '$report'" ;;
    esac
    rm $room/file.hpp
  done
done

# A table with an upward arrow, and so with a circle; a room that is not in it.
table | sed 's|^| |; s|^ ||; s#`kernels/low/` | ground | |#`kernels/low/` | ground | `kernels/high/` |#' >CONTRIBUTING.md
"$check" . >report && fail "an arrow that points up in the table was not reported"
grep -q 'kernels/low/ may not include from kernels/high' report || fail "of an arrow that points up: $(cat report)"
table >CONTRIBUTING.md
mkdir solver/new && : >solver/new/file.hpp
"$check" . >report && fail "a room that is not in the table was not reported"
grep -q 'solver/new/file.hpp: the table' report || fail "of a room that is not in the table: $(cat report)"
exit $failures
