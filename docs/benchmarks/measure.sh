#!/bin/bash
# Measures on this machine's GPU what docs/benchmarks describes, into FOLDER, and draws its figures.
#   docs/benchmarks/measure.sh PROGRAM SURFACE FOLDER [PART...]
# SURFACE is that of a heart (.vtp, .stl), from which hearts are made in FOLDER/meshes where they are not there yet.
# PART is assembly, solver, step, beat, frames, compare, spmv, rule or steps; without one all, in this order.
set -euo pipefail
if (($# < 3)); then
  sed -n '2,5s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
all=(assembly solver step beat frames compare spmv rule steps)
parts=("${@:4}")
((${#parts[@]})) || parts=("${all[@]}")
for part in "${parts[@]}"; do
  [[ " ${all[*]} " == *" $part "* ]] && continue
  echo "measure.sh: expected one of ${all[*]}, got '$part'" >&2
  exit 2
done

here=$(cd "$(dirname "$0")" && pwd)
program=$(realpath "$1") surface=$(realpath "$2")
mkdir -p "$3/meshes"
cd "$3"
heart() {  # NAME COMMAND...: makes meshes/NAME.msh
  [[ -f meshes/$1.msh ]] || "$program" mesh "${@:2}" --output "meshes/$1.msh" >/dev/null
}
heart biventricle3k biventricle --edge 5.5mm
heart human34k fill "$surface" --edge 2.8mm
heart human53k fill "$surface" --edge 1.7mm
heart human126k fill "$surface" --edge 1.18mm
heart human222k refine meshes/human34k.msh
heart human1m refine meshes/human126k.msh
heart human1586k refine meshes/human222k.msh
small=(meshes/biventricle3k.msh meshes/human34k.msh meshes/human53k.msh meshes/human126k.msh)
large=(meshes/human222k.msh meshes/human1m.msh meshes/human1586k.msh)
lower_end='{box: {min: [-1000, -1000, -1000], max: [1000, 1000, -35]}}'

for part in "${parts[@]}"; do
  case $part in
    assembly | solver | step) "$program" bench "$part" "${small[@]}" "${large[@]}" --csv "$part.csv" ;;
    beat) "$here/beat.py" "$program" beat.csv meshes/human34k.msh meshes/human222k.msh meshes/human1586k.msh ;;
    frames)
      "$here/frames.py" "$program" frames.csv meshes/human34k.msh meshes/human222k.msh
      "$here/frames.py" "$program" more.csv --end 200 meshes/human1586k.msh
      tail -n +2 more.csv >>frames.csv
      rm more.csv
      ;;
    compare)
      compare() {  # MESH OPTION...
        "$program" compare "$here/../../configs/heart.yaml" "${@:2}" --csv "$1.csv" --set probes=[] \
          --set "mesh.file=$PWD/meshes/$1.msh" --set time.step=0.1ms --set output.interval=1ms \
          --set "stimuli.0.where=$lower_end"
      }
      compare human34k --steps 20 --repeats 5
      compare human222k --steps 20 --repeats 5
      compare human1586k --steps 5 --repeats 1 --warm-up 1
      head -1 human34k.csv >compare.csv
      for mesh in human34k human222k human1586k; do
        tail -n +2 "$mesh.csv" | sed "s/^[^,]*/$mesh/" >>compare.csv
        rm "$mesh.csv"
      done
      ;;
    spmv)
      "$program" bench spmv "${small[@]}" "${large[@]}" --stand-in all --repeats 10 --block-size 128,256,512 --csv all.csv
      "$here/fastest.py" all.csv spmv.csv
      rm all.csv
      ;;
    rule)
      "$program" bench spmv --stand-in all:71,all:72,all:73,all:74,all:75 --products 50 --repeats 5 --csv all.csv \
        --format csr,k1rs,k2rs --threshold 2,3,4,6,8,12,16,24,32,48,64,96
      "$here/rule.py" all.csv rule.csv
      rm all.csv
      ;;
    steps) "$here/steps.py" "$program" steps.csv --backends gpu "${small[@]}" meshes/human222k.msh ;;
  esac
done
if /usr/bin/python3 -c 'import matplotlib' 2>/dev/null; then
  "$here/figures.py" . >/dev/null
else
  echo "measure.sh: no figures: python3-matplotlib is not installed" >&2
fi
