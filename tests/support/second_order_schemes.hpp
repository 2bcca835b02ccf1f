#pragma once
#include <gtest/gtest.h>

#include <string>

#include "app/config/config_names.hpp"

namespace cardiowarp::test {

/// All schemes of order 2, for tests with a parameter.
inline auto second_order_schemes() {
  return testing::Values(TimeScheme::sdirk2, TimeScheme::trbdf2, TimeScheme::bdf2, TimeScheme::rkc2);
}
/// The schemes of order 2 that solve equations in each step.
inline auto implicit_schemes_of_order_two() {
  return testing::Values(TimeScheme::sdirk2, TimeScheme::trbdf2, TimeScheme::bdf2);
}

/// The quadrature with which a scheme works.
inline Quadrature quadrature_for(TimeScheme scheme) {
  return scheme == TimeScheme::rkc2 ? Quadrature::vertices : Quadrature::centroid;
}

inline std::string name_of_scheme(TimeScheme scheme) { return name_of(scheme, time_scheme_names); }

inline std::string name_of_scheme_in_test(const testing::TestParamInfo<TimeScheme>& info) {
  return name_of_scheme(info.param);
}

}  // namespace cardiowarp::test
