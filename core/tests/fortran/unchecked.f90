! SPDX-License-Identifier: BSD-3-Clause
! An error without stat= prints one sentence and ends the job.
program unchecked
  use weft
  implicit none
  type(weft_comm) :: comm
  type(weft_exchange) :: exchange, copy
  character(10) :: how
  call get_command_argument(1, how)
  call comm%create()
  call exchange%create(comm)
  if (how == 'copy') copy = exchange
  call exchange%start()
  print '(a)', 'it goes on'
end program
