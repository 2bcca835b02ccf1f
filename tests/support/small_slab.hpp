#pragma once
#include <string>

#include "tests/support/program.hpp"
#include "tests/support/temporary_directory.hpp"

namespace cardiowarp::test {

/// A slab of 7 × 5 × 3 nodes.
inline std::string small_slab(const TemporaryDirectory& folder) {
  const std::string slab = folder / "slab.msh";
  run_program({"mesh", "slab", "--size", "3,2,1", "--edge", "0.5", "--output", slab}, folder.path());
  return slab;
}

}  // namespace cardiowarp::test
