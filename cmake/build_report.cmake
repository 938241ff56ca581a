# Run by the build (report.cmake): installs the page's packages if they are not those of the lock file, then builds it. Says
# nothing unless something fails. Builds in other directories wait.
file(LOCK ${web_dir}/dist/.lock TIMEOUT 600)

function(run_npm)
  execute_process(COMMAND ${npm} ${ARGN} WORKING_DIRECTORY ${web_dir}
    RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " arguments)
    message(FATAL_ERROR "'npm ${arguments}' failed in ${web_dir}:\n${said}")
  endif()
endfunction()

set(installed ${web_dir}/node_modules/.package-lock.json)
if(NOT EXISTS ${installed} OR ${web_dir}/package-lock.json IS_NEWER_THAN ${installed})
  run_npm(ci)
endif()
run_npm(run build)
