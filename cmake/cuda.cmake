# Decides whether the CUDA backend is built, and for which devices.

set(NINEFOLD_WITH_CUDA OFF)
if(NOT NINEFOLD_CUDA)
  message(STATUS "CUDA backend: off (NINEFOLD_CUDA=OFF)")
  return()
endif()

# CUDA's default folder is often not on the PATH.
find_program(NINEFOLD_NVCC nvcc HINTS ENV CUDACXX ENV CUDA_PATH ENV CUDA_HOME /usr/local/cuda
             PATH_SUFFIXES bin DOC "nvcc, the CUDA compiler")
set(problem "")
if(NOT NINEFOLD_NVCC)
  set(problem "nvcc not found, neither on the PATH nor in /usr/local/cuda/bin")
else()
  execute_process(COMMAND ${NINEFOLD_NVCC} --version OUTPUT_VARIABLE text ERROR_QUIET)
  string(REGEX MATCH "release ([0-9]+\\.[0-9]+)" text "${text}")
  if(CMAKE_MATCH_1 VERSION_LESS 12.0)
    set(problem "${NINEFOLD_NVCC} is version ${CMAKE_MATCH_1}; C++20 needs 12.0 or newer")
  endif()
endif()
if(problem)
  if(NINEFOLD_CUDA STREQUAL "AUTO")
    message(STATUS "CUDA backend: off, host only (${problem})")
    return()
  endif()
  message(FATAL_ERROR "NINEFOLD_CUDA=ON, but ${problem}")
endif()

# The device of this machine; without one, code for common devices and PTX for newer ones.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
  execute_process(COMMAND nvidia-smi --list-gpus RESULT_VARIABLE status
                  OUTPUT_VARIABLE text ERROR_QUIET)
  if(status EQUAL 0 AND text MATCHES "GPU 0")
    set(architectures native)
  else()
    set(architectures 75-real 80-real 90)
  endif()
  set(CMAKE_CUDA_ARCHITECTURES ${architectures} CACHE STRING "CUDA devices to build for")
endif()

set(CMAKE_CUDA_COMPILER ${NINEFOLD_NVCC} CACHE FILEPATH "CUDA compiler")
enable_language(CUDA)
if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 is older than nvcc's C++20
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)
find_package(CUDAToolkit REQUIRED)
set(NINEFOLD_WITH_CUDA ON)
list(JOIN CMAKE_CUDA_ARCHITECTURES ", " text)
message(STATUS "CUDA backend: on, nvcc ${CMAKE_CUDA_COMPILER_VERSION}, devices ${text}")
