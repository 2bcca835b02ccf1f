#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace cardiowarp {

/// The table of an `ecg.csv` as a picture: a trace for each column, in one column of traces or, from seven on, in two.
/// All have the same axes, but those that are `in_tissue`, [columns], have potentials of their own size. The picture is
/// SVG of a few hundred kilobytes at most: a trace has as many points as are seen, and where there are more samples,
/// the least and the largest of those that fall together.
std::string ecg_picture(std::string_view table, const std::vector<bool>& in_tissue = {});

/// Writes the picture of `table`, an `ecg.csv`. Throws InputError where one cannot be read or the other written.
void write_ecg_picture(const std::filesystem::path& table, const std::filesystem::path& picture,
                       const std::vector<bool>& in_tissue);

}  // namespace cardiowarp
