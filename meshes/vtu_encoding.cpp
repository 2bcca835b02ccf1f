#include "meshes/vtu_encoding.hpp"

#include <dlfcn.h>
#include <vtkNew.h>
#include <vtkXMLWriter.h>

#include "meshes/steady_compressor.hpp"

namespace cardiowarp {

bool appended_data_is_readable_here() {
  // The function came with the deferral; a version number would miss the distributions' backports.
  return dlsym(RTLD_DEFAULT, "XML_SetReparseDeferralEnabled") == nullptr;
}

void set_vtu_encoding(vtkXMLWriter& writer, bool appended) {
  if (appended) {
    writer.SetDataModeToAppended();
    writer.EncodeAppendedDataOff();
  } else {
    writer.SetDataModeToBinary();
  }
  writer.SetHeaderTypeToUInt64();
  const vtkNew<SteadyCompressor> compressor;
  compressor->SetCompressionLevel(1);
  writer.SetCompressor(compressor);
}

}  // namespace cardiowarp
