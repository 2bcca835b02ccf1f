#include "app/bench/matrix_market.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zlib.h>

#include <cmath>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/input_error_of.hpp"
#include "tests/support/random_csr.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_file.hpp"

namespace cardiowarp {
namespace {

using test::input_error_of;
using test::read_text;
using test::TemporaryDirectory;
using test::write_text;

using Entries = std::map<std::pair<Index, Index>, Real>;

std::string gzip(const TemporaryDirectory& folder, const std::string& text) {
  const std::string file = folder / "packed";
  const gzFile stream = gzopen(file.c_str(), "wb");
  gzwrite(stream, text.data(), static_cast<unsigned>(text.size()));
  gzclose(stream);
  return read_text(file);
}

BenchMatrix read(const TemporaryDirectory& folder, const std::string& content, const std::string& name = "a.mtx") {
  write_text(folder / name, content);
  return read_matrix_market(folder / name);
}

/// The message without the folder's name.
std::string refusal(const std::string& content) {
  const TemporaryDirectory folder;
  const std::string message = input_error_of([&] { read(folder, content); });
  const std::string prefix = folder.path().string() + '/';
  EXPECT_EQ(message.find(prefix), 0u) << message;
  return message.substr(std::min(prefix.size(), message.size()));
}

void expect_entries(const BenchMatrix& A, const Entries& expected, Index rows) {
  ASSERT_EQ(A.rows(), rows);
  ASSERT_EQ(A.entries(), static_cast<std::int64_t>(expected.size()));
  auto next = expected.begin();  // by row, then by column
  for (Index row = 0; row < rows; ++row)
    for (Index e = A.row_begin[row]; e < A.row_begin[row + 1]; ++e, ++next)
      ASSERT_EQ(Entries::value_type({row, A.column[e]}, A.value[e]), *next);
}

const std::string real_general = "%%MatrixMarket matrix coordinate real general\n";
const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
const std::string pattern = "%%MatrixMarket matrix coordinate pattern general\n";

struct BadFile {
  std::string name, content, message;
};

void PrintTo(const BadFile& bad, std::ostream* stream) { *stream << bad.name; }

class BadMatrixMarket : public testing::TestWithParam<BadFile> {};

TEST_P(BadMatrixMarket, IsRefusedInOneLineThatSaysWhere) { EXPECT_EQ(refusal(GetParam().content), GetParam().message); }

INSTANTIATE_TEST_SUITE_P(
    Banner, BadMatrixMarket,
    testing::Values(
        BadFile{"Empty", "", "a.mtx: is empty"},
        BadFile{"NoBanner", "3 3 1\n1 1 1\n",
                "a.mtx:1: expected a first line '%%MatrixMarket matrix coordinate ...', got '3 3 1'"},
        BadFile{"OnePerCent", "%MatrixMarket matrix coordinate real general\n",
                "a.mtx:1: expected a first line '%%MatrixMarket matrix coordinate ...', got '%MatrixMarket matrix "
                "coordinate real general'"},
        BadFile{"BlankFirstLine", "\n" + real_general + "1 1 1\n1 1 1\n",
                "a.mtx:2: expected a first line '%%MatrixMarket matrix coordinate ...', got '%%MatrixMarket matrix "
                "coordinate real general'"},
        BadFile{"OnlyBlankLines", " \n\n",
                "a.mtx:2: expected a first line '%%MatrixMarket matrix coordinate ...', got ''"},
        BadFile{"Binary",
                std::string("\x7f"
                            "ELF\0\t\xff"
                            "b\r\n",
                            10),
                "a.mtx:1: expected a first line '%%MatrixMarket matrix coordinate ...', got '?ELF???b'"},
        BadFile{"Vector", "%%MatrixMarket vector coordinate real general\n", "a.mtx:1: expected matrix, got 'vector'"},
        BadFile{"Array", "%%MatrixMarket matrix array real general\n",
                "a.mtx:1: expected the format coordinate, got 'array'"},
        BadFile{"MisspeltFormat", "%%MatrixMarket matrix cordinate real general\n",
                "a.mtx:1: expected the format coordinate (did you mean 'coordinate'?), got 'cordinate'"},
        BadFile{"Complex", "%%MatrixMarket matrix coordinate complex general\n",
                "a.mtx:1: expected values real or integer or pattern, got 'complex'"},
        BadFile{"Hermitian", "%%MatrixMarket matrix coordinate real Hermitian\n",
                "a.mtx:1: expected a matrix general or symmetric or skew-symmetric, got 'Hermitian'"},
        BadFile{"MisspeltSymmetry", "%%MatrixMarket matrix coordinate real simmetric\n",
                "a.mtx:1: expected a matrix general or symmetric or skew-symmetric (did you mean 'symmetric'?), got "
                "'simmetric'"},
        BadFile{"SymmetryMissing", "%%MatrixMarket matrix coordinate real\n",
                "a.mtx:1: expected a matrix general or symmetric or skew-symmetric, got 'nothing'"},
        BadFile{"WordTooMany", "%%MatrixMarket matrix coordinate real general twice\n",
                "a.mtx:1: expected the end of the line, got 'twice'"},
        BadFile{"SkewSymmetricPattern", "%%MatrixMarket matrix coordinate pattern skew-symmetric\n",
                "a.mtx:1: expected a pattern that is general or symmetric, got 'skew-symmetric'"}),
    [](const auto& instance) { return instance.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Size, BadMatrixMarket,
    testing::Values(
        BadFile{"Missing", real_general + "% end\n",
                "a.mtx:2: expected 'rows columns entries', got the end of the file (truncated?)"},
        BadFile{"OfAnArray", real_general + "3 3\n", "a.mtx:2: expected 'rows columns entries', got '3 3'"},
        BadFile{"FourNumbers", real_general + "3 3 3 3\n", "a.mtx:2: expected 'rows columns entries', got '3 3 3 3'"},
        BadFile{"NoNumber", real_general + "3 3 many\n", "a.mtx:2: expected 'rows columns entries', got '3 3 many'"},
        BadFile{"NotSquare", real_general + "%\n3 4 1\n1 4 1\n",
                "a.mtx:3: expected a square matrix, got 3 rows and 4 columns"},
        BadFile{"NoRows", real_general + "0 0 0\n", "a.mtx:2: expected 1 to 2147483647 rows, got 0"},
        BadFile{"NegativeRows", real_general + "-3 -3 1\n", "a.mtx:2: expected 1 to 2147483647 rows, got -3"},
        BadFile{"RowsBeyond32Bits", real_general + "2147483648 2147483648 1\n1 1 1\n",
                "a.mtx:2: expected 1 to 2147483647 rows, got 2147483648"},
        BadFile{"RowsBeyond64Bits", real_general + "18446744073709551617 18446744073709551617 1\n",
                "a.mtx:2: expected 'rows columns entries', got '18446744073709551617 18446744073709551617 1'"},
        BadFile{"NearlyAllRowsEmpty", real_general + "2147483647 2147483647 3\n1 1 1\n2 2 1\n3 3 1\n",
                "a.mtx:2: 3 entries leave nearly all of 2147483647 rows empty: expected at most 16 rows an entry"},
        BadFile{"NoEntries", real_general + "3 3 0\n", "a.mtx:2: expected 1 to 2147483647 entries, got 0"},
        BadFile{"EntriesBeyond32Bits", real_general + "99999 99999 9999800001\n",
                "a.mtx:2: expected 1 to 2147483647 entries, got 9999800001"}),
    [](const auto& instance) { return instance.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Entry, BadMatrixMarket,
    testing::Values(
        BadFile{"TooFew", real_general + "3 3 3\n1 1 1\n2 2 1\n",
                "a.mtx:4: the file ends after 2 of 3 entries (truncated?)"},
        BadFile{"ManyMissing", real_general + "3 3 2147483647\n1 1 1\n",
                "a.mtx:3: the file ends after 1 of 2147483647 entries (truncated?)"},
        BadFile{"TooMany", real_general + "3 3 1\n1 1 1\n\n2 2 1\n",
                "a.mtx:5: expected the end of the file after 1 entries, got '2 2 1'"},
        BadFile{"GarbageAtTheEnd", real_general + "3 3 1\n1 1 1\nend\n",
                "a.mtx:4: expected the end of the file after 1 entries, got 'end'"},
        BadFile{"CommentAmongEntries", real_general + "3 3 2\n1 1 1\n% half\n2 2 1\n",
                "a.mtx:4: expected 'row column value', got '% half'"},
        BadFile{"RowZero", real_general + "3 3 1\n0 1 1\n", "a.mtx:3: expected a row from 1 to 3, got '0'"},
        BadFile{"RowTooLarge", real_general + "3 3 1\n4 1 1\n", "a.mtx:3: expected a row from 1 to 3, got '4'"},
        BadFile{"ColumnTooLarge", real_general + "3 3 1\n1 4 1\n", "a.mtx:3: expected a column from 1 to 3, got '4'"},
        BadFile{"ColumnNegative", real_general + "3 3 1\n1 -1 1\n", "a.mtx:3: expected a column from 1 to 3, got '-1'"},
        BadFile{"ColumnBeyond64Bits", real_general + "3 3 1\n1 18446744073709551617 1\n",
                "a.mtx:3: expected a column from 1 to 3, got '18446744073709551617'"},
        BadFile{"RowIsReal", real_general + "3 3 1\n1.0 1 1\n", "a.mtx:3: expected a row from 1 to 3, got '1.0'"},
        BadFile{"Repeated", real_general + "3 3 4\n3 2 1\n1 1 1\n\n3 2 1\n3 3 1\n",
                "a.mtx:6: row 3, column 2 is already on line 3"},
        BadFile{"RepeatedInSymmetric", symmetric + "3 3 3\n3 2 1\n1 1 1\n3 2 5\n",
                "a.mtx:5: row 3, column 2 is already on line 3"},
        BadFile{"AboveTheDiagonal", symmetric + "3 3 2\n1 1 1\n2 3 1\n",
                "a.mtx:4: expected only entries on or below the diagonal of a symmetric matrix, got '2 3 1'"},
        BadFile{"DiagonalOfSkewSymmetric", "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 1\n2 2 0\n",
                "a.mtx:3: expected only entries below the diagonal of a skew-symmetric matrix, got '2 2 0'"},
        BadFile{"ValueNoNumber", real_general + "3 3 1\n1 1 one\n",
                "a.mtx:3: expected a finite number as the value, got 'one'"},
        BadFile{"ValueFollowedByLetters", real_general + "3 3 1\n1 1 1.5d3\n",
                "a.mtx:3: expected a finite number as the value, got '1.5d3'"},
        BadFile{"TwoSigns", real_general + "3 3 1\n1 1 +-1\n",
                "a.mtx:3: expected a finite number as the value, got '+-1'"},
        BadFile{"NaN", real_general + "3 3 1\n1 1 nan\n", "a.mtx:3: expected a finite number as the value, got 'nan'"},
        BadFile{"Infinity", real_general + "3 3 1\n1 1 -inf\n",
                "a.mtx:3: expected a finite number as the value, got '-inf'"},
        BadFile{"ValueTooLarge", real_general + "3 3 1\n1 1 1e999\n",
                "a.mtx:3: expected a finite number as the value, got '1e999'"},
        BadFile{"IntegerWithAFraction", "%%MatrixMarket matrix coordinate integer general\n3 3 1\n1 1 1.5\n",
                "a.mtx:3: expected an integer value, got '1.5'"},
        BadFile{"ValueMissing", real_general + "3 3 1\n1 1\n", "a.mtx:3: expected 'row column value', got '1 1'"},
        BadFile{"TwoValues", real_general + "3 3 1\n1 1 1 0\n", "a.mtx:3: expected 'row column value', got '1 1 1 0'"},
        BadFile{"PatternWithAValue", pattern + "3 3 1\n1 1 1\n", "a.mtx:3: expected 'row column', got '1 1 1'"},
        BadFile{"PatternWithoutAColumn", pattern + "3 3 1\n1\n", "a.mtx:3: expected 'row column', got '1'"}),
    [](const auto& instance) { return instance.param.name; });

TEST(MatrixMarket, AFileThatCannotBeReadIsRefused) {
  const TemporaryDirectory folder;
  const auto message = [&](const char* name) { return input_error_of([&] { read_matrix_market(folder / name); }); };
  EXPECT_EQ(message("none.mtx"), (folder / "none.mtx").string() + ": cannot be read: No such file or directory");
  EXPECT_EQ(message(""), (folder / "").string() + ": cannot be read: expected a regular file, got a directory");
  ASSERT_EQ(::mkfifo((folder / "fifo.mtx").c_str(), 0666), 0);
  EXPECT_EQ(message("fifo.mtx"),
            (folder / "fifo.mtx").string() + ": cannot be read: expected a regular file, got a FIFO");
}

TEST(MatrixMarket, AGzipFileCutAnywhereIsRefused) {
  const TemporaryDirectory folder;
  const std::string packed = gzip(folder, real_general + "3 3 2\n1 2 0.25\n3 3 -1.5\n");
  EXPECT_EQ(read(folder, packed).entries(), 2);
  for (std::size_t size = 2; size < packed.size(); ++size)
    EXPECT_EQ(refusal(packed.substr(0, size)), "a.mtx: the gzip data end too early (truncated file?)") << size;
  EXPECT_EQ(refusal(packed.substr(0, 1)),
            "a.mtx:1: expected a first line '%%MatrixMarket matrix coordinate ...', got '?'");
}

TEST(MatrixMarket, AGzipFileThatUnpacksToMoreThanAnyMatrixIsRefused) {
  const TemporaryDirectory folder;
  const std::string packed = gzip(folder, real_general + std::string(40'000'000, ' '));
  ASSERT_LT(packed.size(), 50'000u);
  const std::string message = refusal(packed);
  EXPECT_EQ(message.find("a.mtx: unpacks to more than "), 0u) << message;
  EXPECT_EQ(read(folder, gzip(folder, real_general + std::string(10'000'000, ' ') + "\n1 1 1\n1 1 1\n")).entries(), 1);
}

TEST(MatrixMarket, AGzipFileWithOneByteChangedIsRefused) {
  const TemporaryDirectory folder;
  const std::string packed = gzip(folder, real_general + "3 3 2\n1 2 0.25\n3 3 -1.5\n");
  constexpr std::size_t header = 10, checksum_and_size = 8;
  for (std::size_t byte = header; byte < packed.size(); ++byte) {
    std::string changed = packed;
    changed[byte] = static_cast<char>(changed[byte] ^ 0x10);
    const std::string message = refusal(changed);
    if (byte >= packed.size() - checksum_and_size)
      EXPECT_EQ(message, "a.mtx: corrupt gzip data");
    else
      EXPECT_NE(message.find("gzip data"), std::string::npos) << message;
  }
}

TEST(MatrixMarket, ALargeGzipFileThatIsCorruptIsNotBlamedOnItsText) {
  const TemporaryDirectory folder;
  std::string text = real_general + "100000 100000 100000\n";
  for (int i = 1; i <= 100'000; ++i) text += fmt::format("{} {} {}\n", i, i, 1.0 / i);
  std::string packed = gzip(folder, text);
  EXPECT_EQ(read(folder, packed).entries(), 100'000);
  packed[packed.size() / 2] = static_cast<char>(packed[packed.size() / 2] ^ 1);
  EXPECT_EQ(refusal(packed), "a.mtx: corrupt gzip data");
}

TEST(MatrixMarket, CommentsBlankLinesTabsCapitalsAndForeignLineEndsAreAccepted) {
  const TemporaryDirectory folder;
  const BenchMatrix A = read(folder,
                             "%%matrixmarket MATRIX Coordinate Real General\r\n% by hand\r\n%\r\n\r\n 3\t3  3 \r\n"
                             "3 1 +1.5\r\n \r\n\t1 2 -2E-3\r\n1 1 4\r\n\r\n\r\n");
  expect_entries(A, {{{0, 0}, 4}, {{0, 1}, -2e-3}, {{2, 0}, 1.5}}, 3);
}

TEST(MatrixMarket, TheLastLineNeedsNoLineBreak) {
  const TemporaryDirectory folder;
  expect_entries(read(folder, real_general + "1 1 1\n1 1 2.5"), {{{0, 0}, 2.5}}, 1);
}

TEST(MatrixMarket, TheNameIsTheFilesWithoutItsSuffixes) {
  const TemporaryDirectory folder;
  const std::string text = real_general + "1 1 1\n1 1 1\n", packed = gzip(folder, text);
  EXPECT_EQ(read(folder, text, "heart.1.mtx").name, "heart.1");
  EXPECT_EQ(read(folder, packed, "heart.mtx.gz").name, "heart");
  EXPECT_EQ(read(folder, packed, "packed.mtx").name, "packed");
  EXPECT_EQ(read(folder, text, "plain.mtx.gz").name, "plain");
}

TEST(MatrixMarket, ValuesOfAPatternDependOnThePositionOnly) {
  EXPECT_EQ(value_at(3, 7), value_at(7, 3));
  Real sum = 0, sum_of_squares = 0;
  constexpr Index n = 1000;
  for (Index row = 0; row < n; ++row) {
    const Real value = value_at(row, 2 * row + 1);
    EXPECT_GE(value, -1);
    EXPECT_LT(value, 1);
    sum += value;
    sum_of_squares += value * value;
  }
  // n uniform numbers in [-1, 1) have the mean 0 and the mean square 1/3, each within 5 standard deviations.
  EXPECT_NEAR(sum / n, 0, 5 * std::sqrt(1.0 / 3 / n));
  EXPECT_NEAR(sum_of_squares / n, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / n));
}

/// What a variant of the format makes of a random matrix: the entries that it holds, and their lines.
struct Variant {
  std::string field, symmetry;

  Real value(Index row, Index column, Real random) const {
    if (field == "pattern") return value_at(row, column);
    return field == "integer" ? std::round(1000 * random) : random;
  }

  void add(Index row, Index column, Real random, Entries& expected, std::vector<std::string>& lines) const {
    const bool held = symmetry == "general" || row > column || (row == column && symmetry == "symmetric");
    if (!held) return;
    const Real v = value(row, column, random);
    expected[{row, column}] = v;
    if (symmetry != "general" && row != column) expected[{column, row}] = symmetry == "symmetric" ? v : -v;
    lines.push_back(fmt::format("{} {} {}\n", row + 1, column + 1, field == "pattern" ? "" : fmt::format("{}", v)));
  }
};

TEST(MatrixMarket, RandomMatricesComeBackFromEveryVariantPlainAndGzip) {
  const TemporaryDirectory folder;
  std::mt19937 generator(1);
  for (const Variant& variant :
       {Variant{"real", "general"}, Variant{"real", "symmetric"}, Variant{"real", "skew-symmetric"},
        Variant{"integer", "general"}, Variant{"integer", "symmetric"}, Variant{"integer", "skew-symmetric"},
        Variant{"pattern", "general"}, Variant{"pattern", "symmetric"}})
    for (const Index rows : {1, 2, 31, 32, 33, 97, 1500}) {
      SCOPED_TRACE(fmt::format("{} {} {}", variant.field, variant.symmetry, rows));
      const RandomCsr random(awkward_row_lengths(rows, 3), 4);
      Entries expected;
      std::vector<std::string> lines;
      variant.add(rows - 1, 0, 0.75, expected, lines);  // so that no matrix is without entries
      for (Index row = 0; row < rows; ++row)
        for (Index e = random.row_begin[row]; e < random.row_begin[row + 1]; ++e)
          if (row != rows - 1 || random.column[e] != 0)
            variant.add(row, random.column[e], random.value[e], expected, lines);
      if (lines.empty()) continue;  // 1 × 1 and skew-symmetric
      std::shuffle(lines.begin(), lines.end(), generator);
      std::string text = fmt::format("%%MatrixMarket matrix coordinate {} {}\n{} {} {}\n", variant.field,
                                     variant.symmetry, rows, rows, lines.size());
      for (const std::string& line : lines) text += line;
      expect_entries(read(folder, text), expected, rows);
      expect_entries(read(folder, gzip(folder, text), "a.mtx.gz"), expected, rows);
    }
}

TEST(MatrixMarket, AMillionRowsComeBack) {
  const TemporaryDirectory folder;
  constexpr Index rows = 1'000'000;
  std::string text = symmetric;
  text += fmt::format("{} {} {}\n", rows, rows, rows - 1);
  for (Index row = rows - 1; row > 0; --row)
    fmt::format_to(std::back_inserter(text), "{} {} {}\n", row + 1, row, value_at(row, row - 1));
  const BenchMatrix A = read(folder, text);
  ASSERT_EQ(A.rows(), rows);
  ASSERT_EQ(A.entries(), 2 * (rows - 1));
  for (Index row = 0; row < rows; ++row)
    for (Index e = A.row_begin[row]; e < A.row_begin[row + 1]; ++e) {
      ASSERT_EQ(A.column[e], e == A.row_begin[row] && row > 0 ? row - 1 : row + 1);
      ASSERT_EQ(A.value[e], value_at(row, A.column[e]));
    }
}

}  // namespace
}  // namespace cardiowarp
