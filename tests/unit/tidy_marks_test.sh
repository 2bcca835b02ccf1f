#!/bin/bash
# usage: tidy_marks_test.sh SOURCE_FOLDER SCRATCH_FOLDER
# clang-tidy looks at a source again when it, a header of it, its flags or the settings have changed and when it has not
# passed, in whatever folder the project lies, and at no other. Its stand-in here says what it looked at, and passes what has no
# "mistake" in it. Exits 77 (skipped) without ninja.
set -euo pipefail
source=$1 scratch=$2
source "$(dirname "${BASH_SOURCE[0]}")/../support/scratch.sh"
command -v ninja >/dev/null || { echo "skipped: no ninja"; exit 77; }
empty_scratch "$scratch"
mkdir -p "$scratch"/{tools,first/{cmake,fem}}
cat >"$scratch/tools/clang-tidy-14" <<'SH'
#!/bin/sh
[ "$1" != --version ] || { echo version 14; exit; }
for file; do :; done
basename "$file" >>"$LOOKED_AT"
! grep -q mistake "$file"
SH
chmod +x "$scratch/tools/clang-tidy-14"
export PATH=$scratch/tools:$PATH LOOKED_AT=$scratch/looked_at CARDIOWARP_TIDY_CACHE=$scratch/marks
cp "$source/cmake/style.sh" "$scratch/first/cmake"
cd "$scratch/first"
echo 'Checks: all' >.clang-tidy
echo 'int one();' >fem/one.hpp
echo '#include "one.hpp"' >fem/one.cpp
echo '#include "one.hpp"' >fem/two.cpp
echo 'int three();' >fem/three.cpp
printf 'cmake_minimum_required(VERSION 3.25)\nproject(small LANGUAGES CXX)\nadd_library(small fem/one.cpp fem/two.cpp fem/three.cpp)\n' \
  >CMakeLists.txt

bad=0
# RESULT FILE...: whether all passes, and what is looked at.
expect() {
  local got=passes result=$1
  shift
  cmake -G Ninja -S . -B build -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >log 2>&1 && cmake --build build >>log 2>&1 || { cat log; exit 1; }
  : >"$LOOKED_AT"
  cmake/style.sh tidy build fem >log 2>&1 || got=fails
  looked=$(sort "$LOOKED_AT" | tr '\n' ' ')
  [[ $got == "$result" && ${looked% } == "$*" ]] ||
    { echo "line ${BASH_LINENO[0]}: expected that it $result and looks at '$*', but it $got and looks at '${looked% }'"; cat log; bad=1; }
}
expect passes one.cpp three.cpp two.cpp
expect passes
echo 'int other();' >fem/one.hpp
expect passes one.cpp two.cpp
echo '// mistake' >>fem/three.cpp
expect fails three.cpp
expect fails three.cpp
echo 'int three();' >fem/three.cpp
expect passes  # as before
echo 'Checks: none' >.clang-tidy
expect passes one.cpp three.cpp two.cpp
echo 'set_source_files_properties(fem/two.cpp PROPERTIES COMPILE_DEFINITIONS WITH_TWO)' >>CMakeLists.txt
expect passes two.cpp
mkdir "$scratch/second"
cp -r CMakeLists.txt .clang-tidy cmake fem "$scratch/second"
cd "$scratch/second"
expect passes
exit $bad
