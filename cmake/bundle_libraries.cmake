# Copies every shared library that one of `built_programs` needs into `library_folder`, under the name the loader asks
# for, and `gmsh`, which they load as `gmsh_name`, with what that needs.
# Left to the target machine: glibc (its parts and the kernel interface must match) and CUDA.
file(
  GET_RUNTIME_DEPENDENCIES
  EXECUTABLES ${built_programs}
  LIBRARIES ${gmsh}
  DIRECTORIES ${gmsh_folder}
  RESOLVED_DEPENDENCIES_VAR libraries
  UNRESOLVED_DEPENDENCIES_VAR missing
  PRE_EXCLUDE_REGEXES
    "^ld-linux" "^lib(c|m|dl|rt|pthread|resolv|util|nsl|anl|mvec)\\.so"
    "^lib(cuda|cudart|cusparse|cublas|cublasLt|nvJitLink|nvidia-ml)\\.so")
if(missing)
  message(FATAL_ERROR "The bundle lacks shared libraries that are not on this machine: ${missing}")
endif()
file(MAKE_DIRECTORY ${library_folder})
file(REAL_PATH ${gmsh} content)
file(COPY_FILE ${content} ${library_folder}/${gmsh_name} ONLY_IF_DIFFERENT)
foreach(library IN LISTS libraries)
  get_filename_component(name ${library} NAME)
  # Links (also Debian's /etc/alternatives) are followed: one plain file a library, wherever the bundle is unpacked.
  file(REAL_PATH ${library} content)
  file(COPY_FILE ${content} ${library_folder}/${name} ONLY_IF_DIFFERENT)
endforeach()
