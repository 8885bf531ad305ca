# What the direct solver takes from other libraries: LAPACK on the host, for eigenvectors where cells
# differ in width.  Those of CUDA (cuBLAS, cuSOLVER) are loaded when they are first needed
# (gpu/direct/libraries.hpp): only their headers are asked for, by cmake/cuda.cmake.
#
# Sets NINEFOLD_WITH_LAPACK.

set(NINEFOLD_WITH_LAPACK OFF)
if(NOT NINEFOLD_LAPACK)
  message(STATUS "LAPACK: off (NINEFOLD_LAPACK=OFF); fast diagonalisation takes equal cells")
else()
  find_package(LAPACK QUIET)
  if(LAPACK_FOUND)
    set(NINEFOLD_WITH_LAPACK ON)
    message(STATUS "LAPACK: on")
  elseif(NINEFOLD_LAPACK STREQUAL "AUTO")
    message(STATUS "LAPACK: off (not found; Debian: libopenblas-dev); "
                   "fast diagonalisation takes equal cells")
  else()
    message(FATAL_ERROR "NINEFOLD_LAPACK=ON, but LAPACK was not found (Debian: libopenblas-dev)")
  endif()
endif()

function(ninefold_link_direct target)
  if(NINEFOLD_WITH_LAPACK)
    target_compile_definitions(${target} PRIVATE NINEFOLD_HAS_LAPACK=1)
    target_link_libraries(${target} PRIVATE LAPACK::LAPACK)
  endif()
  if(NINEFOLD_WITH_CUDA)
    # Where they are looked for if the system's own folders have none.
    target_compile_definitions(${target} PRIVATE
      NINEFOLD_CUDA_LIBRARY_FOLDER="${CUDAToolkit_LIBRARY_DIR}")
  endif()
  target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS})
endfunction()
