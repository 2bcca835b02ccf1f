#pragma once
#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace cardiowarp {

/// dy/dt = f(t, y) with its derivatives.
class StiffSystem {
 public:
  virtual ~StiffSystem() = default;
  virtual std::size_t size() const = 0;
  /// f at (t, y), [size].
  virtual void rates(double t, std::span<const double> y, std::span<double> f) = 0;
  /// f, ∂f/∂y by rows, [size][size], and ∂f/∂t.
  virtual void rates_and_slopes(double t, std::span<const double> y, std::span<double> f, std::span<double> by_y,
                                std::span<double> by_t) = 0;
};

/// The step as it was accepted: y between t and t + h, to third order.
class StiffStep {
 public:
  double t = 0, h = 0;
  /// y of one unknown at t + s h, 0 <= s <= 1, and dy/dt there.
  double value(std::size_t unknown, double s) const;
  double slope(std::size_t unknown, double s) const;

  std::span<const double> begin, end, third, fourth;  ///< the polynomials, [size] each
};

/// RODAS4, the Rosenbrock method of order 4 with an error estimate of order 3 by Hairer and Wanner (Solving Ordinary
/// Differential Equations II, sec. IV.7 and table 7.2 of the code RODAS): six linear solves with one matrix a step, no
/// iteration, L-stable. It needs exact derivatives, which cell models have here. Dense matrices: for hundreds of
/// unknowns.
class StiffSolver {
 public:
  /// The error of unknown i in a step is kept at `tolerance` (|y_i| + scale_i), as a root mean square over i.
  StiffSolver(StiffSystem& system, double tolerance, std::vector<double> scale);

  enum class End { reached, step_too_small, no_number };

  /// From `t` to `end`, where y of that time stays in `y`. `on_step` is called for each step. The steps begin with
  /// `first_step`, and are `longest_step` at most.
  End advance(double& t, double end, std::span<double> y, double longest_step,
              const std::function<void(const StiffStep&)>& on_step);

  /// The next step begins with this length: after an input has changed suddenly.
  void restart(double first_step) { next_step_ = first_step; }

  std::size_t steps() const { return steps_; }
  std::size_t rejected() const { return rejected_; }

 private:
  bool factorize();
  void solve(std::span<double> right) const;
  bool make_stages(double t, double h, std::span<const double> y);
  double error(std::span<const double> y) const;

  StiffSystem& system_;
  double tolerance_, next_step_ = 1e-3;
  std::vector<double> scale_;
  std::vector<double> matrix_, by_y_, by_t_, rates_, next_, argument_, third_, fourth_;
  std::array<std::vector<double>, 6> stages_;
  std::vector<std::size_t> pivots_;
  std::size_t steps_ = 0, rejected_ = 0;
};

}  // namespace cardiowarp
