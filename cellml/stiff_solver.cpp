#include "cellml/stiff_solver.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cardiowarp {
namespace {

constexpr std::size_t stages = 6;
constexpr double gamma = 0.25;
// Y_i = y + Σ_j a_ij U_j
constexpr double a[stages][stages] = {
    {},
    {1.544},
    {0.9466785280815826, 0.2557011698983284},
    {3.314825187068521, 2.896124015972201, 0.9986419139977817},
    {1.221224509226641, 6.019134481288629, 12.53708333932087, -0.6878860361058950},
    {1.221224509226641, 6.019134481288629, 12.53708333932087, -0.6878860361058950, 1},
};
// (1 / (γ h) − ∂f/∂y) U_i = f(t + α_i h, Y_i) + Σ_j c_ij U_j / h + γ_i h ∂f/∂t
constexpr double c[stages][stages] = {
    {},
    {-5.6688},
    {-2.430093356833875, -0.2063599157091915},
    {-0.1073529058151375, -9.594562251023355, -20.47028614809616},
    {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160},
    {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054},
};
constexpr double alpha[stages] = {0, 0.386, 0.21, 0.63, 1, 1};
constexpr double gammas[stages] = {0.25, -0.1043, 0.1035, -0.0362, 0, 0};
// y between t and t + h
constexpr double third[5] = {10.12623508344586, -7.487995877610167, -34.80091861555747, -7.992771707568823,
                             1.025137723295662};
constexpr double fourth[5] = {-0.6762803392801253, 6.087714651680015, 16.43084320892478, 24.76722511418386,
                              -6.594389125716872};

}  // namespace

// y (1 − s) + s (y_end + (1 − s) (third + s fourth))
double StiffStep::value(std::size_t unknown, double s) const {
  return begin[unknown] * (1 - s) + s * (end[unknown] + (1 - s) * (third[unknown] + s * fourth[unknown]));
}

double StiffStep::slope(std::size_t unknown, double s) const {
  return (end[unknown] - begin[unknown] + (1 - 2 * s) * third[unknown] + (2 * s - 3 * s * s) * fourth[unknown]) / h;
}

StiffSolver::StiffSolver(StiffSystem& system, double tolerance, std::vector<double> scale)
    : system_(system), tolerance_(tolerance), scale_(std::move(scale)) {
  const std::size_t size = system.size();
  matrix_.resize(size * size);
  by_y_.resize(size * size);
  for (auto* vector : {&by_t_, &rates_, &next_, &argument_, &third_, &fourth_}) vector->resize(size);
  for (auto& stage : stages_) stage.resize(size);
  pivots_.resize(size);
}

/// LU with row exchanges, in place. False where a pivot is 0 or no number.
bool StiffSolver::factorize() {
  const std::size_t size = pivots_.size();
  for (std::size_t k = 0; k < size; ++k) {
    std::size_t pivot = k;
    for (std::size_t row = k + 1; row < size; ++row)
      if (std::abs(matrix_[row * size + k]) > std::abs(matrix_[pivot * size + k])) pivot = row;
    pivots_[k] = pivot;
    if (pivot != k) std::swap_ranges(&matrix_[k * size], &matrix_[k * size] + size, &matrix_[pivot * size]);
    const double inverse = 1 / matrix_[k * size + k];
    if (!std::isfinite(inverse)) return false;
    for (std::size_t row = k + 1; row < size; ++row) {
      double& factor = matrix_[row * size + k];
      if (factor == 0) continue;
      factor *= inverse;
      for (std::size_t column = k + 1; column < size; ++column)
        matrix_[row * size + column] -= factor * matrix_[k * size + column];
    }
  }
  return true;
}

void StiffSolver::solve(std::span<double> right) const {
  const std::size_t size = pivots_.size();
  for (std::size_t k = 0; k < size; ++k) std::swap(right[k], right[pivots_[k]]);
  for (std::size_t row = 1; row < size; ++row) {
    double sum = right[row];
    for (std::size_t k = 0; k < row; ++k) sum -= matrix_[row * size + k] * right[k];
    right[row] = sum;
  }
  for (std::size_t row = size; row-- > 0;) {
    double sum = right[row];
    for (std::size_t k = row + 1; k < size; ++k) sum -= matrix_[row * size + k] * right[k];
    right[row] = sum / matrix_[row * size + row];
  }
}

/// The stages of a step; next_ is y after it. False where the matrix cannot be factorized.
bool StiffSolver::make_stages(double t, double h, std::span<const double> y) {
  const std::size_t size = y.size();
  for (std::size_t k = 0; k < size * size; ++k) matrix_[k] = -by_y_[k];
  for (std::size_t k = 0; k < size; ++k) matrix_[k * size + k] += 1 / (gamma * h);
  if (!factorize()) return false;
  for (std::size_t stage = 0; stage < stages; ++stage) {
    std::vector<double>& u = stages_[stage];
    std::copy(y.begin(), y.end(), argument_.begin());
    for (std::size_t j = 0; j < stage; ++j)
      for (std::size_t k = 0; k < size; ++k) argument_[k] += a[stage][j] * stages_[j][k];
    if (stage == 0)
      u = rates_;
    else
      system_.rates(t + alpha[stage] * h, argument_, u);
    for (std::size_t j = 0; j < stage; ++j)
      for (std::size_t k = 0; k < size; ++k) u[k] += c[stage][j] / h * stages_[j][k];
    if (gammas[stage] != 0)
      for (std::size_t k = 0; k < size; ++k) u[k] += gammas[stage] * h * by_t_[k];
    solve(u);
  }
  for (std::size_t k = 0; k < size; ++k) next_[k] = argument_[k] + stages_[5][k];
  return true;
}

double StiffSolver::error(std::span<const double> y) const {
  double sum = 0;
  for (std::size_t k = 0; k < y.size(); ++k) {
    const double size = std::max(std::abs(y[k]), std::abs(next_[k])) + scale_[k];
    const double part = stages_[5][k] / (tolerance_ * size);
    sum += part * part;
  }
  return std::sqrt(sum / static_cast<double>(y.size()));
}

StiffSolver::End StiffSolver::advance(double& t, double end, std::span<double> y, double longest_step,
                                      const std::function<void(const StiffStep&)>& on_step) {
  // A rate that jumps where a state passes a threshold has errors of h times the jump: a step this short is taken over
  // it. Only what jumps again and again is given up.
  constexpr double smallest = 1e-9;
  constexpr int most_forced = 2000;
  bool is_new = true, was_rejected = false;
  int forced = 0;
  while (t < end) {
    const double left = end - t;
    const double wished = std::min(next_step_, longest_step);
    double h = std::min(wished, left);
    if (h > 0.5 * left && h < left) h = 0.5 * left;  // rather two equal steps than a long and a tiny one
    if (is_new) system_.rates_and_slopes(t, y, rates_, by_y_, by_t_);
    const double size = make_stages(t, h, y) ? error(y) : HUGE_VAL;
    const bool is_forced = h <= smallest && std::isfinite(size) && size > 1;
    if (is_forced && ++forced > most_forced) return End::step_too_small;
    if (!is_forced && !(size <= 1)) {
      ++rejected_;
      if (h <= smallest) return End::no_number;
      next_step_ =
          std::max(smallest, h * (std::isfinite(size) ? std::clamp(0.9 * std::pow(size, -0.25), 0.1, 0.9) : 0.2));
      is_new = false;
      was_rejected = true;
      continue;
    }
    for (std::size_t k = 0; k < y.size(); ++k) {
      third_[k] = fourth_[k] = 0;
      for (std::size_t j = 0; j < 5; ++j) {
        third_[k] += third[j] * stages_[j][k];
        fourth_[k] += fourth[j] * stages_[j][k];
      }
    }
    StiffStep step;
    step.t = t;
    step.h = h;
    step.begin = y;
    step.end = next_;
    step.third = third_;
    step.fourth = fourth_;
    on_step(step);
    std::copy(next_.begin(), next_.end(), y.begin());
    t = h == left ? end : t + h;
    ++steps_;
    next_step_ =
        h * (is_forced ? 5 : std::clamp(0.9 * std::pow(std::max(size, 1e-12), -0.25), 0.2, was_rejected ? 1.0 : 5.0));
    if (h < wished) next_step_ = std::max(next_step_, wished);  // it was the end that made it short
    is_new = true;
    was_rejected = false;
  }
  return End::reached;
}

}  // namespace cardiowarp
