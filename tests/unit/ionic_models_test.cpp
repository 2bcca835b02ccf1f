// What holds for the equations of every ionic cell model: derivatives, targets and speeds of its gates, initial states.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "fem/cells/ionic/models/courtemanche_1998.hpp"
#include "fem/cells/ionic/models/fenton_karma_1998.hpp"
#include "fem/cells/ionic/models/luo_rudy_1991.hpp"
#include "fem/cells/ionic/models/ohara_rudy_2011.hpp"
#include "fem/cells/ionic/models/stewart_2009.hpp"
#include "fem/cells/ionic/models/ten_tusscher_2006.hpp"
#include "fem/cells/ionic/models/torord_dyncl_2020.hpp"
#include "tests/support/ionic_beats.hpp"

namespace cardiowarp {
namespace {

/// Potentials at which a quotient of the model is 0 / 0.
template <class Cell>
const std::vector<Real> singular_potentials{};
template <>
const std::vector<Real> singular_potentials<TenTusscher2006>{15};
template <>
const std::vector<Real> singular_potentials<LuoRudy1991>{-47.13, -77};
template <>
const std::vector<Real> singular_potentials<Courtemanche1998>{-47.13, -14.1, -10, 3.3328, 7.9, 19.9};

template <>
const std::vector<Real> singular_potentials<OharaRudy2011>{0};
template <>
const std::vector<Real> singular_potentials<Stewart2009>{15};
template <>
const std::vector<Real> singular_potentials<TorordDyncl2020>{0};

using Models = ::testing::Types<TenTusscher2006, LuoRudy1991, Courtemanche1998, OharaRudy2011, Stewart2009,
                                FentonKarma1998, TorordDyncl2020>;

template <class Cell>
struct AnIonicModel : ::testing::Test {
  static constexpr int G = Cell::gates, P = Cell::gates + Cell::followers, states = states_of_ionic<Cell>;
  using States = std::array<Real, states>;

  template <class T>
  struct Outputs {
    std::array<T, states> target{}, speed{}, rate{};
    T current{};

    std::vector<T> all() const {
      std::vector<T> result{current};
      result.insert(result.end(), target.begin(), target.begin() + P);
      result.insert(result.end(), speed.begin(), speed.begin() + P);
      result.insert(result.end(), rate.begin() + P, rate.end());
      return result;
    }
  };

  template <class T>
  static Outputs<T> evaluate(const Cell& cell, const T& V, const std::array<T, states>& s) {
    Outputs<T> result;
    cell.gate(V, result.target.data(), result.speed.data());
    if constexpr (Cell::followers > 0)
      cell.follower(V, s.data(), s.data() + P, s.data() + P, result.target.data() + G, result.speed.data() + G);
    result.current = cell.current(V, s.data(), s.data() + G, s.data() + P, s.data() + P, result.rate.data() + P);
    constexpr int C = P + Cell::pools;
    if constexpr (C < states) cell.chain_rate(V, s.data() + C, result.rate.data() + C);
    return result;
  }

  /// All derivatives at a point against central differences, and the values of the two number types.
  static void expect_exact_derivatives(const Cell& cell, Real V, const States& s) {
    using D = Duals<states + 1>;
    std::array<D, states> dual_states;
    for (int i = 0; i < states; ++i) dual_states[i] = D(s[i], i + 1);
    const auto exact = evaluate(cell, D(V, 0), dual_states).all();
    const auto values = evaluate(cell, V, s).all();
    for (std::size_t k = 0; k < exact.size(); ++k)
      EXPECT_NEAR(exact[k].value, values[k], 1e-10 * std::abs(values[k]) + 1e-16) << "output " << k;
    for (int i = 0; i <= states; ++i) {
      const Real h = i == 0 ? 1e-4 : 1e-5 * std::max(std::abs(s[i - 1]), i <= P ? 1e-3 : 1e-9);
      const auto shifted = [&](Real by) {
        States moved = s;
        if (i > 0) moved[i - 1] += by;
        return evaluate(cell, i == 0 ? V + by : V, moved).all();
      };
      const auto above = shifted(h), below = shifted(-h);
      for (std::size_t k = 0; k < exact.size(); ++k) {
        const Real difference = (above[k] - below[k]) / (2 * h), slope = exact[k].slope[i];
        const Real tolerance = 1e-6 * std::abs(slope) + 1e-13 * (std::abs(values[k]) + 1e-3) / h;
        ASSERT_NEAR(slope, difference, tolerance)
            << Cell::name << ": output " << k << " by "
            << (i == 0 ? "V" : std::string(Cell::state_table()[static_cast<std::size_t>(i - 1)].name))
            << " at V = " << V;
      }
    }
  }
};
TYPED_TEST_SUITE(AnIonicModel, Models);

TEST(QuotientOfXOverExpMinus1, IsThatOfItsFormulaWithItsDerivativeOnBothSidesOfItsSeries) {
  EXPECT_EQ(x_over_exp_minus_1(0.), 1);
  for (const Real size : {1e-7, 3e-5, 0.99e-3, 1.01e-3, 0.03, 1.7, 20.})
    for (const Real x : {size, -size}) {
      const Real quotient = x / std::expm1(x);
      const auto with_slope = x_over_exp_minus_1(Duals<1>(x, 0));
      EXPECT_NEAR(x_over_exp_minus_1(x), quotient, 1e-12) << x;
      EXPECT_DOUBLE_EQ(with_slope.value, x_over_exp_minus_1(x)) << x;
      // q' = q (1 − q) / x − q, where the difference leaves few digits near 0; q' = −1/2 + x / 6 there
      const Real slope = size < 1e-2 ? -0.5 + x / 6 - x * x * x / 180 : quotient * (1 - quotient) / x - quotient;
      EXPECT_NEAR(with_slope.slope[0], slope, 1e-8) << x;
    }
}

TYPED_TEST(AnIonicModel, HasTheDerivativesOfItsFormulasAlsoWhereAQuotientIsSingular) {
  using Cell = TypeParam;
  for (const auto& set : Cell::parameter_sets()) {
    PacedCell<Cell> cell(set);
    for (const int steps : {1, 299, 1807, 19001}) {  // to 0.005, 1.5, 10.5 and 105.5 ms
      for (int i = 0; i < steps; ++i) cell.step(0.005, 0);
      std::vector<Real> potentials = singular_potentials<Cell>;
      for (const Real V : singular_potentials<Cell>) potentials.push_back(V + 2e-3);
      for (const Real V : {cell.potential(), -121.3, -87.1, -52.7, -37.3, 11.9, 47.1}) potentials.push_back(V);
      for (const Real V : potentials) this->expect_exact_derivatives(set.parameters, V, cell.all_states());
    }
  }
}

TYPED_TEST(AnIonicModel, HasGatesThatStayBetween0And1AndPositiveSpeeds) {
  using Cell = TypeParam;
  for (const auto& set : Cell::parameter_sets())
    for (Real V = -150; V <= 100; V += 0.37) {
      std::array<Duals<1>, states_of_ionic<Cell>> target, speed;
      set.parameters.gate(Duals<1>(V, 0), target.data(), speed.data());
      for (std::size_t i = 0; i < Cell::gates; ++i) {
        ASSERT_GE(target[i].value, 0) << Cell::state_table()[i].name << " at " << V;
        ASSERT_LE(target[i].value, 1) << Cell::state_table()[i].name << " at " << V;
        ASSERT_GT(speed[i].value, 0) << Cell::state_table()[i].name << " at " << V;
        ASSERT_TRUE(std::isfinite(speed[i].slope[0] + target[i].slope[0]))
            << Cell::state_table()[i].name << " at " << V;
      }
    }
}

TYPED_TEST(AnIonicModel, HasSetsWhoseStatesAreInRangeAndChangeLittleFromTheBeginning) {
  using Cell = TypeParam;
  for (const auto& set : Cell::parameter_sets()) {
    for (std::size_t i = 0; i < set.states.size(); ++i)
      EXPECT_TRUE(Cell::state_table()[i].range.contains(set.states[i]))
          << set.name << " " << Cell::state_table()[i].name;
    PacedCell<Cell> cell(set);
    EXPECT_LT(std::abs(cell.rate_of_potential()), 0.3) << set.name;
    for (int i = 0; i < 200; ++i) cell.step(0.005, 0);  // 1 ms
    EXPECT_NEAR(cell.potential(), set.potential_mv, 0.3) << set.name;
  }
}

TYPED_TEST(AnIonicModel, HasParametersWithinTheirRangesAndNamesThatAreItsOwn) {
  using Cell = TypeParam;
  std::set<std::string_view> names;
  for (const auto& state : Cell::state_table()) EXPECT_TRUE(names.insert(state.name).second) << state.name;
  for (const auto& parameter : Cell::parameter_table()) {
    EXPECT_TRUE(names.insert(parameter.name).second) << parameter.name;
    for (const auto& set : Cell::parameter_sets())
      EXPECT_TRUE(parameter.range.contains(set.parameters.*parameter.value)) << set.name << " " << parameter.name;
  }
  EXPECT_EQ(Cell::parameter_sets()[0].parameters, Cell());
}

TYPED_TEST(AnIonicModel, FeelsEachOfItsParameters) {
  using Cell = TypeParam;
  const auto in_two_beats_of = [](const IonicSet<Cell>& set) {
    std::vector<Real> potentials;
    PacedCell<Cell> cell(set);
    for (int i = 0; i < 26000; ++i) {  // 520 ms, with pulses of 0.5 ms at 0 and 300 ms
      cell.step(0.02, i % 15000 < 25 ? 90 : 0);
      if (i % 500 == 499) potentials.push_back(cell.potential());
    }
    return potentials;
  };
  const IonicSet<Cell> set = Cell::parameter_sets()[0];
  const std::vector<Real> potentials = in_two_beats_of(set);
  for (const auto& parameter : Cell::parameter_table()) {
    IonicSet<Cell> changed = set;
    changed.parameters.*parameter.value *= 1.1;
    const std::vector<Real> others = in_two_beats_of(changed);
    Real difference = 0;
    for (std::size_t i = 0; i < others.size(); ++i)
      difference = std::max(difference, std::abs(others[i] - potentials[i]));
    EXPECT_GT(difference, 1e-5) << parameter.name;
  }
}

}  // namespace
}  // namespace cardiowarp
