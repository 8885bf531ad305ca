# Decides whether report pages are interactive: libraries made for the web become bytes of
# ninefold::output.  scripts/prepare.sh puts Vega into NINEFOLD_WEB_FOLDER; jQuery and tablesorter are
# packages.

set(NINEFOLD_WEB_FOLDER ${PROJECT_SOURCE_DIR}/build/web CACHE PATH "Where scripts/prepare.sh put Vega")
set(NINEFOLD_JAVASCRIPT_FOLDER /usr/share/javascript CACHE PATH "Where Debian's packages put libraries")
mark_as_advanced(NINEFOLD_WEB_FOLDER NINEFOLD_JAVASCRIPT_FOLDER)

# ninefold_web_libraries(FILE) writes the source that holds them.
function(ninefold_web_libraries file)
  set(vega ${NINEFOLD_WEB_FOLDER}/altair_viewer/scripts)
  set(scripts ${vega}/vega-5.21.0.js ${vega}/vega-lite-4.17.0.js ${vega}/vega-embed-6.20.0.js
              ${NINEFOLD_JAVASCRIPT_FOLDER}/jquery/jquery.min.js
              ${NINEFOLD_JAVASCRIPT_FOLDER}/jquery-tablesorter/js/jquery.tablesorter.min.js)
  set(missing)
  foreach(script IN LISTS scripts)
    if(NOT EXISTS ${script})
      list(APPEND missing ${script})
    endif()
  endforeach()
  if(NINEFOLD_WEB AND NOT missing)
    list(APPEND scripts ${PROJECT_SOURCE_DIR}/output/document/page.js)
    message(STATUS "Report pages: interactive, by Vega 5.21.0 and tablesorter")
  elseif(NINEFOLD_WEB AND NOT NINEFOLD_WEB STREQUAL "AUTO")
    list(JOIN missing ", " missing)
    message(FATAL_ERROR "NINEFOLD_WEB=ON, but not found: ${missing} (scripts/prepare.sh programs fetches them)")
  else()
    set(scripts)
    if(NINEFOLD_WEB)
      list(JOIN missing ", " missing)
      message(STATUS "Report pages: tables and still pictures (not found: ${missing}; scripts/prepare.sh "
                     "programs fetches them)")
    else()
      message(STATUS "Report pages: tables and still pictures (NINEFOLD_WEB=OFF)")
    endif()
  endif()

  set(style ${PROJECT_SOURCE_DIR}/output/document/page.css)
  set(NINEFOLD_WEB_FILES "NINEFOLD_FILE(ninefold_page_style, \"${style}\")\n")
  set(NINEFOLD_WEB_SCRIPTS)
  set(count 0)
  foreach(script IN LISTS scripts)
    set(name ninefold_page_script_${count})
    string(APPEND NINEFOLD_WEB_FILES "NINEFOLD_FILE(${name}, \"${script}\")\n")
    list(APPEND NINEFOLD_WEB_SCRIPTS "between(${name}_begin, ${name}_end)")
    math(EXPR count "${count} + 1")
  endforeach()
  list(JOIN NINEFOLD_WEB_SCRIPTS ",\n    " NINEFOLD_WEB_SCRIPTS)
  set(NINEFOLD_WEB_COUNT ${count})
  set(NINEFOLD_WEB_NAMES "none")
  if(scripts)
    set(NINEFOLD_WEB_NAMES "Vega 5.21.0, Vega-Lite 4.17.0, Vega-Embed 6.20.0, jQuery, tablesorter")
  endif()
  configure_file(${PROJECT_SOURCE_DIR}/output/document/web_libraries.cpp.in ${file} @ONLY)
  # The assembler reads them, which nobody else sees.
  set_source_files_properties(${file} PROPERTIES OBJECT_DEPENDS "${style};${scripts}"
                                                 SKIP_PRECOMPILE_HEADERS ON)
endfunction()
