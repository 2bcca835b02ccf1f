#!/bin/bash
# usage: cdpath_test.sh SOURCE_FOLDER SCRATCH_FOLDER
# setup.sh, .ci/run and cmake/style.sh work in their own project where CDPATH leads `cd` to another of the same name.
# The tools that they call only say where they are called.
set -euo pipefail
source=$1 scratch=$2
source "$(dirname "${BASH_SOURCE[0]}")/../support/scratch.sh"
empty_scratch "$scratch"
mkdir -p "$scratch/tools" "$scratch/here/project/app" "$scratch/elsewhere/project/.ci" "$scratch/elsewhere/project/cmake"
cp -r "$source/setup.sh" "$source/cmake" "$source/.ci" "$scratch/here/project"
for tool in cmake ctest dpkg-query apt-get clang-format-14; do
  printf '#!/bin/sh\npwd >>"%s"\necho installed\n' "$scratch/called" >"$scratch/tools/$tool"
  chmod +x "$scratch/tools/$tool"
done

cd "$scratch/here"
export CDPATH=$scratch/elsewhere PATH=$scratch/tools:$PATH
for command in "setup.sh build" ".ci/run" "cmake/style.sh format"; do
  rm -f "$scratch/called"
  bash project/$command >"$scratch/log" 2>&1 || true # these tools make nothing
  [[ -s $scratch/called ]] || { echo "$command called nothing:"; cat "$scratch/log"; exit 1; }
  [[ $(sort -u "$scratch/called") == "$scratch/here/project" ]] ||
    { echo "$command worked in:"; sort -u "$scratch/called"; exit 1; }
done
