#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/config/config_names.hpp"
#include "app/config/map_kind.hpp"

namespace cardiowarp::test {

/// All schemes of order 2, for tests with a parameter.
inline auto second_order_schemes(bool explicit_ones_too = true) {
  std::vector<TimeScheme> schemes;
  for (const TimeSchemeTraits& traits : time_schemes)
    if (traits.order == 2 && (explicit_ones_too || traits.solves_systems)) schemes.push_back(traits.scheme);
  return testing::ValuesIn(schemes);
}
/// The schemes of order 2 that solve equations in each step.
inline auto implicit_schemes_of_order_two() { return second_order_schemes(false); }

/// The quadrature with which a scheme works.
inline Quadrature quadrature_for(TimeScheme scheme) {
  return traits_of(scheme).solves_systems ? Quadrature::centroid : Quadrature::vertices;
}

inline std::string name_of_scheme(TimeScheme scheme) { return name_of(scheme, time_scheme_names); }

inline std::string name_of_scheme_in_test(const testing::TestParamInfo<TimeScheme>& info) {
  return name_of_scheme(info.param);
}

}  // namespace cardiowarp::test
