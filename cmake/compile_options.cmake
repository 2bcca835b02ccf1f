# Every target of the project links this one; nothing is set globally.
add_library(cardiowarp_options INTERFACE)
target_compile_features(cardiowarp_options INTERFACE cxx_std_20)
target_include_directories(cardiowarp_options INTERFACE ${PROJECT_SOURCE_DIR})
set(warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Woverloaded-virtual)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND warnings -Wno-restrict) # false alarms of GCC 12 on std::string at -O3 (GCC bug 105651)
endif()
if(CARDIOWARP_WARNINGS_AS_ERRORS)
  list(APPEND warnings -Werror)
endif()
target_compile_options(cardiowarp_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:${warnings}>)
# In device code: C++20, which CMake 3.25 does not know nvcc to have, host-device lambdas, constexpr std::array members.
target_compile_options(cardiowarp_options INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 --extended-lambda
                                                    --expt-relaxed-constexpr -Xcompiler=-Wall,-Wextra,-fopenmp>)

option(CARDIOWARP_SANITIZE "Build with the address and undefined-behavior sanitizers" OFF)
if(CARDIOWARP_SANITIZE)
  target_compile_options(cardiowarp_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
                                                      -fno-omit-frame-pointer)
  target_link_options(cardiowarp_options INTERFACE -fsanitize=address,undefined)
endif()

# Every library tells a fuzzer of LLVM which of its branches an input has taken. ON, all of the program and its tests is
# built like that, with the sanitizers; ALONE, as by tests/fuzz/run.sh, no more than the fuzzers of tests/fuzz need.
set(CARDIOWARP_FUZZ OFF CACHE STRING "Build with clang for the fuzzers of tests/fuzz: OFF, ON, ALONE (nothing else)")
set_property(CACHE CARDIOWARP_FUZZ PROPERTY STRINGS OFF ON ALONE)
if(CARDIOWARP_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "CARDIOWARP_FUZZ needs clang (-DCMAKE_CXX_COMPILER=clang++-14): libFuzzer is a part of it")
  endif()
  target_compile_options(cardiowarp_options INTERFACE -fsanitize=fuzzer-no-link,address,undefined
                                                      -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(cardiowarp_options INTERFACE -fsanitize=address,undefined)
endif()

# cardiowarp_library(NAME [PUBLIC_LINKS ...] [PRIVATE_LINKS ...] SOURCES ...): the library target of one folder.
function(cardiowarp_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC_LINKS;PRIVATE_LINKS" ${ARGN})
  if(ARG_SOURCES)
    add_library(${name} STATIC ${ARG_SOURCES})
    target_link_libraries(${name} PUBLIC cardiowarp_options ${ARG_PUBLIC_LINKS} PRIVATE ${ARG_PRIVATE_LINKS})
    # In place of the check of clang-tidy, which takes an eighth of its time. Tests that wrap a function need such names.
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wreserved-identifier>)
    if("fmt::fmt" IN_LIST ARG_PRIVATE_LINKS)
      cardiowarp_precompiled(${name})
    endif()
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE cardiowarp_options ${ARG_PUBLIC_LINKS})
  endif()
endfunction()
