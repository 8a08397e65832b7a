! SPDX-License-Identifier: BSD-3-Clause
!
! Stages 2 and 3: rows that need nothing from other ranks are computed between ready and wait, with progress calls
! meanwhile.
program overlaps
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
  real(real64) :: change, largest, begin
  integer :: step, i
  call start()
  call heat%create(rows, columns, rank, ranks, 0.2_real64)

  ! [progress]
  call comm%create(MPI_COMM_WORLD)
  call progress%create(comm, progress_kind())
  call exchange%create(comm, progress=progress)
  ! [progress end]
  call exchange%client('heat', list)
  call list%send(up, 1, heat%top)
  call list%send(down, 2, heat%bottom)
  call list%receive(down, 1, heat%below)
  call list%receive(up, 2, heat%above)
  call exchange%commit()

  begin = weft_seconds()
  do step = 1, steps
    ! [step]
    call heat%copy_edges()
    call exchange%start()
    call exchange%ready_all(list)
    change = 0
    do i = 2, heat%rows - 1  ! these rows need nothing from other ranks
      call heat%update(i, i, change)
      call exchange%progress()
    end do
    call exchange%wait()
    call heat%update(1, 1, change)
    call heat%update(heat%rows, heat%rows, change)
    call heat%finish_step()
    ! [step end]
    call MPI_Allreduce(change, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
    if (rank == 0 .and. mod(step, 100) == 0) call print_change(step, largest)
  end do
  begin = weft_seconds() - begin
  call print_end('heat', heat%fingerprint())
  call print_time(begin)
  call exchange%free()
  call progress%free()
  call comm%free()
  call MPI_Finalize()
end program
