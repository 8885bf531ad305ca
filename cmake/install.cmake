# `cmake --install` gives the public headers, libraries and programs, the package for
# find_package(ninefold), the files for pkg-config, and the licences.

include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/ninefold)

install(TARGETS ninefold_core ninefold_rounding EXPORT ninefoldTargets FILE_SET HEADERS)
install(EXPORT ninefoldTargets NAMESPACE ninefold:: DESTINATION ${package_folder})
if(TARGET ninefold_output)
  # An export of its own, so that users of the solvers alone need neither VTK nor a JSON library.
  install(TARGETS ninefold_output EXPORT ninefoldOutputTargets FILE_SET HEADERS)
  install(EXPORT ninefoldOutputTargets NAMESPACE ninefold:: DESTINATION ${package_folder})
endif()
if(TARGET ninefold_program)
  install(TARGETS ninefold_program)
  if(BUILD_SHARED_LIBS)
    install(TARGETS ninefold_application)
  endif()
endif()
install(FILES LICENSE THIRD_PARTY.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_package_config_file(cmake/ninefoldConfig.cmake.in ninefoldConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(ninefoldConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ninefoldConfig.cmake
              ${PROJECT_BINARY_DIR}/ninefoldConfigVersion.cmake
        DESTINATION ${package_folder})

# A shared library has what it needs; a static one says it.
set(pc_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
cmake_path(ABSOLUTE_PATH pc_folder BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE pc_place)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${pc_place} OUTPUT_VARIABLE pc_prefix)
set(pc_libdir "\${prefix}")
cmake_path(APPEND pc_libdir ${CMAKE_INSTALL_LIBDIR})
set(pc_includedir "\${prefix}")
cmake_path(APPEND pc_includedir ${CMAKE_INSTALL_INCLUDEDIR})
list(JOIN ninefold_rounding_flags " " pc_flags)
set(pc_requires)
set(pc_libraries)
if(NOT BUILD_SHARED_LIBS)
  set(pc_requires "fmt, muparser")
  list(JOIN OpenMP_CXX_FLAGS " " pc_libraries)
  string(APPEND pc_libraries " -ldl")
  if(NINEFOLD_WITH_LAPACK)
    string(APPEND pc_libraries " -llapack -lblas")
  endif()
  if(NINEFOLD_WITH_ZLIB)
    string(APPEND pc_libraries " -lz")
  endif()
  if(NINEFOLD_WITH_CUDA)
    string(APPEND pc_libraries " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -lrt -ldl -lpthread")
  endif()
endif()
configure_file(cmake/ninefold.pc.in ninefold.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/ninefold.pc DESTINATION ${pc_folder})
if(TARGET ninefold_output AND BUILD_SHARED_LIBS)
  configure_file(cmake/ninefold-output.pc.in ninefold-output.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/ninefold-output.pc DESTINATION ${pc_folder})
endif()
