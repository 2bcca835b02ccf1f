#pragma once
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/config/coordinates_config.hpp"
#include "app/config/fiber_rule.hpp"
#include "app/config/map_kind.hpp"
#include "app/config/output_format.hpp"
#include "app/config/steady_config.hpp"
#include "app/config/time_scheme.hpp"
#include "app/config/velocity.hpp"
#include "assembly/operators/operator_kind.hpp"
#include "assembly/options.hpp"
#include "fem/anatomy/heart_coordinates.hpp"
#include "fem/cells/models.hpp"
#include "fem/quadrature.hpp"
#include "fem/vector3.hpp"
#include "meshes/length_unit.hpp"
#include "solver/newton_config.hpp"
#include "solver/preconditioners/polynomial.hpp"
#include "solver/preconditioners/preconditioner_choice.hpp"
#include "solver/solver_path.hpp"
#include "solver/solver_precision.hpp"

namespace cardiowarp {

// The YAML contract as values: physical units (mm, ms, mV, mm²/ms, mV/ms), paths resolved against the YAML file.
// Defaults stand in these types and nowhere else. Every key of the YAML file has its member.

/// An array that the mesh file should have; without a name the usual ones are looked for.
struct ArrayChoice {
  std::string name = {};
  std::string place = {};  ///< in the YAML text, for messages: `file:line:column: key`
};

struct MeshConfig {
  std::filesystem::path file;
  LengthUnit length_unit = LengthUnit::millimetre;
  std::string place = {};   ///< of `file`
  ArrayChoice tags = {};    ///< a VTK file's region tags
  ArrayChoice fibers = {};  ///< a VTK file's fibres: `fibers.array`, here because it is the mesh's reader that needs it
  std::vector<ArrayChoice> values = {};  ///< a VTK file's arrays of parameters of cells, each once
};

/// A parameter that an array of the mesh gives: its values are the parameter's, or what it is multiplied by.
struct ParameterArray {
  ArrayChoice array;
  bool scales = false;
  std::vector<Real> through_wall = {};  ///< in place of an array of the file: values at equal steps from endocardium to
                                        ///< epicardium, linear by the transmural coordinate between
};
using ParameterArrays = std::map<std::string, ParameterArray>;  ///< by the parameter's name

/// What a region changes of the cells: the model, all parameters to those of a set, then single ones.
struct CellModelOverride {
  std::optional<AnyCell> model = {};  ///< with its defaults; none: as outside
  std::string set = {};               ///< empty: none
  std::map<std::string, Real> parameters = {};
  ParameterArrays arrays = {};

  bool empty() const { return !model && set.empty() && parameters.empty() && arrays.empty(); }
};

/// The cells outside the regions.
struct CellModelConfig {
  AnyCell cell;
  std::string set = {};  ///< where its parameters began; empty where the model has no sets
  ParameterArrays arrays = {};
};

/// `cell` with what a region changes.
AnyCell overridden(AnyCell cell, const CellModelOverride& change);

/// D = isotropic I + anisotropic n⊗n; `longitudinal`, `transverse` in YAML mean isotropic = transverse,
/// anisotropic = longitudinal - transverse.
struct DiffusivityConfig {
  Real isotropic_mm2_per_ms = 1.0;
  Real anisotropic_mm2_per_ms = 0.1;
  std::string place = {};                       ///< of the section; empty where there is none
  std::optional<VelocityConfig> velocity = {};  ///< of `velocity` in place of `diffusivity`
  bool is_found = false;  ///< whether D is the one that the velocity asks for, which is found later
};

enum class FiberSource { none, constant, mesh, rule };

struct FibersConfig {
  FiberSource source = FiberSource::none;
  Vector3 direction{1, 0, 0};  ///< of `constant`; need not have unit length
  std::string place = {};      ///< of `source`
  FiberRuleConfig rule = {};   ///< of `rule`
};

// Where something applies: one of these in YAML, coordinates of the heart, or both.
struct Box {
  Vector3 min, max;
};
struct Sphere {
  Vector3 center;
  Real radius_mm = 0;
};
struct Tag {
  std::string name;  ///< a number or the name of a volume or surface of the mesh
};
struct NodeFile {
  std::filesystem::path file;  ///< openCARP .vtx
};
struct Surface {
  std::string name;  ///< of a surface of the mesh, or its number
};
struct Everywhere {};  ///< where coordinates alone are given
struct Where {
  std::variant<Box, Sphere, Tag, NodeFile, Surface, Everywhere> region;
  std::string place;                                   ///< of `where`, for messages
  HeartRange within = {};                              ///< which part of `region`, by the coordinates of the heart
  std::shared_ptr<const HeartCoordinates> heart = {};  ///< of the mesh; null until it has been read, or `within` is all
};

struct RegionConfig {
  Where where;                                   ///< not a NodeFile
  std::optional<DiffusivityConfig> diffusivity;  ///< absent: as outside
  CellModelOverride cell_model;
};

/// The names of the tissue's models: that outside the regions first, then those that regions name, each once.
std::vector<std::string> cell_models_of(const CellModelConfig& model, const std::vector<RegionConfig>& regions);

struct InitialRegionConfig {
  Where where;
  std::optional<Real> potential_mv;
  std::map<std::string, Real> states = {};  ///< of the cell model, by name
};

struct InitialConfig {
  std::optional<Real> potential_mv = {};    ///< absent: the cell model's resting potential
  std::map<std::string, Real> states = {};  ///< of the cell model, by name; absent: as at rest
  std::optional<SteadyConfig> steady = {};  ///< in place of where the model or set begins
  std::vector<InitialRegionConfig> regions = {};
};

/// Nodes whose potential is prescribed.
struct BoundaryConfig {
  Where where;
  Real potential_mv = 0;
};

/// How much of a stimulus a node at the edge of `where` has.
enum class StimulusEdge {
  nodes,    ///< all of it where the node is inside, else nothing
  weighted  ///< as much as `where` has of the node's dual cell
};

struct StimulusConfig {
  std::string name;
  Where where;
  Real start_ms = 0;
  Real duration_ms = 0;
  Real amplitude_mv_per_ms = 0;
  std::optional<Real> period_ms;  ///< absent: count is 1
  int count = 1;
  StimulusEdge edge = StimulusEdge::weighted;
};

/// Steps by their estimated error instead of equal ones.
struct AdaptiveConfig {
  bool enabled = false;
  Real tolerance = 1e-3;  ///< on the local error of the dimensionless potential
  Real min_step_ms = 0.01, max_step_ms = 2;
};

struct TimeConfig {
  Real end_ms = 0;
  Real step_ms = 0;  ///< adaptive: the first one, and after each edge of a stimulus
  TimeScheme scheme = TimeScheme::sdirk2;
  AdaptiveConfig adaptive = {};

  /// Whether states are known between the ends of steps, so that none needs to end where output is due.
  bool interpolates() const { return traits_of(scheme).interpolates; }
  /// Whether every edge of a stimulus is the end of a step.
  bool meets_edges() const { return adaptive.enabled || interpolates(); }
  /// The order of the scheme, p: errors fall with the step to this power.
  int order() const { return traits_of(scheme).order; }
};

/// How wrong the steps in time may make what a run is made for, in place of `time.adaptive.tolerance` and `max_step`,
/// which are found from it (app/start/step_tolerance.hpp). At least one of the two errors is given.
struct AccuracyConfig {
  std::optional<Real> activation_percent;  ///< of the time since the first activation of the tissue
  std::optional<Real> apd90_ms;
  bool finds_max_step = true;  ///< unless `time.adaptive.max_step` is given, which then limits the steps
};

struct LinearSolverConfig {
  PreconditionerChoice preconditioner = PreconditionerChoice::jacobi;
  PolynomialOptions polynomial = {};  ///< where that is the preconditioner
  Real tolerance = 1e-10;             ///< on |residual| / |right-hand side|
  bool follows_step = false;          ///< `tolerance: auto`: from that of the step instead
  int max_iterations = 2000;
  SolverPath path = SolverPath::automatic;
  OperatorKind matrix_operator = OperatorKind::automatic;  ///< the key `operator`
  SolverPrecision precision = SolverPrecision::double_precision;
  MatrixOptions matrix;  ///< `spmv` sets the format and, of ELL-WARP, variant and renumbering
};

enum class BackendChoice { automatic, cpu, gpu };

/// A point outside the tissue whose potential is a column of `ecg.csv`.
struct ElectrodeConfig {
  std::string name;
  Vector3 point;
  std::string place = {};  ///< in the YAML text or of the file of electrodes, for messages
};

/// The ECG of a run (fem/lead_field.hpp).
struct EcgConfig {
  std::vector<ElectrodeConfig> electrodes;
  Real interval_ms = 1;               ///< between two values
  Real intracellular_s_per_m = 0.17;  ///< σ_i along the fibers, where D is that of `diffusivity`
  Real bath_s_per_m = 0.2;            ///< σ_b around the tissue
};

struct OutputConfig {
  std::filesystem::path directory;
  OutputFormat format = OutputFormat::vtu;
  std::optional<OutputPrecision> precision = {};  ///< of the frames; absent: that of the format
  Real interval_ms = 5;
  bool potential = true;
  std::optional<std::vector<std::string>> states = {};  ///< of the cell model, in the frames; absent: all
  bool activation_time = true, apd90 = true;            ///< maps
  std::vector<MapKind> more_maps = {};                  ///< beside these two, in the order of map_traits
  BeatChoice beats = BeatChoice::first;                 ///< that the maps show
  std::optional<EcgConfig> ecg = {};

  bool has(MapKind kind) const;
  /// Whether the values of frames are in single precision; the potential is then sent so by a GPU.
  bool in_single() const {
    return precision.value_or(traits_of(format).precision) == OutputPrecision::single_precision;
  }
};

/// Checkpoints, from which a run can go on.
struct CheckpointConfig {
  Real interval_ms = 0;  ///< of simulated time
  int keep = 2;          ///< the newest of them
};

/// The heart is paced before the run, which begins with the state after the last beat (app/prepace.hpp).
struct PrepaceConfig {
  int beats = 0;
  Real period_ms = 0;
  std::vector<std::string> stimuli = {};  ///< names of those that pace
  std::filesystem::path cache = {};       ///< the folder of the states that are kept
};

struct ProbeConfig {
  std::string name;
  Vector3 point;
  std::string place = {};                   ///< of `point` or `where`
  std::optional<HeartPlace> in_heart = {};  ///< `where`, by coordinates of the heart, from which `point` is found later
};

struct Config {
  std::filesystem::path file;
  MeshConfig mesh;
  CellModelConfig cell_model;
  DiffusivityConfig diffusivity;
  FibersConfig fibers;
  std::optional<CoordinatesConfig> coordinates;
  std::vector<RegionConfig> regions;
  InitialConfig initial;
  std::vector<StimulusConfig> stimuli;
  std::vector<BoundaryConfig> boundary;
  TimeConfig time;
  std::optional<AccuracyConfig> accuracy;  ///< where given, `time.adaptive` is enabled and its numbers are found later
  NewtonConfig newton;
  bool newton_follows_step = false;  ///< `newton.tolerance: auto`: from that of the step instead
  LinearSolverConfig linear_solver;
  Quadrature quadrature = Quadrature::vertices;  ///< of linear tetrahedra, where none is given
  std::string quadrature_place = {};             ///< where one is
  AssemblyOptions assembly;  ///< `strategy` sets variant and renumbering too; `order` is through_csr
  BackendChoice backend = BackendChoice::automatic;
  OutputConfig output;
  std::vector<ProbeConfig> probes;
  std::optional<CheckpointConfig> checkpoint;  ///< absent: only where a run is ended from outside
  std::optional<PrepaceConfig> prepace = {};
};

/// A `--set key.path=value` of the command line; list entries are addressed by number (`stimuli.0.amplitude`).
struct Override {
  std::string key_path, value;
  std::string given = {};  ///< what the user typed, for messages; empty: `--set key.path=value`
};

/// The override that the word `key.path=value` means. Throws InputError that begins with --set.
Override parse_override(const std::string& setting);

/// Reads and checks a configuration: every key known, every value of the right kind, unit and range.
/// Throws InputError `file:line:column: full.key: expected ..., got '...'` with the nearest valid name.
Config load_config(const std::filesystem::path& file, const std::vector<Override>& overrides = {});

/// The configuration with every key and value, as YAML that `load_config` reads back to the same values.
std::string resolved_yaml(const Config& config);

}  // namespace cardiowarp
