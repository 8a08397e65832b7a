! SPDX-License-Identifier: BSD-3-Clause
!
! Heat in the wall of a tube, in plain MPI. It waits twice per step.
program waits
  use settings
  use tubes
  implicit none
  type(tube), asynchronous :: heat
  type(MPI_Request) :: requests(4)
  real(real64) :: change, largest, begin
  integer :: step
  call start()
  call heat%create(rows, columns, rank, ranks, 0.2_real64)

  begin = MPI_Wtime()
  ! [step]
  do step = 1, steps
    call heat%copy_edges()
    call MPI_Irecv(heat%below, columns, MPI_DOUBLE_PRECISION, down, 1, MPI_COMM_WORLD, requests(1))
    call MPI_Irecv(heat%above, columns, MPI_DOUBLE_PRECISION, up, 2, MPI_COMM_WORLD, requests(2))
    call MPI_Isend(heat%top, columns, MPI_DOUBLE_PRECISION, up, 1, MPI_COMM_WORLD, requests(3))
    call MPI_Isend(heat%bottom, columns, MPI_DOUBLE_PRECISION, down, 2, MPI_COMM_WORLD, requests(4))
    call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE)

    change = 0
    call heat%update(1, heat%rows, change)
    call heat%finish_step()

    call MPI_Allreduce(change, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
    if (rank == 0 .and. mod(step, 100) == 0) call print_change(step, largest)
  end do
  ! [step end]
  begin = MPI_Wtime() - begin
  call print_end('heat', heat%fingerprint())
  call print_time(begin)
  call MPI_Finalize()
end program
