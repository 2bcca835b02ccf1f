#include <fmt/format.h>

#include <algorithm>

#include "app/config/sections.hpp"
#include "app/config/time_config.hpp"
#include "app/config/value_meanings.hpp"
#include "app/config/yaml_text.hpp"

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

const NamedValues or_auto{{"auto", "found by the program"}};
const Range tolerance_range{0, 1, false, false};

AdaptiveConfig usual_adaptive(const TimeConfig& time, bool has_accuracy) {
  AdaptiveConfig adaptive;
  if (time.interpolates()) adaptive = {.tolerance = order_two_tolerance, .max_step_ms = order_two_longest_ms};
  adaptive.enabled = has_accuracy;
  adaptive.min_step_ms = std::min(adaptive.min_step_ms, time.step_ms);
  adaptive.max_step_ms = std::max(adaptive.max_step_ms, time.step_ms);
  return adaptive;
}

/// The tolerance where none is found from an accuracy.
Real read_step_tolerance(const YamlReader& in, const TimeConfig& time, Real usual) {
  const Real tolerance = in.number(plain_number, tolerance_range, usual);
  if (time.interpolates() && tolerance < smallest_order_two_tolerance)
    in.fail(fmt::format("at least {:g} with time.scheme: {}, above rounding errors", smallest_order_two_tolerance,
                        name_of(time.scheme, time_scheme_names)));
  return tolerance;
}

/// What was found from an accuracy is a comment: read back, it is found again.
std::string found(bool is_found, Real value) { return (is_found ? "auto  # " : "") + yaml_number(value); }

/// The steps against each other.
void check_adaptive(const YamlReader& in, const AdaptiveConfig& adaptive, const TimeConfig& time) {
  if (!adaptive.enabled) return;
  if (time.end_ms / adaptive.min_step_ms > most_steps)
    in["min_step"].fail(fmt::format("at least time.end / {}", most_steps), fmt::format("{} ms", adaptive.min_step_ms));
  if (adaptive.min_step_ms > time.step_ms)
    in["min_step"].fail(fmt::format("at most time.step, {} ms", time.step_ms),
                        fmt::format("{} ms", adaptive.min_step_ms));
  if (adaptive.max_step_ms < time.step_ms)
    in["max_step"].fail(fmt::format("at least time.step, {} ms", time.step_ms),
                        fmt::format("{} ms", adaptive.max_step_ms));
}

void visit_adaptive(KeyVisitor& keys, TimeConfig& time, const std::optional<AccuracyConfig>& accuracy) {
  AdaptiveConfig& adaptive = time.adaptive;
  const bool finds_max_step = accuracy && accuracy->finds_max_step;
  keys.truth({"enabled",
              "Whether steps are as long as their error allows. `step` is then the first one, and the longest after a "
              "stimulus begins or ends."},
             adaptive.enabled);
  if (keys.reading() && accuracy && !adaptive.enabled)
    (*keys.reading())["enabled"].fail("true, or no such key, as accuracy is given, whose steps are adaptive");
  keys.special(
      {"tolerance", "The largest error that a step may make in the dimensionless potential.",
       "2e-3, with `backward_euler` 1e-3",
       "in (0, 1), at least 1e-10 with a scheme of order 2; with `accuracy` only `auto`"},
      {.kind = KeyKind::number, .range = tolerance_range, .names = or_auto},
      [&](const YamlReader& in) {
        if (!accuracy)
          adaptive.tolerance = read_step_tolerance(in, time, adaptive.tolerance);
        else if (in.present() && !in.is("auto"))
          in.fail("auto, or no such key, as accuracy is given, from which the tolerance is found");
      },
      [&] { return found(accuracy.has_value(), adaptive.tolerance); });
  keys.number({"min_step", "The shortest step.", "0.01, or `step`", "at most `step`, at least `end` / 10⁹"},
              adaptive.min_step_ms, time_quantity, positive);
  keys.special(
      {"max_step", "The longest step.", "5, with `backward_euler` 2, or `step`",
       "at least `step`; with `accuracy` also `auto`"},
      {.kind = KeyKind::number, .quantity = time_quantity, .range = positive, .names = or_auto},
      [&](const YamlReader& in) {
        if (!finds_max_step) adaptive.max_step_ms = in.number(time_quantity, positive, adaptive.max_step_ms);
      },
      [&] { return found(finds_max_step, adaptive.max_step_ms); });
  if (keys.reading()) check_adaptive(*keys.reading(), adaptive, time);
}

}  // namespace

void visit_time(KeyVisitor& keys, TimeConfig& time, const std::optional<AccuracyConfig>& accuracy) {
  const YamlReader* const in = keys.reading();
  keys.number({"end", "The end of the simulation, which begins at 0.", required}, time.end_ms, time_quantity, positive);
  keys.number({"step", "The length of a time step; with adaptive steps of the first.", required,
               "positive, at most `end`, at least `end` / 10⁹"},
              time.step_ms, time_quantity, positive);
  keys.choice({"scheme", "How the steps in time are made."}, time.scheme, time_scheme_names, time_scheme_meanings);
  if (in && time.step_ms > time.end_ms) (*in)["step"].fail(fmt::format("at most time.end, {} ms", time.end_ms));
  if (in && time.end_ms / time.step_ms > most_steps)
    (*in)["step"].fail(fmt::format("at least time.end / {}", most_steps));
  if (in) time.adaptive = usual_adaptive(time, accuracy.has_value());
  keys.section({"adaptive", "Steps by their error in place of equal ones."},
               [&](KeyVisitor& inside) { visit_adaptive(inside, time, accuracy); });
}

void visit_accuracy(KeyVisitor& keys, AccuracyConfig& accuracy) {
  const Range percents{0, largest_percent, false, true};
  keys.special(
      {"activation", "The largest error of an activation time, as part of the time since the first activation.",
       "any error"},
      {.kind = KeyKind::number, .quantity = percentage, .range = percents},
      [&](const YamlReader& in) { accuracy.activation_percent = in.number_if_present(percentage, percents); },
      [&] { return accuracy.activation_percent ? yaml_number(*accuracy.activation_percent) + " %" : ""; });
  keys.special(
      {"apd90", "The largest error of the duration of an action potential, APD90.", "any error"},
      {.kind = KeyKind::number, .quantity = time_quantity, .range = positive},
      [&](const YamlReader& in) { accuracy.apd90_ms = in.number_if_present(time_quantity, positive); },
      [&] { return accuracy.apd90_ms ? yaml_number(*accuracy.apd90_ms) + " ms" : ""; });
  if (keys.reading() && !accuracy.activation_percent && !accuracy.apd90_ms)
    keys.reading()->fail("activation, apd90 or both", "none");
}

void visit_checkpoint(KeyVisitor& keys, CheckpointConfig& checkpoint) {
  keys.number({"interval", "The simulated time between two. There is also one at the end of the run.", required},
              checkpoint.interval_ms, time_quantity, positive);
  keys.whole_number({"keep", "How many of the newest are kept."}, checkpoint.keep, 1, 1000);
}

void visit_newton(KeyVisitor& keys, NewtonConfig& newton, bool& follows_step, const TimeConfig& time) {
  keys.special(
      {"tolerance",
       "The change of the dimensionless potential at which iterations end. `auto` is 1e-8, or with a scheme of order 2 "
       "what suits the steps.",
       "`auto`"},
      {.kind = KeyKind::number, .quantity = number_or_auto, .range = positive, .names = or_auto},
      [&](const YamlReader& in) {
        const bool is_number = in.present() && in.text("a number or auto") != "auto";
        if (is_number) newton.tolerance = in.number(number_or_auto, positive);
        follows_step = !is_number && time.interpolates();
      },
      [&] { return follows_step ? "auto" : yaml_number(newton.tolerance); });
  keys.whole_number({"max_iterations", "The most iterations of a step."}, newton.max_iterations, 1, 1000);
  keys.choice({"forcing", "How accurately the linear systems are solved."}, newton.forcing, forcing_names,
              forcing_meanings);
}

}  // namespace cardiowarp
