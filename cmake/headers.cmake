# The public headers: those of include/ninefold and whatever they include.
#
# Inside the tree includes are written from its top, "solvers/solve.hpp".  Users are given copies in
# the build folder that say <ninefold/solvers/solve.hpp>: so neither our folders' names nor our
# other headers are on their path, whether the library is installed or part of their build.

# ninefold_public_headers(TARGET UMBRELLA) gives the target the headers that include/ninefold/UMBRELLA
# brings and no other target has.
function(ninefold_public_headers target umbrella)
  set(folder ${PROJECT_BINARY_DIR}/include)
  get_property(known GLOBAL PROPERTY NINEFOLD_PUBLIC_HEADERS)
  set(copies)
  set(headers include/ninefold/${umbrella})
  while(headers)
    list(POP_FRONT headers header)
    if(header IN_LIST known)
      continue()
    endif()
    list(APPEND known ${header})
    set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
                 ${PROJECT_SOURCE_DIR}/${header})
    file(READ ${PROJECT_SOURCE_DIR}/${header} text)
    string(REGEX MATCHALL "#[ ]*include \"[^\"]+\"" includes "${text}")
    list(TRANSFORM includes REPLACE "^.*\"(.*)\"$" "\\1")
    list(APPEND headers ${includes})

    string(REGEX REPLACE "(#[ ]*include )\"([^\"]+)\"" "\\1<ninefold/\\2>" text "${text}")
    string(REGEX REPLACE "^include/ninefold/" "" copy ${header})
    set(copy ${folder}/ninefold/${copy})
    file(CONFIGURE OUTPUT ${copy} CONTENT "${text}" @ONLY)  # written only if it changes
    list(APPEND copies ${copy})
  endwhile()
  set_property(GLOBAL PROPERTY NINEFOLD_PUBLIC_HEADERS ${known})
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${folder} FILES ${copies})
endfunction()
