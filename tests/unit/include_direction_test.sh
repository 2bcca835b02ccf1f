#!/bin/sh
# usage: include_direction_test.sh ROOT
# Checks every #include of our own headers against the arrows between the rooms, which the table of rooms in
# CONTRIBUTING.md draws: a room may include from itself and from the rooms that its last column names, all of which
# stand above it, so that there are no circles. A row that begins with "hidden" says what no file of some rooms sees,
# through any number of includes. Prints file:line of each include that points another way, the includes that lead to
# what is hidden, and what is wrong with the tables, and fails.
unset CDPATH
cd "$1" || exit 2
[ -f CONTRIBUTING.md ] || { echo "include_direction_test: no CONTRIBUTING.md in $1"; exit 2; }
top='kernels fem cellml assembly solver meshes app'
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
      if (room !~ /^(kernels|fem|cellml|assembly|solver|meshes|app)(\/|$)/) continue
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
  function name_in(word) { gsub(/[`,]/, "", word); sub(/\/$/, "", word); return word }
  # The rows | hidden | `folder/` .. | from `room/` .., but `header` .. |
  function read_hidden(    line, cell, words, count, k, word, is_but) {
    while ((getline line < "CONTRIBUTING.md") > 0) {
      if (line !~ /^\| hidden \|/) continue
      ++hidden_rows
      split(line, cell, "|")
      count = split(cell[3], words, " ")
      for (k = 1; k <= count; ++k) hidden[hidden_rows, name_in(words[k])] = 1
      is_but = 0
      count = split(cell[4], words, " ")
      for (k = 1; k <= count; ++k) {
        word = name_in(words[k])
        if (words[k] == "but") is_but = 1
        if (words[k] !~ /^`/) continue
        if (is_but) {
          but[hidden_rows, word] = 1
          if ((getline line < word) < 0) complain("CONTRIBUTING.md: " word ", which is not hidden, is not there")
          close(word)
        } else {
          hidden_from[hidden_rows, word] = 1
          if (!(word in known)) complain("CONTRIBUTING.md: something is hidden from " word "/, which is no room")
        }
      }
    }
    close("CONTRIBUTING.md")
  }
  function is_hidden(row, header,    folder) {
    if ((row, header) in but) return 0
    for (folder = folder_of(header); ; folder = folder_of(folder)) {
      if ((row, folder) in hidden) return 1
      if (folder !~ /\//) return 0
    }
  }
  # Follows the includes of a file and tells the first way on which it meets what is hidden.
  function look_for_hidden(row, file,    queue, first, last, seen, from, k, header, way, of) {
    queue[1] = file; last = 1; seen[file] = 1
    for (first = 1; first <= last; ++first) {
      of = queue[first]
      for (k = 1; k <= includes[of]; ++k) {
        header = include[of, k]
        if (header in seen) continue
        seen[header] = 1; from[header] = of; queue[++last] = header
        if (!is_hidden(row, header)) continue
        for (way = header; header != file; way = header " > " way) header = from[header]
        complain("CONTRIBUTING.md hides " queue[last] " from " folder_of(file) "/: " way)
        return
      }
    }
  }
  function may_include(room, header,    of) {
    of = folder_of(header)
    return header ~ /\// && (of == room || (room, of) in allowed || (room, header) in allowed)
  }

  BEGIN { read_table(); close("CONTRIBUTING.md"); read_hidden() }
  {
    room = folder_of($0)
    if (!(room in known)) { complain($0 ": the table of rooms in CONTRIBUTING.md has no " room "/"); next }
    number = 0
    while ((getline line < $0) > 0) {
      ++number
      # Quoted names are ours and carry their folder; a folder of ours in <> is held to the same arrows.
      if (line !~ /^[ \t]*#[ \t]*include[ \t]*("|<(kernels|fem|cellml|assembly|solver|meshes|app|tests)\/)/) continue
      split(line, part, /["<>]/)
      include[$0, ++includes[$0]] = part[2]
      if (!may_include(room, part[2]))
        complain(sprintf("%s:%d: %s/ may not include \"%s\"", $0, number, room, part[2]))
    }
    close($0)
    files[++number_of_files] = $0
  }
  END {
    for (row = 1; row <= hidden_rows; ++row)
      for (k = 1; k <= number_of_files; ++k)
        if ((row, folder_of(files[k])) in hidden_from) look_for_hidden(row, files[k])
    exit bad
  }'
