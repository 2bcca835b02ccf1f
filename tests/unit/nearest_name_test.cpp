#include "fem/nearest_name.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace cardiowarp {
namespace {

const std::vector<std::string> keys{"potential", "recovery", "fiber", "interval", "c"};

TEST(NearestName, FindsAReplacedAMissingAnExtraAndASwappedLetter) {
  EXPECT_EQ(nearest_name("potentiel", keys), "potential");
  EXPECT_EQ(nearest_name("potntial", keys), "potential");
  EXPECT_EQ(nearest_name("fibers", keys), "fiber");
  EXPECT_EQ(nearest_name("intevral", keys), "interval");
}

TEST(NearestName, IgnoresCapitals) { EXPECT_EQ(nearest_name("RECOVERY", keys), "recovery"); }

TEST(NearestName, CountsASwapOfNeighborsAsOneChange) {
  EXPECT_EQ(nearest_name("icso", std::vector<std::string>{"iso"}), "iso");
  EXPECT_EQ(nearest_name("sio", std::vector<std::string>{"iso"}), "iso");  // two replacements would be too many for 3
}

TEST(NearestName, PrefersTheFewestChangesAndThenTheFirst) {
  EXPECT_EQ(nearest_name("scr", std::vector<std::string>{"sco", "scrr", "scar"}), "sco");
  EXPECT_EQ(nearest_name("endo_lw", std::vector<std::string>{"endo_rv", "endo_lv"}), "endo_lv");
}

TEST(NearestName, IsEmptyWhenNothingIsNear) {
  EXPECT_EQ(nearest_name("tolerance", keys), "");
  EXPECT_EQ(nearest_name("d", keys), "");
  EXPECT_EQ(nearest_name("fibula", keys), "");  // three of six letters differ from "fiber"
  EXPECT_EQ(nearest_name("", keys), "");
  EXPECT_EQ(nearest_name("potential", {}), "");
}

TEST(NearestName, ComparesNoWordsThatNobodyTypes) {
  const std::string longest(200, 'a'), longer(201, 'a');
  EXPECT_EQ(nearest_name(longest + "b", std::vector<std::string>{longest}), "");
  EXPECT_EQ(nearest_name(longest.substr(1) + "b", std::vector<std::string>{longest, longer}), longest);
  // The squares of these lengths would be days.
  EXPECT_EQ(nearest_name(std::string(10'000'000, 'a'), std::vector<std::string>{std::string(10'000'000, 'b')}), "");
}

TEST(NearestName, FindsTheOnlyNameThatBeginsSo) {
  const std::vector<std::string> meshes{"biventricle", "slab", "bidomain_slab"};
  EXPECT_EQ(nearest_name("bivent", meshes), "biventricle");
  EXPECT_EQ(nearest_name("BIV", meshes), "biventricle");
  EXPECT_EQ(nearest_name("bi", meshes), "");
  EXPECT_EQ(nearest_name("bid", std::vector<std::string>{"bidomain_slab", "bidomain_heart"}), "");
  EXPECT_EQ(nearest_name("", meshes), "");
}

}  // namespace
}  // namespace cardiowarp
