#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "app/config/config_names.hpp"
#include "app/config/fiber_rule.hpp"
#include "app/config/sections.hpp"
#include "app/config/value_meanings.hpp"
#include "app/config/yaml_text.hpp"
#include "meshes/suffix.hpp"

namespace cardiowarp {
namespace {

constexpr Range quarter_turns{-90, 90, true, true};

Real radians(Real degrees) { return degrees * std::numbers::pi / 180; }

/// In radians: what is given, otherwise `usual`.
WallAngles wall_angles(const GivenWallAngles& given, const WallAngles& usual) {
  const auto angle = [](const std::optional<Real>& degrees, Real otherwise) {
    return degrees ? radians(*degrees) : otherwise;
  };
  return {angle(given.endocardium_deg, usual.endocardium), angle(given.epicardium_deg, usual.epicardium)};
}

/// The two keys of the angles of a wall. `what` begins their meanings; defaults are said in words.
void visit_wall_angles(KeyVisitor& keys, GivenWallAngles& angles, const std::string& what, const std::string& inside,
                       const std::string& outside) {
  keys.number({"endocardium", fmt::format("{} at the inside of the wall.", what), inside}, angles.endocardium_deg,
              angle_quantity, quarter_turns);
  keys.number({"epicardium", fmt::format("{} at the outside of the wall.", what), outside}, angles.epicardium_deg,
              angle_quantity, quarter_turns);
}

void visit_sheet(KeyVisitor& keys, std::optional<GivenWallAngles>& sheet, const std::string& inside,
                 const std::string& outside) {
  keys.optional_section<GivenWallAngles>(
      {"sheet", "Angles that turn the fiber's frame out of the tangent plane of the wall."}, sheet,
      [&](KeyVisitor& within, GivenWallAngles& angles) {
        visit_wall_angles(within, angles, "The angle", inside, outside);
      },
      KeyVisitor::Style::flow);
}

SurfaceNames read_names(const YamlReader& in) {
  SurfaceNames given{{}, in.label()};
  if (!in.present()) return given;
  const auto add = [&](const YamlReader& entry) {
    constexpr std::string_view expected = "a name or number of a surface of the mesh, or the path of a .vtx file";
    const std::string name = entry.text(expected);
    given.names.push_back(suffix_of(name) == ".vtx" ? entry.path(expected).string() : name);
  };
  if (in.is_list())
    for (const YamlReader& entry : in.entries()) add(entry);
  else
    add(in);
  if (given.names.empty()) in.fail("a surface", "an empty list");
  return given;
}

std::string names_text(const SurfaceNames& given) {
  std::string text;
  for (const std::string& name : given.names) text += (text.empty() ? "" : ", ") + yaml_quoted(name);
  return given.names.empty() ? "" : "[" + text + "]";
}

/// Throws InputError where a key is given that only a rule has.
void expect_no_rule(const YamlReader& in) {
  for (const char* const key : {"rule", "endocardium", "epicardium", "sheet", "right", "surfaces"})
    if (in[key].present()) in[key].fail("source: rule to go with it", "another source");
}

}  // namespace

GivenWallAngles usual_fiber_angles(FiberRule rule) {
  return rule == FiberRule::ldrb ? GivenWallAngles{60, -60} : GivenWallAngles{40, -50};
}

GivenWallAngles usual_sheet_angles(FiberRule rule) {
  return rule == FiberRule::ldrb ? GivenWallAngles{0, 0} : GivenWallAngles{-65, 25};
}

LdrbAngles FiberRuleConfig::angles() const {
  LdrbAngles all;
  all.left = wall_angles(fiber, wall_angles(usual_fiber_angles(rule), {}));
  all.left_sheet = wall_angles(sheet.value_or(GivenWallAngles{}), wall_angles(usual_sheet_angles(rule), {}));
  all.right = right ? wall_angles(right->fiber, all.left) : all.left;
  all.right_sheet = right && right->sheet ? wall_angles(*right->sheet, all.left_sheet) : all.left_sheet;
  return all;
}

void visit_surfaces(KeyVisitor& keys, OfSurface<SurfaceNames>& surfaces) {
  const OfSurface<std::string> meanings = [] {
    OfSurface<std::string> of;
    of[HeartSurface::endo_lv] = "The endocardium of the left ventricle.";
    of[HeartSurface::endo_rv] = "The endocardium of the right ventricle, where the mesh has one.";
    of[HeartSurface::epi] = "The epicardium.";
    of[HeartSurface::base] = "Where the heart is cut off above.";
    of[HeartSurface::apex] = "The tip of the heart.";
    return of;
  }();
  for (const HeartSurface surface : heart_surfaces) {
    keys.special(
        {name_of(surface), meanings[surface],
         surface == HeartSurface::base   ? "`base`, or the boundary beside the others"
         : surface == HeartSurface::apex ? "`apex`, or the epicardium farthest from the base"
                                         : fmt::format("`{}` and other usual names", name_of(surface)),
         "a name, a number, a `.vtx` file, or a list"},
        {.kind = KeyKind::text, .is_list = true}, [&](const YamlReader& in) { surfaces[surface] = read_names(in); },
        [&] { return names_text(surfaces[surface]); });
  }
}

void visit_fiber_rule(KeyVisitor& keys, FiberRuleConfig& rule, bool is_chosen) {
  const YamlReader* const in = keys.reading();
  if (in && !is_chosen) return expect_no_rule(*in);
  std::vector<std::string> names;
  for (const auto& [name, value] : fiber_rule_names) names.push_back(name);
  keys.special(
      {"rule", "With `source: rule`: which one.", "ldrb"}, shape_of_word(names, fiber_rule_meanings),
      [&](const YamlReader& word) {
        const std::string given = word.name(names, "ldrb");
        for (const auto& [name, value] : fiber_rule_names)
          if (name == given) rule.rule = value;
      },
      [&] { return is_chosen ? name_of(rule.rule, fiber_rule_names) : ""; });
  visit_wall_angles(keys, rule.fiber, "With `source: rule`: the angle of the fiber to the circumference",
                    "60 deg; `bayer` 40", "−60 deg; `bayer` −50");
  visit_sheet(keys, rule.sheet, "0 deg; `bayer` −65", "0 deg; `bayer` 25");
  keys.optional_section<RightVentricleConfig>(
      {"right", "Angles of the right ventricle where they differ.", "as left", "`endocardium`, `epicardium`, `sheet`"},
      rule.right,
      [](KeyVisitor& within, RightVentricleConfig& right) {
        visit_wall_angles(within, right.fiber, "The angle of the fiber", "as left", "as left");
        visit_sheet(within, right.sheet, "as left", "as left");
      },
      KeyVisitor::Style::flow);
  keys.optional_section<OfSurface<SurfaceNames>>(
      {"surfaces",
       "Which surfaces of the mesh the rule goes by. Where neither these keys nor usual names say so, they "
       "are found by geometry."},
      rule.surfaces, visit_surfaces, KeyVisitor::Style::flow);
}

}  // namespace cardiowarp
