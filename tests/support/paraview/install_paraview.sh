#!/bin/bash
# usage: install_paraview.sh PREFIX
# Unpacks Debian's ParaView under PREFIX and writes PREFIX/pvbatch, which runs it without a display. Debian's package
# cannot be installed beside libvtk9-dev (python3-paraview conflicts with python3-vtk9), but it can be unpacked. Its
# virtual screen is installed the usual way, as root.
set -euo pipefail
mkdir -p "${1:?usage: install_paraview.sh PREFIX}"
prefix=$(CDPATH= cd -- "$1" && pwd)
[[ ! -x $prefix/pvbatch ]] || exit 0

command -v Xvfb >/dev/null ||
  DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends xvfb libgl1-mesa-dri

# What an installation would add to this machine; the removals it would bring with it are never carried out.
mapfile -t packages < <(apt-get install -s --no-install-recommends paraview python3-paraview |
  awk '$1 == "Inst" {print $2}')
((${#packages[@]})) || { echo "install_paraview.sh: apt-get knows no paraview; run apt-get update" >&2; exit 1; }

downloads=$(mktemp -d)
trap 'rm -rf "$downloads"' EXIT
(CDPATH= cd -- "$downloads" && apt-get download -qq -o APT::Sandbox::User=root "${packages[@]}")
for package in "$downloads"/*.deb; do dpkg -x "$package" "$prefix/root"; done

cat >"$prefix/pvbatch" <<'WRAPPER'
#!/bin/bash
# The server chooses its display and names it when it accepts connections; xvfb-run guesses both. Without -noreset it
# starts anew, deaf for a moment, whenever pvbatch closes its first connection.
root=$(CDPATH= cd -- "$(dirname "$0")" && pwd)/root
ready=$(mktemp -u)
mkfifo "$ready"
Xvfb -displayfd 3 -screen 0 1600x1200x24 -nolisten tcp -noreset 3>"$ready" 2>/dev/null &
server=$!
trap 'kill $server; rm -f "$ready"' EXIT
read -r display <"$ready"
DISPLAY=:$display LD_LIBRARY_PATH=$root/usr/lib/$(uname -m)-linux-gnu \
  PYTHONPATH=$root/usr/lib/python3/dist-packages "$root/usr/bin/pvbatch" "$@"
WRAPPER
chmod +x "$prefix/pvbatch"
