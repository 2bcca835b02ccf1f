#!/bin/bash
# usage: command_line_test.sh PROGRAM SCRATCH_FOLDER
# What the program tells of itself: bash completes its words by the script that it prints, man typesets its pages without
# a warning, `explain` says what a key takes, and `check --schema` needs no file.
set -euo pipefail
program=$1 scratch=$2
source "$(dirname "${BASH_SOURCE[0]}")/../support/scratch.sh"
empty_scratch "$scratch"
cd "$scratch"
fail() { echo "$*"; exit 1; }

"$program" completion bash >completion.bash
bash -n completion.bash
# WORDS.. : what the last of them may become, a line each
completed() {
  bash --norc -c '
    compopt() { :; }
    source completion.bash
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _cardiowarp
    printf "%s\n" "${COMPREPLY[@]}"' completion "$@"
}
expect() {  # EXPECTED_LINES.. -- WORDS..
  local expected=()
  while [[ $1 != -- ]]; do expected+=("$1"); shift; done
  shift
  local got
  got=$(completed "$@" | sort | tr '\n' ' ')
  [[ $got == "$(printf '%s\n' "${expected[@]}" | sort | tr '\n' ' ')" ]] || fail "'$*' became: $got"
}
expect check -- cardiowarp che
expect --resume -- cardiowarp run heart.yaml --res
expect slab -- cardiowarp mesh sl
expect --unstructured -- cardiowarp mesh slab --uns
expect auto cpu gpu -- cardiowarp run heart.yaml --backend ''
expect time.step= -- cardiowarp check heart.yaml --set time.st
expect checkpoint.keep -- cardiowarp explain checkpoint.k
mkdir results
touch resume.yaml
expect results -- cardiowarp run heart.yaml --output res
[[ -z $(completed cardiowarp check --spmv) ]] || fail "an option that there is not was completed"

"$program" completion zsh >_cardiowarp
[[ $(head -1 _cardiowarp) == '#compdef cardiowarp' ]] || fail "zsh finds no #compdef"
"$program" completion fish >cardiowarp.fish
grep -q -- "-n '__fish_seen_subcommand_from run' -l resume " cardiowarp.fish || fail "fish does not know run --resume"
for shell in zsh fish; do
  ! command -v $shell >/dev/null || $shell -n "$([[ $shell == zsh ]] && echo _cardiowarp || echo cardiowarp.fish)"
done
"$program" completion bsh 2>message && fail "an unknown shell was taken"
grep -q "SHELL: expected bash, zsh, fish, got 'bsh'; did you mean 'bash'?" message || fail "$(cat message)"

"$program" man >cardiowarp.1
"$program" man cardiowarp.yaml >cardiowarp.yaml.5
grep -qF '.SS cardiowarp mesh slab' cardiowarp.1 || fail "the page has no cardiowarp mesh slab"
grep -qF '\fBstep\fR' cardiowarp.yaml.5 || fail "the page has no key step"
if command -v groff >/dev/null; then
  for page in cardiowarp.1 cardiowarp.yaml.5; do
    groff -K utf8 -T utf8 -man -ww "$page" >text 2>warnings || true
    [[ ! -s warnings && -s text ]] || fail "$page: $(cat warnings)"
  done
fi

"$program" explain checkpoint.keep >text
grep -q '  default  2$' text || fail "$(cat text)"
"$program" explain time.stpe 2>message && fail "an unknown key was explained"
[[ $(cat message) == "error: KEY: expected a key of the YAML file, got 'time.stpe'; did you mean 'time.step'?" ]] || fail "$(cat message)"
"$program" explain >text
grep -q "^stimuli " text || fail "explain does not list the sections"

"$program" check --schema >schema.json
python3 -c 'import json, sys; assert json.load(open("schema.json"))["properties"]["time"]["required"] == ["end", "step"]' ||
  [[ ! $(command -v python3) ]]
"$program" check 2>message && fail "check without a file was done"
[[ $(cat message) == "error: FILE is required: YAML configuration (see cardiowarp check --help)" ]] || fail "$(cat message)"
