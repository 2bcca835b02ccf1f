#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cellml/equation_system.hpp"
#include "cellml/xml_document.hpp"
#include "fem/input_error.hpp"
#include "fem/nearest_name.hpp"

namespace cardiowarp {

std::size_t EquationSystem::named(const std::string& name, const std::string& what) const {
  std::vector<std::size_t> found;
  std::vector<std::string> valid;
  const auto ends_with_name = [&](const std::string& full) { return full.ends_with("." + name); };
  for (std::size_t k = 0; k < quantities_.size(); ++k) {
    const ModelQuantity& quantity = quantities_[k];
    valid.push_back(quantity.name);
    valid.push_back(quantity.name.substr(quantity.name.find('.') + 1));
    if (quantity.names.contains(name) || quantity.meanings.contains(name)) return k;
    if (std::ranges::any_of(quantity.names, ends_with_name)) found.push_back(k);
  }
  if (found.size() == 1) return found.front();
  if (found.empty())
    throw InputError(what + ": the model has no variable '" + shown(name) + "'" + suggestion(name, valid));
  std::string names;
  for (std::size_t k = 0; k < std::min<std::size_t>(found.size(), 6); ++k)
    names += (k == 0 ? "" : ", ") + quantities_[found[k]].name;
  throw InputError(what + ": '" + shown(name) + "' may be any of " + std::to_string(found.size()) +
                   " variables: " + names + (found.size() > 6 ? ", .." : ""));
}

std::optional<std::size_t> EquationSystem::annotated(const std::string& meaning) const {
  std::optional<std::size_t> found;
  for (std::size_t k = 0; k < quantities_.size(); ++k) {
    if (!quantities_[k].meanings.contains(meaning)) continue;
    if (found)
      throw InputError("two variables are annotated as " + meaning + ": " + quantities_[*found].name + " and " +
                       quantities_[k].name);
    found = k;
  }
  return found;
}

std::vector<std::size_t> EquationSystem::needs_of(std::size_t item) const {
  const ModelQuantity& quantity = quantities_[item % quantities_.size()];
  std::vector<std::size_t> needs;
  const bool is_rate = item >= quantities_.size();
  if (quantity.equation == nullptr || (quantity.definition == Definition::rate) != is_rate) return needs;
  for_each_variable(quantity.equation->right, [&](const Formula& used) {
    const std::size_t need = quantity_of(quantity.component, used.name);
    if (used.kind == Formula::Kind::variable) {
      needs.push_back(need);
    } else {
      if (quantities_[need].definition != Definition::rate)
        throw InputError(quantity.name + ": its equation has the derivative of " + quantities_[need].name +
                         ", which is no state");
      needs.push_back(quantities_.size() + need);
    }
  });
  return needs;
}

void EquationSystem::refuse_circle(const std::vector<std::size_t>& path, std::size_t again) const {
  const auto name_of = [&](std::size_t item) {
    return (item < quantities_.size() ? "" : "the rate of ") + quantities_[item % quantities_.size()].name;
  };
  const auto begin = std::ranges::find(path, again);
  std::string names;
  const auto most = begin + std::min<std::ptrdiff_t>(path.end() - begin, 6);
  for (auto item = begin; item != most; ++item) names += name_of(*item) + " needs ";
  if (most != path.end()) names += ".., which needs ";
  throw InputError("equations in a circle, which are not solved here: " + names + name_of(again));
}

std::vector<std::size_t> EquationSystem::evaluation_order(const std::set<std::size_t>& leaves) const {
  enum class Mark : char { untouched, open, done };
  const std::size_t count = quantities_.size();
  std::vector<Mark> marks(2 * count, Mark::untouched);
  std::vector<std::size_t> order, path;
  struct Visit {
    std::vector<std::size_t> needs;
    std::size_t next = 0;
  };
  std::vector<Visit> visits;
  const auto enter = [&](std::size_t item) {
    const bool is_leaf = leaves.contains(item);
    const ModelQuantity& quantity = quantities_[item % count];
    if (quantity.definition == Definition::none && item != time_ && !is_leaf)
      throw InputError((path.empty() ? "" : "the equation of " + quantities_[path.back() % count].name + ": ") +
                       "variable " + quantity.name + " is not defined: expected an initial value or an equation");
    marks[item] = Mark::open;
    path.push_back(item);
    visits.push_back({is_leaf ? std::vector<std::size_t>{} : needs_of(item)});
  };
  for (std::size_t root = 0; root < 2 * count; ++root) {
    const bool is_rate = root >= count;
    const Definition definition = quantities_[root % count].definition;
    if (marks[root] != Mark::untouched || definition != (is_rate ? Definition::rate : Definition::formula)) continue;
    for (enter(root); !path.empty();) {
      Visit& visit = visits.back();
      if (visit.next < visit.needs.size()) {
        const std::size_t need = visit.needs[visit.next++];
        if (marks[need] == Mark::open) refuse_circle(path, need);
        if (marks[need] == Mark::untouched) enter(need);
        continue;
      }
      marks[path.back()] = Mark::done;
      order.push_back(path.back());
      path.pop_back();
      visits.pop_back();
    }
  }
  return order;
}

}  // namespace cardiowarp
