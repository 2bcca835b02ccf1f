#!/bin/sh
# usage: new_kinds_test.sh COMPILER ROOT SCRATCH_FOLDER
# Adds a time scheme, a format of the frames and a mesh format, each in three files of the program, a new one and lines
# in two that are there (and its sources in CMakeLists.txt, where it has any), and compiles what chooses among them. A
# kind that lacks a piece does not compile.
compiler=$1 root=$2
. "$(dirname "$0")/../support/scratch.sh"
empty_scratch "$3" && mkdir -p "$3/app/config" "$3/app/simulation" "$3/app/output" "$3/meshes" && cd "$3" || exit 2

failures=0
fail() { echo "$1"; [ -f messages ] && sed 's/^/  /' messages | head -n 20; failures=1; }
compiles() { "$compiler" -std=c++20 -Wall -Wextra -Werror -fsyntax-only -I . -I "$root" "$1" >messages 2>&1; }
expect() { compiles "$1" || fail "$1 does not compile: $2"; }
expect_refused() {  # FILE WORDS WHAT
  if compiles "$1"; then fail "$1 compiles $3"; return; fi
  grep -qF "$2" messages || fail "$1 $3: no message has '$2'"
}
change() {  # FILE SED_EXPRESSION...: a changed copy
  file=$1
  shift
  before=$(cksum <"$root/$file")
  sed "$@" "$root/$file" >"$file"
  [ "$(cksum <"$file")" != "$before" ] || fail "$file has no place for what is added"
}

# A time scheme with code of its own.
cat >app/simulation/forward_euler.hpp <<'CPP'
#pragma once
#include "app/simulation/integrator.hpp"
namespace cardiowarp {
template <Backend B>
class ForwardEuler final : public Integrator<B> {
 public:
  using Integrator<B>::Integrator;
  NewtonReport attempt(Real, const Real*, bool) override { return {}; }
  std::optional<Real> error() const override { return std::nullopt; }
  void accept() override {}
  void meet_jump() override {}
  void record(const BeatMaps&, const ActivationSince&, Real, Real) const override {}
  void follow(StepFollowers<B>&, Real, Real) const override {}
  void exchange(BackendArchive<B>& archive) override { this->exchange_state(archive); }
  const StepSeconds& seconds() override { return this->stage_.seconds(); }
};
}  // namespace cardiowarp
CPP
line='{.name = "forward_euler", .scheme = TimeScheme::forward_euler, .maker = StepMaker::forward_euler, .order = 1},'
change app/config/time_scheme.hpp -e 's/^  rkc2 .*/  rkc2,\n  forward_euler/' -e 's/^enum class StepMaker { /&forward_euler, /' \
  -e 's/TimeSchemeTraits, 5>/TimeSchemeTraits, 6>/' -e "s/^}};/    $line\n&/"
cat >scheme.cpp <<'CPP'
#include "app/config/config_names.hpp"
#include "app/simulation/make_integrator.hpp"
namespace cardiowarp {
static_assert(traits_of(TimeScheme::forward_euler).order == 1);
std::unique_ptr<Integrator<CpuBackend>> made(CpuBackend& backend, const SimulationPlan& plan) {
  return make_integrator(backend, plan);
}
}  // namespace cardiowarp
CPP
expect_refused scheme.cpp forward_euler "without the class of a StepMaker"
change app/simulation/make_integrator.hpp -e 's|^#include "app/simulation/implicit_stage.hpp"|#include "app/simulation/forward_euler.hpp"\n&|' \
  -e 's/^    case StepMaker::second_order:/    case StepMaker::forward_euler:\n      return std::make_unique<ForwardEuler<B>>(backend, plan);\n&/'
expect scheme.cpp "a time scheme"
change app/config/time_scheme.hpp -e 's/, .front_errors = {0.19, 2e-3, true}//'
echo '#include "app/config/time_scheme.hpp"' >list.cpp
expect_refused list.cpp time_schemes_are_complete "with a scheme of order 2 whose errors are not known"
rm -r app/config/time_scheme.hpp app/simulation

# A format of the frames.
cat >app/output/plain_frames.hpp <<'CPP'
#pragma once
#include "app/output/frame_writer.hpp"
namespace cardiowarp {
std::unique_ptr<FrameLayout> make_plain_layout(const FrameFields& fields);
std::unique_ptr<FrameWriter> make_plain_frames(const FrameFields& fields);
}  // namespace cardiowarp
CPP
change app/config/output_format.hpp -e 's/^  ensight .*/  ensight,\n  plain/' -e 's/OutputFormatTraits, 2>/OutputFormatTraits, 3>/' \
  -e 's/^}};/    {"plain", OutputFormat::plain, OutputPrecision::double_precision, false, {0, 0, 0, 0, false, 1e8}},\n&/'
cp "$root/app/output/frame_formats.cpp" .
expect_refused frame_formats.cpp formats_are_complete "without the code of a format"
line='{OutputFormat::plain, make_plain_layout, [](const FrameSource\& of) { return make_plain_frames(of.fields); }},'
sed -e 's|^#include "app/output/vtu_frames.hpp"|#include "app/output/plain_frames.hpp"\n&|' -e "s/^}};/    $line\n&/" \
  "$root/app/output/frame_formats.cpp" >frame_formats.cpp
expect frame_formats.cpp "a format of the frames"
sed -i 's/{OutputFormat::plain, make_plain_layout, .*/{OutputFormat::plain, make_plain_layout, nullptr},/' frame_formats.cpp
expect_refused frame_formats.cpp formats_are_complete "with a format that has no writer"

# A mesh format.
cat >meshes/plain_file.hpp <<'CPP'
#pragma once
#include <filesystem>
#include "fem/mesh.hpp"
namespace cardiowarp {
Mesh read_plain_file(const std::filesystem::path& file);
}  // namespace cardiowarp
CPP
line='{.suffix = ".plain", .owner = "Nobody", .read = [](const fs::path\& file, const VtkArrayNames\&) { return read_plain_file(file); }},'
sed -e 's|^#include "meshes/reading_process.hpp"|#include "meshes/plain_file.hpp"\n&|' -e 's/MeshFormat, 11>/MeshFormat, 12>/' \
  -e "s/^}};/    $line\n&/" "$root/meshes/mesh_formats.cpp" >mesh_formats.cpp
expect mesh_formats.cpp "a mesh format"
sed -i 's/\.read = \[\](const fs::path& file, const VtkArrayNames&) { return read_plain_file(file); }/.read = nullptr/' mesh_formats.cpp
expect_refused mesh_formats.cpp 'static assertion' "with a format that has no reader"

exit $failures
