# Sourced by end_to_end scripts. safe_search_path FILE...: fails where the loader would look for the libraries of one in
# a folder that depends on where the user stands: an element of its path that is empty or relative.
safe_search_path() {
  local file path element unsafe=0
  for file in "$@"; do
    while read -r path; do
      while read -r element; do
        [[ $element == /* || $element == '$ORIGIN' || $element == '$ORIGIN'/* ]] ||
          { echo "$file looks for libraries in '$element', of [$path]"; unsafe=1; }
      done <<<"${path//:/$'\n'}"
    done < <(readelf -d "$file" | sed -En 's/.*\((RPATH|RUNPATH)\).*\[(.*)\]$/\2/p')
  done
  return $unsafe
}

# takes_no_library_from_here PROGRAM SCRATCH_FOLDER: runs it in a folder that has a file, which is none, under the name
# of each of its libraries.
takes_no_library_from_here() {
  local library
  rm -rf "$2"
  mkdir -p "$2"
  for library in $(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]$/\1/p'); do echo none >"$2/$library"; done
  [[ -n $(ls "$2") ]] || { echo "$1 needs no libraries?"; return 1; }
  (CDPATH= cd -- "$2" && "$1" --version >/dev/null) || { echo "$1 takes libraries from the current folder"; return 1; }
}
