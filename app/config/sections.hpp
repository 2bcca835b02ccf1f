#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/config/key_visitor.hpp"
#include "fem/range.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

struct AccuracyConfig;
struct ArrayChoice;
struct AssemblyOptions;
struct BoundaryConfig;
struct CellModelConfig;
struct CheckpointConfig;
struct Config;
struct DiffusivityConfig;
struct EcgConfig;
struct FiberRuleConfig;
struct FibersConfig;
struct InitialConfig;
struct LinearSolverConfig;
struct MeshConfig;
struct NewtonConfig;
struct OutputConfig;
struct PrepaceConfig;
struct ProbeConfig;
struct SteadyConfig;
struct StimulusConfig;
struct TimeConfig;
struct Where;

// The sections of the YAML file, each described once: its keys with their meanings, ranges and defaults, the values
// that they set, and, where a file is read, the checks of these against each other. Visited by reading, by writing of
// resolved.yaml and by all that documents keys (key_visitor.hpp).

void visit_mesh(KeyVisitor& keys, MeshConfig& mesh);
void visit_cell_model(KeyVisitor& keys, CellModelConfig& model);
void visit_velocity(KeyVisitor& keys, DiffusivityConfig& diffusivity);
/// `is_in_vain`: the anisotropic part of the default without fibers, which is not written.
void visit_diffusivity(KeyVisitor& keys, DiffusivityConfig& diffusivity, bool is_in_vain);
/// The array of the fibers is one of `mesh`, whose file has it.
void visit_fibers(KeyVisitor& keys, FibersConfig& fibers, MeshConfig& mesh);
/// The keys of `fibers` that a rule has. They are refused and not written unless the rule `is_chosen` as source.
void visit_fiber_rule(KeyVisitor& keys, FiberRuleConfig& rule, bool is_chosen);
/// The surfaces that rules of anatomy go by.
void visit_surfaces(KeyVisitor& keys, OfSurface<SurfaceNames>& surfaces);
void visit_regions(KeyVisitor& keys, Config& config);
/// The arrays that parameters of cells come from, each once. Throws InputError where the mesh file has no named arrays.
std::vector<ArrayChoice> parameter_arrays_of(const Config& config);

/// `potential` are the potentials at which the cell model is defined.
void visit_initial(KeyVisitor& keys, InitialConfig& initial, const CellModelConfig& model, const Range& potential);
void visit_steady(KeyVisitor& keys, SteadyConfig& steady);
void visit_boundary(KeyVisitor& keys, BoundaryConfig& prescribed, const Range& potential);
void visit_prepace(KeyVisitor& keys, PrepaceConfig& prepace, const std::vector<StimulusConfig>& stimuli,
                   const TimeConfig& time);

/// With an accuracy steps are adaptive, and their tolerance and longest step are the defaults. From these follows how
/// long steps may be with the tolerance that is found later (app/start/step_tolerance.hpp).
void visit_time(KeyVisitor& keys, TimeConfig& time, const std::optional<AccuracyConfig>& accuracy);
void visit_accuracy(KeyVisitor& keys, AccuracyConfig& accuracy);
void visit_checkpoint(KeyVisitor& keys, CheckpointConfig& checkpoint);
/// `follows_step`: the tolerance is found from that of the step.
void visit_newton(KeyVisitor& keys, NewtonConfig& newton, bool& follows_step, const TimeConfig& time);

void visit_linear_solver(KeyVisitor& keys, LinearSolverConfig& solver, const TimeConfig& time);
void visit_assembly(KeyVisitor& keys, AssemblyOptions& assembly);

void visit_ecg(KeyVisitor& keys, EcgConfig& ecg);
/// A key that takes a positive conductivity, in S/m.
void visit_one_conductivity(KeyVisitor& keys, const std::string& name, const std::string& meaning, Real& s_per_m);
/// `default_directory` is relative to the YAML file.
void visit_output(KeyVisitor& keys, OutputConfig& output, const CellModelConfig& model,
                  const std::string& default_directory);
void visit_probe(KeyVisitor& keys, ProbeConfig& probe, std::set<std::string>& names);

/// The key `where` of an entry, out of some of box, sphere, tag, nodes and surface, and coordinates of the heart.
/// `absent` is the default in words.
void visit_where(KeyVisitor& keys, Where& where, const std::vector<std::string>& kinds, const std::string& meaning,
                 const std::string& absent = required);
/// `{box: {min: [0, 0, 0], max: [1, 1, 1]}}`
std::string where_text(const Where& where);
/// A name that becomes a column of a CSV file and a word of messages; an error where it is taken.
std::string read_unique_name(const YamlReader& in, std::set<std::string>& taken,
                             std::optional<std::string> absent = {});

/// All sections.
void visit_configuration(KeyVisitor& keys, Config& config);

/// Reads and checks all of them. `file` is that of the configuration, for messages and names of results.
Config read_configuration(const YamlReader& in, const std::filesystem::path& file);

}  // namespace cardiowarp
