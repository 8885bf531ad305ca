# The library as others use it.  Built anew as a part of another project, which takes minutes, it is
# by .ci/run alone: here that project is configured, and compiles one file of each.

foreach(part Installed Embedded)
  string(TOLOWER ${part} name)
  add_test(NAME "library: ${name}" COMMAND Python3::Interpreter
           ${CMAKE_CURRENT_SOURCE_DIR}/install/install.py ${PROJECT_BINARY_DIR} ${part})
  set_tests_properties("library: ${name}" PROPERTIES LABELS library TIMEOUT 600 COST 100
                       ENVIRONMENT OMP_WAIT_POLICY=passive)
endforeach()

# README.md, tutorial, docs/sparse.md, meshes.md and least_squares.md: their commands; the tutorial's last ones install the
# library.
foreach(part Readme Tutorial Sparse Meshes Fits Links Comparison)
  string(TOLOWER ${part} name)
  add_test(NAME "documents: ${name}" COMMAND Python3::Interpreter
           ${CMAKE_CURRENT_SOURCE_DIR}/documents/documents.py ${PROJECT_BINARY_DIR}
           ${PROJECT_SOURCE_DIR} ${part})
  set_tests_properties("documents: ${name}" PROPERTIES LABELS documents TIMEOUT 600 COST 100
                       ENVIRONMENT OMP_WAIT_POLICY=passive)
endforeach()
# Both write the build folder's list of what is installed.
set_tests_properties("library: installed" "documents: tutorial" PROPERTIES RESOURCE_LOCK installing)
