# Sourced by scripts of tests. empty_scratch FOLDER: FOLDER is there and empty. One that has sources of a project, as after
# a slip in the words of a test, is left as it is, and the script ends with exit code 2.
empty_scratch() {
  if [ -e "$1/.git" ] || [ -e "$1/CMakeLists.txt" ]; then
    echo "$1 has a project in it: expected a folder that may be emptied" >&2
    exit 2
  fi
  rm -rf "$1" && mkdir -p "$1"
}
