#include "kernels/rivals/ehyb.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>

#include "kernels/backend/thread_team.hpp"
#include "kernels/sparse/ell_warp_layout.hpp"
#include "kernels/sparse/warp_lanes.hpp"

namespace cardiowarp {
namespace {

constexpr Index most_local_columns = std::numeric_limits<std::uint16_t>::max() + 1;

std::vector<Index> rows_of_parts(const std::vector<Index>& part, Index parts) {
  std::vector<Index> rows(parts);
  for (const Index k : part) {
    if (k < 0 || k >= parts)
      throw std::invalid_argument("EHYB: expected parts below " + std::to_string(parts) + ", got " + std::to_string(k));
    ++rows[k];
  }
  return rows;
}

/// Slices of the rows that follow each other in a list: `rows` of them from `first` on.
struct SliceRows {
  Index first, rows;
};

/// Gives each slice as many layers as its first row has entries, which is the longest.
template <class Column, class Length>
Slices<Column> empty_slices(const std::vector<SliceRows>& slice_rows, const Length& length) {
  Slices<Column> slices{{0}, {}, {}};
  for (const SliceRows& slice : slice_rows)
    slices.begin.push_back(slices.begin.back() + std::int64_t{warp_lanes} * length(slice.first));
  slices.column.resize(slices.begin.back());
  slices.value.resize(slices.begin.back());
  return slices;
}

/// Cuts `rows` rows from `first` on into slices.
void cut(Index first, Index rows, std::vector<SliceRows>& slices) {
  for (Index row = 0; row < rows; row += warp_lanes) slices.push_back({first + row, std::min(warp_lanes, rows - row)});
}

/// A lane of a slice, which is filled entry by entry, and then with padding.
template <class Column>
class Lane {
 public:
  Lane(Slices<Column>& slices, std::size_t slice, Index lane)
      : slices_(slices), slot_(slices.begin[slice] + lane), end_(slices.begin[slice + 1]) {}
  void put(Index column, Real value) {
    slices_.column[slot_] = static_cast<Column>(column);
    slices_.value[slot_] = value;
    slot_ += warp_lanes;
  }
  void pad(Index column) {
    while (slot_ < end_) put(column, 0);
  }

 private:
  Slices<Column>& slices_;
  std::int64_t slot_, end_;
};

/// The entries of a matrix whose rows are in parts.
struct PartedEntries {
  const CsrView& A;
  const std::vector<Index>& part;  ///< [rows] of each row

  /// own(e) for each own entry e of a row and extra(e) for each extra entry, in their order.
  template <class Own, class Extra>
  void for_each(Index row, const Own& own, const Extra& extra) const {
    for (Index e = A.row_begin[row]; e < A.row_begin[row + 1]; ++e)
      if (part[A.column[e]] == part[row])
        own(e);
      else
        extra(e);
  }
};

/// [rows] how many own and extra entries each row has.
struct Lengths {
  std::vector<Index> own, extra;
};

Lengths lengths_of(const PartedEntries& entries) {
  Lengths lengths{std::vector<Index>(entries.A.rows), std::vector<Index>(entries.A.rows)};
  parallel_for(entries.A.rows, [&](Index row) {
    entries.for_each(
        row, [&](Index) { ++lengths.own[row]; }, [&](Index) { ++lengths.extra[row]; });
  });
  return lengths;
}

/// Orders rows by falling length, those of equal length as they come.
auto longer(const std::vector<Index>& length) {
  return [&length](Index a, Index b) { return length[a] > length[b]; };
}

/// [parts + 1] the first row of each part.
std::vector<Index> first_rows(const std::vector<Index>& rows_of_part) {
  std::vector<Index> begin{0};
  for (const Index rows : rows_of_part) {
    if (rows > most_local_columns)
      throw std::invalid_argument("EHYB: expected parts of at most " + std::to_string(most_local_columns) +
                                  " rows, got " + std::to_string(rows));
    begin.push_back(begin.back() + rows);
  }
  return begin;
}

/// [rows] the old number of each new one: the rows of a part by falling number of own entries, in their order where it
/// is equal.
std::vector<Index> rows_in_order(const std::vector<Index>& part_begin, const std::vector<Index>& part,
                                 const std::vector<Index>& own_length) {
  std::vector<Index> rows(part.size());
  std::vector<Index> next(part_begin.begin(), part_begin.end() - 1);
  for (Index row = 0; row < static_cast<Index>(part.size()); ++row) rows[next[part[row]]++] = row;
  parallel_for(part_begin.size() - 1, [&](std::size_t k) {
    std::stable_sort(rows.begin() + part_begin[k], rows.begin() + part_begin[k + 1], longer(own_length));
  });
  return rows;
}

/// Fills the slices of own entries.
void put_own_entries(EhybMatrix& ehyb, const std::vector<SliceRows>& slices, const PartedEntries& entries,
                     const std::vector<Index>& new_number) {
  parallel_for(slices.size(), [&](std::size_t slice) {
    for (Index lane = 0; lane < slices[slice].rows; ++lane) {
      const Index number = slices[slice].first + lane, row = ehyb.row[number];
      const Index first = ehyb.part_begin[entries.part[row]];
      Lane<std::uint16_t> filled(ehyb.own, slice, lane);
      entries.for_each(
          row, [&](Index e) { filled.put(new_number[entries.A.column[e]] - first, entries.A.value[e]); }, [](Index) {});
      filled.pad(number - first);  // reads no x but that of its own row
    }
  });
}

/// Fills the slices of extra entries, of the rows `with_extra` by their old numbers.
void put_extra_entries(EhybMatrix& ehyb, const std::vector<SliceRows>& slices, const PartedEntries& entries,
                       const std::vector<Index>& with_extra, const std::vector<Index>& new_number) {
  parallel_for(slices.size(), [&](std::size_t slice) {
    for (Index lane = 0; lane < slices[slice].rows; ++lane) {
      Lane<Index> filled(ehyb.extra, slice, lane);
      Index last = 0;
      entries.for_each(
          with_extra[slices[slice].first + lane], [](Index) {},
          [&](Index e) { filled.put(last = new_number[entries.A.column[e]], entries.A.value[e]); });
      filled.pad(last);
    }
  });
}

/// How many columns the extra entries of some rows have, each counted once.
std::int64_t columns_of_extra(const PartedEntries& entries, const std::vector<Index>& with_extra) {
  std::vector<bool> read(entries.A.rows);
  for (const Index row : with_extra)
    entries.for_each(
        row, [](Index) {}, [&](Index e) { read[entries.A.column[e]] = true; });
  return std::count(read.begin(), read.end(), true);
}

}  // namespace

Index EhybMatrix::longest_part() const {
  Index longest = 0;
  for (Index part = 0; part < parts(); ++part) longest = std::max(longest, part_begin[part + 1] - part_begin[part]);
  return longest;
}

std::int64_t EhybMatrix::product_bytes() const {
  // The lanes of a last slice that are without a row store padding, which nobody reads.
  const auto not_read = [](const std::vector<std::int64_t>& begin, std::size_t end_slice, std::int64_t rows) {
    const std::int64_t lanes = (warp_lanes - rows % warp_lanes) % warp_lanes;
    return lanes == 0 ? 0 : lanes * (begin[end_slice] - begin[end_slice - 1]) / warp_lanes;
  };
  std::int64_t own_read = static_cast<std::int64_t>(own.value.size());
  for (Index part = 0; part < parts(); ++part)
    own_read -= not_read(own.begin, part_slice[part + 1], part_begin[part + 1] - part_begin[part]);
  const std::int64_t with_extra = static_cast<std::int64_t>(extra_row.size());
  const std::int64_t extra_read =
      static_cast<std::int64_t>(extra.value.size()) - not_read(extra.begin, extra.begin.size() - 1, with_extra);

  constexpr std::int64_t value_and_local_column = 10, value_and_column = 12, number_and_y_twice = 4 + 16;
  return value_and_local_column * own_read + value_and_column * extra_read +
         8 * static_cast<std::int64_t>(own.begin.size() + extra.begin.size() + part_begin.size()) +
         16 * std::int64_t{rows()} + number_and_y_twice * with_extra + 8 * columns_of_extra;
}

Index ehyb_longest_part(const Device& device) {
  return static_cast<Index>(std::min<std::size_t>(most_local_columns, usable_shared_bytes(device) / sizeof(Real)));
}

Index ehyb_parts(Index rows, const Device& device) {
  const std::int64_t round = std::int64_t{device.multiprocessors} * ehyb_longest_part(device);  // rows with K = 1
  const std::int64_t rounds = std::max<std::int64_t>(1, (rows + round - 1) / round);
  return static_cast<Index>(rounds * device.multiprocessors);
}

void limit_parts(std::vector<Index>& part, Index parts, Index longest) {
  if (std::int64_t{parts} * longest < static_cast<std::int64_t>(part.size()))
    throw std::invalid_argument("EHYB: " + std::to_string(parts) + " parts of " + std::to_string(longest) +
                                " rows are too few for " + std::to_string(part.size()) + " rows");
  std::vector<Index> rows = rows_of_parts(part, parts);
  Index with_room = 0;
  for (auto k = part.rbegin(); k != part.rend(); ++k) {
    if (rows[*k] <= longest) continue;
    while (rows[with_room] >= longest) ++with_room;
    --rows[*k];
    ++rows[with_room];
    *k = with_room;
  }
}

EhybMatrix ehyb_matrix(const CsrView& A, const std::vector<Index>& part, Index parts) {
  if (part.size() != static_cast<std::size_t>(A.rows))
    throw std::invalid_argument("EHYB: expected the part of each of " + std::to_string(A.rows) + " rows, got " +
                                std::to_string(part.size()));
  const std::vector<Index> rows_of_part = rows_of_parts(part, parts);
  EhybMatrix ehyb;
  ehyb.part_begin = first_rows(rows_of_part);
  const PartedEntries entries{A, part};
  const Lengths length = lengths_of(entries);
  ehyb.row = rows_in_order(ehyb.part_begin, part, length.own);
  const std::vector<Index> new_number = inverse_permutation(ehyb.row);

  std::vector<Index> with_extra;  // old numbers
  for (const Index row : ehyb.row)
    if (length.extra[row] > 0) with_extra.push_back(row);
  std::stable_sort(with_extra.begin(), with_extra.end(), longer(length.extra));
  for (const Index row : with_extra) {
    ehyb.extra_row.push_back(new_number[row]);
    ehyb.extra_entries += length.extra[row];
  }

  std::vector<SliceRows> own_slices, extra_slices;
  ehyb.part_slice.assign(1, 0);
  for (Index k = 0; k < parts; ++k) {
    cut(ehyb.part_begin[k], rows_of_part[k], own_slices);
    ehyb.part_slice.push_back(static_cast<Index>(own_slices.size()));
  }
  cut(0, static_cast<Index>(with_extra.size()), extra_slices);
  ehyb.own = empty_slices<std::uint16_t>(own_slices, [&](Index k) { return length.own[ehyb.row[k]]; });
  ehyb.extra = empty_slices<Index>(extra_slices, [&](Index k) { return length.extra[with_extra[k]]; });
  put_own_entries(ehyb, own_slices, entries, new_number);
  put_extra_entries(ehyb, extra_slices, entries, with_extra, new_number);
  ehyb.columns_of_extra = columns_of_extra(entries, with_extra);
  return ehyb;
}

}  // namespace cardiowarp
