#include "app/measure/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <type_traits>

namespace cardiowarp {
namespace {

std::string cell_text(const TableCell& cell, int digits, const std::string& empty) {
  return std::visit(
      [&](const auto& value) -> std::string {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::monostate>) return empty;
        if constexpr (std::is_same_v<Value, bool>) return value ? "yes" : "no";
        if constexpr (std::is_same_v<Value, double>) return fmt::format("{:.{}g}", value, digits);
        if constexpr (std::is_same_v<Value, std::int64_t> || std::is_same_v<Value, std::string>)
          return fmt::format("{}", value);
      },
      cell);
}

nlohmann::ordered_json json_value(const TableCell& cell) {
  return std::visit(
      [](const auto& value) -> nlohmann::ordered_json {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>)
          return nullptr;
        else
          return value;
      },
      cell);
}

std::string quoted_where_needed(const std::string& text) {
  if (text.find_first_of(",\"\r\n#") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

Table with_columns(const Table& table, const std::vector<std::string>& columns) {
  Table chosen{columns, std::vector<std::vector<TableCell>>(table.rows.size())};
  for (const std::string& name : columns) {
    const auto column = std::find(table.columns.begin(), table.columns.end(), name) - table.columns.begin();
    for (std::size_t row = 0; row < table.rows.size(); ++row) chosen.rows[row].push_back(table.rows[row].at(column));
  }
  return chosen;
}

std::string csv_text(const Table& table) {
  std::string text;
  const auto add_line = [&](const auto& cells, const auto& text_of) {
    for (std::size_t k = 0; k < cells.size(); ++k) text += (k == 0 ? "" : ",") + quoted_where_needed(text_of(cells[k]));
    text += "\n";
  };
  add_line(table.columns, [](const std::string& name) { return name; });
  for (const auto& row : table.rows) add_line(row, [](const TableCell& cell) { return cell_text(cell, 6, ""); });
  return text;
}

std::string json_text(const Table& table) {
  using Json = nlohmann::ordered_json;
  Json rows = Json::array();
  for (const auto& row : table.rows) {
    Json object = Json::object();
    for (std::size_t k = 0; k < row.size(); ++k) object[table.columns[k]] = json_value(row[k]);
    rows.push_back(std::move(object));
  }
  // File names may hold any byte: what is not UTF-8 is replaced, not thrown at.
  return rows.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string aligned_text(const Table& table) {
  std::vector<std::string> lines(table.rows.size() + 1);
  for (std::size_t k = 0; k < table.columns.size(); ++k) {
    std::vector<std::string> cells{table.columns[k]};
    bool words = false;
    for (const auto& row : table.rows) {
      cells.push_back(cell_text(row[k], 4, "-"));
      words = words || std::holds_alternative<std::string>(row[k]);
    }
    std::size_t width = 0;
    for (const std::string& cell : cells) width = std::max(width, cell.size());
    for (std::size_t line = 0; line < lines.size(); ++line)
      lines[line] += (k == 0 ? "" : "  ") +
                     (words ? fmt::format("{:<{}}", cells[line], width) : fmt::format("{:>{}}", cells[line], width));
  }
  std::string text;
  for (const std::string& line : lines) text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  return text;
}

}  // namespace cardiowarp
