#include "assembly/build_sparsity.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "tests/support/input_error_of.hpp"
#include "tests/support/setup_meshes.hpp"
#include "tests/support/threads.hpp"

namespace cardiowarp {
namespace {

/// The sparsity made with ordered sets, which is slow but short.
Sparsity sparsity_by_sets(const std::vector<Tetrahedron>& tetrahedra, Index nodes, const std::vector<Index>& key) {
  const auto key_of = [&](Index node) { return key.empty() ? node : key[node]; };
  const auto before = [&](Index a, Index b) { return key_of(a) < key_of(b); };
  Sparsity result;
  result.row_begin = result.incidence.begin = {0};
  std::vector<std::vector<Index>> elements_of(nodes);
  for (std::size_t e = 0; e < tetrahedra.size(); ++e)
    for (const Index node : tetrahedra[e]) elements_of[node].push_back(static_cast<Index>(e));
  for (Index row = 0; row < nodes; ++row) {
    std::set<Index, decltype(before)> columns({row}, before);
    for (const Index e : elements_of[row]) columns.insert(tetrahedra[e].begin(), tetrahedra[e].end());
    const auto slot = [&](Index node) {
      return static_cast<std::uint16_t>(std::distance(columns.begin(), columns.find(node)));
    };
    for (const Index e : elements_of[row]) {
      const Tetrahedron& t = tetrahedra[e];
      result.incidence.element.push_back(e);
      result.incident_slots.push_back({slot(t[0]), slot(t[1]), slot(t[2]), slot(t[3])});
    }
    result.diagonal.push_back(result.row_begin.back() + slot(row));
    result.column.insert(result.column.end(), columns.begin(), columns.end());
    result.row_begin.push_back(static_cast<Index>(result.column.size()));
    result.incidence.begin.push_back(static_cast<Index>(result.incidence.element.size()));
  }
  return result;
}

void expect_same(const Sparsity& a, const Sparsity& b) {
  EXPECT_EQ(a.row_begin, b.row_begin);
  EXPECT_EQ(a.column, b.column);
  EXPECT_EQ(a.diagonal, b.diagonal);
  EXPECT_EQ(a.incidence.begin, b.incidence.begin);
  EXPECT_EQ(a.incidence.element, b.incidence.element);
  EXPECT_EQ(a.incident_slots, b.incident_slots);
}

TEST(Sparsity, IsThatOfSetsOfColumnsForAnyNumberOfThreads) {
  for (const auto& [name, mesh] : test::setup_meshes(1)) {
    const auto nodes = static_cast<Index>(mesh.nodes.size());
    std::vector<Index> key(nodes);
    for (Index node = 0; node < nodes; ++node) key[node] = (node + nodes / 3) % nodes;
    std::shuffle(key.begin(), key.end(), std::mt19937(2));
    for (const std::vector<Index>& column_key : {std::vector<Index>(), key}) {
      const Sparsity expected = sparsity_by_sets(mesh.tetrahedra, nodes, column_key);
      for (const int threads : {1, 2, 3, 7, 16}) {
        SCOPED_TRACE(testing::Message() << name << " on " << threads << " threads");
        const test::Threads in_use(threads);
        expect_same(build_sparsity(mesh.tetrahedra, nodes, column_key), expected);
      }
    }
  }
}

TEST(Sparsity, SortedInAnotherNumberingIsThatOfTheRenumberedMesh) {
  for (const auto& [name, mesh] : test::setup_meshes(1)) {
    SCOPED_TRACE(name);
    const auto nodes = static_cast<Index>(mesh.nodes.size());
    std::vector<Index> old_node(nodes), new_node(nodes), key(nodes);
    std::iota(old_node.begin(), old_node.end(), 0);
    std::shuffle(old_node.begin(), old_node.end(), std::mt19937(3));
    for (Index node = 0; node < nodes; ++node) new_node[old_node[node]] = node;
    std::iota(key.begin(), key.end(), 0);
    std::shuffle(key.begin(), key.end(), std::mt19937(4));
    std::vector<Tetrahedron> renumbered = mesh.tetrahedra;
    for (Tetrahedron& corners : renumbered)
      for (Index& node : corners) node = new_node[node];
    const Sparsity unsorted = unsorted_sparsity(mesh.tetrahedra, nodes);
    for (const std::vector<Index>& column_key : {std::vector<Index>(), key})
      expect_same(sorted_sparsity(unsorted, old_node, column_key), sparsity_by_sets(renumbered, nodes, column_key));
  }
}

TEST(Sparsity, HasTheDiagonalAloneInRowsOfNodesOfNoElement) {
  expect_same(build_sparsity({{5, 1, 2, 3}}, 7), sparsity_by_sets({{5, 1, 2, 3}}, 7, {}));
  expect_same(build_sparsity({}, 2), sparsity_by_sets({}, 2, {}));
}

TEST(Sparsity, CountsLongRowsUpToTheLimitAndNamesTheNodeThatHasALongerOne) {
  EXPECT_EQ(row_begins_of({3, 65'535, 0, 2}), (std::vector<Index>{0, 3, 65'538, 65'538, 65'540}));
  EXPECT_EQ(test::input_error_of([] {
              row_begins_of({3, 65'535, 65'536, 65'537});
            }),
            "row of node 2 has 65536 entries, at most 65535 are possible");
  EXPECT_EQ(test::input_error_of([] {
              row_begins_of({3, 65'536}, {4, 97});
            }),
            "row of node 97 has 65536 entries, at most 65535 are possible");
}

}  // namespace
}  // namespace cardiowarp
