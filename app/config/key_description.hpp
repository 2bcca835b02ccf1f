#pragma once
#include <string>
#include <vector>

#include "app/config/quantity.hpp"
#include "fem/range.hpp"

namespace cardiowarp {

// Descriptions of the keys of the YAML file, as plain values: a tree of them, in which a section or a list of entries
// has the keys that stand inside it. configuration_keys() makes it by letting each section describe itself
// (key_visitor.hpp). `cardiowarp explain`, the tables of docs/configuration.md, the man page, completion and the JSON
// schema are written from it.

/// A word that a key takes.
struct NamedValue {
  std::string name, meaning;
};
using NamedValues = std::vector<NamedValue>;

enum class KeyKind { number, numbers, whole_number, truth, word, text, path, point, interval, words, map };

/// A key, with those inside it.
struct KeyDescription {
  /// The values that the key takes.
  struct Shape {
    KeyKind kind = KeyKind::text;
    QuantityKind quantity = plain_number;  ///< of numbers and of the parts of a point and of an interval
    Range range = any_number;              ///< of numbers, a whole number and the ends of an interval
    NamedValues names = {};                ///< of a word, of words, and of a number that may also be `auto`
    /// Words that are taken, too, and are listed elsewhere, and what explains them.
    std::vector<std::string> further_names = {};
    std::string further_names_in_words = "others, for measurements, are in docs/papers";
    /// Words that are taken, too, or numbers by name in a map: those of a CellML file, as a regular expression.
    std::string others = {};
    std::string others_in_words = {};  ///< after the names; empty where nothing is said
    /// Further values, where range and names do not say it: "at most `end`".
    std::string in_words = {};
    bool takes_array = false;  ///< `{array: NAME}` in place of a number
    bool is_list = false;      ///< a list whose entries are maps or points; of a text, which may be a list, too
    bool is_place = false;     ///< of a map: a `where`, with a kind of place, coordinates or both
    std::vector<KeyDescription> keys = {};  ///< of a map
  };

  std::string name, meaning;
  std::string default_value = {};  ///< `required`, a value as resolved.yaml has it, or words
  bool is_required = false;
  bool default_is_value = false;   ///< resolved.yaml of the shortest configuration has `default_value` there
  bool is_for_papers = false;      ///< taken, but only of use in measurements
  bool is_of_ionic_cells = false;  ///< explained by name, but in no table: an ionic model has dozens of states
  Shape shape;
};
using KeyShape = KeyDescription::Shape;

/// All keys of the YAML file, by section.
const std::vector<KeyDescription>& configuration_keys();

/// The values that a key takes, in words: `mm, positive`, `1 to 1000`, or its names with commas between them.
std::string in_words(const KeyShape& shape);

}  // namespace cardiowarp
