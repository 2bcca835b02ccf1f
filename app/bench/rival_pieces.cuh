#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include "app/bench/format_maker.cuh"
#include "app/bench/rivals.hpp"

namespace cardiowarp {

/// The piece of a rival: all but its name. A rival without a piece that is declared here does not compile, one whose
/// piece is defined nowhere does not link.
template <std::size_t place>
FormatCandidate rival_candidate(const SharedMaker& maker) = delete;

inline const std::vector<Index> none_needed{0};

/// The piece of ELL-WARP that fetches x in another way.
FormatCandidate ell_warp_fetching_x_otherwise(const SharedMaker& maker, std::string_view name);
template <std::size_t place>
requires(fetches_x_otherwise(rivals.at(place))) FormatCandidate rival_candidate(const SharedMaker& maker) {
  return ell_warp_fetching_x_otherwise(maker, rivals.at(place));
}

/// The piece of a format of a run in single precision.
FormatCandidate format_in_single(const SharedMaker& maker, std::string_view name);
template <std::size_t place>
requires(is_single_of_a_run(rivals.at(place))) FormatCandidate rival_candidate(const SharedMaker& maker) {
  return format_in_single(maker, rivals.at(place));
}

// row_rivals.cu: entries in the order of the rows
template <>
FormatCandidate rival_candidate<rival("csr_vector")>(const SharedMaker& maker);
template <>
FormatCandidate rival_candidate<rival("coo")>(const SharedMaker& maker);
template <>
FormatCandidate rival_candidate<rival("ell")>(const SharedMaker& maker);
template <>
FormatCandidate rival_candidate<rival("ell_r")>(const SharedMaker& maker);
template <>
FormatCandidate rival_candidate<rival("hyb")>(const SharedMaker& maker);
template <>
FormatCandidate rival_candidate<rival("merge")>(const SharedMaker& maker);
template <>
FormatCandidate rival_candidate<rival("segmented_scan")>(const SharedMaker& maker);

// slice_rivals.cu: slices of rows and of blocks, and parts of them
template <>
FormatCandidate rival_candidate<rival("sell")>(const SharedMaker& maker);
template <>
FormatCandidate rival_candidate<rival("k1_row_major")>(const SharedMaker& maker);
template <>
FormatCandidate rival_candidate<rival("k1r_mapped")>(const SharedMaker& maker);
template <>
FormatCandidate rival_candidate<rival("k1rs_parts")>(const SharedMaker& maker);
template <>
FormatCandidate rival_candidate<rival("k1rs_parts_single")>(const SharedMaker& maker);
template <>
FormatCandidate rival_candidate<rival("bell")>(const SharedMaker& maker);
template <>
FormatCandidate rival_candidate<rival("sbell")>(const SharedMaker& maker);
template <>
FormatCandidate rival_candidate<rival("sbell_32")>(const SharedMaker& maker);
template <>
FormatCandidate rival_candidate<rival("ehyb")>(const SharedMaker& maker);
template <>
FormatCandidate rival_candidate<rival("ehyb_fixed")>(const SharedMaker& maker);

// library_rivals.cu: products of cuSPARSE
template <>
FormatCandidate rival_candidate<rival("cusparse_csr_1")>(const SharedMaker& maker);
template <>
FormatCandidate rival_candidate<rival("cusparse_sliced_ell")>(const SharedMaker& maker);
template <>
FormatCandidate rival_candidate<rival("cusparse_bsr")>(const SharedMaker& maker);

}  // namespace cardiowarp
