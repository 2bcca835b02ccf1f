#include "app/config/network_keys.hpp"

#include <limits>
#include <optional>

#include "app/config/config_names.hpp"
#include "app/config/network_config.hpp"
#include "app/config/value_meanings.hpp"
#include "app/config/yaml_text.hpp"
#include "fem/range.hpp"
#include "meshes/network_file.hpp"
#include "meshes/suffix.hpp"

namespace cardiowarp {
namespace {

constexpr Range speeds{1e-3, 100, true, true};
constexpr Range angles{0, 90, true, true};
constexpr Range shares{0, 10, true, true};

const Names<GrownIn> ventricle_names{{"lv", GrownIn::left}, {"rv", GrownIn::right}};
const Names<JunctionKind> junction_names{{"ends", JunctionKind::ends}, {"all", JunctionKind::all}};

void optional_point(KeyVisitor& keys, const KeyWords& words, std::optional<Vector3>& point) {
  keys.special(
      words, {.kind = KeyKind::point, .quantity = length_quantity},
      [&](const YamlReader& in) {
        if (in.present()) point = in.vector(length_quantity);
      },
      [&] { return point ? yaml_vector(*point) : ""; });
}

void visit_growth(KeyVisitor& keys, GrowthConfig& grow) {
  keys.choice({"ventricle", "On whose endocardium."}, grow.ventricle, ventricle_names,
              {{"lv", "the left one"}, {"rv", "the right one"}});
  optional_point(keys, {"start", "Where the trunk begins.", "high on the septum; of a left ventricle alone along x"},
                 grow.start);
  optional_point(keys, {"towards", "Where the trunk leads.", "the end of the cavity"}, grow.towards);
  keys.number({"trunk", "The length of the trunk.", "a third of the way"}, grow.trunk_mm, length_quantity, positive);
  keys.number({"branch", "The mean length of a branch."}, grow.branch_mm, length_quantity, positive);
  keys.number({"segment", "The length of a segment.", "", "positive, at most `branch`"}, grow.segment_mm,
              length_quantity, positive);
  keys.number({"angle", "By which the two branches at an end turn to both sides."}, grow.angle_deg, angle_quantity,
              angles);
  keys.number({"repulsion", "How much branches turn away from others."}, grow.repulsion, plain_number, shares);
  keys.whole_number({"generations", "How often ends branch."}, grow.generations, 1, 100);
  keys.whole_number({"seed", "Another number is another network."}, grow.seed, 0, std::numeric_limits<int>::max());
  const YamlReader* const in = keys.reading();
  if (in && grow.segment_mm > grow.branch_mm)
    (*in)["segment"].fail("at most the length of a branch", yaml_number(grow.segment_mm) + " mm");
}

std::string points_text(const std::vector<Vector3>& points) {
  std::string text;
  for (const Vector3 point : points) text += (text.empty() ? "" : ", ") + yaml_vector(point);
  return points.empty() ? "" : "[" + text + "]";
}

void check(const YamlReader& in, const NetworkConfig& network) {
  if (network.file.empty() == !network.grow.has_value())
    in.fail("one of the keys file and grow", network.grow ? "both" : "neither");
  if (network.grow && !network.roots.empty()) in["roots"].fail("none beside grow, whose root is `start`", "some");
  if (network.file.empty() || is_network_file(network.file)) return;
  in["file"].fail("a file .vtk, .vtp or .vtu with lines", network.file.filename().string());
}

}  // namespace

void visit_network(KeyVisitor& keys, NetworkConfig& network) {
  const YamlReader* const in = keys.reading();
  if (in) network.place = in->label();
  keys.special(
      {"file", "Its file: lines in VTK `.vtk`, `.vtp` or `.vtu`.", "none"}, {.kind = KeyKind::path},
      [&](const YamlReader& file) {
        if (file.present()) network.file = file.path("the path of a file with lines");
      },
      [&] { return network.file.empty() ? "" : yaml_path(network.file); });
  keys.choice({"length_unit", "The unit of the coordinates in the file."}, network.length_unit, length_unit_names,
              length_unit_meanings, micrometre_spellings);
  keys.optional_section<GrowthConfig>({"grow", "In place of `file`: how it is grown by a rule."}, network.grow,
                                      visit_growth, KeyVisitor::Style::flow);
  keys.special(
      {"roots", "A list: beats begin at the points of the file nearest to these.", "its first point",
       "list of [x, y, z], mm"},
      {.kind = KeyKind::point, .quantity = length_quantity, .is_list = true},
      [&](const YamlReader& given) {
        if (!given.present()) return;
        if (!given.is_list()) given.fail("a list of points [[x, y, z], ..]");
        for (const YamlReader& root : given.entries()) network.roots.push_back(root.vector(length_quantity));
        if (network.roots.empty()) given.fail("a point or more", "none");
      },
      [&] { return points_text(network.roots); });
  keys.number({"velocity", "How fast beats travel along it.", "", "0.001 to 100 m/s"}, network.velocity_mm_per_ms,
              speed_quantity, speeds);
  keys.choice({"junctions", "Which of its points stimulate tissue."}, network.junctions, junction_names,
              {{"ends", "those with one segment, but not the root"}, {"all", "all"}});
  keys.number({"delay", "From the arrival at a junction to its stimulus."}, network.delay_ms, time_quantity,
              non_negative);
  keys.special(
      {"radius", "How near a junction nodes are stimulated; the nearest one always is.",
       "the mean edge of the mesh, at least 2"},
      {.kind = KeyKind::number, .quantity = length_quantity, .range = non_negative},
      [&](const YamlReader& given) {
        network.radius_mm = given.number(length_quantity, non_negative, radius_by_mesh_mm);
      },
      [&] { return network.radius_mm == radius_by_mesh_mm ? "" : yaml_number(network.radius_mm); });
  if (in) check(*in, network);
}

}  // namespace cardiowarp
