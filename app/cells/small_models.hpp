#pragma once
namespace cardiowarp {

class AnyCell;
struct IonicCell;

/// A cell of any model of the program as one of an IonicModel, so that a single cell of it can be integrated
/// (sdirk2_cell.hpp). An ionic cell is itself. The models of CellModels, whose potential φ has no unit, become models
/// in mV and ms with the same stages; they live as long as the program.
IonicCell ionic_view(const AnyCell& cell);

}  // namespace cardiowarp
