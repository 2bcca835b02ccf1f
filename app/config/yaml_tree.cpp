#include "app/config/yaml_tree.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>
#include <sstream>
#include <unordered_set>

#include "app/config/first_configuration.hpp"
#include "app/config/yaml_mistakes.hpp"
#include "fem/input_error.hpp"
#include "meshes/file_kind.hpp"
#include "meshes/mesh_file.hpp"

namespace cardiowarp {
namespace {

using Kind = YamlNode::Kind;

/// Aliases may multiply a small file into a huge tree; no configuration comes near these.
constexpr std::size_t most_nodes = 100'000, most_bytes = 10'000'000;

/// Keys and values that a file may have without aliases. Sixty thousand probes are fewer, and to read more takes long.
constexpr std::size_t most_written = 400'000;

/// Lists and maps inside each other, however a tree comes about: written in a file or a value, by aliases, by a key
/// path. The deepest key of a configuration is in the seventh level.
constexpr std::size_t most_levels = 64;

/// What a message shows of a text that a user gave, and of the words of `--set`, which each of its values keeps.
constexpr std::size_t most_shown = 60, most_of_setting = 100;

/// yaml-cpp takes an open quotation mark to reach to the end of the text: then this comment is found in the value.
const std::string last_line = "# end of the text given to the parser";

/// Text of any length and content as a short piece of one line.
std::string one_line(const std::string& text, std::size_t longest) {
  std::string line;
  for (const char c : text) {
    const bool is_continuation = (c & 0xc0) == 0x80;  // of a UTF-8 character, which is not cut
    if (line.size() >= longest && !is_continuation) return line + "...";
    if (c == '\n')
      line += "\\n";
    else
      line += (c >= 0 && c < ' ') || c == 127 ? '?' : c;
  }
  return line;
}

/// What a piece of a tree takes: its values and the characters of their texts and places.
struct Amount {
  std::size_t nodes = 0, bytes = 0, levels = 0;

  void add(const YamlNode& node, std::size_t level = 1) {
    ++nodes;
    levels = std::max(levels, level);
    bytes += node.text.size() + node.place.size() + node.key.size() + node.key_place.size();
    for (const YamlNode& child : node.children) add(child, level + 1);
  }
};

void require_few_levels(std::size_t levels, const std::string& place) {
  if (levels > most_levels)
    throw InputError(
        fmt::format("{}: expected a configuration, got lists or maps in more than {} levels", place, most_levels));
}

/// Builds the tree from the parser's events: unlike YAML::Node they keep repeated keys and every key's position.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(std::string source, bool has_lines) : source_(std::move(source)), has_lines_(has_lines) {}

  YamlNode take_root() { return std::move(root_); }
  std::string place(const YAML::Mark& mark) const {
    return has_lines_ && !mark.is_null() ? fmt::format("{}:{}:{}", source_, mark.line + 1, mark.column + 1) : source_;
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) throw InputError(place(mark) + ": expected one YAML document, got a second one");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { open(Kind::null, mark, anchor), close(); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, const std::string& text) override {
    if (text.find(last_line) != std::string::npos)
      throw InputError(place(mark) + ": expected valid YAML, got a quotation mark that is never closed");
    open(Kind::scalar, mark, anchor);
    open_.back().node.text = text;
    close();
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Kind::list, mark, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Kind::map, mark, anchor);
  }
  void OnMapEnd() override { close(); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto anchored = anchors_.find(anchor);
    if (anchored == anchors_.end()) throw InputError(place(mark) + ": expected a value, got an alias to itself");
    of_aliases_.add(anchored->second);
    if (nodes_ + of_aliases_.nodes > most_nodes)
      throw InputError(
          fmt::format("{}: expected at most {} values with all aliases written out", place(mark), most_nodes));
    if (of_aliases_.bytes > most_bytes)
      throw InputError(
          fmt::format("{}: expected at most {} characters with all aliases written out", place(mark), most_bytes));
    Amount of_this;
    of_this.add(anchored->second);
    require_few_levels(open_.size() + of_this.levels, place(mark));
    add(anchored->second);
  }

 private:
  struct Open {
    YamlNode node;
    YAML::anchor_t anchor;
    std::unordered_set<std::string> keys = {};  ///< of a map, so that to look for a repeated one takes no search
  };

  void open(Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    YamlNode node;
    node.kind = kind;
    node.place = place(mark);
    if (++nodes_ > most_written)
      throw InputError(fmt::format("{}: expected at most {} keys and values", node.place, most_written));
    require_few_levels(open_.size() + 1, node.place);
    open_.push_back({std::move(node), anchor});
  }

  void close() {
    Open closed = std::move(open_.back());
    open_.pop_back();
    if (closed.anchor != YAML::NullAnchor) anchors_[closed.anchor] = closed.node;
    add(std::move(closed.node));
  }

  /// A map's events alternate between keys and values: a child is absent from its key until its value.
  void add(YamlNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    YamlNode& parent = open_.back().node;
    if (parent.kind == Kind::map && (parent.children.empty() || parent.children.back().kind != Kind::absent)) {
      add_key(open_.back(), node);
    } else if (parent.kind == Kind::map) {
      node.key = std::move(parent.children.back().key);
      node.key_place = std::move(parent.children.back().key_place);
      // The parser notices a missing value only at the next token.
      if (node.kind == Kind::null) node.place = node.key_place;
      parent.children.back() = std::move(node);
    } else {
      parent.children.push_back(std::move(node));
    }
  }

  void add_key(Open& map, const YamlNode& key) {
    if (key.kind != Kind::scalar)
      throw InputError(fmt::format("{}: expected the name of a key, got {}", key.place, describe(key)));
    const bool repeated = !map.keys.insert(key.text).second;
    YamlNode child;
    child.key = key.text;
    child.key_place = key.place;
    map.node.children.push_back(std::move(child));
    if (repeated)
      throw InputError(fmt::format("{}: {}: expected each key once, got '{}' again", key.place, path(), key.text));
  }

  std::string path() const {
    std::string path;
    for (const auto& [node, anchor, keys] : open_) {
      if (node.kind == Kind::list)
        path += fmt::format("[{}]", node.children.size());
      else if (!node.children.empty())  // else what is open is its first key, a map
        path += (path.empty() ? "" : ".") + node.children.back().key;
    }
    return path;
  }

  std::string source_;
  bool has_lines_;
  int documents_ = 0;
  std::size_t nodes_ = 0;
  Amount of_aliases_;
  YamlNode root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, YamlNode> anchors_;
};

YamlNode parse(const std::string& text, const std::string& source, bool has_lines) {
  TreeBuilder builder(source, has_lines);
  try {
    const bool is_utf8 = text.find('\0') == std::string::npos;
    std::istringstream stream(is_utf8 ? text + "\n" + last_line + "\n" : text);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::DeepRecursion& error) {
    throw InputError(builder.place(error.mark) +
                     ": expected a configuration, got lists or maps in far too many levels");
  } catch (const YAML::Exception& error) {
    YAML::Mark mark = error.mark;
    const auto [line, column, words] = explain_syntax_error(text, mark.line, mark.column, error.msg);
    if (!mark.is_null()) mark.line = line, mark.column = column;
    throw InputError(fmt::format("{}: expected valid YAML, got {}", builder.place(mark), words));
  }
  YamlNode root = builder.take_root();
  if (root.kind == Kind::absent) {
    root.kind = Kind::null;
    root.place = has_lines ? source + ":1:1" : source;
  }
  return root;
}

/// `a.b[0].c` as a, b, 0, c; nothing when a part is empty.
std::optional<std::vector<std::string>> split(std::string path) {
  std::erase(path, ']');
  std::replace(path.begin(), path.end(), '[', '.');
  std::vector<std::string> parts;
  std::istringstream stream(path);
  for (std::string part; std::getline(stream, part, '.');) parts.push_back(part);
  const bool has_empty = std::any_of(parts.begin(), parts.end(), [](auto& part) { return part.empty(); });
  if (parts.empty() || has_empty || path.ends_with('.')) return std::nullopt;
  return parts;
}

std::optional<std::size_t> as_number(const std::string& text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// Who gives a mesh where a configuration is expected gets one to begin with.
void require_no_mesh(const std::filesystem::path& file) {
  if (has_mesh_suffix(file)) refuse_mesh(file, FirstConfiguration());
}

YamlNode& child_or_new(YamlNode& map, const std::string& key, const std::string& place) {
  if (map.kind != Kind::map) {
    map.kind = Kind::map;
    map.place = place;
  }
  for (YamlNode& child : map.children)
    if (child.key == key) return child;
  YamlNode child;
  child.key = key;
  child.key_place = place;
  return map.children.emplace_back(std::move(child));
}

/// The content of a regular file, or of a FIFO while somebody writes into it: a shell's `<(generate)` is one. A FIFO
/// that nobody has opened for writing, or is about to, is at its end at once.
std::string content_of(const std::filesystem::path& file) {
  const auto fail = [&](const std::string& what) { throw InputError(fmt::format("{}: {}", file.string(), what)); };
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) fail(fmt::format("cannot be read: {}", std::strerror(errno)));
  const bool fifo = S_ISFIFO(status.st_mode);
  if (!fifo && !S_ISREG(status.st_mode)) fail(fmt::format("expected a YAML file, got {}", file_kind(status.st_mode)));

  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) fail(fmt::format("cannot be read: {}", std::strerror(errno)));
  ::fcntl(descriptor, F_SETFL, 0);  // opening has not waited; reading waits for what the other end writes
  std::string text;
  std::array<char, 1 << 16> part;
  ssize_t bytes = 0;
  do {
    bytes = ::read(descriptor, part.data(), part.size());
    if (bytes > 0) text.append(part.data(), static_cast<std::size_t>(bytes));
  } while (bytes > 0 || (bytes < 0 && errno == EINTR));
  const int error = bytes < 0 ? errno : 0;
  ::close(descriptor);
  if (error != 0) fail(fmt::format("cannot be read: {}", std::strerror(error)));
  if (fifo && text.empty()) fail("expected a YAML file, got a FIFO that nobody writes into");
  if (const std::string reason = why_lfs_pointer(text); !reason.empty()) fail(reason);
  return text;
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view child_key) const {
  const auto child = std::find_if(children.begin(), children.end(), [&](auto& c) { return c.key == child_key; });
  return kind == Kind::map && child != children.end() ? &*child : nullptr;
}

YamlNode read_yaml(const std::filesystem::path& file) {
  require_no_mesh(file);
  return parse(content_of(file), file.string(), true);
}

YamlNode parse_yaml(const std::string& text, const std::string& source) {
  return parse(text, one_line(source, 2 * most_of_setting), true);
}

void set_value(YamlNode& root, const std::string& key_path, const std::string& value, const std::string& given) {
  const std::string place =
      given.empty() ? fmt::format("--set {}={}", one_line(key_path, most_of_setting), one_line(value, most_of_setting))
                    : one_line(given, 2 * most_of_setting);
  const auto parts = split(key_path);
  if (!parts)
    throw InputError(
        fmt::format("{}: expected key.path=value, got the key path '{}'", place, one_line(key_path, most_of_setting)));
  require_few_levels(parts->size() + 1, place);

  YamlNode* node = &root;
  std::string path;
  const auto fail = [&](const std::string& expected, const std::string& got) {
    throw InputError(fmt::format("{}: {}: expected {}, got {}", place, path, expected, got));
  };
  for (const std::string& part : *parts) {
    const auto number = as_number(part);
    if (node->kind == Kind::scalar) fail("a map or a list", describe(*node));
    if (number && node->kind != Kind::list) fail("a list", describe(*node));
    if (node->kind == Kind::list) {
      const std::size_t entries = node->children.size();
      if (!number || *number >= entries)
        fail(
            entries == 0 ? "no entry (the list is empty)" : fmt::format("the number of an entry, 0 to {}", entries - 1),
            fmt::format("'{}'", part));
      path += fmt::format("[{}]", *number);
      node = &node->children[*number];
    } else {
      path += (path.empty() ? "" : ".") + part;
      node = &child_or_new(*node, part, place);
    }
  }
  YamlNode parsed = parse(value, place, false);
  Amount of_value;
  of_value.add(parsed);
  require_few_levels(parts->size() + of_value.levels, place);
  parsed.key = node->key;
  parsed.key_place = place;
  *node = std::move(parsed);
}

std::string describe(const YamlNode& node) {
  if (node.kind == Kind::scalar) return "'" + one_line(node.text, most_shown) + "'" + odd_characters(node.text);
  if (node.kind == Kind::list) return fmt::format("a list of length {}", node.children.size());
  return node.kind == Kind::map ? "a map" : "nothing";
}

}  // namespace cardiowarp
