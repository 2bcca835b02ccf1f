#pragma once
#include "app/bench/bench_words.hpp"

namespace cardiowarp {

/// Does what the words of `cardiowarp bench` ask for. It times on the GPU the products of a matrix and a vector (spmv),
/// the assembly of the linear system (assembly), its solution (solver), a Newton iteration that has all of them (step),
/// and assembly and products of elements of other degrees (degrees). It takes meshes or matrices from the command line,
/// prints a table, and writes CSV and JSON on request. Throws InputError for a bad value, mesh or matrix before
/// anything is measured, DeviceError where there is no GPU and, at the end, where a result was wrong.
void run_bench(const BenchValues& values);

}  // namespace cardiowarp
