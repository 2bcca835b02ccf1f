#include "meshes/steady_compressor.hpp"

#include <vtkObjectFactory.h>
#include <zlib.h>

#include <new>

namespace cardiowarp {

vtkStandardNewMacro(SteadyCompressor);

std::size_t SteadyCompressor::CompressBuffer(const unsigned char* data, std::size_t size, unsigned char* compressed,
                                             std::size_t room) {
  uLongf bytes = room;
  const int result = compress2(compressed, &bytes, data, size, this->GetCompressionLevel());
  if (result == Z_MEM_ERROR) throw std::bad_alloc();
  return result == Z_OK ? bytes : 0;
}

}  // namespace cardiowarp
