#include "app/bench/stand_in.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "app/bench/matrix_sources.hpp"
#include "assembly/sparsity.hpp"
#include "kernels/backend/sanitizers.hpp"
#include "kernels/sparse/ell_warp_choice.hpp"
#include "meshes/generate.hpp"
#include "meshes/mesh_file.hpp"
#include "tests/support/input_error_of.hpp"
#include "tests/support/small_mesh.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

std::vector<Index> sorted_lengths(const BenchMatrix& A) {
  std::vector<Index> lengths;
  for (Index row = 0; row < A.rows(); ++row) lengths.push_back(A.row_begin[row + 1] - A.row_begin[row]);
  std::sort(lengths.begin(), lengths.end());
  return lengths;
}

void expect_member(const BenchMatrix& A, const MatrixClass& c) {
  SCOPED_TRACE(c.name);
  EXPECT_EQ(A.name, c.name);
  ASSERT_EQ(A.rows(), c.rows);
  EXPECT_EQ(A.entries(), c.entries);
  ASSERT_EQ(A.value.size(), A.column.size());
  const std::vector<Index> lengths = sorted_lengths(A);
  EXPECT_EQ(lengths.front(), c.shortest);
  EXPECT_EQ(lengths.back(), c.longest);
  for (Index row = 0; row < A.rows(); ++row)
    for (Index e = A.row_begin[row]; e < A.row_begin[row + 1]; ++e) {
      ASSERT_GE(A.column[e], 0);
      ASSERT_LT(A.column[e], A.rows());
      if (e > A.row_begin[row]) {
        ASSERT_LT(A.column[e - 1], A.column[e]) << row;
      }
      ASSERT_EQ(A.value[e], value_at(row, A.column[e]));
    }
}

const MatrixClass& class_named(const std::string& name) {
  const auto& classes = table_ii_classes();
  return *std::find_if(classes.begin(), classes.end(), [&](const MatrixClass& c) { return c.name == name; });
}

std::string refusal(const std::string& word) {
  return test::input_error_of([&] { parse_stand_ins({word}); });
}

TEST(StandIn, TheClassesAgreeWithTheBytesAndTheMeansOfTableII) {
  // Its columns `bytes`, 20 an entry, and `nz/nrows`, rounded up.
  const std::vector<std::pair<std::int64_t, int>> expected{
      {19'178'720, 6},   {25'467'780, 7},   {42'004'500, 4},   {52'486'620, 22}, {80'147'660, 65}, {47'480'020, 51},
      {156'268'080, 56}, {120'209'600, 73}, {86'895'300, 120}, {38'338'560, 39}, {62'110'720, 4},  {232'688'480, 54}};
  const auto& classes = table_ii_classes();
  ASSERT_EQ(classes.size(), expected.size());
  for (std::size_t i = 0; i < classes.size(); ++i) {
    EXPECT_EQ(20 * classes[i].entries, expected[i].first) << classes[i].name;
    EXPECT_EQ((classes[i].entries + classes[i].rows - 1) / classes[i].rows, expected[i].second) << classes[i].name;
  }
}

TEST(StandIn, EveryMatrixHasTheRowsEntriesAndExtremeRowsOfItsClass) {
  for (const MatrixClass& c : table_ii_classes()) expect_member(stand_in(c, 0), c);
}

TEST(StandIn, SmallAndExtremeClassesAreMet) {
  using enum LengthLaw;
  const std::vector<MatrixClass> classes{
      {"two_rows", 2, 2, 0, 2, bell, 0.5, 1, 1, 0, 0},
      {"dense", 33, 1089, 33, 33, bell, 0, 5, 3, 1, 0.5},
      {"nearly_dense", 97, 9313, 1, 97, bell, 0, 1, 4, 0, 1},
      {"nearly_empty", 31, 31, 0, 31, power, 2, 1, 2, 3, 1},
      {"one_node", 32, 320, 3, 32, bell, 0.5, 32, 2, 1, 0},
      {"last_node_cut", 32, 500, 1, 32, power, 0.5, 5, 3, 0, 0.1},
      {"all_equal_but_two", 33, 99, 2, 4, bell, 0, 1, 2, 0, 0},
  };
  for (const MatrixClass& c : classes)
    for (std::uint64_t seed = 0; seed < 20; ++seed) expect_member(stand_in(c, seed), c);
}

TEST(StandIn, LengthsHaveTheShapeOfTheirClass) {
  const auto lengths = [](const char* name) { return sorted_lengths(stand_in(class_named(name), 0)); };
  const auto quantile = [](const std::vector<Index>& sorted, double q) {
    return sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size()))];
  };
  EXPECT_EQ(quantile(lengths("epidemiology"), 0.01), 4);
  for (const char* name : {"circuit", "webbase"}) {  // a few rows are far longer than nearly all
    const std::vector<Index> sorted = lengths(name);
    const double mean = static_cast<double>(class_named(name).entries) / class_named(name).rows;
    EXPECT_LT(quantile(sorted, 0.5), mean) << name;
    EXPECT_GT(quantile(sorted, 0.9999), 10 * mean) << name;
    EXPECT_GT(sorted.back(), 50 * mean) << name;
  }
  for (const char* name : {"fem_harbor", "fem_spheres", "protein"}) {
    const double mean = static_cast<double>(class_named(name).entries) / class_named(name).rows;
    EXPECT_NEAR(quantile(lengths(name), 0.5), mean, 0.05 * mean) << name;
  }
}

TEST(StandIn, TheRowsOfANodeHaveTheSameColumnsInRuns) {
  const BenchMatrix A = stand_in(class_named("qcd"), 0);
  const auto columns = [&](Index row) {
    return std::vector(A.column.begin() + A.row_begin[row], A.column.begin() + A.row_begin[row + 1]);
  };
  for (Index row = 0; row < A.rows(); row += 3) {
    ASSERT_EQ(columns(row), columns(row + 1));
    ASSERT_EQ(columns(row), columns(row + 2));
    for (Index e = A.row_begin[row]; e < A.row_begin[row + 1]; e += 3) {
      ASSERT_EQ(A.column[e] % 3, 0);
      ASSERT_EQ(A.column[e] + 2, A.column[e + 2]);
    }
  }
}

TEST(StandIn, ALatticeHasItsNearestNodesAsColumns) {
  // 5 × 5 nodes, five-point stencil, periodic.
  const BenchMatrix A = stand_in({"lattice", 25, 125, 5, 5, LengthLaw::bell, 0, 1, 2, 0, 0}, 0);
  const std::vector<Index> row_of_the_middle(A.column.begin() + A.row_begin[12], A.column.begin() + A.row_begin[13]);
  EXPECT_EQ(row_of_the_middle, (std::vector<Index>{7, 11, 12, 13, 17}));
}

TEST(StandIn, ASeedGivesTheSameMatrixEachTimeAndAnotherSeedAnotherOne) {
  const MatrixClass& c = class_named("circuit");
  const BenchMatrix A = stand_in(c, 1), same = stand_in(c, 1), other = stand_in(c, 2);
  EXPECT_EQ(A.row_begin, same.row_begin);
  EXPECT_EQ(A.column, same.column);
  EXPECT_EQ(A.value, same.value);
  EXPECT_NE(A.row_begin, other.row_begin);
  EXPECT_NE(A.column, other.column);
}

TEST(StandIn, AVariationIsNearItsClassAndPossible) {
  std::set<std::pair<Index, Index>> seen;  // rows, longest
  for (const MatrixClass& c : table_ii_classes())
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const MatrixClass v = variation(c, seed);
      SCOPED_TRACE(v.name);
      EXPECT_EQ(v.name, c.name + ':' + std::to_string(seed));
      const double mean = static_cast<double>(v.entries) / v.rows,
                   mean_of_class = static_cast<double>(c.entries) / c.rows;
      EXPECT_GE(v.rows, std::floor(0.2 * c.rows));
      EXPECT_LE(v.rows, 1.5 * c.rows);
      EXPECT_GE(std::ceil(mean), std::floor(0.6 * mean_of_class));
      EXPECT_LE(std::floor(mean), std::ceil(1.6 * mean_of_class));
      EXPECT_GE(v.longest, std::floor(0.5 * c.longest));
      EXPECT_LE(v.longest, std::max(2.0 * c.longest, std::ceil(1.6 * mean_of_class)));
      EXPECT_EQ(v.shortest == v.longest, c.shortest == c.longest);
      const std::int64_t range = v.longest - v.shortest, rows = v.rows;
      EXPECT_GE(range, 0);
      EXPECT_GE(v.entries, rows * v.shortest + range);
      EXPECT_LE(v.entries, rows * v.longest - range);
      seen.insert({v.rows, v.longest});
    }
  EXPECT_GT(seen.size(), table_ii_classes().size() * 190);
}

TEST(StandIn, VariationsAreMet) {
  for (const char* name : {"epidemiology:1", "protein:4", "qcd:12", "webbase:1"}) {
    const StandIn s = parse_stand_ins({name}).at(0);
    expect_member(stand_in(s.matrix_class, s.seed), s.matrix_class);
  }
}

TEST(StandIn, AWordNamesAClassAVariationOrAll) {
  EXPECT_TRUE(parse_stand_ins({}).empty());
  const std::vector<StandIn> two = parse_stand_ins({"webbase", "circuit:18446744073709551615"});
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[0].matrix_class.rows, 1'000'005);
  EXPECT_EQ(two[1].matrix_class.name, "circuit:18446744073709551615");
  EXPECT_EQ(two[1].seed, 18446744073709551615u);
  EXPECT_EQ(parse_stand_ins({"all"}).size(), 12u);
  EXPECT_EQ(parse_stand_ins({"all:3"}).at(11).matrix_class.name, "wind_tunnel:3");
}

TEST(StandIn, AnUnknownWordIsRefusedWithTheNearestName) {
  const std::string names =
      "circuit, economics, epidemiology, fem_accelerator, fem_cantilever, fem_harbor, fem_ship, fem_spheres, protein, "
      "qcd, webbase, wind_tunnel, all";
  EXPECT_EQ(refusal("windtunnel"),
            "--stand-in: unknown matrix 'windtunnel'; expected " + names + "; did you mean 'wind_tunnel'?");
  EXPECT_EQ(refusal("fem_shop:2"),
            "--stand-in: unknown matrix 'fem_shop'; expected " + names + "; did you mean 'fem_ship'?");
  EXPECT_EQ(refusal(""), "--stand-in: unknown matrix ''; expected " + names);
  for (const char* word : {"qcd:", "qcd:x", "qcd:-1", "qcd:1.5", "qcd:1:2", "qcd:18446744073709551616"})
    EXPECT_EQ(refusal(word),
              std::string("--stand-in: expected NAME or NAME:SEED with a whole number, got '") + word + "'");
}

TEST(MatrixSources, NothingToMultiplyIsRefused) {
  EXPECT_EQ(test::input_error_of([] { require_valid(MatrixSources{}); }),
            "bench spmv: expected a MESH, --nodes N, --matrix FILE or --stand-in NAME, got none");
  EXPECT_NO_THROW(require_valid(MatrixSources{.meshes = {}, .matrix_files = {"a.mtx"}, .stand_ins = {}}));
  EXPECT_NE(test::input_error_of([] {
              require_valid(MatrixSources{{}, {"a.mtx"}, {"quark"}});
            }).find("'quark'"),
            std::string::npos);
}

TEST(MatrixSources, ANodeHasOneTwoOrThreeUnknowns) {
  const auto check = [](int unknowns) {
    require_valid(MatrixSources{.meshes = {}, .matrix_files = {"a.mtx"}, .stand_ins = {}, .unknowns = unknowns});
  };
  for (const int unknowns : {1, 2, 3}) EXPECT_NO_THROW(check(unknowns));
  for (const int unknowns : {-1, 0, 4})
    EXPECT_EQ(test::input_error_of([&] { check(unknowns); }),
              "--unknowns: expected 1, 2 or 3 unknowns a node, got " + std::to_string(unknowns));
}

TEST(MatrixSources, RowsThatAreNoMultipleOfTheUnknownsAreRefused) {
  const test::TemporaryDirectory folder;
  const std::string file = folder / "four.mtx";
  test::write_text(file, "%%MatrixMarket matrix coordinate real general\n4 4 1\n1 2 1\n");
  const auto read = [&](int unknowns) {
    return read_matrices({.meshes = {}, .matrix_files = {file}, .stand_ins = {}, .unknowns = unknowns});
  };
  for (const int unknowns : {1, 2}) EXPECT_EQ(read(unknowns).at(0).unknowns, unknowns);
  EXPECT_EQ(test::input_error_of([&] { read(3); }), file + ": expected a multiple of 3 rows for --unknowns 3, got 4");
  const auto made = [](const char* name) {
    return read_matrices({.meshes = {}, .matrix_files = {}, .stand_ins = {name}, .unknowns = 3});
  };
  EXPECT_EQ(made("fem_cantilever").at(0).unknowns, 3);
  EXPECT_EQ(test::input_error_of([&] { made("circuit"); }),
            "--stand-in circuit: expected a multiple of 3 rows for --unknowns 3, got 170998");
}

TEST(MeshSources, AHeartHasAboutTheNodesThatWereAskedFor) {
  const std::vector<Index> asked{1300, 9001, 260'001};  // the last is refined
  const std::vector<NamedMesh> hearts = read_meshes({.files = {}, .nodes = asked});
  ASSERT_EQ(hearts.size(), asked.size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    EXPECT_EQ(hearts[i].name, "biventricle_" + std::to_string(asked[i]));
    EXPECT_NEAR(static_cast<Real>(hearts[i].mesh.nodes.size()), asked[i], 0.1 * asked[i]);
  }
}

TEST(MeshSources, EqualNamesAreNumbered) {
  const std::vector<NamedMesh> hearts = read_meshes({.files = {}, .nodes = {1300, 1300}});
  EXPECT_EQ(hearts[0].name, "biventricle_1300");
  EXPECT_EQ(hearts[1].name, "biventricle_1300_2");
}

TEST(MeshSources, QuadraticTetrahedraAreRefusedButWhereTheyAreTaken) {
  const test::TemporaryDirectory folder;
  const MeshSources bar{.files = {folder / "bar.msh"}, .nodes = {}};
  write_mesh(quadratic_mesh(test::small_mesh()), bar.files[0]);
  EXPECT_NE(test::input_error_of([&] {
              read_meshes(bar);
            }).find("bar.msh: expected linear tetrahedra of 4 nodes, got a mesh of quadratic ones"),
            std::string::npos);
  EXPECT_TRUE(read_meshes(bar, MeshesOf::linear_or_quadratic_tetrahedra).at(0).mesh.is_quadratic());
}

TEST(MeshSources, AHeartOfTooFewOrTooManyNodesIsRefused) {
  EXPECT_NO_THROW(require_valid(MeshSources{.files = {}, .nodes = {1300, 10'000'000}}));
  for (const Index nodes : {-7, 0, 1299, 10'000'001})
    EXPECT_EQ(test::input_error_of([&] {
                require_valid(MeshSources{.files = {}, .nodes = {3000, nodes}});
              }),
              "--nodes: expected 1300 to 10000000 nodes, got " + std::to_string(nodes));
}

TEST(MatrixSources, EqualNamesAreNumbered) {
  std::vector<BenchMatrix> matrices(5);
  const std::vector<std::string> names{"heart", "heart", "slab", "heart_2", "heart"};
  for (std::size_t i = 0; i < names.size(); ++i) matrices[i].name = names[i];
  make_names_distinct(matrices);
  std::vector<std::string> distinct;
  for (const BenchMatrix& matrix : matrices) distinct.push_back(matrix.name);
  EXPECT_EQ(distinct, (std::vector<std::string>{"heart", "heart_2", "slab", "heart_2_2", "heart_3"}));
}

TEST(StandIn, HasTheLengthsOfItsRowsWithoutItsColumns) {
  for (const char* name : {"qcd:3", "webbase:5"}) {
    const StandIn one = parse_stand_ins({name}).front();
    EXPECT_EQ(stand_in_lengths(one.matrix_class, one.seed), row_lengths(stand_in(one.matrix_class, one.seed).row_begin))
        << name;
  }
}

/// tests/data/tuning.csv: microseconds of every choice for every matrix.
using Times = std::map<std::pair<int, int>, double>;  ///< block size and threshold, 0 for K1rs

std::map<std::string, Times> measured_times(std::map<std::string, double>& best) {
  std::ifstream file(CARDIOWARP_TUNING);
  std::map<std::string, Times> times;
  std::string line;
  while (std::getline(file, line) && line.rfind("# ", 0) == 0) continue;
  EXPECT_EQ(line, "matrix,format,block_size,threshold,median_us");
  while (std::getline(file, line)) {
    std::vector<std::string> cells;
    std::stringstream words(line);
    for (std::string cell; std::getline(words, cell, ',');) cells.push_back(cell);
    const double us = std::stod(cells.at(4));
    const auto [place, is_new] = best.try_emplace(cells[0], us);
    if (!is_new) place->second = std::min(place->second, us);
    if (cells[1] != "csr") times[cells[0]][{std::stoi(cells[2]), cells[3].empty() ? 0 : std::stoi(cells[3])}] = us;
  }
  return times;
}

TEST(ChoiceOfEllWarp, IsWithinFivePercentOfTheBestFor94PercentOfTheMeasuredStandIns) {
  if (has_address_sanitizer) GTEST_SKIP() << "takes minutes with sanitizers";
  std::map<std::string, double> best;
  const std::map<std::string, Times> times = measured_times(best);
  int stand_ins = 0, near = 0;
  for (const auto& [name, of_choice] : times) {
    const std::string first = name.substr(0, name.find(':'));
    if (std::none_of(table_ii_classes().begin(), table_ii_classes().end(),
                     [&](const MatrixClass& c) { return c.name == first; }))
      continue;  // a heart
    const StandIn matrix = parse_stand_ins({name}).front();
    const EllWarpChoice choice =
        choose_ell_warp(stand_in_lengths(matrix.matrix_class, matrix.seed), 1024, nvidia_h200());
    const int threshold = choice.options.variant == EllWarpVariant::k1 ? 0 : choice.options.threshold;
    ++stand_ins;
    near += of_choice.at({choice.block_size, threshold}) <= 1.05 * best.at(name);
  }
  std::printf("RESULT rule stand_ins=%d within_five_percent=%d\n", stand_ins, near);
  EXPECT_GE(stand_ins, 200);
  EXPECT_GE(near, 0.94 * stand_ins);
}

}  // namespace
}  // namespace cardiowarp
