#pragma once

namespace cardiowarp {

/// Unit in which a mesh file's coordinates are written.
enum class LengthUnit { metre, centimetre, millimetre, micrometre };

}  // namespace cardiowarp
