#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "kernels/backend/team_vector.hpp"

namespace cardiowarp {

// How the arrays of a `.vtu` file are stored where they are not text: as they are or as base64, behind numbers that say
// how many bytes follow, compressed in blocks or not. The check of such a file (vtu_check.cpp) asks how many bytes an
// array has, and the reader of plain files (plain_vtu.cpp) has them decoded.

/// How the binary arrays of a file are stored.
struct VtuEncoding {
  bool compressed = false, swapped = false;
  std::size_t header_bytes = 4;  ///< of each number in front of an array
};

/// Bytes that are stored as they are or as base64, followed by others.
class VtuStored {
 public:
  VtuStored(std::string_view data, bool base64) : data_(data), base64_(base64) {}

  /// Whether `bytes` bytes are there, which begin `after` encoded ones.
  bool holds(std::uint64_t bytes, std::uint64_t after = 0) const {
    return after <= data_.size() && bytes <= data_.size() && length(bytes) <= data_.size() - after;
  }
  bool is_base64() const { return base64_; }
  /// The text that follows `after` encoded bytes, as it is stored.
  std::string_view text(std::uint64_t after) const { return data_.substr(after); }
  /// Characters of so many bytes that are encoded in one piece.
  std::uint64_t length(std::uint64_t bytes) const { return base64_ ? (bytes + 2) / 3 * 4 : bytes; }

  /// The numbers at the beginning, which must be there. Throws InputError where they are no base64.
  std::vector<std::uint64_t> numbers(std::uint64_t count, const VtuEncoding& encoding) const;

  /// `bytes` bytes, which are there and begin `after` encoded ones. The threads of the team decode them. Nothing where
  /// they are no base64.
  std::optional<TeamVector<char>> bytes(std::uint64_t bytes, std::uint64_t after) const;

 private:
  std::string_view data_;
  bool base64_;
};

/// Bytes of an array once they are decompressed, as the numbers in front of it say; 0 where it is not there at all.
/// Throws InputError where those numbers cannot be, which does not name the array.
std::uint64_t decoded_bytes(const VtuStored& stored, const VtuEncoding& encoding);

/// The bytes of an array, as many as decoded_bytes() says, blocks decompressed from zlib's format by the threads of the
/// team. Nothing where they are not what the numbers in front of them say. Throws as decoded_bytes() does.
std::optional<TeamVector<char>> decoded(const VtuStored& stored, const VtuEncoding& encoding);

}  // namespace cardiowarp
