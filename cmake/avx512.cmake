# A second library for processors with AVX-512, which the dynamic loader takes where the processor is
# one (glibc-hwcaps, glibc 2.33 and later): the same objects, but for those of loops that gain by wider
# vectors.  There is no choice in the code, and on other processors, by another loader or where the
# second library is not, the first one is taken, with the same bits.
#
# Sets NINEFOLD_WITH_AVX512.

set(ninefold_avx512_flags -march=x86-64-v4 -mprefer-vector-width=512)
set(NINEFOLD_WITH_AVX512 OFF)
if(NOT NINEFOLD_AVX512)
  set(why "NINEFOLD_AVX512=OFF")
elseif(NOT BUILD_SHARED_LIBS)
  set(why "a static library is for all processors")
else()
  include(CheckCXXSourceCompiles)
  include(CMakePushCheckState)
  cmake_push_check_state()
  list(JOIN ninefold_avx512_flags " " CMAKE_REQUIRED_FLAGS)
  check_cxx_source_compiles("
    #include <cstddef>
    #if !__GLIBC_PREREQ(2, 33) || !defined(__AVX512F__)
    #error
    #endif
    int main() {}" NINEFOLD_HWCAPS)
  cmake_pop_check_state()
  if(NINEFOLD_HWCAPS)
    set(NINEFOLD_WITH_AVX512 ON)
  else()
    set(why "it takes x86-64, glibc 2.33 and a compiler that knows x86-64-v4")
  endif()
endif()
if(NINEFOLD_WITH_AVX512)
  message(STATUS "AVX-512: on, where the processor has it")
elseif(NINEFOLD_AVX512 AND NOT NINEFOLD_AVX512 STREQUAL "AUTO")
  message(FATAL_ERROR "NINEFOLD_AVX512=ON, but ${why}")
else()
  message(STATUS "AVX-512: off (${why})")
endif()

# ninefold_for_avx512(FILE...): source files of ninefold_core that are compiled for the second library, too.
function(ninefold_for_avx512)
  set_property(GLOBAL APPEND PROPERTY NINEFOLD_AVX512_SOURCES ${ARGN})
  # Each has an object of its own, which the second library can leave out.
  set_source_files_properties(${ARGN} TARGET_DIRECTORY ninefold_core
                              PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# ninefold_second_library(): ninefold_avx512, when all files of ninefold_core are known.
function(ninefold_second_library)
  get_target_property(folder ninefold_core LIBRARY_OUTPUT_DIRECTORY)
  if(NOT folder)
    set(folder ${CMAKE_CURRENT_BINARY_DIR})
  endif()
  get_property(several_configurations GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(several_configurations)
    string(APPEND folder "/$<CONFIG>")
  endif()
  string(APPEND folder /glibc-hwcaps/x86-64-v4)
  if(NOT NINEFOLD_WITH_AVX512)
    file(GLOB earlier ${folder}/libninefold.so*)  # or programs would still take it
    if(earlier)
      file(REMOVE ${earlier})
    endif()
    return()
  endif()

  get_property(sources GLOBAL PROPERTY NINEFOLD_AVX512_SOURCES)
  set(names)
  foreach(source ${sources})
    cmake_path(GET source FILENAME name)
    string(REPLACE "." "[.]" name ${name})
    list(APPEND names ${name})
  endforeach()
  list(JOIN names "|" names)
  add_library(ninefold_avx512 SHARED
    ${sources} "$<FILTER:$<TARGET_OBJECTS:ninefold_core>,EXCLUDE,/(${names})[.]o$>")
  set_target_properties(ninefold_avx512 PROPERTIES
    OUTPUT_NAME ninefold VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    LIBRARY_OUTPUT_DIRECTORY ${folder} LINKER_LANGUAGE CXX
    DISABLE_PRECOMPILE_HEADERS ON)
  ninefold_built_as_core(ninefold_avx512)
  target_compile_features(ninefold_avx512 PRIVATE cxx_std_20)
  target_compile_options(ninefold_avx512 PRIVATE -ffp-contract=off ${ninefold_avx512_flags})

  # It is never older than the first one, and is there when what uses that is.
  add_dependencies(ninefold_avx512 ninefold_core)
  add_custom_command(TARGET ninefold_core POST_BUILD VERBATIM
                     COMMAND ${CMAKE_COMMAND} -E rm -f ${folder}/$<TARGET_FILE_NAME:ninefold_avx512>)
  add_library(ninefold_with_second INTERFACE)
  add_dependencies(ninefold_with_second ninefold_avx512)
  target_link_libraries(ninefold_core INTERFACE $<BUILD_INTERFACE:ninefold_with_second>)
endfunction()
