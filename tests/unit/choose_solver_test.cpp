#include "app/simulation/choose_solver.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "app/simulation/problem.hpp"
#include "tests/support/devices.hpp"
#include "tests/support/input_error_of.hpp"

namespace cardiowarp {
namespace {

using enum SolverPath;

/// Rows of a heart's matrix.
std::vector<Index> heart(std::size_t nodes) { return std::vector<Index>(nodes, 14); }

SolverPath path_of(const Device& device, std::size_t nodes) { return choose_solver(device, heart(nodes), {}).path; }

std::string refusal(const Device& device, const SolverWish& wish, std::size_t nodes = 30'000) {
  return test::input_error_of([&] { choose_solver(device, heart(nodes), wish); });
}

TEST(ChooseSolver, TakesTheChipUpToWhatItHoldsAndThePersistentSolveBeyondOnEachGpu) {
  struct Expected {
    Device device;
    std::size_t most_on_chip;  ///< rows that fit, to the next window
  };
  // For each row a multiprocessor keeps two places of a vector, its own and one of the halo, the number of the halo's
  // row and at least half of 14 entries of 10 bytes: 90 bytes. Windows are multiples of 32 rows, 2048 at most.
  for (const auto& [device, most_on_chip] :
       {Expected{nvidia_h200(), 270'336}, Expected{h100(), 270'336}, Expected{a100(), 196'992},
        Expected{rtx_4090(), 139'264}, Expected{l4(), 63'104}}) {
    SCOPED_TRACE(device.name);
    EXPECT_EQ(path_of(device, 1), on_chip);
    EXPECT_EQ(path_of(device, most_on_chip), on_chip);
    EXPECT_NE(path_of(device, most_on_chip + 1), on_chip);
    EXPECT_EQ(path_of(device, 1'600'000), persistent);
    EXPECT_EQ(choose_solver(device, heart(1000), {}).matrix.ell_warp.window, 32);
  }
}

TEST(ChooseSolver, TakesTheChipForLargerRowsInMixedPrecision) {
  // For each of 14 entries at least half of 6 bytes in place of 10: 62 bytes a row in place of 90, of 97 KiB on an L4.
  // Windows are multiples of 32 rows: 1600 have room, 1088 in double precision.
  SolverWish wish;
  wish.precision = SolverPrecision::mixed;
  const std::size_t most_on_chip = std::size_t{58} * 1600;
  EXPECT_EQ(choose_solver(l4(), heart(most_on_chip), wish).path, on_chip);
  EXPECT_NE(choose_solver(l4(), heart(most_on_chip + 1), wish).path, on_chip);
  EXPECT_NE(path_of(l4(), most_on_chip), on_chip);
}

TEST(ChooseSolver, HasMixedPrecisionForEveryFormatButThatOfALibrary) {
  SolverWish wish;
  wish.precision = SolverPrecision::mixed;
  for (const auto& [name, format] : named_formats()) {
    SCOPED_TRACE(name);
    wish.matrix = format;
    choose_solver(cpu_device(), heart(5000), wish);  // which takes csr in place of a library
    if (format.format == MatrixFormat::cusparse)
      EXPECT_EQ(refusal(nvidia_h200(), wish),
                "linear_solver.precision: mixed needs linear_solver.spmv to be one of auto, csr, k1, k1r, k1rs, k2, "
                "k2r, k2rs, got 'cusparse'");
    else
      choose_solver(nvidia_h200(), heart(5000), wish);
  }
}

TEST(ChooseSolver, LeavesWhatTheChipHasRoomForInSinglePrecisionAloneToThePersistentSolve) {
  // For each row two places of a vector of 4 bytes, the number of the halo's row and at least half of 14 entries of 6
  // bytes: 54 bytes a row of 225 KiB, 4096 rows at most. In double precision 2048.
  SolverWish wish;
  wish.precision = SolverPrecision::single;
  const std::size_t fastest_on_chip = std::size_t{132} * 2048, most_on_chip = std::size_t{132} * 4096;
  EXPECT_EQ(choose_solver(nvidia_h200(), heart(fastest_on_chip), wish).path, on_chip);
  const SolverChoice larger = choose_solver(nvidia_h200(), heart(fastest_on_chip + 1), wish);
  EXPECT_EQ(larger.path, persistent);
  EXPECT_EQ(larger.reason,
            "270337 rows are more than the 270336 up to which on_chip is faster, and occupy all multiprocessors when "
            "read in parts");
  const SolverChoice largest = choose_solver(nvidia_h200(), heart(most_on_chip + 1), wish);
  EXPECT_EQ(largest.path, persistent);
  EXPECT_NE(largest.reason.find("540673 rows are too many for the shared memory of 132"), std::string::npos)
      << largest.reason;
  wish.path = on_chip;
  EXPECT_EQ(choose_solver(nvidia_h200(), heart(most_on_chip), wish).path, on_chip);
}

TEST(ChooseSolver, TakesMixedPrecisionWhereARunAsksForMoreThanSingleHolds) {
  SolverWish wish;
  wish.precision = SolverPrecision::single;
  wish.tolerance = 1e-6;
  for (const Device& device : {cpu_device(), nvidia_h200()}) {
    const SolverChoice single = choose_solver(device, heart(5000), wish);
    EXPECT_EQ(single.precision, SolverPrecision::single);
    EXPECT_EQ(single.precision_reason, "");
    SolverWish tight = wish;
    tight.tolerance = 1e-10;
    const SolverChoice mixed = choose_solver(device, heart(5000), tight);
    EXPECT_EQ(mixed.precision, SolverPrecision::mixed);
    EXPECT_EQ(mixed.precision_reason,
              "the run asks for linear solves to 1.0e-10, and single precision holds no more than 5e-07");
    EXPECT_EQ(mixed.path, single.path);
  }
}

TEST(ChooseSolver, HasSinglePrecisionWithJacobiAlone) {
  SolverWish wish;
  wish.precision = SolverPrecision::single;
  for (const PreconditionerChoice other : {PreconditionerChoice::block_jacobi, PreconditionerChoice::polynomial}) {
    wish.preconditioner = other;
    EXPECT_EQ(test::input_error_of([&] { choose_solver(cpu_device(), heart(5000), wish); }),
              "linear_solver.precision: single needs linear_solver.preconditioner: jacobi (mixed goes with every "
              "other)");
  }
}

TEST(ChooseSolver, FindsThePrecisionThatWasMeasuredToBeTheFastest) {
  SolverWish wish;
  wish.precision = SolverPrecision::automatic;
  const auto precision = [&](const Device& device, std::size_t nodes) {
    const SolverChoice choice = choose_solver(device, heart(nodes), wish);
    EXPECT_NE(choice.precision_reason, "");
    return choice.precision;
  };
  wish.tolerance = 1e-6;
  EXPECT_EQ(precision(nvidia_h200(), 34'000), SolverPrecision::double_precision);
  EXPECT_EQ(precision(nvidia_h200(), 126'000), SolverPrecision::double_precision);
  for (const std::size_t nodes : {222'000u, 1'600'000u}) {
    wish.tolerance = 1e-6;
    EXPECT_EQ(precision(nvidia_h200(), nodes), SolverPrecision::single);
    EXPECT_EQ(precision(cpu_device(), nodes), SolverPrecision::double_precision);
    wish.tolerance = 1e-7;  // beyond what single precision holds
    EXPECT_EQ(precision(nvidia_h200(), nodes), SolverPrecision::mixed);
    wish.tolerance = 1e-6;
    wish.preconditioner = PreconditionerChoice::polynomial;
    EXPECT_EQ(precision(nvidia_h200(), nodes), SolverPrecision::mixed);
    wish.preconditioner = PreconditionerChoice::jacobi;
  }
  wish.matrix.format = MatrixFormat::cusparse;
  EXPECT_EQ(precision(nvidia_h200(), 1'600'000), SolverPrecision::double_precision);
}

TEST(LeastLinearTolerance, IsWhatTheRunNeedsOfItsLinearSolves) {
  Methods methods;
  methods.linear_solver.relative_tolerance = 1e-9;
  EXPECT_DOUBLE_EQ(least_linear_tolerance(methods), 1e-6);  // newton.tolerance 1e-8
  methods.newton.forcing = ForcingChoice::fixed;
  EXPECT_EQ(least_linear_tolerance(methods), 1e-9);
  methods.time = {.tolerance = 1e-2, .newton_follows = true, .linear_follows = true};
  EXPECT_DOUBLE_EQ(least_linear_tolerance(methods), 2e-4);
}

TEST(ChooseSolver, OnTheCpuIsPlainWithCompressedRows) {
  const SolverChoice choice = choose_solver(cpu_device(), heart(5000), {});
  EXPECT_EQ(choice.path, plain);
  EXPECT_EQ(choice.matrix.format, MatrixFormat::csr);
  EXPECT_NE(choice.reason.find("CPU"), std::string::npos);
}

TEST(ChooseSolver, IsPlainForFormatsAndGpusThatKnowNoOtherPathAndSaysWhatThoseNeed) {
  SolverWish wish;
  wish.matrix = {MatrixFormat::ell_warp, {EllWarpVariant::k2, EllWarpRenumbering::none, 8, 1024}, 0};
  const SolverChoice k2 = choose_solver(nvidia_h200(), heart(5000), wish);
  EXPECT_EQ(k2.path, plain);
  EXPECT_NE(k2.reason.find("linear_solver.spmv"), std::string::npos) << k2.reason;
  EXPECT_EQ(format_name(k2.matrix), "k2");

  Device apart = nvidia_h200();
  apart.launches_at_once = false;
  EXPECT_EQ(path_of(apart, 5000), plain);
  EXPECT_EQ(path_of(apart, 1'600'000), in_parts);
}

TEST(ChooseSolver, TakesWhatItReportsWhenItIsTypedIn) {
  for (const std::size_t nodes : {5'000u, 1'600'000u}) {
    const SolverChoice first = choose_solver(nvidia_h200(), heart(nodes), {});
    SolverWish wish;
    wish.path = first.path;
    wish.matrix.format = MatrixFormat::ell_warp;
    wish.matrix.ell_warp.renumbering = EllWarpRenumbering::rows_and_columns_sorted;
    for (const SolverPath path : {automatic, first.path}) {
      wish.path = path;
      const SolverChoice again = choose_solver(nvidia_h200(), heart(nodes), wish);
      EXPECT_EQ(again.path, first.path);
      EXPECT_EQ(again.matrix.ell_warp.window, first.matrix.ell_warp.window);
      EXPECT_EQ(format_name(again.matrix), "k1rs");
    }
  }
}

TEST(ChooseSolver, KeepsAWindowThatIsAskedFor) {
  SolverWish wish;
  wish.matrix.ell_warp.window = 512;
  wish.matrix.window_is_asked_for = true;
  const SolverChoice small = choose_solver(nvidia_h200(), heart(5000), wish);
  EXPECT_EQ(small.path, plain);
  EXPECT_EQ(small.matrix.ell_warp.window, 512);
  const SolverChoice large = choose_solver(nvidia_h200(), heart(1'600'000), wish);
  EXPECT_EQ(large.path, persistent);
  EXPECT_EQ(large.matrix.ell_warp.window, 512);
  const SolverChoice middle = choose_solver(nvidia_h200(), heart(222'000), wish);  // which would fit on the chip
  EXPECT_EQ(middle.path, persistent);
  EXPECT_EQ(middle.reason,
            "222000 rows occupy all multiprocessors when read in parts, and on_chip needs "
            "linear_solver.sorting_window: auto or 1696, got 512");
}

TEST(ChooseSolver, TakesAPathThatHasThePolynomial) {
  const SolverWish wish{.preconditioner = PreconditionerChoice::polynomial, .matrix = {}};
  EXPECT_EQ(choose_solver(cpu_device(), heart(5000), wish).path, plain);
  const SolverChoice small = choose_solver(nvidia_h200(), heart(50'000), wish);  // Jacobi: on_chip
  EXPECT_EQ(small.path, plain);
  EXPECT_EQ(small.reason, "50000 rows are too few or too unequal to be read in parts, and on_chip has jacobi alone");
  // Jacobi: on_chip with 270,300 rows, and persistent with more
  for (const std::size_t nodes : {270'300u, 1'600'000u}) {
    const SolverChoice large = choose_solver(nvidia_h200(), heart(nodes), wish);
    EXPECT_EQ(large.path, persistent);
    EXPECT_EQ(large.reason, std::to_string(nodes) +
                                " rows occupy all multiprocessors when read in parts, and on_chip has jacobi alone");
  }
  Device apart = nvidia_h200();
  apart.launches_at_once = false;
  const SolverChoice in_two = choose_solver(apart, heart(1'600'000), wish);
  EXPECT_EQ(in_two.path, in_parts);
  EXPECT_NE(in_two.reason.find("no room for a solve in one launch"), std::string::npos) << in_two.reason;
}

TEST(PlanSolver, HasTheShapeOfOneLaunchForAPolynomial) {
  constexpr Index rows = 271'000;
  const std::vector<Index> lengths(rows, 3);
  std::vector<Index> column;
  for (Index row = 0; row < rows; ++row)
    for (const Index other : {row, (row + 1) % rows, (row + rows - 1) % rows}) column.push_back(other);
  for (const SolverPath path : {automatic, persistent, in_parts}) {
    const SolverWish wish{.path = path,
                          .preconditioner = PreconditionerChoice::polynomial,
                          .matrix = {},
                          .polynomial = {PolynomialKind::neumann, 3}};
    const SolverChoice choice = choose_solver(nvidia_h200(), lengths, wish);
    const MatrixLayout layout{choice.matrix, {}, 0, ell_warp_layout(lengths, column, choice.matrix.ell_warp)};
    const SolverPlan plan = plan_solver(nvidia_h200(), choice, layout, {});
    EXPECT_EQ(plan.path, path == automatic ? persistent : path);
    EXPECT_EQ(plan.persistent.has_value(), plan.path == persistent);
    EXPECT_FALSE(plan.on_chip.has_value());
    ASSERT_TRUE(std::holds_alternative<PolynomialOptions>(plan.preconditioner));
    EXPECT_EQ(std::get<PolynomialOptions>(plan.preconditioner).degree, 3);
  }
}

TEST(ChooseSolver, RefusesAPolynomialInSinglePrecisionWhereTheFormatHasNone) {
  SolverWish wish{.preconditioner = PreconditionerChoice::polynomial,
                  .matrix = {.format = MatrixFormat::cusparse},
                  .polynomial = {.precision = PolynomialPrecision::single}};
  EXPECT_EQ(refusal(nvidia_h200(), wish),
            "linear_solver.preconditioner.precision: single needs linear_solver.spmv to be one of auto, csr, k1, k1r, "
            "k1rs, k2, k2r, k2rs, got 'cusparse'");
  wish.preconditioner = PreconditionerChoice::jacobi;  // whose options of a polynomial are of no account
  EXPECT_EQ(choose_solver(nvidia_h200(), heart(5000), wish).path, plain);
}

TEST(ChooseSolver, RefusesAWishThatIsImpossibleAndSaysWhatItNeeds) {
  EXPECT_EQ(refusal(cpu_device(), {.path = on_chip, .matrix = {}}),
            "linear_solver.path: on_chip needs a GPU (auto takes the fastest path that is possible)");
  EXPECT_EQ(refusal(cpu_device(), {.path = persistent, .matrix = {}}),
            "linear_solver.path: persistent needs a GPU (auto takes the fastest path that is possible)");
  EXPECT_EQ(
      refusal(cpu_device(), {.path = in_parts, .preconditioner = PreconditionerChoice::block_jacobi, .matrix = {}}),
      "linear_solver.path: in_parts needs linear_solver.preconditioner: jacobi or a polynomial (auto takes the "
      "fastest path that is possible)");
  EXPECT_EQ(refusal(nvidia_h200(), {.preconditioner = PreconditionerChoice::block_jacobi, .matrix = {}}),
            "linear_solver.preconditioner: expected jacobi or a polynomial on a GPU, got "
            "'block_jacobi'");
  SolverWish wish{.path = persistent, .matrix = {}};
  wish.matrix.format = MatrixFormat::csr;
  EXPECT_EQ(
      refusal(nvidia_h200(), wish),
      "linear_solver.path: persistent needs linear_solver.spmv: auto or k1rs, got 'csr' (auto takes the fastest path "
      "that is possible)");
  wish = {.path = on_chip, .matrix = {}};
  wish.matrix.ell_warp.window = 64;
  wish.matrix.window_is_asked_for = true;
  EXPECT_EQ(refusal(nvidia_h200(), wish),
            "linear_solver.path: on_chip needs linear_solver.sorting_window: auto or 256, got 64 (auto takes the "
            "fastest path "
            "that is possible)");
}

TEST(ReasonForPath, IsThePlansUnlessTheDeviceHasNoRoomForItsBlocks) {
  SolverPlan plan;
  plan.path = on_chip;
  plan.reason = "it fits";
  EXPECT_EQ(reason_for_path(plan, on_chip), "it fits");
  EXPECT_EQ(reason_for_path(plan, plain), "the device cannot run all blocks of on_chip at the same time");
  plan.is_wish = true;
  EXPECT_EQ(reason_for_path(plan, on_chip), "it fits");
  EXPECT_EQ(
      test::input_error_of([&] { reason_for_path(plan, persistent); }),
      "linear_solver.path: on_chip needs a device that can run all of its blocks at the same time (auto takes the "
      "fastest path that is possible)");
}

TEST(PlanSsor, TakesAsManyColorsAsFitAndNotOneMore) {
  // Rows that are all neighbors of each other take a color each.
  for (const Index rows : {ColoredHalves::most_colors, ColoredHalves::most_colors + 1}) {
    std::vector<Index> begin, column;
    for (Index row = 0; row < rows; ++row) {
      begin.push_back(row * rows);
      for (Index other = 0; other < rows; ++other) column.push_back(other);
    }
    begin.push_back(rows * rows);
    MatrixLayout layout;
    for (std::int64_t entry = 0; entry < std::int64_t{rows} * rows; ++entry) layout.slot_of_entry.push_back(entry);
    const auto plan = [&] {
      const SolverWish wish{.preconditioner = PreconditionerChoice::ssor_eisenstat, .matrix = {}};
      return plan_solver(cpu_device(), choose_solver(cpu_device(), heart(5000), wish), layout, {begin, column});
    };
    if (rows == ColoredHalves::most_colors) {
      EXPECT_EQ(std::get<SsorPlan>(plan().preconditioner).kind, SsorKind::eisenstat);
    } else {
      const std::string refused = test::input_error_of(plan);
      EXPECT_NE(refused.find("at most 256 colors"), std::string::npos) << refused;
      EXPECT_NE(refused.find("here they take 257"), std::string::npos) << refused;
    }
  }
}

TEST(PlanSolver, RefusesAChipThatIsTooSmallForTheMatrix) {
  SolverWish wish{.path = on_chip, .matrix = {}};
  constexpr Index rows = 60'000;
  const std::vector<Index> lengths(rows, 30);
  const SolverChoice choice = choose_solver(l4(), lengths, wish);
  EXPECT_EQ(choice.path, on_chip);
  std::vector<Index> column;
  for (Index row = 0; row < rows; ++row)
    for (Index k = 0; k < 30; ++k) column.push_back((row + k) % rows);
  MatrixLayout layout{choice.matrix, {}, 0, ell_warp_layout(lengths, column, choice.matrix.ell_warp)};
  const std::string error = test::input_error_of([&] { plan_solver(l4(), choice, layout, {}); });
  EXPECT_NE(error.find("58 multiprocessors, 99 KiB each"), std::string::npos) << error;
  EXPECT_NE(error.find("60000 rows"), std::string::npos) << error;

  SolverChoice by_itself = choice;
  by_itself.wish.path = automatic;
  const SolverPlan plan = plan_solver(l4(), by_itself, layout, {});
  EXPECT_EQ(plan.path, plain);
  EXPECT_FALSE(plan.parts);
  EXPECT_NE(plan.reason, choice.reason);
}

}  // namespace
}  // namespace cardiowarp
