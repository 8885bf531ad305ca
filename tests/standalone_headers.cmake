# Every header compiles alone: one generated file per header, compiled when the test runs.
# tests/support/dealii is left out, since its one source file includes its header first and is slow
# enough.

set(headers)
foreach(folder precision grids fem gpu solvers output include experiments tests)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
       ${PROJECT_SOURCE_DIR}/${folder}/*.hpp)
  list(APPEND headers ${found})
  if(NINEFOLD_WITH_CUDA)
    file(GLOB_RECURSE found CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
         ${PROJECT_SOURCE_DIR}/${folder}/*.cuh)
    list(APPEND headers ${found})
  endif()
endforeach()
list(FILTER headers EXCLUDE REGEX "/dealii/")
if(NOT headers MATCHES "gpu/operations/row_operations.hpp")
  message(FATAL_ERROR "no headers found to compile alone")
endif()

add_library(standalone_headers OBJECT EXCLUDE_FROM_ALL)
foreach(header ${headers})
  if(header MATCHES "cuh$")
    set(source ${CMAKE_CURRENT_BINARY_DIR}/standalone/${header}.cu)
  else()
    set(source ${CMAKE_CURRENT_BINARY_DIR}/standalone/${header}.cpp)
  endif()
  # Twice, so that a missing #pragma once is seen too.
  file(CONFIGURE OUTPUT ${source}
       CONTENT "#include \"${header}\"\n#include \"${header}\"\n")
  target_sources(standalone_headers PRIVATE ${source})
endforeach()
target_link_libraries(standalone_headers PRIVATE ninefold_application ninefold_catch Boost::headers)
ninefold_warnings(standalone_headers)

add_test(NAME "headers compile alone"
         COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target standalone_headers)
set_tests_properties("headers compile alone" PROPERTIES LABELS style TIMEOUT 600)
