# `cmake --install` and `cpack` make a bundle that runs wherever glibc is: bin/cardiowarp, its shared libraries in lib/,
# configs/, the README and what it names, but no measurements (CSV files and the folders of docs/benchmarks, one for each
# machine). CUDA's libraries stay with the machine that has the GPU.
option(CARDIOWARP_BUNDLE_LIBRARIES "Install the shared libraries beside the program" ON)

# DT_RPATH and not DT_RUNPATH: only the former is also searched for the libraries that the libraries need.
# Linked with it at once: into a path that it is to replace at the installation, CMake puts empty elements, which are the
# current folder. So folders of libraries that the system does not search stay in it, too, behind the bundle's.
set_target_properties(
  cardiowarp PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}"
                        INSTALL_RPATH_USE_LINK_PATH ON)
target_link_options(cardiowarp PRIVATE -Wl,--disable-new-dtags)

install(TARGETS cardiowarp RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY configs DESTINATION . FILES_MATCHING PATTERN "*.yaml" PATTERN out EXCLUDE)
install(FILES README.md LICENSE CHANGELOG.md CONTRIBUTING.md DESTINATION .)
install(DIRECTORY docs DESTINATION . USE_SOURCE_PERMISSIONS PATTERN __pycache__ EXCLUDE PATTERN "*.msh" EXCLUDE
        PATTERN "*.csv" EXCLUDE REGEX "/docs/benchmarks/[^/.]+$" EXCLUDE)
install(FILES meshes/README.md DESTINATION meshes)

if(CARDIOWARP_BUNDLE_LIBRARIES)
  install(CODE "
    set(program \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/$<TARGET_FILE_NAME:cardiowarp>\")
    set(built_program \"$<TARGET_FILE:cardiowarp>\")
    set(gmsh \"${GMSH_LIBRARY}\")
    set(gmsh_name \"${GMSH_NAME}\")
    set(gmsh_folder \"${GMSH_FOLDER}\")
    set(library_folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}\")
    include(\"${CMAKE_CURRENT_LIST_DIR}/bundle_libraries.cmake\")")
endif()

set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_VENDOR cardiowarp)
set(CPACK_PACKAGE_FILE_NAME "cardiowarp-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_STRIP_FILES ON)
include(CPack)
