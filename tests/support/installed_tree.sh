# Sourced by end_to_end scripts. complete_installation PREFIX: fails where the folders of a system lack something of
# cardiowarp under PREFIX, or have what is not for them, and says what.
complete_installation() {
  local prefix=$1 doc=$1/share/doc/cardiowarp bad=0 file page link
  for file in bin/cardiowarp share/cardiowarp/examples/heart.yaml share/cardiowarp/examples/slab.yaml \
    share/doc/cardiowarp/{README.md,LICENSE,CHANGELOG.md,docs/configuration.md,docs/heart.png,meshes/README.md}; do
    [[ -e $prefix/$file ]] || { echo "$file was not installed"; bad=1; }
  done
  [[ -x $prefix/bin/cardiowarp ]] || { echo "bin/cardiowarp cannot be started"; bad=1; }
  # Measurements stay with the sources, and libraries of others with their packages.
  while read -r file; do
    echo "$file was installed, and should not be"
    bad=1
  done < <(cd "$prefix" && find . -name '*.csv' -o -name '*.so*' -o -name __pycache__ -o -name '*.msh' \
    -o -path './share/doc/*/docs/*-*' -type d)
  # The pages that a user begins with lead to what is there.
  while IFS=: read -r page link; do
    link=${link#']('}
    [[ -e $(dirname "$page")/$link ]] || { echo "${page#"$prefix"/} names $link, which was not installed"; bad=1; }
  done < <(find "$doc/README.md" "$doc/docs/guide" -name '*.md' -exec grep -oH '](\(\.\./\)*\(docs\|configs\|meshes\|[a-z_]*\.\(md\|png\)\)[^)#: ]*' {} + 2>/dev/null)
  return $bad
}
