#include "fem/further_tags.hpp"

#include <gtest/gtest.h>

#include "fem/mesh.hpp"

namespace cardiowarp {
namespace {

using Tags = std::vector<int>;

TEST(TagSets, NumbersEachSetOnceWhateverTheOrderOfItsTags) {
  TagSets sets;
  EXPECT_EQ(sets.number_of({}), 0);
  EXPECT_EQ(sets.number_of({7, 4}), 1);
  EXPECT_EQ(sets.number_of({9}), 2);
  EXPECT_EQ(sets.number_of({4, 7, 4}), 1);
  EXPECT_EQ(sets.sets(), (std::vector<Tags>{{}, {4, 7}, {9}}));
  TagSets goes_on(sets.sets());
  EXPECT_EQ(goes_on.number_of({9}), 2);
  EXPECT_EQ(goes_on.number_of({4}), 3);
}

const Tags tags{1, 1, 1, 4, 4};
const FurtherTags further{{0, 0, 1, 0, 2}, {{}, {4}, {7, 9}}};

TEST(FurtherTags, AreFoundAsTheFirstTagIs) {
  const auto cells_with = [](const FurtherTags& of_cells, int tag) {
    const HasTag has_tag(tags, of_cells, tag);
    std::vector<std::size_t> cells;
    for (std::size_t cell = 0; cell < tags.size(); ++cell)
      if (has_tag(cell)) cells.push_back(cell);
    return cells;
  };
  using Cells = std::vector<std::size_t>;
  EXPECT_EQ(cells_with(further, 1), (Cells{0, 1, 2}));
  EXPECT_EQ(cells_with(further, 4), (Cells{2, 3, 4}));
  EXPECT_EQ(cells_with(further, 9), (Cells{4}));
  EXPECT_EQ(cells_with(further, 0), Cells{});
  EXPECT_EQ(cells_with({}, 4), (Cells{3, 4}));
}

TEST(FurtherTags, AreCountedOncePerCellAndTagAndByCombination) {
  EXPECT_EQ(cells_of_tags(tags, further), (std::map<int, std::size_t>{{1, 3}, {4, 3}, {7, 1}, {9, 1}}));
  EXPECT_EQ(cells_of_combinations(tags, further),
            (std::map<Tags, std::size_t>{{{1}, 2}, {{1, 4}, 1}, {{4}, 1}, {{4, 7, 9}, 1}}));
  EXPECT_EQ(cells_of_tags(tags, {}), (std::map<int, std::size_t>{{1, 3}, {4, 2}}));
  EXPECT_TRUE(cells_of_tags({}, {}).empty());
}

}  // namespace
}  // namespace cardiowarp
