#include "app/config/read_where.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/config/coordinates_keys.hpp"

#include "app/config/where.hpp"

namespace cardiowarp {
namespace {

Box read_box(const YamlReader& in) {
  in.expect_keys({"min", "max"});
  const Box box{in["min"].vector(length_quantity), in["max"].vector(length_quantity)};
  const auto expect_ordered = [&](const char* axis, Real min, Real max) {
    if (min > max) in.fail(fmt::format("min.{0} <= max.{0}", axis), fmt::format("{} > {} mm", min, max));
  };
  expect_ordered("x", box.min.x, box.max.x);
  expect_ordered("y", box.min.y, box.max.y);
  expect_ordered("z", box.min.z, box.max.z);
  return box;
}

Sphere read_sphere(const YamlReader& in) {
  in.expect_keys({"center", "radius"});
  return {in["center"].vector(length_quantity), in["radius"].number(length_quantity, positive)};
}

}  // namespace

Where read_where(const YamlReader& in, const std::vector<std::string>& kinds) {
  in.expect_keys(kinds, coordinate_names());
  std::vector<std::string> given;
  for (const std::string& kind : kinds)
    if (in[kind].present()) given.push_back(kind);
  Where where{Everywhere{}, in.label(), read_heart_range(in)};
  if (given.size() > 1)
    in.fail(fmt::format("at most one of the keys {}", fmt::join(kinds, ", ")),
            fmt::format("{}", fmt::join(given, " and ")));
  if (given.empty() && where.within.is_everything())
    in.fail(fmt::format("one of the keys {}, or coordinates of the heart ({})", fmt::join(kinds, ", "),
                        fmt::join(coordinate_names(), ", ")),
            "nothing");
  if (given.empty()) return where;

  if (given[0] == "box") where.region = read_box(in["box"]);
  if (given[0] == "sphere") where.region = read_sphere(in["sphere"]);
  if (given[0] == "tag") where.region = Tag{in["tag"].text("a tag number or a name of the mesh")};
  if (given[0] == "surface") where.region = Surface{in["surface"].text("a number or a name of a surface of the mesh")};
  if (given[0] == "nodes") where.region = NodeFile{in["nodes"].path("the path of a .vtx file")};
  return where;
}

}  // namespace cardiowarp
