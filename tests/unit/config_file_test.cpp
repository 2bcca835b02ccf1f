#include "app/config/config.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "fem/input_error.hpp"
#include "tests/support/configuration.hpp"
#include "tests/support/input_error_of.hpp"

namespace cardiowarp {
namespace {

using test::Configuration;
using test::minimal;

TEST_F(Configuration, SaysWhyAFileCannotBeRead) {
  const auto message_of = [](const std::filesystem::path& file) -> std::string {
    try {
      load_config(file);
    } catch (const InputError& failure) {
      return failure.what();
    }
    return "accepted";
  };
  const std::string missing = (directory / "absent.yaml").string();
  EXPECT_EQ(message_of(missing), missing + ": cannot be read: No such file or directory");
  const std::string folder = directory.path().string();
  EXPECT_EQ(message_of(folder), folder + ": expected a YAML file, got a directory");
  EXPECT_EQ(message_of("/dev/zero"), "/dev/zero: expected a YAML file, got a device");
  const std::string pointer = (directory / "pointer.yaml").string();
  std::ofstream(pointer) << "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";
  EXPECT_EQ(message_of(pointer),
            pointer +
                ": it is a pointer of Git LFS, and the content that it stands for has not been fetched: `git lfs "
                "pull` in its repository does that");
  const std::string fifo = (directory / "fifo.yaml").string();
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0666), 0);
  EXPECT_EQ(message_of(fifo), fifo + ": expected a YAML file, got a FIFO that nobody writes into");
}

TEST(ConfigurationFile, IsReadFromAPipeToItsEnd) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{300'000}}) {  // more than a pipe holds
    int ends[2] = {};
    ASSERT_EQ(::pipe(ends), 0);
    std::thread writer([&] {
      const std::string text = std::string(bytes, '\n') + "mesh: {file: a.msh}\ntime: {end: 1, step: 0.25}\n";
      for (std::size_t at = 0; at < text.size();)
        at += static_cast<std::size_t>(::write(ends[1], &text[at], 1000 < text.size() - at ? 1000 : text.size() - at));
      ::close(ends[1]);
    });
    const Config config = load_config("/proc/self/fd/" + std::to_string(ends[0]));
    writer.join();
    ::close(ends[0]);
    EXPECT_EQ(config.time.step_ms, 0.25);
  }
}

TEST_F(Configuration, ReadsWindowsLineEndsByteOrderMarksAndAliases) {
  EXPECT_EQ(load("\xEF\xBB\xBFmesh: {file: a.msh}\r\ntime:\r\n  end: 3 ms\r\n  step: 1 ms\r\n").time.end_ms, 3);
  const Config config = load(minimal + R"(
stimuli:
  - {where: &corner {box: {min: [0, 0, 0], max: [1, 1, 1]}}, duration: 1, amplitude: 5}
  - {where: *corner, start: 5, duration: 1, amplitude: 5}
)");
  EXPECT_EQ(std::get<Box>(config.stimuli.at(1).where.region).max, (Vector3{1, 1, 1}));
}

TEST_F(Configuration, SaysWhereTheYamlSyntaxIsBroken) {
  // The parser's own words, which differ between its versions, follow.
  const std::string reason = ": expected valid YAML, got a syntax error: ";
  for (const auto& [yaml, place] : std::vector<std::pair<std::string, std::string>>{
           {"mesh: {file: a.msh\ntime: {end: 1}\n", "heart.yaml:2:5"}, {"time: *later\n", "heart.yaml:1:7"}}) {
    const std::string message = error(yaml);
    EXPECT_EQ(message.substr(0, place.size() + reason.size()), place + reason) << message;
    EXPECT_GT(message.size(), place.size() + reason.size()) << message;
  }
}

TEST_F(Configuration, SaysWhatIsWrongWithTheLayoutOfTheYaml) {
  const std::string mesh = "mesh: {file: a.msh}\n", valid = ": expected valid YAML, got ";
  const std::string tab = valid + "a tab in the indentation: indent with spaces";
  const auto below = [&](const std::string& own, const std::string& line, const std::string& expected) {
    return valid + "a line indented by " + own + " below '" + line + "', which has its value already: expected " +
           expected;
  };
  struct Mistake {
    std::string yaml, message;
  };
  for (const auto& [yaml, message] : std::vector<Mistake>{
           {"mesh:\n\tfile: a.msh\n", "heart.yaml:2:1" + tab},
           {"mesh:\n  file: a.msh\n \tlength_unit: mm\n", "heart.yaml:3:2" + tab},
           {"mesh:\r\n  file: a.msh\r\n time: 1\r\n",
            "heart.yaml:3:2" + valid + "a line indented by 1 space: expected 0 or 2, as lines above"},
           {mesh + "time:\n    end: 1\n\n  # a comment\n  step: 1\n",
            "heart.yaml:6:3" + valid + "a line indented by 2 spaces: expected 0 or 4, as lines above"},
           {mesh + "stimuli:\n  - duration: 1\n   amplitude: 2\n",
            "heart.yaml:4:4" + valid + "a line indented by 3 spaces: expected 0 or 2 or 4, as lines above"},
           {"mesh:\n  file: a.msh # here\n   length_unit: mm\n",
            "heart.yaml:3:4" + below("3 spaces", "file: a.msh", "2 spaces")},
           {mesh + "stimuli:\n  - duration: 1\n     amplitude: 2\n",
            "heart.yaml:4:6" + below("5 spaces", "duration: 1", "4 spaces")},
           {mesh + "time:\n  end 1\n  step: 1\n",
            "heart.yaml:3:3" + valid + "'end 1': a key ends with a colon and a space, as in 'key: value'"},
           {"mesh:\n  file: \"C:\\data\\a.msh\"\n",
            "heart.yaml:2:12" + valid +
                "a backslash in double quotes, which begins an escape like \\n: use single "
                "quotes, and / between folders"},
           {"mesh:\n  file: \"C:\\Users\\me.msh\"\n",
            "heart.yaml:2:18" + valid +
                "a backslash in double quotes, which begins an escape like \\n: use single "
                "quotes, and / between folders"},
           {mesh + "time:\n  end:\u00a01\n  step: 1\n",
            "heart.yaml:3:3" + valid +
                "'end:\u00a01' with a no-break space: type a plain space: a key ends with a colon and a space, as in "
                "'key: value'"}})
    EXPECT_EQ(error(yaml), message) << yaml;
}

TEST_F(Configuration, EndsWithAMessageWhenListsAreNestedThousandsDeep) {
  const std::string refused = "expected a configuration, got lists or maps in more than 64 levels";
  std::string block, dashes = "probes:\n  ", chain = "a0: &a0 [1]\n";
  for (int level = 0; level < 65; ++level) block += std::string(level, ' ') + "a:\n";
  for (int level = 0; level < 65; ++level) dashes += "- ";
  for (int level = 1; level < 65; ++level) chain += fmt::format("a{}: &a{} [*a{}]\n", level, level, level - 1);
  for (const std::string& text :
       {"probes: " + std::string(3000, '['), "probes: " + std::string(64, '['), "probes: " + std::string(40'000, '{'),
        block, dashes + "1", chain, "? " + std::string(70, '[') + "\n: 1\n"})
    EXPECT_TRUE(error(text).ends_with(refused)) << text.substr(0, 200) << "\n" << error(text);
  // One level less is read, and is no configuration.
  std::string less;
  for (int level = 0; level < 63; ++level) less += std::string(level, ' ') + "a:\n";
  EXPECT_NE(error(less).find("got 'a'"), std::string::npos) << error(less);
  EXPECT_FALSE(error("probes: " + std::string(63, '[') + std::string(63, ']')).ends_with(refused));
}

TEST_F(Configuration, SaysWhereTheDocumentIsNoConfiguration) {
  const std::string sections =
      "a map with the keys mesh, cell_model, diffusivity, velocity, conductivity, fibers, coordinates, regions, "
      "initial, stimuli, "
      "boundary, time, "
      "accuracy, "
      "newton, linear_solver, quadrature, assembly, backend, output, probes, checkpoint, prepace";
  struct Mistake {
    std::string yaml, message;
  };
  const std::vector<Mistake> mistakes{
      {"mesh:\n  file: \"heart.msh\ntime: {end: 1, step: 1}\n",
       "heart.yaml:2:9: expected valid YAML, got a quotation mark that is never closed"},
      {"", "heart.yaml:1:1: expected " + sections + ", got nothing"},
      {"# nothing here\n", "heart.yaml:1:1: expected " + sections + ", got nothing"},
      {"just words\n", "heart.yaml:1:1: expected " + sections + ", got 'just words'"},
      {"- mesh\n- time\n", "heart.yaml:1:1: expected " + sections + ", got a list of length 2"},
      {minimal + "---\n" + minimal, "heart.yaml:3:1: expected one YAML document, got a second one"},
      {minimal + "time: {end: 2, step: 1}\n", "heart.yaml:3:1: time: expected each key once, got 'time' again"},
      {"mesh:\n  file: a.msh\n  file: b.msh\n", "heart.yaml:3:3: mesh.file: expected each key once, got 'file' again"},
      {"stimuli:\n  - {start: 1}\n  - {start: 1, start: 2}\n",
       "heart.yaml:3:16: stimuli[1].start: expected each key once, got 'start' again"},
      {"? {a: 1, a: 2}\n: 3\n", "heart.yaml:1:10: a: expected each key once, got 'a' again"},
      {"[1, 2]: 3\n", "heart.yaml:1:1: expected the name of a key, got a list of length 2"},
      {"~: 3\n", "heart.yaml:1:1: expected the name of a key, got nothing"},
      {"probes: &all [*all]\n", "heart.yaml:1:15: expected a value, got an alias to itself"},
      {"a: &a [0,0,0,0,0,0,0,0,0,0]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
       "d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n",
       "heart.yaml:5:26: expected at most 100000 values with all aliases written out"},
  };
  for (const auto& [yaml, message] : mistakes) EXPECT_EQ(error(yaml), message) << yaml;
}

TEST_F(Configuration, MoreKeysThanAnybodyWritesAreRefusedWhereTheyBecomeTooMany) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += "k" + std::to_string(i) + ": 1\n";
  EXPECT_EQ(error(text), "heart.yaml:200000:10: expected at most 400000 keys and values");
}

TEST_F(Configuration, AliasesThatMakeALongTextHugeAreRefused) {
  std::string list;
  for (int i = 0; i < 20'000; ++i) list += i == 0 ? "*a" : ",*a";
  EXPECT_EQ(error("a: &a " + std::string(800'000, 'x') + "\nb: [" + list + "]\n"),
            "heart.yaml:2:41: expected at most 10000000 characters with all aliases written out");
  EXPECT_EQ(error("a: &a " + std::string(800, 'x') + "\nb: [*a,*a,*a]\n").find("heart.yaml:1:1: a: expected one of"),
            0u);
}

TEST_F(Configuration, AKeyThatIsRepeatedAmongVeryManyIsFound) {
  std::string text;
  for (int i = 0; i < 150'000; ++i) text += "key" + std::to_string(i) + ": 1\n";
  EXPECT_EQ(error(text + "key77: 2\n"), "heart.yaml:150001:1: key77: expected each key once, got 'key77' again");
  EXPECT_EQ(error(text).find("heart.yaml:1:1: key0: expected one of the keys mesh, "), 0u);
}

TEST_F(Configuration, AMeshGivenAsConfigurationGetsTheLinesToBeginWith) {
  for (const char* name : {"slab.msh", "slab.vtu", "slab.vtk", "slab.pts"}) {
    const std::string message = test::input_error_of([&] { load_config(directory / name); });
    EXPECT_NE(message.find(std::string(name) + ": expected a configuration in YAML, got a mesh"), std::string::npos)
        << message;
    const std::size_t begin = message.find('\n');
    ASSERT_NE(begin, std::string::npos);
    const Config config = load(message.substr(begin + 1));  // and they are valid
    EXPECT_EQ(config.mesh.file, directory / name);
    EXPECT_EQ(config.stimuli.size(), 1u);
  }
}

}  // namespace
}  // namespace cardiowarp
