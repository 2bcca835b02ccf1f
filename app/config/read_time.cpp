#include "app/config/read_time.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/config/config_names.hpp"

namespace cardiowarp {
namespace {

/// Steps are counted in an int.
constexpr int most_steps = 1'000'000'000;

/// The default tolerance and longest step of adaptive steps with a scheme of order 2. Such steps make activation times
/// at most 0.1 % wrong by themselves with every such scheme but bdf2 (docs/method/verification.md).
constexpr Real order_two_tolerance = 2e-3, order_two_longest_ms = 5;
/// The smallest tolerance that a user can ask of a scheme of order 2. A linear solve may leave a fiftieth of the
/// tolerance as error, and its rounding alone leaves more than 1e-14.
constexpr Real smallest_order_two_tolerance = 1e-10;

/// Larger errors than this are no answer: who allows them most likely means something else.
constexpr Real largest_percent = 10;

/// The tolerance where none is found from an accuracy.
Real read_step_tolerance(const YamlReader& in, const TimeConfig& time, Real usual) {
  const Real tolerance = in.number(plain_number, {0, 1, false, false}, usual);
  if (time.interpolates() && tolerance < smallest_order_two_tolerance)
    in.fail(fmt::format("at least {:g} with time.scheme: {}, above rounding errors", smallest_order_two_tolerance,
                        name_of(time.scheme, time_scheme_names)));
  return tolerance;
}

AdaptiveConfig read_adaptive(const YamlReader& in, const TimeConfig& time,
                             const std::optional<AccuracyConfig>& accuracy) {
  in.expect_keys({"enabled", "tolerance", "min_step", "max_step"});
  AdaptiveConfig adaptive;
  if (time.interpolates()) adaptive = {.tolerance = order_two_tolerance, .max_step_ms = order_two_longest_ms};
  adaptive.min_step_ms = std::min(adaptive.min_step_ms, time.step_ms);
  adaptive.max_step_ms = std::max(adaptive.max_step_ms, time.step_ms);
  adaptive.enabled = in["enabled"].boolean(accuracy.has_value());
  if (accuracy && !adaptive.enabled)
    in["enabled"].fail("true, or no such key, as accuracy is given, whose steps are adaptive");
  if (!accuracy)
    adaptive.tolerance = read_step_tolerance(in["tolerance"], time, adaptive.tolerance);
  else if (in["tolerance"].present() && !in["tolerance"].is("auto"))
    in["tolerance"].fail("auto, or no such key, as accuracy is given, from which the tolerance is found");
  adaptive.min_step_ms = in["min_step"].number(time_quantity, positive, adaptive.min_step_ms);
  if (!accuracy || !accuracy->finds_max_step)
    adaptive.max_step_ms = in["max_step"].number(time_quantity, positive, adaptive.max_step_ms);
  if (!adaptive.enabled) return adaptive;
  if (time.end_ms / adaptive.min_step_ms > most_steps)
    in["min_step"].fail(fmt::format("at least time.end / {}", most_steps), fmt::format("{} ms", adaptive.min_step_ms));
  if (adaptive.min_step_ms > time.step_ms)
    in["min_step"].fail(fmt::format("at most time.step, {} ms", time.step_ms),
                        fmt::format("{} ms", adaptive.min_step_ms));
  if (adaptive.max_step_ms < time.step_ms)
    in["max_step"].fail(fmt::format("at least time.step, {} ms", time.step_ms),
                        fmt::format("{} ms", adaptive.max_step_ms));
  return adaptive;
}

}  // namespace

std::optional<AccuracyConfig> read_accuracy(const YamlReader& in, const YamlReader& max_step) {
  if (!in.present()) return std::nullopt;
  in.expect_keys({"activation", "apd90"});
  const AccuracyConfig accuracy{in["activation"].number_if_present(percentage, {0, largest_percent, false, true}),
                                in["apd90"].number_if_present(time_quantity, positive),
                                !max_step.present() || max_step.is("auto")};
  if (!accuracy.activation_percent && !accuracy.apd90_ms) in.fail("activation, apd90 or both", "none");
  return accuracy;
}

TimeConfig read_time(const YamlReader& in, const std::optional<AccuracyConfig>& accuracy) {
  in.expect_keys({"end", "step", "scheme", "adaptive"});
  TimeConfig time;
  time.end_ms = in["end"].number(time_quantity, positive);
  time.step_ms = in["step"].number(time_quantity, positive);
  time.scheme = in["scheme"].one_of(time_scheme_names, time.scheme);
  if (time.step_ms > time.end_ms) in["step"].fail(fmt::format("at most time.end, {} ms", time.end_ms));
  if (time.end_ms / time.step_ms > most_steps) in["step"].fail(fmt::format("at least time.end / {}", most_steps));
  time.adaptive = read_adaptive(in["adaptive"], time, accuracy);
  return time;
}

std::optional<CheckpointConfig> read_checkpoint(const YamlReader& in) {
  if (!in.present()) return std::nullopt;
  in.expect_keys({"interval", "keep"});
  CheckpointConfig checkpoint;
  checkpoint.interval_ms = in["interval"].number(time_quantity, positive);
  checkpoint.keep = in["keep"].whole_number(1, 1000, checkpoint.keep);
  return checkpoint;
}

}  // namespace cardiowarp
