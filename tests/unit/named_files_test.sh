#!/bin/sh
# usage: named_files_test.sh ROOT
# Every file, folder, type and function that docs/architecture.md, docs/words.md and the pages of docs/papers name is there.
# A file may be named without its folder; names with NAME in them stand for any. Prints what is not there, and fails.
unset CDPATH
cd "$1" || exit 2
code='kernels fem cellml assembly solver meshes app'
files=$(find $code tests docs -type f | sed 's|^|/|')
newline='
'
bad=0
missing() { echo "$page: there is no $1"; bad=1; }
for page in docs/architecture.md docs/words.md docs/papers/*.md; do
  names=$(grep -o '`[^`]*`' "$page" | tr -d '`' | grep -v NAME | sort -u)
  [ -n "$names" ] || { echo "$page names nothing"; bad=1; }
  for name in $(printf '%s\n' "$names" | grep -E '^[A-Za-z_/0-9]+\.(hpp|cpp|cuh|cu|md|txt)$'); do
    case "$files$newline" in *"/$name$newline"*) ;; *) missing "file $name" ;; esac
  done
  for name in $(printf '%s\n' "$names" | grep -E '^[a-z_/]+/$'); do
    [ -d "$name" ] || missing "folder $name"
  done
  for name in $(printf '%s\n' "$names" | grep -E '^([A-Z][A-Za-z]+::)?[a-z_]+\(\)$|^[A-Z][a-z]+[A-Za-z]*(::[a-z_]+)?$' |
    sed 's/()$//; s/::/\n/'); do
    grep -rqw --include='*.hpp' --include='*.cpp' -e "$name" $code || missing "$name"
  done
done
exit $bad
