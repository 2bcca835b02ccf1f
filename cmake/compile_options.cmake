# Every target of the project links this one; nothing is set globally.
add_library(cardiowarp_options INTERFACE)
target_compile_features(cardiowarp_options INTERFACE cxx_std_20)
target_include_directories(cardiowarp_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(cardiowarp_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                                    -Wnon-virtual-dtor -Woverloaded-virtual)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False alarms of GCC 12 on std::string at -O3 (GCC bug 105651).
  target_compile_options(cardiowarp_options INTERFACE -Wno-restrict)
endif()
if(CARDIOWARP_WARNINGS_AS_ERRORS)
  target_compile_options(cardiowarp_options INTERFACE -Werror)
endif()

option(CARDIOWARP_SANITIZE "Build with the address and undefined-behaviour sanitizers" OFF)
if(CARDIOWARP_SANITIZE)
  target_compile_options(cardiowarp_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
                                                      -fno-omit-frame-pointer)
  target_link_options(cardiowarp_options INTERFACE -fsanitize=address,undefined)
endif()

# cardiowarp_library(NAME [PUBLIC_LINKS ...] [PRIVATE_LINKS ...] SOURCES ...): the library target of one folder.
function(cardiowarp_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC_LINKS;PRIVATE_LINKS" ${ARGN})
  if(ARG_SOURCES)
    add_library(${name} STATIC ${ARG_SOURCES})
    target_link_libraries(${name} PUBLIC cardiowarp_options ${ARG_PUBLIC_LINKS} PRIVATE ${ARG_PRIVATE_LINKS})
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE cardiowarp_options ${ARG_PUBLIC_LINKS})
  endif()
endfunction()
