# Compiler flags that every target shares.

# The rounding contract: a * b + c rounds twice unless `fused` is written, and `fused` is an
# instruction.  It is part of the library's interface, since inline functions obey it too.
add_library(ninefold_rounding INTERFACE)
set_target_properties(ninefold_rounding PROPERTIES EXPORT_NAME rounding)
target_compile_options(ninefold_rounding INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>
  $<$<COMPILE_LANGUAGE:CUDA>:-fmad=false -Xcompiler=-ffp-contract=off>)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(ninefold_rounding INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-march=x86-64-v3>
    $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-march=x86-64-v3>)
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
  if(NINEFOLD_WERROR)
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:-Werror> $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
  endif()
endfunction()
