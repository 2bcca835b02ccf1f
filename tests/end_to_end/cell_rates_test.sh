#!/usr/bin/env bash
# cell_rates_test.sh PYTHON REFERENCE: the rates kept in tests/data/cells are those that the script computes; skipped (77)
# where there is no Python with numpy.
set -euo pipefail
for python in "$1" /usr/bin/python3; do
  [[ -n $python ]] && "$python" -c "import numpy" 2> /dev/null && exec "$python" "$2" --check-rates
done
echo "no Python 3 with numpy"
exit 77
