# The programs, called as a person calls them, at small levels.

function(ninefold_smoke_test name)
  add_test(NAME "smoke: ${name}" COMMAND ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties("smoke: ${name}" PROPERTIES LABELS smoke TIMEOUT 300
                       ENVIRONMENT OMP_WAIT_POLICY=passive)
endfunction()

# ninefold: its commands, bad input, interruptions, and every file in experiments/configs.
foreach(part Commands BadInput Interruptions Configs)
  ninefold_smoke_test("ninefold, ${part}" Python3::Interpreter
                      ${CMAKE_CURRENT_SOURCE_DIR}/experiments/program.py
                      $<TARGET_FILE:ninefold_program> ${PROJECT_SOURCE_DIR}/experiments/configs
                      ${part})
endforeach()

foreach(experiment input_precision solver_precision convergence emulation format_study
        accuracy_wall combinations time_error stopping_criteria refinement anisotropy)
  ninefold_smoke_test(${experiment} ${experiment} --levels 2 4 --backend host
                      --output ${CMAKE_CURRENT_BINARY_DIR}/smoke/${experiment})
endforeach()

ninefold_smoke_test(operations operations --level 4 --stretches 1 --cg-levels 3
                    --multigrid-levels 3 --backend host
                    --output ${CMAKE_CURRENT_BINARY_DIR}/smoke/operations)

ninefold_smoke_test(refinement_step refinement_step --levels 3 --stretches 1 --backend host
                    --output ${CMAKE_CURRENT_BINARY_DIR}/smoke/refinement_step)

ninefold_smoke_test(line_smoothing line_smoothing --levels 3 --solve-levels 3 --stretches 1
                    --backend host --output ${CMAKE_CURRENT_BINARY_DIR}/smoke/line_smoothing)

ninefold_smoke_test(pair_operations pair_operations --samples 2000 --stretches 1 --backend host
                    --output ${CMAKE_CURRENT_BINARY_DIR}/smoke/pair_operations)

# The experiments again: what they print and write, bad input, progress, interruption.
ninefold_smoke_test("experiments" Python3::Interpreter
                    ${CMAKE_CURRENT_SOURCE_DIR}/experiments/experiments.py
                    $<TARGET_FILE:input_precision> $<TARGET_FILE:solver_precision>
                    $<TARGET_FILE:convergence> $<TARGET_FILE:emulation>
                    $<TARGET_FILE:format_study> $<TARGET_FILE:accuracy_wall>
                    $<TARGET_FILE:combinations> $<TARGET_FILE:time_error>
                    $<TARGET_FILE:stopping_criteria> $<TARGET_FILE:refinement>
                    $<TARGET_FILE:anisotropy>)
