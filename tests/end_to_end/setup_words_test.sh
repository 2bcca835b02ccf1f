#!/bin/bash
# usage: setup_words_test.sh SOURCE_FOLDER SCRATCH_FOLDER
# setup.sh answers words that it does not know, works in any shell and from any folder, and asks for METIS only where
# it is measured with: not before the first picture. The tools that it calls only say that they were called.
set -euo pipefail
source=$1 scratch=$2
source "$(dirname "${BASH_SOURCE[0]}")/../support/scratch.sh"
empty_scratch "$scratch"
mkdir -p "$scratch/tools" "$scratch/project" "$scratch/elsewhere"
cp "$source/setup.sh" "$scratch/project"
for tool in cmake ctest apt-get apt-cache; do
  printf '#!/bin/sh\necho "%s $*" >>"%s"\n' "$tool" "$scratch/called" >"$scratch/tools/$tool"
done
printf '#!/bin/sh\nshift\nexec "$@"\n' >"$scratch/tools/sudo"
# All packages are there but one.
printf '#!/bin/sh\ncase "$*" in *libmetis*) exit 1 ;; *) echo installed ;; esac\n' >"$scratch/tools/dpkg-query"
chmod +x "$scratch"/tools/*
export PATH=$scratch/tools:$PATH
cd "$scratch/elsewhere"

failed=0
# CODE SHELL WORDS.. : the script ends with this code, has called nothing, and says its usage.
expect() {
  local code=$1 got=0
  shift
  rm -f "$scratch/called"
  timeout 60 "$@" >"$scratch/log" 2>&1 </dev/null || got=$?
  [[ $got == "$code" && ! -e $scratch/called ]] && grep -q '^usage: ./setup.sh heart' "$scratch/log" && return
  echo "'$*' ended with $got instead of $code, or called a tool, or said no usage:"
  cat "$scratch/log"
  failed=1
}
script=$scratch/project/setup.sh
for shell in bash sh "bash --posix" "env POSIXLY_CORRECT=1 bash"; do
  expect 0 $shell "$script" -h
  expect 0 $shell "$script" -h heart
  expect 0 $shell "$script" build --help
  expect 2 $shell "$script"
  expect 2 $shell "$script" haert
  expect 2 $shell "$script" heart test
done
expect 0 "$script" help
expect 2 "$script" ''
{ "$script" haert 2>&1 || true; } | grep -q "^setup.sh: unknown word 'haert'$" || { echo "an unknown word is not named"; failed=1; }
bash -c '. "$1" heart; echo goes on' shell "$script" 2>&1 | grep -q '^goes on$' ||
  { echo "reading the script into a shell ends the shell"; failed=1; }

# WORD yes|no : whether METIS is asked for on the way to the build. No tool makes anything, so that the script then fails.
expect_metis() {
  local asked=no
  rm -f "$scratch/called"
  "$script" "$1" >"$scratch/log" 2>&1 </dev/null || true
  grep -q '^cmake --build' "$scratch/called" || { echo "$1 built nothing:"; cat "$scratch/log"; failed=1; }
  grep -q 'apt-get .*libmetis' "$scratch/called" && asked=yes
  [[ $asked == "$2" ]] || { echo "$1: is METIS asked for? expected $2, got $asked"; failed=1; }
}
expect_metis heart no
expect_metis build yes
expect_metis test yes
exit $failed
