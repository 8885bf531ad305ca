# MPI, by which several processes solve together: a module of its own, loaded under mpirun alone.
#
# Sets NINEFOLD_WITH_MPI.

set(NINEFOLD_WITH_MPI OFF)
if(NOT NINEFOLD_MPI)
  message(STATUS "MPI: off (NINEFOLD_MPI=OFF)")
else()
  find_package(MPI QUIET COMPONENTS C)
  if(MPI_C_FOUND)
    set(NINEFOLD_WITH_MPI ON)
    message(STATUS "MPI: on, version ${MPI_C_VERSION} of the standard")
  elseif(NINEFOLD_MPI STREQUAL "AUTO")
    message(STATUS "MPI: off (not found; Debian: libopenmpi-dev)")
  else()
    message(FATAL_ERROR "NINEFOLD_MPI=ON, but MPI was not found (Debian: libopenmpi-dev)")
  endif()
endif()

# The module, beside the library.
function(ninefold_mpi_module)
  if(NOT NINEFOLD_WITH_MPI)
    return()
  endif()
  add_library(ninefold_mpi MODULE gpu/backend/mpi_module.cpp)
  set_target_properties(ninefold_mpi PROPERTIES PREFIX "lib")
  target_link_libraries(ninefold_mpi PRIVATE ninefold_tree ninefold_rounding MPI::MPI_C)
  target_compile_features(ninefold_mpi PRIVATE cxx_std_20)
  target_compile_definitions(ninefold_mpi PRIVATE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
  ninefold_warnings(ninefold_mpi)
  set_source_files_properties(gpu/backend/mpi_ranks.cpp TARGET_DIRECTORY ninefold_core PROPERTIES
    COMPILE_DEFINITIONS "NINEFOLD_HAS_MPI=1;NINEFOLD_MPI_MODULE=\"$<TARGET_FILE_NAME:ninefold_mpi>\"")
  add_dependencies(ninefold_core ninefold_mpi)
endfunction()
