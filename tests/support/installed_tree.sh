# Sourced by end_to_end scripts. complete_installation PREFIX: fails where the folders of a system lack something of
# cardiowarp under PREFIX, or have what is not for them, and says what.
complete_installation() {
  local prefix=$1 doc=$1/share/doc/cardiowarp bad=0 file page link
  for file in bin/cardiowarp bin/cardiowarp-bench share/cardiowarp/examples/heart.yaml share/cardiowarp/examples/slab.yaml \
    lib/python3/dist-packages/cardiowarp/__init__.py \
    share/doc/cardiowarp/{README.md,LICENSE,CHANGELOG.md,docs/configuration.md,docs/heart.png,meshes/README.md}; do
    [[ -e $prefix/$file ]] || { echo "$file was not installed"; bad=1; }
  done
  # What the program prints of itself; pages of a manual may be packed.
  if "$prefix/bin/cardiowarp" man >/dev/null 2>&1; then
    for file in man/man1/cardiowarp.1 man/man5/cardiowarp.yaml.5 bash-completion/completions/cardiowarp \
      zsh/site-functions/_cardiowarp fish/vendor_completions.d/cardiowarp.fish cardiowarp/cardiowarp.schema.json; do
      [[ -s $prefix/share/$file || -s $prefix/share/$file.gz ]] || { echo "share/$file was not installed"; bad=1; }
    done
  fi
  [[ -x $prefix/bin/cardiowarp ]] || { echo "bin/cardiowarp cannot be started"; bad=1; }
  # Measurements stay with the sources, and libraries of others with their packages.
  while read -r file; do
    echo "$file was installed, and should not be"
    bad=1
  done < <(cd "$prefix" && find . -name '*.csv' -o -name '*.so*' -o -name __pycache__ -o -name '*.msh' \
    -o -path './share/doc/*/docs/*-*' -type d)
  # The pages that a user begins with lead to what is there, measurements apart.
  while IFS=: read -r page link; do
    link=${link#']('}
    [[ $link != *.csv ]] || continue
    [[ -e $(dirname "$page")/$link ]] || { echo "${page#"$prefix"/} names $link, which was not installed"; bad=1; }
  done < <(find "$doc/README.md" "$doc/docs/guide" -name '*.md' -exec grep -oH '](\(\.\./\)*\(docs\|configs\|meshes\|[a-z_]*\.\(md\|png\)\)[^)#: ]*' {} + 2>/dev/null)
  return $bad
}
