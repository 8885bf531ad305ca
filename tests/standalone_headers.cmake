# Every header compiles alone: one generated file per header, compiled when the test runs.

set(arguments SOURCE=${PROJECT_SOURCE_DIR} OUTPUT=${CMAKE_CURRENT_BINARY_DIR}/standalone/headers.cmake
              CUDA=${NINEFOLD_WITH_CUDA})
list(TRANSFORM arguments PREPEND -D)
execute_process(COMMAND ${CMAKE_COMMAND} ${arguments}
                        -P ${CMAKE_CURRENT_SOURCE_DIR}/standalone_groups.cmake
                COMMAND_ERROR_IS_FATAL ANY)
include(${CMAKE_CURRENT_BINARY_DIR}/standalone/headers.cmake)

add_custom_target(standalone_headers)
list(LENGTH standalone_before n_groups)
foreach(group RANGE ${n_groups})
  add_library(standalone_headers_${group} OBJECT EXCLUDE_FROM_ALL)
  if(group GREATER 0)
    math(EXPR place "${group} - 1")
    list(GET standalone_before ${place} large)
    target_compile_options(standalone_headers_${group} PRIVATE
                           $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess;-fmax-errors=3>)
    target_precompile_headers(standalone_headers_${group} PRIVATE ${PROJECT_SOURCE_DIR}/${large})
  endif()
endforeach()
# To PTX: what nvcc's own compiler takes, g++ behind it does, and that is half of the time.
if(NINEFOLD_WITH_CUDA)
  list(GET CMAKE_CUDA_ARCHITECTURES 0 architecture)
  string(REGEX MATCH "^[0-9]+" architecture "${architecture}")
  if(NOT architecture)
    message(FATAL_ERROR "tests: CMAKE_CUDA_ARCHITECTURES = ${CMAKE_CUDA_ARCHITECTURES} names no "
                        "architecture first, as 90 does")
  endif()
  add_library(standalone_headers_cuda OBJECT EXCLUDE_FROM_ALL)
  set_target_properties(standalone_headers_cuda PROPERTIES
                        CUDA_PTX_COMPILATION ON CUDA_ARCHITECTURES ${architecture}-virtual)
endif()

foreach(group RANGE ${n_groups})
  foreach(header IN LISTS standalone_headers_${group})
    set(target standalone_headers_${group})
    set(source ${CMAKE_CURRENT_BINARY_DIR}/standalone/${header}.cpp)
    if(header MATCHES "cuh$")
      set(target standalone_headers_cuda)
      set(source ${CMAKE_CURRENT_BINARY_DIR}/standalone/${header}.cu)
    endif()
    # Twice, so that a missing #pragma once is seen too.
    file(CONFIGURE OUTPUT ${source}
         CONTENT "#include \"${header}\"\n#include \"${header}\"\n")
    target_sources(${target} PRIVATE ${source})
  endforeach()
endforeach()
get_property(targets DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
list(FILTER targets INCLUDE REGEX "^standalone_headers_")
foreach(target IN LISTS targets)
  target_link_libraries(${target} PRIVATE ninefold_application ninefold_catch Boost::headers)
  ninefold_warnings(${target})
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O0>)
  add_dependencies(standalone_headers ${target})
endforeach()

# First, and with all cores: it would be the last to end.
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
add_test(NAME "headers compile alone"
         COMMAND ${CMAKE_COMMAND} ${arguments} -D BUILD=${PROJECT_BINARY_DIR} -D JOBS=${cores}
                 -P ${CMAKE_CURRENT_SOURCE_DIR}/standalone_groups.cmake)
set_tests_properties("headers compile alone" PROPERTIES LABELS style TIMEOUT 600 COST 1000
                                                        PROCESSORS ${cores})
