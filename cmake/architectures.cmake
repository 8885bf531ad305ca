# Which CUDA architectures are built for, where nobody says.

# Parameters of kernels that are __grid_constant__ need it.
set(ninefold_first_architecture 70)

# Of embedded parts, whose code no other GPU is sure to run.
set(ninefold_embedded_architectures 53 62 72 87 88 101 110)

# ninefold_architectures(RESULT WITHOUT GPUS KNOWN) sets RESULT to code for GPUs of these
# architectures, by an nvcc that knows those, and WITHOUT to why there is none for one of them.  A
# GPU that is newer than nvcc takes the newest code it can: that of its own major number, or PTX,
# which its driver compiles.  Without a GPU: 75, 80 (which 86 and 89 run, too) and 90, with PTX for
# all that came later.
function(ninefold_architectures result without gpus known)
  list(FILTER known INCLUDE REGEX "^[0-9]+$")
  list(SORT known COMPARE NATURAL)
  set(chosen)
  set(${without} "" PARENT_SCOPE)
  foreach(gpu IN LISTS gpus)
    set(best)
    foreach(architecture IN LISTS known)
      list(FIND ninefold_embedded_architectures ${architecture} embedded)
      if(architecture EQUAL gpu OR embedded EQUAL -1)
        if(architecture GREATER_EQUAL ninefold_first_architecture AND architecture LESS_EQUAL gpu)
          set(best ${architecture})
        endif()
      endif()
    endforeach()
    if(NOT best)
      set(first ${ninefold_first_architecture})
      list(GET known 0 oldest)
      if(oldest GREATER first)
        set(first ${oldest})
      endif()
      string(REGEX REPLACE "(.)$" ".\\1" gpu ${gpu})
      string(REGEX REPLACE "(.)$" ".\\1" first ${first})
      set(${without} "the GPU has compute capability ${gpu}, and nvcc builds for ${first} and newer"
          PARENT_SCOPE)
      continue()
    endif()
    if(best EQUAL gpu)
      set(best ${gpu}-real)
    endif()
    list(APPEND chosen ${best})
  endforeach()
  if(NOT gpus)
    set(chosen 75-real 80-real 90)
  endif()
  list(REMOVE_DUPLICATES chosen)
  set(${result} ${chosen} PARENT_SCOPE)
endfunction()
