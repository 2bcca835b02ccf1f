#include "app/config/quantity.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace cardiowarp {
namespace {

struct Example {
  std::string text;
  Real value;
  std::optional<Dimension> dimension;
};

TEST(Quantity, IsConvertedToMillimetresMillisecondsAndMillivolts) {
  const Dimension length{1, 0, 0}, time{0, 1, 0}, potential{0, 0, 1}, diffusivity{2, -1, 0}, rate{0, -1, 1};
  const std::vector<Example> examples{{"0.1 ms", 0.1, time},
                                      {"0.5 s", 500, time},
                                      {"250us", 0.25, time},
                                      {"20 \u00b5s", 0.02, time},
                                      {"10 mm", 10, length},
                                      {"2 m", 2000, length},
                                      {"1.5cm", 15, length},
                                      {"100 um", 0.1, length},
                                      {"100 \u03bcm", 0.1, length},
                                      {"-80 mV", -80, potential},
                                      {"-0.08 V", -80, potential},
                                      {"1 mm^2/ms", 1, diffusivity},
                                      {"1 mm2/ms", 1, diffusivity},
                                      {"1 mm\u00b2/ms", 1, diffusivity},
                                      {"1 mm*mm/ms", 1, diffusivity},
                                      {"1 mm\u00b7mm ms^-1", 1, diffusivity},
                                      {"1 mm mm ms\u207b\u00b9", 1, diffusivity},
                                      {"1 cm^2/s", 0.1, diffusivity},
                                      {"1 m^2/s", 1000, diffusivity},
                                      {"0.0012 cm^2 / s", 0.00012, diffusivity},
                                      {"35.7 mV/ms", 35.7, rate},
                                      {"35.7 V/s", 35.7, rate},
                                      {"0.2 m/s", 0.2, Dimension{1, -1, 0}},
                                      {"2 cm\u00b3", 2000, Dimension{3, 0, 0}},
                                      {"6 mV/mm/ms", 6, Dimension{-1, -1, 1}},
                                      {"0.5 %", 0.5, Dimension{0, 0, 0, 1}},
                                      {"12%", 12, Dimension{0, 0, 0, 1}},
                                      {"35 pA/pF", 35, rate},
                                      {"-52 uA/uF", -52, rate},
                                      {"3 A/F", 3, rate},
                                      {"4 nA/pF", 4000, rate},
                                      {"2 mF V/s", 0.002, Dimension{0, 0, 0, 0, 1}},
                                      {"0.5 mS mV", 0.5e-6, Dimension{0, 0, 0, 0, 1}}};
  for (const auto& [text, value, dimension] : examples) {
    const auto quantity = parse_quantity(text);
    ASSERT_TRUE(quantity) << text;
    EXPECT_DOUBLE_EQ(quantity->value, value) << text;
    EXPECT_EQ(quantity->dimension, dimension) << text;
  }
}

TEST(Quantity, WithoutUnitHasNoDimension) {
  for (const auto& [text, value] : std::vector<std::pair<std::string, Real>>{
           {"5", 5}, {"+5", 5}, {"-0.25", -0.25}, {".5", 0.5}, {"1e-3", 1e-3}, {"1.0E+2", 100}, {" 7 ", 7}}) {
    const auto quantity = parse_quantity(text);
    ASSERT_TRUE(quantity) << text;
    EXPECT_EQ(quantity->value, value) << text;
    EXPECT_FALSE(quantity->dimension) << text;
  }
}

TEST(Quantity, IsRefusedWhenItIsNotAFiniteNumberWithKnownUnits) {
  for (const std::string text :
       {"",         " ",         "ms",     "abc",   "inf",   "-inf",    "nan",    ".inf",     ".nan",
        "infinity", "1e999",     "1 e3",   "0x10",  "1,5",   "1 2",     "--1",    "+-1",      "1 Ms",
        "1 sec",    "1 mm^",     "1 mm^0", "1 mm/", "1 /ms", "1 *",     "1 m//s", "1 mm^1.5", "1 mm^10",
        "1 (mm)",   "1e308 m^9", "5 ms!",  "1 mv",  "1e",    "1 mm^2^2"}) {
    EXPECT_FALSE(parse_quantity(text)) << text;
  }
}

}  // namespace
}  // namespace cardiowarp
