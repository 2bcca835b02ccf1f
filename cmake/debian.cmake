# `cpack -G DEB` makes a package for the distribution that it is built on. It has no libraries of others: dpkg-shlibdeps
# names the packages of those that the programs are linked with. Gmsh is loaded by its name (meshes/gmsh_library.hpp), so
# that the package of the file found here is added by hand.
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_DIR}/generator.cmake)
set(CPACK_DEBIAN_SYSTEM_PROJECT "${PROJECT_BINARY_DIR};cardiowarp;system;/")
set(CPACK_DEBIAN_FINISH_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/debian_files.cmake)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "paraview, python3-numpy")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "${PROJECT_DESCRIPTION}
 cardiowarp computes how electrical activation spreads through a heart: it reads a
 tetrahedral mesh, solves the monodomain equation on the processor or an NVIDIA GPU
 with cells of ionic or simple models or of a CellML file, and writes files that
 ParaView opens. A module of Python is among it, which needs python3-numpy.")
set(CPACK_DEBIAN_GMSH_PACKAGE "")
find_program(CARDIOWARP_DPKG_QUERY dpkg-query)
mark_as_advanced(CARDIOWARP_DPKG_QUERY)
if(CARDIOWARP_DPKG_QUERY)
  file(REAL_PATH ${GMSH_LIBRARY} gmsh_file)
  execute_process(COMMAND ${CARDIOWARP_DPKG_QUERY} --search ${gmsh_file} OUTPUT_VARIABLE owner ERROR_QUIET)
  if(owner MATCHES "^([^:, ]+)")
    set(CPACK_DEBIAN_GMSH_PACKAGE ${CMAKE_MATCH_1})
  endif()
endif()
set(CPACK_DEBIAN_PACKAGE_DEPENDS ${CPACK_DEBIAN_GMSH_PACKAGE})
