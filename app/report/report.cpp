#include "app/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <vector>

#include "app/files/regular_file.hpp"
#include "app/measure/curve_figure.hpp"
#include "app/measure/xml_text.hpp"
#include "app/output/beat_tables.hpp"
#include "app/output/series_table.hpp"
#include "app/report/film_frames.hpp"
#include "app/report/png.hpp"
#include "app/report/surface_picture.hpp"
#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "meshes/mesh_file.hpp"
#include "meshes/vtu_array.hpp"

namespace cardiowarp {
namespace {

using Json = nlohmann::ordered_json;

bool is_there(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(file, ignored);
}

Json summary_in(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "summary.json";
  if (!is_there(file))
    throw InputError(
        fmt::format("'{}': expected a folder with the results of a run, got no summary.json in it", folder.string()));
  try {
    return Json::parse(content_or_nothing(file));
  } catch (const Json::exception&) {
    throw InputError(fmt::format("{}: expected the summary of a run", file.string()));
  }
}

/// A value of the summary in words; empty where it is not there.
std::string words_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return "";
  if (found->is_number_float()) return fmt::format("{:.5g}", found->get<double>());
  return found->is_string() ? xml_text(found->get<std::string>()) : found->dump();
}

std::string row(const std::string& name, const std::string& value) {
  return value.empty() ? "" : fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", name, value);
}

std::string picture_tag(const RgbImage& image, const std::string& caption) {
  return fmt::format(
      "<figure><img alt=\"{0}\" src=\"data:image/png;base64,{1}\"><figcaption>{0}</figcaption></figure>\n",
      xml_text(caption), base64_of(png_of(image)));
}

/// A bar of the colors with the values at its ends.
std::string legend(const ColorScale& scale, const char* unit) {
  std::string stops;
  for (int k = 0; k <= 8; ++k) {
    const auto [red, green, blue] = color_of(k / Real(8));
    stops += fmt::format("{}rgb({},{},{})", k == 0 ? "" : ",", red, green, blue);
  }
  return fmt::format(
      "<p class=\"legend\">{:.4g} {}<span style=\"background:linear-gradient(90deg,{})\"></span>{:.4g} {}{}</p>\n",
      scale.least, unit, stops, scale.most, unit,
      scale.lines_every > 0 ? fmt::format(", a line every {:g} {}", scale.lines_every, unit) : "");
}

/// 1, 2 or 5 times a power of ten, so that there are 8 to 20 lines.
Real distance_of_lines(Real range) {
  if (!(range > 0)) return 0;
  const Real power = std::pow(Real(10), std::floor(std::log10(range / 20)));
  for (const Real factor : {Real(1), Real(2), Real(5)})
    if (factor * power >= range / 20) return factor * power;
  return 10 * power;
}

std::vector<Real> known_values(const std::vector<Real>& values) {
  std::vector<Real> known;
  for (const Real value : values)
    if (value >= 0) known.push_back(value);
  return known;
}

/// How many nodes, or elements, have which value, in 40 bars.
CurvePanel histogram(const std::vector<Real>& known, const std::string& name, const std::string& of) {
  constexpr std::size_t bars = 40;
  const auto [least, most] = std::ranges::minmax(known);
  const Real width = std::max((most - least) / bars, Real(1e-9));
  Curve curve{.x = {}, .y = std::vector<double>(bars, 0)};
  for (const Real value : known)
    curve.y[std::min(bars - 1, static_cast<std::size_t>((value - least) / width))] +=
        100.0 / static_cast<double>(known.size());
  for (std::size_t bar = 0; bar < bars; ++bar) curve.x.push_back(least + (static_cast<Real>(bar) + Real(0.5)) * width);
  return {name, of + " in %", {curve}};
}

/// How fast fronts were, but for the fastest fiftieth: where fronts meet, all of an element is activated at once.
void add_velocities(const Mesh& mesh, const std::vector<Real>& activation_ms, std::vector<CurvePanel>& histograms) {
  const std::vector<Real> v = conduction_velocity(mesh, activation_ms);
  std::vector<Real> speeds;
  for (std::size_t k = 0; k + 2 < v.size(); k += 3)
    if (const Real speed = std::hypot(v[k], v[k + 1], v[k + 2]); speed > 0) speeds.push_back(speed);
  std::ranges::sort(speeds);
  speeds.resize(speeds.size() - speeds.size() / 50);
  if (!speeds.empty()) histograms.push_back(histogram(speeds, "Conduction velocity in m/s", "elements"));
}

/// What a map shows, in words for a reader.
struct MapWords {
  const char *array, *title;
};

/// The results of a run that pictures are made of.
class Pictures {
 public:
  explicit Pictures(const std::filesystem::path& maps)
      : maps_(maps), mesh_(read_mesh(maps)), surface_(mesh_), views_(two_views(mesh_.nodes)) {}

  std::string map(const MapWords& words, std::vector<CurvePanel>& histograms) const {
    const std::vector<Real> values = read_vtu_array(maps_, words.array).values, known = known_values(values);
    std::string html = fmt::format("<h2>{}</h2>\n", words.title);
    if (known.empty()) return html + "<p>No node has a value.</p>\n";
    histograms.push_back(histogram(known, words.title + std::string(" in ms"), "nodes"));
    if (words.array == std::string("activation_time")) add_velocities(mesh_, values, histograms);
    const auto [least, most] = std::ranges::minmax(known);
    const ColorScale scale{least, most, distance_of_lines(most - least)};
    html += "<div class=\"row\">";
    for (const View& view : views_) html += picture_tag(surface_.picture(view, values, scale, 460, 0), "");
    html += "</div>\n" + legend(scale, "ms");
    if (known.size() < values.size())
      html += fmt::format("<p>Gray: {} nodes without a value.</p>\n", values.size() - known.size());
    return html;
  }

  std::string film(const std::vector<ListedFrame>& frames) const {
    constexpr std::size_t most = 10;
    const std::size_t shown = std::min(frames.size(), most);
    const ColorScale scale{-85, 25, 0};
    std::string html = "<h2>Potential</h2>\n<div class=\"row\">";
    for (std::size_t k = 0; k < shown; ++k) {
      const ListedFrame& frame = frames[shown == 1 ? 0 : k * (frames.size() - 1) / (shown - 1)];
      const std::vector<Real> potential = potential_in(frame.file, mesh_.nodes.size());
      html += picture_tag(surface_.picture(views_[0], potential, scale, 170, -INFINITY),
                          fmt::format("{:.6g} ms", frame.time_ms));
    }
    return html + "</div>\n" + legend(scale, "mV");
  }

 private:
  std::filesystem::path maps_;
  Mesh mesh_;
  SurfacePictures surface_;
  std::array<View, 2> views_;
};

std::string verdict(const Json& summary) {
  const std::string status = summary.at("status");
  const Json& activation = summary.at("activation");
  std::string text = status == "completed" ? "The run was completed"
                                           : "The run did not come to its end: " + words_of(summary, "reason");
  text +=
      fmt::format(", {} of {} nodes were activated", activation.at("activated").dump(), activation.at("nodes").dump());
  if (activation.at("last_ms").is_number())
    text += fmt::format(" from {} to {} ms", words_of(activation, "first_ms"), words_of(activation, "last_ms"));
  text += ".";
  for (const Json& stimulus : summary.at("stimuli")) {
    const Json& captured = stimulus.at("captured");
    text += fmt::format(" Stimulus {} {}.", words_of(stimulus, "name"),
                        captured.is_null() ? "could not be judged: " + words_of(stimulus, "not_judged")
                        : captured         ? "captured"
                                           : "<b>did not capture</b>");
  }
  for (const auto& [key, of] :
       {std::pair("estimated_error", "steps in time"), std::pair("estimated_mesh_error", "mesh")})
    if (const auto error = summary.find(key); error != summary.end())
      text += fmt::format(" Estimated error of the {}: activation {} %, APD90 {} ms.", of,
                          words_of(*error, "activation_percent"), words_of(*error, "apd90_ms"));
  return fmt::format("<p class=\"{}\">{}</p>\n", status == "completed" ? "good" : "bad", text);
}

std::string warnings(const Json& summary) {
  const auto found = summary.find("warnings");
  if (found == summary.end() || found->empty()) return "";
  std::string html = "<ul class=\"bad\">\n";
  for (const Json& warning : *found) html += fmt::format("<li>{}</li>\n", xml_text(warning.get<std::string>()));
  return html + "</ul>\n";
}

/// Steps, Newton's and CG iterations over the time that was simulated.
std::string work(const Json& summary) {
  const auto found = summary.find("work");
  if (found == summary.end()) return "";
  std::vector<CurvePanel> panels;
  const auto add = [&](const char* words, const char* of, const char* per) {
    Curve curve;
    for (std::size_t part = 0; part < found->at("until_ms").size(); ++part) {
      const double divisor = per == nullptr ? 1 : found->at(per)[part].get<double>();
      curve.x.push_back(found->at("until_ms")[part].get<double>());
      curve.y.push_back(divisor > 0 ? found->at(of)[part].get<double>() / divisor : NAN);
    }
    panels.push_back({"time in ms", words, {std::move(curve)}});
  };
  add("steps", "steps", nullptr);
  add("Newton iterations a step", "newton_iterations", "steps");
  add("CG iterations a step", "linear_iterations", "steps");
  return "<h2>Steps and iterations</h2>\n" + curve_figure("", panels);
}

std::string facts(const Json& summary) {
  const Json& mesh = summary.at("mesh");
  std::string table = "<table>\n";
  table += row("program", "cardiowarp " + words_of(summary, "version"));
  table += row("computed on", summary.at("backend") == "gpu" ? words_of(summary, "device")
                                                             : words_of(summary, "threads") + " CPU threads");
  table += row("mesh", fmt::format("{} nodes, {} tetrahedra, {:.4g} cm³", mesh.at("nodes").dump(),
                                   mesh.at("elements").dump(), mesh.at("volume_mm3").get<double>() / 1000));
  table += row("simulated", words_of(summary, "simulated_ms") + " ms");
  table += row("steps", fmt::format("{} of {} to {} ms", words_of(summary, "steps"),
                                    words_of(summary, "shortest_step_ms"), words_of(summary, "longest_step_ms")));
  table += row("Newton and CG iterations",
               words_of(summary, "newton_iterations") + " and " + words_of(summary, "linear_iterations"));
  table += row("begun", words_of(summary, "started"));
  std::string seconds;
  for (const auto& [phase, value] : summary.at("seconds").items())
    seconds += fmt::format("{}{} {:.3g}", seconds.empty() ? "" : ", ", xml_text(phase), value.get<double>());
  table += row("seconds", seconds);
  for (const Json& map : summary.at("maps"))
    table += row(words_of(map, "name"), fmt::format("{} to {} {}, median {}, missing at {}", words_of(map, "minimum"),
                                                    words_of(map, "maximum"), words_of(map, "unit"),
                                                    words_of(map, "median"), words_of(map, "missing")));
  return table + "</table>\n";
}

std::string probes(const std::filesystem::path& file) {
  const SeriesTable table = series_table(content_or_nothing(file));
  CurvePanel panel{"time in ms", "potential in mV", {}};
  constexpr std::size_t most_points = 2000;
  const std::size_t stride = std::max<std::size_t>(1, table.time_ms.size() / most_points);
  for (std::size_t probe = 0; probe < table.names.size(); ++probe) {
    Curve curve{.name = table.names[probe], .x = {}, .y = {}};
    for (std::size_t row = 0; row < table.time_ms.size(); row += stride) {
      curve.x.push_back(table.time_ms[row]);
      curve.y.push_back(table.columns[probe][row]);
    }
    panel.curves.push_back(std::move(curve));
  }
  return "<h2>Probes</h2>\n" + curve_figure("", {panel});
}

constexpr const char* head = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{0}</title><style>
body {{ font-family: sans-serif; max-width: 980px; margin: 2em auto; color: #222 }}
th {{ text-align: left; padding-right: 2em; font-weight: normal; color: #666; vertical-align: top }}
figure {{ margin: 0 8px 8px 0 }} figcaption {{ font-size: 12px; color: #666; text-align: center }}
.row {{ display: flex; flex-wrap: wrap; align-items: flex-end }}
.legend span {{ display: inline-block; width: 240px; height: 12px; margin: 0 8px }}
.good, .bad {{ padding: 0.6em 1em; border-left: 6px solid #009E73; background: #f3f8f6 }} .bad {{ border-color: #D55E00 }}
ul.bad {{ list-style: none }} li + li {{ margin-top: 0.4em }}
svg, img {{ max-width: 100% }}
</style></head><body>
<h1>{0}</h1>
)";

}  // namespace

std::string report_of(const std::filesystem::path& folder) {
  const Json summary = summary_in(folder);
  std::string html = fmt::format(head, xml_text(folder.filename().string())), of_steps;
  try {
    html += verdict(summary) + warnings(summary) + facts(summary);
    of_steps = work(summary);
  } catch (const Json::exception&) {
    throw InputError(fmt::format("{}: expected the summary of a run", (folder / "summary.json").string()));
  }
  std::vector<CurvePanel> histograms;
  if (is_there(folder / "maps.vtu")) {
    const Pictures pictures(folder / "maps.vtu");
    for (const MapWords& words : {MapWords{"activation_time", "Activation time"}, MapWords{"apd90", "APD90"}})
      if (std::ranges::any_of(summary.at("maps"), [&](const Json& map) { return map.at("name") == words.array; }))
        html += pictures.map(words, histograms);
    if (const std::vector<ListedFrame> frames = film_frames(folder); !frames.empty()) html += pictures.film(frames);
  }
  if (is_there(folder / "probes.csv")) html += probes(folder / "probes.csv");
  if (is_there(folder / "ecg.svg")) html += "<h2>ECG</h2>\n" + content_or_nothing(folder / "ecg.svg");
  if (!histograms.empty()) html += "<h2>Distribution</h2>\n" + curve_figure("", histograms);
  return html + of_steps + "</body></html>\n";
}

}  // namespace cardiowarp
