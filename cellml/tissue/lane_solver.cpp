#include "cellml/tissue/lane_solver.hpp"

namespace cardiowarp {
namespace {

constexpr int lanes = LaneSolver::lanes;

void subtract(double* __restrict to, const double* __restrict factor, const double* __restrict of) {
  for (int lane = 0; lane < lanes; ++lane) to[lane] -= factor[lane] * of[lane];
}

}  // namespace

LaneSolver::LaneSolver(int rows, std::span<const char> is_there)
    : rows_(rows), places_(static_cast<std::size_t>(rows) * static_cast<std::size_t>(rows), -1) {
  const auto at = [&](int row, int column) { return static_cast<std::size_t>(row * rows + column); };
  std::vector<char> there(is_there.begin(), is_there.end());
  for (int k = 0; k < rows; ++k) {
    there[at(k, k)] = 1;
    for (int i = k + 1; i < rows; ++i)
      for (int j = k + 1; j < rows && there[at(i, k)] != 0; ++j)
        if (there[at(k, j)] != 0) there[at(i, j)] = 1;
  }
  for (std::size_t k = 0; k < there.size(); ++k)
    if (there[k] != 0) places_[k] = static_cast<int>(entries_++);
}

void LaneSolver::solve(double* A, double* b, double* c, char* failed) const {
  const auto entry = [&](int row, int column) -> double* {
    const int at = place(row, column);
    return at < 0 ? nullptr : A + static_cast<std::ptrdiff_t>(at) * lanes;
  };
  double inverse[lanes], factor[lanes];
  for (int k = 0; k < rows_; ++k) {
    const double* const pivot = entry(k, k);
    for (int lane = 0; lane < lanes; ++lane) {
      if (!(pivot[lane] > 0)) failed[lane] = 1;
      inverse[lane] = 1 / pivot[lane];
    }
    for (int i = k + 1; i < rows_; ++i) {
      const double* const below = entry(i, k);
      if (!below) continue;
      for (int lane = 0; lane < lanes; ++lane) factor[lane] = below[lane] * inverse[lane];
      for (int j = k + 1; j < rows_; ++j)
        if (const double* const right = entry(k, j)) subtract(entry(i, j), factor, right);
      subtract(b + static_cast<std::ptrdiff_t>(i) * lanes, factor, b + static_cast<std::ptrdiff_t>(k) * lanes);
      subtract(c + static_cast<std::ptrdiff_t>(i) * lanes, factor, c + static_cast<std::ptrdiff_t>(k) * lanes);
    }
  }
  for (int k = rows_ - 1; k >= 0; --k) {
    double *const of_b = b + static_cast<std::ptrdiff_t>(k) * lanes, *const of_c =
                                                                         c + static_cast<std::ptrdiff_t>(k) * lanes;
    for (int j = k + 1; j < rows_; ++j) {
      const double* const right = entry(k, j);
      if (!right) continue;
      subtract(of_b, right, b + static_cast<std::ptrdiff_t>(j) * lanes);
      subtract(of_c, right, c + static_cast<std::ptrdiff_t>(j) * lanes);
    }
    const double* const pivot = entry(k, k);
    for (int lane = 0; lane < lanes; ++lane) {
      of_b[lane] /= pivot[lane];
      of_c[lane] /= pivot[lane];
    }
  }
}

}  // namespace cardiowarp
