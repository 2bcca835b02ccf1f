#!/bin/bash
# Measures on this machine's GPU what docs/benchmarks describes, into FOLDER.
#   docs/benchmarks/measure.sh [--seconds N] [--quick] PROGRAM SURFACE FOLDER [SET...]
# SURFACE is that of a heart (.vtp, .stl), from which hearts are made in FOLDER/meshes where they are not there yet.
# SET is kernels (spmv.csv, steps.csv, step.csv, assembly.csv, solver.csv), beat, frames, compare, petsc, rule or
# polynomial (a file of that name each), parts (parts_spmv.csv, parts_solver.csv), or paper (spmv_fetching.csv, spmv_sorting.csv,
# spmv_choices.csv, spmv_single.csv, assembly_sums.csv, steps_small.csv, compare_small.csv, row_lengths.csv), assembly
# (assembly_strategies.csv), operators (operators.csv), ssor (ssor.csv), renumbering (renumbering_spmv.csv,
# renumbering_solver.csv, renumbering_assembly.csv), blocks (blocks_spmv.csv, blocks_assembly.csv), elements (elements.csv),
# degrees (degrees.csv), quadratic (quadratic_strategies.csv), linear_solves (linear_solves.csv) or block_formats
# (spmv_blocks.csv), or counts (colors.csv, single_error.csv, locality.csv),
# which needs no GPU; without one, kernels.
# All files of a set are of one build.
# A set is made in pieces, in FOLDER/pieces: one that fails costs no other, and the same call again makes those that are
# missing. With --seconds no piece is begun after so many, and the one at work is ended. Another build begins anew, and so
# does a call with --quick after one without: it makes the sets assembly, operators, ssor, renumbering, blocks and elements,
# with the same files, in fewer pieces and with fewer repeats, and no mesh that they do not need.
set -euo pipefail
usage() { sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 2; }
complain() { echo "measure.sh: $*" >&2; }

seconds=86400 quick=0
while [[ ${1-} == --* ]]; do
  if [[ $1 == --seconds && ${2-} =~ ^[1-9][0-9]*$ ]]; then
    seconds=$2
    shift 2
  elif [[ $1 == --quick ]]; then
    quick=1
    shift
  else
    usage
  fi
done
(($# >= 3)) && [[ $1 != -* ]] || usage
all=(kernels beat frames compare petsc rule parts polynomial paper assembly operators ssor renumbering blocks elements
  degrees quadratic linear_solves block_formats counts)
sets=("${@:4}")
((${#sets[@]})) || sets=(kernels)
((quick)) && all=(assembly operators ssor renumbering blocks elements)
for set in "${sets[@]}"; do
  [[ " ${all[*]} " == *" $set "* ]] && continue
  ((quick)) && complain "--quick is for these sets alone:"
  complain "expected one of ${all[*]}, got '$set'"
  exit 2
done

here=$(cd "$(dirname "$0")" && pwd)
program=$(realpath "$1") surface=$(realpath "$2")
heart_yaml=$here/../../configs/heart_isotropic.yaml
build=$("$program" info --csv-head | grep -v '^# date:')
((quick)) && build+=$'\n'"# quick"
[[ $build =~ commit:\ [0-9a-f]{12}$'\n' ]] || complain "$(head -1 <<<"$build"): what it measures is not to be stored"
mkdir -p "$3/meshes" "$3/pieces"
cd "$3"
if [[ -f pieces/build && $(<pieces/build) != "$build" ]]; then
  rm -r pieces
  mkdir pieces
fi
echo "$build" >pieces/build

missing=()
piece() {  # NAME COMMAND...: makes pieces/NAME.csv where it is not there yet; @ in the command stands for the file
  local name=$1 left=$((seconds - SECONDS)) began=$SECONDS
  shift
  [[ -f pieces/$name.csv ]] && return
  if ((left > 0)) && timeout --kill-after=10 "$left" "${@/#@/pieces/$name.unfinished}" >"pieces/$name.log" 2>&1; then
    mv "pieces/$name.unfinished" "pieces/$name.csv"
    echo "$name: $((SECONDS - began)) s"
  elif ((left > 0)); then
    complain "$name failed after $((SECONDS - began)) s: $(tail -n 1 "pieces/$name.log")"
    missing+=("$name")
  else
    complain "$name: no time is left"
    missing+=("$name")
  fi
}
whole() {  # FILE COMMAND... -- PIECE...: FILE by a command from all its pieces, @ in its words, where all are there
  local file=$1 command=() files=() name
  shift
  while [[ $1 != -- ]]; do command+=("$1") && shift; done
  shift
  for name; do
    [[ -f pieces/$name.csv ]] || { complain "$file is not made: $name is missing" && return; }
    files+=("pieces/$name.csv")
  done
  local words=()
  for name in "${command[@]}"; do
    if [[ $name == @ ]]; then words+=("${files[@]}"); else words+=("$name"); fi
  done
  "${words[@]}"
}
merged() { whole "$1" "$here/measured.py" merge "$1" @ -- "${@:2}"; }
bench() { piece "$1" "$program" bench "${@:2}" --csv @; }

heart() {  # NAME COMMAND...: makes meshes/NAME.msh
  [[ -f meshes/$1.msh ]] || "$program" mesh "${@:2}" --output "meshes/$1.msh" --log-level error >/dev/null ||
    complain "$1.msh could not be made"
}
{ heart human34k fill "$surface" --edge 2.8mm && heart human222k refine meshes/human34k.msh &&
  heart human1586k refine meshes/human222k.msh; } &
if ((!quick)); then
  heart biventricle3k biventricle --edge 5.5mm &
  heart biventricle5k biventricle --edge 4.5mm &
  heart human53k fill "$surface" --edge 1.7mm &
  { heart human126k fill "$surface" --edge 1.18mm && heart human1m refine meshes/human126k.msh; } &
fi
wait
echo "meshes: $SECONDS s"
small=(meshes/biventricle3k.msh meshes/human34k.msh meshes/human53k.msh meshes/human126k.msh)
large=(meshes/human222k.msh meshes/human1m.msh meshes/human1586k.msh)
three=(human34k human222k human1586k)
lower_end='{box: {min: [-1000, -1000, -1000], max: [1000, 1000, -35]}}'

compare() {  # MESH OPTION...: the column of configurations names the mesh
  piece "compare_$1" "$program" compare "$heart_yaml" "${@:2}" --csv @ --set 'probes=[]' \
    --set "mesh.file=$PWD/meshes/$1.msh" --set time.step=0.1ms --set output.interval=1ms \
    --set time.adaptive.enabled=false --set time.scheme=backward_euler --set quadrature=centroid \
    --set "stimuli.0.where=$lower_end"
  [[ ! -f pieces/compare_$1.csv ]] || sed -i "s/^heart\.yaml,/$1,/" "pieces/compare_$1.csv"
}

for set in "${sets[@]}"; do
  case $set in
    kernels)
      products=(--repeats 10 --block-size 128,256,512)
      bench spmv_small spmv "${small[@]}" "${products[@]}"
      piece steps_human34k "$here/steps.py" "$program" @ --backends gpu meshes/human34k.msh
      piece steps_human222k "$here/steps.py" "$program" @ --backends gpu --repeats 1 meshes/human222k.msh
      bench spmv_large spmv "${large[@]}" "${products[@]}"
      bench spmv_stand_ins spmv --stand-in all "${products[@]}"
      for table in step assembly solver; do bench "$table" "$table" "${small[@]}" "${large[@]}"; done
      piece steps_human1586k "$here/steps.py" "$program" @ --backends gpu --repeats 1 --ways auto,plain,spmv_k1 \
        meshes/human1586k.msh
      whole spmv.csv "$here/fastest.py" @ spmv.csv -- spmv_small spmv_large spmv_stand_ins
      merged steps.csv "${three[@]/#/steps_}"
      for table in step assembly solver; do merged "$table.csv" "$table"; done
      ;;
    beat)
      for mesh in "${three[@]}"; do piece "beat_$mesh" "$here/beat.py" "$program" @ "meshes/$mesh.msh"; done
      for mesh in human34k human222k; do
        piece "beat_rest_$mesh" "$here/beat.py" "$program" @ --quadrature centroid,vertices_and_centroid "meshes/$mesh.msh"
      done
      merged beat.csv "${three[@]/#/beat_}" beat_rest_human34k beat_rest_human222k
      ;;
    frames)
      for mesh in human34k human222k; do
        piece "frames_$mesh" "$here/frames.py" "$program" @ --threads 1,15 "meshes/$mesh.msh"
      done
      piece frames_human1586k "$here/frames.py" "$program" @ --format ensight --threads 1,15 meshes/human1586k.msh
      merged frames.csv "${three[@]/#/frames_}"
      ;;
    compare)
      compare human34k --steps 20 --repeats 5
      compare human222k --steps 20 --repeats 5
      compare human1586k --steps 5 --repeats 1 --warm-up 1
      merged compare.csv "${three[@]/#/compare_}"
      ;;
    petsc)
      for mesh in biventricle3k biventricle5k human34k human53k; do
        piece "petsc_$mesh" "$here/petsc.py" "$program" @ "meshes/$mesh.msh"
      done
      piece petsc_human222k "$here/petsc.py" "$program" @ --repeats 1 --steps 5 meshes/human222k.msh
      merged petsc.csv petsc_biventricle3k petsc_biventricle5k petsc_human34k petsc_human53k petsc_human222k
      ;;
    rule)
      bench rule spmv --stand-in all:71,all:72,all:73,all:74,all:75 --products 50 --repeats 5 \
        --format csr,k1rs,k2rs --threshold 2,3,4,6,8,12,16,24,32,48,64,96
      whole rule.csv "$here/rule.py" @ rule.csv -- rule
      ;;
    polynomial)
      for mesh in "${three[@]}"; do
        bench "polynomial_$mesh" solver "meshes/$mesh.msh" --step 0.1,1 --repeats 10 \
          --preconditioner jacobi,defect_correction,neumann,least_squares,chebyshev --inside double,single
      done
      merged polynomial.csv "${three[@]/#/polynomial_}"
      ;;
    linear_solves)
      piece linear_solves "$here/linear_solves.py" "$program" @ meshes/{human34k,human222k,human1586k}.msh
      merged linear_solves.csv linear_solves
      ;;
    block_formats)
      of_blocks=(bell sbell sbell_32 csr k1 k1rs k2rs k1rs_parts cusparse_csr_1 cusparse_csr_2 cusparse_sliced_ell cusparse_bsr)
      for mesh in "${three[@]}"; do
        for unknowns in 2 3; do
          bench "blocks_${mesh}_$unknowns" spmv "meshes/$mesh.msh" --unknowns "$unknowns" --products 50 --repeats 5 \
            --format "$(IFS=, && echo "${of_blocks[*]}")"
        done
      done
      whole spmv_blocks.csv "$here/fastest.py" @ spmv_blocks.csv -- \
        blocks_{human34k,human222k,human1586k}_{2,3}
      ;;
    paper)  # what of docs/papers/README.md, paper 000, the other sets lack; of every choice a piece takes up to ten minutes
      hearts=("${small[@]}" meshes/biventricle5k.msh "${large[@]}")
      formats=(k1 k1r k1rs k2 k2r k2rs)
      formats_in_single=(csr "${formats[@]}" k1rs_parts)
      formats_in_single+=("${formats_in_single[@]/%/_single}")
      formats+=("${formats[@]/%/_nc}" "${formats[@]/%/_cg}")
      some=(--repeats 10 --block-size 128,256,512 --products 50)
      bench fetching_hearts spmv "${hearts[@]}" "${some[@]}" --format "$(IFS=, && echo "${formats[*]}")"
      bench fetching_stand_ins spmv --stand-in all "${some[@]}" --format "$(IFS=, && echo "${formats[*]}")"
      for order in mesh hilbert; do
        for window in 0 1024; do
          bench "sorting_${order}_$window" spmv "${hearts[@]}" "${some[@]}" --format sell,k1,k2 --order "$order" \
            --window "$window"
        done
      done
      piece steps_small "$here/steps.py" "$program" @ --backends gpu --ways auto,plain,spmv_k1 \
        meshes/biventricle3k.msh meshes/biventricle5k.msh meshes/human53k.msh
      few=(biventricle3k biventricle5k human53k)
      for mesh in "${few[@]}"; do compare "$mesh" --steps 20 --repeats 3; done
      bench single spmv "${hearts[@]}" "${some[@]}" --format "$(IFS=, && echo "${formats_in_single[*]}")"
      piece row_lengths "$program" bench spmv "${hearts[@]}" --stand-in all --row-lengths @
      bench assembly_sums assembly meshes/human34k.msh meshes/human222k.msh meshes/human1586k.msh --strategy all
      every=(--every-choice --repeats 3)  # last, as these take longest
      bench choices_short_rows spmv --stand-in economics,epidemiology,qcd "${every[@]}" --format k2
      bench choices_hearts spmv meshes/biventricle{3k,5k}.msh meshes/human34k.msh "${every[@]}" --format segmented_scan,k1,k2
      bench choices_irregular spmv --stand-in circuit,economics,epidemiology,webbase "${every[@]}" --format segmented_scan,k1
      bench choices_small spmv --stand-in fem_accelerator,fem_cantilever,fem_harbor,protein,qcd "${every[@]}" \
        --format segmented_scan,k1
      bench choices_large spmv --stand-in fem_ship,fem_spheres,wind_tunnel "${every[@]}" --format segmented_scan,k1
      # K2 where rows are long: all thresholds by 1 and 50 products, but for webbase; by 1200, which takes longest, once each,
      # and of matrices with many thresholds only some
      long_rows=(circuit fem_accelerator fem_cantilever fem_harbor fem_ship fem_spheres protein wind_tunnel webbase)
      for matrix in "${long_rows[@]}"; do
        of_few=() of_many=()
        if [[ $matrix == webbase ]]; then
          of_few=(--threshold "$(seq -s, 16),$(seq -s, 20 4 64),96,128,192,256,384,512,658,672,682,1024,2048,4096,4700")
          of_many=(--threshold "$(seq -s, 2 8),12,16,24,32,64,256,672")
        elif [[ $matrix == circuit || $matrix == protein || $matrix == wind_tunnel ]]; then
          of_many=(--threshold "$(seq -s, 4 4 64),$(seq -s, 72 8 180)")
        fi
        bench "choices_few_$matrix" spmv --stand-in "$matrix" "${every[@]}" --format k2 --products 1,50 "${of_few[@]}"
        bench "choices_many_$matrix" spmv --stand-in "$matrix" --every-choice --repeats 1 --format k2 --products 1200 \
          "${of_many[@]}"
      done
      whole spmv_fetching.csv "$here/fastest.py" @ spmv_fetching.csv -- fetching_hearts fetching_stand_ins
      whole spmv_sorting.csv "$here/fastest.py" @ spmv_sorting.csv -- sorting_{mesh,hilbert}_{0,1024}
      whole spmv_choices.csv "$here/fastest.py" @ spmv_choices.csv -- choices_{hearts,irregular,small,large,short_rows} \
        "${long_rows[@]/#/choices_few_}" "${long_rows[@]/#/choices_many_}"
      whole spmv_single.csv "$here/fastest.py" @ spmv_single.csv -- single
      merged compare_small.csv "${few[@]/#/compare_}"
      for table in assembly_sums steps_small row_lengths; do merged "$table.csv" "$table"; done
      ;;
    parts)
      cut=(meshes/human34k.msh meshes/human222k.msh meshes/human1586k.msh)
      for order in hilbert metis; do
        bench "parts_spmv_$order" spmv "${cut[@]}" --order "$order" --parts 1,2,3,4,6,8,12 --products 50 \
          --format k1rs_parts,k1rs,k2rs,cusparse_csr_1,cusparse_sliced_ell
        bench "parts_solver_$order" solver "${cut[@]}" --order "$order"
      done
      for table in parts_spmv parts_solver; do merged "$table.csv" "${table}_hilbert" "${table}_metis"; done
      ;;
    assembly)  # every strategy, in pieces that are short: with many colors or launches there are few repeats
      lists=(fast sums slow colors metis)
      fast=diagonal,entry_gather,slice_gather,shared_nz,shared_nz_general,global_nz_general,atomics,atomics_general
      fast+=,global_nz_prefetched_general,global_nz_nodal_general,global_nz_packed_general
      metis=shared_nz_general_metis,global_nz_prefetched_general_metis sums=spmv_k1,spmv_k2,spmv_k1_joint,spmv_k2_joint
      slow=local_row,local_nz,local_row_general,local_nz_general,lazy_ell,lazy_ell_general
      colors=elem_color,two_level_color,elem_color_general,two_level_color_general
      colors+=,elem_color_split_2_general,elem_color_split_4_general
      names=()
      for mesh in "${three[@]}"; do
        if ((quick)) && [[ $mesh == human1586k ]]; then  # half a minute of METIS for one line, and 5 s for each coloring
          lists=(fast sums slow colors) sums=spmv_k1,spmv_k1_joint
          colors=elem_color,elem_color_general,two_level_color_general
        fi
        for list in "${lists[@]}"; do
          repeats=$((quick ? 10 : 20))
          [[ $list == slow || $list == colors ]] && repeats=$((quick ? 3 : 5))
          bench "assembly_${list}_$mesh" assembly "meshes/$mesh.msh" --repeats "$repeats" --strategy "${!list}"
          names+=("assembly_${list}_$mesh")
        done
      done
      for mesh in "${three[@]}"; do  # paper 003 sec. 6.1 and 7.1: the same places in compressed rows and in ELLPACK
        for format in csr ell; do
          places=atomics,atomics_general
          [[ $mesh == human1586k ]] || places+=,elem_color,elem_color_general
          bench "assembly_${format}_$mesh" assembly "meshes/$mesh.msh" --format "$format" --repeats $((quick ? 3 : 5)) \
            --strategy "$places"
          names+=("assembly_${format}_$mesh")
        done
      done
      merged assembly_strategies.csv "${names[@]}"
      ;;
    operators)  # what a matrix and an iteration cost with each operator, beside the path that `auto` takes
      ways=auto,operator_assembled,operator_local,operator_local_full,operator_matrix_free,operator_split
      ways+=,operator_assembled_single,operator_local_single,operator_matrix_free_single,operator_split_single
      for mesh in "${three[@]}"; do
        piece "operators_$mesh" "$here/steps.py" "$program" @ --backends gpu --repeats 1 --ways "$ways" "meshes/$mesh.msh"
      done
      names=("${three[@]/#/operators_}")
      if ((!quick)); then  # twelve million nodes, whose set-up takes longest
        heart human12m refine meshes/human1586k.msh
        piece operators_human12m "$here/steps.py" "$program" @ --backends gpu --repeats 1 \
          --ways auto,operator_assembled,operator_matrix_free,operator_split meshes/human12m.msh
        names+=(operators_human12m)
      fi
      merged operators.csv "${names[@]}"
      ;;
    elements)  # paper 004 Figure 12: from slabs of a hundred nodes to hearts of eight million
      fast=slice_gather,entry_gather,shared_nz,shared_nz_general,global_nz_general,atomics
      heart slab100 slab --size 4,3,3 --edge 1mm
      heart slab500 slab --size 7,7,7 --edge 1mm
      names=(elements_small elements_middle)
      bench elements_small assembly meshes/slab100.msh meshes/slab500.msh --repeats $((quick ? 10 : 20)) --strategy "$fast"
      bench elements_middle assembly --nodes 1300,3000,10000,30000,100000 --repeats $((quick ? 10 : 20)) --strategy "$fast"
      for nodes in 300000 1000000 3000000 8000000; do
        ((quick && nodes > 1000000)) && continue
        bench "elements_$nodes" assembly --nodes "$nodes" --repeats 10 --strategy "$fast"
        names+=("elements_$nodes")
      done
      merged elements.csv "${names[@]}"
      ;;
    ssor)
      for mesh in "${three[@]}"; do
        bench "ssor_$mesh" solver "meshes/$mesh.msh" --step 0.1,1 --repeats $((quick ? 4 : 10)) \
          --preconditioner jacobi,ssor,ssor_eisenstat
      done
      merged ssor.csv "${three[@]/#/ssor_}"
      ;;
    renumbering)  # paper 003 sec. 10.4: orders of the nodes by sortings of the rows
      spmv=() solver=() assembly=() meshes=("${three[@]}") repeats=10
      unsorted=csr,csr_vector,sell sorted=k1,k1rs,k2rs
      ((quick)) && meshes=(human34k human222k) repeats=4 unsorted=csr_vector,sell sorted=k1rs
      for mesh in "${meshes[@]}"; do
        for order in mesh rcm hilbert metis_nodes; do
          for window in 1024 0; do  # rows that stay unsorted have no window
            formats=$sorted
            ((window)) && formats=$unsorted,$sorted
            bench "renumbering_spmv_${mesh}_${order}_$window" spmv "meshes/$mesh.msh" --order "$order" --window "$window" \
              --products 50 --repeats "$repeats" --block-size 128,256 --format "$formats"
            spmv+=("renumbering_spmv_${mesh}_${order}_$window")
          done
          bench "renumbering_solver_${mesh}_$order" solver "meshes/$mesh.msh" --order "$order" --repeats "$repeats"
          bench "renumbering_assembly_${mesh}_$order" assembly "meshes/$mesh.msh" --order "$order" --repeats "$repeats" \
            --strategy slice_gather,entry_gather,atomics,global_nz_general
          solver+=("renumbering_solver_${mesh}_$order")
          assembly+=("renumbering_assembly_${mesh}_$order")
        done
      done
      whole renumbering_spmv.csv "$here/fastest.py" @ renumbering_spmv.csv -- "${spmv[@]}"
      merged renumbering_solver.csv "${solver[@]}"
      merged renumbering_assembly.csv "${assembly[@]}"
      ;;
    blocks)  # paper 003 sec. 10.3: what of block sizes can be set
      cut=("${three[@]}") repeats=5
      ((quick)) && cut=(human34k human222k) repeats=3  # where cutting the largest into 20 kinds of parts takes minutes
      for mesh in "${three[@]}"; do
        bench "blocks_spmv_$mesh" spmv "meshes/$mesh.msh" --products 50 --repeats "$repeats" \
          --block-size 32,64,128,256,512,1024 --format csr,csr_vector,k1,k1rs,k2rs
      done
      for mesh in "${cut[@]}"; do
        bench "blocks_shared_$mesh" assembly "meshes/$mesh.msh" --repeats "$repeats" --strategy shared_nz \
          --part-nodes 128,256,512 --part-threads 256,512,1024
        bench "blocks_general_$mesh" assembly "meshes/$mesh.msh" --repeats "$repeats" --strategy shared_nz_general \
          --part-nodes 64,128,192 --part-threads 128,256,512
      done
      for mesh in "${three[@]}"; do
        bench "blocks_loops_$mesh" assembly "meshes/$mesh.msh" --repeats "$repeats" --block-size 32,64,128,256,512 \
          --strategy slice_gather,entry_gather,global_nz_general,atomics,atomics_general,local_row
      done
      merged blocks_spmv.csv "${three[@]/#/blocks_spmv_}"
      merged blocks_assembly.csv "${cut[@]/#/blocks_shared_}" "${cut[@]/#/blocks_general_}" "${three[@]/#/blocks_loops_}"
      ;;
    degrees)  # paper 003 Figs. 5 to 19, paper 004 sec. 6.3: elements of degree 1, 2 and 3 with equal numbers of nodes
      for nodes in 200000 1500000; do
        bench "degrees_$nodes" degrees --nodes "$nodes" --repeats 20
      done
      merged degrees.csv degrees_200000 degrees_1500000
      ;;
    quadratic)  # papers 003 and 004: the strategies of a run with quadratic tetrahedra
      names=()
      for edge in 5.5 2.5 1.3; do
        heart "quadratic$edge" biventricle --edge "${edge}mm" --order 2
        bench "quadratic_$edge" assembly "meshes/quadratic$edge.msh" --repeats 10 --strategy all
        names+=("quadratic_$edge")
      done
      merged quadratic_strategies.csv "${names[@]}"
      ;;
    counts)  # what does not depend on the machine
      sizes=(biventricle3k human34k human222k)
      for mesh in "${sizes[@]}"; do
        piece "colors_$mesh" "$program" bench assembly "meshes/$mesh.msh" --colors @
        piece "single_error_$mesh" "$program" bench assembly "meshes/$mesh.msh" --single-error @
        for order in mesh rcm hilbert metis_nodes; do
          piece "locality_${mesh}_$order" "$program" bench spmv "meshes/$mesh.msh" --order "$order" --locality @
        done
      done
      for table in colors single_error; do merged "$table.csv" "${sizes[@]/#/${table}_}"; done
      orders=()
      for mesh in "${sizes[@]}"; do orders+=("locality_${mesh}_"{mesh,rcm,hilbert,metis_nodes}); done
      merged locality.csv "${orders[@]}"
      ;;
  esac
done
((${#missing[@]} == 0)) || { complain "missing: ${missing[*]}; the same call again makes them"; exit 1; }
