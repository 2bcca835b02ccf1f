#pragma once
#include <span>
#include <vector>

#include "kernels/backend/types.hpp"
#include "kernels/sparse/matrix_format.hpp"

namespace cardiowarp {

// METIS, a library that cuts graphs (Karypis & Kumar 1998), on one thread of the host. It cuts the matrix of the rival
// `ehyb` (kernels/rivals/ehyb.hpp) into parts with few entries between them, and that of a linear solver in parts
// (solver/parts/parts_order.hpp) where METIS' order is asked for. The program can be built without it; metis_absent.cpp
// then takes the place of metis_parts.cpp.

/// Whether this build has METIS.
bool has_metis();

/// Cuts the rows of a square matrix into so many parts of about equal length: [rows] the part of each row. Rows i and j
/// are neighbors in the graph where the matrix has an entry (i, j) or (j, i), as EHYB has it (Chen 2022 sec. 3.1,
/// Algorithm 1 line 2), and METIS makes the number of neighbors in different parts small (k-way, at most 3 % longer
/// parts where it can, its seed fixed). Rows without neighbors at all, or not more of them than parts, are cut into
/// runs. A part may be empty. Throws std::invalid_argument for fewer than one part, MissingLibrary where this build has
/// no METIS, DeviceError where the graph is too large for it or it fails (kernels/backend/device_error.hpp).
std::vector<Index> metis_parts(const CsrPattern& matrix, Index parts);

/// Cuts the rows of a square matrix into parts of about these lengths, which are at least 1 and add up to the rows,
/// else std::invalid_argument is thrown: [rows] the part of each row. METIS makes the number of pairs of a row and
/// another part that it is a neighbor of small, which are the rows in halos (k-way, volume of communication, parts
/// longer by at most 0.5 %, or by 3 rows of the first where that is more, where it can, its seed fixed). Otherwise as
/// above; runs have these lengths exactly.
std::vector<Index> metis_parts(const CsrPattern& matrix, std::span<const Index> length);

}  // namespace cardiowarp
