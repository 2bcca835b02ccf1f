#pragma once
#include <optional>

#include "app/config/key_visitor.hpp"
#include "app/config/yaml_reader.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct BidomainConductivity;
struct DiffusivityConfig;

// Conductivities in place of a diffusivity, and currents in place of a rate of potential, as other programs and papers
// state them. Along the fiber, and across it, the section `conductivity` means
//
//   D = σ / (χ C_m)   with the σ of the monodomain, or σ = σ_i σ_e / (σ_i + σ_e) of inside and outside
//
// where χ is the surface of membrane in a volume of tissue and C_m its capacitance in an area. A stimulus of I per area
// of membrane drives the potential by I / C_m, and one per volume of tissue by I / (χ C_m). All of it is worked out
// while the file is read: the configuration, and so resolved.yaml, has the diffusivity and the rate.

/// χ and C_m of the section `conductivity`. The defaults are those of openCARP and of the N-version benchmark.
struct Membrane {
  Real surface_per_mm = 140;
  Real capacitance_uf_per_cm2 = 1;
};

/// What the section `conductivity` of the file `root` says of the membrane; nothing where the file has no such section.
/// Throws InputError for values out of their range.
std::optional<Membrane> read_membrane(const YamlReader& root);

/// σ_i and σ_e of the section `conductivity` of the file `root`, which has been visited; nothing where it has not both.
std::optional<BidomainConductivity> read_domains(const YamlReader& root);

/// A conductivity in S/m, which a number without unit is in, too; `absent` where there is none. Throws InputError where
/// it is none, or not positive.
Real read_conductivity(const YamlReader& in, std::optional<Real> absent = {});

/// The amplitude of a stimulus in mV/ms, which may be a current where the membrane is known.
Real read_amplitude(const YamlReader& in, const std::optional<Membrane>& membrane);

/// The section `conductivity`, named and explained by `words`, where it is given. `found` becomes the diffusivity that
/// it means, or nothing where it gives χ and C_m alone, whose defaults are those of `membrane`. Throws InputError for
/// conductivities that are incomplete.
void visit_conductivity(KeyVisitor& keys, const KeyWords& words, const Membrane& membrane,
                        std::optional<DiffusivityConfig>& found);

/// Throws InputError with the reason where a section of directions has a key `normal`.
void refuse_normal(const YamlReader& section);

}  // namespace cardiowarp
