# The library ends no program.  Where host code of a template calls a member that is for devices
# alone, nvcc says nothing and puts exit(1) in its place.
#   cmake -D NM=... -D LIBRARY=... -P no_exit.cmake

set(symbols --undefined-only)
if(NOT LIBRARY MATCHES "\\.a$")
  list(APPEND symbols --dynamic)
endif()
execute_process(COMMAND ${NM} ${symbols} ${LIBRARY} OUTPUT_VARIABLE undefined
                COMMAND_ERROR_IS_FATAL ANY)
if(NOT undefined MATCHES " U ")
  message(FATAL_ERROR "${LIBRARY}: no symbols were read")
endif()
if(undefined MATCHES " U (exit|_exit)(@[^\n]*)?\n")
  message(FATAL_ERROR "${LIBRARY} calls ${CMAKE_MATCH_1}(): host code that calls what is for "
                      "devices alone?")
endif()
