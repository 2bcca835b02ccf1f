#include "app/measure/table.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <variant>

#include "app/measure/spread.hpp"

namespace cardiowarp {
namespace {

const Table two_rows{
    {"mesh", "nodes", "correct", "gb_per_s"},
    {{"heart", std::int64_t{3000000000}, true, 4302.987654}, {"a, \"b\"", std::monostate(), false, std::monostate()}}};

TEST(Table, IsCsvWithQuotesOnlyWhereATextNeedsThem) {
  EXPECT_EQ(csv_text(two_rows), "mesh,nodes,correct,gb_per_s\nheart,3000000000,yes,4302.99\n\"a, \"\"b\"\"\",,no,\n");
  EXPECT_EQ(csv_text({{"a"}, {}}), "a\n");
}

TEST(Table, IsJsonWithAnObjectARowAndNullForAnEmptyCell) {
  EXPECT_EQ(nlohmann::ordered_json::parse(json_text(two_rows)).dump(),
            R"([{"mesh":"heart","nodes":3000000000,"correct":true,"gb_per_s":4302.987654},)"
            R"({"mesh":"a, \"b\"","nodes":null,"correct":false,"gb_per_s":null}])");
  EXPECT_EQ(json_text({{"a"}, {}}), "[]\n");
}

TEST(Table, IsValidJsonForTextThatIsNotUtf8) {
  EXPECT_EQ(nlohmann::json::parse(json_text({{"mesh"}, {{"caf\xE9"}}}))[0]["mesh"], "caf\xEF\xBF\xBD");
}

TEST(Table, IsAlignedForReadingNumbersToTheRight) {
  EXPECT_EQ(aligned_text(two_rows),
            "mesh         nodes  correct  gb_per_s\n"
            "heart   3000000000      yes      4303\n"
            "a, \"b\"           -       no         -\n");
}

TEST(Table, GivesTheColumnsThatAreAskedForInTheirOrder) {
  EXPECT_EQ(csv_text(with_columns(two_rows, {"correct", "mesh"})), "correct,mesh\nyes,heart\nno,\"a, \"\"b\"\"\"\n");
}

TEST(Spread, TheMedianOfAnEvenNumberIsTheMeanOfTheTwoInTheMiddle) {
  const Spread odd = spread_of({5, 1, 2}), even = spread_of({8, 1, 2, 4}), one = spread_of({7});
  EXPECT_EQ(odd.median, 2);
  EXPECT_EQ(even.median, 3);
  EXPECT_EQ(even.shortest, 1);
  EXPECT_EQ(even.longest, 8);
  EXPECT_EQ(one.median, 7);
}

}  // namespace
}  // namespace cardiowarp
