#!/bin/bash
# usage: report_in_browser_test.sh PROGRAM SCRATCH_FOLDER
# A headless Chromium opens the page of a run: it shows every picture and every curve within the width of the window,
# asks no network for anything, and has nothing to complain of. Exits 77 (skipped) where there is no Chromium or it does
# not start.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/scratch.sh"
program=$1 scratch=$2
skip() { echo "skipped: $*"; exit 77; }
fail() { echo "$*"; exit 1; }
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "no chromium"
command -v python3 >/dev/null || skip "no python3"
empty_scratch "$scratch"
export HOME=$scratch XDG_RUNTIME_DIR=$scratch

# browse PAGE OPTION...: what the browser does with a page, with its messages in `said` and its requests in `net.json`.
browse() {
  timeout 60 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run --disable-sync \
    --disable-background-networking --disable-component-update --disable-default-apps --disable-extensions \
    --user-data-dir="$scratch/profile" --window-size=1100,900 --enable-logging=stderr --log-net-log="$scratch/net.json" \
    "${@:2}" "file://$1" 2>"$scratch/said"
}
echo '<p id="there"></p><script>document.getElementById("there").textContent = 6 * 7</script>' >"$scratch/first.html"
browse "$scratch/first.html" --dump-dom >"$scratch/dom" || skip "$browser does not start"
grep -q '>42<' "$scratch/dom" || skip "$browser runs no scripts"

"$program" mesh slab --size 9,3,1 --edge 1mm --output "$scratch/bar.msh" >/dev/null
cat >"$scratch/bar.yaml" <<'YAML'
mesh: {file: bar.msh}
stimuli:
  - {name: "a<b>", where: {box: {min: [0, 0, 0], max: [1, 9, 9]}}, duration: 2 ms, amplitude: 50 mV/ms}
  - {name: late, where: {box: {min: [0, 0, 0], max: [1, 9, 9]}}, start: 20 ms, duration: 2 ms, amplitude: 50 mV/ms}
time: {end: 450 ms, step: 0.1 ms, adaptive: {enabled: true}}
output:
  directory: out
  interval: 25 ms
  report: true
  ecg: {electrodes: [{name: V1, point: [4, 20, 0]}, {name: V2, point: [20, 1, 0]}]}
probes: [{name: middle, point: [4, 1, 0.5]}]
YAML
"$program" run "$scratch/bar.yaml" --backend cpu 2>"$scratch/log"
page=$scratch/out/report.html

# The page with a script behind it that counts what is shown.
cat "$page" - >"$scratch/counted.html" <<'SCRIPT'
<script>
addEventListener("load", () => {
  const shown = (box) => box.width > 20 && box.height > 20 && box.left >= 0 && box.right <= innerWidth;
  const all = (kind, good) => `${[...document.querySelectorAll(kind)].filter(good).length}/${document.querySelectorAll(kind).length}`;
  const pictures = all("img", (one) => one.complete && one.naturalWidth > 50 && shown(one.getBoundingClientRect()));
  const curves = all("svg", (one) => shown(one.getBoundingClientRect()));
  const wide = document.documentElement.scrollWidth <= innerWidth;
  const last = document.createElement("pre");
  last.textContent = `pictures ${pictures}, curves ${curves}, fits ${wide}, warnings ${document.querySelectorAll("ul.bad li").length}`;
  document.body.append(last);
});
</script>
SCRIPT
browse "$scratch/counted.html" --dump-dom >"$scratch/dom"
grep -q 'pictures 14/14, curves 4/4, fits true, warnings 1<' "$scratch/dom" ||
  fail "expected 14 pictures and 4 figures in the window and a warning, got: $(grep -o 'pictures [0-9].*' "$scratch/dom")"
! grep -E 'CONSOLE|Uncaught|Refused' "$scratch/said" || fail "the browser complains of the page"

browse "$page" --screenshot="$scratch/page.png" >/dev/null
! grep -E 'CONSOLE|Uncaught|Refused' "$scratch/said" || fail "the browser complains of the page"
python3 - "$scratch" <<'PYTHON' || exit 1
import pathlib, re, struct, sys, zlib
folder = pathlib.Path(sys.argv[1])
# Requests of the page; a browser may ask for updates of its own.
asked = set(re.findall(r'"url":"((?:https?|wss?|ftp):[^"]*)"', (folder / "net.json").read_text()))
asked = {url for url in asked if not re.match(r"https?://[^/]*\.(google|googleapis|gvt1)\.com/", url)}
if asked:
    sys.exit(f"the page asks for {sorted(asked)}")
# The picture of the window has the colors of a map.
png, place, data = (folder / "page.png").read_bytes(), 8, b""
width, height, depth, kind = struct.unpack_from(">IIBB", png, 16)
while place < len(png):
    size, name = struct.unpack_from(">I4s", png, place)
    data += png[place + 8:place + 8 + size] if name == b"IDAT" else b""
    place += 12 + size
if (width, depth, kind in (2, 6)) != (1100, 8, True) or len(set(zlib.decompress(data))) < 100:
    sys.exit(f"the browser shows nothing: {width} x {height} pixels")
PYTHON
