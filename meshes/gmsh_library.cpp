#include "meshes/gmsh_library.hpp"

#include <dlfcn.h>
#include <gmshc.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <type_traits>

#include "fem/input_error.hpp"

namespace cardiowarp::gmsh {
namespace {

/// The library as the loader finds it by its name, in which is the version of its interface, else by the same name
/// where it was when the program was built. Never unloaded.
void* load() {
  std::string reasons;
  for (const char* file : {CARDIOWARP_GMSH_NAME, CARDIOWARP_GMSH_FILE}) {
    if (void* const library = ::dlopen(file, RTLD_LAZY | RTLD_LOCAL)) return library;
    reasons += (reasons.empty() ? "" : "; ") + std::string(::dlerror());
  }
  if (reasons.find(std::strerror(ENOMEM)) != std::string::npos) throw std::bad_alloc();
  throw InputError("Gmsh is needed and cannot be loaded: " + reasons);
}

void* library() {
  static void* const loaded = load();
  return loaded;
}

/// A function of the library, which has the type of its declaration.
template <class Function>
Function* find(const char* name) {
  void* const found = ::dlsym(library(), name);
  if (!found) throw InputError(std::string("Gmsh is needed, and " CARDIOWARP_GMSH_NAME " has no ") + name);
  return reinterpret_cast<Function*>(found);
}
#define CARDIOWARP_GMSH(name) find<decltype(::name)>(#name)

void give_back(void* memory) noexcept {
  static const auto free = reinterpret_cast<decltype(&::gmshFree)>(::dlsym(library(), "gmshFree"));
  free(memory);
}

/// An array that Gmsh has allocated.
template <class T>
struct Array {
  T* data = nullptr;
  std::size_t size = 0;

  Array() = default;
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { give_back(data); }
  std::vector<T> values() const { return {data, data + size}; }
};

/// A text that Gmsh has allocated.
struct Text {
  char* data = nullptr;

  Text() = default;
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;
  ~Text() { give_back(data); }
  std::string string() const {
    if (data == nullptr) throw std::bad_alloc();
    return data;
  }
};

/// Lists of entities that Gmsh has allocated, dimension and tag in turn.
struct Lists {
  int** data = nullptr;
  std::size_t* lengths = nullptr;
  std::size_t size = 0;

  Lists() = default;
  Lists(const Lists&) = delete;
  Lists& operator=(const Lists&) = delete;
  ~Lists() {
    for (std::size_t i = 0; i < size; ++i) give_back(data[i]);
    give_back(data);
    give_back(lengths);
  }
};

std::string last_error() {
  Text text;
  int error = 0;
  CARDIOWARP_GMSH(gmshLoggerGetLastError)(&text.data, &error);
  return text.data && *text.data ? text.data : "unknown error";
}

/// Tells, for as long as it lives, of memory that Gmsh asked for and did not get: its C interface keeps that to itself.
class MemoryWatch {
 public:
  MemoryWatch() : before_(std::set_new_handler(note)) { ran_out = false; }
  ~MemoryWatch() { std::set_new_handler(before_); }
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;

  static inline std::atomic<bool> ran_out = false;

 private:
  [[noreturn]] static void note() {
    ran_out = true;
    throw std::bad_alloc();
  }
  std::new_handler before_;
};

/// What `call` returns, which gets the place for the number of an error. Throws std::runtime_error with Gmsh's words.
template <class Call>
auto checked(const Call& call) {
  int error = 0;
  const auto require_success = [&] {
    if (MemoryWatch::ran_out) throw std::bad_alloc();
    if (error != 0) throw std::runtime_error(last_error());
  };
  const MemoryWatch watch;
  if constexpr (std::is_void_v<decltype(call(&error))>) {
    call(&error);
    require_success();
  } else {
    const auto result = call(&error);
    require_success();
    return result;
  }
}

double number_of(const char* what) {
  double number = 0;
  checked([&](int* error) { CARDIOWARP_GMSH(gmshOptionGetNumber)(what, &number, error); });
  return number;
}

/// Throws std::bad_alloc where so much memory is not to be had. The C interface writes its results to memory without a
/// look at whether it got any.
void require_memory(double bytes) {
  void* volatile memory = std::malloc(static_cast<std::size_t>(bytes));
  if (memory == nullptr) throw std::bad_alloc();
  std::free(memory);
}

/// The C interface takes what it reads by pointers to what could be changed.
template <class T>
T* read(const std::vector<T>& values) {
  return const_cast<T*>(values.data());
}

std::vector<int> flat(const Entities& entities) {
  std::vector<int> numbers;
  for (const auto& [dimension, tag] : entities) numbers.insert(numbers.end(), {dimension, tag});
  return numbers;
}

Entities pairs(const int* numbers, std::size_t size) {
  Entities entities;
  for (std::size_t i = 0; i + 1 < size; i += 2) entities.emplace_back(numbers[i], numbers[i + 1]);
  return entities;
}

template <class Function>
void combine(Function* function, const Entities& objects, const Entities& tools, Entities& result,
             std::vector<Entities>& pieces, bool remove_tools) {
  const std::vector<int> of_objects = flat(objects), of_tools = flat(tools);
  Array<int> out;
  Lists lists;
  checked([&](int* error) {
    function(read(of_objects), of_objects.size(), read(of_tools), of_tools.size(), &out.data, &out.size, &lists.data,
             &lists.lengths, &lists.size, -1, 1, remove_tools ? 1 : 0, error);
  });
  result = pairs(out.data, out.size);
  pieces.clear();
  for (std::size_t i = 0; i < lists.size; ++i) pieces.push_back(pairs(lists.data[i], lists.lengths[i]));
}

// Two functions have one parameter more in newer versions of Gmsh. The header says which there are.

template <class Initialize>
void call_initialize(Initialize* initialize, int* error) {
  if constexpr (std::is_invocable_v<Initialize, int, char**, int, int*>)
    initialize(0, nullptr, 0, error);
  else
    initialize(0, nullptr, 0, 0, error);  // nothing is run
}

template <class Add>
int call_add_physical_group(Add* add, int dimension, const std::vector<int>& tags, int tag, int* error) {
  if constexpr (std::is_invocable_v<Add, int, int*, std::size_t, int, int*>)
    return add(dimension, read(tags), tags.size(), tag, error);
  else
    return add(dimension, read(tags), tags.size(), tag, "", error);
}

}  // namespace

void* find_symbol(const char* symbol) { return ::dlsym(library(), symbol); }

void initialize() {
  checked([](int* error) { call_initialize(CARDIOWARP_GMSH(gmshInitialize), error); });
}

void finalize() {
  checked([](int* error) { CARDIOWARP_GMSH(gmshFinalize)(error); });
}

void write(const std::string& file) {
  checked([&](int* error) { CARDIOWARP_GMSH(gmshWrite)(file.c_str(), error); });
}

void merge(const std::string& file) {
  checked([&](int* error) { CARDIOWARP_GMSH(gmshMerge)(file.c_str(), error); });
}

void option::set_number(const std::string& name, double value) {
  checked([&](int* error) { CARDIOWARP_GMSH(gmshOptionSetNumber)(name.c_str(), value, error); });
}

namespace model {

int add_physical_group(int dimension, const std::vector<int>& tags, int tag) {
  return checked([&](int* error) {
    return call_add_physical_group(CARDIOWARP_GMSH(gmshModelAddPhysicalGroup), dimension, tags, tag, error);
  });
}

void get_entities(Entities& entities, int dimension) {
  Array<int> found;
  checked([&](int* error) { CARDIOWARP_GMSH(gmshModelGetEntities)(&found.data, &found.size, dimension, error); });
  entities = pairs(found.data, found.size);
}

int add_discrete_entity(int dimension) {
  return checked(
      [&](int* error) { return CARDIOWARP_GMSH(gmshModelAddDiscreteEntity)(dimension, -1, nullptr, 0, error); });
}

void set_physical_name(int dimension, int tag, const std::string& name) {
  checked([&](int* error) { CARDIOWARP_GMSH(gmshModelSetPhysicalName)(dimension, tag, name.c_str(), error); });
}

void get_physical_name(int dimension, int tag, std::string& name) {
  Text text;
  checked([&](int* error) { CARDIOWARP_GMSH(gmshModelGetPhysicalName)(dimension, tag, &text.data, error); });
  name = text.string();
}

void get_physical_groups_for_entity(int dimension, int entity, std::vector<int>& tags) {
  Array<int> found;
  checked([&](int* error) {
    CARDIOWARP_GMSH(gmshModelGetPhysicalGroupsForEntity)(dimension, entity, &found.data, &found.size, error);
  });
  tags = found.values();
}

void get_bounding_box(int dimension, int entity, Vector3& low, Vector3& high) {
  checked([&](int* error) {
    CARDIOWARP_GMSH(gmshModelGetBoundingBox)
    (dimension, entity, &low.x, &low.y, &low.z, &high.x, &high.y, &high.z, error);
  });
}

void get_adjacencies(int dimension, int entity, std::vector<int>& upward, std::vector<int>& downward) {
  Array<int> above, below;
  checked([&](int* error) {
    CARDIOWARP_GMSH(gmshModelGetAdjacencies)
    (dimension, entity, &above.data, &above.size, &below.data, &below.size, error);
  });
  upward = above.values();
  downward = below.values();
}

void mesh::generate(int dimension) {
  checked([&](int* error) { CARDIOWARP_GMSH(gmshModelMeshGenerate)(dimension, error); });
}

void mesh::get_nodes(std::vector<std::size_t>& tags, std::vector<double>& coordinates, int dimension, int entity,
                     bool with_boundary) {
  constexpr double bytes_of_node = sizeof(std::size_t) + 3 * sizeof(double);
  require_memory(2 * bytes_of_node * number_of("Mesh.NbNodes"));  // its own list and the one that it returns
  Array<std::size_t> found;
  Array<double> places, parameters;
  checked([&](int* error) {
    CARDIOWARP_GMSH(gmshModelMeshGetNodes)
    (&found.data, &found.size, &places.data, &places.size, &parameters.data, &parameters.size, dimension, entity,
     with_boundary ? 1 : 0, 0, error);
  });
  tags = found.values();
  coordinates = places.values();
}

void mesh::add_nodes(int dimension, int entity, const std::vector<std::size_t>& tags,
                     const std::vector<double>& coordinates) {
  checked([&](int* error) {
    CARDIOWARP_GMSH(gmshModelMeshAddNodes)
    (dimension, entity, read(tags), tags.size(), read(coordinates), coordinates.size(), nullptr, 0, error);
  });
}

void mesh::add_elements_by_type(int entity, int type, const std::vector<std::size_t>& tags,
                                const std::vector<std::size_t>& corners) {
  checked([&](int* error) {
    CARDIOWARP_GMSH(gmshModelMeshAddElementsByType)
    (entity, type, read(tags), tags.size(), read(corners), corners.size(), error);
  });
}

void mesh::get_elements_by_type(int type, std::vector<std::size_t>& tags, std::vector<std::size_t>& corners,
                                int entity) {
  constexpr double bytes_of_element = 5 * sizeof(std::size_t), bytes_of_larger = 9 * sizeof(std::size_t);
  require_memory(2 * bytes_of_element * (number_of("Mesh.NbTetrahedra") + number_of("Mesh.NbTriangles")) +
                 2 * bytes_of_larger *
                     (number_of("Mesh.NbHexahedra") + number_of("Mesh.NbPrisms") + number_of("Mesh.NbPyramids") +
                      number_of("Mesh.NbQuadrangles")));
  Array<std::size_t> found, nodes;
  checked([&](int* error) {
    CARDIOWARP_GMSH(gmshModelMeshGetElementsByType)
    (type, &found.data, &found.size, &nodes.data, &nodes.size, entity, 0, 1, error);
  });
  tags = found.values();
  corners = nodes.values();
}

void mesh::get_element_types(std::vector<int>& types, int dimension) {
  Array<int> found;
  checked([&](int* error) {
    CARDIOWARP_GMSH(gmshModelMeshGetElementTypes)(&found.data, &found.size, dimension, -1, error);
  });
  types = found.values();
}

std::string mesh::get_element_name(int type) {
  Text name;
  int dimension = 0, order = 0, nodes = 0, corners = 0;
  Array<double> places;
  checked([&](int* error) {
    CARDIOWARP_GMSH(gmshModelMeshGetElementProperties)
    (type, &name.data, &dimension, &order, &nodes, &places.data, &places.size, &corners, error);
  });
  return name.string();
}

namespace occ {

int add_box(double x, double y, double z, double size_x, double size_y, double size_z) {
  return checked(
      [&](int* error) { return CARDIOWARP_GMSH(gmshModelOccAddBox)(x, y, z, size_x, size_y, size_z, -1, error); });
}

int add_sphere(Vector3 center, double radius, double from_polar, double to_polar, double azimuth) {
  return checked([&](int* error) {
    return CARDIOWARP_GMSH(gmshModelOccAddSphere)(center.x, center.y, center.z, radius, -1, from_polar, to_polar,
                                                  azimuth, error);
  });
}

void rotate(const Entities& entities, Vector3 center, Vector3 axis, double angle) {
  const std::vector<int> numbers = flat(entities);
  checked([&](int* error) {
    CARDIOWARP_GMSH(gmshModelOccRotate)
    (read(numbers), numbers.size(), center.x, center.y, center.z, axis.x, axis.y, axis.z, angle, error);
  });
}

void dilate(const Entities& entities, Vector3 center, Vector3 by) {
  const std::vector<int> numbers = flat(entities);
  checked([&](int* error) {
    CARDIOWARP_GMSH(gmshModelOccDilate)
    (read(numbers), numbers.size(), center.x, center.y, center.z, by.x, by.y, by.z, error);
  });
}

void translate(const Entities& entities, double by_x, double by_y, double by_z) {
  const std::vector<int> numbers = flat(entities);
  checked([&](int* error) {
    CARDIOWARP_GMSH(gmshModelOccTranslate)(read(numbers), numbers.size(), by_x, by_y, by_z, error);
  });
}

void cut(const Entities& objects, const Entities& tools, Entities& result, std::vector<Entities>& pieces,
         bool remove_tools) {
  combine(CARDIOWARP_GMSH(gmshModelOccCut), objects, tools, result, pieces, remove_tools);
}

void fragment(const Entities& objects, const Entities& tools, Entities& result, std::vector<Entities>& pieces) {
  combine(CARDIOWARP_GMSH(gmshModelOccFragment), objects, tools, result, pieces, true);
}

void synchronize() {
  checked([](int* error) { CARDIOWARP_GMSH(gmshModelOccSynchronize)(error); });
}

}  // namespace occ

namespace geo {

int add_surface_loop(const std::vector<int>& surfaces) {
  return checked([&](int* error) {
    return CARDIOWARP_GMSH(gmshModelGeoAddSurfaceLoop)(read(surfaces), surfaces.size(), -1, error);
  });
}

int add_volume(const std::vector<int>& surface_loops) {
  return checked([&](int* error) {
    return CARDIOWARP_GMSH(gmshModelGeoAddVolume)(read(surface_loops), surface_loops.size(), -1, error);
  });
}

void synchronize() {
  checked([](int* error) { CARDIOWARP_GMSH(gmshModelGeoSynchronize)(error); });
}

}  // namespace geo
}  // namespace model
}  // namespace cardiowarp::gmsh
