# Before anything is copied, since what is there of an incomplete build is no installation: in front
# of all other rules, which run in their order.

set(files)
foreach(target core avx512 output application program)
  set(target ninefold_${target})
  string(APPEND files " [[$<$<TARGET_EXISTS:${target}>:$<TARGET_FILE:${target}>>]]")
endforeach()
install(CODE "foreach(file IN ITEMS${files})
  if(file AND NOT EXISTS \"\${file}\")
    message(FATAL_ERROR \"nothing is installed: \${file} has not been built\")
  endif()
endforeach()" ALL_COMPONENTS)
