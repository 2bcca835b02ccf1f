#pragma once
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// The coefficients of one step of RKC2, the explicit Runge-Kutta-Chebyshev method of order 2 (Sommeijer, Shampine and
/// Verwer 1998, J. Comput. Appl. Math. 88). A step of length h from Y_0 = φ_n, with F_j = φ'(Y_j), has the stages
///   Y_1 = Y_0 + first h F_0
///   Y_j = (1 − μ − ν) Y_0 + μ Y_{j−1} + ν Y_{j−2} + μ̃ h F_{j−1} + γ̃ h F_0,       j = 2 .. number
/// the last of which is φ_{n+1}. It is stable where h times the spectral radius of ∂φ'/∂φ is at most limit(number),
/// about 0.65 number²: so the work of a step grows with the root of its stiffness. The error of a step is estimated as
/// 0.8 times its distance to the trapezoidal rule.
struct ChebyshevFormula {
  struct Stage {
    Real now, before, by_rate, by_first_rate;  ///< μ, ν, μ̃, γ̃
  };

  Real first;
  std::vector<Stage> stages;  ///< from j = 2 on

  static constexpr Real damping = 2. / 13;
  static constexpr Real error = 0.8;

  static Real limit(int number) { return 2. / 3 * (static_cast<Real>(number) * number - 1) * (1 - 2. / 15 * damping); }
  /// The most stages that a step may have. Rounding errors inside a step grow by about the square of their number, to
  /// 1e-8 here; the step has then the work of as many of an implicit scheme.
  static constexpr int most_stages = 10'000;
  /// The fewest, at least 2, that are stable with h times the spectral radius; nothing where most_stages are not.
  static std::optional<int> stages_for(Real stiffness) {
    if (!(stiffness <= limit(most_stages))) return std::nullopt;
    int number = std::max(2, static_cast<int>(std::sqrt(1 + 1.5 * stiffness)));
    while (limit(number) < stiffness) ++number;
    return number;
  }

  explicit ChebyshevFormula(int number) {
    // Chebyshev's polynomials and their first two derivatives at w0, by their recurrence.
    const Real w0 = 1 + damping / (static_cast<Real>(number) * number);
    std::vector<Real> T{1, w0}, T1{0, 1}, T2{0, 0};
    for (int j = 2; j <= number; ++j) {
      T.push_back(2 * w0 * T[j - 1] - T[j - 2]);
      T1.push_back(2 * T[j - 1] + 2 * w0 * T1[j - 1] - T1[j - 2]);
      T2.push_back(4 * T1[j - 1] + 2 * w0 * T2[j - 1] - T2[j - 2]);
    }
    const Real w1 = T1[number] / T2[number];
    const auto b = [&](int j) { return T2[std::max(j, 2)] / (T1[std::max(j, 2)] * T1[std::max(j, 2)]); };
    first = b(1) * w1;
    for (int j = 2; j <= number; ++j) {
      const Real by_rate = 2 * b(j) * w1 / b(j - 1), a = 1 - b(j - 1) * T[j - 1];
      stages.push_back({2 * b(j) * w0 / b(j - 1), -b(j) / b(j - 2), by_rate, -a * by_rate});
    }
  }
};

}  // namespace cardiowarp
