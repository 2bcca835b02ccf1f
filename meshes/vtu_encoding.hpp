#pragma once

class vtkXMLWriter;

namespace cardiowarp {

// How this program lays out the `.vtu` files that it writes, so that they can be read on the machine where it runs. All
// writers of meshes and frames set their VTK writer up here. The usual layout is the smaller one; some installations of
// VTK cannot read it, and get the other.

/// True where the VTK and ParaView of this machine read appended data. An expat library that defers parsing of
/// unfinished tokens (2.6, and the security updates of older ones that distributions ship) makes VTK up to 9.3 and
/// ParaView up to 5.12 run past the end of the XML part of such a file: "not well-formed (invalid token)".
bool appended_data_is_readable_here();

/// How this program writes .vtu files: zlib-compressed with 64-bit block headers, the data appended raw behind the XML
/// part or, where that could not be read here, inline as base64 (a third larger, readable everywhere).
void set_vtu_encoding(vtkXMLWriter& writer, bool appended = appended_data_is_readable_here());

}  // namespace cardiowarp
