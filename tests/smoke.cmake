# The programs, called as a person calls them, at small levels.

function(ninefold_smoke_test name)
  add_test(NAME "smoke: ${name}" COMMAND ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties("smoke: ${name}" PROPERTIES LABELS smoke TIMEOUT 300
                       COST 100 ENVIRONMENT OMP_NUM_THREADS=1)  # the longest first
endfunction()

# ninefold: its commands, bad input, interruptions, and every file in experiments/configs.
foreach(part Commands BadInput Interruptions Configs)
  ninefold_smoke_test("ninefold, ${part}" Python3::Interpreter
                      ${CMAKE_CURRENT_SOURCE_DIR}/experiments/program.py
                      $<TARGET_FILE:ninefold_program> ${PROJECT_SOURCE_DIR}/experiments/configs
                      ${part})
endforeach()

# ninefold matrix: its facts by another count, its refusals.
ninefold_smoke_test("ninefold, matrix" Python3::Interpreter
                    ${CMAKE_CURRENT_SOURCE_DIR}/experiments/matrix.py
                    $<TARGET_FILE:ninefold_program>)

# ninefold parameterise: files, refusals, what is enough.
ninefold_smoke_test("ninefold, meshes" Python3::Interpreter
                    ${CMAKE_CURRENT_SOURCE_DIR}/experiments/mesh.py
                    $<TARGET_FILE:ninefold_program>)

# ninefold smooth: what is written against plain Python's solution, refusals, what is enough.
ninefold_smoke_test("ninefold, smoothing" Python3::Interpreter
                    ${CMAKE_CURRENT_SOURCE_DIR}/experiments/smooth.py
                    $<TARGET_FILE:ninefold_program>)
# ninefold solve with [least_squares]: fits, images, refusals.
ninefold_smoke_test("ninefold, least squares" Python3::Interpreter
                    ${CMAKE_CURRENT_SOURCE_DIR}/experiments/least_squares.py
                    $<TARGET_FILE:ninefold_program>
                    ${PROJECT_SOURCE_DIR}/experiments/configs/reconstruction.toml)

# ninefold under mpirun: the results of one process, refusals, a rank that dies.
if(NINEFOLD_WITH_MPI)
  ninefold_smoke_test("ninefold, ranks" Python3::Interpreter
                      ${CMAKE_CURRENT_SOURCE_DIR}/experiments/ranks.py
                      $<TARGET_FILE:ninefold_program> ${MPIEXEC_EXECUTABLE}
                      $<TARGET_FILE:mpi_channel>)
  set_tests_properties("smoke: ninefold, ranks" PROPERTIES SKIP_RETURN_CODE 77)
else()
  ninefold_skipped_test("smoke: ninefold, ranks" smoke "MPI was not found")
endif()

# The library for AVX-512 and that for all processors: which is taken, the same bits.  What is compiled
# for AVX-512 alone is run by the script, where it can be.
if(NINEFOLD_WITH_AVX512)
  add_executable(near_sums_avx512 gpu/operations/near_sums_avx512_test.cpp support/can_run.cpp)
  # A source file's options come after those of the targets that are linked.
  set_source_files_properties(gpu/operations/near_sums_avx512_test.cpp
                              PROPERTIES COMPILE_OPTIONS "${ninefold_avx512_flags}")
  target_link_libraries(near_sums_avx512 PRIVATE ninefold_test_main ninefold_core ninefold_probe
                                                 ninefold_catch
                                                 Boost::headers)
  ninefold_warnings(near_sums_avx512)
  target_compile_options(near_sums_avx512 PRIVATE -O1)
  set(sums $<TARGET_FILE:near_sums_avx512>)
else()
  set(sums none)
endif()
ninefold_smoke_test("ninefold, instructions" Python3::Interpreter
                    ${CMAKE_CURRENT_SOURCE_DIR}/experiments/instructions.py
                    $<TARGET_FILE:ninefold_program> ${sums}
                    ${PROJECT_SOURCE_DIR}/experiments/configs ${NINEFOLD_WITH_AVX512})
set_tests_properties("smoke: ninefold, instructions" PROPERTIES SKIP_RETURN_CODE 77)

# Help, schema, completion and man page, and what they are made into.
ninefold_smoke_test("ninefold, first contact" Python3::Interpreter
                    ${CMAKE_CURRENT_SOURCE_DIR}/experiments/first_contact.py
                    $<TARGET_FILE:ninefold_program> ${PROJECT_SOURCE_DIR}
                    ${PROJECT_BINARY_DIR}/experiments/documents)

# What the experiments print and write, bad input, progress, interruption.
foreach(part Paper Beyond Sparse Handling)
  ninefold_smoke_test("experiments, ${part}" Python3::Interpreter
                      ${CMAKE_CURRENT_SOURCE_DIR}/experiments/experiments.py
                      $<TARGET_FILE:input_precision> $<TARGET_FILE:solver_precision>
                      $<TARGET_FILE:convergence> $<TARGET_FILE:emulation>
                      $<TARGET_FILE:format_study> $<TARGET_FILE:accuracy_wall>
                      $<TARGET_FILE:combinations> $<TARGET_FILE:time_error>
                      $<TARGET_FILE:stopping_criteria> $<TARGET_FILE:refinement>
                      $<TARGET_FILE:anisotropy> $<TARGET_FILE:fill>
                      $<TARGET_FILE:sparse_cg_precision>
                      $<TARGET_FILE:sparse_product_ratios> $<TARGET_FILE:vector_operations>
                      $<TARGET_FILE:mesh_precision>
                      $<TARGET_FILE:reconstruction>
                      $<TARGET_FILE:several_devices>
                      ${part})
endforeach()

# The programs that measure: their tables, bad input, failures; where they are built.
if(NINEFOLD_WERROR)
  ninefold_smoke_test("measurements" Python3::Interpreter
                      ${CMAKE_CURRENT_SOURCE_DIR}/experiments/measure.py
                      $<TARGET_FILE:operations> $<TARGET_FILE:direct_solver>
                      $<TARGET_FILE:full_multigrid> $<TARGET_FILE:repeated_solves>
                      $<TARGET_FILE:refinement_step> $<TARGET_FILE:error_estimates>
                      $<TARGET_FILE:wall_forecasts>
                      $<TARGET_FILE:sparse_product> $<TARGET_FILE:sparse_cg>
                      $<TARGET_FILE:line_smoothing> $<TARGET_FILE:pair_operations>)
endif()

# The page that is kept of an H200 can be written again.
ninefold_smoke_test("the kept page" Python3::Interpreter
                    ${CMAKE_CURRENT_SOURCE_DIR}/output/document/kept_page.py
                    $<TARGET_FILE:ninefold_program> ${PROJECT_SOURCE_DIR}
                    ${CMAKE_CURRENT_BINARY_DIR}/kept_page)

# Pages of results in a browser, where there is one.
ninefold_smoke_test("pages in a browser" Python3::Interpreter
                    ${CMAKE_CURRENT_SOURCE_DIR}/output/document/page.py
                    $<TARGET_FILE:ninefold_program> $<TARGET_FILE:solver_precision>
                    ${CMAKE_CURRENT_BINARY_DIR}/pages)
set_tests_properties("smoke: pages in a browser" PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900)
