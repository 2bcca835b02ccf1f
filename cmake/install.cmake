# What is installed where. A build has three uses of it:
#   cmake --install BUILD --prefix P   programs, pages and examples in the folders that a system has for them
#   cpack -G DEB                       the same as a package for the distribution that it was built on (debian.cmake)
#   cpack                              a bundle that runs wherever glibc is: the programs, their shared libraries in lib/,
#                                      configs/, the README and what it names. CUDA's libraries stay with the machine
#                                      that has the GPU.
# None of them has measurements (CSV files and the folders of machines under docs).
set(programs cardiowarp cardiowarp-bench)

# DT_RPATH and not DT_RUNPATH: only the former is also searched for the libraries that the libraries need.
# Linked with it at once: into a path that it is to replace at the installation, CMake puts empty elements, which are the
# current folder. So folders of libraries that the system does not search stay in it, too, behind the bundle's.
set_target_properties(
  ${programs} PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}"
                         INSTALL_RPATH_USE_LINK_PATH ON)
foreach(program IN LISTS programs)
  target_link_options(${program} PRIVATE -Wl,--disable-new-dtags)
endforeach()

# The pages go to FOLDER as they lie here, so that their links lead somewhere.
function(install_pages folder component)
  install(FILES README.md LICENSE CHANGELOG.md CONTRIBUTING.md DESTINATION ${folder} COMPONENT ${component} ${ARGN})
  install(DIRECTORY docs DESTINATION ${folder} COMPONENT ${component} ${ARGN} USE_SOURCE_PERMISSIONS
          PATTERN __pycache__ EXCLUDE PATTERN "*.msh" EXCLUDE PATTERN "*.csv" EXCLUDE
          REGEX "/docs/(benchmarks|papers)/[a-z0-9]+-[^/.]+$" EXCLUDE)
  install(FILES meshes/README.md DESTINATION ${folder}/meshes COMPONENT ${component} ${ARGN})
endfunction()

# The folders of a system.
set(data_folder ${CMAKE_INSTALL_DATADIR}/cardiowarp)
install(TARGETS ${programs} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT system OPTIONAL)
install(DIRECTORY configs/ DESTINATION ${data_folder}/examples COMPONENT system FILES_MATCHING PATTERN "*.yaml"
        PATTERN out EXCLUDE)
install_pages(${CMAKE_INSTALL_DOCDIR} system)
file(RELATIVE_PATH examples /${CMAKE_INSTALL_DOCDIR} /${data_folder}/examples)
file(CREATE_LINK ${examples} ${PROJECT_BINARY_DIR}/configs SYMBOLIC)  # the name by which the pages call the examples
install(FILES ${PROJECT_BINARY_DIR}/configs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT system)

# The module of Python, where Debian's looks for it under /usr.
set(module_options FILES_MATCHING PATTERN "*.py")
install(DIRECTORY python/cardiowarp DESTINATION lib/python3/dist-packages COMPONENT system ${module_options})
install(DIRECTORY python/cardiowarp DESTINATION python COMPONENT bundle EXCLUDE_FROM_ALL ${module_options})

# What the program prints of itself, written when it is installed.
set(printed ${PROJECT_BINARY_DIR}/printed)
install(CODE "
  set(program \"$<TARGET_FILE:cardiowarp>\")
  set(printed \"${printed}\")
  include(\"${CMAKE_CURRENT_LIST_DIR}/printed_pages.cmake\")" COMPONENT system)
function(install_printed file folder)
  install(FILES ${printed}/${file} DESTINATION ${folder} COMPONENT system)
endfunction()
install_printed(cardiowarp.1 ${CMAKE_INSTALL_MANDIR}/man1)
install_printed(cardiowarp.yaml.5 ${CMAKE_INSTALL_MANDIR}/man5)
install_printed(cardiowarp ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install_printed(_cardiowarp ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install_printed(cardiowarp.fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install_printed(cardiowarp.schema.json ${data_folder})

# The bundle.
install(TARGETS ${programs} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT bundle OPTIONAL EXCLUDE_FROM_ALL)
install(DIRECTORY configs DESTINATION . COMPONENT bundle EXCLUDE_FROM_ALL FILES_MATCHING PATTERN "*.yaml"
        PATTERN out EXCLUDE)
install_pages(. bundle EXCLUDE_FROM_ALL)
list(TRANSFORM programs REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE program_files)
install(CODE "
  set(built_programs \"\")
  foreach(program ${program_files})  # the program of measurements may not have been built
    if(EXISTS \"\${program}\")
      list(APPEND built_programs \"\${program}\")
    endif()
  endforeach()
  set(gmsh \"${GMSH_LIBRARY}\")
  set(gmsh_name \"${GMSH_NAME}\")
  set(gmsh_folder \"${GMSH_FOLDER}\")
  set(library_folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}\")
  include(\"${CMAKE_CURRENT_LIST_DIR}/bundle_libraries.cmake\")" COMPONENT bundle EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_VENDOR cardiowarp)
set(CPACK_PACKAGE_CONTACT "the cardiowarp authors")
set(CPACK_PACKAGE_FILE_NAME "cardiowarp-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};cardiowarp;bundle;/")
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
include(CPack)
