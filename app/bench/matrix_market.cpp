#include "app/bench/matrix_market.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "app/bench/unpacked_text.hpp"
#include "fem/input_error.hpp"
#include "fem/nearest_name.hpp"
#include "fem/small_letters.hpp"
#include "meshes/suffix.hpp"

namespace cardiowarp {
namespace {

constexpr std::int64_t largest_index = std::numeric_limits<Index>::max();
/// A row takes memory also where it is empty, so that a line could ask for gigabytes. So many rows an entry of the
/// file, and some more, are far beyond what any matrix has.
constexpr std::int64_t most_rows_an_entry = 16, always_allowed_rows = 1000;

enum class Field : char { real, integer, pattern };
enum class Symmetry : char { general, symmetric, skew_symmetric };

struct Header {
  Field field;
  Symmetry symmetry;
  Index rows = 0;
  std::int64_t entries = 0;  ///< in the file
};

struct Entry {
  Index row, column;
  Real value;
};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// The first word of `line`, which loses it; empty when there is none.
std::string_view take_word(std::string_view& line) {
  std::size_t begin = 0;
  while (begin < line.size() && is_blank(line[begin])) ++begin;
  std::size_t end = begin;
  while (end < line.size() && !is_blank(line[end])) ++end;
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

/// The lines of a text that are not blank, one after the other.
class Lines {
 public:
  Lines(std::string file, std::string_view text) : file_(std::move(file)), rest_(text) {}

  /// False when there is none left.
  bool next() {
    while (!rest_.empty()) {
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      text_ = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++number_;
      if (!std::all_of(text_.begin(), text_.end(), is_blank)) return true;
    }
    return false;
  }

  std::string_view text() const { return text_; }
  std::size_t bytes_left() const { return rest_.size(); }
  std::int64_t number() const { return number_; }

  [[noreturn]] void fail(std::string_view message) const {
    throw InputError(fmt::format("{}:{}: {}", file_, number_, message));
  }

  /// Whatever is no printable ASCII becomes a question mark.
  [[noreturn]] void fail(std::string_view expected, std::string_view got) const {
    std::string printable(got.substr(0, 60));
    while (!printable.empty() && is_blank(printable.back())) printable.pop_back();
    for (char& c : printable) c = c < ' ' || c > '~' ? '?' : c;
    fail(fmt::format("expected {}, got '{}'", expected, printable));
  }

 private:
  std::string file_;
  std::string_view rest_, text_;
  std::int64_t number_ = 0;
};

template <class Number>
std::optional<Number> number(std::string_view word) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

/// Position of `word`, capitals aside, among the words that may stand there.
std::size_t choose(const Lines& lines, std::string_view what, std::string_view word,
                   const std::vector<std::string>& valid) {
  const auto found = std::find(valid.begin(), valid.end(), in_small_letters(word));
  if (found != valid.end()) return static_cast<std::size_t>(found - valid.begin());
  const std::string nearest = nearest_name(word, valid);
  lines.fail(fmt::format("{}{}{}", what, fmt::join(valid, " or "),
                         nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", nearest)),
             word.empty() ? "nothing" : word);
}

/// The banner, comments and the line of sizes.
Header read_header(Lines& lines) {
  lines.next();
  std::string_view rest = lines.text();
  const std::string_view banner = take_word(rest);
  if (lines.number() != 1 || in_small_letters(banner) != "%%matrixmarket")
    lines.fail("a first line '%%MatrixMarket matrix coordinate ...'", lines.text());
  choose(lines, "", take_word(rest), {"matrix"});
  choose(lines, "the format ", take_word(rest), {"coordinate"});
  Header header{};
  header.field = Field{static_cast<char>(choose(lines, "values ", take_word(rest), {"real", "integer", "pattern"}))};
  header.symmetry = Symmetry{
      static_cast<char>(choose(lines, "a matrix ", take_word(rest), {"general", "symmetric", "skew-symmetric"}))};
  if (const auto more = take_word(rest); !more.empty()) lines.fail("the end of the line", more);
  if (header.field == Field::pattern && header.symmetry == Symmetry::skew_symmetric)
    lines.fail("a pattern that is general or symmetric", "skew-symmetric");

  do
    if (!lines.next()) lines.fail("expected 'rows columns entries', got the end of the file (truncated?)");
  while (lines.text()[0] == '%');
  rest = lines.text();
  std::array<std::int64_t, 3> size{};
  for (std::int64_t& count : size) {
    const auto value = number<std::int64_t>(take_word(rest));
    if (!value) lines.fail("'rows columns entries'", lines.text());
    count = *value;
  }
  const auto [rows, columns, entries] = size;
  if (!take_word(rest).empty()) lines.fail("'rows columns entries'", lines.text());
  if (rows != columns) lines.fail(fmt::format("expected a square matrix, got {} rows and {} columns", rows, columns));
  for (const auto& [what, count] : {std::pair("rows", rows), std::pair("entries", entries)})
    if (count < 1 || count > largest_index)
      lines.fail(fmt::format("expected 1 to {} {}, got {}", largest_index, what, count));
  if (rows > always_allowed_rows && rows / most_rows_an_entry > entries)
    lines.fail(fmt::format("{} entries leave nearly all of {} rows empty: expected at most {} rows an entry", entries,
                           rows, most_rows_an_entry));
  header.rows = static_cast<Index>(rows);
  header.entries = entries;
  return header;
}

Index parse_index(const Lines& lines, const Header& header, std::string_view what, std::string_view word) {
  const auto index = number<std::int64_t>(word);
  if (!index || *index < 1 || *index > header.rows)
    lines.fail(fmt::format("a {} from 1 to {}", what, header.rows), word);
  return static_cast<Index>(*index - 1);
}

Real parse_value(const Lines& lines, const Header& header, std::string_view word) {
  if (header.field == Field::integer) {
    const auto value = number<std::int64_t>(word);
    if (!value) lines.fail("an integer value", word);
    return static_cast<Real>(*value);
  }
  const auto value = number<Real>(word);
  if (!value || !std::isfinite(*value)) lines.fail("a finite number as the value", word);
  return *value;
}

/// The entry of the current line.
Entry parse_entry(const Lines& lines, const Header& header) {
  const bool pattern = header.field == Field::pattern;
  std::string_view rest = lines.text();
  const std::string_view row = take_word(rest), column = take_word(rest), value = pattern ? column : take_word(rest);
  if (value.empty() || !take_word(rest).empty())
    lines.fail(pattern ? "'row column'" : "'row column value'", lines.text());
  Entry entry{parse_index(lines, header, "row", row), parse_index(lines, header, "column", column), 0};
  entry.value = pattern ? value_at(entry.row, entry.column) : parse_value(lines, header, value);
  if (header.symmetry == Symmetry::symmetric && entry.column > entry.row)
    lines.fail("only entries on or below the diagonal of a symmetric matrix", lines.text());
  if (header.symmetry == Symmetry::skew_symmetric && entry.column >= entry.row)
    lines.fail("only entries below the diagonal of a skew-symmetric matrix", lines.text());
  return entry;
}

/// All entries, those of the other triangle among them.
std::vector<Entry> read_entries(Lines& lines, const Header& header) {
  constexpr std::size_t shortest_line = 4;  // so that a wrong count asks for no more memory than the file has
  const std::size_t copies = header.symmetry == Symmetry::general ? 1 : 2;
  std::vector<Entry> entries;
  entries.reserve(copies * std::min<std::size_t>(header.entries, lines.bytes_left() / shortest_line + 1));
  for (std::int64_t read = 0; read < header.entries; ++read) {
    if (!lines.next())
      lines.fail(fmt::format("the file ends after {} of {} entries (truncated?)", read, header.entries));
    const Entry entry = parse_entry(lines, header);
    entries.push_back(entry);
    if (header.symmetry != Symmetry::general && entry.row != entry.column)
      entries.push_back({entry.column, entry.row, header.symmetry == Symmetry::symmetric ? entry.value : -entry.value});
  }
  if (lines.next()) lines.fail(fmt::format("the end of the file after {} entries", header.entries), lines.text());
  if (entries.size() > std::size_t{largest_index})
    lines.fail(fmt::format("expected at most {} entries in both triangles, got {}", largest_index, entries.size()));
  return entries;
}

/// [rows + 1] where the entries of each row (or column) begin when they are grouped by it.
std::vector<Index> begins(const std::vector<Entry>& entries, Index Entry::*key, Index rows) {
  std::vector<Index> begin(static_cast<std::size_t>(rows) + 1);
  for (const Entry& entry : entries) ++begin[entry.*key + 1];
  for (Index row = 0; row < rows; ++row) begin[row + 1] += begin[row];
  return begin;
}

/// Counting sorts by column and then by row; the second keeps the order of the first.
BenchMatrix compressed_rows(std::string name, const std::vector<Entry>& entries, Index rows) {
  std::vector<Entry> by_column(entries.size());
  std::vector<Index> next = begins(entries, &Entry::column, rows);
  for (const Entry& entry : entries) by_column[next[entry.column]++] = entry;

  BenchMatrix A{std::move(name), begins(entries, &Entry::row, rows), {}, {}};
  A.column.resize(entries.size());
  A.value.resize(entries.size());
  next = A.row_begin;
  for (const Entry& entry : by_column) {
    const Index slot = next[entry.row]++;
    A.column[slot] = entry.column;
    A.value[slot] = entry.value;
  }
  return A;
}

/// `lines` stand before the first entry: the lines of a repeated one are only looked for when there is one.
void refuse_repeated_entries(const BenchMatrix& A, Lines lines, const Header& header) {
  for (Index row = 0; row < A.rows(); ++row)
    for (Index e = A.row_begin[row] + 1; e < A.row_begin[row + 1]; ++e) {
      if (A.column[e] != A.column[e - 1]) continue;
      const bool mirrored = header.symmetry != Symmetry::general && A.column[e] > row;
      const Index file_row = mirrored ? A.column[e] : row, file_column = mirrored ? row : A.column[e];
      std::int64_t first = 0;
      while (lines.next()) {
        const Entry entry = parse_entry(lines, header);
        if (entry.row != file_row || entry.column != file_column) continue;
        if (first > 0)
          lines.fail(fmt::format("row {}, column {} is already on line {}", file_row + 1, file_column + 1, first));
        first = lines.number();
      }
    }
}

}  // namespace

BenchMatrix read_matrix_market(const std::filesystem::path& file) {
  return read_matrix_market_text(file, read_unpacked(file));
}

BenchMatrix read_matrix_market_text(const std::filesystem::path& file, std::string_view text) {
  Lines lines(file.string(), text);
  const Header header = read_header(lines);
  const Lines before_entries = lines;
  std::filesystem::path name = file.filename();
  for (const char* suffix : {".gz", ".mtx"})
    if (suffix_of(name) == suffix) name = name.stem();
  BenchMatrix A = compressed_rows(name.string(), read_entries(lines, header), header.rows);
  refuse_repeated_entries(A, before_entries, header);
  return A;
}

}  // namespace cardiowarp
