# Sourced by end_to_end scripts. small_run PROGRAM FOLDER: makes a slab mesh of 255 nodes in FOLDER and runs 20 ms of a
# wave along it; the results are in FOLDER/result. PROGRAM may be a command with words before it (env -i program).
# MESH_OPTIONS, an array, are more words for `mesh slab`; FRAME_FORMAT is a value of `output.format`.
small_run() {
  local folder=${*: -1}
  local program=("${@:1:$#-1}")
  mkdir -p "$folder"
  cat >"$folder/slab.yaml" <<YAML
mesh: {file: slab.msh}
diffusivity: {longitudinal: 0.2 mm^2/ms, transverse: 0.05 mm^2/ms}
fibers: {source: constant, direction: [1, 0, 0]}
stimuli:
  - {where: {box: {min: [0, 0, 0], max: [1, 2, 1]}}, duration: 2 ms, amplitude: 50 mV/ms}
time: {end: 20 ms, step: 0.2 ms}
output: {directory: result, interval: 5 ms${FRAME_FORMAT:+, format: $FRAME_FORMAT}}
YAML
  "${program[@]}" mesh slab --size 8,2,1 --edge 0.5mm ${MESH_OPTIONS[@]+"${MESH_OPTIONS[@]}"} --output "$folder/slab.msh"
  "${program[@]}" run "$folder/slab.yaml"
}
