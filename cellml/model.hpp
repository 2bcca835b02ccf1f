#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cellml/state_kinds.hpp"
#include "cellml/term_graph.hpp"

namespace cardiowarp {

// A cell model out of a CellML file, as a plain value: its states and parameters by name and its equations as a graph
// of terms. Outside the graph time is in ms and the potential in mV; states and parameters keep the units of the file.
// The stimulus of the file is switched off: in its place is a leaf, which is 0 in tissue.

/// A number that a user may set.
struct CellMlParameter {
  std::string name;  ///< `component.variable`
  std::string unit;
  double value = 0;
  std::vector<std::string> annotations = {};  ///< what the file's metadata call it
};

struct CellMlState {
  std::string name;  ///< `component.variable`
  std::string unit;
  double initial = 0;
  StateKind kind = StateKind::pool;
  int chain = -1;       ///< of a chain's member: the number of the chain
  TermIndex rate = -1;  ///< ds/dt per ms
  /// Of gates and followers: ds/dt = open − speed · s [per ms].
  TermIndex open = -1, speed = -1;
  bool is_amount = false;  ///< of substance, by its unit, or a concentration
};

/// The current by which the file stimulates its cell.
struct CellMlStimulus {
  std::string name, unit;
  double mv_per_ms = 0;  ///< what one unit of it adds to dV/dt at the initial state; below 0 where negative depolarizes
  /// The pulse that the file describes by annotations, as far as it does: in the unit above, ms and ms.
  std::optional<double> amplitude = {}, duration_ms = {}, period_ms = {};
};

struct CellMlModel {
  std::string name;     ///< as the file calls it
  std::string version;  ///< of CellML: `1.0`, `1.1` or `2.0`
  TermGraph graph;
  std::string potential;  ///< the name of its variable
  double initial_potential_mv = 0;
  TermIndex potential_rate = -1;  ///< dV/dt in mV/ms: minus the sum of all currents over the capacitance
  /// Gates, then followers and chains, each behind those that it needs, then pools. Leaf `state` k is states[k].
  std::vector<CellMlState> states = {};
  std::vector<CellMlParameter> parameters = {};  ///< that the equations use; leaf `parameter` k is parameters[k]
  std::optional<CellMlStimulus> stimulus = {};
  std::string time;              ///< the name of its variable
  bool depends_on_time = false;  ///< beside the stimulus

  std::vector<double> parameter_values() const;
  std::vector<double> initial_states() const;
};

/// The choices of a user for a file. Names are `component.variable`, that of a variable alone where it is the only one,
/// or an annotation such as membrane_voltage.
struct CellMlOptions {
  std::string potential = {};                     ///< else by annotation, or the only state in volts
  std::string stimulus = {};                      ///< else by annotation, or the only quantity of time alone
  std::map<std::string, double> parameters = {};  ///< values in the units of the file, in place of the file's
};

/// The most states that a model may have.
constexpr std::size_t most_cellml_states = 500;

/// Reads a model. Throws InputError, which names file, component and variable, for what is no model that can be
/// computed here: equations in a circle, algebraic systems, quantities defined twice or not at all, unknown functions,
/// delays, units that do not fit, two potentials, missing imports.
CellMlModel read_cellml(const std::filesystem::path& file, const CellMlOptions& options = {});

/// Parses text likewise, which may import files of `folder`; none where it is empty.
CellMlModel parse_cellml(const std::string& text, const CellMlOptions& options = {},
                         const std::filesystem::path& folder = {});

/// The potentials from -120 to 60 mV, in steps of 0.5 mV, at which a rate is not a number while all states are as at
/// the beginning: quotients 0 / 0 that are none of those that are replaced.
std::vector<double> potentials_without_rates(const CellMlModel& model);

}  // namespace cardiowarp
