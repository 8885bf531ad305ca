# zlib, by which files of matrices are read that gzip has compressed (.mtx.gz).
#
# Sets NINEFOLD_WITH_ZLIB.

set(NINEFOLD_WITH_ZLIB OFF)
if(NOT NINEFOLD_ZLIB)
  message(STATUS "zlib: off (NINEFOLD_ZLIB=OFF); .mtx.gz files are refused")
else()
  find_package(ZLIB QUIET)
  if(ZLIB_FOUND)
    set(NINEFOLD_WITH_ZLIB ON)
    message(STATUS "zlib: on, ${ZLIB_VERSION_STRING}")
  elseif(NINEFOLD_ZLIB STREQUAL "AUTO")
    message(STATUS "zlib: off (not found; Debian: zlib1g-dev); .mtx.gz files are refused")
  else()
    message(FATAL_ERROR "NINEFOLD_ZLIB=ON, but zlib was not found (Debian: zlib1g-dev)")
  endif()
endif()

function(ninefold_link_zlib target)
  if(NINEFOLD_WITH_ZLIB)
    target_compile_definitions(${target} PRIVATE NINEFOLD_HAS_ZLIB=1)
    target_link_libraries(${target} PRIVATE ZLIB::ZLIB)
  endif()
endfunction()
