#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/backend/cuda_backend.cuh"
#include "kernels/sparse/ell_warp_matrix.hpp"
#include "solver/rounded_values.hpp"
#include "tests/support/random_csr.hpp"

namespace cardiowarp::test::products {

// Matrices with rows of awkward lengths, each on a GPU beside what the host makes of it row by row. A test gives Both a
// product, which is then compared row by row within what rounding allows, and with itself for equal bits. for_all()
// goes through the matrices, from one row to a million.

inline constexpr unsigned seed = 41;
inline const std::vector<int> block_sizes{32, 64, 96, 256, 512, 1024};

struct Case {
  std::string name;
  std::vector<Index> lengths;
};

/// 5 rows of 3 entries each, all others empty: first and last, and many in a row.
inline std::vector<Index> mostly_empty(Index rows) {
  std::vector<Index> lengths(rows);
  for (Index k = 0; k < 5; ++k) lengths[(k + 1) * (rows / 7)] = 3;
  return lengths;
}

/// Rows of 0 to 11 entries.
inline std::vector<Index> short_rows(Index rows) {
  std::vector<Index> lengths(rows);
  for (Index row = 0; row < rows; ++row) lengths[row] = row % 12;
  return lengths;
}

/// Every row of `each` entries but one, of `longest`.
inline std::vector<Index> one_long_row(Index rows, Index each, Index longest) {
  std::vector<Index> lengths(rows, each);
  lengths[rows / 2] = longest;
  return lengths;
}

/// Whether so many rows are to be tried: CARDIOWARP_TEST_MOST_ROWS in the environment leaves out larger matrices, for
/// tools that make programs many times slower.
inline bool is_tried(std::size_t rows) {
  const char* const most = std::getenv("CARDIOWARP_TEST_MOST_ROWS");
  return most == nullptr || rows <= std::strtoull(most, nullptr, 10);
}

inline std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Index rows : {1, 31, 32, 33, 97, 5000, 1'000'000})
    all.push_back({std::to_string(rows) + " awkward rows", awkward_row_lengths(rows, seed)});
  all.push_back({"a million short rows", short_rows(1'000'000)});
  all.push_back({"one entry", {1}});
  all.push_back({"no entries", std::vector<Index>(1000)});
  all.push_back({"mostly empty rows", mostly_empty(30'000)});
  all.push_back({"equal rows", std::vector<Index>(4915, 39)});
  all.push_back({"full pieces of 256 entries", std::vector<Index>(320, 32)});
  all.push_back({"a full row among short ones", one_long_row(20'000, 4, 20'000)});
  all.push_back({"a full row among empty ones", one_long_row(20'000, 0, 20'000)});
  std::erase_if(all, [](const Case& c) { return !is_tried(c.lengths.size()); });
  return all;
}

/// A matrix and x on the device, and what the host finds row by row.
class Both {
 public:
  explicit Both(const std::vector<Index>& lengths) : Both(RandomCsr(lengths, seed + 1)) {}
  explicit Both(RandomCsr csr)
      : csr_(std::move(csr)),
        x_(random_values(csr_.length.size(), seed + 2)),
        row_begin_(uploaded(gpu_, csr_.row_begin)),
        column_(uploaded(gpu_, csr_.column)),
        value_(uploaded(gpu_, csr_.value)),
        device_x_(uploaded(gpu_, x_)),
        device_y_(gpu_.allocate<Real>(x_.size())) {
    const CsrView A = csr_.view();
    for (Index row = 0; row < A.rows; ++row) {
      Real magnitude = 0;
      for (Index e = A.row_begin[row]; e < A.row_begin[row + 1]; ++e)
        magnitude += std::abs(A.value[e] * x_[A.column[e]]);
      expected_.push_back(row_times_vector(A, row, x_.data()));
      // Each of two sums of n terms is within n ε/2 Σ|a x| of the exact one.
      bound_.push_back((csr_.length[row] + 1) * std::numeric_limits<Real>::epsilon() * magnitude);
    }
  }

  CudaBackend& gpu() { return gpu_; }
  const RandomCsr& csr() const { return csr_; }
  CsrView on_gpu() const { return {rows(), row_begin_.data(), column_.data(), value_.data()}; }
  Index rows() const { return static_cast<Index>(x_.size()); }

  /// The matrix in ELL-WARP.
  EllWarpMatrix filled(const EllWarpLayout& layout) {
    EllWarpMatrix A(gpu_, layout);
    const Buffer<std::int64_t> slot = uploaded(gpu_, layout.slot_of_entry);
    gpu_.for_each(static_cast<Index>(slot.size()), ScatterEntries{slot.data(), value_.data(), A.value()});
    gpu_.synchronize();
    return A;
  }

  using Multiply = std::function<void(const Real* x, Real* y)>;

  /// Each row within its bound of the host's, one that is not written seen, and a second product the same bits. `order`
  /// has the old number of each new row and column where the product has renumbered them.
  void expect_right(const std::string& what, const Multiply& multiply, const std::vector<Index>& order = {}) {
    SCOPED_TRACE(what);
    const auto old = [&](Index row) { return order.empty() ? row : order[row]; };
    std::vector<Real> x(x_.size());
    for (Index row = 0; row < rows(); ++row) x[row] = x_[old(row)];
    gpu_.upload(std::span<const Real>(x), device_x_.data());
    const std::vector<Real> y = product(multiply);
    for (Index row = 0; row < rows(); ++row)
      ASSERT_NEAR(y[row], expected_[old(row)], bound_[old(row)]) << "row " << old(row);
    ASSERT_EQ(product(multiply), y);
  }

  /// expect_right() of a product with values, x and y in single precision, against the host's product of the rounded
  /// numbers.
  void expect_right_in_single(const std::string& what, const std::function<void(const float* x, float* y)>& multiply,
                              const std::vector<Index>& order = {}) {
    SCOPED_TRACE(what);
    const auto old = [&](Index row) { return order.empty() ? row : order[row]; };
    std::vector<float> x(x_.size()), y(x_.size(), NAN), again(x_.size());
    for (Index row = 0; row < rows(); ++row) x[row] = static_cast<float>(x_[old(row)]);
    const Buffer<float> device_x = uploaded(gpu_, x), device_y = uploaded(gpu_, y);
    multiply(device_x.data(), device_y.data());
    gpu_.download(static_cast<const float*>(device_y.data()), std::span<float>(y));
    for (Index row = 0; row < rows(); ++row) {
      Real expected = 0, magnitude = 0;
      for (Index e = csr_.row_begin[old(row)]; e < csr_.row_begin[old(row) + 1]; ++e) {
        const Real term = Real{static_cast<float>(csr_.value[e])} * Real{static_cast<float>(x_[csr_.column[e]])};
        expected += term;
        magnitude += std::abs(term);
      }
      const Real bound = (csr_.length[old(row)] + 1) * Real{std::numeric_limits<float>::epsilon()} * magnitude;
      ASSERT_NEAR(y[row], expected, bound) << "row " << old(row);
    }
    multiply(device_x.data(), device_y.data());
    gpu_.download(static_cast<const float*>(device_y.data()), std::span<float>(again));
    ASSERT_EQ(again, y);
  }

  /// Values in slots, rounded to single precision.
  Buffer<float> in_single(const Real* value, std::int64_t slots) {
    Buffer<float> rounded = gpu_.allocate<float>(static_cast<std::size_t>(slots));
    gpu_.for_each(static_cast<Index>(slots), RoundValues{value, rounded.data()});
    gpu_.synchronize();
    return rounded;
  }

  /// y, of the x that the last expect_right() has left.
  std::vector<Real> product(const Multiply& multiply) {
    gpu_.upload(std::span<const Real>(std::vector<Real>(x_.size(), NAN)), device_y_.data());
    multiply(device_x_.data(), device_y_.data());
    std::vector<Real> y(x_.size());
    gpu_.download(static_cast<const Real*>(device_y_.data()), std::span<Real>(y));
    return y;
  }

  /// The values of the matrix in the slots of a format.
  void fill(const StoredEntries& entries, Real* value) {
    const Buffer<std::int64_t> slot = uploaded(gpu_, entries.slot_of_entry);
    gpu_.for_each(static_cast<Index>(slot.size()), ScatterEntries{slot.data(), value_.data(), value});
    gpu_.synchronize();
  }

 private:
  CudaBackend gpu_;
  RandomCsr csr_;
  std::vector<Real> x_, expected_, bound_;
  Buffer<Index> row_begin_, column_;
  Buffer<Real> value_, device_x_, device_y_;
};

/// Calls `check(both)` for every matrix.
template <class Check>
void for_all(const Check& check) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    Both both(c.lengths);
    check(both);
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace cardiowarp::test::products
