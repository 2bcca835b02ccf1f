#pragma once
#include <filesystem>
#include <functional>
#include <string>

namespace cardiowarp {

struct Mesh;

/// Loads Gmsh where that has not been done, which a GmshSession does by itself. Its libraries end the process where
/// they get no memory while they are loaded, so this is to be done before a file is begun. Throws InputError where it
/// fails.
void load_gmsh();

/// Gmsh from construction to destruction, silent, without the user's Gmsh settings, and without a trace in the user's
/// home folder. One at a time in a process.
/// Gmsh sets the number of OpenMP threads of the whole process; afterwards it is again what it was before.
class GmshSession {
 public:
  GmshSession();
  ~GmshSession();
  GmshSession(const GmshSession&) = delete;
  GmshSession& operator=(const GmshSession&) = delete;

  /// Runs `work`, which calls Gmsh (gmsh_library.hpp). Gmsh's own errors become InputError "<where>: Gmsh says: ...";
  /// those of `work` get "<where>: " in front.
  void run(const std::string& where, const std::function<void()>& work) const;

 private:
  int threads_;
};

/// The mesh of Gmsh's current model: nodes and elements by ascending tag, physical groups as tags and names (the lowest
/// of an element's groups is its tag, the others are further ones; in no group it has 0), triangles only where they are
/// in a group.
/// Needs a GmshSession. Throws InputError on volume elements other than 4-node tetrahedra, on surface elements other
/// than 3-node triangles and on two groups of one name.
Mesh mesh_from_gmsh_model();

/// The mesh of the model that `work` makes with Gmsh (gmsh_library.hpp), in a process of its own: a crash of Gmsh
/// becomes a ProcessCrash. Errors of Gmsh and of `work` are those of GmshSession::run(). Throws InputError where Gmsh
/// cannot be loaded.
Mesh mesh_made_by_gmsh(const std::string& where, const std::function<void()>& work);

/// Reads a file of a format that Gmsh reads by the suffix: I-DEAS `.unv`, whose groups become tags with their names,
/// and Nastran `.bdf` or `.nas`, where the numbers of properties are the tags. Gmsh passes over damage in these in
/// silence: the text is checked before (gmsh_text_check.hpp). Elements come by ascending number. Has the limits of
/// read_in_own_process() and its errors, and those of Gmsh; throws InputError where Gmsh cannot be loaded.
Mesh read_with_gmsh(const std::filesystem::path& file);

/// Writes `.msh` 4.1 binary. Node and element tags count from 1 in the mesh's order, triangles after tetrahedra. Fibers
/// have no place in the file. Throws InputError on a negative tag.
void write_gmsh_file(const Mesh& mesh, const std::filesystem::path& file);

}  // namespace cardiowarp
