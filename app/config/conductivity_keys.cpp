#include "app/config/conductivity_keys.hpp"

#include <algorithm>
#include <string>

#include "app/config/bidomain_conductivity.hpp"
#include "app/config/diffusivity_config.hpp"
#include "app/config/electrical_units.hpp"
#include "app/config/yaml_text.hpp"

namespace cardiowarp {
namespace {

/// A unit that numbers without one are in, as a value in mm, ms, mV and A.
struct ElectricalUnit {
  QuantityKind kind;
  Real value;
  Range range;  ///< in the unit, far around what is measured: it tells 1400 /cm from 1400 /mm
  const char* expected;
};

constexpr ElectricalUnit siemens_per_meter{conductivity_quantity, 1e-6, positive, "a positive conductivity, in S/m"};
constexpr ElectricalUnit per_millimeter{surface_per_volume, 1, {1, 1000}, "a surface per volume from 1 to 1000 /mm"};
constexpr ElectricalUnit microfarad_per_square_centimeter{
    capacitance_per_area, 1e-8, {0.1, 100}, "a capacitance from 0.1 to 100 uF/cm^2"};

/// A number in `unit`, which it may have.
Real read_in(const YamlReader& in, const ElectricalUnit& unit) {
  const std::optional<Quantity> given = parse_electrical(in.text(unit.expected));
  if (!given || given->dimension.value_or(unit.kind.dimension) != unit.kind.dimension) in.fail(unit.expected);
  const Real value = given->dimension ? given->value / unit.value : given->value;
  if (!unit.range.contains(value)) in.fail(unit.expected);
  return value;
}

void visit_in(KeyVisitor& keys, const KeyWords& words, const ElectricalUnit& unit, std::optional<Real>& value) {
  keys.special(
      words, {.kind = KeyKind::number, .quantity = unit.kind, .range = unit.range},
      [&](const YamlReader& in) {
        if (in.present()) value = read_in(in, unit);
      },
      [] { return ""; });
}

void visit_in(KeyVisitor& keys, const KeyWords& words, const ElectricalUnit& unit, Real& value) {
  std::optional<Real> given;
  visit_in(keys, words, unit, given);
  value = given.value_or(value);
}

/// The keys of χ and C_m.
void visit_membrane(KeyVisitor& keys, Membrane& membrane) {
  visit_in(
      keys,
      {"surface_to_volume", "χ, the surface of membrane in a volume of tissue.", yaml_number(membrane.surface_per_mm)},
      per_millimeter, membrane.surface_per_mm);
  visit_in(keys, {"capacitance", "C_m, of an area of membrane.", yaml_number(membrane.capacitance_uf_per_cm2)},
           microfarad_per_square_centimeter, membrane.capacitance_uf_per_cm2);
}

/// In S/m.
struct Conductivity {
  Real along = 0, across = 0;
};

Real in_series(Real a, Real b) { return a * b / (a + b); }

/// The keys of the conductivities of a domain.
void visit_domain(KeyVisitor& keys, std::optional<Conductivity>& domain) {
  std::optional<Real> isotropic, longitudinal, transverse;
  visit_in(keys, {"isotropic", "In all directions.", "none"}, siemens_per_meter, isotropic);
  visit_in(keys, {"longitudinal", "Along the fiber, with `transverse`.", "none"}, siemens_per_meter, longitudinal);
  visit_in(keys, {"transverse", "Across the fiber, with `longitudinal`.", "none"}, siemens_per_meter, transverse);
  const YamlReader* const in = keys.reading();
  if (!in || !in->present()) return;
  if (isotropic.has_value() == (longitudinal || transverse) || longitudinal.has_value() != transverse.has_value())
    in->fail("either isotropic or both longitudinal and transverse", isotropic ? "isotropic with another one"
                                                                     : longitudinal || transverse ? "one of the two"
                                                                                                  : "none");
  domain = isotropic ? Conductivity{*isotropic, *isotropic} : Conductivity{*longitudinal, *transverse};
}

/// The keys of the section.
void visit_keys(KeyVisitor& keys, Membrane membrane, std::optional<DiffusivityConfig>& found) {
  std::optional<Conductivity> inside, outside, monodomain;
  const YamlReader* const in = keys.reading();
  const auto visit = [&](const KeyWords& words, std::optional<Conductivity>& domain) {
    if (in) refuse_normal((*in)[words.name]);
    keys.section(words, [&](KeyVisitor& of_domain) { visit_domain(of_domain, domain); });
  };
  visit({"intracellular", "σ_i, inside the cells, with `extracellular`."}, inside);
  visit({"extracellular", "σ_e, between the cells.", "", "keys of `intracellular`"}, outside);
  visit({"monodomain", "σ of both together, in their place.", "", "keys of `intracellular`"}, monodomain);
  visit_membrane(keys, membrane);
  if (!in) return;
  if (monodomain && (inside || outside))
    in->fail("either monodomain or both intracellular and extracellular", "monodomain with another one");
  if (inside.has_value() != outside.has_value())
    in->fail("both intracellular and extracellular, or monodomain for what both make together",
             inside ? "intracellular alone" : "extracellular alone");
  if (inside)
    monodomain = Conductivity{in_series(inside->along, outside->along), in_series(inside->across, outside->across)};
  if (!monodomain) return;
  // S/m is 1e-6 A/mV/mm, and µF/cm² is 1e-8 A ms/mV/mm².
  const Real mm2_per_ms = 100 / (membrane.surface_per_mm * membrane.capacitance_uf_per_cm2);
  const Real across = monodomain->across * mm2_per_ms, along = monodomain->along * mm2_per_ms;
  found =
      DiffusivityConfig{.isotropic_mm2_per_ms = across, .anisotropic_mm2_per_ms = along - across, .place = in->label()};
}

}  // namespace

std::optional<Membrane> read_membrane(const YamlReader& root) {
  const YamlReader section = root["conductivity"];
  if (!section.is_map()) return std::nullopt;
  Membrane membrane;
  if (const YamlReader chi = section["surface_to_volume"]; chi.present())
    membrane.surface_per_mm = read_in(chi, per_millimeter);
  if (const YamlReader capacitance = section["capacitance"]; capacitance.present())
    membrane.capacitance_uf_per_cm2 = read_in(capacitance, microfarad_per_square_centimeter);
  return membrane;
}

std::optional<BidomainConductivity> read_domains(const YamlReader& root) {
  const YamlReader section = root["conductivity"];
  std::optional<Conductivity> inside, outside;
  read_section(section["intracellular"], [&](KeyVisitor& keys) { visit_domain(keys, inside); });
  read_section(section["extracellular"], [&](KeyVisitor& keys) { visit_domain(keys, outside); });
  if (!inside || !outside) return std::nullopt;
  return BidomainConductivity{{inside->along, inside->across}, {outside->along, outside->across}};
}

Real read_conductivity(const YamlReader& in, std::optional<Real> absent) {
  return !in.present() && absent ? *absent : read_in(in, siemens_per_meter);
}

Real read_amplitude(const YamlReader& in, const std::optional<Membrane>& membrane) {
  if (in.present() && membrane && !in.is_map() && !in.is_list()) {
    const Real capacitance = membrane->capacitance_uf_per_cm2 * microfarad_per_square_centimeter.value;
    const std::optional<Quantity> given = parse_electrical(in.text("a rate of potential or a current"));
    if (given && given->dimension == current_per_area.dimension) return given->value / capacitance;
    if (given && given->dimension == current_per_volume.dimension)
      return given->value / (membrane->surface_per_mm * capacitance);
  }
  return in.number(potential_rate_quantity, any_number);
}

void visit_conductivity(KeyVisitor& keys, const KeyWords& words, const Membrane& membrane,
                        std::optional<DiffusivityConfig>& found) {
  if (!keys.wants_section(words, false)) return;
  keys.section(words, [&](KeyVisitor& inside) { visit_keys(inside, membrane, found); });
}

void refuse_normal(const YamlReader& section) {
  if (std::ranges::count(section.keys(), std::string("normal")) > 0)
    section.fail(
        "isotropic, or longitudinal and transverse, as tissue conducts alike in all directions across the fiber",
        "'normal', a direction across the sheets");
}

}  // namespace cardiowarp
