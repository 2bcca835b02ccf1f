// Words of the command line: a duration, a --set, names of stand-ins, each in one input after a letter that chooses.

#include <cmath>

#include "app/bench/stand_in.hpp"
#include "app/config/config.hpp"
#include "app/config/yaml_tree.hpp"
#include "app/process/wall_clock.hpp"
#include "fem/nearest_name.hpp"
#include "tests/fuzz/fuzz_target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cardiowarp;
  if (size == 0) return 0;
  const std::string word(fuzz::text_of(data + 1, size - 1));
  fuzz::is_read([&] {
    switch (data[0]) {
      case 'd': {
        const double seconds = wall_clock_seconds("--stop-after", word);
        fuzz::require(seconds > 0, "a duration that is not positive");
        break;
      }
      case 's': {
        static const YamlNode tree = parse_yaml("a: {b: [1, {c: 2}], d: }\nlist: [[], 3]\n", "tree.yaml");
        const Override setting = parse_override(word);
        YamlNode root = tree;
        set_value(root, setting.key_path, setting.value);
        break;
      }
      case 'm':
        parse_stand_ins({word});
        break;
      default:
        nearest_name(word, std::vector<std::string>{"potential", "activation_time", "apd90", "µm", ""});
    }
  });
  return 0;
}
