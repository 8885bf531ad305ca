# Compiler flags that every target shares.

# The rounding contract: a * b + c rounds twice unless `fused` is written, and `fused` is an
# instruction.  It is part of the library's interface, since inline functions obey it too.
add_library(ninefold_rounding INTERFACE)
set_target_properties(ninefold_rounding PROPERTIES EXPORT_NAME rounding)
set(ninefold_rounding_flags -ffp-contract=off)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND ninefold_rounding_flags -march=x86-64-v3)
endif()
list(JOIN ninefold_rounding_flags "," flags)
target_compile_options(ninefold_rounding INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:${ninefold_rounding_flags}>"
  $<$<COMPILE_LANGUAGE:CUDA>:-fmad=false>
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${flags}>")

# What the project's own targets have, and its users do not: includes from the top of the tree, and
# whatever else its headers that are not public need.
find_package(OpenMP REQUIRED COMPONENTS CXX)
add_library(ninefold_tree INTERFACE)
target_include_directories(ninefold_tree INTERFACE ${PROJECT_SOURCE_DIR})
target_link_libraries(ninefold_tree INTERFACE OpenMP::OpenMP_CXX)
if(NINEFOLD_WITH_CUDA)
  target_compile_definitions(ninefold_tree INTERFACE NINEFOLD_HAS_CUDA=1)
endif()

# Warnings concern this project's own targets only.  g++'s stricter ones are not asked of nvcc,
# whose generated host code does not pass them.
function(ninefold_warnings target)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion>
    $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>)
  # g++ 12 sees overlaps in std::string's operator+ that are not there (GCC bug 105651).
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
  endif()
  # g++ 13 and 14 take a temporary name for what a reference refers to that was found by it.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-dangling-reference>)
  endif()
  if(NINEFOLD_WERROR)
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:-Werror> $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
  endif()
endfunction()

# For files whose time in a run does not count: at -O3 they would be a third of the build.  Their loops
# visit a node once or twice a solve, and are vectorised.  At -O1 g++ takes what a std::variant does
# not hold for uninitialized; and, but for -fexpensive-optimizations, leaves wide registers in use where
# a function ends, after which those of the C library that know 128 bits alone take several times as
# long.
set(ninefold_seldom_run
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O1;-fstrict-aliasing;-ftree-loop-vectorize>
    $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<CONFIG:Release>>:-fexpensive-optimizations>
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized>)
# From g++ 13 on, -O2 and -O3 say these, too, without which their precompiled headers do not fit.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13
   AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND ninefold_seldom_run
       $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-munroll-only-small-loops;-mvzeroupper>)
endif()

# For loops over nodes: what of -O3 makes them fast, that is, inlined, unrolled and vectorised.  The rest
# of it gains nothing there, and takes a tenth of the compiler's time.  -fno-trapping-math: no value
# depends on it, but without it what a loop computes on a condition (the part of a reaction) is not
# vectorised for AVX2, since it might raise a flag, which nobody reads.
#
# ninefold_large_loops, and ninefold_large_loops_O3: g++ finds a row of the matrix too large to inline, and
# a loop that calls is not vectorised: without these, residuals take three to ten times as long.  From a
# precompiled header g++ takes that one's values of --param: files with them are compiled without.
set(loops -O2 -ftree-loop-vectorize -ftree-slp-vectorize -fvect-cost-model=dynamic -fpeel-loops
    --param=max-inline-insns-auto=30 --param=early-inlining-insns=14 --param=inline-min-speedup=15)
set(large --param=max-inline-insns-single=1000 --param=inline-unit-growth=1000)
set(gnu_release $<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<CONFIG:Release>>)
set(ninefold_loops "$<${gnu_release}:-fno-trapping-math;${loops};--param=max-inline-insns-single=200>")
set(ninefold_large_loops "$<${gnu_release}:-fno-trapping-math;${loops};${large}>")
set(ninefold_large_loops_O3 "$<${gnu_release}:-fno-trapping-math;${large}>")

# ninefold_precompile(TARGET HEADER...): headers of others that most files of it include are parsed
# once.  ninefold_precompile(TARGET REUSE OTHER): those of another target, which must optimise (or
# not) as it does, and have the same macros as far as these headers ask for them.  So programs are
# compiled as libraries are, -fPIC, and libraries without CMake's macro TARGET_EXPORTS.  No file may
# rely on them: the build as a part of another project (tests/install) is without.
function(ninefold_precompile target)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fPIC>
                         $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)  # for ccache
  set_target_properties(${target} PROPERTIES DEFINE_SYMBOL "")
  if(ARGV1 STREQUAL "REUSE")
    target_precompile_headers(${target} REUSE_FROM ${ARGV2})
    return()
  endif()
  foreach(header ${ARGN})
    target_precompile_headers(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:<${header}$<ANGLE-R>>)
  endforeach()
endfunction()

# ninefold_compile_together(TARGET GROUP FILE...) gives the target files that include much the same, and
# has them compiled as one file: a third of the compiler's time is what they share.  No name in an
# anonymous namespace may be in two files of a group.  Files whose time goes into code of their own
# gain nothing, and are better compiled beside each other.
function(ninefold_compile_together target group)
  target_sources(${target} PRIVATE ${ARGN})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP ${group})
endfunction()
