! SPDX-License-Identifier: BSD-3-Clause
! An FFT in two halves: one is transposed by MPI_Ialltoall while the other is computed, with tests.
program transpose_halves
  use work
  implicit none
  integer, parameter :: pieces = 16
  character, allocatable, asynchronous :: in(:), out(:)
  type(MPI_Request) :: request
  integer :: step, half, i
  logical :: done
  call begin_work()
  allocate (in(2 * bytes), out(2 * bytes))
  out = "x"
  do step = 1, steps
    do half = 1, 2
      if (broken("blocking")) then
        call MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD) ! BROKEN blocking
        call compute(rounds / 2)
        cycle
      end if
      call MPI_Ialltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD, request)
      if (broken("early_wait")) call MPI_Wait(request, MPI_STATUS_IGNORE) ! BROKEN early_wait
      do i = 1, pieces
        call compute(rounds / (2 * pieces))
        if (.not. broken("no_tests")) call MPI_Test(request, done, MPI_STATUS_IGNORE)
      end do
      call MPI_Wait(request, MPI_STATUS_IGNORE) ! BROKEN no_tests
    end do
  end do
  call end_work()
end program
