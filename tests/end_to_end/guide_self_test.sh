#!/bin/bash
# usage: guide_self_test.sh SCRATCH_FOLDER
# guide_test.py takes a page that is right and names each kind of mistake in one that is not: another number in a line of
# output, in the text and in what Python prints, a command that fails, and an example that is in no file. A page whose data
# is not there is skipped.
set -euo pipefail
command -v python3 >/dev/null || { echo "no python3: the pages of the guide are not tried"; exit 77; }
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
source "$here/../support/scratch.sh"
empty_scratch "$1"
CDPATH= cd -- "$1"
fail() { echo "$*"; exit 1; }
mkdir -p source/docs/guide source/configs
cat >program <<'PROGRAM'
#!/bin/sh
[ "$1" = info ] && echo "  Gmsh     ${GMSH_OF_THIS_TEST:-4.8.4}" && exit
[ "$1" = run ] || exit 2
mkdir -p out && printf 'time_ms,far\n0,-80\n2,-40\n4,40\n' >out/probes.csv && echo "info: 12 steps of 0.25 ms, in $$ s"
PROGRAM
chmod +x program
printf '# A cable\nmesh: {file: a.msh}\ntime: {end: 4 ms}\n' >source/docs/guide/cable.yaml
cat >source/page.md <<'PAGE'
```yaml
mesh: {file: a.msh}
time: {end: 4 ms}
```
```sh
cardiowarp run docs/guide/cable.yaml
```
```text
info: 12 steps of 0.25 ms, …
```
The far end is activated after 3.0 ms.
```python
print(f"{1 / 3:.3f} of it")
```
```text
0.333 of it
```
<!-- check
says("activated after 3.0 ms", upstrokes("out", "far")[0])
-->
PAGE
try() { "$here/guide_test.py" source program scratch "$1" >said 2>&1; }
try page.md || { cat said; fail "a page without mistakes was refused"; }
expect() {  # SED_EXPRESSION MESSAGE: the page so changed is refused with a message that has these words
  sed "$1" source/page.md >source/other.md
  cmp -s source/page.md source/other.md && fail "$1 changes nothing"
  try other.md && fail "taken in spite of $1"
  grep -qF -- "$2" said || { cat said; fail "expected '$2' after $1"; }
}
expect 's/^info: 12/info: 14/' 'info: 14 steps of 0.25 ms'
expect 's/after 3.0 ms\.$/after 3.2 ms./' "does not say 'activated after 3.0 ms'"
expect 's/after 3.0 ms/after 3.2 ms/' "the page says 'activated after 3.2 ms', the run 3.0"
expect 's/^0.333 of/0.339 of/' '0.339 of it'
expect 's/cardiowarp run/cardiowarp walk/' 'no command of the page runs docs/guide/cable.yaml'
expect 's/^cardiowarp run.*/&; cardiowarp walk/' 'exit code 2 of'
expect 's/^time: {end: 4 ms}/time: {end: 5 ms}/' 'in no file of docs/guide or configs'

# Data that a reader has beside the project: without it the page is skipped, with it the commands find it.
sed 's|^cardiowarp run|cat heart.txt\n&|; 1i <!-- needs meshes/heart.txt -->' source/page.md >source/other.md
! try other.md && grep -qF "shared/meshes/heart.txt is not here" said || fail "a page was tried without its data"
mkdir -p shared/meshes && echo >shared/meshes/heart.txt
try other.md || { cat said; fail "a page with its data was refused"; }

export GMSH_OF_THIS_TEST=4.12.1  # which makes other meshes
sed 's/after 3.0 ms/after 3.2 ms/; s/^info: 12/info: 13/' source/page.md >source/other.md
try other.md || { cat said; fail "another Gmsh's numbers are not taken for like ones"; }
expect 's/after 3.0 ms/after 4.2 ms/' "the page says 'activated after 4.2 ms', the run 3.0"
