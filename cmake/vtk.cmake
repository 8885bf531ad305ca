# Decides whether solutions can be written as VTK files.

set(NINEFOLD_WITH_VTK OFF)
if(NOT NINEFOLD_VTK)
  message(STATUS "VTK files: off (NINEFOLD_VTK=OFF)")
  return()
endif()
find_package(VTK 9.0 QUIET COMPONENTS CommonCore CommonDataModel CommonExecutionModel IOXML)
if(VTK_FOUND)
  set(NINEFOLD_WITH_VTK ON)
  message(STATUS "VTK files: on, VTK ${VTK_VERSION}")
elseif(NINEFOLD_VTK STREQUAL "AUTO")
  message(STATUS "VTK files: off (VTK not found; Debian: libvtk9-dev)")
else()
  message(FATAL_ERROR "NINEFOLD_VTK=ON, but VTK 9 was not found (Debian: libvtk9-dev). "
                      "${VTK_NOT_FOUND_MESSAGE}")
endif()
