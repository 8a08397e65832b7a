! SPDX-License-Identifier: BSD-3-Clause
!
! Stage 4: the reduction shares the exchange of the rows, one step late, and each step waits once.
program one_wait
  use settings
  use tubes
  use progress_kinds
  use weft
  implicit none
  type(weft_comm) :: comm
  type(weft_progress) :: progress
  type(weft_exchange) :: exchange
  type(weft_requests) :: list
  type(tube), target :: heat
  real(real64), target :: change = 0, largest = 0  ! local maximum of the previous step; global maximum
  real(real64) :: next_change, begin
  integer :: step, i
  call start()
  call heat%create(rows, columns, rank, ranks, 0.2_real64)

  call comm%create(MPI_COMM_WORLD)
  call progress%create(comm, progress_kind())
  call exchange%create(comm, progress=progress)
  call exchange%client('heat', list)
  call list%send(up, 1, heat%top)
  call list%send(down, 2, heat%bottom)
  call list%receive(down, 1, heat%below)
  call list%receive(up, 2, heat%above)
  ! [list]
  call list%all_reduce(change, largest, weft_max)
  ! [list end]
  call exchange%commit()

  begin = weft_seconds()
  do step = 1, steps
    ! [step]
    call heat%copy_edges()
    call exchange%start()
    call exchange%ready_all(list)
    next_change = 0  ! the reduction reads `change`: don't write to it
    do i = 2, heat%rows - 1
      call heat%update(i, i, next_change)
      call exchange%progress()
    end do
    call exchange%wait()
    call heat%update(1, 1, next_change)
    call heat%update(heat%rows, heat%rows, next_change)
    call heat%finish_step()
    change = next_change
    if (rank == 0 .and. step > 1 .and. mod(step - 1, 100) == 0) call print_change(step - 1, largest)
    ! [step end]
  end do
  begin = weft_seconds() - begin
  ! [last]
  call MPI_Allreduce(change, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
  if (rank == 0 .and. mod(steps, 100) == 0) call print_change(steps, largest)
  ! [last end]
  call print_end('heat', heat%fingerprint())
  call print_time(begin)
  call exchange%free()
  call progress%free()
  call comm%free()
  call MPI_Finalize()
end program
