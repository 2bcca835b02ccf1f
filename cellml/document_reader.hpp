#pragma once
#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <pugixml.hpp>

#include "cellml/document.hpp"

namespace cardiowarp {

/// The most components that a file and its imports have together; a file can import one twice, and that again.
constexpr std::size_t most_components = 20'000;
constexpr int deepest_import = 20;

/// Reads one file into a CellMlDocument; for each of its imports another one of these reads that file.
class DocumentReader {
 public:
  /// `folder` is where imported files are. `chain` are the files that are being read, each imported by the one before;
  /// `components` counts those of all files.
  DocumentReader(std::filesystem::path folder, std::vector<std::filesystem::path> chain, std::size_t& components);

  CellMlDocument read(const std::string& text);

  /// The units that the file defines, known once it is read.
  const CellMlUnits& units() const { return units_; }

 private:
  void read_model(const pugi::xml_node& model);
  void read_component(const pugi::xml_node& element);
  void read_variable(const pugi::xml_node& element, const CellMlUnits& units, CellMlComponent& component);
  void read_connection(const pugi::xml_node& element);
  void read_encapsulation(const pugi::xml_node& element, const std::string& parent, int depth);
  void read_import(const pugi::xml_node& element);
  void read_meanings(const pugi::xml_node& element, int depth);

  bool has_component(const std::string& name) const;
  /// Adds the component `name` of `imported` and those that it encapsulates, with their connections, as `local`.
  void take_component(const CellMlDocument& imported, const std::string& name, const std::string& local);
  void add(CellMlComponent component);

  std::filesystem::path folder_;
  std::vector<std::filesystem::path> chain_;
  std::size_t& components_;
  CellMlUnits units_;
  CellMlDocument document_;
  std::map<std::string, std::string> parent_of_;  ///< as the groups say, which may stand before the components
  std::map<std::string, std::size_t> place_of_;   ///< of components in the document
};

}  // namespace cardiowarp
