#pragma once
#include <array>

namespace cardiowarp {

/// Wall-clock seconds per phase of a run; `total` holds what the phases leave out, too.
struct PhaseSeconds {
  double setup = 0, element = 0, assembly = 0, linear_solve = 0, update = 0, output = 0, total = 0;
};

/// A phase by its name in result files.
struct Phase {
  const char* name;
  double PhaseSeconds::*seconds;
};

/// All phases, in the order of a run.
inline constexpr std::array<Phase, 7> phases{{{"setup", &PhaseSeconds::setup},
                                              {"element", &PhaseSeconds::element},
                                              {"assembly", &PhaseSeconds::assembly},
                                              {"linear_solve", &PhaseSeconds::linear_solve},
                                              {"update", &PhaseSeconds::update},
                                              {"output", &PhaseSeconds::output},
                                              {"total", &PhaseSeconds::total}}};

}  // namespace cardiowarp
