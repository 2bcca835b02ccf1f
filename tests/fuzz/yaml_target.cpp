#include "app/config/yaml_tree.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace {

/// Goes to every value of the tree, each of which must know its place.
void visit(const cardiowarp::YamlNode& node) {
  using cardiowarp::fuzz::require;
  require(!node.place.empty(), "a value without a place");
  cardiowarp::describe(node);
  for (const cardiowarp::YamlNode& child : node.children) visit(child);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cardiowarp;
  const std::string text(fuzz::text_of(data, size));
  fuzz::is_read([&] { visit(parse_yaml(text, "input.yaml")); });
  return 0;
}
