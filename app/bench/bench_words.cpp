#include "app/bench/bench_words.hpp"

#include "fem/mesh.hpp"
#include "meshes/mesh_file.hpp"

namespace cardiowarp {

BenchWords::BenchWords(Command& program)
    : bench_(program.add_command(
          "bench", "Time the program's kernels on a GPU beside NVIDIA's libraries, where they are installed")),
      spmv_(bench_.add_command("spmv",
                               "Matrix times vector in every format, for the matrix of each mesh, file and name")),
      assembly_(bench_.add_command("assembly", "Element loop and sums of the linear system of each mesh")),
      solver_(bench_.add_command("solver", "Conjugate gradients for the matrix of each mesh and file")),
      step_(bench_.add_command("step", "A Newton iteration with ten of conjugate gradients, phase by phase")),
      degrees_(bench_.add_command("degrees", "Assembly and products of elements of degree 1, 2 and 3")) {
  for (Command* command : {&spmv_, &solver_})
    command->add_option("--matrix", values_.sources.matrix_files, "Matrix Market files, plain or gzip",
                        {.type = "FILE"});
  add_solver_options();
  step_.add_option("--quadrature", values_.quadrature, "Of mass and reaction: vertices or centroid",
                   {.shows_default = true});
  add_sources();
  add_degree_options();
  add_assembly_options();
  add_spmv_options();
}

void BenchWords::add_sources() {
  spmv_.add_option("--stand-in", values_.sources.stand_ins,
                   "Generated matrices of the classes circuit, qcd, webbase, .. or all; NAME:SEED varies one",
                   {.type = "NAME,NAME,..", .has_commas = true});
  spmv_.add_option("--unknowns", values_.sources.unknowns,
                   "Unknowns a node: of a mesh 1 is the monodomain model, 2 the bidomain model, 3 linear elasticity",
                   {.type = "N", .shows_default = true});
  for (Command* command : {&spmv_, &assembly_, &solver_})
    command->add_option(
        "--order", values_.sources.order,
        "Nodes of a mesh along a Hilbert curve, as in the mesh, along the curve and in parts those of METIS, by "
        "reverse Cuthill-McKee, or all in parts of METIS",
        {.type = "hilbert|mesh|metis|rcm|metis_nodes", .shows_default = true});
  for (Command* command : {&spmv_, &assembly_, &solver_, &step_}) {
    command->add_option("MESH", values_.sources.meshes.files, one_of_suffixes(mesh_suffixes));
    command->add_option("--nodes", values_.sources.meshes.nodes,
                        "Idealized hearts of about so many nodes, made for this",
                        {.type = "N,N,..", .has_commas = true});
    command->add_option("--csv", values_.csv, "Write all measurements, a line each", {.type = "FILE"});
    command->add_option("--json", values_.json, "Write all measurements, an object each", {.type = "FILE"});
    command->add_option("--repeats", values_.repeats, "Measurements of each kind", {.shows_default = true});
  }
}

void BenchWords::add_spmv_options() {
  const auto add_list = [&](const char* name, auto& values, const char* text, bool shows_default) {
    spmv_.add_option(name, values, text, {.type = "N,N,..", .has_commas = true, .shows_default = shows_default});
  };
  SpmvBenchOptions& options = values_.spmv;
  spmv_.add_option("--format", options.formats, "Only these formats", {.type = "NAME,NAME,..", .has_commas = true});
  add_list("--block-size", options.block_sizes, "Threads a block", true);
  add_list("--threshold", options.thresholds, "Entries a thread of K2 may have; default: several by the row lengths",
           false);
  add_list("--products", options.products, "Products measured together; 1: from cold caches", true);
  spmv_.add_option("--window", options.window, "Rows sorted among themselves, 0: all", {.shows_default = true});
  spmv_.add_flag("--every-choice", options.every_choice,
                 "Blocks of 32, 64, .. 512 threads, every threshold from the shortest to the longest row, and each "
                 "choice by all numbers of products");
  spmv_.add_option("--row-lengths", values_.row_lengths,
                   "Write how many rows of each matrix have each length, and measure nothing", {.type = "FILE"});
  spmv_.add_option("--locality", values_.locality,
                   "Write how far apart each order and sorting of the rows reads x, and measure nothing",
                   {.type = "FILE", .excludes = "--row-lengths"});
  add_list("--parts", options.parts, "k1rs_parts also in windows of which there are so many for each multiprocessor",
           false);
}

void BenchWords::add_assembly_options() {
  AssemblyBenchOptions& options = values_.assembly;
  assembly_.add_option("--strategy", options.strategies, "Only these strategies, or all; default: the gathers",
                       {.type = "NAME,NAME,..|all", .has_commas = true});
  const auto add_shape = [&](const char* name, std::vector<int>& values, const char* text) {
    assembly_.add_option(name, values, text, {.type = "N,N,..", .has_commas = true});
  };
  add_shape("--part-nodes", options.part_nodes, "shared_nz and shared_nz_general also in parts of so many nodes");
  add_shape("--part-kib", options.part_kib, "shared_nz also in parts that take so many KiB of shared memory");
  add_shape("--part-threads", options.part_threads, "Threads of these parts");
  add_shape("--block-size", options.block_sizes, "All other loops also in blocks of at most so many threads");
  assembly_.add_option("--format", options.format, "Of the matrix: a format of a run, or ell",
                       {.type = "NAME", .shows_default = true});
  assembly_.add_option("--colors", values_.colors,
                       "Write how many colors the elements of each mesh need, and measure nothing", {.type = "FILE"});
  assembly_.add_option("--single-error", values_.single_error,
                       "Write the errors of matrices in single precision, and measure nothing",
                       {.type = "FILE", .excludes = "--colors"});
}

void BenchWords::add_solver_options() {
  const auto add_list = [&](const char* name, auto& values, const char* text, const char* type) {
    solver_.add_option(name, values, text, {.type = type, .has_commas = true, .shows_default = true});
  };
  add_list("--preconditioner", values_.preconditioners,
           "jacobi, defect_correction, ssor, ssor_eisenstat, neumann, least_squares, chebyshev", "NAME,NAME,..");
  add_list("--degree", values_.polynomial_degrees, "Degrees of the polynomials", "N,N,..");
  add_list("--inside", values_.precisions_inside, "Precisions in which polynomials are applied: double, single",
           "NAME,NAME");
  add_list("--step", values_.steps_ms, "Time steps of the matrices of meshes, in ms", "MS,MS,..");
  solver_.add_option("--quadrature", values_.quadrature,
                     "Mass of the matrices of meshes: vertices (lumped) or centroid", {.shows_default = true});
  solver_.add_option("--backend", values_.backend, "gpu or cpu", {.shows_default = true});
}

void BenchWords::add_degree_options() {
  degrees_.add_option("MESH", values_.sources.meshes.files,
                      "Linear meshes whose elements get the nodes of each degree: " + one_of_suffixes(mesh_suffixes));
  degrees_.add_option("--nodes", values_.degrees.nodes,
                      "Boxes with about so many nodes of each degree, cut into cubes of six tetrahedra",
                      {.type = "N,N,..", .has_commas = true});
  degrees_.add_option("--degree", values_.degrees.degrees, "Degrees of the elements",
                      {.type = "N,N,..", .has_commas = true, .shows_default = true});
  degrees_.add_option("--csv", values_.csv, "Write all measurements, a line each", {.type = "FILE"});
  degrees_.add_option("--json", values_.json, "Write all measurements, an object each", {.type = "FILE"});
  degrees_.add_option("--repeats", values_.repeats, "Measurements of each kind", {.shows_default = true});
  degrees_.add_option("--backend", values_.backend, "gpu or cpu", {.shows_default = true});
}

BenchValues BenchWords::values() const {
  using enum BenchValues::Part;
  BenchValues values = values_;
  values.part = assembly_.is_chosen()  ? assembly
                : solver_.is_chosen()  ? solver
                : step_.is_chosen()    ? step
                : degrees_.is_chosen() ? degrees
                                       : spmv;
  values.has_block_sizes = spmv_.is_given("--block-size");
  values.spmv.repeats = values.assembly.repeats = values.degrees.repeats = values.repeats;
  return values;
}

}  // namespace cardiowarp
