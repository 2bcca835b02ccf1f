// Stands in for metis_parts.cpp in builds without METIS.

#include "kernels/backend/device_error.hpp"
#include "kernels/libraries/metis_parts.hpp"

namespace cardiowarp {

bool has_metis() { return false; }

namespace {

[[noreturn]] void refuse() { throw MissingLibrary("this build has no METIS, which cuts the matrix into parts"); }

}  // namespace

std::vector<Index> metis_parts(const CsrPattern&, Index) { refuse(); }

std::vector<Index> metis_parts(const CsrPattern&, std::span<const Index>) { refuse(); }

}  // namespace cardiowarp
