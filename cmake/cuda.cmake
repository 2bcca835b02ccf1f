# CUDA is found or left out: everything else builds, tests and runs without it.
set(CARDIOWARP_CUDA AUTO CACHE STRING "GPU backend: AUTO (where a CUDA 12 compiler is found), ON, OFF")
set_property(CACHE CARDIOWARP_CUDA PROPERTY STRINGS AUTO ON OFF)
set(CARDIOWARP_CUDA_ARCHITECTURES "80;90" CACHE STRING "Compute capabilities the GPU backend is compiled for")

set(CARDIOWARP_WITH_CUDA OFF)
if(CARDIOWARP_CUDA STREQUAL "OFF")
  return()
endif()

find_program(CARDIOWARP_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
if(CARDIOWARP_NVCC)
  execute_process(COMMAND ${CARDIOWARP_NVCC} --version OUTPUT_VARIABLE nvcc_version ERROR_QUIET)
  string(REGEX MATCH "release ([0-9]+\\.[0-9]+)" nvcc_version "${nvcc_version}")
  if(CMAKE_MATCH_1 VERSION_GREATER_EQUAL 12.0)  # the first with C++20
    set(CARDIOWARP_WITH_CUDA ON)
    set(CMAKE_CUDA_COMPILER ${CARDIOWARP_NVCC})
  endif()
endif()
if(NOT CARDIOWARP_WITH_CUDA)
  if(CARDIOWARP_CUDA STREQUAL "ON")
    message(FATAL_ERROR "CARDIOWARP_CUDA is ON, but no nvcc of CUDA 12 or newer was found")
  endif()
  message(STATUS "GPU backend: no (no nvcc of CUDA 12 or newer)")
  return()
endif()

set(CMAKE_CUDA_ARCHITECTURES ${CARDIOWARP_CUDA_ARCHITECTURES})
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)
message(STATUS "GPU backend: CUDA ${CUDAToolkit_VERSION} for ${CMAKE_CUDA_ARCHITECTURES}")

# The runtime is linked statically: a bundle needs nothing of CUDA but the driver of the machine it runs on.
add_library(cardiowarp_cuda INTERFACE)
target_link_libraries(cardiowarp_cuda INTERFACE CUDA::cudart_static)
