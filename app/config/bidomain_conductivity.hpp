#pragma once
#include "kernels/backend/types.hpp"

namespace cardiowarp {

/// The conductivity of the inside of the cells or of what is between them, S/m, along the fibers and across them.
struct DomainConductivity {
  Real along = 0, across = 0;
};

/// σ_i and σ_e of the tissue. The defaults are those of Niederer et al., Phil. Trans. R. Soc. A 369:4331, 2011.
struct BidomainConductivity {
  DomainConductivity inside{0.17, 0.019}, outside{0.62, 0.24};
};

}  // namespace cardiowarp
