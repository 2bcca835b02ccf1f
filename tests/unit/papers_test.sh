#!/bin/bash
# usage: papers_test.sh SOURCE_FOLDER SCRATCH_FOLDER
# The tables of docs/papers and of the README are what docs/benchmarks/papers.py makes of the stored files, and it makes of small files
# what a person can check: ratios, means and shares of the fastest correct rows, `not measured` where there is no row.
set -euo pipefail
command -v python3 >/dev/null || { echo "no python3: papers.py cannot be tried"; exit 77; }
source=$1 scratch=$2
export PYTHONDONTWRITEBYTECODE=1
"$source/docs/benchmarks/papers.py" --check

source "$(dirname "${BASH_SOURCE[0]}")/../support/scratch.sh"
empty_scratch "$scratch"
mkdir -p "$scratch/pages" "$scratch/gpu" "$scratch/second" "$scratch/cpu" "$scratch/counts"
cd "$scratch"
fail() { echo "$*"; exit 1; }
papers() { "$source/docs/benchmarks/papers.py" --pages pages --readme readme.md --gpu gpu --second-gpu second --cpu cpu --counts counts "$@"; }
expect_rows() {  # whole lines of the pages, on standard input
  local row
  while read -r row; do
    grep -qhxF -- "$row" pages/*.md || { grep -h '^|' pages/*.md; fail "expected the row '$row'"; }
  done
}
store() {  # FILE; the table on standard input
  { printf '# %s: x\n' commit gpu driver cuda processor date; cat; } >"$1"
}
renewed() { papers; papers --check; }

cp "$source"/docs/papers/*.md pages
cp "$source/README.md" readme.md
papers --check 2>message && fail "a page of other files was taken"
grep -q 'not what is stored: .*shares' message || fail "no message names the tables: $(cat message)"
renewed
expect_rows <<'ROWS'
| merge path | 1.41 (1.15 to 2.29) | not measured | not measured | not measured | not measured | not measured |
| hearts | not measured | not measured | not measured | not measured | not measured |
| `y` not brought back to the given order: `k1r_mapped` → `k1r` | 1 to 11.5 of K1r | not measured | not measured |
| Circuit | 59.89 | not measured | 21.16 | not measured |
| `circuit`, Circuit | 6 | not measured | 64 | not measured | 38, 128 | not measured |
ROWS

columns=matrix,rows,nonzeros,format,block_size,threshold,lanes,products,padding,correct,median_us
columns+=,percent_of_copy,setup_s,reorder_gpu_us,alpha_gpu,alpha_cpu,values_per_thread,reorder_cpu_us
store gpu/spmv.csv <<CSV
$columns
,,,copy,,,,,,,100,100,,,,
heart,40,400,sell,64,,,50,1.5,yes,8,10,,,,
heart,40,400,k1,64,,,50,1.2,yes,4,20,,1,5,50
heart,40,400,k1,128,,,50,1.2,yes,2,30,,1,7,70
heart,40,400,k1,256,,,50,1.2,no,1,40,,1,9,90
heart,40,400,csr,64,,,50,1,yes,6,10,,,,
heart,40,400,csr_vector,64,,8,50,1,yes,3,10,,,,
heart,40,400,cusparse_csr_1,,,,50,1,yes,12,10,,,,
heart,40,400,merge,64,,,50,1,yes,9,10,,,,
heart,40,400,k1rs_parts,,,,50,1.2,yes,3,10,0.0003,,,
circuit,30,300,merge,64,,,50,1,yes,1,10,,,,
circuit,30,300,k1,64,,,50,1,yes,5,10,,1,,,,30
circuit,30,300,segmented_scan,64,,,50,1,yes,5,10,,1,,,10
circuit,30,300,segmented_scan,64,,,50,1,yes,4,10,,1,,,16
circuit,30,300,k2,64,4,,50,1,yes,7,10,,,,
circuit,30,300,k1,64,,,1,1,yes,50,10,,,,
heart,40,400,k1rs_parts,,,,1200,1.2,yes,3,10,,,,
circuit,30,300,cusparse_csr_1,,,,1,1,yes,5,10,,,,
circuit,30,300,ehyb,64,,,50,1,yes,4,10,,,,
CSV
store gpu/spmv_ehyb.csv <<CSV
matrix,rows,nonzeros,format,products,correct,median_us,partition_s,layout_s
heart,40,400,ehyb,50,yes,4,0.001,0.0002
heart,40,400,ehyb_fixed,50,yes,2,0.001,0.0004
heart,40,400,merge,50,yes,3,,
heart2,50,400,ehyb,50,yes,2,0.001,0.0002
heart2,50,400,merge,50,yes,5,,
circuit,30,300,ehyb,50,yes,4,0.001,0.0002
circuit,30,300,merge,50,yes,40,,
qcd,50,400,ehyb,50,yes,2,0.001,0.0002
qcd,50,400,cusparse_csr_2,50,yes,1,,
CSV
store second/spmv_fetching.csv <<CSV
matrix,rows,nonzeros,format,products,correct,median_us
heart,40,400,k1,50,yes,4
heart,40,400,k1_cg,50,yes,6
heart2,50,400,k1,50,yes,2
heart2,50,400,k1_cg,50,yes,4
qcd,50,400,k1,50,yes,2
qcd,50,400,k1_nc,50,yes,2
qcd,50,400,k1_cg,50,no,1
CSV
store gpu/spmv_single.csv <<CSV
matrix,rows,nonzeros,format,products,correct,median_us
heart,40,400,k1,50,yes,4
heart,40,400,k1_single,50,yes,3
heart,40,400,k1_single,50,no,1
heart,40,400,csr_single,50,yes,1
heart,40,400,k1rs_parts,50,yes,8
heart,40,400,k1rs_parts_single,50,yes,5
heart,40,400,k1rs_parts_single,1,yes,4
CSV
store gpu/spmv_blocks.csv <<CSV
matrix,unknowns,rows,nonzeros,format,slice_rows,products,padding,correct,median_us
heart,1,40,400,sbell,32,50,1,yes,1
heart,3,40,400,sbell,32,50,1.1,yes,4
heart,3,40,400,sbell,64,50,1.1,yes,5
heart,3,40,400,sbell,96,50,1.1,no,1
heart,3,40,400,bell,,50,1.8,yes,9
heart,3,40,400,k1,,50,1.1,yes,6
heart,3,40,400,cusparse_csr_1,,50,1,yes,10
CSV
store cpu/preconditioners.csv <<CSV
nodes,step_ms,preconditioner,iterations,least_s
100,1.0,jacobi,90,2.0
100,1.0,chebyshev of degree 2,40,3.0
100,0.1,jacobi,50,9.0
20,1.0,jacobi,10,9.0
CSV
store cpu/row_lengths.csv <<CSV
matrix,unknowns,rows,row_length,rows_of_this_length
heart,1,1000,8,15
heart,1,1000,9,200
heart,1,1000,13,400
heart,1,1000,15,300
heart,1,1000,22,50
heart,1,1000,40,35
heart,2,2000,18,2000
circuit,1,30,10,30
CSV
store gpu/compare.csv <<CSV
nodes,steps,side,device,phase,median_s,agrees
1000,20,cpu_1,1 thread,setup,9,yes
1000,20,cpu_1,1 thread,element,3,yes
1000,20,cpu_1,1 thread,assembly,3,yes
1000,20,cpu_1,1 thread,linear_solve,3,yes
1000,20,cpu_1,1 thread,update,1,yes
1000,20,gpu,NVIDIA H200,element,0.1,yes
1000,20,gpu,NVIDIA H200,assembly,0.1,yes
1000,20,gpu,NVIDIA H200,linear_solve,0.2,yes
1000,20,gpu,NVIDIA H200,update,0.1,yes
CSV
store second/petsc.csv <<CSV
nodes,side,agrees,of_petsc,steps,bus_mib
77,petsc_block_jacobi_1,yes,1,20,
CSV
store gpu/petsc.csv <<CSV
nodes,side,agrees,of_petsc,steps,bus_mib
1000,petsc_block_jacobi_1,yes,1,20,
1000,petsc_jacobi_1,yes,1.25,20,
1000,petsc_jacobi_16,yes,9,20,
1000,gpu_k1,yes,700,20,
1000,gpu_k2,no,900,20,
1000,gpu_solver_only,yes,2.125,20,50
50,petsc_block_jacobi_1,yes,1,20,
50,gpu,yes,31,20,
CSV
store gpu/assembly.csv <<CSV
nodes,elements,strategy,correct,elements_us,assembly_us,percent_of_copy
1000,6000,slice_gather,yes,1,2,50
1000,6000,slice_gather,no,1,1,70
CSV
store gpu/steps.csv <<CSV
mesh,nodes,elements,backend,way,spmv,assembly,order,element_us,assembly_us,update_us,newton_iterations,cg_iterations,cg_iteration_us
heart,1000,6000,gpu,spmv_k1,k1,spmv_k1,direct,6,2,,,,
heart,1000,6000,gpu,spmv_k2,k1,spmv_k2,direct,4,3,,,,
heart,1000,6000,gpu,spmv_k2r,k1,spmv_k2r,csr,1,1,,,,
heart,1000,6000,cpu,auto,csr,spmv_k2rs,direct,1,1,,,,
heart,1000,6000,gpu,plain,k1,slice_gather,direct,5,10,5,2,10,10
CSV
store second/spmv_choices.csv <<CSV
matrix,rows,nonzeros,format,products,correct,median_us,block_size,threshold,values_per_thread
qcd,40,400,k1,1,yes,4,96,,
qcd,40,400,k1,50,yes,4,64,,
qcd,40,400,k1,50,yes,3,96,,
qcd,40,400,k1,1200,yes,3,160,,
qcd,40,400,segmented_scan,1200,yes,3,160,,4
CSV
store second/spmv_sorting.csv <<CSV
matrix,rows,nonzeros,node_order,format,window,products,padding,correct,median_us
heart,40,400,mesh,sell,,50,1.5,yes,8
heart,40,400,mesh,sell,,50,1.5,yes,7
heart,40,400,mesh,k1,0,50,1.1,yes,9
heart,40,400,mesh,k1,1024,50,1.5,yes,6
heart,40,400,mesh,k2,1024,50,1.2,yes,5
heart,40,400,mesh,k2,0,50,1.2,no,1
heart,40,400,hilbert,sell,,50,1,yes,8
heart,40,400,hilbert,k1,0,50,1,yes,4
CSV
store gpu/assembly_sums.csv <<CSV
nodes,elements,strategy,correct,assembly_us,median_us
1000,6000,slice_gather,yes,1,
1000,6000,spmv_k1,yes,5,6
1000,6000,spmv_k1r,yes,2,3
1000,6000,spmv_k2,yes,4,5
1000,6000,spmv_k1_joint,yes,3,4
1000,6000,spmv_k2_joint,no,1,2
1000,6000,spmv_csr_vector_4,yes,7,
1000,6000,spmv_csr_vector_8,yes,6,
1000,6000,spmv_merge,yes,9,
1000,6000,shared_nz_general,yes,3,3
1000,6000,atomics_general,yes,6,6
1000,6000,elem_color_general,yes,12,12
1000,6000,elem_color_split_2_general,yes,18,18
1000,6000,two_level_color_general,yes,30,30
1000,6000,local_nz_general,no,1,1
CSV
store counts/colors.csv <<CSV
mesh,nodes,elements,most_at_a_node,element_order,colors,smallest_color,colors_below_1024_elements,block_colors,mean_colors_in_a_block,most_colors_in_a_block,mean_nodes_of_a_block
heart,1000,6000,20,most_neighbors_first,21,3,7,12,28.26,30,121.4
heart,1000,6000,20,mesh,21,3,7,,28.26,30,121.4
CSV
store counts/single_error.csv <<CSV
mesh,nodes,elements,single_precision,mean_relative_error,mean_error,largest_relative_error,solution_error
heart,1000,6000,stored,9,2.5e-08,9,3e-08
heart,1000,6000,all,9,1.25e-07,9,3.14e-05
CSV
store counts/locality.csv <<CSV
matrix,unknowns,node_order,rows,nonzeros,sorting,padding,sectors_a_warp_k1,sectors_a_warp_k1rs,mean_distance,largest_distance
heart,1,rcm,1000,9000,unsorted,1.5,50,60,1234.4,9
heart,1,rcm,1000,9000,all rows,1.0004,50,70.6,1234.4,9
CSV
sed -i 's/^1000,6000,slice_gather,yes,1,2,50$/&,4.5/; s/percent_of_copy$/&,median_us/; s/^1000,6000,slice_gather,no,1,1,70$/&,1/' gpu/assembly.csv
cp gpu/assembly_sums.csv second
store gpu/parts_spmv.csv <<CSV
matrix,rows,format,window,order,parts,halo_rows_a_row,products,correct,median_us
heart,1000,k1rs_parts,1024,hilbert,1,0.5,50,yes,8
heart,1000,k1rs_parts,512,hilbert,2,0.625,50,yes,6
heart,1000,k1rs_parts,256,hilbert,4,0.75,50,no,1
heart,1000,k1rs_parts,256,hilbert,4,0.75,1,yes,2
heart,1000,k1rs_parts,1024,metis,1,0.25,50,yes,7
CSV
store gpu/rule.csv <<CSV
matrix,best_format,best_us,rule_format,rule_block_size,rule_threshold,rule_us,ratio,held_out
heart,k1rs,4,k1rs,64,,4,1.0,yes
qcd:71,k1rs,4,k1rs,64,,5,1.25,yes
qcd:72,k1rs,4,k1rs,64,,4.2,1.05,yes
circuit,k1rs,4,k1rs,64,,8,2.0,no
CSV
renewed
expect_rows <<'ROWS'
| `shared_nz_general` | nonzero, shared memory | 3 | 1.0 |
| `spmv_…`, the fastest | the same, by a product | 3 | 1.0 |
| `local_nz_general` | nonzero, computed again | not measured | – |
| `elem_color_general` | element, by colors | 12 | 4.0 |
| 1,000 nodes | 5.00 | 2.00 | 1.50 | not measured |
| 6,000 | 0.75 | not measured | not measured | not measured | 0.5 |
| 1,000 | most neighbors first | 20 | 21 | 7 | 12 | 28.3 |
| 1,000 | mesh | 20 | 21 | 7 | over 1024 | 28.3 |
| here, 1,000 nodes | 1.2e-7 | not measured | 2.5e-8 | 3.1e-5 | not measured | 3.0e-8 |
| `heart` | `rcm` | 1,234 | 60 | not measured | 71 | 1.500 | not measured | 1.000 |
| `heart` | `hilbert` | not measured | not measured | not measured | not measured | not measured | not measured | not measured |
| 1,000 | 60 | 40 | 30 | 40 | 10 | 20 |
| times as fast as one process of PETSc with block Jacobi | paper, GTX 480 | H200, 50 nodes | H200, 1,000 nodes | H100, 77 nodes |
| PETSc, 1 process | – | 1 | 1.25 | 1 |
| PETSc, 16 processes | – | not measured | 9 | not measured |
| solver on the GPU, assembly on one core | 2 to 2.5 | not measured | 2.12 | not measured |
| GPU, by `k1` | 5 to 12 | not measured | 700 | not measured |
| GPU, by `k2` | 5 to 12 | not measured | not measured | not measured |
| GPU, by what `auto` takes | – | 31 | not measured | not measured |
| H200, 1,000 nodes | one core | 30 | 15 | 20 |
| H200, 1,000 nodes | 16 cores | not measured | not measured | not measured |
| 1 hearts | not measured | K1, K2 1, cuSPARSE 0, others 0 | K1, K2 1, cuSPARSE 0, others 0 |
| 1 stand-ins | K1, K2 0, cuSPARSE 1, others 0 | K1, K2 0, cuSPARSE 0, others 1 | not measured |
| Circuit | 59.89 | not measured | 21.16 | not measured |
| hearts | 29.60 to 33.73 | 20.0 | 3.00 to 22.67 | 75.0 |
| `circuit`, Circuit | 3 | never | 15 | never | 3 | not measured | 12 | not measured | 30.0 | not measured |
| `heart` | not measured | 1.50 | 1.20 |
| 40 | 2 (`k1`) | 12 (`cusparse_csr_1`) | 6.00 | 30 | 8 | 2.00 | 4.00 |
| merge path | 1.41 (1.15 to 2.29) | 2.00 (1.50 to 2.50) | not measured | 0.25 (0.25 to 0.25) | 3.00 (3.00 to 3.00) | not measured |
| `heart` | 1,000 | 8 | 40 | 1.5 | 20.0 | 0.0 | 0.0 | 70.0 | 0.0 | 0.0 | 8.5 |
| cuSPARSE ALG2 | 1.59 (1.19 to 3.01) | not measured | not measured | 0.50 (0.50 to 0.50) | not measured | not measured |
| `k1` | not measured | 1.50 to 2.00 | 1.00 | not measured |
| `heart` | 500 | 200 | 100 |
| H200, `heart`, 3 unknowns | 4 / 5 / not measured | 1.50 | 2.50 | not measured | 1.80 | 1.10 |
| `heart` | not measured | 3 (75 %) | not measured | not measured | 5 (62 %) |
| `chebyshev`, here, 100 nodes, 90 with Jacobi | 40 (1.50) | not measured | not measured |
| 1,000 | `slice_gather` | 1 | 2 | 50 |
| 1,000 | `spmv_k2` | 4 | 3 | – |
| 1,000 | 75 | 25 | 20 | 14 |
| `qcd`, QCD | 10 | not measured | 224 | 96 | 39, 224 | not measured |
| `heart` | mesh | all rows | 26.7 | 7 | 9 | not measured |
| `heart` | mesh | 1024 | 0.0 | 7 | 6 | 5 |
| `heart` | hilbert | all rows | 0.0 | 8 | 4 | not measured |
| `heart` | hilbert | 1024 | not measured | 8 | not measured | not measured |
| 1,000 | 4 (`spmv_k2`) | 3 (`spmv_k1_joint`) | 6 (`spmv_csr_vector_8`) | 9 (`spmv_merge`) | not measured | 1 (`slice_gather`) |
| 1,000 | 8 | 6 (2 of 512) | 0.62 | 7 | 7 (1 of 1,024) | 0.25 |
| not seen by who made the rule | 3 | 2 (67 %) | 10.0 | 25 |
| seen | 1 | 0 (0 %) | 100.0 | 100 |
ROWS
grep -qhF '| 2,000 | 18 | 18 |' pages/*.md && fail "a matrix of two unknowns a node is among the row lengths"
grep -qh ', 1 unknowns' pages/*.md && fail "a matrix of one unknown a node is among the blocks"

# What only the sets of papers 003 and 004 have
store gpu/operators.csv <<CSV
nodes,elements,backend,way,assembly,element_us,assembly_us,cg_iteration_us
1000,8000,gpu,auto,slice_gather,4,12,5
1000,8000,gpu,operator_split,none,4,0.5,20
1000,8000,gpu,operator_local_single,none,5,1,19
1000,8000,cpu,operator_local,none,1,1,1
CSV
store gpu/ssor.csv <<CSV
mesh,step_ms,rows,method,preconditioner,correct,iterations,median_us
heart,0.1,1000,in_graph,jacobi,yes,13,100
heart,0.1,1000,in_graph,ssor,yes,6,200
heart,0.1,1000,in_graph,ssor_eisenstat,no,6,1
heart,0.1,1000,on_chip,jacobi,yes,13,40
heart,0.1,1000,library_graph,jacobi,yes,13,20
CSV
store gpu/renumbering_spmv.csv <<CSV
matrix,rows,node_order,format,window,products,correct,median_us
heart,1000,rcm,sell,,50,yes,8
heart,1000,rcm,k1rs,1024,50,yes,5
heart,1000,rcm,k1rs,1024,50,yes,4
heart,1000,rcm,k1rs,0,50,no,1
heart,1000,rcm,csr_vector,,50,yes,3
CSV
store gpu/renumbering_solver.csv <<CSV
mesh,order,method,node_order,correct,iteration_us
heart,,in_graph,rcm,yes,20
heart,rcm,persistent,rcm,yes,9
heart,,library_graph,rcm,yes,1
CSV
store gpu/renumbering_assembly.csv <<CSV
mesh,node_order,strategy,correct,median_us
heart,rcm,slice_gather,yes,16
heart,mesh,atomics,yes,41
CSV
store gpu/blocks_spmv.csv <<CSV
matrix,rows,format,block_size,products,correct,median_us
heart,1000,k1,64,50,yes,4
heart,1000,k1,256,50,yes,5
heart,1000,k1,256,50,yes,9
heart,1000,k1,1024,50,yes,10
CSV
store gpu/blocks_assembly.csv <<CSV
nodes,strategy,block_size,correct,median_us
1000,atomics,,yes,10
1000,atomics,64,yes,8
1000,atomics,32,yes,9
1000,local_row,,yes,10
1000,local_row,32,yes,12
1000,shared_nz,,yes,10
1000,shared_nz_128x512,,yes,7.5
1000,shared_nz_general,,yes,20
1000,shared_nz_general_64x256,,yes,15
CSV
store gpu/assembly_strategies.csv <<CSV
nodes,elements,format,strategy,block_size,correct,elements_us,dummy_us,elements_over_dummy,assembly_us,padding,median_us
1000,6000,k1rs,slice_gather,,yes,4,3.2,1.25,2,,6
1000,6000,k1rs,slice_gather,64,yes,4,3.2,1.25,2,,1
1000,6000,k1rs,global_nz_general,,yes,6,5,1.2,8,1.75,14
1000,6000,k1rs,global_nz_packed_general,,yes,6,,,9,1.125,15
1000,6000,csr,atomics,,yes,0,,,5,,5
1000,6000,ell,atomics_general,,yes,0,,,7,,7
CSV
store gpu/elements.csv <<CSV
nodes,elements,strategy,correct,median_us
80,200,slice_gather,yes,4
80,200,atomics,yes,2
CSV
store gpu/quadratic_strategies.csv <<CSV
mesh,nodes,elements,format,node_order,strategy,block_size,correct,median_us
quadratic,700,400,k1rs,hilbert,entry_gather,,yes,2
quadratic,700,400,k1rs,hilbert,atomics,,yes,3
quadratic,700,400,k1rs,hilbert,shared_nz,,no,1
CSV
store second/beat.csv <<CSV
mesh,nodes,scheme,quadrature,tolerance,steps,cg_iterations,seconds,activation_percent,apd90_ms
heart,1000,sdirk2,vertices,0.01,9,70,2.5,0.2,0.5
heart,1000,sdirk2,centroid,0.01,9,70,3.5,0.2,0.5
CSV
store gpu/beat.csv <<CSV
nodes,scheme,quadrature,tolerance,steps,cg_iterations,seconds,activation_percent,apd90_ms
1000,sdirk2,vertices,0.01,9,7000,1.25,0.2,0.504
1000,sdirk2,vertices,0.05,9,7000,1.25,0.3,0.5
1000,sdirk2,centroid,0.001,9,7000,1.25,0.4,0.5
CSV
store cpu/device_memory.csv <<CSV
mesh,nodes,quadrature,path,mib,bytes_a_node
heart,1000,vertices,on_chip,1,500
CSV
store gpu/step.csv <<CSV
nodes,solver,part,correct,median_us,ratio_to_roof
1000,on_chip,elements,yes,3,
1000,on_chip,cg,no,3,2
1000,on_chip,whole,yes,30,2.25
CSV
store second/set_up.csv <<CSV
mesh,backend,round,phase,seconds,processor_seconds
CSV
for round in 1 2 3; do
  for phase in 'read mesh,0.5' 'check mesh,0.25' 'build problem,1' 'judge problem,1' 'order nodes,2' 'plan steps,3' \
    'plan and fill the device,9' 'prepare files,0.125'; do
    echo "heart,cpu,$round,$phase,9" >>second/set_up.csv
  done
  echo "heart,cpu,$round,whole,$round," >>second/set_up.csv
done
store gpu/threads.csv <<CSV
processors,edge_mm,nodes,steps,busy,variant,threads,seconds,least_s,most_s,to_best
16,3,1000,24,8,one,1,0.25,0.2,0.3,2
16,3,1000,24,8,chosen,16,0.125,0.1,0.2,1
CSV
store second/run_options.csv <<CSV
mesh,nodes,device,way,rounds,steps,median_computing_s,least_computing_s,median_whole_s,least_whole_s
heart,1000,H100,look_1,5,9,2,1,9,9
heart,1000,H100,look_8,5,9,1.5,1,8,8
heart,1000,H100,estimate_two_gpus,5,9,1.5,1,10,8
CSV
store gpu/frames_ensight.csv <<CSV
mesh,nodes,seconds,without_frames_s
heart,1000,3,2.5
CSV
store second/linear_solves.csv <<CSV
mesh,nodes,device,way,path,precision,steps,newton_iterations,cg_iterations,linear_solve_s,computing_s
heart,1000,H100,double,on_chip,double,9,18,90,2,3
heart,1000,H100,chebyshev_2,plain,double,9,18,90,4,5
CSV
store second/counts.csv <<CSV
quadrature,mesh,step_ms,rows,nonzeros,method,preconditioner,degree,inside,correct,iterations
vertices,a,0.1,500,9,plain,jacobi,,,yes,20
vertices,b,0.1,700,9,plain,jacobi,,,yes,25
vertices,c,0.1,1000,9,plain,jacobi,,,yes,30
vertices,c,0.1,1000,9,defect_correction,jacobi,,single,yes,99
vertices,c,0.1,1000,9,plain,chebyshev,2,double,yes,12
vertices,c,0.1,1000,9,plain,chebyshev,2,single,yes,13
CSV
store second/polynomial.csv <<CSV
mesh,step_ms,rows,method,preconditioner,degree,inside,correct,median_us
heart,0.1,1000,on_chip,jacobi,,,yes,10
heart,0.1,1000,persistent,jacobi,,,yes,20
heart,0.1,1000,persistent,chebyshev,2,double,yes,18
heart,0.1,1000,persistent,least_squares,3,double,yes,17
heart,0.1,1000,persistent,neumann,4,double,no,1
CSV
store gpu/solver.csv <<CSV
mesh,step_ms,rows,method,correct,iteration_us,percent_of_copy
heart,0.1,1000,in_graph,yes,20,5
heart,0.1,1000,persistent,yes,8,12.5
heart,0.1,1000,on_chip,no,1,99
heart,0.1,1000,on_chip_single,yes,3,9
heart,0.1,1000,library_host,yes,40,1
heart,0.1,1000,library_graph,yes,24,1
CSV
store gpu/degrees.csv <<CSV
mesh,degree,nodes,elements,nonzeros,operation,method,correct,median_us,bytes,evaluations
box_9,1,90,500,900,assembly,local,yes,1,10,
box_99,1,1000,6000,15500,parts,shared_nz,,,,1.5
box_99,1,1000,6000,15500,assembly,local,yes,4,100,
box_99,1,1000,6000,15500,product,csr,yes,3,50,
box_99,1,1000,6000,15500,product,csr_vector_4,yes,2,50,
box_99,1,1000,6000,15500,product,local,yes,8,100,
CSV
store cpu/petsc.csv <<CSV
nodes,program,preconditioner,insertion,numbering,blas,element_ms,assembly_ms,cg_iteration_us,step_ms,cg_iterations
500,cardiowarp,jacobi,,row_lengths,,9,9,9,9,9
1000,cardiowarp,jacobi,,row_lengths,,1,2,3,4,5
1000,petsc,jacobi,coo,row_lengths,reference,5,6,7,8,5
CSV
sed '/^1000,8000/!{/^[0-9]/d}' gpu/operators.csv >second/operators.csv
renewed
expect_rows <<'ROWS'
| `entry_gather` | nonzero, global memory | 2 | 1.0 |
| `atomics` | element, atomic additions | 3 | 1.5 |
| 8,000 | 2 | not measured | not measured | not measured | not measured |
| 1,000 | what `auto` takes | 16 | 5 | **21** | **66** |
| 1,000 | `split` | 4.5 | 20 | 24.5 | 204 |
| 1,000 | 0.1 | 13 / 6 / not measured | 100 | 200 | not measured | 40 (`on_chip`) |
| H200, `heart` | `rcm` | 8 | 4 | not measured | 3 | 9 (`persistent`) | 16 | not measured |
| `heart` | `k1` | 64: 4 | 1024: 10 | 2.50 |
| 1,000 | `atomics` | 10 | 64 threads | 8 | 20.0 |
| 1,000 | `shared_nz` | 10 | 128 nodes, 512 threads | 7.5 | 25.0 |
| 1,000 | `shared_nz_general` | 20 | 64 nodes, 256 threads | 15 | 25.0 |
| 1,000 | 4 | 3.2 | 1.25 | 6 | 5 | 1.20 |
| 1,000 | `global_nz_packed_general` | fetched by each element | 6 | packed lists | 9 | 1.12 | 15 |
| 1,000 | `csr` | 5 | not measured | not measured | not measured |
| 1,000 | `ell` | not measured | 7 | not measured | not measured |
| `slice_gather` | row, global memory | 6 | 1.0 |
| 200 | 20 | not measured | not measured | 10 | not measured |
| 1,000 | `sdirk2`, 0.01 | 1.2 | 2.5 | – | 9 | 7,000 | 0.2 | 0.50 |
| 1,000 | 2.5 | 3.5 | not measured | 500 | not measured | not measured |
| 1,000 | `on_chip` | 3 | not measured | not measured | not measured | 30 | 2.2 |
| 1,000 | CPU | 0.5 | 0.25 | 2 | 5 | 4 | 0.12 | 2 |
| 1,000 | 8 | 0.25 | not measured | not measured | 0.125 |
| 1,000 | 3 | 2.5 | 2 | 1.5 | 8 | not measured | 10 |
| 1,000 | 18 | 2 | not measured | not measured | not measured | 4 | not measured |
| iterations | 500 nodes, 0.1 ms | 1,000 nodes, 0.1 ms |
| Jacobi | 20 | 30 |
| Chebyshev, degrees 1, 2, 4, 8 | –, –, –, – | –, 12, –, – |
| 1,000 | 0.1 | 10 (`on_chip`) | `persistent` | 20 | 17 (least squares 3) | not measured |
| 1,000 | 8 (`persistent`) | 24 | 3.00 | not measured | 3 | 12 |
| 1 | 1,000 | 6,000 | 15.5 | 4 | not measured | not measured | not measured | 1.50 | SharedNZ |
| 1 | 2 (`csr_vector_4`) | not measured | not measured | 8 (`local`) | 0.25 | 0.50 | 0.92 |
| 1,000 | cardiowarp | 1 | 2 | 3 | 4 |
| 1,000 | PETSc, MatSetValuesCOO, our numbering | 5 | 6 | 7 | 8 |
| 1,000 | the same with OpenBLAS | not measured | not measured | not measured | not measured |
ROWS
grep -qh '`local_row` | 10 ' pages/*.md && fail "a choice that saves nothing is shown"

sed -i '/^<!-- .winners -->$/d' pages/products.md
papers 2>message && fail "a page without a marker was taken"
grep -q "expected a pair of markers 'winners'" message || fail "no message names the marker: $(cat message)"
sed -i '/^<!-- winners -->$/d' pages/products.md
papers 2>message && fail "a table that no page has was taken"
grep -q "no page has the table 'winners'" message || fail "no message names the table: $(cat message)"
echo '<!-- losers -->' >>pages/products.md
papers 2>message && fail "a table that nobody makes was taken"
grep -q "there is no table 'losers'" message || fail "no message names the table: $(cat message)"
