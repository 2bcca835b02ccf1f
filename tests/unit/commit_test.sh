#!/bin/bash
# usage: commit_test.sh SOURCE_FOLDER SCRATCH_FOLDER
# cmake/commit.cmake names the commit of a checkout, says where it has changes, and says of anything else that the commit
# is unknown, also where it lies in another checkout. It leaves the file alone where the commit is the same.
set -euo pipefail
command -v git >/dev/null || { echo "no git: nothing to look up commits with"; exit 77; }
source=$1 scratch=$2
source "$(dirname "${BASH_SOURCE[0]}")/../support/scratch.sh"
empty_scratch "$scratch"
mkdir -p "$scratch/checkout/unpacked" "$scratch/archive"
printf 'commit=@commit@\n' >"$scratch/template.in"

failures=0
expect() {  # FOLDER TEXT
  cmake "-DROOT=$1" "-DTEMPLATE=$scratch/template.in" "-DOUTPUT=$scratch/output" -P "$source/cmake/commit.cmake"
  local got
  got=$(<"$scratch/output")
  [[ $got == "commit=$2" ]] || { echo "of $1: expected '$2', got '$got'"; failures=1; }
}

# Neither this test's own checkout above the scratch folder nor the user's settings may be seen.
export GIT_CEILING_DIRECTORIES=$scratch GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
cd "$scratch/checkout"
git init -q .
expect "$scratch/checkout" 'unknown (not built from a checkout)'
echo one >tracked
git add tracked
git -c user.name=n -c user.email=e commit -q -m first
hash=$(git rev-parse --short=12 HEAD)
expect "$scratch/checkout" "$hash"

touch -d '2020-01-01' "$scratch/output"
expect "$scratch/checkout" "$hash"
[[ $(date -r "$scratch/output" +%Y) == 2020 ]] || { echo "the same commit was written again"; failures=1; }

echo new >untracked
expect "$scratch/checkout" "$hash"
ln -s checkout "$scratch/link"
expect "$scratch/link" "$hash"
echo two >tracked
expect "$scratch/checkout" "$hash with changes"

expect "$scratch/checkout/unpacked" 'unknown (not built from a checkout)'
expect "$scratch/archive" 'unknown (not built from a checkout)'
exit $failures
