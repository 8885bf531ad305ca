# "ninefold/version.hpp": what results say about the program that made them.  The commit is looked
# up at each build, and the header is written only if it changed.

set(arguments -D SOURCE=${PROJECT_SOURCE_DIR}
    -D TEMPLATE=${CMAKE_CURRENT_LIST_DIR}/version.hpp.in
    -D HEADER=${PROJECT_BINARY_DIR}/generated/ninefold/version.hpp
    -D VERSION=${PROJECT_VERSION}
    -D "COMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
    -D "CUDA_COMPILER=${CMAKE_CUDA_COMPILER_VERSION}"
    -D "BUILD_TYPE=${CMAKE_BUILD_TYPE}"
    -P ${CMAKE_CURRENT_LIST_DIR}/write_version.cmake)
add_custom_target(ninefold_write_version COMMAND ${CMAKE_COMMAND} ${arguments} VERBATIM
                  BYPRODUCTS ${PROJECT_BINARY_DIR}/generated/ninefold/version.hpp)

add_library(ninefold_version INTERFACE)
add_dependencies(ninefold_version ninefold_write_version)
target_include_directories(ninefold_version INTERFACE ${PROJECT_BINARY_DIR}/generated)
