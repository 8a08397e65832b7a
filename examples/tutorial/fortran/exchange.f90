! SPDX-License-Identifier: BSD-3-Clause
!
! Stage 1: the same messages by an exchange. It still waits twice per step.
program exchange_rows
  use settings
  use tubes
  use weft
  implicit none
  type(weft_comm) :: comm
  type(weft_exchange) :: exchange
  type(weft_requests) :: list
  type(tube), target :: heat
  real(real64) :: change, largest, begin
  integer :: step
  call start()
  call heat%create(rows, columns, rank, ranks, 0.2_real64)

  ! [list]
  call comm%create(MPI_COMM_WORLD)
  call exchange%create(comm)
  call exchange%client('heat', list)
  call list%send(up, 1, heat%top)
  call list%send(down, 2, heat%bottom)
  call list%receive(down, 1, heat%below)
  call list%receive(up, 2, heat%above)
  call exchange%commit()
  ! [list end]

  begin = weft_seconds()
  do step = 1, steps
    ! [step]
    call heat%copy_edges()
    call exchange%start()
    call exchange%ready_all(list)
    call exchange%wait()

    change = 0
    call heat%update(1, heat%rows, change)
    call heat%finish_step()

    call MPI_Allreduce(change, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
    ! [step end]
    if (rank == 0 .and. mod(step, 100) == 0) call print_change(step, largest)
  end do
  begin = weft_seconds() - begin
  call print_end('heat', heat%fingerprint())
  call print_time(begin)
  call exchange%free()
  call comm%free()
  call MPI_Finalize()
end program
