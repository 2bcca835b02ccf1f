#include "meshes/reading_process.hpp"

#include <gtest/gtest.h>
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <limits>
#include <new>
#include <stdexcept>
#include <vector>

#include "fem/input_error.hpp"
#include "fem/mesh.hpp"
#include "kernels/backend/sanitizers.hpp"
#include "tests/support/input_error_of.hpp"

namespace cardiowarp {
namespace {

using test::input_error_of;

constexpr ReadingLimits plenty{.seconds = 60, .bytes = std::uint64_t{4} << 30};

Mesh read(const std::function<Mesh()>& work) { return read_in_own_process("heart.vtu", plenty, work); }

void expect_no_child_left() {
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(ReadingProcess, HandsOverEveryPartOfAMesh) {
  const Mesh sent{.nodes = {{1, 2, 3}, {0.1, -0.0, 1e300}},
                  .tetrahedra = {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}},
                  .element_tags = {-7, 0, std::numeric_limits<int>::max()},
                  .fibers = {{0, 0, 1}},
                  .triangles = {{3, 2, 1}},
                  .triangle_tags = {12},
                  .volume_names = {{"", 1}, {"left ventricle", 2}},
                  .surface_names = {{"epi", -3}},
                  .node_in_file = {5, 4},
                  .arrays = {{"region", 1, false}, {"FIB DIR", 3, true}},
                  .edge_nodes = {{4, 5, 6, 7, 8, 9}, {11, 10, 9, 8, 7, 6}},
                  .triangle_edge_nodes = {{6, 5, 4}},
                  .further_element_tags = {{0, 1, 2}, {{}, {3, -4}, {7}}},
                  .further_triangle_tags = {{1}, {{}, {9}}},
                  .values = {{"scale", true, {0.5, -1e300, 3}}, {"empty", false, {}}},
                  .remarks = {"3 cells were left out", ""}};
  const Mesh mesh = read([&] { return sent; });
  EXPECT_EQ(mesh.nodes, sent.nodes);
  EXPECT_EQ(mesh.tetrahedra, sent.tetrahedra);
  EXPECT_EQ(mesh.element_tags, sent.element_tags);
  EXPECT_EQ(mesh.fibers, sent.fibers);
  EXPECT_EQ(mesh.triangles, sent.triangles);
  EXPECT_EQ(mesh.edge_nodes, sent.edge_nodes);
  EXPECT_EQ(mesh.triangle_edge_nodes, sent.triangle_edge_nodes);
  EXPECT_EQ(mesh.triangle_tags, sent.triangle_tags);
  EXPECT_EQ(mesh.volume_names, sent.volume_names);
  EXPECT_EQ(mesh.surface_names, sent.surface_names);
  EXPECT_EQ(mesh.node_in_file, sent.node_in_file);
  EXPECT_EQ(mesh.further_element_tags.set_of_cell, sent.further_element_tags.set_of_cell);
  EXPECT_EQ(mesh.further_element_tags.sets, sent.further_element_tags.sets);
  EXPECT_EQ(mesh.further_triangle_tags.set_of_cell, sent.further_triangle_tags.set_of_cell);
  EXPECT_EQ(mesh.further_triangle_tags.sets, sent.further_triangle_tags.sets);
  EXPECT_EQ(mesh.remarks, sent.remarks);
  ASSERT_EQ(mesh.values.size(), 2u);
  EXPECT_EQ(mesh.values[0].name, "scale");
  EXPECT_TRUE(mesh.values[0].of_points);
  EXPECT_EQ(mesh.values[0].values, sent.values[0].values);
  EXPECT_TRUE(mesh.values[1].values.empty());
  ASSERT_EQ(mesh.arrays.size(), 2u);
  EXPECT_EQ(mesh.arrays[1].name, "FIB DIR");
  EXPECT_EQ(mesh.arrays[1].components, 3);
  EXPECT_TRUE(mesh.arrays[1].of_points);
  expect_no_child_left();
}

TEST(ReadingProcess, HandsOverAMeshThatIsLargerThanThePipe) {
  const Mesh mesh = read([] {
    Mesh large;
    for (int i = 0; i < 1'000'003; ++i) large.element_tags.push_back(i);
    return large;
  });
  ASSERT_EQ(mesh.element_tags.size(), 1'000'003u);
  EXPECT_EQ(mesh.element_tags[1'000'002], 1'000'002);
}

TEST(ReadingProcess, LeavesTheErrorsOfAReaderAsTheyAre) {
  const std::string text(100'000, 'x');
  EXPECT_EQ(input_error_of([&] { read([&]() -> Mesh { throw InputError(text); }); }), text);
  expect_no_child_left();
}

TEST(ReadingProcess, TurnsOtherExceptionsIntoErrorsOfTheFile) {
  EXPECT_EQ(input_error_of([] { read([]() -> Mesh { throw std::length_error("too long"); }); }),
            "heart.vtu: cannot be read: too long");
  EXPECT_EQ(input_error_of([] { read([]() -> Mesh { throw 7; }); }),
            "heart.vtu: cannot be read: the library gives no reason");
}

TEST(ReadingProcess, NamesTheCrashThatEndsIt) {
  EXPECT_EQ(input_error_of([] {
              read([]() -> Mesh {
                std::signal(SIGABRT, SIG_DFL);
                std::abort();
              });
            }),
            "heart.vtu: cannot be read: reading it ended with a crash, 'Aborted' (damaged file?)");
  EXPECT_EQ(input_error_of([] {
              read([]() -> Mesh {
                std::signal(SIGSEGV, SIG_DFL);
                ::raise(SIGSEGV);
                return {};
              });
            }),
            "heart.vtu: cannot be read: reading it ended with a crash, 'Segmentation fault' (damaged file?)");
  expect_no_child_left();
}

TEST(ReadingProcess, ThatMakesAMeshHasWordsOfItsOwnForItsEnd) {
  const auto crash = []() -> Mesh {
    std::signal(SIGSEGV, SIG_DFL);
    ::raise(SIGSEGV);
    return {};
  };
  try {
    make_in_own_process("mesh slab", crash);
    ADD_FAILURE();
  } catch (const ProcessCrash& error) {
    EXPECT_STREQ(error.what(), "mesh slab: Gmsh made no mesh: it ended with a crash, 'Segmentation fault'");
  }
  EXPECT_EQ(input_error_of([] { make_in_own_process("mesh slab", []() -> Mesh { throw InputError("too thin"); }); }),
            "too thin");
  EXPECT_THROW(make_in_own_process("mesh slab", []() -> Mesh { throw std::bad_alloc(); }), std::bad_alloc);
  const Mesh mesh = make_in_own_process("mesh slab", [] {
    Mesh made;
    made.element_tags = {3, 1, 2};
    return made;
  });
  EXPECT_EQ(mesh.element_tags, (std::vector<int>{3, 1, 2}));
  expect_no_child_left();
}

TEST(ReadingProcess, ThatEndsWithoutAMeshIsAnError) {
  EXPECT_EQ(input_error_of([] { read([]() -> Mesh { ::_exit(0); }); }),
            "heart.vtu: cannot be read: reading it ended early (damaged file?)");
}

TEST(ReadingProcess, ThatComputesForeverIsEnded) {
  const auto compute_forever = []() -> Mesh {
    for (std::atomic<unsigned> turns = 0;;) ++turns;
  };
  const ReadingLimits limits{
      .seconds = 1, .bytes = plenty.bytes, .clock_seconds = 600};  // a busy machine gives it little
  EXPECT_EQ(input_error_of([&] { read_in_own_process("heart.vtu", limits, compute_forever); }),
            "heart.vtu: cannot be read: reading it takes longer than 1 s of computing (damaged file?)");
  expect_no_child_left();
}

TEST(ReadingProcess, ThatWaitsForeverIsEnded) {
  const auto wait_forever = []() -> Mesh {
    while (true) ::pause();
  };
  EXPECT_EQ(
      input_error_of([&] { read_in_own_process("heart.vtu", {.seconds = 0, .bytes = plenty.bytes}, wait_forever); }),
      "heart.vtu: cannot be read: reading it has not come to an end in 0 s (damaged file?)");
  expect_no_child_left();
}

TEST(ReadingProcess, ThatWantsTooMuchMemoryIsAnErrorWithTheLimit) {
  if (has_address_sanitizer) GTEST_SKIP() << "the address sanitizer needs more addresses than any limit allows";
  const auto ask_for_much = []() -> Mesh {
    Mesh mesh;
    mesh.element_tags.resize(std::size_t{1} << 29);
    return mesh;
  };
  EXPECT_EQ(input_error_of([&] {
              read_in_own_process("heart.vtu", {.seconds = 60, .bytes = std::uint64_t{1} << 30}, ask_for_much);
            }),
            "heart.vtu: cannot be read: it needs more memory than there is, or than the 1 GiB that a file of its size "
            "may take (damaged file?)");
  expect_no_child_left();
}

TEST(ReadingProcess, DoesNotWaitForTheThreadsOfTheOtherOne) {
  int before = 0;
#pragma omp parallel num_threads(4) reduction(+ : before)
  before += 1;
  ASSERT_EQ(before, 4);
  const Mesh mesh = read([] {
    Mesh counted;
    int threads = 0;
#pragma omp parallel reduction(+ : threads)
    threads += 1;
    counted.element_tags = {threads};
    return counted;
  });
  EXPECT_EQ(mesh.element_tags, std::vector<int>{1});
}

TEST(ReadingProcess, DoesNotWriteWhatTheOtherOneHasInItsBuffers) {
  if (has_address_sanitizer) GTEST_SKIP() << "prints what the sanitizer finds";
  testing::internal::CaptureStdout();
  std::printf("once;");
  read([] {
    std::printf("never;");
    std::fflush(stdout);
    std::fprintf(stderr, "never;");
    return Mesh{};
  });
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "once;");
}

std::atomic<int> interrupts = 0;

TEST(ReadingProcess, PassesOnTheInterruptThatEndsIt) {
  interrupts = 0;
  const auto former = std::signal(SIGINT, [](int) { ++interrupts; });
  EXPECT_EQ(input_error_of([] {
              read([]() -> Mesh {
                ::raise(SIGINT);
                return {};
              });
            }),
            "heart.vtu: cannot be read: reading it was interrupted");
  std::signal(SIGINT, former);
  EXPECT_EQ(interrupts, 1);
}

TEST(ReadingProcess, IgnoresTheSignalsThatTheProgramIgnores) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const auto former = std::signal(signal, SIG_IGN);
    const Mesh mesh = read([signal]() -> Mesh {
      ::raise(signal);
      Mesh one;
      one.nodes = {{1, 2, 3}};
      return one;
    });
    std::signal(signal, former);
    EXPECT_EQ(mesh.nodes.size(), 1u) << signal;
  }
}

TEST(ReadingProcess, MayTakeMoreForALargerFile) {
  EXPECT_EQ(limits_for(0).seconds, 60u);
  EXPECT_EQ(limits_for(0).bytes, std::uint64_t{512} << 20);
  EXPECT_EQ(limits_for(1 << 20).bytes, std::uint64_t{1} << 30);
  EXPECT_EQ(limits_for(2'000'000'000).seconds, 2060u);
  EXPECT_EQ(limits_for(2'000'000'000).bytes, (std::uint64_t{4} << 30) + 128'000'000'000u);
}

}  // namespace
}  // namespace cardiowarp
