# Headers of the standard library and of fmt that most sources of the program include are compiled once for all of them,
# which saves a fifth of the program's seconds. setup.sh has it on. It is off in the preset `clang`, which finds sources
# that forget to include one of them, and where a developer does not ask for it.
option(CARDIOWARP_PRECOMPILE "Compile common headers once (GCC)" OFF)

# cardiowarp_precompiled(TARGET): its sources, which link fmt, take them.
if(CARDIOWARP_PRECOMPILE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False alarms on std::string at -O3, which GCC does not know to be of a system header once that is precompiled.
  target_compile_options(cardiowarp_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-stringop-overflow
                                                      -Wno-stringop-overread -Wno-array-bounds>)
  file(WRITE ${PROJECT_BINARY_DIR}/precompiled.cpp "")
  add_library(cardiowarp_precompiled OBJECT ${PROJECT_BINARY_DIR}/precompiled.cpp)
  target_link_libraries(cardiowarp_precompiled PRIVATE cardiowarp_options OpenMP::OpenMP_CXX fmt::fmt)
  target_precompile_headers(
    cardiowarp_precompiled PRIVATE <algorithm> <array> <cmath> <cstddef> <cstdint> <filesystem> <functional> <limits> <map>
    <memory> <optional> <span> <string> <string_view> <system_error> <utility> <vector> <fmt/format.h> <fmt/ranges.h>)
  function(cardiowarp_precompiled target)
    target_precompile_headers(${target} REUSE_FROM cardiowarp_precompiled)
  endfunction()
else()
  function(cardiowarp_precompiled)
  endfunction()
endif()
