# What configuring says of CUDA, with programs in place of nvcc and nvidia-smi.
#   cmake -D SOURCE=... -D FOLDER=... -P cuda_choice.cmake

function(write_program name text)
  file(WRITE ${FOLDER}/${name} "#!/bin/sh\n${text}\n")
  file(CHMOD ${FOLDER}/${name} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endfunction()

# ninefold's own script up to where it needs the compiler, which is no part of it.
function(expect text capability architectures preprocess)
  write_program(nvidia-smi "case $1 in --list-gpus) echo GPU 0: a GPU;; *) ${capability};; esac")
  write_program(nvcc "case $1 in --version) echo release 12.0,;; --list-gpu-arch) ${architectures};;
*) ${preprocess};; esac")
  execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=CUDAARCHS PATH=${FOLDER}:$ENV{PATH} ${CMAKE_COMMAND}
                          -D NINEFOLD_CUDA=AUTO -D NINEFOLD_NVCC=${FOLDER}/nvcc
                          -D PROJECT_BINARY_DIR=${FOLDER} -P cmake/cuda.cmake
                  WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE said ERROR_VARIABLE said)
  string(FIND "${said}" "${text}" found)
  if(found EQUAL -1)
    message(SEND_ERROR "GPU: ${capability}; nvcc: ${architectures}; ${preprocess}: \"${text}\" "
                       "is not in\n${said}")
  endif()
endfunction()

set(knows "echo compute_80 compute_90")
expect("does not tell the GPU's compute capability; built for common ones\n"
       "exit 6" "${knows}" ":")
expect("not for every GPU: the GPU has compute capability 6.1, and nvcc builds for 8.0 and newer\n"
       "echo 6.1 9.0" "${knows}" ":")
expect("host only (the GPU has compute capability 6.1, and nvcc builds for 8.0 and newer)\n"
       "echo 6.1" "${knows}" ":")
expect("host only (${FOLDER}/nvcc --list-gpu-arch names no architecture)\n" "echo 9.0" "exit 1" ":")
expect("names another: x, error: y)\n" "echo 9.0" "${knows}"
       "echo z >&2; echo x, error: y >&2; exit 1")
expect("names another: a library is missing)\n" "echo 9.0" "${knows}"
       "echo a library is missing >&2; exit 127")
expect("names another: it ends with 3)\n" "echo 9.0" "${knows}" "exit 3")
