#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cellml/document.hpp"

namespace cardiowarp {

/// All variables of a model that its connections make one, each of which may have a unit of its own.
struct ModelQuantity {
  enum class Definition {
    none,      ///< time, or a variable that nothing defines
    constant,  ///< by an initial value
    formula,   ///< by an equation
    rate,      ///< a state: by an equation for its derivative and an initial value
  };

  std::string name;  ///< `component.variable` of the one that is defined
  CellMlUnit unit;   ///< of that variable
  Definition definition = Definition::none;
  std::size_t component = 0;           ///< where its equation is
  const Equation* equation = nullptr;  ///< in the document, which must outlive this
  std::string initial = {};            ///< a number or the name of a variable of `initial_component`
  std::size_t initial_component = 0;
  double initial_factor = 1;            ///< from the unit of the variable with the initial value to `unit`
  std::set<std::string> names = {};     ///< `component.variable` of all variables
  std::set<std::string> meanings = {};  ///< their annotations
};

/// The equations of a document over its quantities.
class EquationSystem {
 public:
  using Definition = ModelQuantity::Definition;

  /// Throws InputError for connections of variables that are not there or measure different things, quantities that are
  /// defined twice or are states without an initial value, equations with variables that are not there, and derivatives
  /// by something else than one time.
  explicit EquationSystem(const CellMlDocument& document);

  const CellMlDocument& document() const { return document_; }
  const std::vector<ModelQuantity>& quantities() const { return quantities_; }
  std::size_t time() const { return time_; }

  /// The quantity of a variable. Throws InputError where the component has none of this name.
  std::size_t quantity_of(std::size_t component, const std::string& variable) const;
  const CellMlUnit& unit_of(std::size_t component, const std::string& variable) const;

  /// The quantity that a user means by `component.variable`, by the name of a variable alone or by an annotation.
  /// Throws InputError, which begins with `what`, where there is none or more than one, with the nearest name.
  std::size_t named(const std::string& name, const std::string& what) const;
  /// The quantity with this annotation, nothing where there is none. Throws InputError where there are two.
  std::optional<std::size_t> annotated(const std::string& meaning) const;

  /// `number` becomes the value of a quantity that an equation or an initial value gives.
  void set_constant(std::size_t quantity, double number);

  /// The quantities that equations give in an order in which each stands behind those that it needs; `leaves` need
  /// nothing. Rates are numbered behind all quantities: that of quantity k is quantities().size() + k. Throws
  /// InputError for equations in a circle and for variables that nothing defines.
  std::vector<std::size_t> evaluation_order(const std::set<std::size_t>& leaves) const;

  /// The quantities that the equation of a quantity, or of a rate as numbered above, needs.
  std::vector<std::size_t> needs_of(std::size_t item) const;

 private:
  struct Place {
    std::size_t component, variable;
  };

  std::size_t root_of(std::size_t variable) const;
  void number_variables();
  void connect();
  void make_quantities();
  void define_by_values();
  void define_by_equations();
  void find_time();
  const CellMlVariable& variable(std::size_t number) const;
  std::string full_name(std::size_t number) const;
  std::size_t number_of(std::size_t component, const std::string& name) const;
  [[noreturn]] void refuse_circle(const std::vector<std::size_t>& path, std::size_t again) const;

  const CellMlDocument& document_;
  std::vector<Place> places_;                                  ///< of all variables
  std::vector<std::map<std::string, std::size_t>> number_of_;  ///< [component] of variables, by name
  mutable std::vector<std::size_t> joined_;                    ///< union-find
  std::vector<std::size_t> quantity_of_;                       ///< [variable]
  std::vector<ModelQuantity> quantities_;
  std::size_t time_ = 0;
};

}  // namespace cardiowarp
