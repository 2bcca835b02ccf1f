#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/backend/team_vector.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"

namespace cardiowarp {

/// How a run stores its matrix and multiplies by it. This is the only list of such formats: the names that YAML accepts
/// and a run reports, the memory that is planned, the products on every backend and what `cardiowarp bench spmv`
/// measures are all made from it. To add a format, write
///   1. its line here;
///   2. a header with its FormatOf: its name, its layout in host memory and its product, which assembly/formats.hpp
///      includes. kernels/sparse/csr_format.hpp is the shortest example, CompleteFormat there says what has to exist;
///   3. where a GPU multiplies by a kernel of its own, the header of that, which assembly/formats.cuh includes.
/// A format of the list that lacks a piece does not compile, nor does a piece of one that is not in the list.
enum class MatrixFormat {
  automatic,   ///< none yet: CSR on a CPU; on a GPU ELL-WARP, as the solver's path or chosen_options() decides
  csr,         ///< compressed rows, one thread a row
  cusparse,    ///< compressed rows, multiplied by cuSPARSE; GPU only
  ell_warp,    ///< paper 000 sec. 5: K1, K1r, K1rs, K2, K2r, K2rs
  end_of_list  ///< no format
};

/// The window of ELL-WARP where nothing else is asked for: wide enough to leave little padding, narrow enough to keep
/// the locality of the order before.
inline constexpr Index default_window = 1024;
/// The threshold of K2 where nothing else is asked for.
inline constexpr Index default_threshold = 16;

/// A format with its parameters, or the wish for one. A format looks at those parameters alone that it has.
struct MatrixOptions {
  MatrixFormat format = MatrixFormat::automatic;
  EllWarpOptions ell_warp{.threshold = default_threshold, .window = default_window};  ///< of `ell_warp`
  int block_size = 0;                ///< threads of a block; 0: the backend's choice
  bool window_is_asked_for = false;  ///< false: a path of the solver may sort in windows of its own
};

/// The entries that a matrix has, in compressed rows in host memory. Owns nothing.
struct CsrPattern {
  std::span<const Index> row_begin;  ///< [rows + 1]
  std::span<const Index> column;     ///< [entries]

  Index rows() const { return static_cast<Index>(row_begin.size()) - 1; }
  std::int64_t entries() const { return static_cast<std::int64_t>(column.size()); }
};

/// Where the entries of a matrix in compressed rows are stored in another format.
struct StoredEntries {
  TeamVector<std::int64_t> slot_of_entry;  ///< [CSR entries]
  std::int64_t slots = 0;                  ///< stored entries, padding included
};

/// The stored entries of CSR, and of all formats that store entries as it does.
StoredEntries stored_as_csr(const CsrPattern& pattern);

/// The values of a matrix, given in the order of its compressed rows, in their slots: [slots] in host memory, 0 where
/// there is padding. To bring them there by the thread team and upload 8 bytes a slot takes less than to upload the
/// slots of entries beside the values, 16 bytes an entry, and leave the rest to the device.
TeamVector<Real> values_in_slots(const StoredEntries& entries, std::span<const Real> value);

/// The MatrixOptions that a format looks at: for its product, its layout or the order of the nodes.
struct FormatParameters {
  bool block_size = false, threshold = false, window = false;
};

/// The pieces of a format; of each one in the list there is a specialization.
template <MatrixFormat Format>
struct FormatOf;

}  // namespace cardiowarp
