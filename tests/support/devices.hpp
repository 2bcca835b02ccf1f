#pragma once
#include "kernels/backend/device.hpp"

namespace cardiowarp {

// GPUs as CUDA describes them, for what has to be decided well on machines that are not there. Figures from NVIDIA's
// CUDA C++ Programming Guide (technical specifications by compute capability) and data sheets.

inline Device a100() {
  return {"NVIDIA A100-SXM4-80GB", true, 80, 108, 64, 163 << 10, 40 << 20, std::size_t{80} << 30, true};
}
inline Device h100() {
  return {"NVIDIA H100 80GB HBM3", true, 90, 132, 64, 227 << 10, 50 << 20, std::size_t{80} << 30, true};
}
inline Device rtx_4090() {
  return {"NVIDIA GeForce RTX 4090", true, 89, 128, 48, 99 << 10, 72 << 20, std::size_t{24} << 30, true};
}
inline Device l4() { return {"NVIDIA L4", true, 89, 58, 48, 99 << 10, 48 << 20, std::size_t{24} << 30, true}; }

}  // namespace cardiowarp
