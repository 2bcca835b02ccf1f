#include "app/simulation/choose_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>
#include <vector>

#include "app/config/config_names.hpp"
#include "fem/input_error.hpp"

namespace cardiowarp {
namespace {

/// The format that a matrix needs to be cut into parts of `window` rows.
MatrixOptions options_of_parts(MatrixOptions options, Index window) {
  options.format = MatrixFormat::ell_warp;
  options.ell_warp.variant = EllWarpVariant::k1;
  options.ell_warp.renumbering = EllWarpRenumbering::rows_and_columns_sorted;
  options.ell_warp.window = window;
  return options;
}

/// Whether the format that was asked for can be cut into parts.
bool allows_parts(const MatrixOptions& options) {
  return options.format == MatrixFormat::automatic || format_name(options) == "k1rs";
}

std::string kibibytes(std::size_t bytes) { return fmt::format("{} KiB", bytes >> 10); }

/// What a path needs for a matrix of so many rows that this machine or the other wishes do not give; empty where
/// nothing is known against it.
std::string missing_for(SolverPath path, const Device& device, Index rows, const SolverWish& wish) {
  if (path == SolverPath::plain) return "";
  if (wish.matrix_operator != OperatorKind::assembled) return "linear_solver.operator: assembled";
  const bool has_polynomials = path != SolverPath::on_chip;
  if (wish.preconditioner != PreconditionerChoice::jacobi &&
      !(has_polynomials && wish.preconditioner == PreconditionerChoice::polynomial))
    return has_polynomials ? "linear_solver.preconditioner: jacobi or a polynomial"
                           : "linear_solver.preconditioner: jacobi, the only one that it has";
  if (!allows_parts(wish.matrix))
    return fmt::format("linear_solver.spmv: auto or k1rs, got '{}'", format_name(wish.matrix));
  if (path == SolverPath::in_parts) return "";
  if (!device.is_gpu) return "a GPU";
  if (!device.launches_at_once) return "a GPU that can launch all blocks of a kernel together";
  const Index own_window = on_chip_window(rows, device);
  if (path == SolverPath::on_chip && wish.matrix.window_is_asked_for && wish.matrix.ell_warp.window != own_window)
    return fmt::format("linear_solver.sorting_window: auto or {}, got {}", own_window, wish.matrix.ell_warp.window);
  return "";
}

/// Whether a matrix with rows of these lengths is expected to fit on the chip, in the precision of the wish.
bool fits_on_chip(const Device& device, std::span<const Index> row_length, const SolverWish& wish) {
  return expected_on_chip(row_length, device, bytes_a_value(wish.precision), bytes_a_number(wish.precision));
}

/// Whether a path is expected to fit the matrix and to be worth it, from the lengths of its rows. Parts of more than
/// `most_on_chip_rows` rows, for which the chip has room in single precision, are not: a solve of 431 thousand rows
/// takes 381 µs there and 333 on the path `persistent` of an H200, 606 and 457 with 490 thousand on an H100
/// (docs/benchmarks).
bool is_expected(SolverPath path, const Device& device, std::span<const Index> row_length, const SolverWish& wish) {
  if (path == SolverPath::plain) return true;
  if (!device.is_gpu) return false;
  if (path == SolverPath::on_chip)
    return on_chip_window(static_cast<Index>(row_length.size()), device) <= most_on_chip_rows &&
           fits_on_chip(device, row_length, wish);
  return expected_in_parts(row_length, wish.matrix.ell_warp.window, device);
}

MatrixOptions matrix_for(SolverPath path, const Device& device, std::span<const Index> row_length,
                         const SolverWish& wish) {
  const auto rows = static_cast<Index>(row_length.size());
  switch (path) {
    case SolverPath::on_chip:
      return options_of_parts(wish.matrix, on_chip_window(rows, device));
    case SolverPath::persistent:
    case SolverPath::in_parts:
      return options_of_parts(wish.matrix, wish.matrix.ell_warp.window);
    default:
      return chosen_options(wish.matrix, device, row_length);
  }
}

std::string on_chip_in_words(const Device& device) {
  return fmt::format("the shared memory of {} multiprocessors, {} each", device.multiprocessors,
                     kibibytes(device.shared_bytes));
}

/// Why a path is right, for a matrix with rows of these lengths.
std::string reason_for(SolverPath path, const Device& device, std::span<const Index> row_length,
                       const SolverWish& wish) {
  const auto rows = static_cast<Index>(row_length.size());
  if (wish.path != SolverPath::automatic) return "linear_solver.path asks for it";
  switch (path) {
    case SolverPath::on_chip:
      return fmt::format("{} rows fit into {}", rows, on_chip_in_words(device));
    case SolverPath::persistent:
      if (wish.preconditioner == PreconditionerChoice::polynomial)
        return fmt::format("{} rows occupy all multiprocessors when read in parts, and on_chip has jacobi alone", rows);
      if (const std::string missing = missing_for(SolverPath::on_chip, device, rows, wish); !missing.empty())
        return fmt::format("{} rows occupy all multiprocessors when read in parts, and on_chip needs {}", rows,
                           missing);
      if (fits_on_chip(device, row_length, wish))
        return fmt::format(
            "{} rows are more than the {} up to which on_chip is faster, and occupy all multiprocessors "
            "when read in parts",
            rows, device.multiprocessors * most_on_chip_rows);
      return fmt::format("{} rows are too many for {}, and occupy all of them when read in parts", rows,
                         on_chip_in_words(device));
    case SolverPath::in_parts:
      return fmt::format("{} rows are too many for {}, whose blocks have no room for a solve in one launch", rows,
                         on_chip_in_words(device));
    default:
      break;
  }
  if (wish.matrix_operator != OperatorKind::assembled) return "the faster paths need linear_solver.operator: assembled";
  if (!device.is_gpu) return "the CPU multiplies compressed rows in loops";
  const bool is_polynomial = wish.preconditioner == PreconditionerChoice::polynomial;
  const SolverPath fastest = is_polynomial ? SolverPath::persistent : SolverPath::on_chip;
  if (const std::string missing = missing_for(fastest, device, rows, wish); !missing.empty())
    return "the faster paths need " + missing;
  if (is_polynomial)
    return fmt::format("{} rows are too few or too unequal to be read in parts, and on_chip has jacobi alone", rows);
  return fmt::format("{} rows are too many for {}, and too few or too unequal to be read in parts", rows,
                     on_chip_in_words(device));
}

[[noreturn]] void refuse(SolverPath path, const std::string& needed) {
  throw InputError(fmt::format("linear_solver.path: {} needs {} (auto takes the fastest path that is possible)",
                               name_of(path), needed));
}

/// Throws where a precision is one that the format does not have.
void require_precision(const SolverWish& wish, const MatrixOptions& matrix) {
  const bool is_single_inside = wish.preconditioner == PreconditionerChoice::polynomial &&
                                wish.polynomial.precision == PolynomialPrecision::single;
  const bool is_double = wish.precision == SolverPrecision::double_precision;
  if ((is_double && !is_single_inside) || has_single_values(matrix.format)) return;
  std::string formats = "auto";
  for (const auto& [name, options] : named_formats())
    if (options.format != MatrixFormat::automatic && has_single_values(options.format)) formats += ", " + name;
  throw InputError(fmt::format(
      "linear_solver.{} needs linear_solver.spmv to be one of {}, got '{}'",
      is_double ? "preconditioner.precision: single" : fmt::format("precision: {}", name_of(wish.precision)), formats,
      format_name(matrix)));
}

/// The path, by the bytes that values and numbers take in the precision of the wish, which is not automatic.
SolverPath choose_path(const Device& device, std::span<const Index> row_length, const SolverWish& wish) {
  const auto rows = static_cast<Index>(row_length.size());
  if (wish.path != SolverPath::automatic) {
    if (const std::string missing = missing_for(wish.path, device, rows, wish); !missing.empty())
      refuse(wish.path, missing);
    if (wish.path != SolverPath::plain && wish.path != SolverPath::on_chip && wish.matrix.ell_warp.window == 0)
      refuse(wish.path, "linear_solver.sorting_window of at least 32 rows, got 0");
    return wish.path;
  }
  for (const SolverPath path : {SolverPath::on_chip, SolverPath::persistent, SolverPath::in_parts})
    if (missing_for(path, device, rows, wish).empty() && is_expected(path, device, row_length, wish)) return path;
  return SolverPath::plain;
}

/// The fastest precision, as far as it has been measured (docs/benchmarks): on an H200 the linear solves of a beat take
/// 16 and 26 % less in single precision with 222 thousand rows and 1.6 million, and 4 and 11 % less in mixed precision;
/// with 34 thousand rows neither gains, and with 126 thousand an iteration on the chip takes longer in single
/// precision. On a CPU they have not been measured.
PrecisionChoice fastest_precision(const Device& device, SolverPath path, Index rows, const SolverWish& wish) {
  constexpr Index least_rows = 175'000;
  if (!device.is_gpu) return {SolverPrecision::double_precision, "on a CPU no other precision is known to be faster"};
  if (rows < least_rows)
    return {SolverPrecision::double_precision,
            fmt::format("{} rows are too few for {} to gain by less", rows, name_of(path))};
  const bool allows_single =
      wish.preconditioner == PreconditionerChoice::jacobi && wish.tolerance >= least_tolerance_in_single;
  if (allows_single)
    return {SolverPrecision::single,
            fmt::format("{} rows are enough for {} to gain by single precision", rows, name_of(path))};
  return {SolverPrecision::mixed,
          fmt::format("{} rows are enough for {} to gain by smaller values of the matrix", rows, name_of(path))};
}

PreconditionerPlan planned_preconditioner(const SolverWish& wish, const CsrPattern& pattern,
                                          std::span<const std::int64_t> slot_of_entry) {
  try {
    return plan_preconditioner(wish.preconditioner, wish.polynomial, pattern, slot_of_entry);
  } catch (const std::invalid_argument& refusal) {
    throw InputError(fmt::format("linear_solver.preconditioner: {}", refusal.what()));
  }
}

}  // namespace

PrecisionChoice choose_precision(const Device& device, SolverPath path, Index rows, const SolverWish& wish) {
  if (wish.precision == SolverPrecision::automatic) {
    const MatrixOptions& matrix = wish.matrix;
    if (matrix.format != MatrixFormat::automatic && !has_single_values(matrix.format))
      return {SolverPrecision::double_precision, fmt::format("{} has no other", format_name(matrix))};
    return fastest_precision(device, path, rows, wish);
  }
  if (wish.precision != SolverPrecision::single) return {wish.precision, ""};
  if (wish.preconditioner != PreconditionerChoice::jacobi)
    throw InputError(
        "linear_solver.precision: single needs linear_solver.preconditioner: jacobi (mixed goes with every other)");
  if (wish.tolerance >= least_tolerance_in_single) return {SolverPrecision::single, ""};
  return {SolverPrecision::mixed,
          fmt::format("the run asks for linear solves to {:.1e}, and single precision holds no more than {:.0e}",
                      wish.tolerance, least_tolerance_in_single)};
}

SolverChoice choose_solver(const Device& device, std::span<const Index> row_length, const SolverWish& given) {
  SolverWish wish = given;
  if (needs_cpu(wish.preconditioner) && device.is_gpu)
    throw InputError(fmt::format("linear_solver.preconditioner: expected {} on a GPU, got '{}'",
                                 preconditioners_of_a_gpu(), name_of(wish.preconditioner, preconditioner_names)));
  if (wish.preconditioner == PreconditionerChoice::polynomial && !wish.polynomial.is_valid())
    throw InputError(fmt::format("linear_solver.preconditioner.degree: expected a whole number in [1, {}], got '{}'",
                                 PolynomialOptions::highest_degree, wish.polynomial.degree));
  if (wish.matrix_operator == OperatorKind::automatic) wish.matrix_operator = OperatorKind::assembled;  // the fastest
  if (wish.matrix_operator != OperatorKind::assembled && wish.preconditioner != PreconditionerChoice::jacobi)
    throw InputError(
        fmt::format("linear_solver.operator: {} needs linear_solver.preconditioner: jacobi, as it has no "
                    "matrix to make another from (auto has one)",
                    name_of(wish.matrix_operator)));
  const auto rows = static_cast<Index>(row_length.size());
  const auto path_in = [&](SolverPrecision precision) {
    wish.precision = precision;
    return choose_path(device, row_length, wish);
  };
  SolverPath path = path_in(SolverPrecision::double_precision);
  const PrecisionChoice precision = choose_precision(device, path, rows, given);
  if (precision.precision != SolverPrecision::double_precision) path = path_in(precision.precision);
  const MatrixOptions matrix = matrix_for(path, device, row_length, wish);
  require_precision(wish, matrix);
  return {given,
          path,
          matrix,
          reason_for(path, device, row_length, wish),
          precision.precision,
          precision.reason,
          wish.matrix_operator};
}

SolverPlan plan_solver(const Device& device, const SolverChoice& choice, const MatrixLayout& layout,
                       const CsrPattern& pattern) {
  SolverPlan plan;
  plan.preconditioner = planned_preconditioner(choice.wish, pattern, layout.slot_of_entry);
  plan.reason = choice.reason;
  plan.precision = choice.precision;
  plan.precision_reason = choice.precision_reason;
  const std::size_t of_value = bytes_a_value(plan.precision), of_number = bytes_a_number(plan.precision);
  if (choice.path == SolverPath::plain) return plan;
  const bool is_wish = plan.is_wish = choice.wish.path != SolverPath::automatic;
  const auto take = [&](SolverPath path, const std::string& why_not_the_choice) {
    plan.path = path;
    if (path != choice.path) plan.reason = why_not_the_choice;
    return plan;
  };

  plan.parts = matrix_parts(layout.ell_warp());
  if (!plan.parts) {
    const std::string reason = "parts that reach no more than 65,535 rows with those that they read of others";
    if (is_wish) refuse(choice.path, reason);
    return take(SolverPath::plain, "the parts of this matrix read too many rows of others");
  }
  if (choice.path == SolverPath::on_chip) {
    plan.on_chip = on_chip_shape(layout.ell_warp().shape, *plan.parts, device, of_value, of_number);
    if (plan.on_chip) {
      if (!is_wish && fill_device(*plan.parts, device))
        plan.persistent = persistent_shape(*plan.parts, device, of_number);
      return take(SolverPath::on_chip, "");
    }
    const std::string reason =
        fmt::format("a matrix that fits into {}: this one has {} rows with {} stored entries", on_chip_in_words(device),
                    layout.ell_warp().shape.rows(), layout.ell_warp().shape.stored_entries());
    if (is_wish) refuse(choice.path, reason);
  }
  const bool fills = is_wish ? fits_any_block(*plan.parts) : fill_device(*plan.parts, device);
  if (!fills) {
    if (is_wish)
      refuse(choice.path,
             fmt::format("parts whose {} rows and {} rows of others fit into 47 KiB (a smaller sorting_window)",
                         plan.parts->rows_a_part, plan.parts->longest_halo));
    plan.parts.reset();
    return take(SolverPath::plain,
                fmt::format("the parts of this matrix fit neither into {} nor are they enough to be read in turn",
                            on_chip_in_words(device)));
  }
  if (choice.path != SolverPath::in_parts) {
    plan.persistent = persistent_shape(*plan.parts, device, of_number);
    if (plan.persistent) return take(SolverPath::persistent, "the parts of this matrix do not fit on the chip");
    if (is_wish)
      refuse(choice.path, fmt::format("parts of which {} fit into the {} of shared memory of a block",
                                      persistent_groups, kibibytes(device.shared_bytes)));
  }
  return take(SolverPath::in_parts, "a block has no room for the parts of a solve in one launch");
}

std::string reason_for_path(const SolverPlan& plan, SolverPath used) {
  if (used == plan.path) return plan.reason;
  if (plan.is_wish) refuse(plan.path, "a device that can run all of its blocks at the same time");
  return fmt::format("the device cannot run all blocks of {} at the same time", name_of(plan.path));
}

}  // namespace cardiowarp
