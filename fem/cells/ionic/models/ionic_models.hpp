#pragma once
// The list of the ionic models of the program, in the order of documents and messages. CMake compiles the loops over
// the cells of each from this list: of `models/some_name.hpp` it expects the model SomeName.

#include "fem/cells/ionic/models/ten_tusscher_2006.hpp"

namespace cardiowarp {

template <class... Models>
struct IonicModelList {};

using IonicModels = IonicModelList<TenTusscher2006>;

}  // namespace cardiowarp
