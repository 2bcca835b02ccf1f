#!/bin/sh
# usage: include_direction_self_test.sh SCRATCH_FOLDER
# Puts one include at a time into an otherwise empty tree with a table of rooms of its own and holds the verdict of
# include_direction_test.sh against the drawing.
unset CDPATH
check=$(cd "$(dirname "$0")" && pwd)/include_direction_test.sh
. "$(dirname "$0")/../support/scratch.sh"
empty_scratch "$1" && cd "$1" && mkdir -p kernels/low kernels/high fem cellml assembly solver meshes app/inner || exit 2

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
# What is hidden is found through other headers, unless it is named as an exception.
rm -r solver/new
hidden() { table; echo '| hidden | `assembly/` `solver/` | from `app/inner/`, but `solver/options.hpp` |'; }
hidden >CONTRIBUTING.md
: >solver/options.hpp
echo '#include "fem/mesh.hpp"' >app/inner/file.hpp
echo '#include "app/inner/file.hpp"
#include "assembly/a.hpp"' >app/file.cpp
"$check" . >report || fail "nothing hidden is seen, but: $(cat report)"
echo '#include "solver/options.hpp"' >app/inner/file.cpp
"$check" . >report || fail "an exception was taken for hidden: $(cat report)"
echo '#include "fem/mesh.hpp"
#include "assembly/outer.hpp"' >app/inner/file.cpp
echo '#include "solver/options.hpp"' >app/inner/file.hpp
"$check" . >report && fail "a hidden header was not reported"
grep -q 'hides assembly/outer.hpp from app/inner/: app/inner/file.cpp > assembly/outer.hpp$' report ||
  fail "of a hidden header: $(cat report)"
echo '#include "meshes/m.hpp"' >app/inner/file.cpp
mkdir -p meshes && echo '#include "fem/deep.hpp"' >meshes/m.hpp
echo '#include "assembly/deep.hpp"' >fem/deep.hpp
"$check" . >report && fail "a header that is hidden two includes away was not reported"
grep -q 'hides assembly/deep.hpp .*: app/inner/file.cpp > meshes/m.hpp > fem/deep.hpp > assembly/deep.hpp$' report ||
  fail "of a header that is hidden two includes away: $(cat report)"
rm fem/deep.hpp meshes/m.hpp app/inner/file.cpp solver/options.hpp
"$check" . >report && fail "an exception that is not there was not reported"
grep -q 'CONTRIBUTING.md: solver/options.hpp, which is not hidden, is not there' report ||
  fail "of an exception that is not there: $(cat report)"
exit $failures
