# The programs, called as a person calls them, at small levels.

set(results ${CMAKE_CURRENT_BINARY_DIR}/smoke)

function(ninefold_smoke_test name)
  add_test(NAME "smoke: ${name}" COMMAND ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties("smoke: ${name}" PROPERTIES LABELS smoke TIMEOUT 300
                       ENVIRONMENT OMP_WAIT_POLICY=passive)
endfunction()

# The command must end with this status, not with any other.
function(ninefold_status_test name status)
  list(JOIN ARGN "' '" command)
  ninefold_smoke_test(${name} sh -c "'${command}' && exit 1 || test $? -eq ${status}")
endfunction()

ninefold_smoke_test("ninefold info" $<TARGET_FILE:ninefold_program> info)

file(GLOB configs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/experiments/configs/*.toml)
foreach(config ${configs})
  cmake_path(GET config STEM name)
  file(STRINGS ${config} study REGEX "^\\[study\\]")
  set(command solve)
  if(study)
    set(command study)
  endif()
  ninefold_smoke_test("ninefold check ${name}.toml"
                      $<TARGET_FILE:ninefold_program> check ${config} --set grid.levels=[2,4])
  set(call $<TARGET_FILE:ninefold_program> ${command} ${config} --set grid.levels=[2,4]
      --output ${results}/${name})
  if(name STREQUAL "precision_study")  # single precision does not reach its tolerance: its point
    ninefold_status_test("ninefold ${command} ${name}.toml" 1 ${call})
  else()
    ninefold_smoke_test("ninefold ${command} ${name}.toml" ${call})
  endif()
endforeach()

ninefold_status_test("a missing file is refused" 2
                      $<TARGET_FILE:ninefold_program> solve no_such_file.toml)
ninefold_status_test("a level beyond the range is refused" 2
                      $<TARGET_FILE:ninefold_program> solve experiments/configs/first.toml
                      --set grid.levels=[2,99] --output ${results}/refused)

# ninefold: its commands, bad input, interruptions, and what the configs leave behind.
foreach(part Commands BadInput Interruptions Configs)
  ninefold_smoke_test("ninefold, ${part}" Python3::Interpreter
                      ${CMAKE_CURRENT_SOURCE_DIR}/experiments/program.py
                      $<TARGET_FILE:ninefold_program> ${PROJECT_SOURCE_DIR}/experiments/configs
                      ${part})
endforeach()

foreach(experiment solver_precision convergence)
  if(NOT TARGET ${experiment})
    continue()
  endif()
  ninefold_smoke_test(${experiment} ${experiment} --levels 2 4 --backend host
                      --output ${results}/${experiment})
endforeach()
