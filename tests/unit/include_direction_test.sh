#!/bin/sh
# usage: include_direction_test.sh ROOT
# Checks every #include of our own headers against the arrows between the rooms, which the table of rooms in
# CONTRIBUTING.md draws: a room may include from itself and from the rooms that its last column names, all of which
# stand above it, so that there are no circles. Prints file:line of each include that points another way, and what is
# wrong with the table, and fails.
unset CDPATH
cd "$1" || exit 2
[ -f CONTRIBUTING.md ] || { echo "include_direction_test: no CONTRIBUTING.md in $1"; exit 2; }
top='kernels fem assembly solver meshes app'
for folder in $top; do
  [ -d "$folder" ] || { echo "include_direction_test: no folder $folder in $1"; exit 2; }
done
find $top -type f \( -name '*.hpp' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' -o -name '*.h' \) | LC_ALL=C sort |
  awk '
  function folder_of(path) { sub(/\/[^\/]*$/, "", path); return path }
  function complain(text) { print text; bad = 1 }

  # The table: | `room/` | what lives there | `room/` `room/` or "all above" |
  function read_table(    line, cell, room, words, count, k, word, other) {
    while ((getline line < "CONTRIBUTING.md") > 0) {
      if (line !~ /^\| `[a-z_\/]+\/` \|/) continue
      split(line, cell, "|")
      room = cell[2]; gsub(/[` ]|\/` *$/, "", room); sub(/\/$/, "", room)
      if (room !~ /^(kernels|fem|assembly|solver|meshes|app)(\/|$)/) continue
      if (room in known) complain("CONTRIBUTING.md: the room " room "/ stands there twice")
      if (cell[4] ~ /all above/) for (other in known) allowed[room, other] = 1
      count = split(cell[4], words, " ")
      for (k = 1; k <= count; ++k) {
        word = words[k]
        if (word !~ /^`.*`,?$/) continue
        gsub(/[`,]/, "", word); sub(/\/$/, "", word)
        allowed[room, word] = 1
        other = word ~ /\.hpp$/ ? folder_of(word) : word
        if (!(other in known)) complain("CONTRIBUTING.md: " room "/ may not include from " word ", which does not stand above it")
      }
      known[room] = 1
    }
  }
  function may_include(room, header,    of) {
    of = folder_of(header)
    return header ~ /\// && (of == room || (room, of) in allowed || (room, header) in allowed)
  }

  BEGIN { read_table() }
  {
    room = folder_of($0)
    if (!(room in known)) { complain($0 ": the table of rooms in CONTRIBUTING.md has no " room "/"); next }
    number = 0
    while ((getline line < $0) > 0) {
      ++number
      # Quoted names are ours and carry their folder; a folder of ours in <> is held to the same arrows.
      if (line !~ /^[ \t]*#[ \t]*include[ \t]*("|<(kernels|fem|assembly|solver|meshes|app|tests)\/)/) continue
      split(line, part, /["<>]/)
      if (!may_include(room, part[2]))
        complain(sprintf("%s:%d: %s/ may not include \"%s\"", $0, number, room, part[2]))
    }
    close($0)
  }
  END { exit bad }'
