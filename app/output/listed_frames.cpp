#include "app/output/listed_frames.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <regex>
#include <string>

#include "app/output/series_table.hpp"
#include "fem/input_error.hpp"

namespace cardiowarp {

std::vector<ListedFrame> frames_listed_in(const std::filesystem::path& list) {
  std::string text;
  try {
    text = text_of_series(list);
  } catch (const InputError& reason) {
    throw InputError(fmt::format("{}: {}", list.string(), reason.what()));
  }
  static const std::regex entry("<DataSet[^>]*timestep=\"([^\"]*)\"[^>]*file=\"([^\"]*)\"");
  std::vector<ListedFrame> frames;
  for (std::sregex_iterator match(text.begin(), text.end(), entry), end; match != end; ++match)
    frames.push_back({std::strtod((*match)[1].str().c_str(), nullptr), list.parent_path() / (*match)[2].str()});
  if (frames.empty()) throw InputError(fmt::format("{}: expected a list of frames", list.string()));
  return frames;
}

}  // namespace cardiowarp
