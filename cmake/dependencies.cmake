find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(pugixml REQUIRED)
find_package(ZLIB REQUIRED)
find_path(LIBDEFLATE_INCLUDE_DIR libdeflate.h REQUIRED) # its package configuration is new
find_library(LIBDEFLATE_LIBRARY deflate REQUIRED)
add_library(cardiowarp_libdeflate INTERFACE)
target_include_directories(cardiowarp_libdeflate SYSTEM INTERFACE ${LIBDEFLATE_INCLUDE_DIR})
target_link_libraries(cardiowarp_libdeflate INTERFACE ${LIBDEFLATE_LIBRARY})
find_package(VTK 9.0 REQUIRED COMPONENTS CommonCore CommonDataModel IOCore IOXML IOLegacy IOGeometry)

# Gmsh's package configuration differs between distributions; the header and the library do not.
# The program loads Gmsh when it needs it (meshes/gmsh_library.hpp), by the name that the library gives itself, with the
# version of its interface, or else by that name from where it was found here. Some tests link it and compare.
find_path(GMSH_INCLUDE_DIR gmshc.h REQUIRED)
find_library(GMSH_LIBRARY gmsh REQUIRED)
execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${GMSH_LIBRARY} OUTPUT_VARIABLE gmsh_head ERROR_QUIET)
if(NOT gmsh_head MATCHES "SONAME +([^ \n]+)")
  message(FATAL_ERROR "Gmsh: expected a shared library with a name of its own, got ${GMSH_LIBRARY}"
                      " (as '${CMAKE_OBJDUMP} -p' tells)")
endif()
set(GMSH_NAME ${CMAKE_MATCH_1})
get_filename_component(GMSH_FOLDER ${GMSH_LIBRARY} DIRECTORY)
add_library(cardiowarp_gmsh_headers INTERFACE)
target_include_directories(cardiowarp_gmsh_headers SYSTEM INTERFACE ${GMSH_INCLUDE_DIR})
add_library(cardiowarp_gmsh INTERFACE)
target_link_libraries(cardiowarp_gmsh INTERFACE cardiowarp_gmsh_headers ${GMSH_LIBRARY})

# yaml-cpp 0.7 exports `yaml-cpp`, 0.8 exports `yaml-cpp::yaml-cpp`.
add_library(cardiowarp_yaml INTERFACE)
if(TARGET yaml-cpp::yaml-cpp)
  target_link_libraries(cardiowarp_yaml INTERFACE yaml-cpp::yaml-cpp)
else()
  target_link_libraries(cardiowarp_yaml INTERFACE yaml-cpp)
endif()
