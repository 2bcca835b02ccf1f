#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/simulation/beats.hpp"
#include "app/simulation/step_seconds.hpp"
#include "kernels/backend/types.hpp"

namespace cardiowarp {

class StateArchive;
struct EcgSamples;
struct Flight;
struct Problem;

// A simulation as the rest of the program sees it, whichever machine computes it. It is advanced to times in ms and
// asked for potentials in mV, states and maps, in the input's order of nodes and elements. make_cpu_simulation() and
// make_gpu_simulation() (gpu.hpp) make it of a problem; `run`, `compare` and the Recorder use it. A step that fails or
// is rejected throws nothing: the StepReport says so, and the state is the one before the step.

/// Why and where a step failed.
struct StepFailure {
  std::string reason;       ///< what did not converge, with its numbers
  Index node = -1;          ///< the worst one; −1 where nobody looked for it
  Real potential_mv = 0;    ///< of that node when the step stopped
  bool left_range = false;  ///< of its cell model
};

struct StepReport {
  int newton_iterations = 0;
  int linear_iterations = 0;
  std::optional<Real> error = {};           ///< of φ, estimated (Integrator::error); absent where it was not
  bool rejected = false;                    ///< for its error
  std::optional<StepFailure> failure = {};  ///< the state is then, as after a rejection, the one before the step
};

/// The fate of the pulses of a stimulus so far. A pulse captures where it starts a wave
/// (app/simulation/pulse_watch.hpp). The pulses that none of the last four numbers counts have begun too late for a
/// verdict, or belong to a stimulus that inhibits.
struct PulseCaptures {
  int pulses = 0;    ///< pulses that have begun; several that begin in one step count as one
  int captured = 0;  ///< pulses that started a wave
  int missed = 0;    ///< pulses that started none
  int cramped = 0;   ///< pulses that activated tissue which has no node far enough away for a verdict
  int met = 0;       ///< pulses whose front met another one before it was far enough away for a verdict

  friend bool operator==(const PulseCaptures&, const PulseCaptures&) = default;
};

/// How a simulation computes, by the names that the YAML file has for it: a user who types these names in gets the same
/// run. `solver` is the path that conjugate gradients take (solver/solver_path.hpp), and `solver_reason` a sentence
/// that says why. `precision` is that of the linear solves (solver/solver_precision.hpp), and `precision_reason` says
/// why a precision was taken that the user did not name.
struct SimulationMethods {
  std::string format;
  std::optional<Index> threshold = {}, window = {};  ///< of the format, if it has them
  std::optional<int> block_size = {};                ///< of the format; absent: the backend chooses it
  std::string assembly, assembly_order, solver, solver_reason, precision, precision_reason, matrix_operator;
  std::optional<Index> assembly_threshold = {}, assembly_window = {};  ///< of an assembly that is a product
  std::optional<int> assembly_block_size = {};  ///< of such an assembly; absent: the backend chooses it
  Index matrix_entries = 0;                     ///< without padding
  bool repeatable = true;  ///< whether the assembly adds in the same order, and so to the same bits, in every run
};

/// A potential that no cell model describes (far_potential.hpp).
struct FarPotential {
  Real potential_mv;
  Real by_ms;  ///< the time by which it was reached
  Index node;  ///< of the input
};

/// A simulation that makes several steps before the host looks (flight.hpp).
class Flying {
 public:
  virtual ~Flying() = default;

  /// Makes several steps, where that is possible now and worth it. They are told by as many calls of
  /// SteppedProblem::try_step_to(). Until flown_ms() is empty again only the time and the probes of the simulation are
  /// asked for, unless the step that is told reaches `look_ms`.
  virtual void fly(const Flight& flight) = 0;
  /// The end of the next step that try_step_to() is to tell of; nothing where all of them are told.
  virtual std::optional<Real> flown_ms() const = 0;
};

/// A problem that is advanced in time step by step.
class SteppedProblem {
 public:
  virtual ~SteppedProblem() = default;

  /// One step from the current time to `time_ms`.
  StepReport step_to(Real time_ms) { return step(time_ms, std::nullopt); }
  /// Makes a step as step_to() does, but rejects it if its estimated error is above `largest_error`. A scheme that
  /// estimates errors by the steps before has no estimate for a step at whose beginning a stimulus begins or ends, as
  /// the steps before do not predict it. A step without an estimate is not rejected.
  StepReport try_step_to(Real time_ms, Real largest_error) { return step(time_ms, largest_error); }
  virtual Real time_ms() const = 0;

  /// This simulation as one that flies; null where it makes every step by itself.
  virtual Flying* flying() { return nullptr; }
  /// Flying::flown_ms(); nothing where it makes every step by itself.
  std::optional<Real> flown_ms() { return flying() != nullptr ? flying()->flown_ms() : std::nullopt; }

 protected:
  /// Makes the step, and estimates its error where there is a largest one.
  virtual StepReport step(Real time_ms, std::optional<Real> largest_error) = 0;
};

/// Numbers in single precision, [nodes], on their way from a simulation to the host. Whoever asked for them keeps the
/// object and may ask with it again.
class SinglesUnderWay {
 public:
  virtual ~SinglesUnderWay() = default;
  SinglesUnderWay() = default;
  SinglesUnderWay(const SinglesUnderWay&) = delete;
  SinglesUnderWay& operator=(const SinglesUnderWay&) = delete;

  /// Waits until they are here; any thread. Throws DeviceError.
  virtual void await() {}
  /// After await(), until they are asked for again.
  virtual std::span<const float> values() const = 0;
};

/// Such numbers that are here at once.
class SinglesHere final : public SinglesUnderWay {
 public:
  std::span<const float> values() const override { return numbers_; }
  /// The numbers of `singles`, which is made one of these if it is none, for `nodes` nodes.
  static std::span<float> in(std::unique_ptr<SinglesUnderWay>& singles, std::size_t nodes);

 private:
  std::vector<float> numbers_;
};

/// A field that a simulation can be asked for, in the input's order of nodes and elements.
enum class Answer {
  potential,        ///< [nodes] mV
  state,            ///< [elements] of the cell model, by its number in the model's table
  activation_time,  ///< [nodes] ms, −1 where there is none
  apd90,            ///< [nodes] ms, −1 where there is none
  probes            ///< [probes] mV
};

/// A problem being advanced in time on one backend. Physical units: ms and mV.
class Simulation : public SteppedProblem {
 public:
  void potential_mv(std::span<Real> nodes) { read(Answer::potential, 0, nodes); }
  void state(std::size_t number, std::span<Real> elements) { read(Answer::state, number, elements); }
  void activation_time_ms(std::span<Real> nodes) { read(Answer::activation_time, 0, nodes); }
  void apd90_ms(std::span<Real> nodes) { read(Answer::apd90, 0, nodes); }
  void probe_mv(std::span<Real> probes) { read(Answer::probes, 0, probes); }

  /// Whether states between the ends of steps are known.
  virtual bool interpolates() const = 0;
  /// Lets potential_mv(), state() and probe_mv() give what was at `time_ms`, a time in the last step, until the next
  /// step is made. Without effect where interpolates() is false.
  virtual void look_at(Real time_ms) = 0;

  /// Sends the potential of `nodes` nodes, all of them, in single precision on its way to the host, into `singles`,
  /// which is made where it is null. Does not wait for a GPU.
  virtual void send_potential_mv(std::unique_ptr<SinglesUnderWay>& singles, std::size_t nodes);
  /// The samples of the ECG since the last call; at least every EcgSampler::most_waiting samples.
  virtual EcgSamples take_ecg();
  /// The beats of all nodes so far that Tissue::beats asks for.
  virtual BeatRecords beats() { return {}; }
  /// [stimuli] what has become of the pulses by now
  virtual std::vector<PulseCaptures> captures() = 0;
  /// Of the potentials at the ends of the steps so far, the one that was farthest from 0; nothing where none was beyond
  /// largest_potential_mv (far_potential.hpp), or where nothing in the problem may bring one that far.
  virtual std::optional<FarPotential> farthest_potential() { return std::nullopt; }

  /// All that the next steps and answers need of those before, in the order of the mesh, so that any machine can go on
  /// from it. A simulation that loads is at its beginning. Throws InputError where the archive has other arrays than
  /// the problem, the simulation being of no use then.
  virtual void exchange(StateArchive& archive) = 0;

  virtual StepSeconds seconds() = 0;
  virtual SimulationMethods methods() const = 0;  ///< as of now: a device may refuse what was planned

 protected:
  /// Writes an answer into `values`; `number` is that of the state.
  virtual void read(Answer answer, std::size_t number, std::span<Real> values) = 0;
};

/// The simulation of a problem on the CPU, with OpenMP's threads.
std::unique_ptr<Simulation> make_cpu_simulation(const Problem& problem);

}  // namespace cardiowarp
