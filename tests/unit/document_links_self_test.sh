#!/bin/bash
# usage: document_links_self_test.sh SCRATCH_FOLDER
# document_links_test.sh takes a tree whose links are right, and names a page, a heading, a picture and a file in a
# comment that are not there, a page that the front page of the guide leaves out, and a README.md that is too long. Pages that Git does not track are left alone.
set -euo pipefail
command -v python3 >/dev/null || { echo "no python3: links are not tried"; exit 77; }
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
source "$here/../support/scratch.sh"
empty_scratch "$1"
CDPATH= cd -- "$1"
fail() { echo "$*"; exit 1; }
expect() {  # MESSAGE...: exactly these lines
  ! "$here/document_links_test.sh" tree >found || fail "a tree with mistakes was taken"
  diff found <(printf '%s\n' "$@") || fail "expected other messages"
}

mkdir -p tree/docs/guide tree/app
cat >tree/README.md <<'PAGE'
[guide](docs/guide/first.md#how-fast-c--12), [twice](docs/guide/first.md#again-1), [here](#read-on), [web](https://a.b/c#d),
[a folder](docs/guide/), `[code](no.md)`
# Read on
PAGE
cat >tree/docs/guide/first.md <<'PAGE'
## How fast? (`C` = 1,2)
## Again
## Again
[back](../../README.md#read-on)
```
# Not a heading, [not a link](no.md)
```
PAGE
echo '// see docs/guide/first.md' >tree/app/run.cpp
"$here/document_links_test.sh" tree || fail "a tree without mistakes was refused"

if command -v git >/dev/null; then
  mkdir tree/other
  echo '[gone](no.md)' >tree/other/page.md
  expect 'other/page.md:1: there is no no.md'
  git -C tree init -q && git -C tree add README.md app docs
  "$here/document_links_test.sh" tree || fail "a page that is no part of the tree was looked at"
fi

echo '[first](first.md)' >tree/docs/guide/README.md
[[ ! -d tree/.git ]] || git -C tree add docs
"$here/document_links_test.sh" tree || fail "a front page with all pages was refused"
mkdir tree/docs/guide/gallery
echo '# Heart' >tree/docs/guide/gallery/heart.md
[[ ! -d tree/.git ]] || git -C tree add docs
expect 'docs/guide/README.md: there is no link to docs/guide/gallery/heart.md'
echo '[heart](gallery/heart.md)' >>tree/docs/guide/README.md

echo '// see docs/first.md' >>tree/app/run.cpp
printf '%s\n' '[gone](second.md) [no heading](first.md#not-a-heading-not-a-link)' '![picture](none.png)' >>tree/docs/guide/first.md
for ((line = 4; line <= 71; line++)); do echo; done >>tree/README.md
expect 'docs/guide/first.md:8: there is no second.md' \
  'docs/guide/first.md:8: docs/guide/first.md has no heading #not-a-heading-not-a-link' \
  'docs/guide/first.md:9: there is no none.png' 'app/run.cpp:2: there is no docs/first.md' \
  'README.md: at most 70 lines expected, got 71'
