#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <optional>
#include <string_view>

#include "app/bench/stand_in.hpp"
#include "fem/input_error.hpp"
#include "fem/nearest_name.hpp"

namespace cardiowarp {
namespace {

std::optional<std::uint64_t> parse_seed(std::string_view text) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return seed;
}

[[noreturn]] void throw_unknown(const std::string& name) {
  std::vector<std::string> valid;
  for (const MatrixClass& c : table_ii_classes()) valid.push_back(c.name);
  valid.emplace_back("all");
  throw InputError(fmt::format("--stand-in: unknown matrix '{}'; expected {}{}", name, fmt::join(valid, ", "),
                               suggestion(name, valid)));
}

}  // namespace

const std::vector<MatrixClass>& table_ii_classes() {
  using enum LengthLaw;
  // name, rows, entries, shortest, longest, law, spread, node_rows, dimensions, irregularity, far_columns
  static const std::vector<MatrixClass> classes{
      {"circuit", 170'998, 958'936, 1, 353, power, 0.29, 1, 2, 1, 0.2},
      {"economics", 206'500, 1'273'389, 1, 44, bell, 1.5, 1, 1, 2, 0.3},
      {"epidemiology", 525'825, 2'100'225, 2, 4, bell, 0.2, 1, 2, 0, 0},
      {"fem_accelerator", 121'192, 2'624'331, 8, 81, bell, 0.8, 1, 3, 1, 0},
      {"fem_cantilever", 62'451, 4'007'383, 1, 78, bell, 0.15, 3, 3, 0.3, 0},
      {"fem_harbor", 46'835, 2'374'001, 4, 145, bell, 0.47, 5, 3, 0.5, 0},
      {"fem_ship", 140'874, 7'813'404, 24, 102, bell, 0.35, 6, 2, 0.3, 0},
      {"fem_spheres", 83'334, 6'010'480, 1, 81, bell, 0.15, 3, 3, 0.3, 0},
      {"protein", 36'417, 4'344'765, 18, 204, bell, 0.35, 3, 3, 1, 0.02},
      {"qcd", 49'152, 1'916'928, 39, 39, bell, 0, 3, 4, 0, 0},
      {"webbase", 1'000'005, 3'105'536, 1, 4700, power, 0.57, 1, 1, 1, 0.5},
      {"wind_tunnel", 217'918, 11'634'424, 2, 180, bell, 0.2, 6, 3, 0.3, 0},
  };
  return classes;
}

std::vector<StandIn> parse_stand_ins(const std::vector<std::string>& words) {
  std::vector<StandIn> stand_ins;
  for (const std::string& word : words) {
    const std::size_t colon = word.find(':');
    const std::string name = word.substr(0, colon);
    std::optional<std::uint64_t> seed;
    if (colon != std::string::npos) {
      seed = parse_seed(std::string_view(word).substr(colon + 1));
      if (!seed)
        throw InputError(fmt::format("--stand-in: expected NAME or NAME:SEED with a whole number, got '{}'", word));
    }
    const std::size_t before = stand_ins.size();
    for (const MatrixClass& c : table_ii_classes())
      if (name == c.name || name == "all") stand_ins.push_back({seed ? variation(c, *seed) : c, seed.value_or(0)});
    if (stand_ins.size() == before) throw_unknown(name);
  }
  return stand_ins;
}

}  // namespace cardiowarp
