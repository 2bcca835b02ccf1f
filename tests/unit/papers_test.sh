#!/bin/bash
# usage: papers_test.sh SOURCE_FOLDER SCRATCH_FOLDER
# The tables of docs/papers/README.md are what docs/benchmarks/papers.py makes of the stored files, and it makes of small files
# what a person can check: ratios, means and shares of the fastest correct rows, `not measured` where there is no row.
set -euo pipefail
command -v python3 >/dev/null || { echo "no python3: papers.py cannot be tried"; exit 77; }
source=$1 scratch=$2
export PYTHONDONTWRITEBYTECODE=1
"$source/docs/benchmarks/papers.py" --check

source "$(dirname "${BASH_SOURCE[0]}")/../support/scratch.sh"
empty_scratch "$scratch"
mkdir -p "$scratch/gpu" "$scratch/second" "$scratch/cpu" "$scratch/counts"
cd "$scratch"
fail() { echo "$*"; exit 1; }
papers() { "$source/docs/benchmarks/papers.py" --page papers.md --gpu gpu --second-gpu second --cpu cpu --counts counts "$@"; }
expect_row() {  # ROW: a whole line of the page
  grep -qxF -- "$1" papers.md || { cat papers.md; fail "expected the row '$1'"; }
}
store() {  # FILE; the table on standard input
  { printf '# %s: x\n' commit gpu driver cuda processor date; cat; } >"$1"
}
renewed() { papers; papers --check; }

cp "$source/docs/papers/README.md" papers.md
papers --check 2>message && fail "a page of other files was taken"
grep -q 'not what is stored: shares' message || fail "no message names the tables: $(cat message)"
renewed
expect_row '| merge path | 1.41 (1.15 to 2.29) | not measured | not measured | not measured | not measured |'
expect_row "| hearts$(printf ' | not measured%.0s' 1 2 3 4 5 6 7 8 9 10 11 12) |"
expect_row '| H200 | not measured | not measured | not measured | not measured | not measured | not measured |'
expect_row '| hearts | not measured | not measured | not measured | not measured | not measured |'
expect_row "$(printf '| \x60y\x60 not brought back to the given order: \x60k1r_mapped\x60 → \x60k1r\x60 | 1 to 11.5 of K1r | not measured | not measured |')"
expect_row '| Circuit | 59.89 | not measured | 21.16 | not measured |'

columns=matrix,rows,nonzeros,format,block_size,threshold,lanes,products,padding,correct,median_us
columns+=,percent_of_copy,setup_s,reorder_gpu_us,alpha_gpu,alpha_cpu,values_per_thread
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
circuit,30,300,k1,64,,,50,1,yes,5,10,,1,,
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
nodes,side,phase,median_s,agrees
1000,cpu_1,setup,9,yes
1000,cpu_1,element,3,yes
1000,cpu_1,assembly,3,yes
1000,cpu_1,linear_solve,3,yes
1000,cpu_1,update,1,yes
1000,gpu,element,0.1,yes
1000,gpu,assembly,0.1,yes
1000,gpu,linear_solve,0.2,yes
1000,gpu,update,0.1,yes
CSV
store gpu/compare_small.csv <<CSV
nodes,side,phase,median_s,agrees
500,gpu,element,0.1,yes
500,gpu,assembly,0.1,yes
500,gpu,linear_solve,0.2,yes
500,gpu,update,0.4,yes
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
epidemiology,40,400,k1,1,yes,4,96,,
epidemiology,40,400,k1,50,yes,4,64,,
epidemiology,40,400,k1,50,yes,3,96,,
epidemiology,40,400,k1,1200,yes,3,160,,
epidemiology,40,400,segmented_scan,1200,yes,3,160,,4
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
renewed
expect_row "$(printf '| \x60shared_nz_general\x60 | nonzero, shared memory | 3 | 0.50 | 1.0 |')"
expect_row "$(printf '| \x60spmv_…\x60, the fastest | the same, written to where the sums read them | 3 | 0.50 | 1.0 |')"
expect_row "$(printf '| \x60local_nz_general\x60 | nonzero, computed again | not measured | not measured | not measured |')"
expect_row "$(printf '| \x60elem_color_general\x60 | element, by colours | 12 | 2.00 | 4.0 |')"
expect_row '| 1,000 nodes | 5.00 | 2.00 | 1.50 | not measured |'
expect_row '| 6,000 | 0.75 | not measured |'
expect_row '| 1,000 | 6,000 | most neighbors first | 20 | 21 | 3 | 7 | 12 | 28.3 | 121 |'
expect_row '| 1,000 | 6,000 | mesh | 20 | 21 | 3 | 7 | over 1024 | 28.3 | 121 |'
expect_row '| here, 1,000 nodes | 1.2e-7 | not measured | 2.5e-8 | 3.1e-5 | not measured | 3.0e-8 |'
expect_row "$(printf '| \x60heart\x60 | \x60rcm\x60 | 1,234 | 60 | not measured | 71 | 1.500 | not measured | 1.000 |')"
expect_row "$(printf '| \x60heart\x60 | \x60hilbert\x60 | not measured | not measured | not measured | not measured | not measured | not measured | not measured |')"
expect_row '| 1,000 | 60 | 40 | 30 | 40 | 10 | 20 |'
expect_row '| PETSc, 1 process | – | 1 | 1.25 |'
expect_row '| PETSc, 16 processes | – | not measured | 9 |'
expect_row '| solver on the GPU, assembly on one core | 2 to 2.5 | not measured | 2.12 |'
expect_row "$(printf '| GPU, by \x60k1\x60 | 5 to 12 | not measured | 700 |')"
expect_row "$(printf '| GPU, by \x60k2\x60 | 5 to 12 | not measured | not measured |')"
expect_row "$(printf '| GPU, by what \x60auto\x60 takes | – | 31 | not measured |')"
expect_row '| MiB a step over the bus, assembly on one core | – | not measured | 2.5 |'
expect_row '| H200, 1,000 nodes | one core | 30 | 15 | 20 |'
expect_row '| H200, 1,000 nodes | 16 cores | not measured | not measured | not measured |'
expect_row '| 1 hearts | not measured | K1, K2 1, cuSPARSE 0, others 0 | K1, K2 1, cuSPARSE 0, others 0 |'
expect_row '| 1 stand-ins | K1, K2 0, cuSPARSE 1, others 0 | K1, K2 0, cuSPARSE 0, others 1 | not measured |'
expect_row '| Circuit | 59.89 | not measured | 21.16 | not measured |'
expect_row '| hearts | 29.60 to 33.73 | 20.0 | 3.00 to 22.67 | 75.0 |'
expect_row "$(printf '| \x60circuit\x60, Circuit | 3 | never | 15 | never | 3 | not measured | 12 | not measured |')"
expect_row "$(printf '| \x60heart\x60 | not measured | 1.50 | 1.20 |')"
none='not measured'
expect_row "$(printf '| \x60circuit\x60, Circuit | 6 / 6 / 4 | %s | 64 / 64 / 64 | %s | 80, 160 / 38, 128 / 112, 160 | %s |' \
  "$none" "$none" "$none")"
expect_row "$(printf '| \x60heart\x60 | 8 | 2.00 | 4.00 | \x60k1\x60: 30 |')"
expect_row '| merge path | 1.41 (1.15 to 2.29) | 2.00 (1.50 to 2.50) | 0.25 (0.25 to 0.25) | 3.00 (3.00 to 3.00) | not measured |'
expect_row "$(printf '| \x60heart\x60 | 1,000 | 8 | 40 | 1.5 | 20.0 | 0.0 | 0.0 | 0.0 | 70.0 | 0.0 | 0.0 | 8.5 |')"
grep -qF '| 2,000 | 18 | 18 |' papers.md && fail "a matrix of two unknowns a node is among the row lengths"
expect_row '| cuSPARSE ALG2 | 1.59 (1.19 to 3.01) | not measured | 0.50 (0.50 to 0.50) | not measured | not measured |'
expect_row "$(printf '| \x60k1\x60 | %s | 1.50 to 2.00 | 1.00 | %s |' "$none" "$none")"
expect_row "$(printf '| \x60heart\x60 | 500 | 200 | 100 |')"
expect_row "$(printf '| \x60heart\x60, 3 unknowns | 4 / 5 / not measured | 1.50 | 2.50 | not measured | 1.80 | 1.10 |')"
expect_row "$(printf '| \x60heart\x60 | %s | 3 (75 %%) | %s | %s | 5 (62 %%) |' "$none" "$none" "$none")"
expect_row "| 500 | $none | 25 | $none | 25 | $none | 50 |"
grep -q ', 1 unknowns' papers.md && fail "a matrix of one unknown a node is among the blocks"
none='not measured'
expect_row "$(printf '| \x60chebyshev\x60, here, 100 nodes, 90 with Jacobi | 40 (1.50)'; printf " | $none%.0s" 3 4 5 6) |"
expect_row "$(printf '| 1,000 | \x60slice_gather\x60 | 1 | 2 | 2 | 50 |')"
expect_row "$(printf '| 1,000 | \x60entry_gather\x60 | not measured | not measured | not measured | not measured |')"
expect_row "$(printf '| 1,000 | \x60spmv_k2\x60 | 4 | 3 | 0.857 | not measured |')"
expect_row '| 1,000 | 75 | 25 | 20 | 14 |'
k2='4, 128 / 4, 128 / 4, 128 | not measured'
expect_row "$(printf '| \x60epidemiology\x60, Epidemiology | 6 / 4 / 4 | %s / %s / 4 | 128 / 128 / 128 | 96 / 96 / 160 | %s |' \
  "$none" "$none" "$k2")"
expect_row "$(printf '| \x60heart\x60 | mesh | all rows | 26.7 | 80 | 7 | 9 | %s |' "$none")"
expect_row "$(printf '| \x60heart\x60 | mesh | 1024 | 0.0 | 0 | 7 | 6 | 5 |')"
expect_row "$(printf '| \x60heart\x60 | hilbert | all rows | 0.0 | – | 8 | 4 | %s |' "$none")"
expect_row "$(printf '| \x60heart\x60 | hilbert | 1024 | %s | %s | 8 | %s | %s |' "$none" "$none" "$none" "$none")"
expect_row "$(printf '| 1,000 | 4 (\x60spmv_k2\x60) | 3 (\x60spmv_k1_joint\x60) | 6 (\x60spmv_csr_vector_8\x60) | 9 (\x60spmv_merge\x60) | %s | 1 (\x60slice_gather\x60) |' "$none")"

# What only the sets of papers 003 and 004 have
expect_row "$(printf '| hearts'; printf " | $none%.0s" 1 2 3 4 5 6 7) |"
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
renewed
expect_row "$(printf '| \x60entry_gather\x60 | nonzero, global memory | 2 | 5.00 | 1.0 |')"
expect_row "$(printf '| \x60atomics\x60 | element, atomic additions, in another order in every run | 3 | 7.50 | 1.5 |')"
expect_row "$(printf '| 8,000 | 2 | %s | %s |' "$none" "$none")"
expect_row "$(printf '| 1,000 | \x60matrix_free\x60 |'; printf " $none |%.0s" 1 2 3 4 5 6)"
expect_row "$(printf '| 1,000 | what \x60auto\x60 takes | 16 | 5 | **21** | **31** | **66** | **266** |')"
expect_row "$(printf '| 1,000 | \x60split\x60 | 4.5 | 20 | 24.5 | 64.5 | 204 | 1,004 |')"
expect_row "$(printf '| 1,000 | \x60local\x60, single | 6 | 19 | 25 | 63 | 196 | 956 |')"
expect_row "$(printf '| 1,000 | 0.1 | 13 / 6 / %s | 100 | 200 | %s | 40 (\x60on_chip\x60) |' "$none" "$none")"
expect_row "$(printf '| \x60heart\x60 | \x60rcm\x60 | 8 | 4 | %s | 3 | 9 (\x60persistent\x60) | 16 | %s |' "$none" "$none")"
expect_row "$(printf '| \x60heart\x60 | \x60k1\x60 | 64: 4 | 1024: 10 | 2.50 |')"
expect_row "$(printf '| 1,000 | \x60atomics\x60 | 10 | 64 threads | 8 | 20.0 |')"
expect_row "$(printf '| 1,000 | \x60local_row\x60 | 10 | the constant | 10 | 0.0 |')"
expect_row "$(printf '| 1,000 | \x60shared_nz\x60 | 10 | 128 nodes, 512 threads | 7.5 | 25.0 |')"
expect_row "$(printf '| 1,000 | \x60shared_nz_general\x60 | 20 | 64 nodes, 256 threads | 15 | 25.0 |')"
expect_row '| 1,000 | 4 | 3.2 | 1.25 | 6 | 5 | 1.20 |'
expect_row "$(printf '| 1,000 | \x60global_nz_packed_general\x60 | fetched by each element | 6 | packed lists | 9 | 1.12 | 15 |')"
expect_row "$(printf '| 1,000 | \x60csr\x60 | 5 | %s | %s | %s |' "$none" "$none" "$none")"
expect_row "$(printf '| 1,000 | \x60ell\x60 | %s | 7 | %s | %s |' "$none" "$none" "$none")"
expect_row "$(printf '| \x60slice_gather\x60 | row, global memory | 6 | 1.00 | 1.0 |')"
expect_row "$(printf '| 200 | 20 | %s | 10 |' "$none")"

expect_row '| times as fast as one process of PETSc with block Jacobi | paper, GTX 480 | 77 nodes |'

sed -i '/^<!-- .csr -->$/d' papers.md
papers 2>message && fail "a page without a marker was taken"
grep -q "expected a pair of markers 'csr'" message || fail "no message names the marker: $(cat message)"
