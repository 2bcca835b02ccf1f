#pragma once
#include <string>
#include <utility>
#include <vector>

#include "app/config/backend_choice.hpp"
#include "app/config/fibers_config.hpp"
#include "app/config/output_format.hpp"
#include "app/config/stimulus_config.hpp"
#include "app/config/time_scheme.hpp"
#include "assembly/operators/operator_kind.hpp"
#include "fem/quadrature.hpp"
#include "meshes/length_unit.hpp"
#include "solver/newton_config.hpp"
#include "solver/preconditioners/polynomial.hpp"
#include "solver/preconditioners/preconditioner_choice.hpp"
#include "solver/solver_path.hpp"
#include "solver/solver_precision.hpp"

namespace cardiowarp {

// The words of the YAML file for keys that take one of several values, a list for each key. The configuration is read
// by these lists, messages name what they hold, and `resolved.yaml` and the reports are written by them, so that a
// value has one name everywhere. The names of cell models, matrix formats and assemblies are kept where these are.
// value_meanings.hpp says what they mean.

/// The values of a key and the names they have in YAML.
template <class Value>
using Names = std::vector<std::pair<std::string, Value>>;

template <class Value>
std::string name_of(Value value, const Names<Value>& names) {
  for (const auto& [name, named] : names)
    if (named == value) return name;
  return {};
}

inline const Names<LengthUnit> length_unit_names{{"m", LengthUnit::metre},
                                                 {"cm", LengthUnit::centimetre},
                                                 {"mm", LengthUnit::millimetre},
                                                 {"um", LengthUnit::micrometre}};

/// With a micro sign or a Greek mu, which are read and not listed.
inline const Names<LengthUnit> micrometre_spellings{{"\u00b5m", LengthUnit::micrometre},
                                                    {"\u03bcm", LengthUnit::micrometre}};

inline const Names<FiberSource> fiber_source_names{{"none", FiberSource::none},
                                                   {"constant", FiberSource::constant},
                                                   {"mesh", FiberSource::mesh},
                                                   {"rule", FiberSource::rule}};

inline const Names<FiberRule> fiber_rule_names{{"ldrb", FiberRule::ldrb}, {"bayer", FiberRule::bayer}};

inline const Names<Quadrature> quadrature_names{{"centroid", Quadrature::centroid},
                                                {"vertices", Quadrature::vertices},
                                                {"vertices_and_centroid", Quadrature::vertices_and_centroid},
                                                {"fourteen_points", Quadrature::fourteen_points}};

inline const Names<StimulusEdge> stimulus_edge_names{{"weighted", StimulusEdge::weighted},
                                                     {"nodes", StimulusEdge::nodes}};

inline const Names<BackendChoice> backend_names{
    {"auto", BackendChoice::automatic}, {"cpu", BackendChoice::cpu}, {"gpu", BackendChoice::gpu}};

inline const Names<OutputFormat> output_format_names = [] {
  Names<OutputFormat> names;
  for (const OutputFormatTraits& traits : output_formats) names.emplace_back(traits.name, traits.format);
  return names;
}();

/// Without polynomials, which are asked for by their kind and degree.
inline const Names<PreconditionerChoice> preconditioner_names = [] {
  Names<PreconditionerChoice> names;
  for (const PreconditionerTraits& traits : preconditioners)
    if (traits.choice != PreconditionerChoice::polynomial) names.emplace_back(traits.name, traits.choice);
  return names;
}();

/// The preconditioners of a GPU that a modeler would want, as messages list them: `jacobi or a polynomial`.
std::string preconditioners_of_a_gpu();

inline const Names<PolynomialKind> polynomial_names(polynomial_kinds.begin(), polynomial_kinds.end());

inline const Names<PolynomialPrecision> polynomial_precision_names(polynomial_precisions.begin(),
                                                                   polynomial_precisions.end());

/// `jacobi`, `block_jacobi`, `ssor`, `ssor_eisenstat` or, of a polynomial, `chebyshev of degree 4` or `chebyshev of
/// degree 4 in single precision`.
inline std::string in_words(PreconditionerChoice preconditioner, const PolynomialOptions& polynomial) {
  if (preconditioner != PreconditionerChoice::polynomial) return name_of(preconditioner, preconditioner_names);
  return name_of(polynomial.kind, polynomial_names) + " of degree " + std::to_string(polynomial.degree) +
         (polynomial.precision == PolynomialPrecision::single ? " in single precision" : "");
}

inline const Names<SolverPath> solver_path_names(solver_paths.begin(), solver_paths.end());

inline const Names<OperatorKind> operator_names(operator_kinds.begin(), operator_kinds.end());

inline const Names<SolverPrecision> solver_precision_names(solver_precisions.begin(), solver_precisions.end());

inline const Names<TimeScheme> time_scheme_names = [] {
  Names<TimeScheme> names;
  for (const TimeSchemeTraits& traits : time_schemes) names.emplace_back(traits.name, traits.scheme);
  return names;
}();

inline const Names<ForcingChoice> forcing_names{{"eisenstat_walker", ForcingChoice::eisenstat_walker},
                                                {"fixed", ForcingChoice::fixed}};

/// `order`: whether the sums go through CSR.
inline const Names<bool> assembly_order_names{{"direct", false}, {"csr", true}};

}  // namespace cardiowarp
