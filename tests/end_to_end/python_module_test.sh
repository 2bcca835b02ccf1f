#!/usr/bin/env bash
# python_module_test.sh PYTHON PROGRAM SOURCE_FOLDER: runs python_module_test.py by the first Python that has NumPy; skipped
# (77) where none has.
set -euo pipefail
for python in "$1" /usr/bin/python3; do
  if [[ -n $python ]] && "$python" -c 'import sys, numpy; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
    exec "$python" "$(dirname "$0")/python_module_test.py" "${@:2}"
  fi
done
echo "no Python 3.10 with NumPy"
exit 77
