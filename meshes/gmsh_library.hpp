#pragma once
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "fem/vector3.hpp"

/// The functions of Gmsh that this program calls, with the names of Gmsh's C++ interface (gmsh.h) as this program
/// writes names, without the parameters that it never gives, and with points as Vector3. Gmsh is loaded at the first
/// call of one and not linked: with it come a hundred libraries of geometry and windows, which took 90 of the 105 ms in
/// which the program started (two cores of an AMD EPYC), and it is only needed to make meshes and to write `.msh`
/// files. The functions call its C interface (gmshc.h), since the names of C++ functions in a library depend on the
/// compiler. Each throws std::runtime_error with the words of Gmsh where it reports an error, std::bad_alloc where it
/// got no memory and InputError where it cannot be loaded. They need a GmshSession (gmsh_file.hpp).
namespace cardiowarp::gmsh {

using Entities = std::vector<std::pair<int, int>>;  ///< their dimensions and tags

/// The address of `symbol` in Gmsh or a library that Gmsh has loaded; nullptr where none has it. Loads Gmsh.
void* find_symbol(const char* symbol);

void initialize();  ///< without arguments and without the user's settings
void finalize();
void write(const std::string& file);
void merge(const std::string& file);  ///< reads a file of any format that Gmsh reads into the current model

namespace option {
void set_number(const std::string& name, double value);
}

namespace model {
int add_physical_group(int dimension, const std::vector<int>& tags, int tag);
void get_entities(Entities& entities, int dimension);
int add_discrete_entity(int dimension);
void set_physical_name(int dimension, int tag, const std::string& name);
void get_physical_name(int dimension, int tag, std::string& name);
void get_physical_groups_for_entity(int dimension, int entity, std::vector<int>& tags);
/// `low` and `high` are opposite corners of the box.
void get_bounding_box(int dimension, int entity, Vector3& low, Vector3& high);
/// `upward` are the entities of one more dimension that have this one as boundary, `downward` its own boundary.
void get_adjacencies(int dimension, int entity, std::vector<int>& upward, std::vector<int>& downward);

namespace mesh {
void generate(int dimension);
/// Tags and coordinates, three each, of the nodes of an entity, or with −1 and −1 of all.
void get_nodes(std::vector<std::size_t>& tags, std::vector<double>& coordinates, int dimension, int entity,
               bool with_boundary);
void add_nodes(int dimension, int entity, const std::vector<std::size_t>& tags, const std::vector<double>& coordinates);
void add_elements_by_type(int entity, int type, const std::vector<std::size_t>& tags,
                          const std::vector<std::size_t>& corners);
void get_elements_by_type(int type, std::vector<std::size_t>& tags, std::vector<std::size_t>& corners, int entity);
void get_element_types(std::vector<int>& types, int dimension);
std::string get_element_name(int type);  ///< one of its properties
}  // namespace mesh

namespace occ {
int add_box(double x, double y, double z, double size_x, double size_y, double size_z);
int add_sphere(Vector3 center, double radius, double from_polar, double to_polar, double azimuth);
void rotate(const Entities& entities, Vector3 center, Vector3 axis, double angle);
void dilate(const Entities& entities, Vector3 center, Vector3 by);
void translate(const Entities& entities, double by_x, double by_y, double by_z);
/// `pieces` has what each entity of `objects`, then of `tools`, became.
void cut(const Entities& objects, const Entities& tools, Entities& result, std::vector<Entities>& pieces,
         bool remove_tools = true);
void fragment(const Entities& objects, const Entities& tools, Entities& result, std::vector<Entities>& pieces);
void synchronize();
}  // namespace occ

namespace geo {
int add_surface_loop(const std::vector<int>& surfaces);
int add_volume(const std::vector<int>& surface_loops);
void synchronize();
}  // namespace geo
}  // namespace model

}  // namespace cardiowarp::gmsh
