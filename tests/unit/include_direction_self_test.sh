#!/bin/sh
# usage: include_direction_self_test.sh SCRATCH_FOLDER
# Puts one include at a time into an otherwise empty tree and holds the verdict of include_direction_test.sh against the
# drawing: a folder may include from the folders named after it.
check=$(CDPATH= cd -- "$(dirname "$0")" && pwd)/include_direction_test.sh
rm -rf "$1" && mkdir -p "$1" && CDPATH= cd -- "$1" && mkdir kernels fem assembly solver meshes app || exit 2

may_include() {  # FOLDER HEADER: the expected answer
  case "$1:$2" in
    kernels:kernels/* | fem:fem/* | fem:kernels/types.hpp) ;;
    assembly:assembly/* | assembly:fem/* | assembly:kernels/*) ;;
    solver:solver/* | solver:kernels/*) ;;
    meshes:meshes/* | meshes:fem/* | meshes:kernels/*) ;;
    app:*/*) ;;
    *) return 1 ;;
  esac
}

failures=0
for folder in kernels fem assembly solver meshes app; do
  for header in kernels/types.hpp kernels/cpu.hpp fem/mesh.hpp assembly/a.hpp solver/s.hpp meshes/m.hpp app/a.hpp \
    ../fem/mesh.hpp bare.hpp; do
    case "$header" in ../* | bare.hpp) expected=1 ;; *) may_include $folder $header; expected=$? ;; esac
    printf '// a comment\n#include <vector>\n#  include "%s"\n' $header >$folder/file.hpp
    report=$("$check" .)
    verdict=$?
    [ $expected = 1 ] && place="$folder/file.hpp:3: " || place=
    case "$verdict:$report" in
      "$expected:$place"*) ;;
      *) echo "$folder/ with #include \"$header\": expected exit $expected, got $verdict '$report'"; failures=1 ;;
    esac
    rm $folder/file.hpp
  done
done
exit $failures
