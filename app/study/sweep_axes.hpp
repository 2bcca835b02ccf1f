#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace cardiowarp {

// The runs that a sweep makes: what `--over`, `--random` and `--table` of `cardiowarp sweep` mean.

/// A key of the YAML file and the texts that it takes, one after the other.
struct SweepAxis {
  std::string key_path;
  std::vector<std::string> values;
};

/// A table of runs: a text for each key in each run.
struct SweepTable {
  std::vector<std::string> keys;
  std::vector<std::vector<std::string>> rows;  ///< [runs][keys]
};

/// A value of a key as a number, and the unit behind it as it was written: `0.5 mm^2/ms`. Nothing where it begins with
/// no number.
struct NumberWithUnit {
  double number;
  std::string unit;
};
std::optional<NumberWithUnit> number_with_unit(const std::string& text);

/// `time.step=0.05 ms,0.1 ms`: the values are parted by commas outside brackets and quotes. Throws InputError that
/// begins with --over.
SweepAxis parse_axis(const std::string& words);

/// Every value of each axis with every value of the others; the last axis changes fastest. Throws InputError where
/// there are more than 100,000 runs or a key comes twice.
SweepTable grid_of(const std::vector<SweepAxis>& axes);

/// `runs` rows, each key drawn evenly and independently from a range, the one value `0.5 mm^2/ms..2 mm^2/ms` of its
/// axis; the same numbers for the same seed on every machine. Throws InputError for an axis without a range.
SweepTable random_of(const std::vector<SweepAxis>& axes, int runs, std::uint64_t seed);

/// A CSV file whose first line has the keys and each further one a run; texts with commas stand in double quotes.
/// Throws InputError with file and line.
SweepTable table_of_file(const std::filesystem::path& file);

}  // namespace cardiowarp
