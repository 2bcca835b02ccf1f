#pragma once
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "fem/cells/aliev_panfilov.hpp"
#include "fem/cells/any_cell.hpp"
#include "fem/cells/bueno_orovio.hpp"
#include "fem/cells/ionic_model.hpp"
#include "fem/cells/mitchell_schaeffer.hpp"

namespace cardiowarp {

template <CellModel... Models>
struct CellModelList {
  using One = std::variant<Models..., IonicCell>;
  using Several = std::variant<std::vector<Models>..., std::vector<IonicCell>>;
};

/// The cell models whose types the program knows, by the order of documents and messages; the first is the default.
/// What is generated for each of these is generated from this list. The ionic models, of which each is an IonicModel
/// and all are one type, have a list of their own (fem/cells/ionic/models/ionic_models.hpp). Whoever does not need the
/// types includes fem/cells/any_cell.hpp in place of this header.
using CellModels = CellModelList<AlievPanfilov, MitchellSchaeffer, BuenoOrovio>;

struct AnyCell::Variant : CellModels::One {};
struct TissueCells::Variant : CellModels::Several {};

template <class Cell>
requires requires(const Cell cell) { cell.steepest_reaction(); }
AnyCell::AnyCell(Cell cell) : variant_(std::make_shared<const Variant>(Variant{std::move(cell)})) {}

template <class Cell>
TissueCells::TissueCells(std::vector<Cell> kinds)
    : variant_(std::make_shared<const Variant>(Variant{std::move(kinds)})) {}

}  // namespace cardiowarp
