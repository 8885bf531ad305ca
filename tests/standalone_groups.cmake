# Lists the headers that are compiled alone, by what is read before them; a script that takes
#   SOURCE  the top of the tree      CUDA    whether headers for nvcc are among them
#   OUTPUT  a file of CMake, written if that changes it
#   BUILD, JOBS  if given, the build folder: they are compiled there, so many at once
#
# What a header includes anyway, itself or through others, may be read before it: what it lacks it
# lacks then, too, or one of those others does, which has a file of its own.  So headers that
# include a large one share it precompiled, the first of these; group 0 has none.
cmake_minimum_required(VERSION 3.25)
set(read_before tests/support/exact.hpp tests/support/catch.hpp experiments/config/settings.hpp
                solvers/options.hpp precision/number.hpp)

# All that a header includes, but for what depends on macros.
function(includes_of header result)
  get_property(known GLOBAL PROPERTY "includes of ${header}" SET)
  if(NOT known)
    set(all)
    if(EXISTS ${SOURCE}/${header})
      file(READ ${SOURCE}/${header} text)
      string(FIND "${text}" "\n#if" end)
      string(SUBSTRING "${text}" 0 ${end} text)
      string(REGEX MATCHALL "\n#include \"[^\"\n]+" includes "${text}")
      list(TRANSFORM includes REPLACE "\n#include \"" "")
      foreach(other IN LISTS includes)
        includes_of(${other} others)
        list(APPEND all ${other} ${others})
      endforeach()
      list(REMOVE_DUPLICATES all)
    endif()
    set_property(GLOBAL PROPERTY "includes of ${header}" "${all}")
  endif()
  get_property(all GLOBAL PROPERTY "includes of ${header}")
  set(${result} "${all}" PARENT_SCOPE)
endfunction()

set(headers)
foreach(folder precision grids fem gpu solvers output include experiments tests)
  file(GLOB_RECURSE found RELATIVE ${SOURCE} ${SOURCE}/${folder}/*.hpp)
  list(APPEND headers ${found})
  if(CUDA)
    file(GLOB_RECURSE found RELATIVE ${SOURCE} ${SOURCE}/${folder}/*.cuh)
    list(APPEND headers ${found})
  endif()
endforeach()
# Its one source file includes its header first and is slow enough.
list(FILTER headers EXCLUDE REGEX "/dealii/")
if(NOT headers MATCHES "gpu/operations/row_operations.hpp")
  message(FATAL_ERROR "no headers found to compile alone")
endif()

foreach(header IN LISTS headers)
  set(group 0)
  if(header MATCHES "hpp$")  # nvcc takes nothing precompiled
    includes_of(${header} includes)
    foreach(large IN LISTS read_before)
      if(large IN_LIST includes)
        list(FIND read_before ${large} group)
        math(EXPR group "${group} + 1")
        break()
      endif()
    endforeach()
  endif()
  list(APPEND group_${group} ${header})
endforeach()

set(text "set(standalone_before ${read_before})\n")
list(LENGTH read_before n_groups)
foreach(group RANGE ${n_groups})
  list(JOIN group_${group} "\n    " lines)
  string(APPEND text "set(standalone_headers_${group}\n    ${lines})\n")
endforeach()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "${text}" @ONLY)

if(BUILD)
  execute_process(
    COMMAND ${CMAKE_COMMAND} --build ${BUILD} --target standalone_headers --parallel ${JOBS}
    COMMAND_ERROR_IS_FATAL ANY)
endif()
