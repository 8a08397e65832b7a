# SPDX-License-Identifier: BSD-3-Clause
# run(COMMAND...): runs it, and ends this script if it fails.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}: ${status}")
  endif()
endfunction()
