// A single cell by the steps of tissue, and what is read from its beats.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "app/cells/sdirk2_cell.hpp"
#include "app/cells/small_models.hpp"
#include "fem/cells/beats/beat_curve.hpp"
#include "fem/cells/beats/restitution.hpp"
#include "fem/cells/ionic/models/courtemanche_1998.hpp"
#include "fem/cells/ionic/models/fenton_karma_1998.hpp"
#include "fem/cells/ionic/models/torord_dyncl_2020.hpp"
#include "fem/cells/models.hpp"
#include "fem/cells/reaction_element.hpp"
#include "tests/support/ionic_beats.hpp"

namespace cardiowarp {
namespace {

TEST(CurvePiece, HasThePotentialsAndTheRatesOfItsEnds) {
  const CurvePiece piece = hermite_piece(3, 0.7, {-81, 22}, {4, -9});
  EXPECT_DOUBLE_EQ(piece.value(0), -81);
  EXPECT_DOUBLE_EQ(piece.value(1), 22);
  EXPECT_NEAR(piece.slope(0), 4, 1e-12);
  EXPECT_NEAR(piece.slope(1), -9, 1e-12);
}

TEST(BeatCurve, FindsAPeakInsideAStepAndTheWayBack) {
  // A parabola from −80 to 20 mV at 1 ms and back: V = 20 − 100 (t − 1)².
  BeatCurve curve(50);
  const auto at = [](double t) { return 20 - 100 * (t - 1) * (t - 1); };
  const auto slope = [](double t) { return -200 * (t - 1); };
  const double ends[] = {0, 0.3, 1.4, 2};
  for (int k = 0; k < 3; ++k)
    curve.add(hermite_piece(50 + ends[k], ends[k + 1] - ends[k], {at(ends[k]), at(ends[k + 1])},
                            {slope(ends[k]), slope(ends[k + 1])}));
  const BeatReport beat = curve.report();
  EXPECT_NEAR(beat.peak_mv, 20, 1e-9);
  EXPECT_NEAR(beat.peak_ms, 1, 1e-6);
  EXPECT_NEAR(*beat.zero_ms, 1 - std::sqrt(0.2), 1e-9);
  EXPECT_EQ(beat.upstroke_ms, 0);
  EXPECT_NEAR(*beat.apd50_ms, 1 + std::sqrt(0.5), 1e-9);
  EXPECT_NEAR(*beat.apd90_ms, 1 + std::sqrt(0.9), 1e-9);
}

/// A beat of a model of the program with the usual steps, against another integrator.
template <class Cell>
void expect_beats_of_another_integrator(std::string_view set, const ChargedPulse& pulse, double tolerance) {
  const IonicModel* model = nullptr;
  for (const IonicModel* each : ionic_models())
    if (each->name() == Cell::name) model = each;
  std::size_t number = 0;
  while (model->sets()[number].name != set) ++number;
  Sdirk2Cell cell(ionic_cell(*model, number));
  PacedCell<Cell> other(set_of<Cell>(set));
  for (int beat = 0; beat < 2; ++beat) {
    const BeatReport found = cell.beat(700, {pulse.amplitude, pulse.duration_ms});
    const BeatShape expected = other.beat(pulse, 700);
    EXPECT_NEAR(found.rest_mv, expected.rest_mv, tolerance);
    EXPECT_NEAR(found.peak_mv, expected.peak_mv, tolerance);
    EXPECT_NEAR(*found.zero_ms, expected.zero_ms, tolerance);
    EXPECT_NEAR(*found.apd50_ms, expected.apd50_ms, tolerance);
    EXPECT_NEAR(*found.apd90_ms, expected.apd90_ms, tolerance);
  }
}

TEST(Sdirk2Cell, BeatsAsWithAnotherIntegrator) {
  expect_beats_of_another_integrator<Courtemanche1998>(Courtemanche1998::parameter_sets()[0].name, {20, 2}, 0.03);
  expect_beats_of_another_integrator<FentonKarma1998>("modified_luo_rudy", {40, 1}, 0.03);
  expect_beats_of_another_integrator<TorordDyncl2020>("midmyocardial", {53, 1}, 0.1);
}

TEST(Sdirk2Cell, GoesOnFromAStateBitForBit) {
  const IonicCell kind = ionic_cell(*ionic_models().front());
  Sdirk2Cell whole(kind), cut(kind);
  whole.beat(310, {40, 1});
  const SingleCellState state = whole.state();
  EXPECT_DOUBLE_EQ(state.time_ms, 310);
  const BeatReport expected = whole.beat(400, {40, 1});
  cut.set_state(state);
  const BeatReport found = cut.beat(400, {40, 1});
  EXPECT_EQ(found.apd90_ms, expected.apd90_ms);
  EXPECT_EQ(cut.state().potential_mv, whole.state().potential_mv);
  EXPECT_EQ(cut.state().states, whole.state().states);
}

TEST(Sdirk2Cell, TellsEachStepAndTheBeginning) {
  Sdirk2Cell cell(ionic_view(cell_model_named("mitchell_schaeffer")));
  std::vector<double> times;
  cell.beat(330, {40, 1}, [&](double time_ms, double, std::span<const double> states) {
    times.push_back(time_ms);
    EXPECT_EQ(states.size(), 1U);
  });
  EXPECT_EQ(times.front(), 0);
  EXPECT_EQ(times.back(), 330);
  EXPECT_NE(std::ranges::find(times, 1.0), times.end()) << "no step ends with the pulse";
  EXPECT_TRUE(std::ranges::is_sorted(times));
}

TEST(Sdirk2Cell, SaysWhereItsModelHasNoSolution) {
  IonicCell kind = ionic_cell(*ionic_models().front());
  kind.parameters[0] = NAN;
  Sdirk2Cell cell(kind);
  try {
    cell.beat(100, {40, 1});
    FAIL();
  } catch (const NumericalFailure& failure) {
    EXPECT_NE(std::string(failure.what()).find("at 0 ms and "), std::string::npos) << failure.what();
  }
}

TEST(SmallModels, HaveInMillivoltsTheStagesOfTheirElements) {
  const auto check = [](const auto& model, double potential_mv) {
    using Cell = std::decay_t<decltype(model)>;
    constexpr Scaling scaling = Cell::scaling;
    const IonicCell view = ionic_view(AnyCell(model));
    const std::vector<Real>& old = view.start().states;
    constexpr Real h = 0.3;  // ms
    std::vector<Real> states(old.size());
    const IonicCurrent ionic = view.model->stage(view, potential_mv, old.data(), h, states.data());
    const Real phi = scaling.phi_from_mv(potential_mv), tau = h / scaling.ms_per_tau;
    const auto point = point_reaction(model, phi, old.data(), tau);
    EXPECT_NEAR(1 / tau + ionic.slope * scaling.ms_per_tau, point.tangent, 1e-12 / tau);
    EXPECT_NEAR(phi / tau + ionic.current * scaling.ms_per_tau / scaling.mv_per_phi, point.residual, 1e-12 / tau);
    std::vector<Real> rates(old.size());
    view.model->rates(view, potential_mv, states.data(), rates.data());
    for (std::size_t i = 0; i < old.size(); ++i) {
      EXPECT_EQ(states[i], point.state[i]);
      EXPECT_NEAR(states[i], old[i] + h * rates[i], 1e-9);
    }
  };
  AlievPanfilov changed;
  changed.gamma = 0.017;
  check(changed, -13.0);
  check(MitchellSchaeffer{}, 7.0);
  check(std::get<BuenoOrovio>(*with_parameter_set(cell_model_named("bueno_orovio"), "midmyocardial")), -41.0);
  const IonicCell outside = ionic_view(AnyCell(AlievPanfilov{}));
  Real state = 0;
  EXPECT_TRUE(std::isnan(outside.model->stage(outside, -500, &state, 0.1, &state).current));
}

/// A period whose beats have these APD90; 0 is a pulse that is blocked.
Rhythm rhythm_of(const std::vector<double>& apd90_ms) {
  DynamicPeriod period{300};
  for (const double duration : apd90_ms) {
    RestitutionPoint& point = period.beats.emplace_back(RestitutionPoint{300, duration > 0});
    if (duration > 0) point.apd90_ms = duration;
  }
  return period.rhythm();
}

TEST(DynamicPeriod, KnowsItsRhythmByTheLastBeats) {
  EXPECT_EQ(rhythm_of({200, 201, 200}), Rhythm::unknown);
  EXPECT_EQ(rhythm_of({150, 250, 200, 201, 201.5, 201.7}), Rhythm::one_to_one);
  EXPECT_EQ(rhythm_of({200, 202, 204, 206}), Rhythm::one_to_one);  // on its way
  EXPECT_EQ(rhythm_of({200, 200.9, 200, 200.9}), Rhythm::one_to_one);
  EXPECT_EQ(rhythm_of({200, 200, 200, 201.1, 200, 201.1}), Rhythm::alternans);
  EXPECT_EQ(rhythm_of({200, 200, 0, 210, 0, 210, 0, 210, 0, 210}), Rhythm::two_to_one);
  EXPECT_EQ(rhythm_of({200, 180, 0, 200, 180, 0}), Rhythm::blocked);
  EXPECT_EQ(rhythm_of({200, 0, 0, 0, 0, 0, 0, 0, 0}), Rhythm::silent);
}

TEST(Restitution, CallsNoPulseACaptureThatLiftsACellLittleInAllBeats) {
  const IonicCell cell = ionic_view(cell_model_named("luo_rudy_1991"));
  Sdirk2Cell weak(cell), strong(cell), weak_again(cell);
  for (const RestitutionPoint& point : s1s2_restitution(weak, {7, 1}, 3, 500, {500, 410})) {
    EXPECT_FALSE(point.captured);
    EXPECT_FALSE(point.apd90_ms);
  }
  EXPECT_TRUE(s1s2_restitution(strong, {70, 1}, 3, 500, {500})[0].captured);
  EXPECT_EQ(dynamic_restitution(weak_again, {7, 1}, 5, {500})[0].rhythm(), Rhythm::silent);
}

TEST(DynamicRestitution, FindsAlternansAndBlockOfTenTusschersCell) {
  Sdirk2Cell cell(ionic_view(cell_model_named("ten_tusscher_2006")));
  const auto periods = dynamic_restitution(cell, {40, 1}, 9, {600, 320, 260});
  ASSERT_EQ(periods.size(), 3U);
  EXPECT_EQ(periods[0].beats.size(), 8U);  // the first beat of all has none before it
  EXPECT_EQ(periods[1].beats.size(), 9U);
  EXPECT_EQ(periods[1].beats[0].interval_ms, 600);  // of the last beat of the period before
  EXPECT_EQ(periods[1].beats[1].interval_ms, 320);
  EXPECT_EQ(periods[0].rhythm(), Rhythm::one_to_one);
  EXPECT_EQ(periods[2].rhythm(), Rhythm::alternans);
  Sdirk2Cell hurried(ionic_view(cell_model_named("ten_tusscher_2006")));
  EXPECT_EQ(dynamic_restitution(hurried, {40, 1}, 9, {600, 240})[1].rhythm(), Rhythm::two_to_one);
}

}  // namespace
}  // namespace cardiowarp
