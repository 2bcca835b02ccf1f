#pragma once
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/config/config_names.hpp"
#include "app/config/key_description.hpp"
#include "app/config/yaml_reader.hpp"

namespace cardiowarp {

// A section of the YAML file is described once, by a function that shows each of its keys to a visitor together with
// the value that it sets (sections.hpp). One visitor reads the values from a file, another one writes resolved.yaml, a
// third one collects the descriptions. So a key that is read is also written and described, with the same name, range
// and default: the value that it has before anything is read.

/// The description of a key beside the values that it takes.
struct KeyWords {
  std::string name;
  std::string meaning;             ///< one or two sentences
  std::string default_value = {};  ///< empty: that of the value itself
  std::string in_words = {};       ///< of KeyShape
  bool is_for_papers = false;
  bool is_of_ionic_cells = false;  ///< of KeyDescription
};

/// The default of a key that has none.
inline const std::string required = "required";

/// A word out of `names`; those without a meaning are for measurements.
KeyShape shape_of_word(const std::vector<std::string>& names, const NamedValues& meanings);

class KeyVisitor {
 public:
  virtual ~KeyVisitor() = default;

  virtual void number(const KeyWords& words, Real& value, const QuantityKind& kind, const Range& range) = 0;
  virtual void number(const KeyWords& words, std::optional<Real>& value, const QuantityKind& kind,
                      const Range& range) = 0;
  virtual void whole_number(const KeyWords& words, int& value, int low, int high) = 0;
  virtual void truth(const KeyWords& words, bool& value) = 0;
  virtual void point(const KeyWords& words, Vector3& value, const QuantityKind& kind) = 0;
  virtual void path(const KeyWords& words, std::filesystem::path& value, const std::string& expected) = 0;

  /// A key with a reader of its own. `read` gets the place of the key, present or not; `text` is the value as
  /// resolved.yaml has it behind the colon, where empty text leaves the key out.
  using Read = std::function<void(const YamlReader& in)>;
  using Text = std::function<std::string()>;
  virtual void special(const KeyWords& words, const KeyShape& shape, const Read& read, const Text& text) = 0;

  enum class Style { block, flow };  ///< in resolved.yaml: a line a key, or `{a: 1, b: 2}`
  using Section = std::function<void(KeyVisitor& keys)>;
  using Entry = std::function<void(KeyVisitor& keys, std::size_t number)>;
  virtual void section(const KeyWords& words, const Section& keys, Style style = Style::block) = 0;
  /// A list of `size` entries so far.
  virtual void entries(const KeyWords& words, std::size_t size, const Entry& keys, Style style = Style::block) = 0;
  /// Whether a section that may be absent is to be shown. `is_there` says whether it has been read.
  virtual bool wants_section(const KeyWords& words, bool is_there) = 0;

  /// Whether keys are described, also those of what the configuration has not: states of other cell models.
  virtual bool describes() const { return false; }

  /// The section that is read, for checks of its values against each other; null with all visitors that do not read.
  virtual const YamlReader* reading() const { return nullptr; }

  /// A word that means a value. Names without a meaning are for measurements. `also` are read and named nowhere.
  template <class Value>
  void choice(const KeyWords& words, Value& value, const Names<Value>& names, const NamedValues& meanings,
              const Names<Value>& also = {}) {
    choice_named(words, value, name_of(value, names), names, meanings, also);
  }

  /// choice() for a value whose name the caller has to give.
  template <class Value>
  void choice_named(const KeyWords& words, Value& value, const std::string& name_of_value, const Names<Value>& names,
                    const NamedValues& meanings, const Names<Value>& also = {}) {
    std::vector<std::string> all, unnamed;
    for (const auto& [name, named] : names) all.push_back(name);
    for (const auto& [name, named] : also) unnamed.push_back(name);
    word(words, name_of_value, shape_of_word(all, meanings), unnamed, [&](const std::string& given) {
      for (const Names<Value>* list : {&names, &also})
        for (const auto& [name, named] : *list)
          if (name == given) value = named;
    });
  }

  template <class EntryType>
  void list(const KeyWords& words, std::vector<EntryType>& all,
            const std::function<void(KeyVisitor& keys, EntryType& entry)>& keys, Style style = Style::block) {
    entries(
        words, all.size(),
        [&](KeyVisitor& visitor, std::size_t number) {
          if (number == all.size()) all.emplace_back();
          keys(visitor, all[number]);
        },
        style);
  }

  template <class SectionType>
  void optional_section(const KeyWords& words, std::optional<SectionType>& value,
                        const std::function<void(KeyVisitor& keys, SectionType& value)>& keys,
                        Style style = Style::block) {
    if (!wants_section(words, value.has_value())) return;
    if (!value) value.emplace();
    section(
        words, [&](KeyVisitor& visitor) { keys(visitor, *value); }, style);
  }

 protected:
  /// A word that is given is handed to `set`.
  virtual void word(const KeyWords& words, const std::string& value, const KeyShape& shape,
                    const std::vector<std::string>& unnamed, const std::function<void(const std::string&)>& set) = 0;
};

/// Shows the keys of a section to a visitor that reads them from `in`, once it has seen that there are no others.
void read_section(const YamlReader& in, const KeyVisitor::Section& keys);

/// The section as resolved.yaml has it, its lines behind so many spaces; the last one has no end.
std::string text_of_section(const KeyVisitor::Section& keys, int indent);

/// The descriptions of the keys of a section.
std::vector<KeyDescription> described(const KeyVisitor::Section& keys);

}  // namespace cardiowarp
