// What runs with backward Euler computed before there was another scheme, as hashes of all bits. They hold for every
// compiler that rounds each operation of IEEE arithmetic by itself; one that fuses them has other last bits.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <ostream>
#include <span>
#include <vector>

#include "app/config/time_config.hpp"
#include "app/simulation/time_stepper.hpp"
#include "meshes/generate.hpp"
#include "tests/support/single_run.hpp"

namespace cardiowarp {
namespace {

/// FNV-1a over the bytes of the values.
std::uint64_t hash_of(std::span<const Real> values, std::uint64_t hash = 0xcbf29ce484222325u) {
  for (const Real value : values) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    for (int byte = 0; byte < 8; ++byte) hash = (hash ^ (bits >> (8 * byte) & 0xffu)) * 0x100000001b3u;
  }
  return hash;
}

/// The hashes of a beat on a block of tissue, 420 ms: of the potential at every 20th step, and of what is known at the
/// end.
struct Hashes {
  std::uint64_t steps, potential, recovery, activation, apd90;
  friend bool operator==(const Hashes&, const Hashes&) = default;
};

std::ostream& operator<<(std::ostream& out, const Hashes& hashes) {
  return out << std::hex << "{0x" << hashes.steps << "u, 0x" << hashes.potential << "u, 0x" << hashes.recovery
             << "u, 0x" << hashes.activation << "u, 0x" << hashes.apd90 << "u}" << std::dec;
}

Hashes run(const TimeConfig& time) {
  Mesh mesh = slab_mesh({4, 1.5, 1}, 0.5, true);
  mesh.fibers.assign(mesh.tetrahedra.size(), {0.6, 0.8, 0});
  Problem problem = resting_problem(mesh, 0.1, 0.3);
  problem.newton = {};
  problem.linear_solver = {1e-10, 1000};
  Stimulus stimulus{{}, {1.3, 2, 170, 2}, AlievPanfilov::scaling.stimulus(60)};
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
    if (mesh.nodes[i].x < 1.1) stimulus.nodes.push_back(static_cast<Index>(i));
  problem.stimuli.push_back(stimulus);
  const auto simulation = make_cpu_simulation(problem);
  TimeStepper stepper(time, 30, problem.stimuli);
  std::vector<Real> potential(mesh.nodes.size()), recovery(mesh.tetrahedra.size()), map(mesh.nodes.size()), ends;
  Hashes hashes{};
  hashes.potential = hash_of({});
  while (!stepper.finished()) {
    if (stepper.advance(*simulation).failure) ADD_FAILURE() << simulation->time_ms();
    ends.push_back(simulation->time_ms());
    if (ends.size() % 20 != 0) continue;
    simulation->potential_mv(potential);
    hashes.potential = hash_of(potential, hashes.potential);
  }
  hashes.steps = hash_of(ends);
  simulation->state(0, recovery);
  hashes.recovery = hash_of(recovery);
  simulation->activation_time_ms(map);
  hashes.activation = hash_of(map);
  simulation->apd90_ms(map);
  hashes.apd90 = hash_of(map);
  return hashes;
}

TEST(BackwardEulerBits, OfEqualStepsAreThoseTheyWere) {
  EXPECT_EQ(run({420, 0.7, TimeScheme::backward_euler}),
            (Hashes{0x2394322280c36641u, 0x152ae4e12d241a91u, 0x71e310090292b7dcu, 0x79728231201bf52au,
                    0xa8b1fce5140b0a63u}));
}

TEST(BackwardEulerBits, OfAdaptiveStepsAreThoseTheyWere) {
  TimeConfig time{420, 0.1, TimeScheme::backward_euler};
  time.adaptive.enabled = true;
  EXPECT_EQ(run(time), (Hashes{0xf624806995ffcadeu, 0x81ae3c3956c9164cu, 0x9dd370a5581d6954u, 0x57740215c7ba126cu,
                               0xbf89f67aefa46b67u}));
}

}  // namespace
}  // namespace cardiowarp
