find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(VTK 9.0 REQUIRED COMPONENTS CommonCore CommonDataModel IOCore IOXML IOLegacy IOGeometry)

# Gmsh's package configuration differs between distributions; the header and the library do not.
find_path(GMSH_INCLUDE_DIR gmsh.h REQUIRED)
find_library(GMSH_LIBRARY gmsh REQUIRED)
add_library(cardiowarp_gmsh INTERFACE)
target_include_directories(cardiowarp_gmsh SYSTEM INTERFACE ${GMSH_INCLUDE_DIR})
target_link_libraries(cardiowarp_gmsh INTERFACE ${GMSH_LIBRARY})

# yaml-cpp 0.7 exports `yaml-cpp`, 0.8 exports `yaml-cpp::yaml-cpp`.
add_library(cardiowarp_yaml INTERFACE)
if(TARGET yaml-cpp::yaml-cpp)
  target_link_libraries(cardiowarp_yaml INTERFACE yaml-cpp::yaml-cpp)
else()
  target_link_libraries(cardiowarp_yaml INTERFACE yaml-cpp)
endif()
