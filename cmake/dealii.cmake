# Decides whether the comparison with deal.II is built; ninefold_dealii brings its headers and
# library.

include(CheckLinkerFlag)

# A function, so that the many variables of deal.II's package (CMAKE_CUDA_ARCHITECTURES among them)
# stay inside.  Its deal_ii_setup_target is not used: it would bring its own language level,
# warnings and linker.
function(ninefold_find_dealii)
  find_package(deal.II 9.4 QUIET)
  if(deal.II_FOUND)
    if(NOT TARGET ${DEAL_II_TARGET_RELEASE})
      include(${DEAL_II_TARGET_CONFIG})
    endif()
    add_library(ninefold_dealii INTERFACE)
    target_include_directories(ninefold_dealii SYSTEM INTERFACE ${DEAL_II_INCLUDE_DIRS})
    target_compile_definitions(ninefold_dealii INTERFACE ${DEAL_II_USER_DEFINITIONS}
                               ${DEAL_II_USER_DEFINITIONS_RELEASE})
    target_link_libraries(ninefold_dealii INTERFACE ${DEAL_II_TARGET_RELEASE})
    # Its 200 libraries take the default linker 15 s, these ones a second.
    foreach(linker gold lld)
      if(CMAKE_EXE_LINKER_FLAGS MATCHES "-fuse-ld=")
        break()  # somebody's choice
      endif()
      check_linker_flag(CXX -fuse-ld=${linker} NINEFOLD_LINKS_BY_${linker})
      if(NINEFOLD_LINKS_BY_${linker})
        target_link_options(ninefold_dealii INTERFACE -fuse-ld=${linker})
        break()
      endif()
    endforeach()
    message(STATUS "Comparison with deal.II: on, deal.II ${deal.II_VERSION}")
  elseif(NINEFOLD_DEALII STREQUAL "AUTO")
    message(STATUS "Comparison with deal.II: off (deal.II not found; Debian: libdeal.ii-dev)")
  else()
    message(FATAL_ERROR "NINEFOLD_DEALII=ON, but deal.II 9.4 or newer was not found "
                        "(Debian: libdeal.ii-dev)")
  endif()
endfunction()

if(NINEFOLD_DEALII)
  ninefold_find_dealii()
else()
  message(STATUS "Comparison with deal.II: off (NINEFOLD_DEALII=OFF)")
endif()
