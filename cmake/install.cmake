# `cmake --install` gives headers, libraries, programs and the package for find_package(ninefold).

include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/ninefold)

install(TARGETS ninefold_core ninefold_rounding EXPORT ninefoldTargets)
install(EXPORT ninefoldTargets NAMESPACE ninefold:: DESTINATION ${package_folder})
# An export of its own, so that users of the solvers alone need neither VTK nor a JSON library.
install(TARGETS ninefold_output EXPORT ninefoldOutputTargets)
install(EXPORT ninefoldOutputTargets NAMESPACE ninefold:: DESTINATION ${package_folder})
# What a user's own code may include: the operations' meaning and how they are compiled stay here.
install(DIRECTORY precision grids fem gpu solvers output
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ninefold
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.def"
        PATTERN meaning EXCLUDE PATTERN compiled EXCLUDE PATTERN kernels EXCLUDE
        PATTERN launch EXCLUDE PATTERN drivers EXCLUDE)

configure_package_config_file(cmake/ninefoldConfig.cmake.in ninefoldConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(ninefoldConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ninefoldConfig.cmake
              ${PROJECT_BINARY_DIR}/ninefoldConfigVersion.cmake
        DESTINATION ${package_folder})
