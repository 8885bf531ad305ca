# Which CUDA architectures are built for, as cmake/architectures.cmake chooses them.
#   cmake -D SOURCE=... -P architectures.cmake

include(${SOURCE}/cmake/architectures.cmake)

function(expect gpus known architectures without)
  ninefold_architectures(found why "${gpus}" "${known}")
  if(NOT "${found}" STREQUAL "${architectures}" OR NOT "${why}" STREQUAL "${without}")
    message(SEND_ERROR "GPUs ${gpus}, nvcc for ${known}: \"${found}\" (${why}), "
                       "expected \"${architectures}\" (${without})")
  endif()
endfunction()

set(cuda_12_0 50 52 53 60 61 62 70 72 75 80 86 87 89 90)
set(cuda_12_8 50 52 53 60 61 62 70 72 75 80 86 87 89 90 100 101 120)
set(cuda_13_0 75 80 86 87 88 89 90 100 110 103 120 121)

foreach(nvcc cuda_12_0 cuda_12_8 cuda_13_0)
  expect("" "${${nvcc}}" "75-real;80-real;90" "")
  foreach(gpu 75 80 86 89 90)
    expect("${gpu}" "${${nvcc}}" "${gpu}-real" "")
  endforeach()
endforeach()
expect("100" "${cuda_13_0}" "100-real" "")
expect("120" "${cuda_12_8}" "120-real" "")
expect("90;80;90" "${cuda_13_0}" "90-real;80-real" "")
expect("70" "${cuda_12_8}" "70-real" "")

# Newer than nvcc.
expect("100" "${cuda_12_0}" "90" "")
expect("120" "${cuda_12_0}" "90" "")
expect("103" "${cuda_12_8}" "100" "")
expect("89" "50;75;80;86;87;88" "86" "")

# Older than nvcc, or than the code; beside another one that will do.
expect("70" "${cuda_13_0}" "" "the GPU has compute capability 7.0, and nvcc builds for 7.5 and newer")
expect("61" "${cuda_12_0}" "" "the GPU has compute capability 6.1, and nvcc builds for 7.0 and newer")
expect("61;90" "${cuda_12_0}" "90-real"
       "the GPU has compute capability 6.1, and nvcc builds for 7.0 and newer")

# Embedded parts.
expect("72" "${cuda_12_8}" "72-real" "")
expect("87" "${cuda_12_0}" "87-real" "")
expect("101" "${cuda_12_8}" "101-real" "")
expect("110" "${cuda_13_0}" "110-real" "")
expect("87" "50;70;72;75;80;86" "86" "")
