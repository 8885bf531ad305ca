# The lists of precision/formats.def, and the source files that instantiate templates for them.
#
# Sets NINEFOLD_FORMATS (value types), NINEFOLD_DEVICE_FORMATS, NINEFOLD_COMPUTED_FORMATS, and
# NINEFOLD_LOW_OF_<High>, the formats that a solver in High can be served by.

set(formats_file ${PROJECT_SOURCE_DIR}/precision/formats.def)
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
             ${formats_file})
foreach(list NINEFOLD_FORMATS NINEFOLD_DEVICE_FORMATS NINEFOLD_COMPUTED_FORMATS)
  set(${list})
endforeach()
file(STRINGS ${formats_file} lines REGEX "^NINEFOLD_(FORMAT|SOFTWARE_FORMAT|PAIR)\\(")
foreach(line ${lines})
  if(line MATCHES "^NINEFOLD_PAIR\\(([A-Za-z0-9_]+), ([A-Za-z0-9_]+)\\)$")
    list(APPEND NINEFOLD_LOW_OF_${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
  elseif(line MATCHES "^NINEFOLD_(SOFTWARE_)?FORMAT\\([a-z0-9_]+, ([A-Za-z0-9_]+), (stored|computed)\\)$")
    list(APPEND NINEFOLD_FORMATS ${CMAKE_MATCH_2})
    if(NOT CMAKE_MATCH_1)
      list(APPEND NINEFOLD_DEVICE_FORMATS ${CMAKE_MATCH_2})
    endif()
    if(CMAKE_MATCH_3 STREQUAL "computed")
      list(APPEND NINEFOLD_COMPUTED_FORMATS ${CMAKE_MATCH_2})
    endif()
  else()
    message(FATAL_ERROR "precision/formats.def: \"${line}\" is not understood")
  endif()
endforeach()

# ninefold_unit(NAME HEADERS STATEMENT...) gives the library a generated source file of that name,
# written only if it changes: it includes the headers and makes the statements.
function(ninefold_unit name headers)
  set(text "// Generated from precision/formats.def.\n")
  foreach(header ${headers})
    string(APPEND text "#include \"${header}\"\n")
  endforeach()
  string(APPEND text "\nnamespace ninefold {\n")
  foreach(statement ${ARGN})
    string(APPEND text "${statement};\n")
  endforeach()
  string(APPEND text "}  // namespace ninefold\n")
  set(path ${PROJECT_BINARY_DIR}/generated/units/${name})
  file(CONFIGURE OUTPUT ${path} CONTENT "${text}" @ONLY)
  target_sources(ninefold_core PRIVATE ${path})
endfunction()
