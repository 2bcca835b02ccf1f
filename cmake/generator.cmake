# Read by cpack for each kind of package that it makes: a Debian package has the folders of a system, any other is the
# bundle (install.cmake).
if(CPACK_GENERATOR STREQUAL "DEB")
  if(NOT CPACK_DEBIAN_GMSH_PACKAGE)
    message(FATAL_ERROR "A Debian package has to name the package of Gmsh that it loads, and the one that cardiowarp was"
                        " configured with belongs to none (as 'dpkg-query --search' tells)")
  endif()
  set(CPACK_INSTALL_CMAKE_PROJECTS "${CPACK_DEBIAN_SYSTEM_PROJECT}")
  set(CPACK_PRE_BUILD_SCRIPTS "${CPACK_DEBIAN_FINISH_SCRIPT}")
endif()
