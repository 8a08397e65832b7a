! SPDX-License-Identifier: BSD-3-Clause
! A pipelined conjugate gradient: MPI_Iallreduce of the dot products during the matrix's product, which tests for it.
program pipelined_cg
  use work
  implicit none
  integer, parameter :: pieces = 16
  double precision, allocatable, asynchronous :: mine(:), all(:)
  type(MPI_Request) :: request
  integer :: step, i
  logical :: done
  call begin_work()
  allocate (mine(bytes / 8), all(bytes / 8))
  mine = rank
  do step = 1, steps
    if (broken("late_post")) call compute(rounds)
    if (broken("blocking")) then
      call MPI_Allreduce(mine, all, size(mine), MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD) ! BROKEN blocking
      call compute(rounds)
      cycle
    end if
    call MPI_Iallreduce(mine, all, size(mine), MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, request)
    if (broken("barrier")) call MPI_Barrier(MPI_COMM_WORLD) ! BROKEN barrier
    if (.not. broken("late_post")) then
      do i = 1, pieces
        call compute(rounds / pieces)
        call MPI_Test(request, done, MPI_STATUS_IGNORE)
      end do
    end if
    call MPI_Wait(request, MPI_STATUS_IGNORE) ! BROKEN late_post
  end do
  call end_work()
end program
