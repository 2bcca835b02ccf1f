#pragma once
// The list of the ionic models of the program, in the order of documents and messages. CMake compiles the loops over
// the cells of each from this list: of `models/some_name.hpp` it expects the model SomeName.

#include "fem/cells/ionic/models/courtemanche_1998.hpp"
#include "fem/cells/ionic/models/fenton_karma_1998.hpp"
#include "fem/cells/ionic/models/luo_rudy_1991.hpp"
#include "fem/cells/ionic/models/ohara_rudy_2011.hpp"
#include "fem/cells/ionic/models/stewart_2009.hpp"
#include "fem/cells/ionic/models/ten_tusscher_2006.hpp"
#include "fem/cells/ionic/models/torord_dyncl_2020.hpp"

namespace cardiowarp {

template <class... Models>
struct IonicModelList {};

using IonicModels = IonicModelList<TenTusscher2006, OharaRudy2011, TorordDyncl2020, Courtemanche1998, Stewart2009,
                                   FentonKarma1998, LuoRudy1991>;

}  // namespace cardiowarp
