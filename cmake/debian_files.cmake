# Run by `cpack -G DEB` over the files of the package: what Debian wants otherwise than `cmake --install` does.
set(root ${CPACK_TEMPORARY_DIRECTORY}/${CPACK_PACKAGING_INSTALL_PREFIX})
file(GLOB programs ${root}/bin/*)
foreach(program IN LISTS programs)
  file(RPATH_REMOVE FILE ${program})  # all libraries are where the system looks
endforeach()
file(RENAME ${root}/share/doc/cardiowarp/LICENSE ${root}/share/doc/cardiowarp/copyright)
file(CREATE_LINK copyright ${root}/share/doc/cardiowarp/LICENSE SYMBOLIC)
file(GLOB_RECURSE pages ${root}/share/man/*.[15])
foreach(page IN LISTS pages)
  execute_process(COMMAND gzip -9n ${page} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
